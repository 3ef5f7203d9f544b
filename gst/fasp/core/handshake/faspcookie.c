/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspcookie.h"
#include "faspcrypto.h"

static void
compute (const guint8 *secret, guint64 time, const FaspAddress *address, const guint8 *nonce,
    guint8 *cookie)
{
  guint8 bytes[sizeof (address->bytes) + FASP_NONCE_SIZE + 8 + 1];
  FaspWriter w = { bytes, sizeof (bytes) };
  FaspWriter out = { cookie, FASP_COOKIE_SIZE };

  fasp_write_uint (&w, address->len, 1);
  fasp_write_bytes (&w, address->bytes, sizeof (address->bytes));
  fasp_write_bytes (&w, nonce, FASP_NONCE_SIZE);
  fasp_write_uint (&w, time, 8);
  fasp_write_uint (&out, time % FASP_COOKIE_PERIOD, 8);
  fasp_hmac (secret, FASP_COOKIE_SECRET_SIZE, "fasp cookie 1", bytes, w.used, cookie + 8, 32);
}

void
fasp_cookie_make (const guint8 secret[FASP_COOKIE_SECRET_SIZE], FaspTime now,
    const FaspAddress *address, const guint8 nonce[FASP_NONCE_SIZE],
    guint8 cookie[FASP_COOKIE_SIZE])
{
  compute (secret, now, address, nonce, cookie);
}

gboolean
fasp_cookie_verify (const guint8 secret[FASP_COOKIE_SECRET_SIZE], FaspTime now,
    const FaspAddress *address, const guint8 nonce[FASP_NONCE_SIZE],
    const guint8 cookie[FASP_COOKIE_SIZE])
{
  guint8 right[FASP_COOKIE_SIZE];
  FaspReader r = { cookie, 8 };
  guint64 low = fasp_read_uint (&r, 8);
  guint64 age = ((guint64) now - low) % FASP_COOKIE_PERIOD;

  if (low >= FASP_COOKIE_PERIOD || age > FASP_COOKIE_LIFETIME)
    return FALSE;
  compute (secret, now - age, address, nonce, right);
  return fasp_equal (right, cookie, FASP_COOKIE_SIZE);
}
