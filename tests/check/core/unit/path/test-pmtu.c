/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasppmtu.h"

#define RTT (100 * FASP_MSEC)
#define OVERHEAD 28

static FaspPmtu pmtu;
static FaspTime now;

static void
begin (guint limit)
{
  now = 0;
  fasp_pmtu_init (&pmtu, now, OVERHEAD, limit);
}

/* A path that carries IP packets of up to @mtu bytes answers after RTT; 0: it carries
 * nothing. */
static void
run (FaspTime until, guint mtu)
{
  guint16 answers[64];
  FaspTime due[64];
  guint n = 0;

  while (now < until) {
    FaspTime next = MIN (until, fasp_pmtu_get_timeout (&pmtu));
    guint16 size;

    for (guint i = 0; i < n; i++)
      next = MIN (next, due[i]);
    now = MAX (now, next);
    for (guint i = 0; i < n;)
      if (due[i] <= now) {
        fasp_pmtu_answered (&pmtu, now, answers[i]);
        answers[i] = answers[--n];
        due[i] = due[n];
      } else {
        i++;
      }
    while ((size = fasp_pmtu_poll (&pmtu, now, 2 * RTT, mtu > 0)) != 0)
      if (size + OVERHEAD <= (gint) mtu && n < G_N_ELEMENTS (due)) {
        due[n] = now + RTT;
        answers[n++] = size;
      }
    g_assert_cmpuint (pmtu.size, >=, FASP_PMTU_BASE);
  }
}

