/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspiothread.c: the thread of an endpoint. It sends what is due, reports what has
 * happened, and sleeps until something arrives, a timer is due, or another thread has
 * something for it.
 */
#include <sys/prctl.h>
#include "faspioprivate.h"

/* How often to look for interfaces that have moved. */
#define FOLLOW_EVERY FASP_SEC
/* Events are few; what does not fit waits for the next turn. */
#define EVENTS_BATCH 16

/* --- reporting ---------------------------------------------------------------------- */

/* Has anything happened that a waiting thread has to see? */
static gboolean
has_news (FaspIo *io)
{
  if (io->failed || io->ended)
    return TRUE;
  if (io->role == FASP_ROLE_RECEIVER)
    return fasp_endpoint_can_read (io->guard.endpoint);
  return fasp_endpoint_can_write (io->guard.endpoint)
      || fasp_endpoint_is_drained (io->guard.endpoint);
}

/* With the guard held. */
static void
tell_waiters (FaspIo *io)
{
  if ((io->waiters == 0 && io->news == NULL) || !has_news (io))
    return;
  g_cond_broadcast (&io->changed);
  if (io->news != NULL)
    io->news (io->news_data);
}

static void
note_event (FaspIo *io, const FaspEvent *event)
{
  gboolean receiver = io->role == FASP_ROLE_RECEIVER;
  gboolean finished = event->reason == FASP_REASON_FINISHED;

  if (receiver && event->type == FASP_EVENT_REMOVED && !finished) {
    io->ended = TRUE;
    io->ended_event = *event;
  }
  /* a connected receiver was handled above */
  if (event->final && io->mode != FASP_MODE_LISTENER
      && (event->type == FASP_EVENT_REJECTED || (!receiver && !finished))) {
    io->failed = TRUE;
    io->failed_event = *event;
  }
}

static void
note_hearing (FaspIo *io, const FaspEvent *event)
{
  if (event->type == FASP_EVENT_DEAF
      || (event->type == FASP_EVENT_UNANSWERED && event->address.len == 0))
    io->deaf_to_group = TRUE;
  else if (event->type == FASP_EVENT_HEARING || event->type == FASP_EVENT_CONNECTED)
    io->deaf_to_group = FALSE;
}

/* Reports some of the events. FALSE: those were all. */
static gboolean
tell_some (FaspIo *io)
{
  FaspEvent events[EVENTS_BATCH];
  guint n = 0;

  fasp_guard_lock (&io->guard);
  while (n < EVENTS_BATCH && fasp_endpoint_poll_event (io->guard.endpoint, &events[n]))
    note_event (io, &events[n++]);
  io->has_told |= n > 0;
  fasp_guard_unlock (&io->guard);
  for (guint i = 0; i < n; i++) {
    note_hearing (io, &events[i]);
    fasp_io_dial_note (io, &events[i]);
    io->event (io, &events[i], io->user_data);
  }
  return n == EVENTS_BATCH;
}

/* Reports to the application and to the waiters. */
static void
tell (FaspIo *io)
{
  guint64 stale;

  while (tell_some (io))
    ;
  fasp_io_dial_follow (io);
  /* after the events, so that the application knows what was agreed before data comes */
  fasp_guard_lock (&io->guard);
  tell_waiters (io);
  if (io->has_told && io->news != NULL)
    io->news (io->news_data);
  io->has_told = FALSE;
  stale = fasp_endpoint_take_stale_links (io->guard.endpoint);
  fasp_guard_unlock (&io->guard);
  /* the descriptors stay, so other threads may use these sockets meanwhile */
  for (; stale != 0; stale &= stale - 1)
    fasp_socket_change_port (fasp_links_get (io->links, __builtin_ctzll (stale)));
}

/* TRUE: bit @n of this error is not set in @reported.  Sets it. */
static gboolean
is_news (gint error, guint n, guint64 *reported)
{
  guint64 bit = FASP_BIT (n);

  if (error <= 0 || error >= FASP_IO_ERRORS_MAX || (reported[error] & bit) != 0)
    return FALSE;
  reported[error] |= bit;
  return TRUE;
}

