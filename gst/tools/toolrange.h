/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * toolrange.h: rejects numbers of a command line that an element would not accept.
 */
#pragma once

#include <glib.h>

typedef struct
{
  const gchar *option;
  gdouble value, least, most;
} ToolRange;

/* FALSE: a value is out of its range. A message says which one, and the range. */
gboolean tool_check_ranges (const ToolRange *ranges, guint n);