static void
test_search (void)
{
  static const guint paths[][2] = {
    { 1228, 1200 },
    { 1300, 1280 - OVERHEAD },
    { 1400, 1400 - OVERHEAD },
    { 1492, 1492 - OVERHEAD },
    { 1500, 1472 },
    { 4000, 1472 },
    { 8192, 8192 - OVERHEAD },
    { 9000, 8972 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    begin (9000);
    g_assert_cmpuint (pmtu.size, ==, FASP_PMTU_BASE);
    run (RTT + 1, paths[i][0]);
    g_assert_cmpuint (pmtu.size, ==, paths[i][1]); /* one round trip */
    run (60 * FASP_SEC, paths[i][0]);
    g_assert_cmpuint (pmtu.size, ==, paths[i][1]);
  }
}

/* As much passes as is sent: that is not to be confirmed, unless it is in doubt. */
static void
test_will_do (void)
{
  begin (1472);
  g_assert_false (fasp_pmtu_will_do (&pmtu, now));
  run (RTT, 1500);
  for (guint i = 0; i < 10; i++) {
    g_assert_false (fasp_pmtu_will_do (&pmtu, now)); /* nothing is due */
    now = fasp_pmtu_get_timeout (&pmtu);
    g_assert_true (fasp_pmtu_will_do (&pmtu, now));
    g_assert_cmpuint (fasp_pmtu_poll (&pmtu, now, 2 * RTT, TRUE), ==, 0);
  }
  fasp_pmtu_suspect (&pmtu, now);
  g_assert_false (fasp_pmtu_will_do (&pmtu, now));
  run (now + 2 * FASP_SEC, 1400);
  g_assert_cmpuint (pmtu.size, ==, 1400 - OVERHEAD);
}

/* Another path takes 1472: a path like it is asked one thing, a wider one what is wider, and
 * a narrower one all, when it does not answer. */
static void
test_expected (void)
{
  static const guint paths[][3] = {
    { 1500, 1472, 1 },
    { 9000, 8972, 2 },
    { 1400, 1400 - OVERHEAD, 4 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    begin (i == 0 ? 1472 : 9000);
    fasp_pmtu_expect (&pmtu, 1472);
    g_assert_cmpuint (fasp_pmtu_poll (&pmtu, now, 2 * RTT, TRUE), ==, 1472);
    g_assert_cmpuint (fasp_pmtu_poll (&pmtu, now, 2 * RTT, TRUE), ==, 0);
    now = RTT;
    if (paths[i][0] >= 1500)
      fasp_pmtu_answered (&pmtu, now, 1472);
    run (paths[i][2] * RTT + 1, paths[i][0]);
    g_assert_cmpuint (pmtu.size, ==, paths[i][1]);
    if (i == 0)
      g_assert_false (pmtu.searching);
  }
}

static void
test_limit (void)
{
  begin (1300);
  run (FASP_SEC, 9000);
  g_assert_cmpuint (pmtu.size, <=, 1300);
  begin (10); /* a peer that lies */
  g_assert_cmpuint (pmtu.size, ==, FASP_PMTU_BASE);
}

/* The path narrows: found out when blocks are lost, without waiting for the
 * regular confirmation, and the widening with it. */
static void
test_black_hole (void)
{
  begin (1500);
  run (FASP_SEC, 1500);
  g_assert_cmpuint (pmtu.size, ==, 1472);
  fasp_pmtu_suspect (&pmtu, now);
  run (now + 2 * FASP_SEC, 1400);
  g_assert_cmpuint (pmtu.size, ==, 1400 - OVERHEAD);
  /* a suspicion without a cause changes nothing */
  run (now + 30 * FASP_SEC, 1400);
  fasp_pmtu_suspect (&pmtu, now);
  run (now + 2 * FASP_SEC, 1400);
  g_assert_cmpuint (pmtu.size, ==, 1400 - OVERHEAD);
}

/* No probe is answered for a while, and data passes: no black hole. */
static void
test_unlucky (void)
{
  begin (1500);
  run (FASP_SEC, 1500);
  fasp_pmtu_suspect (&pmtu, now);
  for (guint i = 0; i < 10; i++) {
    fasp_pmtu_passed (&pmtu, now, 1336);
    run (now + RTT, 1000);
    g_assert_cmpuint (pmtu.size, >=, 1336);
  }
  g_assert_cmpuint (pmtu.size, ==, 1336);
  /* and the rest is found again */
  run (now + 30 * FASP_SEC, 1500);
  g_assert_cmpuint (pmtu.size, ==, 1472);
  /* data of the full size is as good as an answer */
  fasp_pmtu_suspect (&pmtu, now);
  for (guint i = 0; i < 20; i++) {
    run (now + RTT, 1000);
    fasp_pmtu_passed (&pmtu, now, 1472);
    g_assert_cmpuint (pmtu.size, ==, 1472);
  }
}

/* Nothing passes, which is not because of its size; nor is what has been found by then
 * forgotten, or looked for in vain. */
static void
test_outage (void)
{
  for (guint i = 0; i < 20; i++) {
    begin (1500);
    if (i % 2 == 0) {
      run (5 * FASP_SEC + i * RTT / 2, 1500);
      fasp_pmtu_suspect (&pmtu, now);
    }
    run (now + 30 * FASP_SEC + i * RTT / 7, 0);
    g_assert_cmpuint (pmtu.size, ==, i % 2 == 0 ? 1472 : FASP_PMTU_BASE);
    run (now + FASP_SEC + 4 * RTT, 1500);
    g_assert_cmpuint (pmtu.size, ==, 1472);
    run (now + 20 * FASP_SEC, 1400);
    g_assert_cmpuint (pmtu.size, ==, 1400 - OVERHEAD);
  }
}

/* On a path whose answers take ten seconds none is expected sooner, however long nothing passes. */
static void
test_far_outage (void)
{
  begin (1500);
  while (fasp_pmtu_poll (&pmtu, now, 10 * FASP_SEC, FALSE) != 0)
    ;
  for (guint i = 0; i < 10; i++) {
    FaspTime next = fasp_pmtu_get_timeout (&pmtu);

    g_assert_cmpint (next - now, >=, 10 * FASP_SEC);
    now = next;
    while (fasp_pmtu_poll (&pmtu, now, 10 * FASP_SEC, FALSE) != 0)
      ;
  }
}

static void
test_lying_answers (void)
{
  begin (1500);
  while (fasp_pmtu_poll (&pmtu, 0, 2 * RTT, TRUE) != 0)
    ;
  fasp_pmtu_answered (&pmtu, 1, 65000); /* never asked */
  g_assert_cmpuint (pmtu.size, ==, FASP_PMTU_BASE);
  fasp_pmtu_answered (&pmtu, 1, 3);
  g_assert_cmpuint (pmtu.size, ==, FASP_PMTU_BASE);
}

/* The limit of jumbo frames comes and goes with the rate. */
static void
test_set_limit (void)
{
  begin (1500);
  run (FASP_SEC, 9000);
  g_assert_cmpuint (pmtu.size, ==, 1472);
  fasp_pmtu_set_limit (&pmtu, now, OVERHEAD, 8972);
  g_assert_cmpuint (fasp_pmtu_get_largest (&pmtu), ==, 8972);
  run (now + RTT + 1, 9000);
  g_assert_cmpuint (pmtu.size, ==, 8972);
  fasp_pmtu_set_limit (&pmtu, now, OVERHEAD, 1500);
  g_assert_cmpuint (pmtu.size, ==, 1472);
  g_assert_cmpuint (fasp_pmtu_get_largest (&pmtu), ==, 1472);
  run (now + 20 * FASP_SEC, 9000);
  g_assert_cmpuint (pmtu.size, ==, 1472);
  /* nor is it forgotten when it comes in the middle of a confirmation */
  while (!pmtu.confirming) {
    now = fasp_pmtu_get_timeout (&pmtu);
    fasp_pmtu_poll (&pmtu, now, 2 * RTT, TRUE);
  }
  fasp_pmtu_set_limit (&pmtu, now, OVERHEAD, 8972);
  fasp_pmtu_answered (&pmtu, now, 1472);
  run (now + FASP_SEC, 9000);
  g_assert_cmpuint (pmtu.size, ==, 8972);
  fasp_pmtu_set_limit (&pmtu, now, OVERHEAD, 1500);
  /* a path that does not have them is used as it is, meanwhile and after */
  fasp_pmtu_set_limit (&pmtu, now, OVERHEAD, 8972);
  run (now + 20 * FASP_SEC, 1500);
  g_assert_cmpuint (pmtu.size, ==, 1472);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pmtu/search", test_search);
  g_test_add_func ("/pmtu/will-do", test_will_do);
  g_test_add_func ("/pmtu/expected", test_expected);
  g_test_add_func ("/pmtu/limit", test_limit);
  g_test_add_func ("/pmtu/black-hole", test_black_hole);
  g_test_add_func ("/pmtu/unlucky", test_unlucky);
  g_test_add_func ("/pmtu/outage", test_outage);
  g_test_add_func ("/pmtu/far-outage", test_far_outage);
  g_test_add_func ("/pmtu/lying-answers", test_lying_answers);
  g_test_add_func ("/pmtu/set-limit", test_set_limit);
  return g_test_run ();
}
