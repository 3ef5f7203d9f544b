/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspiothread.c: the thread of an endpoint. It sends what is due, reports what has
 * happened, and sleeps until something arrives, a timer is due, or another thread has
 * something for it.
 */
#include "faspioprivate.h"
#include "faspnet.h"

/* How often to look for interfaces that have moved. */
#define FOLLOW_EVERY FASP_SEC
/* Events fetched at a time; more wait for the next round. */
#define EVENTS_BATCH 16
/* More than the errno values there are (133 on Linux). */
#define ERRORS_MAX 256

/* State that only the I/O thread uses. */
typedef struct
{
  FaspIo *io;
  guint64 reported[ERRORS_MAX];      /* by errno of sending: a bit for each address of which the
                                        error was reported */
  guint64 deaf_reported[ERRORS_MAX]; /* by errno of receiving: 1: the error was reported */
  FaspTime follow_at;                /* when to look for interfaces that moved; FASP_NEVER: never */
  gboolean deaf_to_group;            /* nothing is heard of the group */
  gboolean has_reported;             /* events were reported since `news' was last called */
} Loop;

/* --- reporting ---------------------------------------------------------------------- */

static void
note_hearing (Loop *loop, const FaspEvent *event)
{
  if (event->type == FASP_EVENT_DEAF
      || (event->type == FASP_EVENT_UNANSWERED && event->address.len == 0))
    loop->deaf_to_group = TRUE;
  else if (event->type == FASP_EVENT_HEARING || event->type == FASP_EVENT_CONNECTED)
    loop->deaf_to_group = FALSE;
}

/* Reports up to EVENTS_BATCH events. FALSE: there are no more. */
static gboolean
report_some (Loop *loop)
{
  FaspIo *io = loop->io;
  FaspEvent events[EVENTS_BATCH];
  guint n = 0;

  fasp_guard_lock (&io->guard);
  while (n < EVENTS_BATCH && fasp_endpoint_poll_event (io->guard.endpoint, &events[n]))
    fasp_io_note_event (io, &events[n++]);
  loop->has_reported |= n > 0;
  fasp_guard_unlock (&io->guard);
  for (guint i = 0; i < n; i++) {
    note_hearing (loop, &events[i]);
    fasp_io_dial_note (io, &events[i]);
    io->event (io, &events[i], io->user_data);
  }
  return n == EVENTS_BATCH;
}

/* Reports to the application and to the waiters. */
static void
report (Loop *loop)
{
  FaspIo *io = loop->io;
  guint64 stale;

  while (report_some (loop))
    ;
  fasp_io_dial_follow (io);
  /* after the events, so that the application knows the terms before it gets data */
  fasp_guard_lock (&io->guard);
  fasp_io_wake_waiters (io);
  if (loop->has_reported && io->waiters.news != NULL)
    io->waiters.news (io->waiters.news_data);
  loop->has_reported = FALSE;
  stale = fasp_endpoint_take_stale_sockets (io->guard.endpoint);
  fasp_guard_unlock (&io->guard);
  /* other threads may use these sockets meanwhile, as their descriptors stay valid */
  for (; stale != 0; stale &= stale - 1)
    fasp_socket_change_port (fasp_sockets_get (io->sockets, __builtin_ctzll (stale)));
}

/* Is bit @n of this error not set in @reported? Sets it. */
static gboolean
is_news (gint error, guint n, guint64 *reported)
{
  guint64 bit = FASP_BIT (n);

  if (error <= 0 || error >= ERRORS_MAX || (reported[error] & bit) != 0)
    return FALSE;
  reported[error] |= bit;
  return TRUE;
}

/* Reports errors of sending. Not of a socket whose interface is still missing, which was reported
 * when it was opened. */
static void
report_refused (Loop *loop)
{
  FaspIo *io = loop->io;
  guint number;
  gint error;

  while ((error = fasp_lanes_take_error (io->lanes, &number)) != 0)
    if (fasp_socket_has_come (fasp_sockets_get (io->sockets, number))
        && is_news (error, number / io->flowlets, loop->reported))
      io->send_failed (number, g_strerror (error), io->user_data);
}

/* --- waking and sleeping ----------------------------------------------------------- */

static FaspTime
sleep_until (Loop *loop)
{
  FaspIo *io = loop->io;
  FaspTime until;

  fasp_guard_lock (&io->guard);
  fasp_lanes_rouse_others (io->lanes);
  until = MIN (loop->follow_at, fasp_endpoint_get_lane_timeout (io->guard.endpoint, 0));
  if (io->state == FASP_IO_CLOSING)
    until = MIN (until, io->close_deadline);
  /* another thread may have received since this one last looked */
  if (fasp_endpoint_has_event (io->guard.endpoint)
      || (io->state == FASP_IO_CLOSING && fasp_endpoint_is_closed (io->guard.endpoint)))
    until = 0;
  fasp_lanes_fall_asleep (io->lanes, until);
  fasp_guard_unlock (&io->guard);
  return until;
}

static void
wait_for_work (FaspIo *io, FaspTime until, gint blocked)
{
  guint64 own = g_atomic_int_get (&io->receiving.relieved) ? 0 : io->receiving.own;

  fasp_io_receive (io, fasp_lanes_wait (io->lanes, own, until, blocked));
}

/* --- the loop ------------------------------------------------------------------------ */

static void
follow_interfaces (Loop *loop)
{
  FaspIo *io = loop->io;
  FaspTime now;

  if (loop->follow_at == FASP_NEVER)
    return;
  now = g_get_monotonic_time ();
  if (now < loop->follow_at)
    return;
  loop->follow_at = now + FOLLOW_EVERY;
  if (io->shared.port != NULL)
    fasp_port_follow_interface (&io->shared);
  else
    fasp_sockets_follow_interfaces (io->sockets);
  if (io->group_interface != NULL)
    fasp_group_interface_follow (io->group_interface, now, loop->deaf_to_group);
}

static gboolean
is_done (FaspIo *io)
{
  gboolean done;

  fasp_guard_lock (&io->guard);
  done = io->state == FASP_IO_CLOSING
      && (fasp_endpoint_is_closed (io->guard.endpoint)
          || g_get_monotonic_time () >= io->close_deadline);
  fasp_guard_unlock (&io->guard);
  return done;
}

/* Reports the last events of the endpoint, even if its time to close is over, or another thread has
 * received since this one last looked. */
static void
report_last (Loop *loop)
{
  FaspIo *io = loop->io;

  fasp_guard_lock (&io->guard);
  fasp_endpoint_end (io->guard.endpoint, g_get_monotonic_time ());
  fasp_guard_unlock (&io->guard);
  report (loop);
}

gpointer
fasp_io_run (gpointer data)
{
  FaspIo *io = data;
  Loop thread = { .io = io, .follow_at = FASP_NEVER }, *loop = &thread;

  if (io->group_interface != NULL || fasp_sockets_have_interfaces (io->sockets))
    loop->follow_at = 0;
  fasp_net_wait_precisely ();
  for (;;) {
    gint blocked = fasp_lanes_send (io->lanes);
    gint deaf = g_atomic_int_exchange (&io->receiving.deaf, 0);

    report_refused (loop);
    if (is_news (deaf, 0, loop->deaf_reported))
      io->receive_failed (g_strerror (deaf), io->user_data);
    report (loop);
    follow_interfaces (loop);
    if (is_done (io)) /* after sending, as the last datagram may just have left */
      break;
    wait_for_work (io, sleep_until (loop), blocked);
  }
  report_last (loop);
  return NULL;
}
