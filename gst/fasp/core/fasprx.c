/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasprx.h"

/* Feedback that is asked for is still at least this far apart. */
#define SPACING FASP_MSEC
#define ALLOWANCE_MAX 8192
/* The regular clock is slow rather than take what losses will need. */
#define CLOCK_SPARES (ALLOWANCE_MAX * 3 / 4)
/* Slower by that while nothing is missing, if nobody is eager, */
#define CALM 4
/* and as slow as it gets while less has come since: so little the sender keeps gladly. */
#define LITTLE 65536            /* bytes */
/* But where so little comes that there are pauses, the sender would ask meanwhile. */
#define SPARSE 6000             /* bytes */
/* The window is told anew when more than such a part of it has opened. */
#define WINDOW_SHARE 4
/* Nothing to tell: now and then, as a sign of life. */
#define IDLE (500 * FASP_MSEC)
/* A new loss may use what other repetitions leave alone. */
#define REPEAT_SPARES (ALLOWANCE_MAX / 2)
#define FRESH_SPARES (ALLOWANCE_MAX / 8)
/* What is late within such a time is one skip. */
#define SKIP FASP_SEC
/* A repair that comes after the last of its window is waited for so long. */
#define REPAIR_GRACE (2 * FASP_MSEC)
/* It is no longer believed that there will be repairs, nor blocks kept for
 * them. */
#define REPAIRS_WITHIN (5 * FASP_SEC)
#define PATIENCE_FOR FASP_SEC
/* A member asks again for what is missing after so many halves of a round trip, at least: */
#define ASK_AGAIN 3
#define ASK_AGAIN_LEAST (10 * FASP_MSEC)
/* Unless it is told so again. */
#define SPEAKS_FOR (2 * FASP_SEC)
/* Blocks of which some may be recovered, per window. */
#define REMEMBERED 2

void
fasp_rx_init (FaspRx * rx, FaspTime now, guint64 start, guint32 capacity,
    const FaspLatency * agreed)
{
  memset (rx, 0, sizeof (*rx));
  rx->reorder = fasp_reorder_new (capacity, start);
  fasp_media_clock_init (&rx->clock);
  fasp_skew_init (&rx->skew);
  fasp_playout_init (&rx->playout, agreed);
  rx->last_late = now - SKIP;
  rx->first_data = FASP_NEVER;
  fasp_hist_init (&rx->lateness);
  fasp_hist_init (&rx->lateness_in_order);
  rx->least_from = rx->feedback_due = now;
  rx->feedback_sent = now - FASP_SEC;
  rx->allowance = ALLOWANCE_MAX;
  rx->interval = rx->interval_whole = FASP_FEEDBACK_CLOCK_MAX;
  rx->damp.time = FASP_NEVER;
}

void
fasp_rx_join (FaspRx * rx, guint64 seed, guint members, FaspTime back_off,
    guint clock_ms)
{
  rx->member = TRUE;
  fasp_damp_init (&rx->damp, seed);
  fasp_damp_set (&rx->damp, members, back_off, clock_ms);
}

gboolean
fasp_rx_is_damped (const FaspRx * rx)
{
  return rx->member && rx->damp.members > 1 && !rx->speaks;
}

void
fasp_rx_group (FaspRx * rx, FaspTime now, guint64 members, guint64 back_off_us,
    guint64 clock_ms)
{
  FaspTime before = rx->damp.clock;

  fasp_damp_set (&rx->damp, members, back_off_us, clock_ms);
  if (rx->damp.clock < before)
    rx->clock_since = now;
  /* nobody speaks at the same time for that: RFC 3550, section 6.3.4 */
  if (fasp_rx_is_damped (rx) && rx->damp.clock < before
      && rx->feedback_due > now)
    rx->feedback_due = now + (rx->feedback_due - now) * rx->damp.clock / before;
}

void
fasp_rx_speak (FaspRx * rx, FaspTime now)
{
  rx->speaks_until = now + SPEAKS_FOR;
}

void
fasp_rx_clear (FaspRx * rx)
{
  fasp_reorder_free (rx->reorder);
  rx->reorder = NULL;
  fasp_solver_free (rx->solver);
  rx->solver = NULL;
  fasp_header_parts_clear (&rx->header);
}

void
fasp_rx_set_fec (FaspRx * rx, FaspTime now, guint window)
{
  rx->solver_end = now + REPAIRS_WITHIN;
  rx->solver = fasp_solver_new (REMEMBERED * window);
}

