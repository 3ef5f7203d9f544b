/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspcommon.h"

GType
gst_fasp_register_enum (gsize * once, const gchar * name,
    const GEnumValue * values)
{
  if (g_once_init_enter (once)) {
    GType type = g_enum_register_static (name, values);

    gst_type_mark_as_plugin_api (type, 0);
    g_once_init_leave (once, type);
  }
  return *once;
}

void
gst_fasp_structure_set_counts (GstStructure * s, const gchar * name,
    const guint64 * counts, guint n)
{
  GValue array = G_VALUE_INIT, value = G_VALUE_INIT;

  g_value_init (&array, GST_TYPE_ARRAY);
  g_value_init (&value, G_TYPE_UINT64);
  for (guint i = 0; i < n; i++) {
    g_value_set_uint64 (&value, counts[i]);
    gst_value_array_append_value (&array, &value);
  }
  g_value_unset (&value);
  gst_structure_take_value (s, name, &array);
}
