/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspfailover.h"
#include "faspcallingprivate.h"

#define FAILOVER_AFTER (2 * FASP_SEC)
#define FAILOVER_SOONEST (250 * FASP_MSEC)

guint
fasp_endpoint_get_wanted_peer (const FaspEndpoint *endpoint, guint *serial)
{
  *serial = endpoint->calling->failover.serial;
  return endpoint->calling->failover.wanted;
}

/* Are there other peers, and does the endpoint call by itself? */
static gboolean
can_fail_over (const FaspEndpoint *endpoint)
{
  return endpoint->config.peers > 1 && endpoint->config.settings.reconnect
      && fasp_endpoint_is_caller (endpoint) && !endpoint->closing;
}

void
fasp_failover_wait (FaspEndpoint *endpoint, FaspTime now)
{
  endpoint->calling->failover.time = can_fail_over (endpoint) ? now + FAILOVER_AFTER : FASP_NEVER;
}

void
fasp_failover_stay (FaspEndpoint *endpoint)
{
  endpoint->calling->failover.time = FASP_NEVER;
  endpoint->calling->failover.refused = 0;
}

static void
set_wanted (FaspEndpoint *endpoint, guint peer)
{
  endpoint->calling->failover.wanted = peer;
  endpoint->calling->failover.serial++;
}

gboolean
fasp_failover_next (FaspEndpoint *endpoint, FaspTime now)
{
  if (!can_fail_over (endpoint))
    return FALSE;
  set_wanted (endpoint, (endpoint->calling->failover.wanted + 1) % endpoint->config.peers);
  FASP_LOG (endpoint->notes.log, now, PEER_CHANGED, endpoint->calling->failover.wanted);
  fasp_failover_wait (endpoint, now);
  return TRUE;
}

void
fasp_failover_back (FaspEndpoint *endpoint, const FaspSession *session)
{
  fasp_failover_stay (endpoint);
  if (endpoint->calling->failover.wanted != session->record->peer)
    set_wanted (endpoint, session->record->peer);
}

gboolean
fasp_failover_refused (FaspEndpoint *endpoint, gboolean for_good)
{
  if (!can_fail_over (endpoint))
    return FALSE;
  endpoint->calling->failover.refused = for_good ? endpoint->calling->failover.refused + 1 : 0;
  return endpoint->calling->failover.refused < endpoint->config.peers;
}

void
fasp_failover_unreachable (FaspEndpoint *endpoint, const FaspAddress *to)
{
  if (endpoint->calling->failover.time != FASP_NEVER && endpoint->calling->call.has_peer
      && fasp_address_equal (to, &endpoint->calling->call.peer))
    endpoint->calling->failover.time =
        MIN (endpoint->calling->failover.time, endpoint->calling->call.started + FAILOVER_SOONEST);
}

gboolean
fasp_failover_run_due (FaspEndpoint *endpoint, FaspTime now)
{
  if (endpoint->calling->failover.time > now)
    return FALSE;
  fasp_failover_stay (endpoint); /* a peer that does not answer has not refused */
  return TRUE;
}
