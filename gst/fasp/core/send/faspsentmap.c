/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspsentmapprivate.h"
#include "faspring.h"

/* A datagram without a block only gives a round-trip time.  It is forgotten after this
 * time. */
#define FORGET_AFTER (10 * FASP_SEC)
/* Datagrams that may wait to be settled, beyond four for each block in flight:
 * enough for ten seconds of answers to pings, say. */
#define OVERGROWN 65536
/* If more than SETTLED_OF datagrams wait, those that left SETTLED_AFTER ago or earlier
 * count as settled, reported or not.  That happens in an outage of hours, in which ten
 * datagrams a second ask whether it is over. */
#define SETTLED_AFTER (60 * FASP_SEC)
#define SETTLED_OF (OVERGROWN / 2)

FaspSentMap *
fasp_sent_map_new (guint64 start)
{
  FaspSentMap *map = g_new0 (FaspSentMap, 1);

  map->base = map->next = start;
  map->block_mask = FASP_RING_FIRST_MASK;
  map->blocks = g_new0 (FaspSentBlock, map->block_mask + 1);
  map->ranges = g_array_new (FALSE, FALSE, sizeof (FaspRange));
  map->unknown = g_sequence_new (g_free);
  return map;
}

void
fasp_sent_map_free (FaspSentMap * map)
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
  g_free (map->heap);
  g_free (map->blocks);
  g_free (map);
}

void
fasp_sent_map_set_log (FaspSentMap * map, FaspLog * log)
{
  map->decisions = log;
}

/* --- blocks -------------------------------------------------------------- */

void
fasp_sent_map_add_block (FaspSentMap * map, guint64 block)
{
  map->blocks = fasp_ring_make_room (map->blocks, sizeof *map->blocks,
      &map->block_mask, map->base, block);
  *fasp_sent_map_block (map, block) = (FaspSentBlock) {
  0};
  map->next = block + 1;
}

/* --- the queue: a binary heap ------------------------------------------------ */

static void
heap_push (FaspSentMap * map, guint64 block)
{
  gsize i = map->heap_used++;

  if (map->heap_used > map->heap_size) {
    map->heap_size = MAX (64, map->heap_size * 2);
    map->heap = g_renew (guint64, map->heap, map->heap_size);
  }
  for (; i > 0 && map->heap[(i - 1) / 2] > block; i = (i - 1) / 2)
    map->heap[i] = map->heap[(i - 1) / 2];
  map->heap[i] = block;
}

void
fasp_sent_map_queue (FaspSentMap * map, guint64 block)
{
  heap_push (map, block);
  fasp_sent_map_block (map, block)->queued = TRUE;
}

static void
heap_pop (FaspSentMap * map)
{
  guint64 last = map->heap[--map->heap_used];
  gsize i = 0, child;

  while ((child = 2 * i + 1) < map->heap_used) {
    if (child + 1 < map->heap_used && map->heap[child + 1] < map->heap[child])
      child++;
    if (last <= map->heap[child])
      break;
    map->heap[i] = map->heap[child];
    i = child;
  }
  map->heap[i] = last;
}

/* --- what the newest feedback says about a block --------------------------------- */


typedef enum
{
  HERE,
  MISSING,
  UNKNOWN,
} Knowledge;

/* The first missing block at or after @block; end: none below it. */
static guint64
find_missing (const FaspSentMap * map, guint64 block)
{
  guint low = 0, high = map->ranges->len;

  while (low < high) {
    guint middle = (low + high) / 2;
    const FaspRange *range = &g_array_index (map->ranges, FaspRange, middle);

    if (block < range->start + range->length)
      high = middle;
    else
      low = middle + 1;
  }
  return low == map->ranges->len ? map->end : MAX (block,
      g_array_index (map->ranges, FaspRange, low).start);
}

static Knowledge
ask (const FaspSentMap * map, guint64 block)
{
  if (block < map->base)
    return HERE;
  if (block >= map->end)
    return map->tail ? MISSING : UNKNOWN;
  if (block < map->from)
    return UNKNOWN;
  return find_missing (map, block) == block ? MISSING : HERE;
}

gboolean
fasp_sent_map_is_here (const FaspSentMap * map, guint64 block)
{
  return ask (map, block) == HERE;
}

