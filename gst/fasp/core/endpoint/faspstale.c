/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspstale.h"
#include "faspcallingprivate.h"

void
fasp_stale_heard (FaspEndpoint *endpoint, guint socket)
{
  if (socket < endpoint->config.flows)
    endpoint->calling->stale.heard |= FASP_BIT (socket);
}

/* The sockets that are used to reach the peer, a bit each. */
static guint64
get_used (const FaspEndpoint *endpoint, const FaspSession *session)
{
  guint64 used = 0;

  if (endpoint->calling->call.caller.active)
    for (guint i = 0; i < endpoint->config.flows; i++)
      used |= FASP_BIT (i);
  for (guint i = 0; session != NULL && i < session->n_flows; i++)
    used |= FASP_BIT (session->flows[i].address.socket);
  return used;
}

static void
check_socket (FaspEndpoint *endpoint, FaspTime now, guint socket, gboolean is_mute,
    gboolean may_leave)
{
  guint8 *mute = &endpoint->calling->stale.mute[socket],
         *doublings = &endpoint->calling->stale.doublings[socket];
  guint enough = FASP_STALE_FIRST << *doublings;

  if (!is_mute)
    *mute = *doublings = 0;
  else
    *mute = MIN (*mute + 1u, enough);
  if (*mute < enough || !may_leave)
    return;
  *mute = 0;
  *doublings = MIN (*doublings + 1, FASP_STALE_DOUBLINGS);
  endpoint->calling->stale.sockets |= FASP_BIT (socket);
  FASP_LOG (endpoint->notes.log, now, PORT_LEFT, socket);
}

void
fasp_stale_run_due (FaspEndpoint *endpoint, FaspTime now)
{
  const FaspSession *session = fasp_endpoint_get_open (endpoint);
  gboolean may_leave;
  guint64 mute;

  if (now < fasp_stale_get_time (endpoint))
    return;
  /* this is the first check of a call, or the process stood still */
  if (now - endpoint->calling->stale.time >= FASP_STALE_LOOK) {
    endpoint->calling->stale.time = now + FASP_STALE_LOOK;
    return;
  }
  /* with one socket and a session that is heard, the peer may be silent for a while */
  may_leave = endpoint->calling->call.caller.active
      || (session != NULL && (session->n_flows > 1 || session->liveness.interrupted));
  mute = get_used (endpoint, session) & ~endpoint->calling->stale.heard;
  for (guint i = 0; i < endpoint->config.flows; i++)
    check_socket (endpoint, now, i, mute >> i & 1, may_leave);
  endpoint->calling->stale.heard = 0;
  endpoint->calling->stale.time = now + FASP_STALE_LOOK;
}

FaspTime
fasp_stale_get_time (FaspEndpoint *endpoint)
{
  return fasp_endpoint_is_caller (endpoint) && !endpoint->closing
          && (endpoint->calling->call.caller.active || fasp_endpoint_get_open (endpoint) != NULL) ?
      endpoint->calling->stale.time :
      FASP_NEVER;
}

guint64
fasp_endpoint_take_stale_sockets (FaspEndpoint *endpoint)
{
  guint64 sockets = endpoint->calling->stale.sockets;

  endpoint->calling->stale.sockets = 0;
  return sockets;
}
