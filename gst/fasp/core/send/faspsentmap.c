/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspsentmapprivate.h"
#include "faspring.h"

/* A datagram without a block only gives a round-trip time.  It is forgotten after this
 * time. */
#define FORGET_AFTER (10 * FASP_SEC)
/* This many datagrams may wait to be settled, beyond four for each block in flight; ten seconds of
 * PONGs are fewer. */
#define OVERGROWN 65536
/* If more than SETTLED_OF datagrams wait, those that left SETTLED_AFTER ago or earlier count as
 * settled, reported or not. In an outage of hours the ten probes a second come to as many. */
#define SETTLED_AFTER (60 * FASP_SEC)
#define SETTLED_OF (OVERGROWN / 2)

FaspSentMap *
fasp_sent_map_new (guint64 start)
{
  FaspSentMap *map = g_new0 (FaspSentMap, 1);

  map->base = map->next = start;
  map->only = FASP_FLOWS_MAX;
  map->block_mask = FASP_RING_FIRST_MASK;
  map->blocks = g_new0 (FaspSentBlock, map->block_mask + 1);
  map->ranges = g_array_new (FALSE, FALSE, sizeof (FaspRange));
  map->unknown = g_sequence_new (g_free);
  return map;
}

void
fasp_sent_map_free (FaspSentMap *map)
{
  if (map == NULL)
    return;
  for (guint i = 0; i < FASP_FLOWS_MAX; i++) {
    if (map->flows[i] != NULL)
      g_free (map->flows[i]->ring);
    g_free (map->flows[i]);
  }
  g_sequence_free (map->unknown);
  g_array_unref (map->ranges);
  fasp_heap_clear (&map->queue);
  g_free (map->blocks);
  g_free (map);
}

void
fasp_sent_map_set_log (FaspSentMap *map, FaspLog *log)
{
  map->decisions = log;
}

void
fasp_sent_map_set_only (FaspSentMap *map, guint8 flow)
{
  map->only = flow;
}

void
fasp_sent_map_set_latency (FaspSentMap *map, FaspTime latency)
{
  map->latency = latency;
}

/* --- transmissions ------------------------------------------------------------------ */

static gboolean
has_block (const FaspTransmission *t)
{
  return t->block < FASP_PROBE;
}

/* Must the oldest transmission of the flow be kept, for a report that may still come? */
static gboolean
is_wanted (const FaspSentMap *map, FaspTime now, const FaspSentFlow *flow)
{
  const FaspTransmission *oldest = fasp_sent_map_transmission (flow, flow->front);
  gboolean reported = flow->front < flow->largest;

  if (!has_block (oldest) && !reported)
    return now - oldest->sent < FORGET_AFTER;
  if (has_block (oldest) && oldest->block >= map->base)
    return TRUE;
  /* the block has arrived by another flow, but a report will show whether this flow carries
   * packets. If the peer never reports it, the map becomes overgrown */
  return map->n_flows > 1 && !reported;
}

/* Drops the oldest transmissions that need no report any more, so that they do not pile up if the
 * peer acknowledges blocks but never settles a packet. */
static void
forget (FaspSentMap *map, FaspTime now, FaspSentFlow *flow)
{
  while (flow->front < flow->next) {
    if (!is_wanted (map, now, flow))
      flow->front++;
    else if (flow->next - flow->front > SETTLED_OF
        && now - fasp_sent_map_transmission (flow, flow->front)->sent >= SETTLED_AFTER)
      fasp_sent_map_settle (map, now, flow, flow->front, "forgotten", &(FaspSentMapResult) { 0 });
    else
      break;
  }
}