/* Is @block on its way to this peer by the group? */
static gboolean
is_under_way (const FaspSentMap * map, guint64 block)
{
  return map->log != NULL && fasp_group_log_is_under_way (map->log,
      block, map->group_settled);
}

/* The number of rounds in which a block has been sent, to this peer or to the group. */
static guint
get_rounds (const FaspSentMap * map, guint64 block)
{
  guint rounds = fasp_sent_map_block (map, block)->rounds;

  if (map->log != NULL) {
    rounds += fasp_group_log_get_rounds (map->log, block);
    /* a member gets the original by the group: what it gets by unicast is a retransmission */
    rounds = MAX (rounds, 1u);
  }
  return MIN (rounds, G_MAXUINT8);
}

/* --- transmissions ------------------------------------------------------------------ */

guint64
fasp_sent_map_get_pn (const FaspSentMap * map, guint8 flow)
{
  g_return_val_if_fail (flow < FASP_FLOWS_MAX, 0);
  return map->flows[flow] != NULL ? map->flows[flow]->next : 0;
}

static gboolean
has_block (const FaspTransmission * t)
{
  return t->block < FASP_PROBE;
}

/* Is there anything left to learn from the oldest transmission? */
static gboolean
is_wanted (const FaspSentMap * map, FaspTime now, const FaspSentFlow * flow)
{
  const FaspTransmission *oldest =
      fasp_sent_map_transmission (flow, flow->front);
  gboolean told = flow->front < flow->largest;

  if (!has_block (oldest) && !told)
    return now - oldest->sent < FORGET_AFTER;
  if (has_block (oldest) && oldest->block >= map->base)
    return TRUE;
  /* another flow has brought the block, but does this one carry anything?  A peer
   * that never reports it becomes overgrown in the end */
  return map->n_flows > 1 && !told;
}

/* A packet is settled, so it is no longer in flight: has its block arrived?  FALSE: not
 * known yet. */
static gboolean
settle (FaspSentMap * map, FaspTime age, guint64 block,
    FaspSentMapResult * result)
{
  FaspSentBlock *state;

  if (block >= FASP_PROBE || block < map->base)
    return TRUE;
  switch (ask (map, block)) {
    case UNKNOWN:
      return FALSE;             /* the feedback had no room for it */
    case MISSING:
      state = fasp_sent_map_block (map, block);
      result->lost++;
      result->shortest = MIN (result->shortest, age);
      if (--state->in_flight == 0 && !state->queued
          && !is_under_way (map, block))
        fasp_sent_map_queue (map, block);
      break;
    case HERE:
      fasp_sent_map_block (map, block)->in_flight--;
      break;
  }
  return TRUE;
}

static gint
compare_blocks (gconstpointer a, gconstpointer b, gpointer ignored)
{
  guint64 first = *(const guint64 *) a, second = *(const guint64 *) b;

  return (first > second) - (first < second);
}

static guint
get_index (const FaspSentMap * map, const FaspSentFlow * flow)
{
  guint i = 0;

  while (i < FASP_FLOWS_MAX - 1 && map->flows[i] != flow)
    i++;
  return i;
}

void
fasp_sent_map_settle (FaspSentMap * map, FaspTime now, FaspSentFlow * flow,
    guint64 settled, const gchar * why, FaspSentMapResult * result)
{
  for (; flow->front <= settled && flow->front < flow->next; flow->front++) {
    FaspTransmission *t = fasp_sent_map_transmission (flow, flow->front);
    guint64 lost = result->lost;
    gboolean known = settle (map, now - t->sent, t->block, result);

    if (result->lost > lost)
      FASP_LOG (map->decisions, now, PACKET_LOST, get_index (map, flow),
          flow->front, t->block, get_rounds (map, t->block) - 1,
          now - t->sent, FASP_LOG_WORD (why));
    if (!known)
      g_sequence_insert_sorted (map->unknown, g_memdup2 (&t->block,
              sizeof t->block), compare_blocks, NULL);
  }
}

/* Transmissions that need no answer any more must not pile up, even if the peer
 * acknowledges blocks but never settles a packet. */
