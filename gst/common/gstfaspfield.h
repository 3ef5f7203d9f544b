/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspfield.h: sets and gets properties that are members of a struct, by a table of their
 * offsets.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  gsize offset;
  GType kind; /* the fundamental type of the property; G_TYPE_BOXED: GstCaps */
} GstFaspField;

#define GST_FASP_FIELD(type, member, kind) { G_STRUCT_OFFSET (type, member), kind }

/* Strings and caps are copied: the struct owns its own. */
void gst_fasp_field_set (const GstFaspField *field, gpointer in, const GValue *value);
void gst_fasp_field_get (const GstFaspField *field, gconstpointer in, GValue *value);

G_END_DECLS
