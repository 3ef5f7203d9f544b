/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspnotify.h: passes what the threads of a connection report to the element, and posts
 * messages and warnings about it.
 */
#pragma once

#include "gstfaspconnection.h"

G_BEGIN_DECLS

/* The functions of the I/O threads; their user_data is a GstFaspSource. */
void gst_fasp_notify_fill (FaspIoSettings *io);
/* Those of the thread that reads several sources. */
void gst_fasp_notify_fill_sources (GstFaspConnection *connection, FaspSourcesSettings *settings);
/* Is this an I/O thread of the connection, which reports something? */
gboolean gst_fasp_notify_is_self (const GstFaspConnection *connection);

G_END_DECLS
