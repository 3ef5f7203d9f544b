/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"
#include "toolstd.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void
print (const gchar *text)
{
  fputs (text, stdout);
  fflush (stdout);
}

static void
print_error (const gchar *text)
{
  fputs (text, stderr);
}

void
tool_begin_standard (void)
{
  int fd;

  /* an output that cannot be written to, an input that cannot be read */
  do
    fd = open ("/dev/null", fcntl (STDIN_FILENO, F_GETFD) < 0 ? O_WRONLY : O_RDONLY);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0)
    close (fd);
  g_set_print_handler (print);
  g_set_printerr_handler (print_error);
}

static gboolean
print_version (const gchar *option, const gchar *value, gpointer data, GError **error)
{
  g_print ("%s " VERSION "\n", g_get_prgname ());
  exit (0);
}

void
tool_add_version (GOptionContext *context)
{
  static const GOptionEntry entries[] = {
    { "version", 0, G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, print_version, "Print the version",
        NULL },
    { NULL },
  };

  g_option_context_add_main_entries (context, entries, NULL);
}
