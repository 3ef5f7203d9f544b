/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayeventstream.h: a text that a thread of its own makes once a second for all listeners to a
 * feed of the newest.  relayconnectionlimits.h decides how long a listener may take.
 */
#pragma once

#include "relayfeed.h"

G_BEGIN_DECLS

typedef struct _RelayEventStream RelayEventStream;

/* @make: returns the next text, in the event stream's thread; called once a second while there is
 * a listener, else every ten seconds (@heard is FALSE, and NULL is returned). */
RelayEventStream *relay_event_stream_new (gchar *(*make) (gboolean heard, gpointer data),
    gpointer data);
/* Starts the thread. */
gboolean relay_event_stream_begin (RelayEventStream *event_stream, GError **error);
/* All listeners have to be freed before. */
void relay_event_stream_free (RelayEventStream *event_stream);

/* Borrowed. */
RelayFeed *relay_event_stream_get_feed (RelayEventStream *event_stream);

G_END_DECLS
