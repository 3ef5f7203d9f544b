/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define GLIB_DISABLE_DEPRECATION_WARNINGS /* about GValueArray */
#include "gstfaspcommon.h"

GType
gst_fasp_register_enum (gsize *once, const gchar *name, const GEnumValue *values)
{
  if (g_once_init_enter (once)) {
    GType type = g_enum_register_static (name, values);

    gst_type_mark_as_plugin_api (type, 0);
    g_once_init_leave (once, type);
  }
  return *once;
}

/* Sets a field to an array of @n values of @type, and returns the values. */
static GValue *
add_array (GstStructure *s, const gchar *name, GType type, guint n)
{
  GValueArray *array = g_value_array_new (n);
  GValue value = G_VALUE_INIT;

  for (guint i = 0; i < n; i++) {
    g_value_array_append (array, NULL);
    g_value_init (&array->values[i], type);
  }
  g_value_init (&value, G_TYPE_VALUE_ARRAY);
  g_value_take_boxed (&value, array);
  gst_structure_take_value (s, name, &value);
  return array->values;
}

void
gst_fasp_structure_set_counts (GstStructure *s, const gchar *name, const guint64 *counts, guint n)
{
  GValue *values = add_array (s, name, G_TYPE_UINT64, n);

  for (guint i = 0; i < n; i++)
    g_value_set_uint64 (&values[i], counts[i]);
}

void
gst_fasp_structure_take_structures (GstStructure *s, const gchar *name, GPtrArray *structures)
{
  GValue *values = add_array (s, name, GST_TYPE_STRUCTURE, structures->len);

  for (guint i = 0; i < structures->len; i++)
    g_value_take_boxed (&values[i], structures->pdata[i]);
  g_ptr_array_free (structures, TRUE);
}

const GValueArray *
gst_fasp_value_get_array (const GValue *value)
{
  return value != NULL && G_VALUE_HOLDS (value, G_TYPE_VALUE_ARRAY) ? g_value_get_boxed (value) :
                                                                      NULL;
}
