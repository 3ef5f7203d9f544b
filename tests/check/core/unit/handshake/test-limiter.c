/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "fasplimiter.h"

static FaspAddress
make_address (gboolean six, guint8 host, guint16 port)
{
  FaspAddress address = { .len = six ? 28 : 16 };

  address.bytes[2] = port >> 8;
  address.bytes[3] = port;
  address.bytes[six ? 8 : 4] = 10;
  address.bytes[six ? 13 : 7] = host;
  return address;
}

static guint
count (FaspLimiter *limiter, FaspTime now, const FaspAddress *address, gboolean proved)
{
  guint n = 0;

  while (fasp_limiter_take (limiter, now, address, proved))
    g_assert_cmpuint (++n, <, 10000);
  return n;
}

static void
test_networks (void)
{
  static const guint8 secret[16] = { 1 };
  FaspTime now = 5 * FASP_SEC;
  FaspLimiter limiter;

  for (guint six = 0; six < 2; six++) {
    FaspAddress one = make_address (six, 1, 1000);
    FaspAddress same = make_address (six, 1, 2000);
    FaspAddress other = make_address (six, 2, 1000);

    fasp_limiter_init (&limiter, secret);
    g_assert_cmpuint (count (&limiter, now, &one, TRUE), ==, FASP_LIMITER_NETWORK_BURST);
    /* another port is the same network, another network is not touched */
    g_assert_cmpuint (count (&limiter, now, &same, TRUE), ==, 0);
    g_assert_cmpuint (count (&limiter, now, &other, TRUE), ==, FASP_LIMITER_NETWORK_BURST);
    now += FASP_SEC;
    g_assert_cmpuint (count (&limiter, now, &same, TRUE), ==, FASP_LIMITER_NETWORK_RATE);
    now += 3600 * FASP_SEC;
    g_assert_cmpuint (count (&limiter, now, &one, TRUE), ==, FASP_LIMITER_NETWORK_BURST);
  }
  /* one that is mapped into IPv6 is itself, and no other */
  {
    FaspAddress four = make_address (FALSE, 1, 1), other;
    FaspAddress mapped = { .len = 28 };

    mapped.bytes[18] = mapped.bytes[19] = 0xff;
    memcpy (mapped.bytes + 20, four.bytes + 4, 4);
    other = mapped;
    other.bytes[23]++;
    now += 3600 * FASP_SEC;
    count (&limiter, now, &mapped, TRUE);
    g_assert_cmpuint (count (&limiter, now, &four, TRUE), ==, 0);
    g_assert_cmpuint (count (&limiter, now, &other, TRUE), ==, FASP_LIMITER_NETWORK_BURST);
  }
  /* the rest of an IPv6 address is the same network's */
  {
    FaspAddress one = make_address (TRUE, 1, 1), two = one;

    two.bytes[20] = 77;
    now += 3600 * FASP_SEC;
    count (&limiter, now, &one, TRUE);
    g_assert_cmpuint (count (&limiter, now, &two, TRUE), ==, 0);
  }
}

/* Those who have proved nothing share one bucket, whoever they say they are. */
static void
test_unproved (void)
{
  static const guint8 secret[16] = { 1 };
  FaspAddress one = make_address (FALSE, 1, 1), two = make_address (FALSE, 2, 1);
  FaspTime now = 5 * FASP_SEC;
  FaspLimiter limiter;

  fasp_limiter_init (&limiter, secret);
  g_assert_cmpuint (count (&limiter, now, &one, FALSE), ==, FASP_LIMITER_UNPROVED_RATE);
  g_assert_cmpuint (count (&limiter, now, &two, FALSE), ==, 0);
  g_assert_cmpuint (count (&limiter, now, &two, TRUE), ==, FASP_LIMITER_NETWORK_BURST);
}

/* Who is refused again and again has few goes, and gets them back in time; whether the address
 * is proved or not. */
static void
test_refused (gconstpointer data)
{
  static const guint8 secret[16] = { 1 };
  gboolean proved = GPOINTER_TO_INT (data);
  guint burst = proved ? FASP_LIMITER_NETWORK_BURST : FASP_LIMITER_UNPROVED_RATE;
  guint rate = proved ? FASP_LIMITER_NETWORK_RATE : FASP_LIMITER_UNPROVED_RATE;
  guint share = 1 + (proved ? FASP_LIMITER_NETWORK_REFUSED : FASP_LIMITER_UNPROVED_REFUSED);
  FaspAddress one = make_address (FALSE, 1, 1);
  FaspTime now = 5 * FASP_SEC;
  FaspLimiter limiter;
  guint n = 0;

  fasp_limiter_init (&limiter, secret);
  while (fasp_limiter_take (&limiter, now, &one, proved)) {
    fasp_limiter_refused (&limiter, now, &one, proved);
    n++;
  }
  g_assert_cmpuint (n, ==, (burst + share - 1) / share);
  /* and then as seldom, as long as it goes on */
  n = 0;
  for (FaspTime end = now + 60 * FASP_SEC; now < end; now += FASP_MSEC)
    if (fasp_limiter_take (&limiter, now, &one, proved)) {
      fasp_limiter_refused (&limiter, now, &one, proved);
      n++;
    }
  g_assert_cmpuint (n, <=, 60 * rate / share + 1);
  now += 2 * FASP_SEC * burst / rate;
  g_assert_cmpuint (count (&limiter, now, &one, proved), ==, burst);
}

/* What the application refuses between handshakes counts at the next one. */
static void
test_owed (void)
{
  static const guint8 secret[16] = { 1 };
  FaspAddress one = make_address (FALSE, 1, 1);
  FaspTime now = 5 * FASP_SEC;
  FaspLimiter limiter;
  FaspBucket *bucket;

  fasp_limiter_init (&limiter, secret);
  bucket = fasp_limiter_enter (&limiter, &one);
  fasp_limiter_owe (bucket);
  fasp_limiter_owe (bucket);
  fasp_limiter_leave (&limiter, bucket);
  g_assert_cmpuint (count (&limiter, now, &one, TRUE), ==,
      FASP_LIMITER_NETWORK_BURST - 2 * FASP_LIMITER_NETWORK_REFUSED);
  for (guint i = 0; i < 1000; i++)
    fasp_limiter_owe (bucket);
  g_assert_cmpuint (count (&limiter, now, &one, TRUE), ==, 0);
  now += 2 * FASP_SEC * FASP_LIMITER_NETWORK_BURST / FASP_LIMITER_NETWORK_RATE;
  g_assert_cmpuint (count (&limiter, now, &one, TRUE), ==, FASP_LIMITER_NETWORK_BURST);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/limiter/networks", test_networks);
  g_test_add_func ("/limiter/unproved", test_unproved);
  g_test_add_data_func ("/limiter/refused", GINT_TO_POINTER (TRUE), test_refused);
  g_test_add_func ("/limiter/owed", test_owed);
  g_test_add_data_func ("/limiter/refused-unproved", GINT_TO_POINTER (FALSE), test_refused);
  return g_test_run ();
}
