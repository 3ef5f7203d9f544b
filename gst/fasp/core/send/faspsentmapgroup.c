/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A peer that is a member of a group.  The group's log knows what was sent to all members;
 * here the blocks that this peer lacks are looked up in it.
 */
#include "faspsentmapprivate.h"

/* --- membership ----------------------------------------------------------------------- */

void
fasp_sent_map_join (FaspSentMap *map, FaspTime now, FaspGroupLog *log)
{
  FaspSentFlow *flow = map->flows[FASP_GROUP_FLOW];
  guint64 next = fasp_group_log_get_pn (log), pn, received;

  if (flow == NULL) {
    flow = map->flows[FASP_GROUP_FLOW] = g_new0 (FaspSentFlow, 1);
    fasp_rtt_init (&flow->rtt);
    flow->base = flow->largest = next;
    map->n_flows++;
  } else if (fasp_sent_map_get_past (map, log, &pn, &received) && pn >= flow->largest
      && received >= flow->received) {
    guint64 sent = pn + 1 - flow->largest;

    /* packets that the group sent while the member was away do not count as lost */
    flow->base += sent - MIN (sent, received - flow->received);
    flow->largest = pn + 1;
    flow->received = received;
  }
  flow->next = next;
  map->log = log;
  map->was_member = TRUE;
  map->group_reported = flow->next;
  map->group_progress = now;
  fasp_sent_map_follow (map);
}

guint64
fasp_sent_map_follow (FaspSentMap *map)
{
  FaspSentFlow *flow = map->flows[FASP_GROUP_FLOW];
  guint64 next = fasp_group_log_get_next (map->log);

  while (map->next < next)
    fasp_sent_map_add_block (map, map->next);
  flow->front = flow->next = fasp_group_log_get_pn (map->log);
  return map->next;
}

void
fasp_sent_map_leave (FaspSentMap *map)
{
  fasp_sent_map_follow (map);
  map->log = NULL;
  map->past_received = 0;
  for (guint64 block = map->base; block < map->next; block++) {
    FaspSentBlock *state = fasp_sent_map_block (map, block);

    if (!state->queued && state->in_flight == 0 && !fasp_sent_map_is_here (map, block))
      fasp_sent_map_queue (map, block);
  }
}

gboolean
fasp_sent_map_get_past (const FaspSentMap *map, const FaspGroupLog *log, guint64 *pn,
    guint64 *received)
{
  guint64 next = fasp_group_log_get_pn (log);

  if (map->log != NULL || map->past_received == 0 || next == 0)
    return FALSE;
  *pn = fasp_widen_given (map->past_largest, FASP_PN_BITS, next);
  *received = map->past_received;
  return *pn < next;
}

void
fasp_sent_map_overtaken (FaspSentMap *map, guint64 to)
{
  while (map->next < to) {
    guint64 block = map->next;

    fasp_sent_map_add_block (map, block);
    fasp_sent_map_queue (map, block);
  }
}

FaspTime
fasp_sent_map_get_unheard (const FaspSentMap *map)
{
  FaspTime sent;

  if (map->group_reported == fasp_group_log_get_pn (map->log))
    return FASP_NEVER;
  sent = fasp_group_log_get_time (map->log, map->group_reported);
  /* 0: the departure of that packet is not remembered */
  return sent > 0 ? sent : map->group_progress;
}

gboolean
fasp_sent_map_hears_since (const FaspSentMap *map, guint64 block)
{
  guint64 first = fasp_group_log_get_first (map->log, block);

  return first == G_MAXUINT64 || map->group_reported > first;
}

/* --- feedback --------------------------------------------------------------------- */

void
fasp_sent_map_group_feedback (FaspSentMap *map, FaspTime now, const FaspFeedbackFlow *reported,
    guint64 largest, FaspSentMapResult *result)
{
  FaspSentFlow *flow = map->flows[FASP_GROUP_FLOW];

  if (flow->received == 0) /* packets before the first one received do not count as lost */
    flow->base = flow->largest = largest + 1 - MIN (reported->received, largest + 1);
  fasp_sent_map_note_feedback (flow, now, reported, largest,
      fasp_group_log_get_time (map->log, largest), result);
  if (largest >= map->group_reported) {
    map->group_reported = largest + 1;
    map->group_progress = now;
  }
  if (reported->unsettled <= largest)
    map->group_settled = MAX (map->group_settled, largest - reported->unsettled + 1);
}

