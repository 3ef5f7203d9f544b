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

/* Elements with a passphrase start one after the other. They wait here, as a wait within the
 * element could not be called off. */
static GMutex starting;

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

  if (t->queues)
    g_mutex_lock (&starting);
  if (t->state == GST_STATE_NULL || g_atomic_int_get (t->wish) == t->wished)
    t->good = gst_element_set_state (t->element, t->state) != GST_STATE_CHANGE_FAILURE;
  if (t->queues)
    g_mutex_unlock (&starting);
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
