/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspuri.h: fasp://HOST:PORT?key=value, where every writable property can be
 * a key, unless it is local (GST_FASP_PARAM_LOCAL).
 */
#pragma once

#include "gstfaspsettings.h"

G_BEGIN_DECLS

/* Checks the whole URI, then applies it. Call this without the object lock. @uri: NULL removes host
 * and port; other settings that the old URI made stay. */
gboolean gst_fasp_uri_set (GstFaspSettings *settings, GstElement *element, const gchar *uri,
    GError **error);
/* Returns the URI in canonical form, without secrets. Call this with the object lock held. */
gchar *gst_fasp_uri_get (const GstFaspSettings *settings);

G_END_DECLS
