/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasptxprivate.h"

/* Stall if nothing new was acknowledged for this long, or for four times the RTT; if the peer has
 * never confirmed a block, for FIRST_AFTER (three times the initial RTT of RFC 9002,
 * section 6.2.2).
 */
#define STALL_AFTER (5 * FASP_SEC)
#define FIRST_AFTER FASP_SEC
/* Blocks that leave in a stall when a probe has arrived: as many as RFC 9002, section 6.2.4, sends
 * to ask a peer that acknowledges nothing. */
#define STALL_BLOCKS 2
/* A copy that does not fit into the idle time of the pacer is tried again after this time. */
#define COPY_AGAIN (5 * FASP_MSEC)
/* If blocks are too late before they are sent, and again within this time, the application writes
 * more than the path takes. */
#define EXPIRED_AGAIN (10 * FASP_SEC)
/* A stream counts as paused after 1/PAUSE_SHARE of the latency beyond one round trip, or PAUSE_GAPS
 * of its usual gaps between blocks, whichever is longer. */
#define PAUSE_SHARE 16
#define PAUSE_GAPS 2
/* The regular feedback on a block is awaited if it can come within this share of the latency beyond
 * one round trip. */
#define ANSWER_SHARE 8
/* A tail probe is repeated after this share of the latency beyond one round trip. */
#define WAIT_SHARE 4
/* The usual gap is a moving average, in which a new one has 1/GAP_WEIGHT of the weight and counts
 * as at most GAP_UNUSUAL usual gaps plus GAP_BIT. */
#define GAP_WEIGHT 16
#define GAP_UNUSUAL 4
#define GAP_BIT FASP_MSEC

/* Is there anything that the peer has not confirmed, or that has not been sent? */
static gboolean
is_waiting (const FaspTx *tx)
{
  return tx->view.acked < tx->view.cursor || tx->view.cursor < fasp_store_get_head (tx->store);
}

/* May a peer that has reported nothing get one more block? */
static gboolean
may_begin (const FaspTx *tx)
{
  return tx->view.counts.payload_sent + tx->view.counts.blocks_sent * FASP_TX_UNHEARD_OVERHEAD
      < FASP_TX_UNHEARD_BYTES - FASP_TX_UNHEARD_PACKET;
}

/* Does the peer take the next new block? */
static gboolean
has_room (const FaspTx *tx)
{
  return (tx->view.peer != FASP_TX_UNHEARD || may_begin (tx))
      && fasp_store_ends_by (tx->store, tx->view.cursor, tx->limit)
      && tx->view.cursor - tx->view.acked < FASP_WINDOW_MAX;
}

/* May a block leave, as far as a stall is concerned? */
static gboolean
may_send (const FaspTx *tx)
{
  return !tx->stall.is_on || tx->stall.blocks > 0;
}

/* FALSE while the cursor is below the store's tail: a receiver that has just joined may still have
 * to skip to the tail. */
gboolean
fasp_tx_has_fresh (const FaspTx *tx)
{
  return may_send (tx) && !tx_stands_by (tx) && tx->group.log == NULL
      && tx->view.cursor >= fasp_store_get_tail (tx->store)
      && tx->view.cursor < fasp_store_get_head (tx->store) && has_room (tx);
}

/* The pause after which a tail probe asks whether the last block of each flow has arrived. A lost
 * one must be sent again within the latency, too; but a probe is of no use if the next block comes
 * first and shows the loss. If the latency has time for many round trips, the first probe after an
 * original waits for the regular feedback, which may make it unnecessary. */
static FaspTime
get_pause (const FaspTx *tx, const FaspRtt *rtt, gboolean original)
{
  FaspTime spare = tx->estimate->latency - rtt->smoothed;
  FaspTime answer = fasp_rtt_timeout (rtt), pause;

  if (tx->estimate->latency == 0 || !rtt->measured)
    return FASP_TX_TAIL_FIRST;
  if (original && answer <= spare / ANSWER_SHARE)
    return fasp_sooner (answer + FASP_FEEDBACK_CLOCK_MAX, spare / ANSWER_SHARE);
  pause = PAUSE_GAPS * tx->gap * fasp_sent_map_count_flows (tx->sent_map);
  pause = MAX (spare / PAUSE_SHARE, pause);
  return CLAMP (pause, FASP_TX_TAIL_LEAST, FASP_TX_TAIL_FIRST);
}

