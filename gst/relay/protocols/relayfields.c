/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayfields.h"

static const FaspStatField fields[] = {
  { .name = "bytes-dropped-total", .unit = FASP_UNIT_BYTES, .kind = FASP_KIND_COUNTER },
  { .name = "bytes-not-ts", .unit = FASP_UNIT_BYTES, .kind = FASP_KIND_COUNTER },
  { .name = "callers-standing-by", .unit = FASP_UNIT_NONE, .kind = FASP_KIND_GAUGE },
  { .name = "datagrams-refused", .unit = FASP_UNIT_NONE, .kind = FASP_KIND_COUNTER },
  { .name = "end-restarts", .unit = FASP_UNIT_NONE, .kind = FASP_KIND_COUNTER },
  { .name = "jitter-ms", .unit = FASP_UNIT_MS, .kind = FASP_KIND_GAUGE },
  { .name = "packets-missing", .unit = FASP_UNIT_NONE, .kind = FASP_KIND_COUNTER },
  { .name = "packets-sent-dropped", .unit = FASP_UNIT_NONE, .kind = FASP_KIND_COUNTER },
  { .name = "packets-used", .unit = FASP_UNIT_NONE, .kind = FASP_KIND_COUNTER },
};

const FaspStatField *
relay_fields_find (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (g_str_equal (fields[i].name, name))
      return &fields[i];
  return NULL;
}

void
relay_fields_copy (const GstStructure *from, const gchar *const *theirs, const gchar *const *ours,
    GstStructure *to)
{
  for (; *theirs != NULL; theirs++, ours++) {
    const GValue *value = gst_structure_get_value (from, *theirs);
    GValue copy = G_VALUE_INIT;
    guint64 ns;

    if (value == NULL)
      continue;
    if (g_str_has_suffix (*ours, "-ms") && gst_structure_get_uint64 (from, *theirs, &ns)) {
      if (ns > 0)
        gst_structure_set (to, *ours, G_TYPE_DOUBLE, ns / (gdouble) GST_MSECOND, NULL);
      continue;
    }
    g_value_init (&copy, G_VALUE_HOLDS_DOUBLE (value) ? G_TYPE_DOUBLE : G_TYPE_UINT64);
    g_value_transform (value, &copy);
    gst_structure_take_value (to, *ours, &copy);
  }
}

void
relay_fields_set_address (GstStructure *peer, GSocketAddress *address)
{
  g_autofree gchar *text = g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (address));

  gst_structure_set (peer, "caller-address", G_TYPE_SOCKET_ADDRESS, address,
      "caller-address-string", G_TYPE_STRING, text, NULL);
}
