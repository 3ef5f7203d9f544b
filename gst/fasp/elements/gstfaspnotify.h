/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspnotify.h: passes what the threads of a connection report to the element, and posts
 * messages and warnings about it.
 */
#pragma once

#include "gstfaspconnection.h"

G_BEGIN_DECLS

/* Sets the callbacks of a source's I/O thread; their user_data is a GstFaspSource. */
void gst_fasp_notify_fill (FaspIoSettings *io);
/* Sets the callbacks of the thread that reads several sources. */
void gst_fasp_notify_fill_sources (GstFaspConnection *connection, FaspSourcesSettings *settings);
/* Is the calling thread an I/O thread of the connection that is emitting its signals or
 * messages? */
gboolean gst_fasp_notify_is_self (const GstFaspConnection *connection);

G_END_DECLS