/* The least time between two tail probes: a round trip, if the latency has time for several. */
static FaspTime
get_wait (const FaspTx *tx, const FaspRtt *rtt)
{
  FaspTime spare = tx->estimate->latency - rtt->smoothed;

  return MIN (rtt->smoothed, MAX (spare / WAIT_SHARE, FASP_TX_TAIL_FIRST));
}

gboolean
fasp_tx_takes (FaspTx *tx, const FaspFeedback *feedback)
{
  if (!fasp_sent_map_is_new (tx->sent_map, feedback))
    return FALSE;
  /* the report may be on blocks that the group has sent meanwhile */
  if (tx->group.log != NULL)
    fasp_tx_follow_group (tx);
  else if (tx->group.past != NULL)
    fasp_tx_overtake (tx, feedback);
  return fasp_sent_map_is_possible (tx->sent_map, feedback);
}

static void
end_stall (FaspTx *tx, FaspTime now)
{
  if (!tx->stall.is_on)
    return;
  tx->stall.is_on = FALSE;
  FASP_LOG (tx->log, now, SENDING_RESUMED, tx->view.cursor - tx->view.acked);
}

/* Updates whether the peer takes the stream. It begins when it acknowledges a block that was not
 * given up; it goes on while its acknowledgement advances and packets arrive. Blocks that it claims
 * to have skipped do not count, as any peer can claim that. */
static void
follow_acknowledgement (FaspTx *tx, FaspTime now, const FaspFeedback *feedback)
{
  guint64 arrived = fasp_sent_map_get_all_totals (tx->sent_map).received;
  gboolean arrives = arrived > tx->arrived || tx->group.log != NULL;

  if (arrives
      && feedback->ack > (tx->view.peer == FASP_TX_TAKES && tx->group.log == NULL ?
                 tx->view.acked :
                 fasp_tx_get_base (tx))) {
    if (tx->view.peer != FASP_TX_TAKES)
      tx->fresh_time = now;
    tx->view.peer = FASP_TX_TAKES;
    tx->advanced = tx->moved = now;
    tx->arrived = arrived;
    end_stall (tx, now);
  } else if ((feedback->ack >= tx->view.cursor && (arrives || tx->view.acked >= tx->view.cursor))
      || tx->held || tx->stands_by) {
    tx->advanced = now;
    end_stall (tx, now);
  } else if (tx->group.log != NULL) {
    end_stall (tx, now);
  } else if (arrived > tx->stall.arrived) {
    tx->stall.blocks = STALL_BLOCKS;
  }
  tx->stall.arrived = arrived;
}