static void
forget (FaspSentMap * map, FaspTime now, FaspSentFlow * flow)
{
  FaspSentMapResult ignored = { 0 };

  while (flow->front < flow->next) {
    if (!is_wanted (map, now, flow))
      flow->front++;
    else if (flow->next - flow->front > SETTLED_OF
        && now - fasp_sent_map_transmission (flow,
            flow->front)->sent >= SETTLED_AFTER)
      fasp_sent_map_settle (map, now, flow, flow->front, "forgotten", &ignored);
    else
      break;
  }
}

void
fasp_sent_map_sent (FaspSentMap * map, FaspTime now, guint8 index,
    guint64 block, gboolean continued)
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
  flow->ring = fasp_ring_make_room (flow->ring, sizeof *flow->ring,
      &flow->mask, flow->front, flow->next);
  *fasp_sent_map_transmission (flow, flow->next) = (FaspTransmission) {
  block, now};
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
    if (state->queued && map->heap_used > 0 && map->heap[0] == block) {
      heap_pop (map);
      state->queued = FALSE;
    }
  }
  forget (map, now, flow);
}

/* The feedback covers the blocks from @first to before @end: settles those that waited
 * for that, @left at most. */
static void
settle_range (FaspSentMap * map, FaspTime now, guint64 first, guint64 end,
    guint * left, FaspSentMapResult * result)
{
  guint64 before = first - 1;   /* the search ends behind it */
  GSequenceIter *i = first == 0 ? g_sequence_get_begin_iter (map->unknown) :
      g_sequence_search (map->unknown, &before, compare_blocks, NULL);

  while (*left > 0 && !g_sequence_iter_is_end (i)) {
    GSequenceIter *next = g_sequence_iter_next (i);
    guint64 block = *(guint64 *) g_sequence_get (i), lost = result->lost;

    if (block >= end)
      break;
    settle (map, FASP_NEVER, block, result);
    if (result->lost > lost)
      FASP_LOG (map->decisions, now, PACKET_LOST, FASP_LOG_UNKNOWN,
          FASP_LOG_UNKNOWN, block, get_rounds (map, block) - 1,
          FASP_LOG_UNKNOWN, FASP_LOG_WORD ("reported"));
    g_sequence_remove (i);
    (*left)--;
    i = next;
  }
}

/* Blocks of settled packets that no feedback has covered yet, as a long list of
 * missing blocks comes in parts.  Only the blocks that this feedback covers are
 * examined: a peer may leave thousands of others open for ever. */
static void
settle_unknown (FaspSentMap * map, FaspTime now, FaspSentMapResult * result)
{
  guint left = FASP_SENT_MAP_NEWS;

  settle_range (map, now, 0, map->base, &left, result);
  settle_range (map, now, map->from, map->end, &left, result);
  if (map->tail)
    settle_range (map, now, map->end, FASP_NO_BLOCK, &left, result);
}

static void
count_original (FaspSentMap * map, gboolean lost)
{
  map->originals.blocks++;
  map->originals.lost += lost;
  map->originals.holes += lost && !map->original_lost;
  map->original_lost = lost;
}

static void
acknowledge (FaspSentMap * map, guint64 base, guint64 * rounds)
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

/* Is @told about a group that the peer has left? */
static gboolean
is_of_past (const FaspSentMap * map, const FaspFeedbackFlow * told)
{
  return map->was_member && map->log == NULL && told->flow == FASP_GROUP_FLOW;
}

gboolean
fasp_sent_map_is_possible (const FaspSentMap * map,
    const FaspFeedback * feedback)
{
  guint64 seen = 0;             /* a bit for each flow */

  if (feedback->ack > map->next || feedback->end > map->next
      || feedback->from > feedback->end)
    return FALSE;
  for (guint i = 0; i < feedback->n_flows; i++) {
    const FaspFeedbackFlow *told = &feedback->flows[i];
    const FaspSentFlow *flow = map->flows[told->flow];
    guint64 largest;

    if (seen >> told->flow & 1)
      return FALSE;
    seen |= G_GUINT64_CONSTANT (1) << told->flow;
    if (told->received == 0 || is_of_past (map, told))
      continue;
    if (flow == NULL)
      return FALSE;
    largest = fasp_widen_given (told->largest, FASP_PN_BITS, flow->next);
    if (largest >= flow->next || told->unsettled > largest + 1)
      return FALSE;
  }
  return TRUE;
}

