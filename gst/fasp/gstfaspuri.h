/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspuri.h: fasp://HOST:PORT?key=value, of which every writable property is
 * a key.
 */
#pragma once

#include "gstfaspsettings.h"

G_BEGIN_DECLS

/* Checks the whole URI before anything of it takes effect; object lock not
 * held. */
gboolean gst_fasp_uri_set (GstFaspSettings * settings, GstElement * element,
    const gchar * uri, GError ** error);
/* Canonical; without secrets. Object lock held. */
gchar *gst_fasp_uri_get (const GstFaspSettings * settings);

G_END_DECLS
