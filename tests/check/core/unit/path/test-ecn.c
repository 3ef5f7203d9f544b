/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * May a flow say that it can do with marks: ten packets tell.
 */
#include "faspecn.h"

#define FIRST 5 /* packets that left before */

/* Sends until @n have left since FIRST; how many of them said so. */
static guint
send_until (FaspEcn *ecn, guint64 *pn, guint64 n)
{
  guint said = 0;

  for (; *pn < FIRST + n; (*pn)++)
    said += fasp_ecn_mark (ecn, *pn);
  return said;
}

typedef struct
{
  guint sent;            /* before the peer tells something */
  guint64 end, received; /* what it tells */
  FaspEcnState then;
  guint lost_before; /* of the packets before: it had told of that */
} Case;

static const Case cases[] = {
  /* of the packets before, too, and nothing of those */
  { 20, FIRST, FIRST, FASP_ECN_WAITING },
  { 3, FIRST, FIRST, FASP_ECN_TESTING },
  /* one of them arrived */
  { 3, FIRST + 1, FIRST + 1, FASP_ECN_CAPABLE },
  { 20, FIRST + 10, FIRST + 1, FASP_ECN_CAPABLE },
  { 30, FIRST + 30, FIRST + 21, FASP_ECN_CAPABLE },
  /* all of the others, and none of them */
  { 30, FIRST + 30, FIRST + 20, FASP_ECN_FAILED },
  { 30, FIRST + 21, 0, FASP_ECN_FAILED },
  /* too few are told of to be sure */
  { 30, FIRST + 20, FIRST + 10, FASP_ECN_WAITING },
  { 5, FIRST + 5, 0, FASP_ECN_TESTING },
  /* what was lost before says nothing of them */
  { 30, FIRST + 30, FIRST + 26, FASP_ECN_CAPABLE, 4 },
  { 30, FIRST + 30, FIRST + 17, FASP_ECN_CAPABLE, 4 },
  { 30, FIRST + 30, FIRST + 16, FASP_ECN_FAILED, 4 },
};

static void
test_cases (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Case *c = &cases[i];
    FaspEcn ecn = { 0 };
    guint64 pn = FIRST;

    fasp_ecn_feedback (&ecn, FIRST, FIRST - c->lost_before);
    g_assert_cmpuint (send_until (&ecn, &pn, c->sent), ==, MIN (c->sent, FASP_ECN_TESTED));
    fasp_ecn_feedback (&ecn, c->end, c->received);
    g_assert_cmpint (ecn.state, ==, c->then);
  }
}

/* One of the ten that is named is enough, and no other. */
static void
test_arrived (void)
{
  FaspEcn ecn = { 0 };
  guint64 pn = FIRST;

  fasp_ecn_arrived (&ecn, FIRST);
  send_until (&ecn, &pn, 30);
  fasp_ecn_arrived (&ecn, FIRST - 1);
  fasp_ecn_arrived (&ecn, FIRST + 10);
  g_assert_cmpint (ecn.state, ==, FASP_ECN_WAITING);
  fasp_ecn_arrived (&ecn, FIRST + 9);
  g_assert_cmpint (ecn.state, ==, FASP_ECN_CAPABLE);
}

/* On a new way it begins anew, whatever was lost with the old one. */
static void
test_restart (void)
{
  FaspEcn ecn = { 0 };
  guint64 pn = FIRST;

  send_until (&ecn, &pn, 1000);
  fasp_ecn_feedback (&ecn, FIRST + 10, FIRST + 9);
  fasp_ecn_feedback (&ecn, FIRST + 1000, FIRST + 900);
  g_assert_cmpint (ecn.state, ==, FASP_ECN_CAPABLE);
  fasp_ecn_restart (&ecn);
  g_assert_cmpuint (send_until (&ecn, &pn, 1030), ==, FASP_ECN_TESTED);
  fasp_ecn_feedback (&ecn, FIRST + 1030, FIRST + 921);
  g_assert_cmpint (ecn.state, ==, FASP_ECN_CAPABLE);
  fasp_ecn_restart (&ecn);
  g_assert_cmpuint (send_until (&ecn, &pn, 1060), ==, FASP_ECN_TESTED);
  fasp_ecn_feedback (&ecn, FIRST + 1060, FIRST + 941);
  g_assert_cmpint (ecn.state, ==, FASP_ECN_FAILED);
}

/* What was found stays so, whatever is told; wild numbers are nothing special. */
static void
test_stays (void)
{
  FaspEcn capable = { 0 }, failed = { 0 }, none = { 0 };
  guint64 pn = FIRST;

  send_until (&capable, &pn, 20);
  fasp_ecn_feedback (&capable, FIRST + 10, FIRST + 10);
  pn = FIRST;
  send_until (&failed, &pn, 40);
  fasp_ecn_feedback (&failed, FIRST + 40, FIRST);
  for (guint i = 0; i < 64; i++) {
    fasp_ecn_feedback (&capable, G_GUINT64_CONSTANT (1) << i, i);
    fasp_ecn_feedback (&failed, G_GUINT64_CONSTANT (1) << i, G_MAXUINT64);
    fasp_ecn_feedback (&none, G_GUINT64_CONSTANT (1) << i, G_MAXUINT64);
    fasp_ecn_arrived (&failed, FIRST + i);
    fasp_ecn_arrived (&none, i);
  }
  g_assert_true (fasp_ecn_mark (&capable, 100));
  g_assert_false (fasp_ecn_mark (&failed, 100));
  g_assert_cmpint (none.state, ==, FASP_ECN_TESTING);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ecn/cases", test_cases);
  g_test_add_func ("/ecn/arrived", test_arrived);
  g_test_add_func ("/ecn/restart", test_restart);
  g_test_add_func ("/ecn/stays", test_stays);
  return g_test_run ();
}
