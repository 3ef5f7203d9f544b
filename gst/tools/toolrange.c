/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "toolrange.h"
#include <stdio.h>

gboolean
tool_check_ranges (const ToolRange *ranges, guint n)
{
  for (guint i = 0; i < n; i++) {
    const ToolRange *r = &ranges[i];

    /* written so that NaN is refused, too */
    if (r->value >= r->least && r->value <= r->most)
      continue;
    fprintf (stderr, "%s: --%s is %.10g to %.10g, not %.10g.\n", g_get_prgname (), r->option,
        r->least, r->most, r->value);
    return FALSE;
  }
  return TRUE;
}
