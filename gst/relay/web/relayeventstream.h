/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayeventstream.h: a text that a thread of its own makes once a second for all listeners.
 *
 *     frame 7 --> listener A        reads it now
 *             --> listener B        reads it now
 *     (frame 6 -> listener C)       has not read all of it: then it goes on with the newest
 *
 * Frames are not queued: each listener has one at most, and misses those that are made while it
 * reads.  relayconnectionlimits.h decides how long a listener may take.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _RelayEventStream RelayEventStream;
typedef struct _RelayListener RelayListener;

/* Called with the event stream's lock held: they must not call it. */
typedef struct
{
  void (*hold) (gpointer data); /* there is nothing to read: the listener must wait */
  void (*wake) (gpointer data); /* the listener has waited, and must read again */
} RelayListenerFuncs;

/* @make: returns the next text, in the event stream's thread; called once a second while there is
 * a listener, else every ten seconds (@heard is FALSE, and NULL is returned). */
RelayEventStream *relay_event_stream_new (gchar *(*make) (gboolean heard, gpointer data),
    gpointer data);
/* All listeners have to be freed before. */
void relay_event_stream_free (RelayEventStream *event_stream);

RelayListener *relay_listener_new (RelayEventStream *event_stream, const RelayListenerFuncs *funcs,
    gpointer data);
/* The listener must not be waiting. */
void relay_listener_free (RelayListener *listener);
/* Returns how many bytes were read; 0: the listener waits now; -1: it was ended. *whole: a frame
 * was read to its end. */
gssize relay_listener_read (RelayListener *listener, gchar *to, gsize size, gboolean *whole);
/* Ends the listener: it reads nothing more, and does not wait. */
void relay_listener_end (RelayListener *listener);

G_END_DECLS
