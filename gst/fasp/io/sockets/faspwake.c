/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <gio/gio.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "faspwake.h"

gint
fasp_wake_new (GError **error)
{
  gint fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);

  if (fd < 0)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
        "Cannot make an event counter: %s. Check the limit of open files (`ulimit -n').",
        g_strerror (errno));
  return fd;
}

void
fasp_wake_free (gint fd)
{
  if (fd >= 0)
    close (fd);
}

void
fasp_wake_ring (gint fd)
{
  guint64 one = 1;

  /* EAGAIN: the counter is at its maximum */
  if (write (fd, &one, sizeof one) < 0 && errno != EAGAIN)
    g_warning ("cannot wake a thread: %s", g_strerror (errno));
}

void
fasp_wake_clear (gint fd)
{
  guint64 ignored;

  /* EAGAIN: the counter is 0 */
  if (read (fd, &ignored, sizeof ignored) < 0 && errno != EAGAIN)
    g_warning ("cannot clear an event counter: %s", g_strerror (errno));
}