/* A link that is not there yet was reported when it was opened. */
static void
tell_refused (FaspIo *io)
{
  guint link;
  gint error;

  while ((error = fasp_lanes_take_error (io->lanes, &link)) != 0)
    if (fasp_socket_has_come (fasp_links_get (io->links, link))
        && is_news (error, link / io->flowlets, io->reported))
      io->send_failed (link, g_strerror (error), io->user_data);
}

/* --- waking and sleeping ----------------------------------------------------------- */

void
fasp_io_rouse (FaspLanes *lanes, gpointer data)
{
  FaspIo *io = data;

  tell_waiters (io);
  if (fasp_lanes_oversleeps (lanes)
      || (fasp_lanes_is_asleep (lanes)
          && (io->closing || fasp_endpoint_has_event (io->guard.endpoint))))
    fasp_lanes_rouse (lanes);
  fasp_lanes_rouse_others (lanes);
}

static FaspTime
sleep_until (FaspIo *io)
{
  FaspTime until;

  fasp_guard_lock (&io->guard);
  fasp_lanes_rouse_others (io->lanes);
  until = MIN (io->follow_at, fasp_endpoint_get_lane_timeout (io->guard.endpoint, 0));
  if (io->closing)
    until = MIN (until, io->close_deadline);
  /* another thread may have received since we last looked */
  if (fasp_endpoint_has_event (io->guard.endpoint)
      || (io->closing && fasp_endpoint_is_closed (io->guard.endpoint)))
    until = 0;
  fasp_lanes_fall_asleep (io->lanes, until);
  fasp_guard_unlock (&io->guard);
  return until;
}

static void
wait_for_work (FaspIo *io, FaspTime until, gint blocked)
{
  guint64 own = g_atomic_int_get (&io->relieved) ? 0 : io->own;

  fasp_io_receive (io, fasp_lanes_wait (io->lanes, own, until, blocked));
}

/* --- the loop ------------------------------------------------------------------------ */

static void
follow_interfaces (FaspIo *io)
{
  FaspTime now;

  if (io->follow_at == FASP_NEVER)
    return;
  now = g_get_monotonic_time ();
  if (now < io->follow_at)
    return;
  io->follow_at = now + FOLLOW_EVERY;
  if (io->shared.port != NULL)
    fasp_port_follow_interface (&io->shared);
  else
    fasp_links_follow_interfaces (io->links);
  if (io->group_interface != NULL)
    fasp_group_interface_follow (io->group_interface, now, io->deaf_to_group);
}

static gboolean
is_done (FaspIo *io)
{
  gboolean done;

  fasp_guard_lock (&io->guard);
  done = io->closing
      && (fasp_endpoint_is_closed (io->guard.endpoint)
          || g_get_monotonic_time () >= io->close_deadline);
  fasp_guard_unlock (&io->guard);
  return done;
}

/* What the endpoint has to say about its end is said, also if the time for it is over, or if it was
 * found by another thread since we last looked. */
static void
tell_last (FaspIo *io)
{
  fasp_guard_lock (&io->guard);
  fasp_endpoint_end (io->guard.endpoint, g_get_monotonic_time ());
  fasp_guard_unlock (&io->guard);
  tell (io);
}

gpointer
fasp_io_run (gpointer data)
{
  FaspIo *io = data;

  /* the default of 50 µs would be added to every pacing gap */
  prctl (PR_SET_TIMERSLACK, 1, 0, 0, 0);
  for (;;) {
    gint blocked = fasp_lanes_send (io->lanes);
    gint deaf = g_atomic_int_exchange (&io->deaf, 0);

    tell_refused (io);
    if (is_news (deaf, 0, io->deaf_reported))
      io->receive_failed (g_strerror (deaf), io->user_data);
    tell (io);
    follow_interfaces (io);
    if (is_done (io)) /* the last datagram may just have been sent */
      break;
    wait_for_work (io, sleep_until (io), blocked);
  }
  tell_last (io);
  return NULL;
}
