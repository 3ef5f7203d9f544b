/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasprxprivate.h"

/* A skip is a span of this much stream time in which at least one block is late. Late blocks that
 * are no further apart than this are one run. */
#define SKIP FASP_SEC
/* A lost block waits for a repair this much longer than the time that the repair's window
 * covers. */
#define REPAIR_GRACE (2 * FASP_MSEC)
/* If no repair has come for this time, no more are expected, and blocks are not kept for them. */
#define REPAIRS_WITHIN (5 * FASP_SEC)
/* Losses wait for repairs only within this time after the last repair. */
#define RECOVERY_TIME_FOR FASP_SEC
/* The decoder keeps the blocks of this many windows. */
#define REMEMBERED 2

FaspRx *
fasp_rx_new (FaspTime now, guint64 start, guint32 capacity, const FaspLatency *agreed, FaspLog *log)
{
  FaspRx *rx = g_new0 (FaspRx, 1);

  rx->log = log;
  rx->reorder = fasp_reorder_new (capacity, start);
  fasp_media_clock_init (&rx->view.clock);
  fasp_playout_init (&rx->view.playout, agreed);
  rx->view.late.last = now - SKIP;
  rx->view.first_data = FASP_NEVER;
  fasp_feedback_init (&rx->feedback, now, rx->reorder);
  return rx;
}

void
fasp_rx_free (FaspRx *rx)
{
  if (rx == NULL)
    return;
  fasp_reorder_free (rx->reorder);
  fasp_rlc_decoder_free (rx->fec.decoder);
  fasp_stream_header_parts_clear (&rx->header);
  g_free (rx);
}

void
fasp_rx_begin_at (FaspRx *rx, const FaspStreamOffset *position, const FaspOtherSources *others)
{
  fasp_position_init (&rx->position, position);
  rx->others = *others;
}

void
fasp_rx_continue_clock (FaspRx *rx, const FaspMediaClock *clock, const FaspSkew *skew,
    const FaspCaptureMap *capture)
{
  rx->view.capture = *capture;
  fasp_media_clock_continue (&rx->view.clock, clock);
  rx->view.skew = *skew;
}

void
fasp_rx_set_give_up (FaspRx *rx, gboolean give_up)
{
  rx->give_up = give_up;
}

gboolean
fasp_rx_set_latency (FaspRx *rx, FaspTime now, FaspTime latency, const gchar *why)
{
  FaspTime before = rx->view.playout.ramp.target;
  gboolean first = fasp_playout_set (&rx->view.playout, now, latency);

  if (rx->view.playout.ramp.target != before)
    FASP_LOG (rx->log, now, LATENCY_CHANGED, FASP_LOG_OR_UNKNOWN (before, 0), latency,
        FASP_LOG_WORD (why));
  return first;
}

FaspFeedbackTracker *
fasp_rx_get_feedback (FaspRx *rx)
{
  return &rx->feedback;
}

const FaspStreamOffset *
fasp_rx_get_position (const FaspRx *rx)
{
  return &rx->position.next;
}

gboolean
fasp_rx_has_unread (const FaspRx *rx)
{
  return !rx->end.is_taken && fasp_reorder_peek (rx->reorder) != NULL;
}

gboolean
fasp_rx_is_complete (const FaspRx *rx)
{
  return rx->end.is_taken;
}

gsize
fasp_rx_get_bytes (const FaspRx *rx)
{
  return fasp_reorder_get_bytes (rx->reorder);
}

gboolean
fasp_rx_is_full (const FaspRx *rx)
{
  return fasp_reorder_get_window (rx->reorder) < fasp_reorder_get_capacity (rx->reorder) / 10;
}

gboolean
fasp_rx_has_fec (const FaspRx *rx)
{
  return rx->fec.decoder != NULL;
}

void
fasp_rx_set_fec (FaspRx *rx, FaspTime now, guint window)
{
  rx->fec.end = now + REPAIRS_WITHIN;
  rx->fec.decoder = fasp_rlc_decoder_new (REMEMBERED * window);
}

/* --- frames that arrive ---------------------------------------------------------- */

/* When block @number, the first one behind a hole, was written, by our clock. A guess if it has not
 * arrived. */
