/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspnetposix.c: without Linux, a socket gets its flags when it is open.
 */
#include <fcntl.h>
#include "faspnet.h"

gint
fasp_net_open (gint family)
{
  gint fd = socket (family, SOCK_DGRAM, 0);

  if (fd >= 0 && (fcntl (fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl (fd, F_SETFL, O_NONBLOCK) != 0)) {
    fasp_net_close (fd);
    fd = -1;
  }
  return fd;
}

void
fasp_net_wait_precisely (void)
{
}
