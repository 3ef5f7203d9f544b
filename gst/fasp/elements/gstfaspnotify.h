/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfasptelling.h: what the threads of a connection report, on its way to the element, to its
 * application and to people.
 */
#pragma once

#include "gstfaspconnection.h"

G_BEGIN_DECLS

/* The functions of the I/O threads; their user_data is a GstFaspSource. */
void gst_fasp_telling_fill (FaspIoSettings *io);
/* Those of the thread that reads several sources. */
void gst_fasp_telling_fill_sources (GstFaspConnection *connection, FaspSourcesSettings *settings);
/* Is this an I/O thread of the connection, which reports something? */
gboolean gst_fasp_telling_is_self (const GstFaspConnection *connection);

G_END_DECLS
