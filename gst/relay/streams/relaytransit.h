/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaytransit.h: changes the state of a pipeline, or of one element, in a thread of its own.
 *
 * Opening an element stretches keys, closing it waits for goodbyes to be answered.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Called from the main context. */
typedef void (*RelayTransitFunc) (GstElement *element, GstState state, gboolean good,
    gpointer data);

/* @queues: it has a passphrase, and waits for others that have one.  @wish: atomic; if it is not
 * @wished any more when the element could start, it does not.  It must outlive the call of @func.
 */
void relay_transit (GstElement *element, GstState state, gboolean queues, const gint *wish,
    gint wished, RelayTransitFunc func, gpointer data);

G_END_DECLS