/* Was @block not sent to the peer yet, neither by its session nor, since it joined, by the
 * group? */
static gboolean
is_first_time (const FaspSentMap *map, guint64 block)
{
  guint64 first = fasp_group_log_get_first (map->log, block);

  /* G_MAXUINT64: the block was sent before the group began */
  return fasp_sent_map_block (map, block)->rounds == 0
      && (first == G_MAXUINT64 || first < map->flows[FASP_GROUP_FLOW]->base);
}

/* Does the peer's share let @block be sent again? */
static gboolean
is_granted (FaspSentMap *map, FaspTime now, guint64 block)
{
  return fasp_sent_map_is_in_flight (map, block) || is_first_time (map, block)
      || fasp_group_log_grants (map->log, now, &map->granted);
}

/* The peer lacks @block and has room for it. If all packets that carried it are settled, it is
 * lost; it is queued to be sent again if the peer's share allows that. */
static void
look_at_missing (FaspSentMap *map, FaspTime now, guint64 block, FaspSentMapLosses *losses,
    FaspSentMapResult *result)
{
  FaspSentBlock *state = fasp_sent_map_block (map, block);

  if (state->queued || state->in_flight > 0 || !is_granted (map, now, block)
      || !fasp_group_log_ask (map->log, now, map, block, map->group_settled, &state->asked))
    return;
  /* a lost unicast retransmission was counted when its packet was settled */
  result->lost += state->rounds == 0;
  if (map->decisions != NULL && state->rounds == 0)
    fasp_sent_map_note_lost (losses, FASP_LOG_UNKNOWN, block, state->rounds, FASP_LOG_UNKNOWN);
  fasp_sent_map_queue (map, block);
}

/* This many look-ups, beyond one for each range, are allowed in LOOKS_TIME. */
#define MORE (FASP_SENT_MAP_NEWS - FASP_RANGES_MAX)

guint
fasp_sent_map_get_looks (const FaspSentMap *map, FaspTime now)
{
  FaspTime saved = CLAMP (now - map->looks_from, 0, FASP_SENT_MAP_LOOKS_TIME);

  return FASP_RANGES_MAX + saved * MORE / FASP_SENT_MAP_LOOKS_TIME;
}

void
fasp_sent_map_looked (FaspSentMap *map, FaspTime now, guint blocks)
{
  FaspTime from = MAX (map->looks_from, now - FASP_SENT_MAP_LOOKS_TIME);
  guint more = blocks - MIN (blocks, FASP_RANGES_MAX);

  map->looks_from = from + (more * FASP_SENT_MAP_LOOKS_TIME + MORE - 1) / MORE;
}

/* Looks at the blocks from @from to before @end, @left at most.  Returns how many are left. */
static guint
look_at_range (FaspSentMap *map, FaspTime now, guint64 from, guint64 end, guint left,
    FaspSentMapLosses *losses, FaspSentMapResult *result)
{
  for (guint64 block = MAX (from, map->base); block < end && left > 0; block++, left--)
    look_at_missing (map, now, block, losses, result);
  return left;
}

void
fasp_sent_map_settle_group (FaspSentMap *map, FaspTime now, const FaspFeedback *feedback,
    FaspSentMapResult *result)
{
  /* a block takes at least one unit of the window */
  guint64 limit = MIN (map->next, feedback->ack + feedback->window);
  guint most = fasp_sent_map_get_looks (map, now), left = most;
  FaspSentMapLosses losses = { 0 };

  for (guint i = 0; i < feedback->n_ranges && left > 0; i++) {
    const FaspRange *range = &feedback->ranges[i];

    left = look_at_range (map, now, range->start, MIN (range->start + range->length, limit), left,
        &losses, result);
  }
  for (guint64 block = MAX (feedback->end, map->base); feedback->tail && block < limit && left > 0
      && fasp_group_log_get_first (map->log, block) < map->group_settled;
      block++, left--)
    look_at_missing (map, now, block, &losses, result);
  if (losses.count > 0)
    fasp_sent_map_log_lost (map, now, FASP_GROUP_FLOW, &losses, "reported");
  fasp_sent_map_looked (map, now, most - left);
}