gboolean
fasp_tx_feedback (FaspTx *tx, FaspTime now, const FaspFeedback *feedback, FaspRtt *rtt,
    guint64 *dead)
{
  FaspSentMapResult result;

  if (tx->stall.is_on)
    tx->stall.end = now;
  fasp_sent_map_set_latency (tx->sent_map, tx->estimate->latency);
  if (!fasp_sent_map_feedback (tx->sent_map, now, feedback, &result))
    return FALSE;
  *dead = result.dead;
  tx->view.counts.feedback++;
  tx->heard = now;
  if (tx->view.peer == FASP_TX_UNHEARD) {
    tx->view.peer = FASP_TX_REPORTS;
    tx->fresh_time = now;
  }
  tx->view.counts.skips_reported = feedback->skips;
  tx->view.counts.wanted = MAX (tx->view.counts.wanted, feedback->wanted);
  follow_acknowledgement (tx, now, feedback);
  if (feedback->n_flows > 0) {
    FaspFlowTotals totals = fasp_sent_map_get_all_totals (tx->sent_map);

    fasp_path_estimate_feedback (tx->estimate, now, totals.reported, totals.received, totals.holes,
        MIN (feedback->latency, FASP_LATENCY_MAX / FASP_MSEC) * FASP_MSEC);
  }
  /* losses from before the end of a stall were found late because of the stall */
  if (result.shortest != FASP_NEVER && now - result.shortest >= tx->stall.end)
    fasp_path_estimate_lost (tx->estimate, result.shortest);
  if (result.rtt > 0) {
    /* A member holds its feedback back for longer than the round trip, so the delay that it reports
     * is subtracted in full. */
    if (tx->group.log != NULL)
      fasp_rtt_sample (rtt, MAX (result.rtt - result.ack_delay, 1), 0);
    else
      fasp_rtt_sample (rtt, result.rtt, result.ack_delay);
    fasp_path_estimate_rtt (tx->estimate, rtt);
  }
  if (tx->log != NULL && tx->view.cursor < fasp_store_get_head (tx->store)
      && !fasp_tx_has_fresh (tx))
    *fasp_log_get_kept (tx->log, FASP_LOG_KEEPS_WINDOW) = now;
  /* The end of the window never moves back. An ack below the store's tail does not show where it
   * is. */
  if (feedback->ack >= fasp_store_get_tail (tx->store))
    tx->limit = MAX (tx->limit,
        fasp_store_get_units (tx->store, feedback->ack) + MIN (feedback->window, FASP_WINDOW_MAX));
  tx->view.counts.lost += result.lost;
  for (guint i = 0; i < FASP_ROUNDS; i++)
    tx->view.counts.rounds[i] += result.rounds[i];
  if (feedback->ack > tx->view.acked) {
    /* what lies below skip_to was given up, not delivered */
    guint64 from = CLAMP (tx->view.skip_to, tx->view.acked, feedback->ack);

    tx->view.counts.confirmed += feedback->ack - from;
    tx->view.counts.payload_confirmed += fasp_store_count_bytes (tx->store, from, feedback->ack);
    tx->view.acked = feedback->ack;
    tx->view.cursor = MAX (tx->view.cursor, tx->view.acked);
    tx->tail_interval = get_pause (tx, rtt, FALSE);
  }
  if (!is_waiting (tx))
    tx->tail_time = FASP_NEVER;
  else if (tx->group.log != NULL)
    tx->tail_time = now;
  if (tx->group.log != NULL) {
    fasp_tx_judge_hearing (tx, now, rtt);
    tx->stands_by = FALSE; /* a group sends for other members, too */
  } else {
    fasp_tx_has_from_others (tx, &feedback->has, feedback->stands_by);
  }
  return TRUE;
}

/* The number of fragments that a block needs in @room bytes. */
static guint
count_fragments (guint32 size, guint32 room)
{
  if (size <= room)
    return 1;
  room -= FASP_FRAGMENT_HEADER;
  return MIN ((size + room - 1) / room, FASP_FLOWS_MAX / 4);
}

static FaspTxItem
block_item (FaspTx *tx, guint64 number, guint8 round, guint8 copy, guint32 room)
{
  const FaspBlock *block = fasp_store_get (tx->store, number);

  return (FaspTxItem) { FASP_TX_BLOCK, number, round, copy, 0, count_fragments (block->size, room),
    .end = number + 1, .block = block };
}

/* The end of the run that the next new block begins, if nothing else is to be sent. A repair may
 * become due with each block, and a peer that does not take the stream yet gets one block at a
 * time. */
static guint64
find_run_end (const FaspTx *tx)
{
  guint64 next = tx->view.cursor + 1;
  guint64 end = MIN (tx->view.cursor + FASP_TX_RUN, fasp_store_get_head (tx->store));

  if (tx->view.peer != FASP_TX_TAKES || tx->fec.share > 0 || tx->fec.owed >= 1)
    return next;
  end = MIN (end, tx->view.acked + FASP_WINDOW_MAX);
  while (end > next && !fasp_store_ends_by (tx->store, end - 1, tx->limit))
    end--;
  return end;
}

