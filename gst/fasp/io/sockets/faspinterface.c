/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <string.h>
#include "faspinterface.h"
#include "faspnet.h"

/* An interface from which only this machine can be reached. */
#define NOWHERE "lo"

gboolean
fasp_interface_bind (gint fd, const gchar *name)
{
  return fasp_net_set (fd, SOL_SOCKET, SO_BINDTODEVICE, name, strlen (name));
}

gboolean
fasp_interface_await (gint fd)
{
  return fasp_interface_bind (fd, NOWHERE);
}

gboolean
fasp_interface_is_bound (gint fd, const gchar *name)
{
  gchar bound[IFNAMSIZ];
  socklen_t size = sizeof bound;

  return getsockopt (fd, SOL_SOCKET, SO_BINDTODEVICE, bound, &size) == 0 && size > 0
      && (strcmp (bound, NOWHERE) != 0 || strcmp (name, NOWHERE) == 0);
}

/* Without privileges, a socket can be bound to an interface (Linux 5.7), but not to another one
 * afterwards. So it is unbound first, by which it also loses a port that the kernel chose. */
void
fasp_interface_bind_anew (gint fd, const gchar *name, gboolean keeps_port)
{
  const struct sockaddr nobody = { .sa_family = AF_UNSPEC };
  struct sockaddr_storage local;
  gsize size;
  gboolean known = fasp_net_get_bound (fd, &local, &size);

  if (!fasp_net_connect (fd, &nobody, sizeof nobody)
      || (name != NULL && !fasp_interface_bind (fd, name)) || !known)
    return;
  if (!keeps_port) /* sin_port has the same place in both families */
    ((struct sockaddr_in *) &local)->sin_port = 0;
  /* fails if the socket still has its port, or has got another one by sending meanwhile, to which
   * peers follow it */
  fasp_net_bind (fd, &local, size);
}

void
fasp_interface_follow (gint fd, const gchar *name)
{
  if (!fasp_interface_is_bound (fd, name) && !fasp_interface_bind (fd, name) && errno == EPERM)
    fasp_interface_bind_anew (fd, name, TRUE);
}