static FaspTime
get_written (const FaspRx *rx, FaspTime now, guint64 number)
{
  const FaspBlock *block = fasp_reorder_get (rx->reorder, number);

  return block == NULL ?
      now - fasp_playout_get (&rx->view.playout, now) :
      MIN (now, fasp_media_clock_map (&rx->view.clock, number, block->media_time));
}

/* Counts the skips for blocks written from @from to @to, by our clock, that are missing or were too
 * late. Times before the end of the last skip do not count again; @from may be a guess that is too
 * early. */
static void
count_skips (FaspRx *rx, FaspTime from, FaspTime to)
{
  if (rx->view.late.skips > 0)
    from = MAX (from, rx->view.late.skip_time + SKIP);
  if (from > to)
    return;
  rx->view.late.skips += 1 + (to - from) / SKIP;
  rx->view.late.skip_time = to - (to - from) % SKIP;
}

/* When the first of @blocks missing blocks was written; the next block was written at @written.
 * Each missing block counts with the stream's average interval, as the stream may have paused
 * before them. */
static FaspTime
get_gap_start (const FaspRx *rx, FaspTime now, FaspTime written, guint64 blocks)
{
  gdouble each = (gdouble) (now - rx->view.first_data) / rx->view.late.lateness_in_order.count;

  return MIN (written, MAX (rx->view.late.in_order, written - blocks * each));
}

/* A block was too late. Feedback reports a run of late blocks as one: the sender may react to each
 * report, and no reaction helps if all of the stream is late. */
static void
count_late (FaspRx *rx, FaspTime now, FaspTime written)
{
  if (now - rx->view.late.last >= SKIP)
    rx->view.late.rows++;
  rx->view.late.last = now;
  count_skips (rx, written, written);
}

/* Measures the lateness of the blocks in [from, ack), which have just become deliverable. */
static void
measure_in_order (FaspRx *rx, FaspTime now, guint64 from)
{
  FaspTime latency = fasp_playout_get (&rx->view.playout, now);

  /* a skip can move ack anywhere; blocks are only in the window */
  guint64 start = MAX (from, fasp_reorder_get_read (rx->reorder));
  guint64 end = MIN (fasp_reorder_get_ack (rx->reorder), fasp_reorder_get_limit (rx->reorder));
  guint64 first = G_MAXUINT64, last = 0; /* late blocks */
  FaspTime longest = 0;

  for (guint64 n = fasp_reorder_next_here (rx->reorder, start); n < end;
      n = fasp_reorder_next_here (rx->reorder, n + 1)) {
    const FaspBlock *block = fasp_reorder_get (rx->reorder, n);
    FaspTime late;

    /* the end is not played, and may come long after the last byte; blocks that the reader has from
     * another source were played in time */
    if (fasp_block_is_end (block)
        || (rx->others.has.known && fasp_other_sources_has (&rx->others, &rx->position, block)))
      continue;
    late = now - fasp_media_clock_map (&rx->view.clock, n, block->media_time);
    rx->view.late.in_order = now - late;
    fasp_hist_add (&rx->view.late.lateness_in_order, late);
    if (latency > 0 && late > latency) {
      first = MIN (first, n);
      last = n;
      longest = MAX (longest, late);
      count_late (rx, now, now - late);
    }
  }
  if (longest > 0)
    FASP_LOG (rx->log, now, BLOCKS_LATE, first, last, longest, latency, from);
}

/* Gives a block that has arrived to the decoder, which recovers others with it, as long as repairs
 * come. */
static void
remember (FaspRx *rx, FaspTime now, guint64 number)
{
  if (rx->fec.decoder == NULL)
    return;
  if (now < rx->fec.end) {
    fasp_rlc_decoder_know (rx->fec.decoder, (FaspBlock *) fasp_reorder_get (rx->reorder, number));
  } else if (rx->fec.end > 0) {
    fasp_rlc_decoder_forget (rx->fec.decoder);
    rx->fec.end = 0;
  }
}

/* Updates whether blocks come too late, so that the sender should skip others of the same time. An
 * original counts as late one round trip earlier than a retransmission: it has waited at the
 * sender, and the blocks behind it will be too late by the time the sender gets the report. */
