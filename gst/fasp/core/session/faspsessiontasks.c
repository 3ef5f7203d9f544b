/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessiontasks.c: what a session does, and when: a table of its tasks.
 *
 * A look at all tasks also finds until when the sender is calm: nothing but the stream is due
 * before that time, unless something else changes the session (fasp_session_touch()), or what is
 * sent of the stream makes a task due (is_calm()). Until then only the stream is polled, so that a
 * block costs no look at all tasks, though it may be the only one that a receiver gets at that
 * time.
 */
#include "faspsessionprivate.h"

/* A task of a session: a kind of datagram that it may have to send. */
typedef struct
{
  /* When there may be something to send, or the endpoint has to act.  Changes nothing. */
  FaspTime (*get_time) (const FaspSession *session, FaspTime now);
  /* TRUE: *datagram must leave. NULL: the endpoint acts, and no datagram is made. */
  gboolean (*poll) (FaspSession *session, FaspTime now, FaspDatagram *datagram);
  gboolean is_paced;  /* the task waits for the sender's pacer */
  gboolean is_shared; /* the task also waits for the session's share of the endpoint's total rate */
} FaspTask;

/* When a receiver must give up a late block, or ask for a key frame. */
static FaspTime
get_reading_time (const FaspSession *session, FaspTime now)
{
  return fasp_rx_get_timeout (session->rx, now);
}

static gboolean
poll_reading (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  fasp_rx_run (session->rx, now);
  return FALSE;
}

/* One datagram of the stream. */
static gboolean
poll_stream (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  return fasp_session_poll_stream (session, now, datagram, 1) > 0;
}

/* When the endpoint must deliver blocks that were held back. */
static FaspTime
get_hold_time (const FaspSession *session, FaspTime now)
{
  FaspTime end = fasp_session_get_hold_end (session);

  return end > 0 ? end : FASP_NEVER;
}

/* When the endpoint may have to report a flow that does not carry
 * (fasp_session_look_for_outages()). */
static FaspTime
get_outage_time (const FaspSession *session, FaspTime now)
{
  FaspTime time = FASP_NEVER;

  if (session->n_flows == 1)
    return FASP_NEVER;
  for (guint i = 0; i < session->n_flows; i++)
    time = fasp_sooner (time, fasp_outage_get_timeout (&session->flows[i].outage));
  return time;
}

/* When the endpoint must interrupt or end the session if the peer stays silent. */
static FaspTime
get_silence_time (const FaspSession *session, FaspTime now)
{
  FaspTime silent = fasp_session_get_silent_since (session);
  FaspTime end = silent + session->liveness.resume_timeout;

  return session->liveness.interrupted ?
      end :
      fasp_sooner (end,
          fasp_sooner (silent + fasp_session_get_idle_timeout (session),
              fasp_session_get_refused_time (session)));
}

/* When the session is over though the peer has not answered CLOSE. */
static FaspTime
get_close_end (const FaspSession *session, FaspTime now)
{
  return session->closing.deadline;
}

/* clang-format off */
/* The tasks of a session, in the order in which they are looked at. Those without `poll' come last,
 * then END. */
#define END { NULL, NULL, FALSE }
static const FaspTask SENDER[] = {
  { fasp_session_get_pong_time, fasp_session_poll_pong, TRUE, TRUE },
  { fasp_session_get_challenge_time, fasp_session_poll_challenge, TRUE },
  { fasp_session_get_probe_time, fasp_session_poll_probe, TRUE, TRUE },
  { fasp_session_get_next_ping_time, fasp_session_poll_ping, TRUE },
  { fasp_session_get_agree_time, fasp_session_poll_agree, TRUE },
  { fasp_session_get_quiet_time, fasp_session_poll_quiet, TRUE },
  { fasp_session_get_promise_time, fasp_session_poll_promise, TRUE },
  { fasp_session_get_speaker_time, fasp_session_poll_speaker, TRUE },
  { fasp_session_get_stream_time, poll_stream, TRUE, TRUE },
  { get_outage_time, NULL, TRUE },
  { get_silence_time, NULL, FALSE },
  END
};

static const FaspTask RECEIVER[] = {
  { get_reading_time, poll_reading, FALSE },
  { fasp_session_get_pong_time, fasp_session_poll_pong, FALSE },
  { fasp_session_get_feedback_time, fasp_session_poll_feedback, FALSE },
  { fasp_session_get_challenge_time, fasp_session_poll_challenge, FALSE },
  { fasp_session_get_next_ping_time, fasp_session_poll_ping, FALSE },
  { fasp_session_get_agree_time, fasp_session_poll_agree, FALSE },
  { fasp_session_get_quiet_time, fasp_session_poll_quiet, FALSE },
  { get_hold_time, NULL, FALSE },
  { get_outage_time, NULL, FALSE },
  { get_silence_time, NULL, FALSE },
  END
};