/* --- when to speak ------------------------------------------------------------ */

static void
due (FaspRx * rx, FaspTime when)
{
  when = MAX (when, rx->feedback_sent + SPACING);
  rx->feedback_due = MIN (rx->feedback_due, when);
}

static void
speak_now (FaspRx * rx, FaspTime now, gboolean insist)
{
  if (insist)
    rx->repeats = 1;
  rx->owed = rx->allowance < 0;
  due (rx, rx->owed ? rx->feedback_sent + rx->interval : now);
}

static gboolean
is_missing_any (const FaspRx * rx)
{
  guint64 start, length;

  return fasp_reorder_next_gap (rx->reorder, 0, &start, &length);
}

/* Something is missing, perhaps to others, too. */
static void
ask (FaspRx * rx, FaspTime now)
{
  fasp_damp_ask (&rx->damp, now, fasp_reorder_get_highest (rx->reorder));
}

guint64
fasp_rx_tell_settled (FaspRx * rx)
{
  if (!fasp_rx_is_damped (rx))
    rx->damp.time = FASP_NEVER; /* it keeps nothing back, any more */
  return fasp_damp_tell (&rx->damp, rx->asks && fasp_rx_is_damped (rx));
}

/* Is anything still missing that a request was to be about? */
static gboolean
is_missing_asked (const FaspRx * rx)
{
  guint64 start, length;

  return fasp_reorder_next_gap (rx->reorder, 0, &start, &length)
      && start < rx->damp.end;
}

gboolean
fasp_rx_is_missing_unasked (const FaspRx * rx)
{
  guint64 start, length;

  return fasp_rx_is_damped (rx) && rx->damp.time == FASP_NEVER
      && fasp_reorder_next_gap (rx->reorder, rx->damp.end, &start, &length);
}

/* What was lost just now may be a block that is not known to exist yet. */
static gboolean
is_fresh (const FaspRx * rx)
{
  return rx->repeats > 0 && rx->repeats < FASP_FEEDBACK_FRESH;
}

/* When to say again what was said, as far as there is allowance for it. */
static void
repeat (FaspRx * rx)
{
  gint64 spare = rx->repeats <= FASP_FEEDBACK_FRESH ? FRESH_SPARES :
      REPEAT_SPARES;

  if (rx->repeats > 0 && rx->allowance >= spare && !fasp_rx_is_damped (rx))
    due (rx, rx->feedback_sent + FASP_FEEDBACK_REPEAT (MAX (rx->repeats,
                2) - 2));
}

void
fasp_rx_speak_up (FaspRx * rx, FaspTime now)
{
  speak_now (rx, now, FALSE);
}

/* While nothing is missing. */
static FaspTime
choose_calm_interval (const FaspRx * rx, FaspTime now, gsize size)
{
  FaspTime calm = MIN (CALM * rx->interval, FASP_FEEDBACK_CLOCK_MAX);
  gboolean is_sparse = rx->came < SPARSE && now - rx->feedback_sent >= calm;

  if (rx->allowance < CLOCK_SPARES || rx->speaks)
    return FASP_FEEDBACK_CLOCK_MAX;
  if (rx->eager)
    return rx->interval;
  return is_sparse
      || rx->came + size >= LITTLE ? calm : FASP_FEEDBACK_CLOCK_MAX;
}

void
fasp_rx_datagram (FaspRx * rx, FaspTime now, gsize size, FaspTime smoothed_rtt)
{
  FaspTime elapsed = now - rx->least_from;
  gint64 least = MIN (elapsed * FASP_FEEDBACK_LEAST / FASP_SEC,
      (gint64) size / FASP_FEEDBACK_SHARE_MOST);
  gint64 allowance = MAX (least, (gint64) size / FASP_FEEDBACK_SHARE);

  rx->speaks = now < rx->speaks_until;
  /* what a small one does not take is there for the next */
  rx->least_from = CLAMP (rx->least_from + allowance * FASP_SEC /
      FASP_FEEDBACK_LEAST, now - FASP_SEC, now + FASP_SEC);
  rx->allowance = MIN (rx->allowance + allowance, ALLOWANCE_MAX);
  if (rx->owed && rx->allowance >= 0) {
    rx->owed = FALSE;
    due (rx, now);
  }
  repeat (rx);
  rx->rtt = smoothed_rtt;
  rx->interval = FASP_FEEDBACK_CLOCK (smoothed_rtt);
  rx->interval_whole = choose_calm_interval (rx, now, size);
  rx->came += size;
}

