/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * toolrange.h: numbers of a command line that an element would not take.
 */
#pragma once

#include <glib.h>

typedef struct
{
  const gchar *option;
  gdouble value, least, most;
} ToolRange;

/* FALSE: one is out of its range; which, and what it may be, has been said. */
gboolean tool_check_ranges (const ToolRange * ranges, guint n);
