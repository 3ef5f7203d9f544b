/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionchoice.c: which path and which flow the next datagram of the stream takes, and when it
 * may leave there.
 */
#include "faspsessionprivate.h"
#include "fasppathscheduler.h"

/* With duplicate, a copy that leaves with its block may be ahead of its own path's pacer by this
 * much: as much as an encoder may have waiting (BACKLOG_USUAL). */
#define AHEAD (50 * FASP_MSEC)

/* The flows that have already carried this block; a retransmission takes another one. */
static guint64
get_avoided (FaspSession *session, const FaspTxItem *item)
{
  guint64 avoid = 0;

  if (item->kind == FASP_TX_BLOCK && item->index == 0) {
    if (item->round == 0 && item->copy == 0)
      session->flow_choice.doubled = 0;
    avoid = fasp_sent_map_get_carriers (fasp_tx_get_sent_map (session->tx), item->number)
        | (item->round == 0 ? session->flow_choice.doubled : 0);
  }
  return avoid;
}

/* A TAIL reveals the last losses of the flow that carries it. So each flow whose newest datagram
 * has not been reported gets one, the flow of the last block first. */
static guint8
pick_for_tail (FaspSession *session, FaspTxItem *item)
{
  guint64 last = FASP_BIT (session->flow_choice.last);
  guint64 among = fasp_sent_map_get_unreported (fasp_tx_get_sent_map (session->tx))
      & session->multipath.usable & ~session->flow_choice.tailed;

  item->count = MAX (1, __builtin_popcountll (among));
  return fasp_multipath_pick (&session->multipath, ~(among & last ? last : among));
}

/* --- paths ------------------------------------------------------------------------------ */

/* Has each path a controller and pacer of its own? */
static gboolean
has_controlled_paths (const FaspSession *session)
{
  return session->paths.n > 1 && fasp_session_is_controlled (session);
}

/* Is the item a copy of a new block for a further flow? find_takers() found room for it when the
 * block left. */
static gboolean
is_double (const FaspTxItem *item)
{
  return item->kind == FASP_TX_BLOCK && item->round == 0 && item->copy > 0;
}

static gboolean
chooses_path (const FaspSession *session, const FaspTxItem *item)
{
  return has_controlled_paths (session) && item->kind != FASP_TX_TAIL && !is_double (item);
}

/* Those of @flows on which a copy may leave now, as the window of their path has room for it. The
 * copy leaves together with the block, which another path may have paced, but at most AHEAD before
 * its own path's pacer lets it: more would cause a queue there, which the controller takes for
 * another sender's. */
static guint64
find_takers (const FaspSession *session, FaspTime now, guint64 flows)
{
  guint64 takers = 0;

  for (guint i = 0; i < session->paths.n; i++) {
    const FaspPath *path = &session->paths.list[i];
    gsize bytes = 0;

    if (fasp_pacer_get_time (&path->pacer, now, session->sizes.wire_max) > now + AHEAD)
      continue;
    for (guint64 left = path->flows & flows; left != 0; left &= left - 1) {
      bytes += session->sizes.wire_max;
      if (fasp_rate_get_time (path->rate, now, path->wire_sent, bytes) > now)
        break;
      takers |= left & -left;
    }
  }
  return takers;
}

void
fasp_session_double (FaspSession *session, FaspTime now)
{
  FaspFlowChoice *choice = &session->flow_choice;
  guint times = fasp_session_get_times (session) - 1, n = times;

  if (has_controlled_paths (session)) {
    choice->takers = find_takers (session, now, session->multipath.usable & ~choice->doubled);
    n = MIN (n, (guint) __builtin_popcountll (choice->takers));
  }
  fasp_tx_double (session->tx, n, times - n);
}

/* When the window of the only path has room for the item. A TAIL, which asks for a report on what
 * is in flight, does not wait. */
static FaspTime
get_window_time (const FaspSession *session, FaspTime now, const FaspTxItem *item)
{
  return session->paths.n > 1 || item->kind == FASP_TX_TAIL ?
      now :
      fasp_path_get_time (&session->paths.list[0], now, session->sizes.wire_max);
}

/* Departure of the oldest packet on the path that is neither reported nor counted as lost;
 * FASP_NEVER: there is none. */
