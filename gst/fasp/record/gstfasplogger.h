/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfasplogger.h: the property `log': the core's decisions, in a file and as
 * GST_DEBUG=faspdecision:5.
 *
 * The file is a JSON text sequence (RFC 7464), see docs/debugging.md.  A run appends its
 * header and its events, and several elements may have the same file.
 */
#pragma once

#include "gstfasprecorder.h"

G_BEGIN_DECLS

/* Registers the debug category; may be called again. */
void gst_fasp_logger_init (void);
/* Are events wanted, by a file at @path or by the debug category?  @path: NULL or empty: no file.
 */
gboolean gst_fasp_logger_is_wanted (const gchar *path);
/* The number of events that an endpoint keeps until they are fetched. */
guint gst_fasp_logger_get_keep (void);
/* Opens the file.  The element outlives the recorder. */
GstFaspRecorder *gst_fasp_logger_new (GstElement *element, const FaspEndpointConfig *config,
    const gchar *path, GError **error);

G_END_DECLS
