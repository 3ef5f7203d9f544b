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
  endpoint->calling->gone->is_known = TRUE;
  fasp_session_get_stats (session, now, &endpoint->calling->gone->stats);
  g_clear_pointer (&endpoint->calling->gone->flows, g_free);
  if (session->n_flows > 1) {
    endpoint->calling->gone->flows = g_new (FaspFlowStats, session->n_flows);
    fasp_session_get_flows (session, endpoint->calling->gone->flows, session->n_flows);
  }
  g_clear_pointer (&endpoint->calling->gone->paths, g_free);
  if (endpoint->calling->gone->stats.n_paths > 1) {
    endpoint->calling->gone->paths = g_new (FaspPathStats, endpoint->calling->gone->stats.n_paths);
    fasp_session_get_paths (session, now, endpoint->calling->gone->paths,
        endpoint->calling->gone->stats.n_paths);
  }
  if (session->role == FASP_ROLE_RECEIVER) {
    endpoint->calling->gone->lateness = fasp_rx_view (session->rx)->late.lateness;
    endpoint->calling->gone->lateness_in_order = fasp_rx_view (session->rx)->late.lateness_in_order;
  }
  return &endpoint->calling->gone->stats;
}

guint
fasp_endpoint_get_flows (FaspEndpoint *endpoint, guint32 id, FaspFlowStats *flows, guint max)
{
  FaspSession *session = fasp_endpoint_find (endpoint, id);

  if (session != NULL)
    return fasp_session_get_flows (session, flows, max);
  if (!endpoint->calling->gone->is_known || endpoint->calling->gone->stats.session != id
      || endpoint->calling->gone->flows == NULL)
    return 0;
  memcpy (flows, endpoint->calling->gone->flows,
      MIN (max, endpoint->calling->gone->stats.flows) * sizeof *flows);
  return endpoint->calling->gone->stats.flows;
}

guint
fasp_endpoint_get_paths (FaspEndpoint *endpoint, FaspTime now, guint32 id, FaspPathStats *paths,
    guint max)
{
  FaspSession *session = fasp_endpoint_find (endpoint, id);

  if (session != NULL)
    return fasp_session_get_paths (session, now, paths, max);
  if (!endpoint->calling->gone->is_known || endpoint->calling->gone->stats.session != id
      || endpoint->calling->gone->paths == NULL)
    return 0;
  memcpy (paths, endpoint->calling->gone->paths,
      MIN (max, endpoint->calling->gone->stats.n_paths) * sizeof *paths);
  return endpoint->calling->gone->stats.n_paths;
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