/* When the peer's acknowledgement should have advanced again, not counting its round trip. */
static FaspTime
get_deadline (const FaspTx *tx, FaspTime advanced)
{
  return tx->group.log == NULL ? advanced : fasp_group_log_get_deadline (tx->group.log, advanced);
}

FaspTime
fasp_tx_get_unacknowledged (const FaspTx *tx, FaspTime now)
{
  return tx->view.acked >= tx->view.cursor || tx->held || tx_stands_by (tx) ?
      0 :
      MAX (0, now - get_deadline (tx, tx->advanced));
}

FaspTime
fasp_tx_get_full (const FaspTx *tx, FaspTime now)
{
  if (tx->view.acked < tx->view.cursor || tx->held || tx_stands_by (tx)
      || tx->view.cursor < fasp_store_get_tail (tx->store)
      || tx->view.cursor >= fasp_store_get_head (tx->store))
    return 0;
  return now - MAX (tx->moved, fasp_store_get (tx->store, tx->view.cursor)->arrival);
}

FaspTime
fasp_tx_get_stuck_timeout (const FaspTx *tx, const FaspRtt *rtt)
{
  return MAX (STALL_AFTER, 4 * rtt->smoothed);
}

/* A member reports regularly, so a TAIL asks it only when its report is overdue. */
static FaspTime
get_tail_time (const FaspTx *tx)
{
  FaspTime deadline = get_deadline (tx, tx->heard);

  return tx->group.log == NULL || tx->tail_time == FASP_NEVER ? tx->tail_time :
                                                                MAX (tx->tail_time, deadline);
}

/* Is a tail probe due? Not if the next block can leave (@fresh), which shows the same. */
static gboolean
is_tail_due (const FaspTx *tx, FaspTime now, gboolean fresh)
{
  return !fresh && now >= get_tail_time (tx);
}

static void
note_gap (FaspTx *tx, FaspTime now)
{
  FaspTime gap = now - tx->block_time;

  tx->gap += (MIN (gap, GAP_UNUSUAL * tx->gap + GAP_BIT) - tx->gap) / GAP_WEIGHT;
  tx->block_time = now;
}

void
fasp_tx_stall (FaspTx *tx, FaspTime now)
{
  if (tx->stall.is_on || tx->view.acked >= tx->view.cursor)
    return;
  tx->stall.is_on = TRUE;
  tx->stall.blocks = 0;
  FASP_LOG (tx->log, now, SENDING_STALLED, tx->view.cursor - tx->view.acked, now - tx->advanced);
  tx->tail_interval = FASP_TX_TAIL_MAX;
  tx->tail_time = MIN (tx->tail_time, now);
}

static void
check_stall (FaspTx *tx, FaspTime now, const FaspRtt *rtt)
{
  gboolean is_first;
  FaspTime after;

  /* a peer is given at least this long */
  if (tx->group.log == NULL && now - tx->advanced <= FIRST_AFTER)
    return;
  is_first =
      (tx->view.counts.confirmed == 0 || tx->view.peer != FASP_TX_TAKES) && tx->group.log == NULL;
  after = is_first ? MAX (FIRST_AFTER, 4 * rtt->smoothed) : fasp_tx_get_stuck_timeout (tx, rtt);
  if ((tx->group.log != NULL ? now - get_deadline (tx, tx->heard) :
                               fasp_tx_get_unacknowledged (tx, now))
      > after)
    fasp_tx_stall (tx, now);
}

/* Finds a copy that is due and useful; drops due ones that are not. */
static gboolean
next_copy (FaspTx *tx, FaspTime now, guint32 room, gint64 unused, FaspTxItem *item)
{
  const FaspCopy *first;

  while ((first = fasp_proactive_peek (&tx->copies)) != NULL && first->due <= now) {
    FaspCopy copy = *first;

    if (copy.deadline >= now && fasp_sent_map_wants_copy (tx->sent_map, copy.number, copy.round)) {
      *item = block_item (tx, copy.number, copy.round, copy.copy, room);
      if (item->count > 1) { /* the path has become narrower */
        fasp_proactive_pop (&tx->copies);
        continue;
      }
      if (item->block->size <= unused)
        return TRUE;
      copy.due = now + COPY_AGAIN;
      fasp_proactive_pop (&tx->copies);
      fasp_proactive_push (&tx->copies, &copy);
    } else {
      fasp_proactive_pop (&tx->copies);
    }
  }
  return FALSE;
}

