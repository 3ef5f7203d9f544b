/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayfields.h"

static const FaspStatField fields[] = {
  { .name = "bytes-not-ts", .unit = FASP_UNIT_BYTES, .kind = FASP_KIND_COUNTER },
  { .name = "continuity-errors", .unit = FASP_UNIT_NONE, .kind = FASP_KIND_COUNTER },
  { .name = "datagrams-refused", .unit = FASP_UNIT_NONE, .kind = FASP_KIND_COUNTER },
  { .name = "end-restarts", .unit = FASP_UNIT_NONE, .kind = FASP_KIND_COUNTER },
};

const FaspStatField *
relay_fields_find (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (g_str_equal (fields[i].name, name))
      return &fields[i];
  return NULL;
}