static void
note_behind (FaspRx *rx, FaspTime now, FaspTime lateness, guint round)
{
  gboolean was = rx->view.late.is_behind;
  FaspTime latency;

  if (!rx->give_up)
    return;
  latency = fasp_playout_get (&rx->view.playout, now);
  rx->view.late.is_behind =
      latency > 0 && lateness > latency - (round > 0 ? 0 : MIN (rx->feedback.rtt, latency / 2));
  if (rx->view.late.is_behind && !was && !fasp_feedback_backs_off (&rx->feedback))
    fasp_feedback_now (&rx->feedback, now);
}

/* A block has arrived or was recovered. @from: ack before that. */
static void
block_came (FaspRx *rx, FaspTime now, const FaspReorderPiece *piece, guint64 from)
{
  gboolean end = (piece->flags & FASP_BLOCK_MARK) != 0 && piece->total == 0;

  rx->view.first_data = MIN (rx->view.first_data, now);
  rx->counts.blocks++;
  if ((piece->flags & FASP_BLOCK_MARK) == 0)
    rx->counts.payload += piece->total;
  if (end) {
    rx->end.is_known = TRUE;
    rx->end.number = piece->number;
  } else {
    FaspTime lateness =
        now - fasp_media_clock_map (&rx->view.clock, piece->number, piece->media_time);

    fasp_hist_add (&rx->view.late.lateness, lateness);
    note_behind (rx, now, lateness, piece->round);
  }
  remember (rx, now, piece->number);
  measure_in_order (rx, now, from);
  if (rx->end.is_known && fasp_reorder_get_ack (rx->reorder) > rx->end.number)
    fasp_feedback_complete (&rx->feedback, now);
}

/* Gives a recovered block to the decoder, which may recover others with it. */
static void
know_recovered (FaspRx *rx, const FaspReorderPiece *piece)
{
  FaspBlock *block = fasp_block_new (piece->size);

  block->number = piece->number;
  block->flags = piece->flags;
  block->media_time = piece->media_time;
  block->size = piece->size;
  if (piece->size > 0)
    memcpy (block->data, piece->data, piece->size);
  fasp_rlc_decoder_know (rx->fec.decoder, block);
  fasp_block_unref (block);
}

static void
recover (FaspRx *rx, FaspTime now)
{
  FaspRecovered recovered;

  while (rx->fec.decoder != NULL && fasp_rlc_decoder_take (rx->fec.decoder, &recovered)) {
    guint64 old_ack = fasp_reorder_get_ack (rx->reorder);
    FaspReorderPiece piece = {
      .number = recovered.number,
      .flags = recovered.flags,
      .count = 1,
      .total = recovered.size,
      .media_time =
          fasp_media_clock_widen (&rx->view.clock, recovered.number, recovered.media_time, now),
      .segment = FASP_SEGMENT_UNKNOWN,
      .data = recovered.data,
      .size = recovered.size,
    };

    if (fasp_reorder_insert (rx->reorder, now, &piece) != FASP_REORDER_STORED) {
      know_recovered (rx, &piece); /* the reorder buffer does not take it: it was given up, or is
                                      beyond the window */
      continue;
    }
    rx->counts.recovered++;
    FASP_LOG (rx->log, now, BLOCK_RECOVERED, piece.number);
    rx->counts.rounds[0]++;
    block_came (rx, now, &piece, old_ack);
  }
}

FaspTime
fasp_rx_get_recovery_time (const FaspRx *rx, FaspTime now)
{
  return MAX (now < rx->fec.recovery_time_end ? rx->fec.recovery_time : 0,
      rx->others.recovery_time);
}

void
fasp_rx_repair (FaspRx *rx, FaspTime now, const FaspRepairFrame *repair)
{
  if (rx->fec.decoder == NULL)
    return;
  rx->counts.repairs++;
  rx->fec.recovery_time = repair->span == 0 ?
      0 :
      MIN (repair->span * FASP_MSEC + REPAIR_GRACE, FASP_FEEDBACK_CLOCK_MAX);
  rx->fec.recovery_time_end = now + RECOVERY_TIME_FOR;
  rx->fec.end = now + REPAIRS_WITHIN;
  fasp_rlc_decoder_repair (rx->fec.decoder,
      fasp_widen (repair->first, FASP_BLOCK_BITS, fasp_reorder_get_highest (rx->reorder)),
      repair->blocks, repair->key, repair->symbol, repair->symbol_size);
}

