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

/* FALSE: one is out of its range. The message says which one, and what it may be. */
gboolean tool_check_ranges (const ToolRange *ranges, guint n);
