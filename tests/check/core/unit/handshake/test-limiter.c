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

static FaspLimiter *
new_limiter (void)
{
  static const guint8 secret[16] = { 1 };
  FaspLimiter *limiter = g_new (FaspLimiter, 1);

  fasp_limiter_init (limiter, secret);
  return limiter;
}

static guint
count (FaspLimiter *limiter, FaspTime now, const FaspAddress *address, gboolean proved)
{
  guint n = 0;

  while (fasp_limiter_take (limiter, now, address, proved))
    g_assert_cmpuint (++n, <, 10000);
  return n;
}

/* A network that calls all the time leaves the last handshakes to those that do not. */
static void
test_networks (void)
{
  FaspTime now = 5 * FASP_SEC;

  for (guint six = 0; six < 2; six++) {
    g_autofree FaspLimiter *limiter = new_limiter ();
    FaspAddress one = make_address (six, 1, 1000);
    FaspAddress same = make_address (six, 1, 2000);
    FaspAddress other = make_address (six, 2, 1000);

    if (six)
      other.bytes[8] = 20; /* another /32, too */
    g_assert_cmpuint (count (limiter, now, &one, TRUE), ==, FASP_LIMITER_CALM);
    /* another port is the same network, another network is not touched */
    g_assert_false (fasp_limiter_take (limiter, now, &same, TRUE));
    g_assert_true (fasp_limiter_take (limiter, now, &other, TRUE));
    /* it has all of the rate, as long as no other network calls */
    for (guint i = 0; i < 1000; i++) {
      now += FASP_SEC / FASP_LIMITER_RATE;
      g_assert_cmpuint (count (limiter, now, &same, TRUE), ==, i > 0);
    }
    now += FASP_SEC;
    g_assert_cmpuint (count (limiter, now, &one, TRUE), ==, FASP_LIMITER_CALM);
  }
}

/* Two addresses that are one network. */
static void
test_same (void)
{
  g_autofree FaspLimiter *limiter = new_limiter ();
  FaspAddress four = make_address (FALSE, 1, 1), six = make_address (TRUE, 1, 1);
  FaspAddress mapped = { .len = 28 }, other, near = six;
  FaspTime now = 5 * FASP_SEC;

  mapped.bytes[18] = mapped.bytes[19] = 0xff;
  memcpy (mapped.bytes + 20, four.bytes + 4, 4);
  other = mapped;
  other.bytes[23]++;
  count (limiter, now, &mapped, TRUE);
  g_assert_false (fasp_limiter_take (limiter, now, &four, TRUE));
  g_assert_true (fasp_limiter_take (limiter, now, &other, TRUE));
  /* the rest of an IPv6 address is the same network's */
  now += 3600 * FASP_SEC;
  near.bytes[20] = 77;
  count (limiter, now, &six, TRUE);
  g_assert_false (fasp_limiter_take (limiter, now, &near, TRUE));
}

/* Networks that call all the time have equal parts, together the rate. One that comes now waits for
 * nothing. The 65536 networks of an IPv6 /32 have what four others have. */
static void
test_fair (void)
{
  enum
  {
    NETWORKS = 200,
    SECONDS = 10
  };
  g_autofree FaspLimiter *limiter = new_limiter ();
  guint n[NETWORKS] = { 0 }, wide = 0, all = 0, fresh = 0;
  FaspTime now = 5 * FASP_SEC;

  for (guint i = 0; i < SECONDS * 10000; i++, now += 100) {
    FaspAddress at = make_address (FALSE, i % NETWORKS, 1), far = make_address (TRUE, 0, 1);

    n[i % NETWORKS] += fasp_limiter_take (limiter, now, &at, TRUE);
    far.bytes[12] = i >> 8;
    far.bytes[13] = i;
    if (i >= SECONDS * 5000)
      wide += fasp_limiter_take (limiter, now, &far, TRUE);
    if (i % 10000 == 9999) {
      FaspAddress honest = make_address (FALSE, 0, 1);

      honest.bytes[4] = 20 + i / 10000;
      fresh += fasp_limiter_take (limiter, now, &honest, TRUE);
    }
  }
  for (guint i = 0; i < NETWORKS; i++) {
    g_assert_cmpuint (n[i], >, SECONDS * FASP_LIMITER_RATE / NETWORKS / 2);
    g_assert_cmpuint (n[i], <, SECONDS * FASP_LIMITER_RATE / NETWORKS * 2);
    all += n[i];
  }
  g_test_message ("%u, and %u of a /32", all, wide);
  g_assert_cmpuint (fresh, ==, SECONDS);
  g_assert_cmpuint (all + wide + fresh, <=, FASP_LIMITER_BURST + SECONDS * FASP_LIMITER_RATE);
  g_assert_cmpuint (wide, >, SECONDS * FASP_LIMITER_RATE / NETWORKS);
  g_assert_cmpuint (wide, <, SECONDS * FASP_LIMITER_RATE / NETWORKS * 4);
}

