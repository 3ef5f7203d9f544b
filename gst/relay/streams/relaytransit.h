/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaytransit.h: changes the state of a pipeline, or of one element, in a thread of its own.
 *
 * Opening an element stretches keys, closing it waits for goodbyes to be answered.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Called from the main context when the element has changed its state. @good: FALSE: it failed. */
typedef void (*RelayTransitFunc) (GstElement *element, GstState state, gboolean good,
    gpointer data);

/* Elements with a passphrase start one after the other: while one waits for its key it cannot be
 * called off, but while it waits for its turn it can.  (gstfaspstretch.h bounds the memory of
 * keys.) One that takes long, as a disk does not answer, loses its turn to the next one.
 * Returns the turn, which is to be left. */
gint64 relay_turn_take (void);
void relay_turn_leave (gint64 turn);

/* Changes the state in a thread. @queues: the element has a passphrase, and waits for others that
 * have one. @wish: atomic; if it is no longer @wished when the element's turn comes, the element is
 * not started. It must outlive the call of @func.
 */
void relay_transit (GstElement *element, GstState state, gboolean queues, const gint *wish,
    gint wished, RelayTransitFunc func, gpointer data);

G_END_DECLS
