/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspcommon.h: how the elements of both plugins register enumerations with
 * GStreamer, and put arrays into structures.
 *
 * An array in a structure is a GValueArray, as in the structures of srtsink and level.  GLib calls
 * it deprecated, but it is the only kind of array that Python (PyGObject), Java (gst1-java-core),
 * Go (go-gst) and Rust (glib::ValueArray) all turn into a list of theirs by themselves:
 * GST_TYPE_ARRAY is unknown to the first three.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Returns the GType of an enum, registered once as a part of the plugin's interface. */
GType gst_fasp_register_enum (gsize *once, const gchar *name, const GEnumValue *values);
/* Defines the function prefix_get_type() of an enum; the further arguments are its values, as
 * GEnumValue. */
#define GST_FASP_DEFINE_ENUM(Name, prefix, ...) \
  GType prefix##_get_type (void) \
  { \
    static gsize once = 0; \
    static const GEnumValue values[] = { __VA_ARGS__, { 0, NULL, NULL } }; \
\
    return gst_fasp_register_enum (&once, #Name, values); \
  } \
  GType prefix##_get_type (void)
/* Sets a field to an array of @n uint64. */
void gst_fasp_structure_set_counts (GstStructure *s, const gchar *name, const guint64 *counts,
    guint n);
/* Sets a field to an array of GstStructures; takes @structures, and those in it. */
void gst_fasp_structure_take_structures (GstStructure *s, const gchar *name, GPtrArray *structures);
/* The array in a value, which stays the value's; NULL: there is no value, or no array in it. */
const GValueArray *gst_fasp_value_get_array (const GValue *value);

G_END_DECLS
