/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "toolstd.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <glib.h>

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