void
fasp_rx_settled (FaspRx * rx, FaspTime now)
{
  if (fasp_rx_is_damped (rx))
    ask (rx, now);
  else
    speak_now (rx, now, TRUE);
}

/* As the way back allows. */
static FaspTime
get_due (const FaspRx * rx)
{
  return fasp_later (rx->feedback_due, fasp_allowance_get_time (&rx->budget));
}

FaspTime
fasp_rx_get_timeout (const FaspRx * rx)
{
  return fasp_sooner (get_due (rx), rx->damp.time);
}

gboolean
fasp_rx_is_due (FaspRx * rx, FaspTime now)
{
  FaspDamp *damp = &rx->damp;

  if (damp->time <= now) {
    damp->time = FASP_NEVER;
    if (is_missing_asked (rx)) {
      rx->asks = TRUE;
      speak_now (rx, now, FALSE);
    } else {
      fasp_damp_tell (damp, TRUE);      /* it is all here */
      if (is_missing_any (rx))
        ask (rx, now);
    }
  }
  return get_due (rx) <= now;
}

/* The next, of a member. */
static void
plan_damped (FaspRx * rx, FaspTime now)
{
  FaspDamp *damp = &rx->damp;

  rx->feedback_due = now + fasp_damp_draw_clock (damp);
  if (damp->time == FASP_NEVER && is_missing_asked (rx))
    fasp_damp_ask_again (damp, now + MAX (ASK_AGAIN * rx->rtt / 2,
            ASK_AGAIN_LEAST));
  /* and what was lost since, in its own time */
  if (damp->known > damp->told)
    ask (rx, now);
}

void
fasp_rx_feedback_sent (FaspRx * rx, FaspTime now, gsize size)
{
  rx->feedbacks++;
  rx->feedback_sent = now;
  rx->came = 0;
  rx->owed = FALSE;
  rx->allowance = MAX (rx->allowance - (gint64) size, -ALLOWANCE_MAX);
  fasp_allowance_spend (&rx->budget, now, size);
  rx->told_taken = fasp_reorder_get_taken (rx->reorder);
  if (rx->part_from > 0 && rx->allowance >= 0) {
    rx->feedback_due = now + SPACING;   /* the list goes on */
  } else if (fasp_rx_is_damped (rx)) {
    plan_damped (rx, now);
  } else if (is_missing_any (rx) || is_fresh (rx)) {
    rx->feedback_due = now + rx->interval;
    rx->repeats += rx->repeats > 0;
    repeat (rx);
  } else {
    rx->repeats = 0;
    rx->feedback_due = now + IDLE;
  }
  rx->asks = FALSE;
}

/* --- what comes in --------------------------------------------------------------- */

static void
count_skip (FaspRx * rx, FaspTime now)
{
  if (now - rx->last_late >= SKIP)
    rx->skips++;
  rx->last_late = now;
}

/* Blocks in [from, ack) have just become deliverable. */
static void
measure_in_order (FaspRx * rx, FaspTime now, guint64 from)
{
  FaspTime latency = fasp_playout_get (&rx->playout, now);

  /* a skip can move ack as far as it likes; blocks are in the window only */
  guint64 start = MAX (from, fasp_reorder_get_read (rx->reorder));
  guint64 end = MIN (fasp_reorder_get_ack (rx->reorder),
      fasp_reorder_get_limit (rx->reorder));

  for (guint64 n = fasp_reorder_next_here (rx->reorder, start); n < end;
      n = fasp_reorder_next_here (rx->reorder, n + 1)) {
    const FaspBlock *block = fasp_reorder_get (rx->reorder, n);
    FaspTime late;

    /* the end may be said long after the last byte, and is not played */
    if (fasp_block_is_end (block))
      continue;
    late = now - fasp_media_clock_map (&rx->clock, n, block->media_time);
    fasp_hist_add (&rx->lateness_in_order, late);
    if (latency > 0 && late > latency)
      count_skip (rx, now);
  }
}

/* A block that is here, for others to be recovered by; as long as there are
 * repairs. */
