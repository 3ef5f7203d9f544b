/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayfeed.h: pieces of data for all listeners, of which each reads at its own speed.
 *
 * NEWEST: only the newest piece is kept, and a listener that has read one goes on with the newest.
 *
 *     piece 7 --> listener A        reads it now
 *     (piece 6 -> listener B)       has not read all of it: then it goes on with the newest
 *
 * ALL: a listener reads the head, and then each piece from the newest that is marked as a
 * beginning. The feed keeps the newest pieces up to a size, also if a listener still reads an
 * older one: such a listener is dropped, as is one that takes too long for a piece.
 *
 *     head, 3 (begins), 4, 5, 6 (begins), 7        --> listener C begins: head, 6, 7
 *           ^ listener D: dropped when 3 goes
 *
 * All functions may be called from any thread.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A piece counts for so many bytes besides its own. It takes less memory; but it takes time, too,
 * and so many small ones may not make work for those that publish and read them. */
#define RELAY_FEED_PIECE 4096

typedef struct _RelayFeed RelayFeed;
typedef struct _RelayListener RelayListener;

/* Called with the feed's lock held: they must not call it. */
typedef struct
{
  void (*hold) (gpointer data); /* there is nothing to read: the listener must wait */
  void (*wake) (gpointer data); /* the listener has waited, and must read again */
} RelayListenerFuncs;

/* A feed of the newest. @came: called when there is a new listener, in any thread. */
RelayFeed *relay_feed_new (void (*came) (gpointer data), gpointer data);
/* A feed of all. Takes @head. @most: listeners; one that comes beyond that is refused.  @size: of
 * the pieces that are kept, each with RELAY_FEED_PIECE more, bytes; @late: how long a listener may
 * take for a piece, µs. */
RelayFeed *relay_feed_new_of_all (GBytes *head, guint most, gsize size, gint64 late);
RelayFeed *relay_feed_ref (RelayFeed *feed);
/* Every listener has a reference. */
void relay_feed_unref (RelayFeed *feed);

/* Takes @piece; NULL, to a feed of the newest: there is none now. @begins: a listener may begin
 * with it. @now: µs, monotonic. */
void relay_feed_publish (RelayFeed *feed, GBytes *piece, gboolean begins, gint64 now);
/* Ends all listeners, and those that come; no piece is kept. */
void relay_feed_end (RelayFeed *feed);
/* Returns how many listeners have not ended. */
guint relay_feed_count (RelayFeed *feed);
/* Returns how many were dropped. */
guint relay_feed_get_dropped (RelayFeed *feed);

/* NULL: the feed has ended, or has as many listeners as it may. */
RelayListener *relay_listener_new (RelayFeed *feed, const RelayListenerFuncs *funcs, gpointer data);
/* The listener must not be waiting. */
void relay_listener_free (RelayListener *listener);
/* Returns how many bytes were read; 0: the listener waits now; -1: it was ended. *whole: a piece
 * was read to its end. */
gssize relay_listener_read (RelayListener *listener, gchar *to, gsize size, gboolean *whole);
/* Ends the listener: it reads nothing more, and does not wait. */
void relay_listener_end (RelayListener *listener);

G_END_DECLS
