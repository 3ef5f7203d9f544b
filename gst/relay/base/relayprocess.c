/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayprocess.h"
#include <errno.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

gboolean
relay_process_watch (GPid pid, GUnixFDSourceFunc ended, gpointer data)
{
  gint fd = pidfd_open (pid, 0);

  if (fd >= 0)
    g_unix_fd_add (fd, G_IO_IN, ended, data);
  return fd >= 0;
}

gint
relay_process_reap (GPid pid, gint fd)
{
  gint status = 0;

  if (fd >= 0)
    close (fd);
  while (waitpid (pid, &status, 0) < 0 && errno == EINTR)
    ;
  return status;
}