static void
remember (FaspRx * rx, FaspTime now, guint64 number)
{
  if (rx->solver == NULL)
    return;
  if (now < rx->solver_end) {
    fasp_solver_know (rx->solver, (FaspBlock *) fasp_reorder_get (rx->reorder,
            number));
  } else if (rx->solver_end > 0) {
    fasp_solver_forget (rx->solver);
    rx->solver_end = 0;
  }
}

/* Does what comes come too late?  Then the sender need not send what else it has of that
 * time.  What was not sent before has waited there, and what follows it is too late by the time
 * that the sender hears of it. */
static void
note_behind (FaspRx * rx, FaspTime now, FaspTime lateness, guint round)
{
  gboolean was = rx->behind;
  FaspTime latency;

  if (!rx->give_up)
    return;
  latency = fasp_playout_get (&rx->playout, now);
  rx->behind = latency > 0 && lateness > latency - (round > 0 ? 0 :
      MIN (rx->rtt, latency / 2));
  if (rx->behind && !was && !fasp_rx_is_damped (rx))
    speak_now (rx, now, FALSE);
}

/* A block is here, however it came. @from: what was acknowledged before. */
static void
block_came (FaspRx * rx, FaspTime now, const FaspReorderPiece * piece,
    guint64 from)
{
  gboolean end = (piece->flags & FASP_BLOCK_MARK) != 0 && piece->total == 0;

  rx->first_data = MIN (rx->first_data, now);
  rx->blocks++;
  if ((piece->flags & FASP_BLOCK_MARK) == 0)
    rx->payload += piece->total;
  if (end) {
    rx->has_eos = TRUE;
    rx->eos = piece->number;
  } else {
    FaspTime lateness = now - fasp_media_clock_map (&rx->clock, piece->number,
        piece->media_time);

    fasp_hist_add (&rx->lateness, lateness);
    note_behind (rx, now, lateness, piece->round);
  }
  remember (rx, now, piece->number);
  measure_in_order (rx, now, from);
  if (!rx->has_eos || fasp_reorder_get_ack (rx->reorder) <= rx->eos)
    return;
  if (fasp_rx_is_damped (rx))
    due (rx, now + fasp_damp_draw_turn (&rx->damp));
  else
    speak_now (rx, now, TRUE);
}

/* For other blocks to be recovered by it. */
static void
know_recovered (FaspRx * rx, const FaspReorderPiece * piece)
{
  FaspBlock *block = fasp_block_new (piece->size);

  block->number = piece->number;
  block->flags = piece->flags;
  block->media_time = piece->media_time;
  block->size = piece->size;
  if (piece->size > 0)
    memcpy (block->data, piece->data, piece->size);
  fasp_solver_know (rx->solver, block);
  fasp_block_unref (block);
}

void
fasp_rx_recover (FaspRx * rx, FaspTime now)
{
  FaspRecovered recovered;

  while (rx->solver != NULL && fasp_solver_take (rx->solver, &recovered)) {
    guint64 old_ack = fasp_reorder_get_ack (rx->reorder);
    FaspReorderPiece piece = {
      .number = recovered.number,
      .flags = recovered.flags,
      .count = 1,
      .total = recovered.size,
      .media_time = fasp_media_clock_widen (&rx->clock, recovered.number,
          recovered.media_time, now),
      .data = recovered.data,
      .size = recovered.size,
    };

    if (fasp_reorder_insert (rx->reorder, now, &piece) != FASP_REORDER_STORED) {
      know_recovered (rx, &piece);      /* given up, or beyond the window */
      continue;
    }
    rx->recovered++;
    rx->rounds[0]++;
    block_came (rx, now, &piece, old_ack);
  }
}

FaspTime
fasp_rx_get_patience (const FaspRx * rx, FaspTime now)
{
  return now < rx->patience_end ? rx->patience : 0;
}

void
fasp_rx_repair (FaspRx * rx, FaspTime now, const FaspFrame * frame)
{
  if (rx->solver == NULL)
    return;
  rx->repairs++;
  rx->patience = frame->span == 0 ? 0 : MIN (frame->span * FASP_MSEC +
      REPAIR_GRACE, FASP_FEEDBACK_CLOCK_MAX);
  rx->patience_end = now + PATIENCE_FOR;
  rx->solver_end = now + REPAIRS_WITHIN;
  fasp_solver_repair (rx->solver, fasp_widen (frame->block, FASP_BLOCK_BITS,
          fasp_reorder_get_highest (rx->reorder)), frame->blocks, frame->key,
      frame->payload, frame->payload_size);
}

