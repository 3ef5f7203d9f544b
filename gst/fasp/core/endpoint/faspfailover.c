/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspfailover.h"

#define FAILOVER_AFTER (2 * FASP_SEC)
#define FAILOVER_SOONEST (250 * FASP_MSEC)

guint
fasp_endpoint_get_wanted_peer (const FaspEndpoint *endpoint, guint *serial)
{
  *serial = endpoint->failover.serial;
  return endpoint->failover.wanted;
}

/* Are there other peers, and may they be called? */
static gboolean
can_fail_over (const FaspEndpoint *endpoint)
{
  return endpoint->config.peers > 1 && endpoint->config.settings.reconnect
      && fasp_endpoint_is_caller (endpoint) && !endpoint->closing;
}

void
fasp_failover_wait (FaspEndpoint *endpoint, FaspTime now)
{
  endpoint->failover.time = can_fail_over (endpoint) ? now + FAILOVER_AFTER : FASP_NEVER;
}

void
fasp_failover_stay (FaspEndpoint *endpoint)
{
  endpoint->failover.time = FASP_NEVER;
  endpoint->failover.refused = 0;
}

static void
want (FaspEndpoint *endpoint, guint peer)
{
  endpoint->failover.wanted = peer;
  endpoint->failover.serial++;
}

gboolean
fasp_failover_on (FaspEndpoint *endpoint, FaspTime now)
{
  if (!can_fail_over (endpoint))
    return FALSE;
  want (endpoint, (endpoint->failover.wanted + 1) % endpoint->config.peers);
  FASP_LOG (endpoint->notes.log, now, PEER_CHANGED, endpoint->failover.wanted);
  endpoint->calling.has_peer = FALSE;
  endpoint->calling.redial_time = FASP_NEVER;
  endpoint->calling.started = now;
  fasp_caller_stop (&endpoint->calling.caller);
  fasp_failover_wait (endpoint, now);
  return TRUE;
}

void
fasp_failover_back (FaspEndpoint *endpoint, const FaspSession *session)
{
  fasp_failover_stay (endpoint);
  if (endpoint->failover.wanted != session->handshake.peer)
    want (endpoint, session->handshake.peer);
}

gboolean
fasp_failover_refused (FaspEndpoint *endpoint, FaspTime now, gboolean for_good)
{
  if (!can_fail_over (endpoint))
    return FALSE;
  endpoint->failover.refused = for_good ? endpoint->failover.refused + 1 : 0;
  return endpoint->failover.refused < endpoint->config.peers && fasp_failover_on (endpoint, now);
}

void
fasp_failover_unreachable (FaspEndpoint *endpoint, const FaspAddress *to)
{
  if (endpoint->failover.time != FASP_NEVER && endpoint->calling.has_peer
      && fasp_address_equal (to, &endpoint->calling.peer))
    endpoint->failover.time =
        MIN (endpoint->failover.time, endpoint->calling.started + FAILOVER_SOONEST);
}

void
fasp_failover_tend (FaspEndpoint *endpoint, FaspTime now)
{
  if (endpoint->failover.time > now)
    return;
  endpoint->failover.refused = 0; /* a peer that does not answer has not refused */
  if (!fasp_failover_on (endpoint, now))
    fasp_failover_stay (endpoint);
}