static gboolean
next_repair (FaspTx *tx, FaspTime now, FaspTxItem *item)
{
  gboolean pause = is_tail_due (tx, now, fasp_tx_has_fresh (tx));
  guint64 first;

  if (!fasp_fec_is_due (&tx->fec, pause))
    return FALSE;
  first = fasp_fec_get_first (&tx->fec, now, tx->store, fasp_tx_get_base (tx), tx->view.cursor);
  if (first == tx->view.cursor) {
    fasp_fec_passed (&tx->fec, pause);
    return FALSE;
  }
  *item =
      (FaspTxItem) { .kind = FASP_TX_REPAIR, .number = first, .count = 1, .end = tx->view.cursor };
  return TRUE;
}

/* A retransmission has left: plans its copies. */
static void
plan_copies (FaspTx *tx, FaspTime now, const FaspTxItem *item)
{
  FaspTime arrival = item->block->arrival;
  FaspPlanRtx rtx = fasp_path_estimate_get_rtx (tx->estimate, now, arrival, item->number);
  FaspCopy copy = { .number = item->number, .round = item->round, .copy = 1 };

  if (rtx.copies <= 1)
    return;
  FASP_LOG (tx->log, now, COPIES_PLANNED, item->number, item->round, rtx.copies,
      rtx.spread / (rtx.copies - 1), fasp_path_estimate_get_deadline (tx->estimate, arrival) - now);
  copy.apart = rtx.spread / (rtx.copies - 1);
  copy.due = now + copy.apart;
  copy.deadline = fasp_path_estimate_get_deadline (tx->estimate, arrival);
  copy.last = rtx.copies - 1;
  fasp_proactive_push (&tx->copies, &copy);
}

/* The copy at the head has left: the next one follows. */
static void
copy_sent (FaspTx *tx)
{
  FaspCopy copy = *fasp_proactive_peek (&tx->copies);

  fasp_proactive_pop (&tx->copies);
  tx->view.counts.copies_sent++;
  copy.due += copy.apart;
  if (copy.copy++ < copy.last)
    fasp_proactive_push (&tx->copies, &copy);
}

/* Is a lost block given up rather than sent again? The block with the end of the stream is not, as
 * only it tells the receiver of the end. */
static gboolean
is_given_up (const FaspTx *tx, guint64 number)
{
  return tx->estimate->no_rtx && number != FASP_NO_BLOCK
      && !fasp_block_is_end (fasp_store_get (tx->store, number));
}

static void
log_given_up (const FaspTx *tx, FaspTime now, guint64 from, guint64 to)
{
  if (from < to)
    FASP_LOG (tx->log, now, BLOCKS_SKIPPED, from, to, FASP_LOG_WORD ("no_retransmission"));
}

/* Without retransmissions: skips lost blocks once all blocks below them have arrived. */
static gboolean
give_up_lost (FaspTx *tx, FaspTime now)
{
  guint64 lost, from = 0, to = 0; /* a run of them, for the log */
  guint8 round;

  for (;;) {
    lost = fasp_sent_map_peek (tx->sent_map, &round);
    if (!is_given_up (tx, lost) || !fasp_sent_map_has_all (tx->sent_map, lost))
      break;
    if (lost != to) {
      log_given_up (tx, now, from, to);
      from = lost;
    }
    to = lost + 1;
    fasp_tx_skip_to (tx, to);
  }
  log_given_up (tx, now, from, to);
  return from < to;
}

gboolean
fasp_tx_plans_copies (const FaspTx *tx)
{
  return fasp_proactive_peek (&tx->copies) != NULL;
}

