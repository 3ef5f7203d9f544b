/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When a member that did not hear the group for a while is in it again.
 */
#include "fasprejoin.h"

/* When that is, as a table. */
static void
test_rejoin_hold (void)
{
  FaspRejoin r = { 0 };
  FaspTime now = FASP_SEC;
  guint64 pn = 1000;

  for (FaspTime hold = FASP_REJOIN_FIRST; hold <= FASP_REJOIN_MOST; hold *= 2) {
    fasp_rejoin_left (&r, now);
    g_assert_false (fasp_rejoin_feedback (&r, now, FALSE, pn, pn));
    g_assert_false (fasp_rejoin_feedback (&r, now, TRUE, pn, pn));
    /* not heard for once: anew */
    g_assert_false (fasp_rejoin_feedback (&r, now + hold - 2, FALSE, pn, pn));
    g_assert_false (fasp_rejoin_feedback (&r, now + hold, TRUE, pn, pn));
    g_assert_false (fasp_rejoin_feedback (&r, now + 2 * hold - 1, TRUE, pn + 99, pn + 99));
    /* less than half of it: anew */
    g_assert_false (fasp_rejoin_feedback (&r, now + 2 * hold, TRUE, pn + 100, pn + 49));
    now += 3 * hold;
    g_assert_true (fasp_rejoin_feedback (&r, now, TRUE, pn + 200, pn + 99));
    now += FASP_SEC;
    pn += 1000;
  }
  fasp_rejoin_left (&r, now);
  g_assert_cmpint (r.hold, ==, FASP_REJOIN_MOST);
  /* who stayed for a minute begins anew */
  r.returned = now;
  fasp_rejoin_left (&r, now + FASP_REJOIN_SOON);
  g_assert_cmpint (r.hold, ==, FASP_REJOIN_FIRST);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rejoin/hold", test_rejoin_hold);
  return g_test_run ();
}
