/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayeventstream.h"
#include <string.h>

#define HEARD_EVERY G_USEC_PER_SEC          /* µs */
#define UNHEARD_EVERY (10 * G_USEC_PER_SEC) /* µs */

struct _RelayFeed
{
  gchar *(*make) (gboolean heard, gpointer data);
  gpointer data;
  GThread *thread;
  GMutex lock; /* guards the rest */
  GCond changed;
  GQueue listeners; /* RelayListener */
  GBytes *frame;    /* the newest; NULL: nobody has listened of late */
  guint64 serial;   /* of the newest, from 1 */
  gboolean ending;
};

/* All of it is under the feed's lock. */
struct _RelayListener
{
  RelayFeed *feed;
  RelayListenerFuncs funcs;
  gpointer data;
  GBytes *frame; /* what it reads; NULL: nothing yet */
  gsize read;    /* bytes of it */
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
publish (RelayFeed *feed, gchar *text)
{
  g_clear_pointer (&feed->frame, g_bytes_unref);
  if (text == NULL)
    return;
  feed->frame = g_bytes_new_take (text, strlen (text));
  feed->serial++;
  for (GList *l = feed->listeners.head; l != NULL; l = l->next)
    wake (l->data);
}

/* FALSE: the feed ends. */
static gboolean
wait_for_next (RelayFeed *feed, gint64 last)
{
  for (;;) {
    gboolean heard = !g_queue_is_empty (&feed->listeners);
    gint64 next = last + (heard ? HEARD_EVERY : UNHEARD_EVERY);

    if (feed->ending || g_get_monotonic_time () >= next)
      return !feed->ending;
    g_cond_wait_until (&feed->changed, &feed->lock, next);
  }
}

static gpointer
run (gpointer data)
{
  RelayFeed *feed = data;

  g_mutex_lock (&feed->lock);
  for (gint64 last = 0; wait_for_next (feed, last);) {
    gboolean heard = !g_queue_is_empty (&feed->listeners);
    gchar *text;

    last = g_get_monotonic_time ();
    g_mutex_unlock (&feed->lock);
    text = feed->make (heard, feed->data);
    g_mutex_lock (&feed->lock);
    publish (feed, text);
  }
  g_mutex_unlock (&feed->lock);
  return NULL;
}

RelayFeed *
relay_feed_new (gchar *(*make) (gboolean heard, gpointer data), gpointer data)
{
  RelayFeed *feed = g_new0 (RelayFeed, 1);

  feed->make = make;
  feed->data = data;
  g_mutex_init (&feed->lock);
  g_cond_init (&feed->changed);
  feed->thread = g_thread_new ("relay-feed", run, feed);
  return feed;
}

void
relay_feed_free (RelayFeed *feed)
{
  g_mutex_lock (&feed->lock);
  feed->ending = TRUE;
  g_cond_signal (&feed->changed);
  g_mutex_unlock (&feed->lock);
  g_thread_join (feed->thread);
  g_assert (g_queue_is_empty (&feed->listeners));
  g_clear_pointer (&feed->frame, g_bytes_unref);
  g_cond_clear (&feed->changed);
  g_mutex_clear (&feed->lock);
  g_free (feed);
}

/* --- listeners ---------------------------------------------------------------------------- */

RelayListener *
relay_listener_new (RelayFeed *feed, const RelayListenerFuncs *funcs, gpointer data)
{
  RelayListener *listener = g_new0 (RelayListener, 1);

  listener->feed = feed;
  listener->funcs = *funcs;
  listener->data = data;
  g_mutex_lock (&feed->lock);
  g_queue_push_tail (&feed->listeners, listener);
  g_cond_signal (&feed->changed);
  g_mutex_unlock (&feed->lock);
  return listener;
}

void
relay_listener_free (RelayListener *listener)
{
  RelayFeed *feed = listener->feed;

  g_mutex_lock (&feed->lock);
  g_queue_remove (&feed->listeners, listener);
  g_mutex_unlock (&feed->lock);
  g_clear_pointer (&listener->frame, g_bytes_unref);
  g_free (listener);
}

/* FALSE: it has the newest. */
static gboolean
take_next (RelayListener *listener)
{
  RelayFeed *feed = listener->feed;

  if (feed->frame == NULL || listener->serial == feed->serial)
    return FALSE;
  g_clear_pointer (&listener->frame, g_bytes_unref);
  listener->frame = g_bytes_ref (feed->frame);
  listener->serial = feed->serial;
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
  g_mutex_lock (&listener->feed->lock);
  if (!listener->ended)
    n = read_some (listener, to, size, whole);
  g_mutex_unlock (&listener->feed->lock);
  return n;
}

void
relay_listener_end (RelayListener *listener)
{
  g_mutex_lock (&listener->feed->lock);
  listener->ended = TRUE;
  wake (listener);
  g_mutex_unlock (&listener->feed->lock);
}