/* Is there nothing that leaves before new blocks, or in place of them? Whatever fasp_tx_next()
 * looks for before them has its condition here, too. */
static gboolean
has_only_new (const FaspTx *tx)
{
  return !tx->stall.is_on && tx->fragment.count == 0 && tx->doubles == 0
      && tx->view.skip_to <= tx->view.acked && fasp_sent_map_count_queued (tx->sent_map) == 0
      && !fasp_tx_plans_copies (tx) && !fasp_fec_is_due (&tx->fec, TRUE);
}

/* New blocks, or the tail probe behind them. */
static inline FaspTxItem
next_new (FaspTx *tx, FaspTime now, guint32 room)
{
  FaspTxItem nothing = { FASP_TX_NOTHING, 0, 0, 0, 0, 1 };
  gboolean fresh = fasp_tx_has_fresh (tx);

  if (fresh && now >= tx->fresh_time)
    return block_item (tx, tx->view.cursor, 0, 0, room);
  if (!is_waiting (tx))
    return nothing;
  /* Blocks wait although all sent ones are acknowledged: the window is closed, or the pace holds
   * them back. A later TAIL asks the peer for its window. */
  if (tx->tail_time == FASP_NEVER)
    tx->tail_time = now + FASP_TX_TAIL_MAX;
  if (is_tail_due (tx, now, fresh))
    return (FaspTxItem) { FASP_TX_TAIL, tx->view.cursor, 0, 0, 0, 1 };
  return nothing;
}

FaspTxItem
fasp_tx_next (FaspTx *tx, FaspTime now, const FaspRtt *rtt, guint32 room, gint64 unused)
{
  FaspTxItem copy, repair;
  guint64 tail = fasp_store_get_tail (tx->store);
  guint64 rtx;
  guint8 round;

  if (tx->held || tx_stands_by (tx))
    return (FaspTxItem) { FASP_TX_NOTHING, 0, 0, 0, 0, 1 };
  check_stall (tx, now, rtt);
  /* the store has dropped blocks that this session has not sent, as it has just joined or was moved
   * ahead */
  if (fasp_tx_get_base (tx) < tail) {
    FASP_LOG (tx->log, now, BLOCKS_SKIPPED, fasp_tx_get_base (tx), tail,
        FASP_LOG_WORD ("not_kept"));
    fasp_tx_skip_to (tx, tail);
  }
  if (has_only_new (tx)) {
    FaspTxItem new = next_new (tx, now, room);

    if (new.kind == FASP_TX_BLOCK)
      new.end = find_run_end (tx);
    return new;
  }

  if (may_send (tx) && tx->view.skip_to > tx->view.acked && now >= tx->skip_time)
    return (FaspTxItem) { FASP_TX_SKIP, tx->view.skip_to, 0, 0, 0, 1 };
  if (tx->fragment.count > 0 && tx->fragment.block >= fasp_tx_get_base (tx)) {
    FaspTxItem next = block_item (tx, tx->fragment.block, tx->fragment.round, 0, room);

    /* if the MTU has changed in between, the block is sent from its first fragment again */
    next.index = tx->fragment.index;
    if (next.count == tx->fragment.count)
      return next;
  }
  tx->fragment.count = 0;
  if (!tx->stall.is_on) {
    if (tx->doubles > 0 && tx->view.cursor > fasp_tx_get_base (tx)) {
      FaspTxItem again = block_item (tx, tx->view.cursor - 1, 0, tx->doubled + 1, room);

      if (again.count == 1)
        return again;
    }
    if (tx->estimate->no_rtx && give_up_lost (tx, now))
      return (FaspTxItem) { FASP_TX_SKIP, tx->view.skip_to, 0, 0, 0, 1 };
  }
  /* retransmissions to a member are bounded by fasp_group_log_grants() */
  rtx = may_send (tx)
          && (tx->view.peer == FASP_TX_TAKES || tx->group.log != NULL || now >= tx->fresh_time) ?
      fasp_sent_map_peek (tx->sent_map, &round) :
      FASP_NO_BLOCK;
  if (rtx != FASP_NO_BLOCK && !is_given_up (tx, rtx))
    return block_item (tx, rtx, round, 0, room);
  if (!tx->stall.is_on) {
    if (next_repair (tx, now, &repair))
      return repair;
    if (next_copy (tx, now, room, unused, &copy))
      return copy;
  }
  return next_new (tx, now, room);
}