/* Passes over the missing blocks below @number: the reader has them from another source. */
static void
pass_to (FaspRx *rx, FaspTime now, guint64 number)
{
  guint64 old_ack = fasp_reorder_get_ack (rx->reorder);

  fasp_reorder_skip_to (rx->reorder, number);
  measure_in_order (rx, now, old_ack);
}

/* Passes over holes whose bytes the reader has from another source. FALSE: there are none. */
static gboolean
pass_filled (FaspRx *rx, FaspTime now)
{
  guint64 number, ack = fasp_reorder_get_ack (rx->reorder);

  if (!rx->others.has.known)
    return FALSE;
  while (fasp_other_sources_fills_hole (&rx->others, rx->reorder, &rx->position, &number))
    pass_to (rx, now, number);
  return fasp_reorder_get_ack (rx->reorder) != ack;
}

/* Updates the media clock and the skew by a block's media time. */
static void
note_time (FaspRx *rx, FaspTime now, const FaspReorderPiece *piece)
{
  rx->view.clock.tolerated = rx->give_up ? fasp_playout_get (&rx->view.playout, now) : 0;
  if (fasp_media_clock_arrived (&rx->view.clock, piece->number, piece->media_time, now)) {
    FASP_LOG (rx->log, now, CLOCK_JUMPED, piece->number);
    fasp_skew_jumped (&rx->view.skew);
  }
  if (fasp_media_clock_is_current (&rx->view.clock, piece->number))
    fasp_skew_arrived (&rx->view.skew, piece->media_time, now);
}

FaspRxArrival
fasp_rx_data (FaspRx *rx, FaspTime now, const FaspDataFrame *data, FaspMemory *memory)
{
  guint64 expected = fasp_reorder_get_highest (rx->reorder);
  guint64 old_ack = fasp_reorder_get_ack (rx->reorder);
  FaspReorderPiece piece = {
    .number = fasp_widen (data->block, FASP_BLOCK_BITS, expected),
    .flags = data->flags,
    .round = data->round,
    .index = data->index,
    .count = data->count,
    .segment = data->has_offset ? data->segment : FASP_SEGMENT_UNKNOWN,
    .offset = data->offset,
    .total = data->total,
    .media_time = fasp_media_clock_widen (&rx->view.clock,
        fasp_widen (data->block, FASP_BLOCK_BITS, expected), data->media_time, now),
    .data = data->payload,
    .size = data->payload_size,
    .memory = memory,
  };
  FaspRxArrival arrival = { piece.number, piece.media_time, FALSE };

  /* the protocol has no larger blocks, and they would only take memory */
  if (data->total > FASP_BLOCK_SIZE_MAX)
    return arrival;
  switch (fasp_reorder_insert (rx->reorder, now, &piece)) {
    case FASP_REORDER_STORED:
      arrival.fresh = TRUE;
      rx->counts.retransmissions += data->round > 0;
      rx->counts.rounds[MIN (data->round, FASP_ROUNDS - 1)]++;
      note_time (rx, now, &piece);
      block_came (rx, now, &piece, old_ack);
      pass_filled (rx, now);
      break;
    case FASP_REORDER_DUPLICATE:
      rx->counts.duplicates++;
      break;
    case FASP_REORDER_PARTIAL:
    case FASP_REORDER_OUTSIDE:
    case FASP_REORDER_INVALID:
      break;
  }
  fasp_feedback_data (&rx->feedback);
  return arrival;
}

void
fasp_rx_tail (FaspRx *rx, FaspTime now, guint64 end, gboolean all)
{
  fasp_reorder_note_highest (rx->reorder, end);
  fasp_feedback_asked (&rx->feedback, now, all);
}

void
fasp_rx_position (FaspRx *rx, guint64 number, const FaspStreamOffset *position)
{
  fasp_position_announce (&rx->position, fasp_reorder_get_read (rx->reorder), number, position);
}

