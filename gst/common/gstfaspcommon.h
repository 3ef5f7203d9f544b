/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspcommon.h: what the elements of both plugins tell GStreamer in the
 * same way.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The GType of an enum, registered once as a part of the plugin's interface. */
GType gst_fasp_register_enum (gsize * once, const gchar * name,
    const GEnumValue * values);
/* An array of @n uint64. */
void gst_fasp_structure_set_counts (GstStructure * s, const gchar * name,
    const guint64 * counts, guint n);

G_END_DECLS
