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

FaspRepair *
fasp_repair_new (guint64 start)
{
  FaspRepair *repair = g_new0 (FaspRepair, 1);

  repair->base = repair->next = start;
  repair->block_mask = FASP_RING_FIRST_MASK;
  repair->blocks = g_new0 (FaspSentBlock, repair->block_mask + 1);
  repair->ranges = g_array_new (FALSE, FALSE, sizeof (FaspRange));
  repair->unknown = g_sequence_new (g_free);
  return repair;
}

void
fasp_repair_free (FaspRepair * repair)
{
  if (repair == NULL)
    return;
  for (guint i = 0; i < FASP_FLOWS_MAX; i++) {
    if (repair->flows[i] != NULL)
      g_free (repair->flows[i]->ring);
    g_free (repair->flows[i]);
  }
  g_sequence_free (repair->unknown);
  g_array_unref (repair->ranges);
  g_free (repair->heap);
  g_free (repair->blocks);
  g_free (repair);
}

void
fasp_repair_set_log (FaspRepair * repair, FaspLog * log)
{
  repair->decisions = log;
}

/* --- blocks -------------------------------------------------------------- */

void
fasp_repair_add_block (FaspRepair * repair, guint64 block)
{
  repair->blocks = fasp_ring_make_room (repair->blocks, sizeof *repair->blocks,
      &repair->block_mask, repair->base, block);
  *fasp_repair_block (repair, block) = (FaspSentBlock) {
  0};
  repair->next = block + 1;
}

/* --- the queue: a binary heap ------------------------------------------------ */

static void
heap_push (FaspRepair * repair, guint64 block)
{
  gsize i = repair->heap_used++;

  if (repair->heap_used > repair->heap_size) {
    repair->heap_size = MAX (64, repair->heap_size * 2);
    repair->heap = g_renew (guint64, repair->heap, repair->heap_size);
  }
  for (; i > 0 && repair->heap[(i - 1) / 2] > block; i = (i - 1) / 2)
    repair->heap[i] = repair->heap[(i - 1) / 2];
  repair->heap[i] = block;
}

void
fasp_repair_queue (FaspRepair * repair, guint64 block)
{
  heap_push (repair, block);
  fasp_repair_block (repair, block)->queued = TRUE;
}

