/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <signal.h>
#include <stdlib.h>
#include <sys/syslog.h>
#include <unistd.h>
#include <gst/gst.h>
#include "relaysrtsocket.h"
#include "relaysrtthread.h"

#define TICK 100                     /* ms between two looks at calls that are let in or refused */
#define CLOSE_MAX G_TIME_SPAN_SECOND /* twice what a port takes to be closed */
#define EVENTS 64                    /* handled at a time */
#define END 1                        /* s; how long the process waits for libsrt when it ends */

static struct
{
  GMutex turn, working;
  GCond closed;    /* a port is closed: `working' */
  GSList *closing; /* numbers of ports: `working' */
  int epoll;
  void (*take_event) (SRTSOCKET socket, int events);
  void (*look) (void);
  GThread *thread;
  gint over;        /* atomic */
  GMutex clock;     /* guards the rest; no other lock is taken under it */
  gint64 looked;    /* relay_srt_get_time() of the thread's last look */
  gint64 looked_at; /* when that was: g_get_monotonic_time, µs */
} srt;

void
relay_srt_begin_work (void)
{
  g_mutex_lock (&srt.turn);
  g_mutex_lock (&srt.working);
  g_mutex_unlock (&srt.turn);
}

void
relay_srt_end_work (void)
{
  g_mutex_unlock (&srt.working);
}

void
relay_srt_watch (SRTSOCKET socket, int events)
{
  events |= SRT_EPOLL_ERR;
  relay_srt_unwatch (socket);
  srt_epoll_add_usock (srt.epoll, socket, &events);
}

void
relay_srt_unwatch (SRTSOCKET socket)
{
  srt_epoll_remove_usock (srt.epoll, socket);
}

/* --- listeners that are being closed --------------------------------------------------------- */

void
relay_srt_begin_close (SRTSOCKET listener, guint port)
{
  relay_srt_unwatch (listener);
  srt.closing = g_slist_prepend (srt.closing, GUINT_TO_POINTER (port));
}

void
relay_srt_close_listener (SRTSOCKET listener, gint fd, guint port)
{
  if (fd >= 0)
    relay_srt_socket_cut_off (fd);
  srt_close (listener);
  relay_srt_begin_work ();
  srt.closing = g_slist_remove (srt.closing, GUINT_TO_POINTER (port));
  g_cond_broadcast (&srt.closed);
  relay_srt_end_work ();
}

gboolean
relay_srt_wait_for_closed (guint port, GError **error)
{
  gint64 until = g_get_monotonic_time () + CLOSE_MAX;

  while (port == 0 ? srt.closing != NULL :
                     g_slist_find (srt.closing, GUINT_TO_POINTER (port)) != NULL)
    if (!g_cond_wait_until (&srt.closed, &srt.working, until)) {
      g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ_WRITE,
          "UDP port %u is still being closed by this relay.", port);
      return FALSE;
    }
  return TRUE;
}

/* --- the time --------------------------------------------------------------------------------- */

/* Under the lock of the clock. */
static gint64
get_time (gint64 now)
{
  return srt.looked + MIN (now - srt.looked_at, TICK * G_TIME_SPAN_MILLISECOND);
}

gint64
relay_srt_get_time (void)
{
  gint64 time;

  g_mutex_lock (&srt.clock);
  time = get_time (g_get_monotonic_time ());
  g_mutex_unlock (&srt.clock);
  return time;
}

static void
note_look (void)
{
  gint64 now = g_get_monotonic_time ();

  g_mutex_lock (&srt.clock);
  srt.looked = get_time (now);
  srt.looked_at = now;
  g_mutex_unlock (&srt.clock);
}

/* --- the thread ------------------------------------------------------------------------------- */

static gpointer
run (gpointer unused)
{
  SRT_EPOLL_EVENT events[EVENTS];
  gint64 look_at = 0;

  while (!g_atomic_int_get (&srt.over)) {
    int n = srt_epoll_uwait (srt.epoll, events, EVENTS, TICK);

    relay_srt_begin_work ();
    for (int i = 0; i < MIN (n, EVENTS); i++)
      srt.take_event (events[i].fd, events[i].events);
    note_look ();
    if (g_get_monotonic_time () >= look_at) {
      srt.look ();
      look_at = g_get_monotonic_time () + TICK * G_TIME_SPAN_MILLISECOND;
    }
    relay_srt_end_work ();
  }
  return NULL;
}

static void
leave (int unused)
{
  _exit (EXIT_SUCCESS);
}

/* Before libsrt's own end at exit, for which no thread may use it: this one works for ever.  If it
 * is stuck in libsrt, or a thread of an end is, the process ends without it. */
static void
end_thread (void)
{
  signal (SIGALRM, leave);
  alarm (END);
  g_atomic_int_set (&srt.over, TRUE);
  g_thread_join (srt.thread);
  relay_srt_begin_work ();
  if (!relay_srt_wait_for_closed (0, NULL))
    leave (0);
  srt_cleanup ();
  alarm (0);
}

gboolean
relay_srt_start_thread (void (*take_event) (SRTSOCKET socket, int events), void (*look) (void),
    GError **error)
{
  if (srt.thread != NULL)
    return TRUE;
  if (srt.look == NULL) {
    srt_startup ();
    /* what it says of calls is said here, of ends */
    srt_setloglevel (LOG_CRIT);
    srt.epoll = srt_epoll_create ();
    srt_epoll_set (srt.epoll, SRT_EPOLL_ENABLE_EMPTY);
  }
  srt.take_event = take_event;
  srt.look = look;
  srt.thread = g_thread_try_new ("srt", run, NULL, error);
  if (srt.thread != NULL)
    atexit (end_thread);
  return srt.thread != NULL;
}
