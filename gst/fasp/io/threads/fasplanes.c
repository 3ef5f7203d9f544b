/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspdeparture.h"
#include "fasplanes.h"
#include "faspnet.h"
#include "faspsendbatch.h"
#include "faspthread.h"
#include "faspwake.h"

/* This many full batches are sent before the thread does anything else. */
#define BATCHES_MAX 4
/* This many datagrams are made between two readings of the clock; each takes about 1 µs. */
#define SAME_TIME 8
/* A socket that takes no more is tried again after this time at the latest. */
#define BLOCKED_MAX (20 * FASP_MSEC)
/* If a socket refuses this many times in a row, though poll() reported it writable, its buffer is
 * not the reason, so the thread pauses instead of polling. IPsec without keys causes that. */
#define FUTILE_MAX 32
#define FUTILE_PAUSE FASP_MSEC

typedef struct
{
  FaspLanes *all;
  guint number;
  GMutex sending; /* protects the batch; taken before the guard */
  FaspSendBatch *batch;
  gint futile;             /* atomic: tries in a row in which nothing could leave */
  FaspDeparture departure; /* when the datagrams of the batch were made */
  FaspWake wake;
  GThread *thread;
  FaspTime sleeping_until; /* under the guard; 0: awake */
} Lane;

struct _FaspLanes
{
  FaspGuard *guard;
  FaspSockets *sockets;
  FaspLanesFunc rouse;
  gpointer user_data;
  gboolean stopping;           /* under the guard */
  gint errors[FASP_FLOWS_MAX]; /* atomic: the last error of each socket */
  gint refused;                /* atomic: `errors' has an unreported one */
  guint n;
  Lane lanes[FASP_LANES_MAX];
};

guint
fasp_lanes_choose (guint wanted, guint processors)
{
  return CLAMP (wanted != 0 ? wanted : processors, 1, FASP_LANES_MAX);
}

/* --- sending ------------------------------------------------------------------ */

/* Fills the batch with datagrams that are due. FALSE: there are no more. */
static gboolean
make_batch (Lane *lane)
{
  FaspDatagram *datagrams;
  FaspTime now = 0;
  guint room, n;

  for (guint left = 0; (datagrams = fasp_send_batch_next (lane->batch, &room)) != NULL; left -= n) {
    if (left == 0) {
      now = g_get_monotonic_time ();
      left = SAME_TIME;
    }
    if (!fasp_departure_takes (&lane->departure, now))
      return TRUE;
    n = fasp_endpoint_poll_lane (lane->all->guard->endpoint, lane->number, now, datagrams,
        MIN (left, room));
    if (n == 0)
      return FALSE;
    fasp_departure_made (&lane->departure, now);
    fasp_send_batch_commit (lane->batch, n);
  }
  return TRUE;
}

/* All datagrams of the batch have just left. Tells the endpoint if they left late. */
static void
note_lateness (Lane *lane)
{
  FaspGuard *guard = lane->all->guard;
  FaspTime now = g_get_monotonic_time (), from;

  if (!fasp_departure_left (&lane->departure, now, &from))
    return;
  fasp_guard_lock (guard);
  fasp_endpoint_left_late (guard->endpoint, lane->number, from, now);
  fasp_guard_unlock (guard);
}

/* With the lane's lock held.  Returns the socket that takes no more now, or -1. */
static gint
send_due (Lane *lane)
{
  FaspGuard *guard = lane->all->guard;
  gboolean more = TRUE;
  guint number;
  gint error;

  for (guint i = 0; i < BATCHES_MAX && more; i++) {
    fasp_guard_lock (guard);
    more = make_batch (lane);
    fasp_guard_unlock (guard);
    if (!fasp_send_batch_flush (lane->batch))
      break;
    note_lateness (lane);
  }
  g_atomic_int_set (&lane->futile, fasp_send_batch_get_futile (lane->batch));
  while ((error = fasp_send_batch_take_error (lane->batch, &number)) != 0) {
    g_atomic_int_set (&lane->all->errors[number], error);
    g_atomic_int_set (&lane->all->refused, TRUE);
  }
  return fasp_send_batch_get_blocked (lane->batch);
}

gint
fasp_lanes_send (FaspLanes *all)
{
  Lane *lane = &all->lanes[0];
  gint blocked;

  g_mutex_lock (&lane->sending);
  blocked = send_due (lane);
  g_mutex_unlock (&lane->sending);
  return blocked;
}

gboolean
fasp_lanes_try_send (FaspLanes *all)
{
  Lane *lane = &all->lanes[0];
  gboolean sent;

  if (!g_mutex_trylock (&lane->sending))
    return FALSE;
  sent = send_due (lane) < 0;
  g_mutex_unlock (&lane->sending);
  return sent;
}

gint
fasp_lanes_take_error (FaspLanes *all, guint *number)
{
  if (!g_atomic_int_exchange (&all->refused, FALSE))
    return 0;
  for (*number = 0; *number < FASP_FLOWS_MAX; (*number)++) {
    gint error = g_atomic_int_exchange (&all->errors[*number], 0);

    if (error != 0) {
      g_atomic_int_set (&all->refused, TRUE); /* other sockets may have errors, too */
      return error;
    }
  }
  return 0;
}

/* --- sleeping ----------------------------------------------------------------- */

/* This and the next two functions: with the guard held. */
static void
fall_asleep (Lane *lane, FaspTime until)
{
  lane->sleeping_until = fasp_later (until, 1);
}

static void
rouse_lane (Lane *lane)
{
  lane->sleeping_until = 0; /* counts as awake, so that it is not woken twice */
  fasp_wake_ring (&lane->wake);
}

