/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspgather.h"
#include "faspsendingprivate.h"

/* The rate of the stream is measured over at least this time, a few pictures. */
#define MEASURED_OVER (100 * FASP_MSEC)

/* How long bytes may be held back: a share of the shortest latency of all receivers; 0 if one has
 * no latency, or its latency is not found yet. */
static FaspTime
get_longest_wait (const FaspEndpoint *endpoint, FaspTime now)
{
  FaspTime most = FASP_GATHER_MAX;

  FASP_EACH_SESSION (endpoint, session)
    if (session->state == FASP_SESSION_OPEN)
      most = MIN (most, fasp_session_get_latency (session, now) * FASP_MSEC / FASP_GATHER_SHARE);
  return most;
}

/* Measures how long a block takes to fill. */
static void
measure (FaspEndpoint *endpoint, FaspTime now, gsize size)
{
  FaspEndpointGather *g = &endpoint->sending->gather;

  if (g->since == 0 || now - g->since >= MEASURED_OVER) {
    guint64 fill = g->bytes > 0 ?
        (guint64) (now - g->since) * fasp_store_get_block_size (endpoint->store) / g->bytes :
        FASP_NEVER;

    g->fill = fill <= (guint64) get_longest_wait (endpoint, now) ? fill : 0;
    g->since = MAX (now, 1);
    g->bytes = 0;
  }
  g->bytes += size;
}

gboolean
fasp_gather_written (FaspEndpoint *endpoint, FaspTime now, guint64 head, gsize size)
{
  FaspEndpointGather *g = &endpoint->sending->gather;

  measure (endpoint, now, size);
  if (size >= fasp_store_get_block_size (endpoint->store) / 2 || g->fill == 0) {
    g->due = FASP_NEVER;
    fasp_store_release (endpoint->store);
    return TRUE;
  }
  /* only a new block can be held back: sessions know of older ones */
  if (fasp_store_hold_back (endpoint->store, head))
    g->due = now + g->fill;
  if (!fasp_store_is_held_back (endpoint->store))
    g->due = FASP_NEVER;
  return g->due == FASP_NEVER || fasp_store_get_head (endpoint->store) > head;
}

void
fasp_gather_end (FaspEndpoint *endpoint, FaspTime now)
{
  if (endpoint->sending->gather.due == FASP_NEVER)
    return;
  endpoint->sending->gather.due = FASP_NEVER;
  fasp_store_release (endpoint->store);
  for (guint i = 0; i < endpoint->config.lanes; i++)
    fasp_scheduler_written (&endpoint->schedulers[i], now);
}

void
fasp_gather_run_due (FaspEndpoint *endpoint, FaspTime now)
{
  if (now >= endpoint->sending->gather.due)
    fasp_gather_end (endpoint, now);
}

FaspTime
fasp_gather_get_time (FaspEndpoint *endpoint)
{
  return endpoint->sending->gather.due;
}