void
fasp_tx_sent (FaspTx *tx, FaspTime now, const FaspRtt *rtt, const FaspTxItem *item)
{
  guint64 n = item->end - item->number; /* of a block */

  switch (item->kind) {
    case FASP_TX_BLOCK: {
      if (item->round == 0 && item->copy > 0) {
        tx->doubles--;
        tx->doubled++;
        tx->view.counts.blocks_doubled++;
        break;
      }
      if (item->index == 0) {
        tx->stall.blocks -= MIN (n, tx->stall.blocks);
        if (item->round == 0) {
          if (tx->view.acked == tx->view.cursor)
            tx->advanced = now;
          tx->view.counts.blocks_sent += n;
          tx->view.counts.payload_sent +=
              fasp_store_count_bytes (tx->store, item->number, item->end);
        } else {
          tx->view.counts.blocks_resent++;
          tx->view.counts.payload_resent += fasp_block_get_payload (item->block);
        }
      }
      if (item->number == tx->view.cursor) {
        tx->view.cursor = item->end;
        for (guint64 i = 0; i < n; i++)
          fasp_fec_block_sent (&tx->fec);
      }
      if (item->copy > 0)
        copy_sent (tx);
      else if (item->round > 0 && item->count == 1)
        plan_copies (tx, now, item);
      tx->fragment.block = item->number;
      tx->fragment.round = item->round;
      tx->fragment.index = item->index + 1;
      tx->fragment.count = item->index + 1 < item->count ? item->count : 0;
      if (tx->group.log != NULL)
        break;
      for (guint64 i = 0; item->round == 0 && i < n; i++)
        note_gap (tx, now);
      tx->tail_interval = get_pause (tx, rtt, item->round == 0);
      tx->tail_time = now + tx->tail_interval;
      break;
    }
    case FASP_TX_REPAIR:
      tx->view.counts.repairs_sent++;
      fasp_fec_repair_sent (&tx->fec);
      break;
    case FASP_TX_TAIL:
      if (item->count > 1)
        break; /* other flows need this TAIL, too: they get it at once */
      if (tx->group.log != NULL)
        tx->tail_interval = FASP_TX_TAIL_MAX;
      else if (!tx->stall.is_on) {
        FaspTime wait = get_wait (tx, rtt);

        /* `wait' may exceed the usual maximum */
        tx->tail_interval = CLAMP (tx->tail_interval * 2, wait, MAX (wait, FASP_TX_TAIL_MAX));
      }
      tx->tail_time = now + tx->tail_interval;
      break;
    case FASP_TX_SKIP:
      tx->skip_time = now + MAX (rtt->smoothed, 10 * FASP_MSEC);
      break;
    case FASP_TX_NOTHING:
      break;
  }
  if (tx->view.peer != FASP_TX_TAKES && item->kind == FASP_TX_BLOCK)
    tx->fresh_time = FASP_NEVER;
}

void
fasp_tx_double (FaspTx *tx, guint times, guint missed)
{
  tx->view.counts.blocks_not_doubled += missed;
  /* a block in fragments is not doubled: the MTU has fallen, and new blocks will be smaller */
  tx->doubles = tx->fragment.count > 0 ? 0 : times;
  tx->doubled = 0;
}

gboolean
fasp_tx_waits_as_newcomer (const FaspTx *tx)
{
  return tx->view.peer != FASP_TX_TAKES && tx->fresh_time == FASP_NEVER
      && (fasp_tx_has_fresh (tx) || fasp_sent_map_count_queued (tx->sent_map) > 0);
}