static gboolean
oversleeps (const Lane *lane)
{
  return lane->sleeping_until > 0
      && fasp_endpoint_get_lane_timeout (lane->all->guard->endpoint, lane->number)
      < lane->sleeping_until;
}

/* Waits without the guard. */
static guint64
wait_for (Lane *lane, guint64 sockets, FaspTime until, gint blocked)
{
  FaspTime timeout =
      until == FASP_NEVER ? FASP_NEVER : fasp_later (0, until - g_get_monotonic_time ());
  gboolean woken;
  guint64 ready;

  if (blocked >= 0 && g_atomic_int_get (&lane->futile) > FUTILE_MAX) {
    blocked = -1;
    timeout = FUTILE_PAUSE;
  } else if (blocked >= 0) {
    timeout = BLOCKED_MAX;
  }
  ready = fasp_sockets_wait (lane->all->sockets, sockets, lane->wake.fd, &woken, blocked, timeout);
  fasp_guard_lock (lane->all->guard);
  lane->sleeping_until = 0;
  fasp_guard_unlock (lane->all->guard);
  if (woken)
    fasp_wake_clear (&lane->wake);
  return ready;
}

void
fasp_lanes_fall_asleep (FaspLanes *all, FaspTime until)
{
  fall_asleep (&all->lanes[0], until);
}

guint64
fasp_lanes_wait (FaspLanes *all, guint64 sockets, FaspTime until, gint blocked)
{
  return wait_for (&all->lanes[0], sockets, until, blocked);
}

void
fasp_lanes_rouse (FaspLanes *all)
{
  rouse_lane (&all->lanes[0]);
}

gboolean
fasp_lanes_is_asleep (const FaspLanes *all)
{
  return all->lanes[0].sleeping_until > 0;
}

gboolean
fasp_lanes_oversleeps (const FaspLanes *all)
{
  return oversleeps (&all->lanes[0]);
}

void
fasp_lanes_rouse_others (FaspLanes *all)
{
  for (guint i = 1; i < all->n; i++)
    if (oversleeps (&all->lanes[i]))
      rouse_lane (&all->lanes[i]);
}

void
fasp_lanes_wake (FaspLanes *all)
{
  fasp_wake_ring (&all->lanes[0].wake);
}

/* --- the threads -------------------------------------------------------------- */

/* Sets *until when the thread may sleep. FALSE: the thread must end. */
static gboolean
goes_on (Lane *lane, FaspTime *until)
{
  FaspLanes *all = lane->all;
  gboolean stopping;

  fasp_guard_lock (all->guard);
  all->rouse (all, all->user_data);
  *until = fasp_endpoint_get_lane_timeout (all->guard->endpoint, lane->number);
  fall_asleep (lane, *until);
  stopping = all->stopping;
  fasp_guard_unlock (all->guard);
  return !stopping;
}

static gpointer
run (gpointer data)
{
  Lane *lane = data;
  FaspTime until;
  gint blocked;

  fasp_net_wait_precisely ();
  for (;;) {
    g_mutex_lock (&lane->sending);
    blocked = send_due (lane);
    g_mutex_unlock (&lane->sending);
    if (!goes_on (lane, &until))
      break;
    wait_for (lane, 0, until, blocked);
  }
  return NULL;
}

/* --- starting and ending ------------------------------------------------------ */

static gboolean
lane_init (Lane *lane, gboolean waits, GError **error)
{
  FaspSockets *sockets = lane->all->sockets;

  g_mutex_init (&lane->sending);
  lane->batch =
      fasp_send_batch_new (fasp_sockets_get_fds (sockets), fasp_sockets_count (sockets), waits);
  if (!fasp_wake_open (&lane->wake, error))
    return FALSE;
  /* the first lane uses the I/O thread */
  if (lane->number == 0)
    return TRUE;
  lane->thread = fasp_thread_new ("fasp-send", run, lane, error);
  return lane->thread != NULL;
}

/* Frees a lane whose thread has ended, or was never started. */
static void
lane_clear (Lane *lane)
{
  fasp_send_batch_free (lane->batch);
  g_mutex_clear (&lane->sending);
  fasp_wake_close (&lane->wake);
}

FaspLanes *
fasp_lanes_new (FaspGuard *guard, FaspSockets *sockets, gboolean waits, FaspLanesFunc rouse,
    gpointer user_data, GError **error)
{
  FaspLanes *all = g_new0 (FaspLanes, 1);
  guint n = fasp_endpoint_count_lanes (guard->endpoint);

  all->guard = guard;
  all->sockets = sockets;
  all->rouse = rouse;
  all->user_data = user_data;
  /* under the guard, so that no thread counts lanes that are not ready */
  fasp_guard_lock (guard);
  for (; all->n < n; all->n++) {
    Lane *lane = &all->lanes[all->n];

    lane->all = all;
    lane->number = all->n;
    if (!lane_init (lane, waits, error))
      break;
  }
  fasp_guard_unlock (guard);
  if (all->n == n)
    return all;
  lane_clear (&all->lanes[all->n]); /* the lane that failed */
  fasp_lanes_stop (all);
  fasp_lanes_free (all);
  return NULL;
}

void
fasp_lanes_stop (FaspLanes *all)
{
  fasp_guard_lock (all->guard);
  all->stopping = TRUE;
  fasp_guard_unlock (all->guard);
  for (guint i = 1; i < all->n; i++) {
    if (all->lanes[i].thread != NULL)
      fasp_wake_ring (&all->lanes[i].wake);
    g_clear_pointer (&all->lanes[i].thread, g_thread_join);
  }
}

void
fasp_lanes_free (FaspLanes *all)
{
  if (all == NULL)
    return;
  for (guint i = 0; i < all->n; i++)
    lane_clear (&all->lanes[i]);
  g_free (all);
}
