/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspwakewindows.c: a UDP socket connected to its own loopback address; datagrams of other senders
 * do not reach it. A firewall could drop what it sends, so that is tried when it opens.
 */
#include <errno.h>
#include <gio/gio.h>
#include "faspnet.h"
#include "faspwake.h"

#define HEARD_WITHIN FASP_SEC

static gboolean
connect_to_itself (gint fd)
{
  struct sockaddr_in self = { .sin_family = AF_INET, .sin_addr.s_addr = g_htonl (INADDR_LOOPBACK) };
  struct sockaddr_storage bound;
  gsize size;

  return fd >= 0 && fasp_net_bind (fd, &self, sizeof self) && fasp_net_get_bound (fd, &bound, &size)
      && fasp_net_connect (fd, &bound, size);
}

static gboolean
hears_itself (const FaspWake *wake)
{
  struct pollfd poll = { .fd = wake->fd, .events = POLLIN };

  fasp_wake_ring (wake);
  if (fasp_net_poll (&poll, 1, HEARD_WITHIN) <= 0)
    return FALSE;
  fasp_wake_clear (wake);
  return TRUE;
}

gboolean
fasp_wake_open (FaspWake *wake, GError **error)
{
  wake->fd = wake->ring = fasp_net_open (AF_INET);
  if (!connect_to_itself (wake->fd))
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
        "Cannot make a socket that wakes a thread: %s. Check the limit of open sockets.",
        g_strerror (errno));
  else if (hears_itself (wake))
    return TRUE;
  else
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT,
        "A socket cannot send to itself over 127.0.0.1, as it must to wake a thread. Let the firewall "
        "pass this program's UDP on the loopback interface.");
  fasp_wake_close (wake);
  *wake = (FaspWake) { -1, -1 };
  return FALSE;
}

void
fasp_wake_close (FaspWake *wake)
{
  if (wake->fd >= 0)
    fasp_net_close (wake->fd);
}

void
fasp_wake_ring (const FaspWake *wake)
{
  guint8 one = 1;
  struct iovec piece = { &one, sizeof one };
  struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1 };

  /* EAGAIN: it was rung often enough */
  if (fasp_net_send (wake->ring, &message) < 0 && errno != EAGAIN && errno != ENOBUFS)
    g_warning ("cannot wake a thread: %s", g_strerror (errno));
}

void
fasp_wake_clear (const FaspWake *wake)
{
  guint8 one;
  struct iovec piece = { &one, sizeof one };
  struct msghdr message;

  do
    message = (struct msghdr) { .msg_iov = &piece, .msg_iovlen = 1 };
  while (fasp_net_receive (wake->fd, &message) >= 0);
  if (errno != EAGAIN)
    g_warning ("cannot clear a socket that wakes a thread: %s", g_strerror (errno));
}
