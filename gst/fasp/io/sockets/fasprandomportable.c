/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprandomportable.c: from libcrypto, which knows where each system has them.
 */
#include <gio/gio.h>
#include <openssl/rand.h>
#include "fasprandom.h"

gboolean
fasp_random_check (GError **error)
{
  if (RAND_status () == 1)
    return TRUE;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED,
      "The system gives no random numbers. Let this program read them, if it is confined.");
  return FALSE;
}

void
fasp_random_bytes (gpointer unused, guint8 *data, gsize size)
{
  if (RAND_bytes (data, size) != 1)
    g_error ("no random numbers from the system");
}
