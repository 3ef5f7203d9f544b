/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayeventstream.h"
#include <string.h>

#define HEARD_EVERY G_USEC_PER_SEC          /* µs */
#define UNHEARD_EVERY (10 * G_USEC_PER_SEC) /* µs */

struct _RelayEventStream
{
  gchar *(*make) (gboolean heard, gpointer data);
  gpointer data;
  GThread *thread;
  GMutex lock; /* guards the rest */
  GCond changed;
  GQueue listeners; /* RelayListener */
  GBytes *frame;    /* the newest; NULL: there was no listener when it was due */
  guint64 serial;   /* of the newest frame, from 1 */
  gboolean ending;
};

/* All members are under the event stream's lock. */
struct _RelayListener
{
  RelayEventStream *event_stream;
  RelayListenerFuncs funcs;
  gpointer data;
  GBytes *frame; /* frame that the listener reads; NULL: none yet */
  gsize read;    /* bytes of the frame read so far */
  guint64 serial;
  gboolean waits, ended;
};

/* --- the thread --------------------------------------------------------------------------- */

static void
wake (RelayListener *listener)
{
  if (listener->waits)
    listener->funcs.wake (listener->data);
  listener->waits = FALSE;
}

/* Takes over @text. */
static void
publish (RelayEventStream *event_stream, gchar *text)
{
  g_clear_pointer (&event_stream->frame, g_bytes_unref);
  if (text == NULL)
    return;
  event_stream->frame = g_bytes_new_take (text, strlen (text));
  event_stream->serial++;
  for (GList *l = event_stream->listeners.head; l != NULL; l = l->next)
    wake (l->data);
}

/* FALSE: the event stream ends. */
static gboolean
wait_for_next (RelayEventStream *event_stream, gint64 last)
{
  for (;;) {
    gboolean heard = !g_queue_is_empty (&event_stream->listeners);
    gint64 next = last + (heard ? HEARD_EVERY : UNHEARD_EVERY);

    if (event_stream->ending || g_get_monotonic_time () >= next)
      return !event_stream->ending;
    g_cond_wait_until (&event_stream->changed, &event_stream->lock, next);
  }
}

static gpointer
run (gpointer data)
{
  RelayEventStream *event_stream = data;

  g_mutex_lock (&event_stream->lock);
  for (gint64 last = 0; wait_for_next (event_stream, last);) {
    gboolean heard = !g_queue_is_empty (&event_stream->listeners);
    gchar *text;

    last = g_get_monotonic_time ();
    g_mutex_unlock (&event_stream->lock);
    text = event_stream->make (heard, event_stream->data);
    g_mutex_lock (&event_stream->lock);
    publish (event_stream, text);
  }
  g_mutex_unlock (&event_stream->lock);
  return NULL;
}

RelayEventStream *
relay_event_stream_new (gchar *(*make) (gboolean heard, gpointer data), gpointer data)
{
  RelayEventStream *event_stream = g_new0 (RelayEventStream, 1);

  event_stream->make = make;
  event_stream->data = data;
  g_mutex_init (&event_stream->lock);
  g_cond_init (&event_stream->changed);
  event_stream->thread = g_thread_new ("relay-events", run, event_stream);
  return event_stream;
}

void
relay_event_stream_free (RelayEventStream *event_stream)
{
  g_mutex_lock (&event_stream->lock);
  event_stream->ending = TRUE;
  g_cond_signal (&event_stream->changed);
  g_mutex_unlock (&event_stream->lock);
  g_thread_join (event_stream->thread);
  g_assert (g_queue_is_empty (&event_stream->listeners));
  g_clear_pointer (&event_stream->frame, g_bytes_unref);
  g_cond_clear (&event_stream->changed);
  g_mutex_clear (&event_stream->lock);
  g_free (event_stream);
}

/* --- listeners ---------------------------------------------------------------------------- */

RelayListener *
relay_listener_new (RelayEventStream *event_stream, const RelayListenerFuncs *funcs, gpointer data)
{
  RelayListener *listener = g_new0 (RelayListener, 1);

  listener->event_stream = event_stream;
  listener->funcs = *funcs;
  listener->data = data;
  g_mutex_lock (&event_stream->lock);
  g_queue_push_tail (&event_stream->listeners, listener);
  g_cond_signal (&event_stream->changed);
  g_mutex_unlock (&event_stream->lock);
  return listener;
}

void
relay_listener_free (RelayListener *listener)
{
  RelayEventStream *event_stream = listener->event_stream;

  g_mutex_lock (&event_stream->lock);
  g_queue_remove (&event_stream->listeners, listener);
  g_mutex_unlock (&event_stream->lock);
  g_clear_pointer (&listener->frame, g_bytes_unref);
  g_free (listener);
}

/* Makes the listener read the newest frame. FALSE: it has read that. */
static gboolean
take_next (RelayListener *listener)
{
  RelayEventStream *event_stream = listener->event_stream;

  if (event_stream->frame == NULL || listener->serial == event_stream->serial)
    return FALSE;
  g_clear_pointer (&listener->frame, g_bytes_unref);
  listener->frame = g_bytes_ref (event_stream->frame);
  listener->serial = event_stream->serial;
  listener->read = 0;
  return TRUE;
}

static gssize
read_some (RelayListener *listener, gchar *to, gsize size, gboolean *whole)
{
  const gchar *text;
  gsize all;

  *whole = listener->frame != NULL && listener->read == g_bytes_get_size (listener->frame);
  if ((listener->frame == NULL || *whole) && !take_next (listener)) {
    listener->waits = TRUE;
    listener->funcs.hold (listener->data);
    return 0;
  }
  text = g_bytes_get_data (listener->frame, &all);
  size = MIN (size, all - listener->read);
  memcpy (to, text + listener->read, size);
  listener->read += size;
  return size;
}

gssize
relay_listener_read (RelayListener *listener, gchar *to, gsize size, gboolean *whole)
{
  gssize n = -1;

  *whole = FALSE;
  g_mutex_lock (&listener->event_stream->lock);
  if (!listener->ended)
    n = read_some (listener, to, size, whole);
  g_mutex_unlock (&listener->event_stream->lock);
  return n;
}

void
relay_listener_end (RelayListener *listener)
{
  g_mutex_lock (&listener->event_stream->lock);
  listener->ended = TRUE;
  wake (listener);
  g_mutex_unlock (&listener->event_stream->lock);
}
