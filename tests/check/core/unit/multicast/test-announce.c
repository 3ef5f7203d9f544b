/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which of the senders that announce themselves is called.
 */
#include "faspannounce.h"
#include "faspmulticastsender.h"
#include "fasptypes.h"

static FaspAddress
somebody (guint n)
{
  FaspAddress a = { .len = 8, .overhead = 28 };

  a.bytes[0] = n >> 8;
  a.bytes[1] = n;
  return a;
}

static void
test_announcers (void)
{
  FaspAnnouncers a = { 0 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  FaspAddress right = somebody (1000);
  guint called = 0;
  FaspTime now = FASP_SEC;

  /* forty forged ones for each that is right: it is called now and then, no matter what */
  for (guint i = 0; i < 2400; i++) {
    const FaspAnnouncer *next;

    for (guint j = 0; j < 40; j++) {
      FaspAddress from = somebody (g_rand_int_range (rand, 0, 900));

      fasp_announcers_heard (&a, now, &from, g_rand_int (rand));
    }
    fasp_announcers_heard (&a, now, &right, g_rand_int (rand));
    next = fasp_announcers_choose (&a, now);
    called += next != NULL && fasp_address_equal (&next->address, &right);
    now += FASP_ANNOUNCE_INTERVAL;
  }
  g_assert_cmpuint (a.calls, <=, 2400 / 12 + 1);
  g_assert_cmpuint (called, >=, 3);
}

/* One that refuses has no more of its turn, if somebody waits for his. */
static void
test_announcers_refused (void)
{
  FaspAnnouncers a = { 0 };
  FaspAddress one = somebody (1), other = somebody (2);
  FaspTime now = FASP_SEC;

  fasp_announcers_heard (&a, now, &one, 0);
  g_assert_nonnull (fasp_announcers_choose (&a, now));
  fasp_announcers_refused (&a, now);
  g_assert_null (fasp_announcers_choose (&a, now));
  fasp_announcers_heard (&a, now, &other, 0);
  g_assert_null (fasp_announcers_choose (&a, now));
  fasp_announcers_refused (&a, now);
  g_assert_true (fasp_address_equal (&fasp_announcers_choose (&a, now)->address, &other));
  g_assert_null (fasp_announcers_choose (&a, now));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/group/announcers", test_announcers);
  g_test_add_func ("/group/announcers/refused", test_announcers_refused);
  return g_test_run ();
}
