/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "fasprepair.h"

/* A datagram without a block is of interest for its time only, so long. */
#define FORGET_AFTER (10 * FASP_SEC)
/* Blocks without news that one feedback looks at again. */
#define UNKNOWN_AT_ONCE 4096
/* Datagrams that may wait for being settled, beyond four for each block in
 * flight: ten seconds of answers to pings, say. */
#define OVERGROWN 65536
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
  guint64 largest;              /* newest the peer told of, + 1 */
  guint64 received, holes;      /* by then */
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
  GQueue unknown;               /* guint64: settled, not spoken of yet */
};

FaspRepair *
fasp_repair_new (guint64 start)
{
  FaspRepair *repair = g_new0 (FaspRepair, 1);

  repair->base = repair->next = start;
  repair->block_mask = 255;
  repair->blocks = g_new0 (BlockState, repair->block_mask + 1);
  repair->ranges = g_array_new (FALSE, FALSE, sizeof (FaspRange));
  g_queue_init (&repair->unknown);
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
  g_queue_clear_full (&repair->unknown, g_free);
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
  if (block - repair->base > repair->block_mask) {
    guint64 mask = repair->block_mask * 2 + 1;
    BlockState *blocks = g_new0 (BlockState, mask + 1);

    for (guint64 n = repair->base; n < repair->next; n++)
      blocks[n & mask] = *block_state (repair, n);
    g_free (repair->blocks);
    repair->blocks = blocks;
    repair->block_mask = mask;
  }
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

static Knowledge
ask (const FaspRepair * repair, guint64 block)
{
  guint low = 0, high = repair->ranges->len;

  if (block < repair->base)
    return HERE;
  if (block >= repair->end)
    return repair->tail ? MISSING : UNKNOWN;
  if (block < repair->from)
    return UNKNOWN;
  while (low < high) {
    guint middle = (low + high) / 2;
    const FaspRange *range = &g_array_index (repair->ranges, FaspRange, middle);

    if (block < range->start)
      high = middle;
    else if (block >= range->start + range->length)
      low = middle + 1;
    else
      return MISSING;
  }
  return HERE;
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

/* What needs no answer any more must not pile up, even when the peer
 * acknowledges blocks but never settles a packet. */
static void
forget (FaspRepair * repair, FaspTime now, Flow * flow)
{
  while (flow->front < flow->next && !is_wanted (repair, now, flow))
    flow->front++;
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
    flow->mask = 255;
    flow->ring = g_new (Transmission, flow->mask + 1);
  }
  forget (repair, now, flow);
  if (flow->next - flow->front > flow->mask) {
    guint64 mask = flow->mask * 2 + 1;
    Transmission *ring = g_new (Transmission, mask + 1);

    for (guint64 pn = flow->front; pn < flow->next; pn++)
      ring[pn & mask] = *transmission (flow, pn);
    g_free (flow->ring);
    flow->ring = ring;
    flow->mask = mask;
  }
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
      if (--state->in_flight == 0 && !state->queued) {
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

static void
settle_flow (FaspRepair * repair, FaspTime now, Flow * flow, guint64 settled,
    FaspRepairResult * result)
{
  for (; flow->front <= settled && flow->front < flow->next; flow->front++) {
    Transmission *t = transmission (flow, flow->front);

    if (!settle (repair, now - t->sent, t->block, result))
      g_queue_push_tail (&repair->unknown, g_memdup2 (&t->block,
              sizeof t->block));
  }
}

/* Blocks of settled packets that no feedback has spoken of yet: a long list
 * of missing ones comes in parts. */
static void
settle_unknown (FaspRepair * repair, FaspRepairResult * result)
{
  guint n = MIN (UNKNOWN_AT_ONCE, g_queue_get_length (&repair->unknown));

  while (n-- > 0) {
    guint64 *block = g_queue_pop_head (&repair->unknown);

    if (settle (repair, FASP_NEVER, *block, result))
      g_free (block);
    else
      g_queue_push_tail (&repair->unknown, block);
  }
}

static void
acknowledge (FaspRepair * repair, guint64 base, guint64 * rounds)
{
  for (; repair->base < base && repair->base < repair->next; repair->base++) {
    guint n = block_state (repair, repair->base)->rounds;

    rounds[CLAMP (n, 1, FASP_ROUNDS) - 1]++;
  }
  repair->base = MAX (repair->base, base);
  repair->next = MAX (repair->next, base);
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
    if (told->received == 0)
      continue;
    if (flow == NULL)
      return FALSE;
    largest = fasp_widen (told->largest, FASP_PN_BITS, flow->next - 1);
    if (largest >= flow->next || told->unsettled > largest + 1)
      return FALSE;
  }
  return TRUE;
}

/* --- flows that check on each other ------------------------------------------------ */

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
  if (end > flow->front)
    settle_flow (repair, now, flow, end - 1, result);
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
  if (flow->silent == 0 || !is_dead (flow))
    return;
  settle_flow (repair, now, flow, flow->next - 1, result);
  flow->silent = 0;
  result->dead |= G_GUINT64_CONSTANT (1) << index;
}

/* The peer tells of a flow. */
static void
told_of (FaspRepair * repair, FaspTime now, const FaspFeedbackFlow * told,
    FaspRepairResult * result)
{
  Flow *flow = repair->flows[told->flow];
  guint64 largest = fasp_widen (told->largest, FASP_PN_BITS, flow->next - 1);

  if (largest + 1 > flow->largest) {
    gdouble n = largest + 1 - flow->largest;
    gdouble here = MIN (n, told->received - MIN (told->received,
            flow->received));

    flow->loss += (1 - here / n - flow->loss) * MIN (1, n / LOSS_OVER);
    flow->largest = largest + 1;
    flow->silent = 0;
    if (largest >= flow->front) {
      FaspTime rtt = now - transmission (flow, largest)->sent;
      FaspTime delay = MIN (told->delay, (guint64) FASP_SEC);

      fasp_rtt_sample (&flow->rtt, rtt, delay);
      if (rtt - delay >= result->rtt - result->ack_delay) {
        result->rtt = rtt;
        result->ack_delay = delay;
      }
    }
  }
  flow->received = MAX (flow->received, told->received);
  flow->holes = told->holes;
  /* one more than largest: nothing is settled yet */
  if (told->unsettled <= largest)
    settle_flow (repair, now, flow, largest - told->unsettled, result);
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

    if (told->received > 0)
      told_of (repair, now, told, result);
    if (repair->n_flows > 1)
      check_flow (repair, now, told->flow, result);
  }
  settle_unknown (repair, result);
  result->base = repair->base;
  return TRUE;
}

guint64
fasp_repair_peek (FaspRepair * repair, guint8 * round)
{
  while (repair->heap_used > 0) {
    guint64 block = repair->heap[0];

    /* it may have arrived late since it was given up */
    if (block >= repair->base && ask (repair, block) != HERE) {
      *round = block_state (repair, block)->rounds;
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
  return !state->queued && state->rounds == round + 1
      && ask (repair, block) != HERE;
}

gboolean
fasp_repair_has_all (const FaspRepair * repair, guint64 end)
{
  for (guint64 block = repair->base; block < end; block++)
    if (ask (repair, block) != HERE)
      return FALSE;
  return TRUE;
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
    flow->largest, flow->received, flow->holes,
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
    all.told += repair->flows[i]->largest;
    all.received += repair->flows[i]->received;
    all.holes += repair->flows[i]->holes;
  }
  return all;
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