/* Those who have proved nothing share one bucket, whoever they say they are, and give way to those
 * who have. */
static void
test_unproved (void)
{
  g_autofree FaspLimiter *limiter = new_limiter ();
  FaspAddress one = make_address (FALSE, 1, 1), two = make_address (FALSE, 2, 1);
  FaspTime now = 5 * FASP_SEC;

  g_assert_cmpuint (count (limiter, now, &one, FALSE), ==, FASP_LIMITER_UNPROVED_RATE);
  g_assert_cmpuint (count (limiter, now, &two, FALSE), ==, 0);
  g_assert_true (fasp_limiter_take (limiter, now, &two, TRUE));
  now += FASP_SEC;
  g_assert_cmpuint (count (limiter, now, &two, TRUE), ==, FASP_LIMITER_CALM);
  g_assert_cmpuint (count (limiter, now, &one, FALSE), ==, 0);
}

/* Guesses with wrong keys until none is let through, all of which the rate allows. */
static guint
guess (FaspLimiter *limiter, FaspTime *now, const FaspAddress *address)
{
  guint n = 0;

  for (; fasp_limiter_take (limiter, *now, address, TRUE); *now += FASP_SEC / FASP_LIMITER_RATE) {
    fasp_limiter_refused (limiter, *now, address, TRUE);
    g_assert_cmpuint (++n, <, 10000);
  }
  return n;
}

/* Who is refused again and again has few goes, and gets them back in time. */
static void
test_refused (void)
{
  for (guint six = 0; six < 2; six++) {
    g_autofree FaspLimiter *limiter = new_limiter ();
    FaspAddress one = make_address (six, 1, 1), other = make_address (six, 2, 1);
    FaspTime now = 5 * FASP_SEC;
    guint n = guess (limiter, &now, &one), wide = n;

    g_assert_cmpuint (n, >=, FASP_LIMITER_GUESSES);
    g_assert_cmpuint (n, <=, FASP_LIMITER_GUESSES + 2);
    /* and then as seldom, as long as it goes on */
    n = 0;
    for (FaspTime end = now + 60 * FASP_SEC; now < end; now += FASP_MSEC)
      if (fasp_limiter_take (limiter, now, &one, TRUE)) {
        fasp_limiter_refused (limiter, now, &one, TRUE);
        n++;
      }
    g_assert_cmpuint (n, <=, 60 * FASP_SEC / FASP_LIMITER_GUESS_EVERY + 1);
    g_assert_true (fasp_limiter_take (limiter, now, &other, TRUE));
    now += 2 * FASP_LIMITER_GUESSES * FASP_LIMITER_GUESS_EVERY;
    g_assert_cmpuint (guess (limiter, &now, &one), >=, FASP_LIMITER_GUESSES);
    /* of all networks of a /32 together four times as many are heard */
    now += 3600 * FASP_SEC;
    for (wide = 0; wide < 1000; wide++, now += FASP_SEC / FASP_LIMITER_RATE) {
      FaspAddress at = make_address (six, wide, 1);

      at.bytes[six ? 12 : 6] = wide >> 8;
      if (!fasp_limiter_take (limiter, now, &at, TRUE))
        break;
      fasp_limiter_refused (limiter, now, &at, TRUE);
    }
    if (six)
      g_assert_cmpuint (wide, <=, FASP_LIMITER_WIDE * (FASP_LIMITER_GUESSES + 8));
    g_assert_cmpuint (wide, >=, six ? FASP_LIMITER_WIDE * FASP_LIMITER_GUESSES : 1000);
  }
}