/* Forgets the stream offsets of blocks below @end that will not come, to make room for others. */
static void
forget_positions (FaspRx *rx, guint64 end)
{
  FaspPosition *position = &rx->position;
  guint kept = 0;

  for (guint i = 0; i < position->n_announced; i++)
    if (position->announced[i].number >= end
        || fasp_reorder_get (rx->reorder, position->announced[i].number) != NULL)
      position->announced[kept++] = position->announced[i];
  position->n_announced = kept;
}

gboolean
fasp_rx_set_other_sources (FaspRx *rx, FaspTime now, const FaspOtherSources *others)
{
  gboolean changed = rx->others.stands_by != others->stands_by;

  rx->others = *others;
  /* the sender waits for this feedback to start or stop sending */
  if (changed)
    fasp_feedback_insist (&rx->feedback, now);
  return pass_filled (rx, now) || changed;
}

/* Gives up the missing blocks below @number. @why: a word for the log. */
static void
skip (FaspRx *rx, FaspTime now, guint64 number, const gchar *why)
{
  guint64 old_ack = fasp_reorder_get_ack (rx->reorder);
  FaspTime written = get_written (rx, now, number);
  guint64 given_up = fasp_reorder_skip_to (rx->reorder, number);

  if (given_up > 0)
    FASP_LOG (rx->log, now, BLOCKS_GIVEN_UP, old_ack, number, given_up, FASP_LOG_WORD (why));
  rx->counts.given_up += given_up;
  /* a hole before the first block that arrived does not count: the stream begins behind it */
  if (given_up > 0 && rx->view.late.lateness_in_order.count > 0)
    count_skips (rx, get_gap_start (rx, now, written, given_up), written);
  if (given_up > 0 && rx->view.late.is_behind)
    fasp_media_clock_catch_up (&rx->view.clock);
  forget_positions (rx, number);
  measure_in_order (rx, now, old_ack);
  fasp_feedback_now (&rx->feedback, now);
}

void
fasp_rx_skip (FaspRx *rx, FaspTime now, guint64 number)
{
  if (fasp_position_is_before (&rx->position, number, &rx->others.has))
    pass_to (rx, now, number);
  else
    skip (rx, now, number, "sender_skipped");
}

/* Has the reader the bytes of the block just taken, though their offset is not known? It has if a
 * block behind it begins where the reader has everything. */
static gboolean
is_old (const FaspRx *rx, const FaspBlock *block)
{
  return block->offset == FASP_OFFSET_UNKNOWN
      && fasp_position_is_any_before (&rx->position, &rx->others.has);
}

/* Takes the next block in order; NULL: there is none. FALSE: it was a mark, or bytes that the
 * reader has, not for the application; try again. */
static gboolean
take_one (FaspRx *rx, FaspBlock **block)
{
  FaspBlock *header;
  gboolean payload;

  *block = fasp_reorder_take (rx->reorder);
  if (*block == NULL)
    return TRUE;
  payload = fasp_position_take (&rx->position, *block);
  rx->discont |= ((*block)->flags & FASP_BLOCK_DISCONT) != 0;
  if (!payload && !fasp_block_is_end (*block)) {
    fasp_capture_map_take (&rx->view.capture, *block, &rx->position.next);
    header = fasp_stream_header_parts_take (&rx->header, *block);
    fasp_block_unref (*block);
    *block = header;
    return header != NULL;
  }
  if (payload && is_old (rx, *block)) {
    g_clear_pointer (block, fasp_block_unref);
    return FALSE;
  }
  if (rx->discont)
    (*block)->flags |= FASP_BLOCK_DISCONT;
  rx->discont = FALSE;
  if (!payload) {
    (*block)->flags |= FASP_BLOCK_EOS;
    rx->end.is_taken = TRUE;
  }
  return TRUE;
}

FaspBlock *
fasp_rx_take (FaspRx *rx, FaspTime now)
{
  FaspBlock *block;

  if (rx->end.is_taken)
    return NULL;
  while (!take_one (rx, &block))
    ;
  if (block == NULL)
    return NULL;
  fasp_feedback_taken (&rx->feedback, now);
  return block;
}

FaspCapture
fasp_rx_get_capture (const FaspRx *rx, FaspTime media)
{
  return fasp_capture_map_get (&rx->view.capture, &rx->position.next, media);
}

/* --- too late -------------------------------------------------------------------- */

/* The first block present behind the hole at ack, and its *number; NULL: there is no hole, or
 * nothing behind it. */
