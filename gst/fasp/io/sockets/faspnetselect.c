/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspnetselect.c: waits for microseconds, on systems without ppoll(), such as macOS. pselect()
 * takes descriptors below FD_SETSIZE; for others, poll() waits for milliseconds.
 */
#include <sys/select.h>
#include "faspnet.h"

/* Waits until poll() would return at once, or for @time. Negative: it failed. */
static gint
wait_by_select (const struct pollfd *fds, guint n, const struct timespec *time)
{
  fd_set readable, writable;
  gint end = 0;

  FD_ZERO (&readable);
  FD_ZERO (&writable);
  for (guint i = 0; i < n; i++) {
    if (fds[i].fd < 0)
      continue;
    if (fds[i].events & POLLIN)
      FD_SET (fds[i].fd, &readable);
    if (fds[i].events & POLLOUT)
      FD_SET (fds[i].fd, &writable);
    end = MAX (end, fds[i].fd + 1);
  }
  return pselect (end, &readable, &writable, NULL, time, NULL);
}

gint
fasp_net_poll (struct pollfd *fds, guint n, FaspTime timeout)
{
  struct timespec time = { timeout / FASP_SEC, timeout % FASP_SEC * 1000 };

  for (guint i = 0; i < n; i++)
    if (fds[i].fd >= FD_SETSIZE)
      return poll (fds, n, fasp_net_to_milliseconds (timeout));
  if (wait_by_select (fds, n, timeout == FASP_NEVER ? NULL : &time) < 0)
    return -1;
  /* says which ones, and their errors */
  return poll (fds, n, 0);
}
