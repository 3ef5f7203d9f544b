/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspwakeportable.c: a socket that is connected to itself over the loopback interface, from which
 * others cannot send to it.
 */
#include <errno.h>
#include <gio/gio.h>
#include "faspnet.h"
#include "faspwake.h"

static gboolean
connect_to_itself (gint fd)
{
  struct sockaddr_in self = { .sin_family = AF_INET, .sin_addr.s_addr = g_htonl (INADDR_LOOPBACK) };
  struct sockaddr_storage bound;
  gsize size;

  return fd >= 0 && fasp_net_bind (fd, &self, sizeof self) && fasp_net_get_bound (fd, &bound, &size)
      && fasp_net_connect (fd, &bound, size);
}

gint
fasp_wake_new (GError **error)
{
  gint fd = fasp_net_open (AF_INET);

  if (connect_to_itself (fd))
    return fd;
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
      "Cannot make a socket that wakes threads: %s. Check the limit of open files, and that the "
      "loopback interface is up.",
      g_strerror (errno));
  fasp_wake_free (fd);
  return -1;
}

void
fasp_wake_free (gint fd)
{
  if (fd >= 0)
    fasp_net_close (fd);
}

void
fasp_wake_ring (gint fd)
{
  guint8 one = 1;
  struct iovec piece = { &one, sizeof one };
  struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1 };

  /* EAGAIN: it was rung often enough */
  if (fasp_net_send (fd, &message) < 0 && errno != EAGAIN && errno != ENOBUFS)
    g_warning ("cannot wake a thread: %s", g_strerror (errno));
}

void
fasp_wake_clear (gint fd)
{
  guint8 one;
  struct iovec piece = { &one, sizeof one };
  struct msghdr message;

  do
    message = (struct msghdr) { .msg_iov = &piece, .msg_iovlen = 1 };
  while (fasp_net_receive (fd, &message) >= 0);
  if (errno != EAGAIN)
    g_warning ("cannot clear a socket that wakes threads: %s", g_strerror (errno));
}
