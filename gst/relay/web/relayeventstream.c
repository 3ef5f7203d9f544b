/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayeventstream.h"
#include <gio/gio.h>
#include <string.h>

#define HEARD_EVERY G_USEC_PER_SEC /* µs */
/* µs: half of the ten seconds of docs/relay.md, as one look finds a condition, and the next one
 * that it has lasted */
#define UNHEARD_EVERY (5 * G_USEC_PER_SEC)

struct _RelayEventStream
{
  gchar *(*make) (gboolean heard, gpointer data);
  gpointer data;
  RelayFeed *feed;
  GThread *thread;
  GMutex lock; /* guards the rest */
  GCond changed;
  gboolean ending;
};

/* FALSE: the event stream ends. */
static gboolean
wait_for_next (RelayEventStream *event_stream, gint64 last)
{
  for (;;) {
    gboolean heard = relay_feed_count (event_stream->feed) > 0;
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
    gchar *text;

    last = g_get_monotonic_time ();
    g_mutex_unlock (&event_stream->lock);
    text = event_stream->make (relay_feed_count (event_stream->feed) > 0, event_stream->data);
    relay_feed_publish (event_stream->feed,
        text != NULL ? g_bytes_new_take (text, strlen (text)) : NULL, TRUE, last);
    g_mutex_lock (&event_stream->lock);
  }
  g_mutex_unlock (&event_stream->lock);
  return NULL;
}

static void
on_listener (gpointer data)
{
  RelayEventStream *event_stream = data;

  g_mutex_lock (&event_stream->lock);
  g_cond_signal (&event_stream->changed);
  g_mutex_unlock (&event_stream->lock);
}

RelayEventStream *
relay_event_stream_new (gchar *(*make) (gboolean heard, gpointer data), gpointer data)
{
  RelayEventStream *event_stream = g_new0 (RelayEventStream, 1);

  event_stream->make = make;
  event_stream->data = data;
  g_mutex_init (&event_stream->lock);
  g_cond_init (&event_stream->changed);
  event_stream->feed = relay_feed_new (on_listener, event_stream);
  return event_stream;
}

gboolean
relay_event_stream_begin (RelayEventStream *event_stream, GError **error)
{
  g_autoptr (GError) why = NULL;

  event_stream->thread = g_thread_try_new ("relay-events", run, event_stream, &why);
  if (event_stream->thread == NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
        "Cannot start a thread: %s. Raise the limit of processes (`ulimit -u', pids.max of a "
        "container), or end other programs.",
        why->message);
  return event_stream->thread != NULL;
}

void
relay_event_stream_free (RelayEventStream *event_stream)
{
  g_mutex_lock (&event_stream->lock);
  event_stream->ending = TRUE;
  g_cond_signal (&event_stream->changed);
  g_mutex_unlock (&event_stream->lock);
  if (event_stream->thread != NULL)
    g_thread_join (event_stream->thread);
  g_assert (relay_feed_count (event_stream->feed) == 0);
  relay_feed_unref (event_stream->feed);
  g_cond_clear (&event_stream->changed);
  g_mutex_clear (&event_stream->lock);
  g_free (event_stream);
}

RelayFeed *
relay_event_stream_get_feed (RelayEventStream *event_stream)
{
  return event_stream->feed;
}