static const FaspBlock *
behind_hole (const FaspRx *rx, guint64 *number)
{
  guint64 start, length;

  if (!fasp_reorder_next_gap (rx->reorder, fasp_reorder_get_ack (rx->reorder), &start, &length))
    return NULL;
  *number = start + length;
  return fasp_reorder_get (rx->reorder, *number);
}

static FaspTime
get_give_up_time (const FaspRx *rx, FaspTime now)
{
  const FaspBlock *block;
  guint64 number;

  /* before the latency is known, no block is late */
  if (!rx->give_up || fasp_playout_is_unknown (&rx->view.playout))
    return FASP_NEVER;
  block = behind_hole (rx, &number);
  return block == NULL ? FASP_NEVER :
                         fasp_media_clock_map (&rx->view.clock, number, block->media_time)
          + MAX (1, fasp_playout_get (&rx->view.playout, now));
}

static void
give_up (FaspRx *rx, FaspTime now)
{
  while (get_give_up_time (rx, now) <= now) {
    FaspTime written;
    guint64 number;

    if (behind_hole (rx, &number) == NULL)
      break;
    written = get_written (rx, now, number);
    rx->view.late.has_given_up = TRUE;
    skip (rx, now, number, "too_late");
    count_late (rx, now, written);
    g_return_if_fail (fasp_reorder_get_ack (rx->reorder) >= number);
  }
}

gboolean
fasp_rx_report_expired (FaspRx *rx, FaspTime now, FaspTime *media_time)
{
  /* in a group, EXPIRED of one member would affect all of them */
  if (!rx->give_up || !rx->view.late.is_behind || fasp_feedback_backs_off (&rx->feedback))
    return FALSE;
  rx->view.late.has_given_up = TRUE;
  *media_time = now - rx->view.clock.offset - fasp_playout_get (&rx->view.playout, now);
  return TRUE;
}

/* --- feedback ---------------------------------------------------------------------- */

void
fasp_rx_want_key_frame (FaspRx *rx)
{
  fasp_key_frame_want (&rx->key_frame);
}

void
fasp_rx_run (FaspRx *rx, FaspTime now)
{
  recover (rx, now);
  give_up (rx, now);
  if (fasp_key_frame_take (&rx->key_frame, now))
    fasp_feedback_wish (&rx->feedback, now);
}

FaspTime
fasp_rx_get_timeout (const FaspRx *rx, FaspTime now)
{
  return fasp_sooner (get_give_up_time (rx, now), fasp_key_frame_get_time (&rx->key_frame));
}

void
fasp_rx_fill_feedback (FaspRx *rx, FaspTime now, FaspFeedback *feedback, gsize room)
{
  feedback->has = rx->others.has;
  feedback->stands_by = rx->others.stands_by;
  feedback->latency = (fasp_playout_get (&rx->view.playout, now) + FASP_MSEC - 1) / FASP_MSEC;
  feedback->skips = rx->view.late.rows;
  feedback->wanted = rx->key_frame.passed_on;
  fasp_feedback_fill (&rx->feedback, feedback, room);
}

void
fasp_rx_get_stats (const FaspRx *rx, FaspSessionStats *stats)
{
  stats->received.blocks = rx->counts.blocks;
  stats->received.bytes = rx->counts.payload;
  stats->received.blocks_rtx = rx->counts.retransmissions;
  stats->received.blocks_duplicate = rx->counts.duplicates;
  stats->received.repairs = rx->counts.repairs;
  stats->received.recovered = rx->counts.recovered;
  stats->received.too_late = rx->counts.given_up;
  stats->received.feedback = rx->feedback.count;
  stats->latency.skips = rx->view.late.skips;
  stats->key_frames_wanted = rx->key_frame.passed_on;
  stats->clock.ppm = rx->view.skew.known ? -rx->view.skew.skew * 1e6 : 0;
  stats->clock.jumps = rx->view.clock.jumps;
  stats->received.buffer_blocks =
      fasp_reorder_get_highest (rx->reorder) - fasp_reorder_get_read (rx->reorder);
  stats->received.buffer_bytes = fasp_rx_get_bytes (rx);
  memcpy (stats->rounds, rx->counts.rounds, sizeof (stats->rounds));
}
