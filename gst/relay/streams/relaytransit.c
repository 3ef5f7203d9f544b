/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaytransit.h"

typedef struct
{
  GstElement *element;
  GstState state;
  const gint *wish;
  gint wished;
  RelayTransitFunc func;
  gpointer data;
  gboolean queues;
  gboolean good;
} Transition;

/* µs; so long an element may hold up the next one: its key takes half a second (gstfaspstretch.h).
 * One that needs longer waits for a disk. */
#define TURN (2 * G_TIME_SPAN_SECOND)

static GMutex lock; /* guards the next two */
static GCond left;
static gint64 until; /* when the turn that was taken last is over: g_get_monotonic_time; 0: left */

gint64
relay_turn_take (void)
{
  gint64 mine;

  g_mutex_lock (&lock);
  while (until > g_get_monotonic_time ())
    g_cond_wait_until (&left, &lock, until);
  mine = until = g_get_monotonic_time () + TURN;
  g_mutex_unlock (&lock);
  return mine;
}

void
relay_turn_leave (gint64 mine)
{
  g_mutex_lock (&lock);
  if (until == mine) {
    until = 0;
    g_cond_signal (&left);
  }
  g_mutex_unlock (&lock);
}

static gboolean
changed (gpointer data)
{
  g_autofree Transition *t = data;

  t->func (t->element, t->state, t->good, t->data);
  gst_object_unref (t->element);
  return G_SOURCE_REMOVE;
}

static gpointer
change (gpointer data)
{
  Transition *t = data;
  gint64 turn = t->queues ? relay_turn_take () : 0;

  if (t->state == GST_STATE_NULL || g_atomic_int_get (t->wish) == t->wished)
    t->good = gst_element_set_state (t->element, t->state) != GST_STATE_CHANGE_FAILURE;
  if (t->queues)
    relay_turn_leave (turn);
  /* at the priority of messages, as a lower one would wait until there are none */
  g_idle_add_full (G_PRIORITY_DEFAULT, changed, t, NULL);
  return NULL;
}

void
relay_transit (GstElement *element, GstState state, gboolean queues, const gint *wish, gint wished,
    RelayTransitFunc func, gpointer data)
{
  Transition *t = g_new0 (Transition, 1);
  GThread *thread;

  t->element = gst_object_ref (element);
  t->state = state;
  t->queues = queues && state != GST_STATE_NULL;
  t->wish = wish;
  t->wished = wished;
  t->func = func;
  t->data = data;
  thread = g_thread_try_new ("transition", change, t, NULL);
  if (thread != NULL)
    g_thread_unref (thread);
  else /* no thread can be started: changes the state here, while other streams wait */
    change (t);
}
