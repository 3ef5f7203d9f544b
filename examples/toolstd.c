/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "toolstd.h"
#include <fcntl.h>
#include <unistd.h>

void
tool_hold_standard (void)
{
  int fd;

  /* an output that cannot be written to, an input that cannot be read */
  do
    fd = open ("/dev/null", fcntl (STDIN_FILENO, F_GETFD) < 0 ? O_WRONLY : O_RDONLY);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0)
    close (fd);
}