/* Until an address of the peer is proved, only these datagrams are sent. */
static const FaspTask UNPROVED[] = {
  { fasp_session_get_pong_time, fasp_session_poll_pong, FALSE },
  { fasp_session_get_challenge_time, fasp_session_poll_challenge, FALSE },
  { get_silence_time, NULL, FALSE },
  END
};
/* While the session repeats CLOSE. */
static const FaspTask CLOSING[] = {
  { fasp_session_get_pong_time, fasp_session_poll_pong, FALSE },
  { fasp_session_get_challenge_time, fasp_session_poll_challenge, FALSE },
  { fasp_session_get_close_time, fasp_session_poll_close, FALSE },
  { get_close_end, NULL, FALSE },
  END
};
/* clang-format on */

static const FaspTask *
get_tasks (const FaspSession *session)
{
  if (session->state == FASP_SESSION_CLOSING)
    return CLOSING;
  if (!session->is_proved)
    return UNPROVED;
  return session->role == FASP_ROLE_SENDER ? SENDER : RECEIVER;
}

/* A key that the peer does not let us replace is used for twice the intended number of datagrams at
 * most. */
static gboolean
is_worn (const FaspSession *session)
{
  return session->priv->keys.cipher != FASP_CIPHER_NONE
      && session->priv->rekeying.datagrams >= 2 * session->priv->rekeying.limit;
}

/* Is none of the tasks due but the stream? What was sent of the stream may have made one due. */
static gboolean
is_calm (const FaspSession *session, FaspTime now)
{
  return now < session->calm_until && !is_worn (session)
      && now < fasp_session_get_rekey_time (session)
      && !fasp_path_estimate_begins (fasp_tx_get_estimate (session->tx),
          fasp_tx_view (session->tx)->counts.blocks_sent);
}

void
fasp_session_touch (FaspSession *session)
{
  session->calm_until = 0;
}

/* Makes the first datagram that is due. */
static guint
poll_tasks (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  gboolean is_ready = FALSE;

  for (const FaspTask *task = get_tasks (session); task->poll != NULL; task++) {
    if (task->is_paced && !is_ready) {
      is_ready = fasp_session_is_ready (session, now);
      if (!is_ready)
        return 0;
    }
    if (task->is_shared && !fasp_session_is_let (session, now))
      continue;
    if (task->poll (session, now, datagram)) {
      if (task->poll == poll_stream)
        session->calm_until = now + 1;
      return 1;
    }
  }
  return 0;
}

guint
fasp_session_poll (FaspSession *session, FaspTime now, FaspDatagram *datagrams, guint max)
{
  switch (session->state) {
    case FASP_SESSION_ASKING:
    case FASP_SESSION_HALF:
      return 0;
    case FASP_SESSION_CLOSING:
      return poll_tasks (session, now, datagrams);
    case FASP_SESSION_CLOSED:
      return fasp_session_poll_close (session, now, datagrams);
    case FASP_SESSION_OPEN:
      break;
  }
  if (is_calm (session, now)) {
    fasp_session_follow_rate (session, now);
    return fasp_session_is_ready (session, now) && fasp_session_is_let (session, now) ?
        fasp_session_poll_stream (session, now, datagrams, max) :
        0;
  }
  session->calm_until = 0;
  if (session->is_proved) {
    if (is_worn (session)) {
      fasp_session_close (session, now, FASP_REASON_STOPPED,
          "it never confirms that it has the new key");
      return fasp_session_poll_close (session, now, datagrams);
    }
    fasp_session_follow_rate (session, now);
  }
  return poll_tasks (session, now, datagrams);
}

/* While the session is calm, the time of its stream will do, if that comes first. */
static FaspTime
get_task_timeout (FaspSession *session, FaspTime now)
{
  const FaspTask *tasks = get_tasks (session);
  gboolean waits = fasp_total_waits (&session->shared.share);
  FaspTime paced = FASP_NEVER, unpaced = FASP_NEVER, calm = FASP_NEVER, wake = 0, stream;

  if (tasks == SENDER)
    wake = fasp_sooner (fasp_pacer_get_wake (&session->pacer, now, session->sizes.wire_max),
        session->paths.until);
  stream = fasp_later (session->stream_time, wake);
  if (tasks == SENDER && now < session->calm_until && stream <= session->calm_until && !waits)
    return stream;
  for (const FaspTask *task = tasks; task->get_time != NULL; task++) {
    FaspTime time = task->get_time (session, now);

    if (task->poll != poll_stream)
      calm = fasp_sooner (calm, time);
    if (task->is_shared && waits)
      continue; /* these tasks wait in the endpoint's scheduler */
    if (task->is_paced)
      paced = fasp_sooner (paced, time);
    else
      unpaced = fasp_sooner (unpaced, time);
  }
  session->calm_until = tasks == SENDER && !session->group.member.joined ? calm : 0;
  return fasp_sooner (fasp_later (paced, wake), unpaced);
}

