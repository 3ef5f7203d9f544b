/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspcommon.h: how the elements of both plugins register enumerations with
 * GStreamer, and put arrays into structures.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Returns the GType of an enum, registered once as a part of the plugin's interface. */
GType gst_fasp_register_enum (gsize * once, const gchar * name,
    const GEnumValue * values);
/* Sets a field to an array of @n uint64. */
void gst_fasp_structure_set_counts (GstStructure * s, const gchar * name,
    const guint64 * counts, guint n);

G_END_DECLS