/* What it tells of the sender's clock. */
static void
note_time (FaspRx * rx, FaspTime now, const FaspReorderPiece * piece)
{
  rx->clock.tolerated = rx->give_up ? fasp_playout_get (&rx->playout, now) : 0;
  if (fasp_media_clock_arrived (&rx->clock, piece->number, piece->media_time,
          now))
    fasp_skew_jumped (&rx->skew);
  if (fasp_media_clock_is_current (&rx->clock, piece->number))
    fasp_skew_arrived (&rx->skew, piece->media_time, now);
}

FaspRxArrival
fasp_rx_data (FaspRx * rx, FaspTime now, const FaspFrame * frame)
{
  guint64 expected = fasp_reorder_get_highest (rx->reorder);
  guint64 old_ack = fasp_reorder_get_ack (rx->reorder);
  FaspReorderPiece piece = {
    .number = fasp_widen (frame->block, FASP_BLOCK_BITS, expected),
    .flags = frame->flags,
    .round = frame->round,
    .index = frame->index,
    .count = frame->count,
    .total = frame->total,
    .media_time = fasp_media_clock_widen (&rx->clock,
        fasp_widen (frame->block, FASP_BLOCK_BITS, expected),
        frame->media_time, now),
    .data = frame->payload,
    .size = frame->payload_size,
    .memory = frame->memory,
  };
  FaspRxArrival arrival = { piece.number, piece.media_time, FALSE };

  /* what no sender makes would only take memory */
  if (frame->total > FASP_BLOCK_SIZE_MAX)
    return arrival;
  switch (fasp_reorder_insert (rx->reorder, now, &piece)) {
    case FASP_REORDER_STORED:
      arrival.fresh = TRUE;
      rx->rexes += frame->round > 0;
      rx->rounds[MIN (frame->round, FASP_ROUNDS - 1)]++;
      note_time (rx, now, &piece);
      block_came (rx, now, &piece, old_ack);
      break;
    case FASP_REORDER_DUPLICATE:
      rx->duplicates++;
      break;
    case FASP_REORDER_PARTIAL:
    case FASP_REORDER_OUTSIDE:
    case FASP_REORDER_INVALID:
      break;
  }
  if (!fasp_rx_is_damped (rx))
    due (rx, rx->feedback_sent + (is_missing_any (rx) ?
            rx->interval : rx->interval_whole));
  return arrival;
}

void
fasp_rx_tail (FaspRx * rx, FaspTime now, guint64 end, gboolean all)
{
  fasp_reorder_note_highest (rx->reorder, end);
  if (!all || !fasp_rx_is_damped (rx))
    speak_now (rx, now, FALSE);
  else if (is_missing_any (rx))
    ask (rx, now);
}

void
fasp_rx_position (FaspRx * rx, guint64 number, const FaspPlace * place)
{
  fasp_position_told (&rx->position, fasp_reorder_get_read (rx->reorder),
      number, place);
}

/* Of blocks that will not come: they would take the place of those that do. */
static void
forget_positions (FaspRx * rx, guint64 end)
{
  FaspPosition *position = &rx->position;
  guint kept = 0;

  for (guint i = 0; i < position->n_told; i++)
    if (position->told[i].number >= end
        || fasp_reorder_get (rx->reorder, position->told[i].number) != NULL)
      position->told[kept++] = position->told[i];
  position->n_told = kept;
}

void
fasp_rx_skip (FaspRx * rx, FaspTime now, guint64 number)
{
  guint64 old_ack = fasp_reorder_get_ack (rx->reorder);
  guint64 given_up = fasp_reorder_skip_to (rx->reorder, number);

  rx->given_up += given_up;
  if (given_up > 0 && rx->behind)
    fasp_media_clock_catch_up (&rx->clock);
  forget_positions (rx, number);
  measure_in_order (rx, now, old_ack);
  speak_now (rx, now, FALSE);
}

