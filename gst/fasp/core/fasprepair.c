/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "fasprepair.h"
#include "faspring.h"

/* A datagram without a block is of interest for its time only, so long. */
#define FORGET_AFTER (10 * FASP_SEC)
/* Blocks that one feedback is asked about, at most, besides those whose packets it
 * settles. */
#define NEWS_AT_ONCE 4096
/* Datagrams that may wait for being settled, beyond four for each block in
 * flight: ten seconds of answers to pings, say. */
#define OVERGROWN 65536
/* What left so long ago is there or lost, told of or not: that is enough to know where so many wait, as
 * in hours of an outage, in which ten a second ask whether it is over. */
#define SETTLED_AFTER (60 * FASP_SEC)
#define SETTLED_OF (OVERGROWN / 2)
/* A flow that nothing was ever told of has so long. */
#define UNMEASURED_DUE FASP_SEC
/* Losses in a row that are rarer than that are no chance, */
#define NO_CHANCE 1e-4
/* on a flow that loses at least so much. */
#define LOSS_LEAST .001
#define LOSS_MOST .9
/* The loss of a flow is that of so many datagrams. */
#define LOSS_OVER 256.

typedef struct
{
  guint64 block;                /* FASP_NO_BLOCK, FASP_PROBE: none */
  FaspTime sent;
} Transmission;

/* Transmissions [front, next) of one flow, by packet number. */
typedef struct
{
  Transmission *ring;
  guint64 mask, front, next;
  guint64 base;                 /* of a group: the first that counts */
  guint64 largest;              /* newest the peer told of, + 1 */
  guint64 received, holes;      /* by then */
  FaspTime given_up;            /* when the newest one left that was taken as
                                   lost before it was told of */
  FaspRtt rtt;
  gdouble loss;                 /* of late */
  guint silent;                 /* lost since anything was told of */
} Flow;

typedef struct
{
  guint16 in_flight;            /* transmissions neither delivered nor lost */
  guint8 rounds;                /* the original's included, saturating */
  guint8 queued;
  guint8 first, last;           /* flows that it left on */
  guint8 asked;                 /* faspgrouplog.h */
} BlockState;

struct _FaspRepair
{
  Flow *flows[FASP_FLOWS_MAX];
  guint n_flows;                /* in use so far */
  BlockState *blocks;           /* [base, next), block n at n & block_mask */
  guint64 block_mask, base, next;
  guint64 *heap;                /* queued blocks, smallest first */
  gsize heap_used, heap_size;
  /* the newest feedback, to ask again when a queued block's turn comes */
  guint64 serial;
  gboolean has_feedback;
  guint64 from, end;
  gboolean tail;
  GArray *ranges;
  GSequence *unknown;           /* guint64 of settled packets, not spoken of yet */
  gboolean was_member;
  FaspGroupLog *log;            /* of the group that new blocks go to; NULL: none */
  FaspTime group_progress;      /* when more of it was told of, last */
  guint32 past_largest;         /* told of the one that it has left, low bits, */
  guint64 past_received;        /* and of so many; 0: of nothing */
  guint64 group_told;           /* the newest of its packets told of, and */
  guint64 group_settled;        /* settled, + 1 */
};

