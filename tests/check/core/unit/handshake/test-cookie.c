/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspcookie.h"

static void
test_cookie (gconstpointer seconds)
{
  const guint8 secret[FASP_COOKIE_SECRET_SIZE] = { 1, 2, 3 };
  const guint8 other[FASP_COOKIE_SECRET_SIZE] = { 1, 2, 4 };
  guint8 nonce[FASP_NONCE_SIZE] = { 9 }, cookie[FASP_COOKIE_SIZE];
  FaspAddress address = { .len = 4, .bytes = { 10, 0, 0, 1 } };
  const FaspTime now = GPOINTER_TO_INT (seconds) * FASP_SEC;

  fasp_cookie_make (secret, now, &address, nonce, cookie);
  g_assert_true (fasp_cookie_verify (secret, now, &address, nonce, cookie));
  g_assert_true (fasp_cookie_verify (secret, now + FASP_COOKIE_LIFETIME - 1, &address, nonce,
      cookie));
  g_assert_false (fasp_cookie_verify (secret, now + FASP_COOKIE_LIFETIME + 1, &address, nonce,
      cookie));
  for (guint i = 1; i < 10; i++)
    g_assert_false (fasp_cookie_verify (secret, now + i * FASP_COOKIE_PERIOD, &address, nonce,
        cookie));
  g_assert_false (fasp_cookie_verify (secret, now - FASP_SEC, &address, nonce,
      cookie)); /* from the future */
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

/* For how long the machine has been running is nobody's business. */
static void
test_time (void)
{
  const guint8 secret[FASP_COOKIE_SECRET_SIZE] = { 1, 2, 3 };
  const guint8 nonce[FASP_NONCE_SIZE] = { 9 };
  const FaspAddress address = { .len = 4, .bytes = { 10, 0, 0, 1 } };
  guint8 first[FASP_COOKIE_SIZE], later[FASP_COOKIE_SIZE];
  const FaspTime period = G_GINT64_CONSTANT (1) << 28;

  fasp_cookie_make (secret, 77, &address, nonce, first);
  fasp_cookie_make (secret, 77 + 1000 * period, &address, nonce, later);
  g_assert_cmpmem (first, 8, later, 8);
  g_assert_cmpint (memcmp (first + 8, later + 8, FASP_COOKIE_SIZE - 8), !=, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/cookie/binds", GINT_TO_POINTER (1000), test_cookie);
  g_test_add_data_func ("/cookie/binds-at-once", GINT_TO_POINTER (1), test_cookie);
  g_test_add_func ("/cookie/time", test_time);
  return g_test_run ();
}
