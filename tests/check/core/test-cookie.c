/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspcookie.h"

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cookie/binds", test_cookie);
  return g_test_run ();
}