FaspTime
fasp_session_get_timeout (FaspSession *session, FaspTime now)
{
  switch (session->state) {
    case FASP_SESSION_ASKING:
    case FASP_SESSION_HALF:
      return session->liveness.created + FASP_HALF_TIMEOUT;
    case FASP_SESSION_CLOSED:
      /* after its deadline, the session stays until the application has read the rest */
      return session->closing.deadline > now ?
          MIN (session->closing.time, session->closing.deadline) :
          session->closing.time;
    case FASP_SESSION_CLOSING:
    case FASP_SESSION_OPEN:
      break;
  }
  return get_task_timeout (session, now);
}

/* The interval between new blocks to all peers in the same state. Those that report share the pace
 * of one receiver, so that a single one is not slowed down. */
static FaspTime
get_newcomers_interval (const FaspSession *session)
{
  guint64 rate = session->pacer.ready.rate;

  if (fasp_tx_view (session->tx)->peer == FASP_TX_UNHEARD)
    return FASP_UNHEARD_EVERY;
  return session->sizes.wire_max * 8 * FASP_SEC / (rate > 0 ? rate : FASP_NEWCOMERS_RATE);
}

/* Schedules the next block of a peer that has acknowledged nothing among those of all such
 * peers. */
static void
wait_as_newcomer (FaspSession *session, FaspTime now)
{
  const FaspTxCounts *counts = &fasp_tx_view (session->tx)->counts;
  FaspTxPeer peer = fasp_tx_view (session->tx)->peer;
  FaspTime *next = &session->shared.newcomer_times[peer];
  FaspTime interval = get_newcomers_interval (session);
  FaspTime time = now;

  if (!fasp_tx_waits_as_newcomer (session->tx))
    return;
  /* the first blocks of a peer that reports do not wait, so that an honest peer can acknowledge
   * them however many others call */
  if (peer == FASP_TX_UNHEARD
      || counts->blocks_sent + counts->blocks_resent >= FASP_NEWCOMER_BLOCKS) {
    /* the first packets after a pause leave together, as an initial window does */
    if (peer == FASP_TX_REPORTS)
      *next = MAX (*next, now - FASP_NEWCOMERS_BURST * interval);
    time = MAX (*next, now);
    *next = (peer == FASP_TX_REPORTS ? *next : time) + interval;
  }
  fasp_tx_set_fresh_time (session->tx, time);
}

/* Schedules the next new block. */
static void
place_fresh (FaspSession *session, FaspTime now, FaspTime quantum, gboolean waits)
{
  FaspPacer *pacer = &session->pacer;
  FaspTime time;

  if (pacer->quantum != MAX (quantum, FASP_PACER_QUANTUM)) {
    pacer->quantum = MAX (quantum, FASP_PACER_QUANTUM);
    fasp_session_set_pace (session, now, pacer->ready.rate);
  }
  if (quantum < FASP_PACER_QUANTUM)
    time = now;
  else if (waits)
    time = now + quantum;
  else if (fasp_pacer_get_time (pacer, now, session->sizes.wire_max) > now)
    time = fasp_pacer_get_wake (pacer, now, session->sizes.wire_max);
  else /* the rate may have changed since the time was computed, so it is at most @quantum away */
    time = MIN (fasp_tx_get_fresh_time (session->tx), now + quantum);
  fasp_tx_set_fresh_time (session->tx, time);
}

void
fasp_session_end_round (FaspSession *session, FaspTime now, FaspTime quantum, gboolean waits)
{
  if (session->role != FASP_ROLE_SENDER)
    return;
  if (fasp_tx_view (session->tx)->peer != FASP_TX_TAKES)
    wait_as_newcomer (session, now);
  else
    place_fresh (session, now, quantum, waits);
  if (session->state == FASP_SESSION_OPEN && session->is_proved)
    fasp_session_look_ahead (session, now,
        waits && session->is_drained && fasp_tx_view (session->tx)->peer == FASP_TX_TAKES);
  else
    fasp_session_leave_total (session);
  session->is_drained = FALSE;
}
