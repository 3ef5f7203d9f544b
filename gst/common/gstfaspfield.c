/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspfield.h"

static void
replace_caps (GstCaps **caps, const GValue *value)
{
  gst_clear_caps (caps);
  if (gst_value_get_caps (value) != NULL)
    *caps = gst_caps_copy (gst_value_get_caps (value));
}

void
gst_fasp_field_set (const GstFaspField *field, gpointer in, const GValue *value)
{
  gpointer member = G_STRUCT_MEMBER_P (in, field->offset);

  switch (field->kind) {
    case G_TYPE_STRING:
      g_free (*(gchar **) member);
      *(gchar **) member = g_value_dup_string (value);
      break;
    case G_TYPE_ENUM:
      *(gint *) member = g_value_get_enum (value);
      break;
    case G_TYPE_BOOLEAN:
      *(gboolean *) member = g_value_get_boolean (value);
      break;
    case G_TYPE_INT:
      *(gint *) member = g_value_get_int (value);
      break;
    case G_TYPE_UINT:
      *(guint *) member = g_value_get_uint (value);
      break;
    case G_TYPE_UINT64:
      *(guint64 *) member = g_value_get_uint64 (value);
      break;
    case G_TYPE_BOXED:
      replace_caps (member, value);
      break;
    default:
      g_assert_not_reached ();
  }
}

void
gst_fasp_field_get (const GstFaspField *field, gconstpointer in, GValue *value)
{
  gconstpointer member = (const guint8 *) in + field->offset;

  switch (field->kind) {
    case G_TYPE_STRING:
      g_value_set_string (value, *(gchar *const *) member);
      break;
    case G_TYPE_ENUM:
      g_value_set_enum (value, *(const gint *) member);
      break;
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, *(const gboolean *) member);
      break;
    case G_TYPE_INT:
      g_value_set_int (value, *(const gint *) member);
      break;
    case G_TYPE_UINT:
      g_value_set_uint (value, *(const guint *) member);
      break;
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, *(const guint64 *) member);
      break;
    case G_TYPE_BOXED:
      gst_value_set_caps (value, *(GstCaps *const *) member);
      break;
    default:
      g_assert_not_reached ();
  }
}