void
fasp_sent_map_sent (FaspSentMap *map, FaspTime now, guint8 index, guint64 block, gboolean continued)
{
  FaspSentFlow *flow;

  g_return_if_fail (index < FASP_FLOWS_MAX);
  flow = map->flows[index];
  if (flow == NULL) {
    flow = map->flows[index] = g_new0 (FaspSentFlow, 1);
    map->n_flows++;
    fasp_rtt_init (&flow->rtt);
    flow->mask = FASP_RING_FIRST_MASK;
    flow->ring = g_new (FaspTransmission, flow->mask + 1);
  }
  flow->ring =
      fasp_ring_make_room (flow->ring, sizeof *flow->ring, &flow->mask, flow->front, flow->next);
  if (flow->largest == flow->next)
    flow->gaps.from = now + flow->rtt.smoothed;
  *fasp_sent_map_transmission (flow, flow->next) = (FaspTransmission) { block, now };
  flow->next++;

  if (block < FASP_PROBE) {
    FaspSentBlock *state;

    g_return_if_fail (block >= map->base && block <= map->next);
    if (block == map->next) {
      fasp_sent_map_add_block (map, block);
      fasp_sent_map_block (map, block)->first = index;
    }
    state = fasp_sent_map_block (map, block);
    state->last = index;
    state->in_flight++;
    if (!continued && state->rounds < G_MAXUINT8)
      state->rounds++;
    if (state->queued && map->queue.n > 0 && (guint64) fasp_heap_get_least (&map->queue) == block) {
      fasp_heap_pop (&map->queue);
      state->queued = FALSE;
    }
  }
  forget (map, now, flow);
}

static void
count_original (FaspSentMap *map, gboolean lost)
{
  map->originals.blocks++;
  map->originals.lost += lost;
  map->originals.holes += lost && !map->original_lost;
  map->original_lost = lost;
}

static void
acknowledge (FaspSentMap *map, guint64 base, guint64 *rounds)
{
  for (; map->base < base && map->base < map->next; map->base++) {
    const FaspSentBlock *state = fasp_sent_map_block (map, map->base);
    guint n = state->rounds + (map->log != NULL);

    rounds[CLAMP (n, 1, FASP_ROUNDS) - 1]++;
    count_original (map, n > 1 || state->queued);
  }
  map->base = MAX (map->base, base);
  map->next = MAX (map->next, base);
}

/* Is @reported about a group that the peer has left? */
static gboolean
is_of_past (const FaspSentMap *map, const FaspFeedbackFlow *reported)
{
  return map->was_member && map->log == NULL && reported->flow == FASP_GROUP_FLOW;
}

gboolean
fasp_sent_map_is_possible (const FaspSentMap *map, const FaspFeedback *feedback)
{
  guint64 seen = 0; /* a bit for each flow */

  if (feedback->ack > map->next || feedback->end > map->next || feedback->from > feedback->end)
    return FALSE;
  for (guint i = 0; i < feedback->n_flows; i++) {
    const FaspFeedbackFlow *reported = &feedback->flows[i];
    const FaspSentFlow *flow = map->flows[reported->flow];
    guint64 largest;

    if (seen >> reported->flow & 1)
      return FALSE;
    seen |= FASP_BIT (reported->flow);
    if (reported->received == 0 || is_of_past (map, reported))
      continue;
    if (flow == NULL)
      return FALSE;
    largest = fasp_widen_given (reported->largest, FASP_PN_BITS, flow->next);
    if (largest >= flow->next || reported->unsettled > largest + 1
        || reported->received > largest + 1)
      return FALSE;
  }
  return TRUE;
}

static guint64
widen_serial (const FaspSentMap *map, const FaspFeedback *feedback)
{
  return map->has_feedback ? fasp_widen (feedback->serial, FASP_SERIAL_BITS, map->serial) :
                             feedback->serial;
}

gboolean
fasp_sent_map_is_new (const FaspSentMap *map, const FaspFeedback *feedback)
{
  return !map->has_feedback || widen_serial (map, feedback) > map->serial;
}

/* Takes in what the peer reports of one flow. */
static void
take_feedback (FaspSentMap *map, FaspTime now, const FaspFeedbackFlow *reported,
    FaspSentMapResult *result)
{
  guint64 largest =
      fasp_widen_given (reported->largest, FASP_PN_BITS, map->flows[reported->flow]->next);

  if (map->log != NULL && reported->flow == FASP_GROUP_FLOW)
    fasp_sent_map_group_feedback (map, now, reported, largest, result);
  else
    fasp_sent_map_flow_feedback (map, now, reported, largest, result);
}

