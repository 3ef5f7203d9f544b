/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspnetlinux.c: on Linux, a socket has its flags when it opens.
 */
#include <sys/prctl.h>
#include "faspnet.h"

gint
fasp_net_open (gint family)
{
  return socket (family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

void
fasp_net_wait_precisely (void)
{
  prctl (PR_SET_TIMERSLACK, 1, 0, 0, 0); /* ns; the default is 50 µs */
}