static guint64
widen_serial (const FaspSentMap * map, const FaspFeedback * feedback)
{
  return map->has_feedback ? fasp_widen (feedback->serial,
      FASP_SERIAL_BITS, map->serial) : feedback->serial;
}

gboolean
fasp_sent_map_is_new (const FaspSentMap * map, const FaspFeedback * feedback)
{
  return !map->has_feedback || widen_serial (map, feedback) > map->serial;
}

gboolean
fasp_sent_map_feedback (FaspSentMap * map, FaspTime now,
    const FaspFeedback * feedback, FaspSentMapResult * result)
{
  guint64 serial = widen_serial (map, feedback);

  memset (result, 0, sizeof (*result));
  result->shortest = FASP_NEVER;
  if (!fasp_sent_map_is_new (map, feedback)
      || !fasp_sent_map_is_possible (map, feedback))
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
    const FaspFeedbackFlow *told = &feedback->flows[i];

    if (is_of_past (map, told)) {
      map->past_largest = told->largest;
      map->past_received = told->received;
      continue;
    }
    if (told->received > 0)
      fasp_sent_map_told_of (map, now, told, result);
    if (map->n_flows > 1 && (map->log != NULL || !map->was_member))
      fasp_sent_map_check_flow (map, now, told->flow, result);
  }
  settle_unknown (map, now, result);
  if (map->log != NULL)
    fasp_sent_map_settle_group (map, now, feedback, result);
  return TRUE;
}

guint64
fasp_sent_map_peek (FaspSentMap * map, guint8 * round)
{
  while (map->heap_used > 0) {
    guint64 block = map->heap[0];

    /* it may have arrived late, after it was taken as lost, or be sent to the group */
    if (block >= map->base && ask (map, block) != HERE
        && !is_under_way (map, block)) {
      *round = get_rounds (map, block);
      return block;
    }
    if (block >= map->base)
      fasp_sent_map_block (map, block)->queued = FALSE;
    heap_pop (map);
  }
  return FASP_NO_BLOCK;
}

gboolean
fasp_sent_map_wants_copy (const FaspSentMap * map, guint64 block, guint8 round)
{
  const FaspSentBlock *state;

  if (block < map->base || block >= map->next)
    return FALSE;
  state = fasp_sent_map_block (map, block);
  return !state->queued && get_rounds (map, block) == round + 1u
      && ask (map, block) != HERE;
}

gboolean
fasp_sent_map_has_all (const FaspSentMap * map, guint64 end)
{
  return end <= map->base || (map->from <= map->base
      && end <= find_missing (map, map->base));
}

void
fasp_sent_map_advance (FaspSentMap * map, guint64 base)
{
  guint64 ignored[FASP_ROUNDS] = { 0 };

  acknowledge (map, base, ignored);
}

FaspOriginals
fasp_sent_map_get_originals (const FaspSentMap * map)
{
  return map->originals;
}

guint64
fasp_sent_map_get_base (const FaspSentMap * map)
{
  return map->base;
}

guint64
fasp_sent_map_get_next (const FaspSentMap * map)
{
  return map->next;
}

gboolean
fasp_sent_map_is_overgrown (const FaspSentMap * map)
{
  guint64 waiting = 0;

  for (guint i = 0; i < FASP_FLOWS_MAX; i++)
    if (map->flows[i] != NULL)
      waiting += map->flows[i]->next - map->flows[i]->front;
  return waiting > map->n_flows * (OVERGROWN + 4 * (map->next - map->base));
}

guint64
fasp_sent_map_get_carriers (const FaspSentMap * map, guint64 block)
{
  const FaspSentBlock *state = fasp_sent_map_block (map, block);

  if (block < map->base || block >= map->next)
    return 0;
  return G_GUINT64_CONSTANT (1) << state->first |
      G_GUINT64_CONSTANT (1) << state->last;
}

gboolean
fasp_sent_map_is_sent_once (const FaspSentMap * map, guint64 block)
{
  return block >= map->base && block < map->next
      && fasp_sent_map_block (map, block)->rounds == 1
      && !fasp_sent_map_block (map, block)->queued;
}

guint
fasp_sent_map_get_oldest_rounds (const FaspSentMap * map)
{
  return map->base < map->next ?
      fasp_sent_map_block (map, map->base)->rounds : 0;
}
