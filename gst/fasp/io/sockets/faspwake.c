/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <gio/gio.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "faspwake.h"

gboolean
fasp_wake_open (FaspWake *wake, GError **error)
{
  wake->fd = wake->ring = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake->fd >= 0)
    return TRUE;
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
      "Cannot make an event counter: %s. Check the limit of open files (`ulimit -n').",
      g_strerror (errno));
  return FALSE;
}

void
fasp_wake_close (FaspWake *wake)
{
  if (wake->fd >= 0)
    close (wake->fd);
}

void
fasp_wake_ring (const FaspWake *wake)
{
  guint64 one = 1;

  /* EAGAIN: the counter is at its maximum */
  if (write (wake->ring, &one, sizeof one) < 0 && errno != EAGAIN)
    g_warning ("cannot wake a thread: %s", g_strerror (errno));
}

void
fasp_wake_clear (const FaspWake *wake)
{
  guint64 ignored;

  /* EAGAIN: the counter is 0 */
  if (read (wake->fd, &ignored, sizeof ignored) < 0 && errno != EAGAIN)
    g_warning ("cannot clear an event counter: %s", g_strerror (errno));
}