static void
heap_pop (FaspRepair * repair)
{
  guint64 last = repair->heap[--repair->heap_used];
  gsize i = 0, child;

  while ((child = 2 * i + 1) < repair->heap_used) {
    if (child + 1 < repair->heap_used
        && repair->heap[child + 1] < repair->heap[child])
      child++;
    if (last <= repair->heap[child])
      break;
    repair->heap[i] = repair->heap[child];
    i = child;
  }
  repair->heap[i] = last;
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
find_missing (const FaspRepair * repair, guint64 block)
{
  guint low = 0, high = repair->ranges->len;

  while (low < high) {
    guint middle = (low + high) / 2;
    const FaspRange *range = &g_array_index (repair->ranges, FaspRange, middle);

    if (block < range->start + range->length)
      high = middle;
    else
      low = middle + 1;
  }
  return low == repair->ranges->len ? repair->end : MAX (block,
      g_array_index (repair->ranges, FaspRange, low).start);
}

static Knowledge
ask (const FaspRepair * repair, guint64 block)
{
  if (block < repair->base)
    return HERE;
  if (block >= repair->end)
    return repair->tail ? MISSING : UNKNOWN;
  if (block < repair->from)
    return UNKNOWN;
  return find_missing (repair, block) == block ? MISSING : HERE;
}

gboolean
fasp_repair_is_here (const FaspRepair * repair, guint64 block)
{
  return ask (repair, block) == HERE;
}

/* Is @block on its way to this peer by the group? */
static gboolean
is_under_way (const FaspRepair * repair, guint64 block)
{
  return repair->log != NULL && fasp_group_log_is_under_way (repair->log,
      block, repair->group_settled);
}

/* The number of rounds in which a block has been sent, to this peer or to the group. */
static guint
get_rounds (const FaspRepair * repair, guint64 block)
{
  guint rounds = fasp_repair_block (repair, block)->rounds;

  if (repair->log != NULL) {
    rounds += fasp_group_log_get_rounds (repair->log, block);
    /* a member gets the original by the group: what it gets by unicast is a rex */
    rounds = MAX (rounds, 1u);
  }
  return MIN (rounds, G_MAXUINT8);
}

/* --- transmissions ------------------------------------------------------------------ */

guint64
fasp_repair_get_pn (const FaspRepair * repair, guint8 flow)
{
  g_return_val_if_fail (flow < FASP_FLOWS_MAX, 0);
  return repair->flows[flow] != NULL ? repair->flows[flow]->next : 0;
}

static gboolean
has_block (const FaspTransmission * t)
{
  return t->block < FASP_PROBE;
}

/* Is there anything left to learn from the oldest transmission? */
static gboolean
is_wanted (const FaspRepair * repair, FaspTime now, const FaspSentFlow * flow)
{
  const FaspTransmission *oldest = fasp_repair_transmission (flow, flow->front);
  gboolean told = flow->front < flow->largest;

  if (!has_block (oldest) && !told)
    return now - oldest->sent < FORGET_AFTER;
  if (has_block (oldest) && oldest->block >= repair->base)
    return TRUE;
  /* another flow has brought the block, but does this one carry anything?  A peer
   * that never reports it becomes overgrown in the end */
  return repair->n_flows > 1 && !told;
}

/* A packet is settled, so it is no longer in flight: has its block arrived?  FALSE: not
 * known yet. */
static gboolean
settle (FaspRepair * repair, FaspTime age, guint64 block,
    FaspRepairResult * result)
{
  FaspSentBlock *state;

  if (block >= FASP_PROBE || block < repair->base)
    return TRUE;
  switch (ask (repair, block)) {
    case UNKNOWN:
      return FALSE;             /* the feedback had no room for it */
    case MISSING:
      state = fasp_repair_block (repair, block);
      result->lost++;
      result->shortest = MIN (result->shortest, age);
      if (--state->in_flight == 0 && !state->queued
          && !is_under_way (repair, block))
        fasp_repair_queue (repair, block);
      break;
    case HERE:
      fasp_repair_block (repair, block)->in_flight--;
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
get_index (const FaspRepair * repair, const FaspSentFlow * flow)
{
  guint i = 0;

  while (i < FASP_FLOWS_MAX - 1 && repair->flows[i] != flow)
    i++;
  return i;
}

void
fasp_repair_settle (FaspRepair * repair, FaspTime now, FaspSentFlow * flow,
    guint64 settled, const gchar * why, FaspRepairResult * result)
{
  for (; flow->front <= settled && flow->front < flow->next; flow->front++) {
    FaspTransmission *t = fasp_repair_transmission (flow, flow->front);
    guint64 lost = result->lost;
    gboolean known = settle (repair, now - t->sent, t->block, result);

    if (result->lost > lost)
      FASP_LOG (repair->decisions, now, PACKET_LOST, get_index (repair, flow),
          flow->front, t->block, get_rounds (repair, t->block) - 1,
          now - t->sent, FASP_LOG_WORD (why));
    if (!known)
      g_sequence_insert_sorted (repair->unknown, g_memdup2 (&t->block,
              sizeof t->block), compare_blocks, NULL);
  }
}

/* Transmissions that need no answer any more must not pile up, even if the peer
 * acknowledges blocks but never settles a packet. */
static void
forget (FaspRepair * repair, FaspTime now, FaspSentFlow * flow)
{
  FaspRepairResult ignored = { 0 };

  while (flow->front < flow->next) {
    if (!is_wanted (repair, now, flow))
      flow->front++;
    else if (flow->next - flow->front > SETTLED_OF
        && now - fasp_repair_transmission (flow,
            flow->front)->sent >= SETTLED_AFTER)
      fasp_repair_settle (repair, now, flow, flow->front, "forgotten",
          &ignored);
    else
      break;
  }
}

void
fasp_repair_sent (FaspRepair * repair, FaspTime now, guint8 index,
    guint64 block, gboolean continued)
{
  FaspSentFlow *flow;

  g_return_if_fail (index < FASP_FLOWS_MAX);
  flow = repair->flows[index];
  if (flow == NULL) {
    flow = repair->flows[index] = g_new0 (FaspSentFlow, 1);
    repair->n_flows++;
    fasp_rtt_init (&flow->rtt);
    flow->mask = FASP_RING_FIRST_MASK;
    flow->ring = g_new (FaspTransmission, flow->mask + 1);
  }
  flow->ring = fasp_ring_make_room (flow->ring, sizeof *flow->ring,
      &flow->mask, flow->front, flow->next);
  *fasp_repair_transmission (flow, flow->next) = (FaspTransmission) {
  block, now};
  flow->next++;

  if (block < FASP_PROBE) {
    FaspSentBlock *state;

    g_return_if_fail (block >= repair->base && block <= repair->next);
    if (block == repair->next) {
      fasp_repair_add_block (repair, block);
      fasp_repair_block (repair, block)->first = index;
    }
    state = fasp_repair_block (repair, block);
    state->last = index;
    state->in_flight++;
    if (!continued && state->rounds < G_MAXUINT8)
      state->rounds++;
    if (state->queued && repair->heap_used > 0 && repair->heap[0] == block) {
      heap_pop (repair);
      state->queued = FALSE;
    }
  }
  forget (repair, now, flow);
}

/* The feedback covers the blocks from @first to before @end: settles those that waited
 * for that, @left at most. */
static void
settle_range (FaspRepair * repair, FaspTime now, guint64 first, guint64 end,
    guint * left, FaspRepairResult * result)
{
  guint64 before = first - 1;   /* the search ends behind it */
  GSequenceIter *i = first == 0 ? g_sequence_get_begin_iter (repair->unknown) :
      g_sequence_search (repair->unknown, &before, compare_blocks, NULL);

  while (*left > 0 && !g_sequence_iter_is_end (i)) {
    GSequenceIter *next = g_sequence_iter_next (i);
    guint64 block = *(guint64 *) g_sequence_get (i), lost = result->lost;

    if (block >= end)
      break;
    settle (repair, FASP_NEVER, block, result);
    if (result->lost > lost)
      FASP_LOG (repair->decisions, now, PACKET_LOST, FASP_LOG_UNKNOWN,
          FASP_LOG_UNKNOWN, block, get_rounds (repair, block) - 1,
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
settle_unknown (FaspRepair * repair, FaspTime now, FaspRepairResult * result)
{
  guint left = FASP_REPAIR_NEWS;

  settle_range (repair, now, 0, repair->base, &left, result);
  settle_range (repair, now, repair->from, repair->end, &left, result);
  if (repair->tail)
    settle_range (repair, now, repair->end, FASP_NO_BLOCK, &left, result);
}

static void
count_original (FaspRepair * repair, gboolean lost)
{
  repair->originals.blocks++;
  repair->originals.lost += lost;
  repair->originals.holes += lost && !repair->original_lost;
  repair->original_lost = lost;
}

static void
acknowledge (FaspRepair * repair, guint64 base, guint64 * rounds)
{
  for (; repair->base < base && repair->base < repair->next; repair->base++) {
    const FaspSentBlock *state = fasp_repair_block (repair, repair->base);
    guint n = state->rounds + (repair->log != NULL);

    rounds[CLAMP (n, 1, FASP_ROUNDS) - 1]++;
    count_original (repair, n > 1 || state->queued);
  }
  repair->base = MAX (repair->base, base);
  repair->next = MAX (repair->next, base);
}

/* Is @told about a group that the peer has left? */
static gboolean
is_of_past (const FaspRepair * repair, const FaspFeedbackFlow * told)
{
  return repair->was_member && repair->log == NULL
      && told->flow == FASP_GROUP_FLOW;
}

gboolean
fasp_repair_is_possible (const FaspRepair * repair,
    const FaspFeedback * feedback)
{
  guint64 seen = 0;             /* a bit for each flow */

  if (feedback->ack > repair->next || feedback->end > repair->next
      || feedback->from > feedback->end)
    return FALSE;
  for (guint i = 0; i < feedback->n_flows; i++) {
    const FaspFeedbackFlow *told = &feedback->flows[i];
    const FaspSentFlow *flow = repair->flows[told->flow];
    guint64 largest;

    if (seen >> told->flow & 1)
      return FALSE;
    seen |= G_GUINT64_CONSTANT (1) << told->flow;
    if (told->received == 0 || is_of_past (repair, told))
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
widen_serial (const FaspRepair * repair, const FaspFeedback * feedback)
{
  return repair->has_feedback ? fasp_widen (feedback->serial,
      FASP_SERIAL_BITS, repair->serial) : feedback->serial;
}

gboolean
fasp_repair_is_new (const FaspRepair * repair, const FaspFeedback * feedback)
{
  return !repair->has_feedback
      || widen_serial (repair, feedback) > repair->serial;
}

gboolean
fasp_repair_feedback (FaspRepair * repair, FaspTime now,
    const FaspFeedback * feedback, FaspRepairResult * result)
{
  guint64 serial = widen_serial (repair, feedback);

  memset (result, 0, sizeof (*result));
  result->shortest = FASP_NEVER;
  if (!fasp_repair_is_new (repair, feedback)
      || !fasp_repair_is_possible (repair, feedback))
    return FALSE;
  repair->has_feedback = TRUE;
  repair->serial = serial;
  repair->from = feedback->from;
  repair->end = feedback->end;
  repair->tail = feedback->tail;
  g_array_set_size (repair->ranges, 0);
  g_array_append_vals (repair->ranges, feedback->ranges, feedback->n_ranges);

  acknowledge (repair, feedback->ack, result->rounds);
  for (guint i = 0; i < feedback->n_flows; i++) {
    const FaspFeedbackFlow *told = &feedback->flows[i];

    if (is_of_past (repair, told)) {
      repair->past_largest = told->largest;
      repair->past_received = told->received;
      continue;
    }
    if (told->received > 0)
      fasp_repair_told_of (repair, now, told, result);
    if (repair->n_flows > 1 && (repair->log != NULL || !repair->was_member))
      fasp_repair_check_flow (repair, now, told->flow, result);
  }
  settle_unknown (repair, now, result);
  if (repair->log != NULL)
    fasp_repair_settle_group (repair, now, feedback, result);
  return TRUE;
}

guint64
fasp_repair_peek (FaspRepair * repair, guint8 * round)
{
  while (repair->heap_used > 0) {
    guint64 block = repair->heap[0];

    /* it may have arrived late, after it was taken as lost, or be sent to the group */
    if (block >= repair->base && ask (repair, block) != HERE
        && !is_under_way (repair, block)) {
      *round = get_rounds (repair, block);
      return block;
    }
    if (block >= repair->base)
      fasp_repair_block (repair, block)->queued = FALSE;
    heap_pop (repair);
  }
  return FASP_NO_BLOCK;
}

gboolean
fasp_repair_wants_copy (const FaspRepair * repair, guint64 block, guint8 round)
{
  const FaspSentBlock *state;

  if (block < repair->base || block >= repair->next)
    return FALSE;
  state = fasp_repair_block (repair, block);
  return !state->queued && get_rounds (repair, block) == round + 1u
      && ask (repair, block) != HERE;
}

gboolean
fasp_repair_has_all (const FaspRepair * repair, guint64 end)
{
  return end <= repair->base || (repair->from <= repair->base
      && end <= find_missing (repair, repair->base));
}

void
fasp_repair_advance (FaspRepair * repair, guint64 base)
{
  guint64 ignored[FASP_ROUNDS] = { 0 };

  acknowledge (repair, base, ignored);
}

FaspOriginals
fasp_repair_get_originals (const FaspRepair * repair)
{
  return repair->originals;
}

guint64
fasp_repair_get_base (const FaspRepair * repair)
{
  return repair->base;
}

guint64
fasp_repair_get_next (const FaspRepair * repair)
{
  return repair->next;
}

gboolean
fasp_repair_is_overgrown (const FaspRepair * repair)
{
  guint64 waiting = 0;

  for (guint i = 0; i < FASP_FLOWS_MAX; i++)
    if (repair->flows[i] != NULL)
      waiting += repair->flows[i]->next - repair->flows[i]->front;
  return waiting > repair->n_flows * (OVERGROWN +
      4 * (repair->next - repair->base));
}

guint64
fasp_repair_get_carriers (const FaspRepair * repair, guint64 block)
{
  const FaspSentBlock *state = fasp_repair_block (repair, block);

  if (block < repair->base || block >= repair->next)
    return 0;
  return G_GUINT64_CONSTANT (1) << state->first |
      G_GUINT64_CONSTANT (1) << state->last;
}

gboolean
fasp_repair_is_sent_once (const FaspRepair * repair, guint64 block)
{
  return block >= repair->base && block < repair->next
      && fasp_repair_block (repair, block)->rounds == 1
      && !fasp_repair_block (repair, block)->queued;
}

guint
fasp_repair_get_oldest_rounds (const FaspRepair * repair)
{
  return repair->base < repair->next ?
      fasp_repair_block (repair, repair->base)->rounds : 0;
}
