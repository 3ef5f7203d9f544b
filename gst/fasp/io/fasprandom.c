/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <sys/random.h>
#include "fasprandom.h"

void
fasp_random_bytes (gpointer unused, guint8 * data, gsize size)
{
  while (size > 0) {
    gssize n = getrandom (data, size, 0);

    if (n < 0 && errno != EINTR)
      g_error ("no random numbers from the kernel: %s", g_strerror (errno));
    if (n > 0) {
      data += n;
      size -= n;
    }
  }
}