/* The same of those who have not proved their address: they share their goes. */
static void
test_refused_unproved (void)
{
  g_autofree FaspLimiter *limiter = new_limiter ();
  const guint share = 1 + FASP_LIMITER_UNPROVED_REFUSED, rate = FASP_LIMITER_UNPROVED_RATE;
  FaspAddress one = make_address (FALSE, 1, 1);
  FaspTime now = 5 * FASP_SEC;
  guint n = 0;

  while (fasp_limiter_take (limiter, now, &one, FALSE)) {
    fasp_limiter_refused (limiter, now, &one, FALSE);
    n++;
  }
  g_assert_cmpuint (n, ==, (rate + share - 1) / share);
  n = 0;
  for (FaspTime end = now + 60 * FASP_SEC; now < end; now += FASP_MSEC)
    if (fasp_limiter_take (limiter, now, &one, FALSE)) {
      fasp_limiter_refused (limiter, now, &one, FALSE);
      n++;
    }
  g_assert_cmpuint (n, <=, 60 * rate / share + 1);
  now += 2 * FASP_SEC;
  g_assert_cmpuint (count (limiter, now, &one, FALSE), ==, rate);
}

/* What the application refuses between handshakes counts at the next one. */
static void
test_owed (void)
{
  g_autofree FaspLimiter *limiter = new_limiter ();
  FaspAddress one = make_address (FALSE, 1, 1);
  FaspTime now = 5 * FASP_SEC;
  FaspBucket *bucket = fasp_limiter_enter (limiter, &one);
  guint n = guess (limiter, &now, &one);

  now += 3600 * FASP_SEC;
  fasp_limiter_owe (bucket);
  fasp_limiter_owe (bucket);
  fasp_limiter_leave (limiter, bucket);
  g_assert_cmpuint (guess (limiter, &now, &one), ==, n - 2);
  for (guint i = 0; i < 1000; i++)
    fasp_limiter_owe (bucket);
  now += FASP_SEC;
  g_assert_false (fasp_limiter_take (limiter, now, &one, TRUE));
  now += 2 * FASP_LIMITER_GUESSES * FASP_LIMITER_GUESS_EVERY;
  g_assert_cmpuint (guess (limiter, &now, &one), ==, n);
}

/* One network has so many half-open sessions, and another one some, too. */
static void
test_half (void)
{
  g_autofree FaspLimiter *limiter = new_limiter ();
  FaspAddress one = make_address (FALSE, 1, 1), other = make_address (FALSE, 2, 1);
  FaspTime now = 5 * FASP_SEC;
  FaspBucket *bucket = NULL;

  for (guint i = 0; i < FASP_LIMITER_HALF_MAX; i++) {
    g_assert_true (fasp_limiter_take (limiter, now, &one, TRUE));
    bucket = fasp_limiter_enter (limiter, &one);
    now += FASP_SEC / FASP_LIMITER_RATE;
  }
  g_assert_false (fasp_limiter_take (limiter, now, &one, TRUE));
  g_assert_true (fasp_limiter_take (limiter, now, &other, TRUE));
  fasp_limiter_leave (limiter, bucket);
  g_assert_true (fasp_limiter_take (limiter, now, &one, TRUE));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/limiter/networks", test_networks);
  g_test_add_func ("/limiter/same", test_same);
  g_test_add_func ("/limiter/fair", test_fair);
  g_test_add_func ("/limiter/unproved", test_unproved);
  g_test_add_func ("/limiter/refused", test_refused);
  g_test_add_func ("/limiter/refused-unproved", test_refused_unproved);
  g_test_add_func ("/limiter/owed", test_owed);
  g_test_add_func ("/limiter/half", test_half);
  return g_test_run ();
}
