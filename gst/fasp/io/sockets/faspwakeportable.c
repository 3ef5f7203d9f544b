/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspwakeportable.c: a pipe, which loses no byte: when it is full, it can be read anyway.
 */
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <unistd.h>
#include "faspwake.h"

static gboolean
set_flags (gint fd)
{
  return fcntl (fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl (fd, F_SETFL, O_NONBLOCK) == 0;
}

gboolean
fasp_wake_open (FaspWake *wake, GError **error)
{
  gint ends[2] = { -1, -1 };
  gboolean opened = pipe (ends) == 0;

  *wake = (FaspWake) { ends[0], ends[1] };
  if (opened && set_flags (wake->fd) && set_flags (wake->ring))
    return TRUE;
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
      "Cannot make a pipe that wakes a thread: %s. Check the limit of open files (`ulimit -n').",
      g_strerror (errno));
  fasp_wake_close (wake);
  *wake = (FaspWake) { -1, -1 };
  return FALSE;
}

void
fasp_wake_close (FaspWake *wake)
{
  if (wake->fd < 0)
    return;
  close (wake->fd);
  close (wake->ring);
}

void
fasp_wake_ring (const FaspWake *wake)
{
  guint8 one = 1;

  if (write (wake->ring, &one, sizeof one) < 0 && errno != EAGAIN)
    g_warning ("cannot wake a thread: %s", g_strerror (errno));
}

void
fasp_wake_clear (const FaspWake *wake)
{
  guint8 ignored[64];
  gssize n;

  do
    n = read (wake->fd, ignored, sizeof ignored);
  while (n > 0);
  if (n == 0 || errno != EAGAIN)
    g_warning ("cannot clear a pipe that wakes a thread");
}
