/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaylog.h"

void
relay_log (const gchar * stream, const gchar * format, ...)
{
  g_autofree gchar *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  /* a line each, whatever the network has put into it, and nothing for the terminal */
  for (gchar * c = text; *c != '\0'; c++)
    if (g_ascii_iscntrl (*c))
      *c = ' ';
  if (stream != NULL)
    g_printerr ("fasp-relay: %s: %s\n", stream, text);
  else
    g_printerr ("fasp-relay: %s\n", text);
}