gboolean
fasp_sent_map_feedback (FaspSentMap *map, FaspTime now, const FaspFeedback *feedback,
    FaspSentMapResult *result)
{
  guint64 serial = widen_serial (map, feedback);
  FaspTime most = fasp_sent_map_get_longest_wait (map);

  memset (result, 0, sizeof (*result));
  result->shortest = FASP_NEVER;
  if (!fasp_sent_map_is_new (map, feedback) || !fasp_sent_map_is_possible (map, feedback))
    return FALSE;
  map->has_feedback = TRUE;
  map->serial = serial;
  map->from = feedback->from;
  map->end = feedback->end;
  map->tail = feedback->tail;
  g_array_set_size (map->ranges, 0);
  g_array_append_vals (map->ranges, feedback->ranges, feedback->n_ranges);

  acknowledge (map, feedback->ack, result->rounds);
  for (guint i = 0; i < feedback->n_flows; i++) {
    const FaspFeedbackFlow *reported = &feedback->flows[i];

    if (is_of_past (map, reported)) {
      map->past_largest = reported->largest;
      map->past_received = reported->received;
      continue;
    }
    if (reported->received > 0)
      take_feedback (map, now, reported, result);
    if (map->n_flows > 1 && reported->flow != map->only && (map->log != NULL || !map->was_member))
      fasp_sent_map_check_flow (map, now, reported->flow, most, result);
  }
  fasp_sent_map_settle_unknown (map, now, result);
  if (map->log != NULL)
    fasp_sent_map_settle_group (map, now, feedback, result);
  return TRUE;
}

guint
fasp_sent_map_count_queued (const FaspSentMap *map)
{
  return map->queue.n;
}

guint64
fasp_sent_map_peek (FaspSentMap *map, guint8 *round)
{
  while (map->queue.n > 0) {
    guint64 block = fasp_heap_get_least (&map->queue);

    /* a queued block may have arrived after it was counted as lost, or is being sent to the
     * group */
    if (block >= map->base && fasp_sent_map_ask (map, block) != FASP_BLOCK_HERE
        && !fasp_sent_map_is_in_flight (map, block)) {
      *round = fasp_sent_map_get_rounds (map, block);
      return block;
    }
    if (block >= map->base)
      fasp_sent_map_block (map, block)->queued = FALSE;
    fasp_heap_pop (&map->queue);
  }
  return FASP_NO_BLOCK;
}

gboolean
fasp_sent_map_wants_copy (const FaspSentMap *map, guint64 block, guint8 round)
{
  const FaspSentBlock *state;

  if (block < map->base || block >= map->next)
    return FALSE;
  state = fasp_sent_map_block (map, block);
  return !state->queued && fasp_sent_map_get_rounds (map, block) == round + 1u
      && fasp_sent_map_ask (map, block) != FASP_BLOCK_HERE;
}

gboolean
fasp_sent_map_has_all (const FaspSentMap *map, guint64 end)
{
  return end <= map->base
      || (map->from <= map->base && end <= fasp_sent_map_find_missing (map, map->base));
}

void
fasp_sent_map_advance (FaspSentMap *map, guint64 base)
{
  guint64 ignored[FASP_ROUNDS] = { 0 };

  acknowledge (map, base, ignored);
}

FaspOriginals
fasp_sent_map_get_originals (const FaspSentMap *map)
{
  return map->originals;
}

gboolean
fasp_sent_map_is_overgrown (const FaspSentMap *map)
{
  guint64 waiting = 0;

  for (guint i = 0; i < FASP_FLOWS_MAX; i++)
    if (map->flows[i] != NULL)
      waiting += map->flows[i]->next - map->flows[i]->front;
  return waiting > map->n_flows * (OVERGROWN + 4 * (map->next - map->base));
}

guint64
fasp_sent_map_get_carriers (const FaspSentMap *map, guint64 block)
{
  const FaspSentBlock *state = fasp_sent_map_block (map, block);

  if (block < map->base || block >= map->next)
    return 0;
  return FASP_BIT (state->first) | FASP_BIT (state->last);
}

gboolean
fasp_sent_map_is_sent_once (const FaspSentMap *map, guint64 block)
{
  return block >= map->base && block < map->next && fasp_sent_map_block (map, block)->rounds == 1
      && !fasp_sent_map_block (map, block)->queued;
}

guint
fasp_sent_map_get_oldest_rounds (const FaspSentMap *map)
{
  return map->base < map->next ? fasp_sent_map_block (map, map->base)->rounds : 0;
}