/* A block in order, or NULL. TRUE: it is for the application. */
static gboolean
take_one (FaspRx * rx, FaspBlock ** block)
{
  FaspBlock *header;
  gboolean payload;

  *block = fasp_reorder_take (rx->reorder);
  if (*block == NULL)
    return TRUE;
  payload = fasp_position_take (&rx->position, *block);
  rx->discont |= ((*block)->flags & FASP_BLOCK_DISCONT) != 0;
  if (!payload && !fasp_block_is_end (*block)) {
    header = fasp_header_parts_take (&rx->header, *block);
    fasp_block_unref (*block);
    *block = header;
    return header != NULL;
  }
  if (rx->discont)
    (*block)->flags |= FASP_BLOCK_DISCONT;
  rx->discont = FALSE;
  if (!payload) {
    (*block)->flags |= FASP_BLOCK_EOS;
    rx->complete = TRUE;
  }
  return TRUE;
}

FaspBlock *
fasp_rx_take (FaspRx * rx, FaspTime now)
{
  FaspBlock *block;
  guint64 opened;

  if (rx->complete)
    return NULL;
  while (!take_one (rx, &block));
  if (block == NULL)
    return NULL;
  /* a sender whose window was closed waits for this */
  opened = fasp_reorder_get_taken (rx->reorder) - rx->told_taken;
  if (opened > fasp_reorder_get_capacity (rx->reorder) / WINDOW_SHARE)
    speak_now (rx, now, TRUE);
  return block;
}

/* --- too late -------------------------------------------------------------------- */

/* The first block present behind the hole at ack, NULL when there is no
 * hole or nothing behind it. */
static const FaspBlock *
behind_hole (const FaspRx * rx, guint64 * number)
{
  guint64 start, length;

  if (!fasp_reorder_next_gap (rx->reorder, fasp_reorder_get_ack (rx->reorder),
          &start, &length))
    return NULL;
  *number = start + length;
  return fasp_reorder_get (rx->reorder, *number);
}

FaspTime
fasp_rx_get_give_up_time (const FaspRx * rx, FaspTime now)
{
  const FaspBlock *block;
  guint64 number;

  /* nothing is late before it is known what late is */
  if (!rx->give_up || fasp_playout_is_unknown (&rx->playout))
    return FASP_NEVER;
  block = behind_hole (rx, &number);
  return block == NULL ? FASP_NEVER :
      fasp_media_clock_map (&rx->clock, number,
      block->media_time) + MAX (1, fasp_playout_get (&rx->playout, now));
}

void
fasp_rx_give_up (FaspRx * rx, FaspTime now)
{
  while (fasp_rx_get_give_up_time (rx, now) <= now) {
    guint64 number;

    if (behind_hole (rx, &number) == NULL)
      break;
    count_skip (rx, now);
    rx->gave_up = TRUE;
    fasp_rx_skip (rx, now, number);
    g_return_if_fail (fasp_reorder_get_ack (rx->reorder) >= number);
  }
}

gboolean
fasp_rx_tell_expired (FaspRx * rx, FaspTime now, FaspTime * media_time)
{
  /* what a member lacks is sent to all of them */
  if (!rx->give_up || !rx->behind || fasp_rx_is_damped (rx))
    return FALSE;
  rx->gave_up = TRUE;
  *media_time = now - rx->clock.offset - fasp_playout_get (&rx->playout, now);
  return TRUE;
}

/* --- what is told ------------------------------------------------------------------ */

void
fasp_rx_fill_feedback (FaspRx * rx, FaspTime now, FaspFeedback * feedback,
    gsize room)
{
  guint64 ack = fasp_reorder_get_ack (rx->reorder);
  guint64 highest = fasp_reorder_get_highest (rx->reorder);
  guint64 at = MAX (ack, rx->part_from), start, length;

  feedback->ack = ack;
  feedback->window = fasp_reorder_get_window (rx->reorder);
  feedback->latency = (fasp_playout_get (&rx->playout, now) + FASP_MSEC -
      1) / FASP_MSEC;
  feedback->skips = rx->skips;
  feedback->from = at;
  feedback->end = highest;
  feedback->tail = TRUE;
  feedback->n_ranges = 0;
  rx->part_from = 0;
  while (fasp_reorder_next_gap (rx->reorder, at, &start, &length)) {
    guint size = fasp_wire_range_size (start - at, length);

    if (size > room || feedback->n_ranges == FASP_RANGES_MAX) {
      /* speak of what fits; the rest follows in a part of its own */
      feedback->end = at;
      feedback->tail = FALSE;
      rx->part_from = at;
      return;
    }
    room -= size;
    feedback->ranges[feedback->n_ranges++] = (FaspRange) {
    start, length};
    at = start + length;
  }
}
