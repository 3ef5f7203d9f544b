/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspcookie.h"
#include "faspcrypto.h"

static void
test_cookie (void)
{
  const guint8 secret[FASP_COOKIE_SECRET_SIZE] = { 1, 2, 3 };
  const guint8 other[FASP_COOKIE_SECRET_SIZE] = { 1, 2, 4 };
  guint8 nonce[FASP_NONCE_SIZE] = { 9 }, cookie[FASP_COOKIE_SIZE];
  FaspAddress address = {.len = 4,.bytes = {10, 0, 0, 1} };
  const FaspTime now = 1000 * FASP_SEC;

  fasp_cookie_make (secret, now, &address, nonce, cookie);
  g_assert_true (fasp_cookie_verify (secret, now, &address, nonce, cookie));
  g_assert_true (fasp_cookie_verify (secret, now + FASP_COOKIE_LIFETIME - 1,
          &address, nonce, cookie));
  g_assert_false (fasp_cookie_verify (secret, now + FASP_COOKIE_LIFETIME + 1,
          &address, nonce, cookie));
  g_assert_false (fasp_cookie_verify (secret, now - FASP_SEC, &address, nonce, cookie));        /* from the future */
  g_assert_false (fasp_cookie_verify (other, now, &address, nonce, cookie));
  for (guint bit = 0; bit < FASP_COOKIE_SIZE * 8; bit++) {
    cookie[bit / 8] ^= 1 << bit % 8;
    g_assert_false (fasp_cookie_verify (secret, now, &address, nonce, cookie));
    cookie[bit / 8] ^= 1 << bit % 8;
  }
  address.bytes[3] = 2;
  g_assert_false (fasp_cookie_verify (secret, now, &address, nonce, cookie));
  address.bytes[3] = 1;
  nonce[0]++;
  g_assert_false (fasp_cookie_verify (secret, now, &address, nonce, cookie));
}

/* SipHash-2-4-64's published vector: key 00..0f, message 00..0e gives
 * 0xa129ca6149be45e5, little-endian bytes e5 45 be 49 61 ca 29 a1. */
static void
test_siphash (void)
{
  static const guint8 wanted[] = { 0xe5, 0x45, 0xbe, 0x49 };
  guint8 key[16], data[15], tag[4];
  FaspSipHash *siphash;

  for (guint i = 0; i < sizeof key; i++)
    key[i] = i;
  for (guint i = 0; i < sizeof data; i++)
    data[i] = i;
  siphash = fasp_siphash_new (key);
  for (guint i = 0; i < 2; i++) {
    fasp_siphash_compute (siphash, data, sizeof data, tag, sizeof tag);
    g_assert_cmpmem (tag, sizeof tag, wanted, sizeof wanted);
  }
  fasp_siphash_free (siphash);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cookie/binds", test_cookie);
  g_test_add_func ("/crypto/siphash", test_siphash);
  return g_test_run ();
}
