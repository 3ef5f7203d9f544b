/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspgone.h"
#include "faspcallingprivate.h"

static const FaspHist empty_hist;

/* The figures of the session removed last. */
struct _FaspGone
{
  gboolean is_known;
  FaspSessionStats stats;
  FaspFlowStats *flows;                 /* flows of the session, if it had several; owned */
  FaspPathStats *paths;                 /* paths of the session, if it had several; owned */
  FaspHist lateness, lateness_in_order; /* receiver: lateness of the session's blocks */
};

FaspGone *
fasp_gone_new (void)
{
  return g_new0 (FaspGone, 1);
}

void
fasp_gone_free (FaspGone *gone)
{
  g_free (gone->flows);
  g_free (gone->paths);
  g_free (gone);
}

const FaspSessionStats *
fasp_gone_keep (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  FaspGone *gone = endpoint->calling->gone;

  gone->is_known = TRUE;
  fasp_session_get_stats (session, now, &gone->stats);
  g_clear_pointer (&gone->flows, g_free);
  if (session->n_flows > 1) {
    gone->flows = g_new (FaspFlowStats, session->n_flows);
    fasp_session_get_flows (session, gone->flows, session->n_flows);
  }
  g_clear_pointer (&gone->paths, g_free);
  if (gone->stats.n_paths > 1) {
    gone->paths = g_new (FaspPathStats, gone->stats.n_paths);
    fasp_session_get_paths (session, now, gone->paths, gone->stats.n_paths);
  }
  if (session->role == FASP_ROLE_RECEIVER) {
    gone->lateness = fasp_rx_view (session->rx)->late.lateness;
    gone->lateness_in_order = fasp_rx_view (session->rx)->late.lateness_in_order;
  }
  return &gone->stats;
}

guint
fasp_endpoint_get_flows (FaspEndpoint *endpoint, guint32 id, FaspFlowStats *flows, guint max)
{
  const FaspGone *gone = endpoint->calling->gone;
  FaspSession *session = fasp_endpoint_find (endpoint, id);

  if (session != NULL)
    return fasp_session_get_flows (session, flows, max);
  if (gone->stats.session != id || gone->flows == NULL)
    return 0;
  memcpy (flows, gone->flows, MIN (max, gone->stats.flows) * sizeof *flows);
  return gone->stats.flows;
}

guint
fasp_endpoint_get_paths (FaspEndpoint *endpoint, FaspTime now, guint32 id, FaspPathStats *paths,
    guint max)
{
  const FaspGone *gone = endpoint->calling->gone;
  FaspSession *session = fasp_endpoint_find (endpoint, id);

  if (session != NULL)
    return fasp_session_get_paths (session, now, paths, max);
  if (gone->stats.session != id || gone->paths == NULL)
    return 0;
  memcpy (paths, gone->paths, MIN (max, gone->stats.n_paths) * sizeof *paths);
  return gone->stats.n_paths;
}

gboolean
fasp_endpoint_get_last_session (const FaspEndpoint *endpoint, FaspSessionStats *session)
{
  if (endpoint->calling->gone->is_known)
    *session = endpoint->calling->gone->stats;
  return endpoint->calling->gone->is_known;
}

/* The session whose lateness is reported: an open one, or else one that is closing. */
static const FaspSession *
get_measured (const FaspEndpoint *endpoint)
{
  const FaspSession *session = fasp_endpoint_get_open (endpoint);

  for (guint i = endpoint->sessions->len; session == NULL && i > 0; i--)
    if (fasp_endpoint_nth (endpoint, i - 1)->record->notified.connected
        && !fasp_endpoint_nth (endpoint, i - 1)->record->notified.removed)
      session = fasp_endpoint_nth (endpoint, i - 1);
  return session;
}

const FaspHist *
fasp_endpoint_get_lateness (FaspEndpoint *endpoint, gboolean in_order)
{
  const FaspSession *session = get_measured (endpoint);

  if (endpoint->config.role != FASP_ROLE_RECEIVER)
    return &empty_hist;
  if (session != NULL)
    return in_order ? &fasp_rx_view (session->rx)->late.lateness_in_order :
                      &fasp_rx_view (session->rx)->late.lateness;
  return in_order ? &endpoint->calling->gone->lateness_in_order :
                    &endpoint->calling->gone->lateness;
}
