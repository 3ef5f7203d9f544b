/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayfeed.h"
#include <string.h>

typedef struct
{
  GBytes *bytes;
  gboolean begins;
} Piece;

struct _RelayFeed
{
  gint users;     /* atomic */
  guint most;     /* listeners */
  gsize size_max; /* of all pieces that are kept, bytes; 0: only the newest is kept */
  gint64 late;
  GBytes *head;                 /* NULL: none */
  void (*came) (gpointer data); /* NULL: nothing is called */
  gpointer data;
  GMutex lock; /* guards the rest */
  GQueue listeners;
  GQueue pieces; /* Piece, the oldest first */
  gsize size;    /* of the pieces */
  guint64 next;  /* number of the next piece, from 1 */
  guint dropped;
  gboolean ended;
};

/* All members are under the feed's lock. */
struct _RelayListener
{
  RelayFeed *feed;
  RelayListenerFuncs funcs;
  gpointer data;
  GBytes *piece; /* piece, or head, that the listener reads; NULL: none */
  gsize read;    /* bytes of it read so far */
  guint64 next;  /* number of the next piece to read; 0: from a beginning */
  guint64 at;    /* number of the piece that it read when the last one was published */
  gint64 since;  /* when a publication first found it at this piece, µs; 0: none was published */
  gboolean waits, ended;
};

static void
free_piece (Piece *piece)
{
  g_bytes_unref (piece->bytes);
  g_free (piece);
}

RelayFeed *
relay_feed_new (void (*came) (gpointer data), gpointer data)
{
  RelayFeed *feed = relay_feed_new_of_all (NULL, G_MAXUINT, 0, 0);

  feed->came = came;
  feed->data = data;
  return feed;
}

RelayFeed *
relay_feed_new_of_all (GBytes *head, guint most, gsize size, gint64 late)
{
  RelayFeed *feed = g_new0 (RelayFeed, 1);

  feed->users = 1;
  feed->most = most;
  feed->size_max = size;
  feed->late = late;
  feed->head = head;
  feed->next = 1;
  g_mutex_init (&feed->lock);
  return feed;
}

RelayFeed *
relay_feed_ref (RelayFeed *feed)
{
  g_atomic_int_inc (&feed->users);
  return feed;
}

void
relay_feed_unref (RelayFeed *feed)
{
  if (!g_atomic_int_dec_and_test (&feed->users))
    return;
  g_queue_clear_full (&feed->pieces, (GDestroyNotify) free_piece);
  g_clear_pointer (&feed->head, g_bytes_unref);
  g_mutex_clear (&feed->lock);
  g_free (feed);
}

/* --- publishing --------------------------------------------------------------------------- */

static void
wake (RelayListener *listener)
{
  if (listener->waits)
    listener->funcs.wake (listener->data);
  listener->waits = FALSE;
}

static void
drop_oldest (RelayFeed *feed)
{
  Piece *piece = g_queue_pop_head (&feed->pieces);

  feed->size -= g_bytes_get_size (piece->bytes) + RELAY_FEED_PIECE;
  free_piece (piece);
}

/* Is the piece that the listener reads not kept any more, or has it taken too long for it? Never in
 * a feed of the newest. */
static gboolean
is_late (RelayListener *listener, gint64 now)
{
  const RelayFeed *feed = listener->feed;
  /* the piece that it reads, or has to read next */
  guint64 at = listener->piece != NULL && listener->next > 1 ? listener->next - 1 : listener->next;

  if (feed->size_max == 0 || listener->ended)
    return FALSE;
  if (at != listener->at || listener->waits || listener->since == 0)
    listener->since = now;
  listener->at = at;
  return (at != 0 && at < feed->next - feed->pieces.length) || now - listener->since > feed->late;
}

void
relay_feed_publish (RelayFeed *feed, GBytes *bytes, gboolean begins, gint64 now)
{
  g_mutex_lock (&feed->lock);
  while (feed->size_max == 0 && feed->pieces.length > 0)
    drop_oldest (feed);
  if (bytes != NULL) {
    Piece *piece = g_new (Piece, 1);

    *piece = (Piece) { bytes, begins };
    g_queue_push_tail (&feed->pieces, piece);
    feed->size += g_bytes_get_size (bytes) + RELAY_FEED_PIECE;
    feed->next++;
    while (feed->size > feed->size_max && feed->pieces.length > 1)
      drop_oldest (feed);
  }
  for (GList *l = feed->listeners.head; l != NULL && bytes != NULL; l = l->next) {
    RelayListener *listener = l->data;

    if (is_late (listener, now)) {
      listener->ended = TRUE;
      feed->dropped++;
    }
    wake (listener);
  }
  g_mutex_unlock (&feed->lock);
}

