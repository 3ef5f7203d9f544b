/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspnetppoll.c: waits for microseconds, on systems with ppoll(): Linux and FreeBSD.
 */
#define _GNU_SOURCE
#include "faspnet.h"

gint
fasp_net_poll (struct pollfd *fds, guint n, FaspTime timeout)
{
  struct timespec time = { timeout / FASP_SEC, timeout % FASP_SEC * 1000 };

  return ppoll (fds, n, timeout == FASP_NEVER ? NULL : &time, NULL);
}