FaspTime
fasp_tx_get_wait (const FaspTx *tx, FaspTime now)
{
  return fasp_tx_has_fresh (tx) ? now - fasp_store_get (tx->store, tx->view.cursor)->arrival : 0;
}

FaspTime
fasp_tx_get_timeout (const FaspTx *tx)
{
  const FaspCopy *copy = fasp_proactive_peek (&tx->copies);
  FaspTime timeout = copy != NULL && !tx->stall.is_on ? copy->due : FASP_NEVER;

  if (tx->held || tx_stands_by (tx))
    return FASP_NEVER;
  if (fasp_tx_has_fresh (tx)
      || (tx->view.peer != FASP_TX_TAKES && fasp_sent_map_count_queued (tx->sent_map) > 0))
    timeout = MIN (timeout, tx->fresh_time);
  else if (is_waiting (tx))
    timeout = fasp_sooner (timeout, get_tail_time (tx));
  if (may_send (tx) && tx->view.skip_to > tx->view.acked)
    timeout = MIN (timeout, tx->skip_time);
  return timeout;
}

void
fasp_tx_skip_to (FaspTx *tx, guint64 number)
{
  guint64 base = fasp_tx_get_base (tx);

  if (number <= base)
    return;
  tx->view.counts.skipped += number - base;
  tx->view.skip_to = number;
  tx->skip_time = 0;
  tx->view.cursor = MAX (tx->view.cursor, number);
  fasp_sent_map_advance (tx->sent_map, number);
}

void
fasp_tx_begin_at (FaspTx *tx, guint64 number)
{
  fasp_tx_skip_to (tx, number);
  tx->view.counts.skipped = 0; /* blocks before the first one of the session do not count as
                                  skipped */
}

void
fasp_tx_has_from_others (FaspTx *tx, const FaspStreamOffset *has, gboolean stands_by)
{
  guint64 skipped = tx->view.counts.skipped, number;
  guint8 round;

  tx->stands_by = stands_by;
  if (!has->known)
    return;
  if (!fasp_store_find (tx->store, has, &number)) {
    /* the peer takes another stream: if it stands by, the store need not keep this stream's blocks
     * for it */
    if (!stands_by)
      return;
    number = fasp_store_seal (tx->store);
  }
  if (fasp_store_is_finished (tx->store))
    number = MIN (number, fasp_store_get_head (tx->store) - 1);
  if (!stands_by && number <= tx->view.cursor
      && fasp_sent_map_peek (tx->sent_map, &round) >= number)
    return; /* no queued or new block is below @has, so none would be sent in vain */
  fasp_tx_skip_to (tx, number);
  tx->view.counts.skipped = skipped; /* the peer has the skipped blocks from another source */
}

void
fasp_tx_expire (FaspTx *tx, FaspTime now, guint32 media_time, const FaspRtt *rtt)
{
  guint64 head = fasp_store_get_head (tx->store);
  guint64 tail = fasp_store_get_tail (tx->store);
  guint64 fresh = MAX (tx->view.cursor, tail);
  guint64 number = MAX (fasp_tx_get_base (tx), tail);
  gboolean all = FALSE;
  FaspTime newest, expired;

  if (number + 1 >= head)
    return;
  newest = fasp_store_get (tx->store, head - 1)->media_time;
  expired = fasp_widen (media_time, FASP_MEDIA_TIME_BITS, newest);
  /* all blocks would be too late: our clock was set back, which the receiver does not know yet, or
   * the path has become too long */
  if (expired + rtt->latest > newest)
    return;
  expired += rtt->min;
  if (fresh < head && fasp_store_get (tx->store, fresh)->media_time < expired) {
    all = tx->expired_time > 0 && now - tx->expired_time < EXPIRED_AGAIN;
    tx->expired_time = now;
  }
  while (number + 1 < head && (all || fasp_store_get (tx->store, number)->media_time < expired))
    number++;
  if (number > fasp_tx_get_base (tx))
    FASP_LOG (tx->log, now, BLOCKS_EXPIRED, fasp_tx_get_base (tx), number, all);
  fasp_tx_skip_to (tx, number);
}
