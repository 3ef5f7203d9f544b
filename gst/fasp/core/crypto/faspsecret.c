/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <openssl/crypto.h>
#include "faspsecret.h"

gboolean
fasp_equal (const guint8 *a, const guint8 *b, gsize size)
{
  return CRYPTO_memcmp (a, b, size) == 0;
}

void
fasp_wipe (gpointer data, gsize size)
{
  OPENSSL_cleanse (data, size);
}