static FaspTime
get_oldest (const FaspSession *session, const FaspPath *path)
{
  FaspTime oldest = FASP_NEVER;

  for (guint64 left = path->flows; left != 0; left &= left - 1)
    oldest = fasp_sooner (oldest,
        fasp_sent_map_get_oldest_time (fasp_tx_get_sent_map (session->tx), __builtin_ctzll (left)));
  return oldest;
}

/* The least delay of all paths. */
static FaspTime
get_quickest (const FaspSession *session)
{
  FaspTime least = FASP_NEVER;

  for (guint i = 0; i < session->paths.n; i++)
    if (session->paths.list[i].delay.is_known)
      least = fasp_sooner (least, fasp_path_get_least (&session->paths.list[i]));
  return least;
}

static FaspPathState
describe (const FaspSession *session, FaspTime now, const FaspPath *path, FaspTime quickest)
{
  FaspTime queued = fasp_path_get_silence (path, now, get_oldest (session, path));

  return (FaspPathState) {
    .is_usable = fasp_session_uses_path (session, path),
    .ready = fasp_path_get_time (path, now, session->sizes.wire_max),
    /* a path without a sample counts as the quickest, so that it is tried */
    .delay = path->delay.is_known ? path->delay.recent - quickest + queued : queued,
    .rate = path->pace,
  };
}

static gsize
count_waiting (const FaspSession *session, const FaspTxItem *item)
{
  guint64 blocks = fasp_sent_map_count_queued (fasp_tx_get_sent_map (session->tx));

  if (item->round == 0)
    blocks += fasp_tx_count_fresh (session->tx);
  return MAX (blocks, 1) * session->sizes.wire_max;
}

/* How much longer than the quickest path the item may take; FASP_NEVER: any time. */
static FaspTime
get_spare (const FaspSession *session, FaspTime now, const FaspTxItem *item)
{
  FaspTime latency = fasp_tx_get_estimate (session->tx)->latency;

  if (item->kind != FASP_TX_BLOCK || latency == 0)
    return FASP_NEVER;
  return latency - (now - item->block->arrival);
}

/* The paths that these flows belong to, a bit each. */
static guint64
get_paths (const FaspSession *session, guint64 flows)
{
  guint64 paths = 0;

  for (guint i = 0; i < session->paths.n; i++)
    if ((session->paths.list[i].flows & flows) != 0)
      paths |= FASP_BIT (i);
  return paths;
}

static const FaspPath *
choose_path (const FaspSession *session, FaspTime now, const FaspTxItem *item, guint64 avoid,
    FaspTime *when)
{
  FaspPathState states[FASP_FLOWS_MAX];
  FaspTime quickest = get_quickest (session);
  FaspPathRequest request = {
    .waiting = count_waiting (session, item),
    .spare = get_spare (session, now, item),
    .latency = fasp_tx_get_estimate (session->tx)->latency,
    .carriers = item->copy > 0 ? get_paths (session, avoid) : 0,
  };

  for (guint i = 0; i < session->paths.n; i++)
    states[i] = describe (session, now, &session->paths.list[i], quickest);
  return &session->paths
              .list[fasp_path_scheduler_pick (states, session->paths.n, now, &request, when)];
}

guint8
fasp_session_choose_flow (FaspSession *session, FaspTime now, FaspTxItem *item, FaspTime *when)
{
  guint64 avoid;
  const FaspPath *path;

  *when = get_window_time (session, now, item);
  if (session->n_flows == 1 || *when > now)
    return 0;
  if (item->kind == FASP_TX_TAIL)
    return pick_for_tail (session, item);
  avoid = get_avoided (session, item);
  if (!chooses_path (session, item))
    return fasp_multipath_pick (&session->multipath,
        is_double (item) && has_controlled_paths (session) ? avoid | ~session->flow_choice.takers :
                                                             avoid);
  path = choose_path (session, now, item, avoid, when);
  return *when > now ? 0 : fasp_session_pick_flow (session, path, avoid);
}

FaspTime
fasp_session_get_path_time (const FaspSession *session, FaspTime now, const FaspTxItem *item)
{
  const FaspPath *path;
  FaspTime when;

  if (!chooses_path (session, item))
    return get_window_time (session, now, item);
  path = choose_path (session, now, item, 0, &when);
  return when <= now ? now : fasp_path_get_wake (path, now, session->sizes.wire_max);
}
