/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaylog.h"
#include <stdio.h>
#include "faspplain.h"

gboolean
relay_log_may (RelayLogBudget *budget, gint64 now, guint *missed)
{
  *missed = 0;
  if (budget->n == 0 || now - budget->since >= budget->time) {
    *missed = budget->n > budget->most ? budget->n - budget->most : 0;
    budget->n = 0;
    budget->since = now;
  }
  return ++budget->n <= budget->most;
}

gchar *
relay_log_make_plain (const gchar *text)
{
  g_autofree gchar *valid = g_utf8_make_valid (text, -1);
  GString *plain = g_string_new (NULL);

  for (const gchar *c = valid; *c != '\0'; c = g_utf8_next_char (c)) {
    gunichar u = g_utf8_get_char (c);

    g_string_append_unichar (plain, fasp_is_plain (u) ? u : ' ');
  }
  return g_string_free (plain, FALSE);
}

void
relay_log (const gchar *stream, const gchar *format, ...)
{
  g_autofree gchar *text = NULL, *plain = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  plain = relay_log_make_plain (text);
  /* not g_printerr(): without a locale, as in a container, it writes ? for all but ASCII */
  if (stream != NULL)
    fprintf (stderr, "fasp-relay: %s: %s\n", stream, plain);
  else
    fprintf (stderr, "fasp-relay: %s\n", plain);
}