FaspRepair *
fasp_repair_new (guint64 start)
{
  FaspRepair *repair = g_new0 (FaspRepair, 1);

  repair->base = repair->next = start;
  repair->block_mask = FASP_RING_FIRST_MASK;
  repair->blocks = g_new0 (BlockState, repair->block_mask + 1);
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

/* --- blocks -------------------------------------------------------------- */

static inline BlockState *
block_state (const FaspRepair * repair, guint64 block)
{
  return &repair->blocks[block & repair->block_mask];
}

static void
add_block (FaspRepair * repair, guint64 block)
{
  repair->blocks = fasp_ring_make_room (repair->blocks, sizeof *repair->blocks,
      &repair->block_mask, repair->base, block);
  *block_state (repair, block) = (BlockState) {
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

/* --- what the newest feedback says of a block ------------------------------------ */

typedef enum
{
  HERE,
  MISSING,
  UNKNOWN,
} Knowledge;

/* The first at or after @block that is missing, of those below end. */
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

/* Is @block on its way to this peer with all others? */
static gboolean
is_under_way (const FaspRepair * repair, guint64 block)
{
  return repair->log != NULL && fasp_group_log_is_under_way (repair->log,
      block, repair->group_settled);
}

/* Rounds that a block has been sent in, to this peer or to all. */
static guint
get_rounds (const FaspRepair * repair, guint64 block)
{
  guint rounds = block_state (repair, block)->rounds;

  if (repair->log != NULL) {
    rounds += fasp_group_log_get_rounds (repair->log, block);
    /* what comes by itself to a member is not the original: that is the group's */
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

static inline Transmission *
transmission (const Flow * flow, guint64 pn)
{
  return &flow->ring[pn & flow->mask];
}

static gboolean
has_block (const Transmission * t)
{
  return t->block < FASP_PROBE;
}

/* Is anything to be learnt from the oldest transmission? */
static gboolean
is_wanted (const FaspRepair * repair, FaspTime now, const Flow * flow)
{
  const Transmission *oldest = transmission (flow, flow->front);
  gboolean told = flow->front < flow->largest;

  if (!has_block (oldest) && !told)
    return now - oldest->sent < FORGET_AFTER;
  if (has_block (oldest) && oldest->block >= repair->base)
    return TRUE;
  /* whether its flow carries anything, although another has brought the block;
   * a peer that never tells is overgrown in the end */
  return repair->n_flows > 1 && !told;
}

/* A settled packet is no longer in flight: is its block there? FALSE: not
 * known yet. */
static gboolean
settle (FaspRepair * repair, FaspTime age, guint64 block,
    FaspRepairResult * result)
{
  BlockState *state;

  if (block >= FASP_PROBE || block < repair->base)
    return TRUE;
  switch (ask (repair, block)) {
    case UNKNOWN:
      return FALSE;             /* the feedback had no room to say */
    case MISSING:
      state = block_state (repair, block);
      result->lost++;
      result->shortest = MIN (result->shortest, age);
      if (--state->in_flight == 0 && !state->queued
          && !is_under_way (repair, block)) {
        heap_push (repair, block);
        state->queued = TRUE;
      }
      break;
    case HERE:
      block_state (repair, block)->in_flight--;
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

static void
settle_flow (FaspRepair * repair, FaspTime now, Flow * flow, guint64 settled,
    FaspRepairResult * result)
{
  for (; flow->front <= settled && flow->front < flow->next; flow->front++) {
    Transmission *t = transmission (flow, flow->front);

    if (!settle (repair, now - t->sent, t->block, result))
      g_sequence_insert_sorted (repair->unknown, g_memdup2 (&t->block,
              sizeof t->block), compare_blocks, NULL);
  }
}

/* What needs no answer any more must not pile up, even when the peer
 * acknowledges blocks but never settles a packet. */
static void
forget (FaspRepair * repair, FaspTime now, Flow * flow)
{
  FaspRepairResult ignored = { 0 };

  while (flow->front < flow->next) {
    if (!is_wanted (repair, now, flow))
      flow->front++;
    else if (flow->next - flow->front > SETTLED_OF
        && now - transmission (flow, flow->front)->sent >= SETTLED_AFTER)
      settle_flow (repair, now, flow, flow->front, &ignored);
    else
      break;
  }
}

void
fasp_repair_sent (FaspRepair * repair, FaspTime now, guint8 index,
    guint64 block, gboolean continued)
{
  Flow *flow;

  g_return_if_fail (index < FASP_FLOWS_MAX);
  flow = repair->flows[index];
  if (flow == NULL) {
    flow = repair->flows[index] = g_new0 (Flow, 1);
    repair->n_flows++;
    fasp_rtt_init (&flow->rtt);
    flow->mask = FASP_RING_FIRST_MASK;
    flow->ring = g_new (Transmission, flow->mask + 1);
  }
  flow->ring = fasp_ring_make_room (flow->ring, sizeof *flow->ring,
      &flow->mask, flow->front, flow->next);
  *transmission (flow, flow->next) = (Transmission) {
  block, now};
  flow->next++;

  if (block < FASP_PROBE) {
    BlockState *state;

    g_return_if_fail (block >= repair->base && block <= repair->next);
    if (block == repair->next) {
      add_block (repair, block);
      block_state (repair, block)->first = index;
    }
    state = block_state (repair, block);
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

/* Those from @first to before @end are spoken of now. */
static void
settle_range (FaspRepair * repair, guint64 first, guint64 end, guint * left,
    FaspRepairResult * result)
{
  guint64 before = first - 1;   /* a search ends behind it */
  GSequenceIter *i = first == 0 ? g_sequence_get_begin_iter (repair->unknown) :
      g_sequence_search (repair->unknown, &before, compare_blocks, NULL);

  while (*left > 0 && !g_sequence_iter_is_end (i)) {
    GSequenceIter *next = g_sequence_iter_next (i);
    guint64 block = *(guint64 *) g_sequence_get (i);

    if (block >= end)
      break;
    settle (repair, FASP_NEVER, block, result);
    g_sequence_remove (i);
    (*left)--;
    i = next;
  }
}

/* Blocks of settled packets that no feedback has spoken of yet: a long list
 * of missing ones comes in parts.  No feedback looks at those that it does not speak
 * of: a peer may leave thousands open for ever. */
static void
settle_unknown (FaspRepair * repair, FaspRepairResult * result)
{
  guint left = NEWS_AT_ONCE;

  settle_range (repair, 0, repair->base, &left, result);
  settle_range (repair, repair->from, repair->end, &left, result);
  if (repair->tail)
    settle_range (repair, repair->end, FASP_NO_BLOCK, &left, result);
}

static void
acknowledge (FaspRepair * repair, guint64 base, guint64 * rounds)
{
  for (; repair->base < base && repair->base < repair->next; repair->base++) {
    guint n = block_state (repair, repair->base)->rounds +
        (repair->log != NULL);

    rounds[CLAMP (n, 1, FASP_ROUNDS) - 1]++;
  }
  repair->base = MAX (repair->base, base);
  repair->next = MAX (repair->next, base);
}

/* Of a group that it is a member of no more. */
static gboolean
is_of_past (const FaspRepair * repair, const FaspFeedbackFlow * told)
{
  return repair->was_member && repair->log == NULL
      && told->flow == FASP_GROUP_FLOW;
}

static gboolean
is_plausible (const FaspRepair * repair, const FaspFeedback * feedback)
{
  guint64 seen = 0;             /* a bit for each flow */

  if (feedback->ack > repair->next || feedback->end > repair->next
      || feedback->from > feedback->end)
    return FALSE;
  for (guint i = 0; i < feedback->n_flows; i++) {
    const FaspFeedbackFlow *told = &feedback->flows[i];
    const Flow *flow = repair->flows[told->flow];
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

/* --- flows that check on each other ------------------------------------------------ */

/* All before @end is lost, though nothing was told of it. */
static void
give_up (FaspRepair * repair, FaspTime now, Flow * flow, guint64 end,
    FaspRepairResult * result)
{
  if (end <= flow->front)
    return;
  flow->given_up = transmission (flow, end - 1)->sent;
  settle_flow (repair, now, flow, end - 1, result);
}

/* What should have been told of by now is lost. */
static void
settle_overdue (FaspRepair * repair, FaspTime now, Flow * flow,
    FaspRepairResult * result)
{
  FaspTime due = now - (flow->rtt.measured ? flow->rtt.smoothed +
      MAX (FASP_FLOW_PATIENCE, 4 * flow->rtt.jitter) : UNMEASURED_DUE);
  guint64 end = flow->front;

  /* of what came, and of holes before it, the peer tells by itself */
  if (flow->front < flow->largest)
    return;
  for (; end < flow->next && transmission (flow, end)->sent <= due; end++)
    flow->silent += transmission (flow, end)->block != FASP_PROBE;
  give_up (repair, now, flow, end, result);
}

static gboolean
is_dead (const Flow * flow)
{
  return pow (CLAMP (flow->loss, LOSS_LEAST, LOSS_MOST), flow->silent) <
      NO_CHANCE;
}

static void
check_flow (FaspRepair * repair, FaspTime now, guint8 index,
    FaspRepairResult * result)
{
  Flow *flow = repair->flows[index];

  if (flow == NULL || flow->front == flow->next)
    return;
  settle_overdue (repair, now, flow, result);
  /* the group does not take the place of a member's own flow */
  if (flow->silent == 0 || repair->log != NULL || !is_dead (flow))
    return;
  give_up (repair, now, flow, flow->next, result);
  flow->silent = 0;
  result->dead |= G_GUINT64_CONSTANT (1) << index;
}

/* Of one that left at @sent.  @longer: only if it is longer than thought. */
static void
note_rtt (Flow * flow, FaspTime now, FaspTime sent,
    const FaspFeedbackFlow * told, gboolean longer, FaspRepairResult * result)
{
  FaspTime rtt = now - sent;
  FaspTime delay = MIN (told->delay, (guint64) rtt);

  if (longer && rtt - delay <= flow->rtt.smoothed)
    return;
  fasp_rtt_sample (&flow->rtt, rtt, delay);
  if (rtt - delay >= result->rtt - result->ack_delay) {
    result->rtt = rtt;
    result->ack_delay = delay;
  }
}

/* Of the packets up to @largest, which left at @sent; 0: not known. */
static void
note_told (Flow * flow, FaspTime now, const FaspFeedbackFlow * told,
    guint64 largest, FaspTime sent, FaspRepairResult * result)
{
  if (largest + 1 > flow->largest) {
    gdouble n = largest + 1 - flow->largest;
    gdouble here = MIN (n, told->received - MIN (told->received,
            flow->received));

    flow->loss += (1 - here / n - flow->loss) * MIN (1, n / LOSS_OVER);
    flow->largest = largest + 1;
    flow->silent = 0;
    if (sent > 0)
      note_rtt (flow, now, sent, told, FALSE, result);
    else if (flow->given_up > 0)
      /* taken as lost, and here after all: it left then or before, the way is at
       * least so long.  Else everything would be sent twice from now on. */
      note_rtt (flow, now, flow->given_up, told, TRUE, result);
  }
  flow->received = MAX (flow->received, told->received);
  flow->holes = told->holes;
}

/* The peer tells of a flow. */
static void
told_of (FaspRepair * repair, FaspTime now, const FaspFeedbackFlow * told,
    FaspRepairResult * result)
{
  Flow *flow = repair->flows[told->flow];
  guint64 largest = fasp_widen_given (told->largest, FASP_PN_BITS, flow->next);

  if (repair->log != NULL && told->flow == FASP_GROUP_FLOW) {
    if (flow->received == 0)    /* what was before is not lost */
      flow->base = flow->largest = largest + 1 - MIN (told->received,
          largest + 1);
    note_told (flow, now, told, largest, fasp_group_log_get_time (repair->log,
            largest), result);
    if (largest >= repair->group_told) {
      repair->group_told = largest + 1;
      repair->group_progress = now;
    }
    if (told->unsettled <= largest)
      repair->group_settled = MAX (repair->group_settled, largest -
          told->unsettled + 1);
    return;
  }
  note_told (flow, now, told, largest, largest >= flow->front ?
      transmission (flow, largest)->sent : 0, result);
  /* one more than largest: nothing is settled yet */
  if (told->unsettled <= largest)
    settle_flow (repair, now, flow, largest - told->unsettled, result);
}

/* --- a group ------------------------------------------------------------------------ */

/* A block that the peer lacks and has room for: has all that carried it been settled? */
static void
look_at_missing (FaspRepair * repair, FaspTime now, guint64 block,
    FaspRepairResult * result)
{
  BlockState *state = block_state (repair, block);

  if (state->queued || state->in_flight > 0
      || !fasp_group_log_ask (repair->log, now, repair, block,
          repair->group_settled, &state->asked))
    return;
  result->lost++;
  heap_push (repair, block);
  state->queued = TRUE;
}

static void
settle_group (FaspRepair * repair, FaspTime now, const FaspFeedback * feedback,
    FaspRepairResult * result)
{
  /* each block is a unit at least */
  guint64 limit = MIN (repair->next, feedback->ack + feedback->window);
  guint left = NEWS_AT_ONCE;

  for (guint i = 0; i < feedback->n_ranges && left > 0; i++) {
    const FaspRange *range = &feedback->ranges[i];
    guint64 end = MIN (range->start + range->length, limit);

    for (guint64 block = MAX (range->start, repair->base); block < end
        && left > 0; block++, left--)
      look_at_missing (repair, now, block, result);
  }
  if (!feedback->tail)
    return;
  for (guint64 block = MAX (feedback->end, repair->base); block < limit
      && left > 0 && fasp_group_log_get_first (repair->log, block) <
      repair->group_settled; block++, left--)
    look_at_missing (repair, now, block, result);
}

void
fasp_repair_join (FaspRepair * repair, FaspTime now, FaspGroupLog * log)
{
  Flow *flow = repair->flows[FASP_GROUP_FLOW];
  guint64 next = fasp_group_log_get_pn (log), pn, received;

  if (flow == NULL) {
    flow = repair->flows[FASP_GROUP_FLOW] = g_new0 (Flow, 1);
    fasp_rtt_init (&flow->rtt);
    flow->base = flow->largest = next;
    repair->n_flows++;
  } else if (fasp_repair_get_past (repair, log, &pn, &received)
      && pn >= flow->largest && received >= flow->received) {
    guint64 sent = pn + 1 - flow->largest;

    /* what was lost meanwhile was not for it */
    flow->base += sent - MIN (sent, received - flow->received);
    flow->largest = pn + 1;
    flow->received = received;
  }
  flow->next = next;
  repair->log = log;
  repair->was_member = TRUE;
  repair->group_told = flow->next;
  repair->group_progress = now;
  fasp_repair_follow (repair);
}

guint64
fasp_repair_follow (FaspRepair * repair)
{
  Flow *flow = repair->flows[FASP_GROUP_FLOW];
  guint64 next = fasp_group_log_get_next (repair->log);

  while (repair->next < next)
    add_block (repair, repair->next);
  flow->front = flow->next = fasp_group_log_get_pn (repair->log);
  return repair->next;
}

void
fasp_repair_leave (FaspRepair * repair)
{
  fasp_repair_follow (repair);
  repair->log = NULL;
  repair->past_received = 0;
  for (guint64 block = repair->base; block < repair->next; block++) {
    BlockState *state = block_state (repair, block);

    if (state->queued || state->in_flight > 0 || ask (repair, block) == HERE)
      continue;
    heap_push (repair, block);
    state->queued = TRUE;
  }
}

gboolean
fasp_repair_get_past (const FaspRepair * repair, const FaspGroupLog * log,
    guint64 * pn, guint64 * received)
{
  guint64 next = fasp_group_log_get_pn (log);

  if (repair->log != NULL || repair->past_received == 0 || next == 0)
    return FALSE;
  *pn = fasp_widen_given (repair->past_largest, FASP_PN_BITS, next);
  *received = repair->past_received;
  return *pn < next;
}

void
fasp_repair_overtaken (FaspRepair * repair, guint64 to)
{
  while (repair->next < to) {
    guint64 block = repair->next;

    add_block (repair, block);
    heap_push (repair, block);
    block_state (repair, block)->queued = TRUE;
  }
}

FaspTime
fasp_repair_get_unheard (const FaspRepair * repair)
{
  FaspTime sent;

  if (repair->group_told == fasp_group_log_get_pn (repair->log))
    return FASP_NEVER;
  sent = fasp_group_log_get_time (repair->log, repair->group_told);
  /* 0: so many packets ago that it is not known */
  return sent > 0 ? sent : repair->group_progress;
}

gboolean
fasp_repair_feedback (FaspRepair * repair, FaspTime now,
    const FaspFeedback * feedback, FaspRepairResult * result)
{
  guint64 serial = repair->has_feedback ? fasp_widen (feedback->serial,
      FASP_SERIAL_BITS, repair->serial) : feedback->serial;

  memset (result, 0, sizeof (*result));
  result->base = repair->base;
  result->shortest = FASP_NEVER;
  if (repair->has_feedback && serial <= repair->serial)
    return FALSE;
  if (!is_plausible (repair, feedback))
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
      told_of (repair, now, told, result);
    if (repair->n_flows > 1 && (repair->log != NULL || !repair->was_member))
      check_flow (repair, now, told->flow, result);
  }
  settle_unknown (repair, result);
  if (repair->log != NULL)
    settle_group (repair, now, feedback, result);
  result->base = repair->base;
  return TRUE;
}

guint64
fasp_repair_peek (FaspRepair * repair, guint8 * round)
{
  while (repair->heap_used > 0) {
    guint64 block = repair->heap[0];

    /* it may have arrived late since it was given up, or go to all */
    if (block >= repair->base && ask (repair, block) != HERE
        && !is_under_way (repair, block)) {
      *round = get_rounds (repair, block);
      return block;
    }
    if (block >= repair->base)
      block_state (repair, block)->queued = FALSE;
    heap_pop (repair);
  }
  return FASP_NO_BLOCK;
}

gboolean
fasp_repair_wants_copy (const FaspRepair * repair, guint64 block, guint8 round)
{
  const BlockState *state;

  if (block < repair->base || block >= repair->next)
    return FALSE;
  state = block_state (repair, block);
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

FaspFlowTold
fasp_repair_get_told (const FaspRepair * repair, guint8 index)
{
  const Flow *flow = repair->flows[index];
  FaspFlowTold told = { 0 };

  if (flow != NULL)
    told = (FaspFlowTold) {
    flow->largest - flow->base, flow->received, flow->holes,
        flow->rtt.measured ? flow->rtt.smoothed : 0};
  return told;
}

FaspFlowTold
fasp_repair_get_told_all (const FaspRepair * repair)
{
  FaspFlowTold all = { 0 };

  for (guint i = 0, left = repair->n_flows; left > 0; i++) {
    if (repair->flows[i] == NULL)
      continue;
    left--;
    all.told += repair->flows[i]->largest - repair->flows[i]->base;
    all.received += repair->flows[i]->received;
    all.holes += repair->flows[i]->holes;
  }
  return all;
}

guint
fasp_repair_count_flows (const FaspRepair * repair)
{
  return repair->n_flows;
}

guint64
fasp_repair_get_untold (const FaspRepair * repair)
{
  guint64 untold = 0;

  for (guint i = 0; i < FASP_FLOWS_MAX; i++) {
    const Flow *flow = repair->flows[i];

    if (flow != NULL && flow->largest < flow->next)
      untold |= G_GUINT64_CONSTANT (1) << i;
  }
  return untold;
}

guint64
fasp_repair_get_carriers (const FaspRepair * repair, guint64 block)
{
  const BlockState *state = block_state (repair, block);

  if (block < repair->base || block >= repair->next)
    return 0;
  return G_GUINT64_CONSTANT (1) << state->first |
      G_GUINT64_CONSTANT (1) << state->last;
}

guint
fasp_repair_get_oldest_rounds (const FaspRepair * repair)
{
  return repair->base < repair->next ?
      block_state (repair, repair->base)->rounds : 0;
}
