/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <gio/gio.h>
#include <sys/random.h>
#include "fasprandom.h"

gboolean
fasp_random_check (GError **error)
{
  guint8 one;

  if (getrandom (&one, sizeof one, 0) == sizeof one || errno == EINTR)
    return TRUE;
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
      "The kernel gives no random numbers: %s. Let this program call getrandom(), "
      "if it is confined (seccomp).",
      g_strerror (errno));
  return FALSE;
}

void
fasp_random_bytes (gpointer unused, guint8 *data, gsize size)
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