void
relay_feed_end (RelayFeed *feed)
{
  g_mutex_lock (&feed->lock);
  feed->ended = TRUE;
  g_queue_clear_full (&feed->pieces, (GDestroyNotify) free_piece);
  for (GList *l = feed->listeners.head; l != NULL; l = l->next) {
    ((RelayListener *) l->data)->ended = TRUE;
    wake (l->data);
  }
  g_mutex_unlock (&feed->lock);
}

/* Under the lock. */
static guint
count (RelayFeed *feed)
{
  guint n = 0;

  for (GList *l = feed->listeners.head; l != NULL; l = l->next)
    n += !((RelayListener *) l->data)->ended;
  return n;
}

guint
relay_feed_count (RelayFeed *feed)
{
  guint n;

  g_mutex_lock (&feed->lock);
  n = count (feed);
  g_mutex_unlock (&feed->lock);
  return n;
}

guint
relay_feed_get_dropped (RelayFeed *feed)
{
  guint n;

  g_mutex_lock (&feed->lock);
  n = feed->dropped;
  g_mutex_unlock (&feed->lock);
  return n;
}

/* --- listeners ---------------------------------------------------------------------------- */

RelayListener *
relay_listener_new (RelayFeed *feed, const RelayListenerFuncs *funcs, gpointer data)
{
  RelayListener *listener = NULL;

  g_mutex_lock (&feed->lock);
  if (!feed->ended && count (feed) < feed->most) {
    listener = g_new0 (RelayListener, 1);
    listener->feed = relay_feed_ref (feed);
    listener->funcs = *funcs;
    listener->data = data;
    listener->piece = feed->head != NULL ? g_bytes_ref (feed->head) : NULL;
    g_queue_push_tail (&feed->listeners, listener);
  }
  g_mutex_unlock (&feed->lock);
  if (listener != NULL && feed->came != NULL)
    feed->came (feed->data);
  return listener;
}

void
relay_listener_free (RelayListener *listener)
{
  g_mutex_lock (&listener->feed->lock);
  g_queue_remove (&listener->feed->listeners, listener);
  g_mutex_unlock (&listener->feed->lock);
  g_clear_pointer (&listener->piece, g_bytes_unref);
  relay_feed_unref (listener->feed);
  g_free (listener);
}

/* Finds the newest piece that a listener may begin with. */
static guint64
find_beginning (const RelayFeed *feed)
{
  guint64 number = feed->next;

  for (const GList *l = feed->pieces.tail; l != NULL; l = l->prev, number--)
    if (((const Piece *) l->data)->begins)
      return number - 1;
  return 0;
}

/* Makes the listener read its next piece. FALSE: there is none yet. */
static gboolean
take_next (RelayListener *listener)
{
  RelayFeed *feed = listener->feed;
  guint64 oldest = feed->next - feed->pieces.length;

  g_clear_pointer (&listener->piece, g_bytes_unref);
  listener->read = 0;
  if (feed->size_max == 0)
    listener->next = MAX (listener->next, oldest);
  else if (listener->next == 0)
    listener->next = find_beginning (feed);
  if (listener->next == 0 || listener->next == feed->next)
    return FALSE;
  listener->piece =
      g_bytes_ref (((Piece *) g_queue_peek_nth (&feed->pieces, listener->next - oldest))->bytes);
  listener->next++;
  return TRUE;
}

static gssize
read_some (RelayListener *listener, gchar *to, gsize size, gboolean *whole)
{
  const gchar *bytes;
  gsize all;

  *whole = listener->piece != NULL && listener->read == g_bytes_get_size (listener->piece);
  if ((listener->piece == NULL || *whole) && !take_next (listener)) {
    listener->waits = TRUE;
    listener->funcs.hold (listener->data);
    return 0;
  }
  bytes = g_bytes_get_data (listener->piece, &all);
  size = MIN (size, all - listener->read);
  memcpy (to, bytes + listener->read, size);
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
