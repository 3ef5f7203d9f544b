/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * options.h: the command line of a program that measures.
 */
#pragma once

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

/* Says what is wrong with the command line, and ends the program. */
static inline G_GNUC_NORETURN G_GNUC_PRINTF (1, 2) void options_refuse (const gchar *why, ...)
{
  va_list args;

  fprintf (stderr, "%s: ", g_get_prgname ());
  va_start (args, why);
  vfprintf (stderr, why, args);
  va_end (args);
  fprintf (stderr, "\n");
  exit (2);
}

/* @usage: of what is no option, or NULL. */
static inline void
options_parse (int *argc, char ***argv, const GOptionEntry *entries, const gchar *usage)
{
  g_autoptr (GOptionContext) context = g_option_context_new (usage);
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, argc, argv, &error))
    options_refuse ("%s", error->message);
}

/* Of "A,B,...", @most at most; how many there are. */
static inline guint
options_parse_numbers (const gchar *text, gdouble *values, guint most)
{
  g_auto (GStrv) words = g_strsplit (text, ",", most);
  guint n;

  for (n = 0; words[n] != NULL; n++)
    values[n] = g_ascii_strtod (words[n], NULL);
  return n;
}
