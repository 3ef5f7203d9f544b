/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * numbers.h: lists of numbers on the command line.
 */
#pragma once

#include <glib.h>

/* Of "A,B,...", @most at most; how many there are. */
static inline guint
numbers_parse (const gchar *text, gdouble *values, guint most)
{
  g_auto (GStrv) words = g_strsplit (text, ",", most);
  guint n;

  for (n = 0; words[n] != NULL; n++)
    values[n] = g_ascii_strtod (words[n], NULL);
  return n;
}
