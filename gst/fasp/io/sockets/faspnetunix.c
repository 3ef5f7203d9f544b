/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspnetunix.c: the calls that are the same on Linux and on other POSIX systems.
 */
#include <unistd.h>
#include "faspnet.h"

void
fasp_net_close (gint fd)
{
  close (fd);
}

gboolean
fasp_net_bind (gint fd, gconstpointer address, gsize size)
{
  return bind (fd, address, size) == 0;
}

gboolean
fasp_net_connect (gint fd, gconstpointer address, gsize size)
{
  return connect (fd, address, size) == 0;
}

gboolean
fasp_net_get_bound (gint fd, struct sockaddr_storage *bound, gsize *size)
{
  socklen_t length = sizeof *bound;
  gboolean known = getsockname (fd, (struct sockaddr *) bound, &length) == 0;

  *size = length;
  return known;
}

gboolean
fasp_net_set (gint fd, gint level, gint name, gconstpointer value, gsize size)
{
  return setsockopt (fd, level, name, value, size) == 0;
}

gboolean
fasp_net_get_int (gint fd, gint level, gint name, gint *value)
{
  socklen_t size = sizeof *value;

  return getsockopt (fd, level, name, value, &size) == 0;
}

gboolean
fasp_net_set_interface4 (gint fd, guint index)
{
  struct ip_mreqn four = { .imr_ifindex = index };

  return fasp_net_set (fd, IPPROTO_IP, IP_MULTICAST_IF, &four, sizeof four);
}

gssize
fasp_net_send (gint fd, const struct msghdr *message)
{
  return sendmsg (fd, message, 0);
}

gssize
fasp_net_receive (gint fd, struct msghdr *message)
{
  return recvmsg (fd, message, 0);
}
