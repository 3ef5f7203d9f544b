/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When the source that is preferred leads again.
 */
#include "made.h"

#define PROVEN 64  /* blocks, 64 KiB, after which a source is trusted */
#define SECOND 100 /* blocks */
#define WAIT (30 * FASP_SEC)

static guint
get_leader (const Made *m)
{
  FaspSourceStats stats;

  for (guint i = 0; i < m->n; i++) {
    fasp_merge_get_stats (m->merge, i, &stats);
    if (stats.leads)
      return i;
  }
  return G_MAXUINT;
}

/* Both bring the stream; source 0, which leads, is then gone for a second.  Returns the next
 * block. */
static guint64
fail_first (Made *m, FaspTime wait)
{
  guint64 k = 2 * PROVEN;

  fasp_merge_restore_after (m->merge, wait);
  made_run (m, 0, 1, 0, k);
  g_assert_cmpuint (get_leader (m), ==, 0);
  m->states[0].is_connected = FALSE;
  made_run (m, 1, 1, k, k + SECOND);
  g_assert_cmpuint (get_leader (m), ==, 1);
  m->states[0].is_connected = TRUE;
  return k + SECOND;
}

static void
assert_whole (Made *m, guint64 next)
{
  g_assert_cmpuint (m->next, ==, next * MADE_SIZE);
  g_assert_cmpuint (m->discontinuities, ==, 0);
  g_assert_false (m->wrong);
}

/* After it has been good for so long, or when it is asked for. */
static void
test_wait (void)
{
  for (guint is_set = 0; is_set < 2; is_set++) {
    g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);
    guint64 k = fail_first (m, is_set * WAIT);

    made_run (m, 0, 1, k, k + 29 * SECOND);
    g_assert_cmpuint (get_leader (m), ==, 1);
    if (is_set)
      g_assert_cmpint (fasp_merge_get_timeout (m->merge, m->now), <=, m->now + 2 * FASP_SEC);
    k += 29 * SECOND;
    made_run (m, 0, 1, k, k + 3 * SECOND);
    k += 3 * SECOND;
    g_assert_cmpuint (get_leader (m), ==, !is_set);
    if (!is_set)
      g_assert_true (fasp_merge_prefer (m->merge, m->now, 0));
    made_run (m, 0, 1, k, k + SECOND);
    g_assert_cmpuint (get_leader (m), ==, 0);
    assert_whole (m, k + SECOND);
  }
}

/* What ends the wait begins it anew: it is gone, it brings nothing, it comes too late, or somebody
 * else is there. */
static void
test_not_good (void)
{
  for (guint how = 0; how < 4; how++) {
    g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 2);
    guint64 k = fail_first (m, WAIT), again = k + 20 * SECOND;

    made_run (m, 0, 1, k, again);
    m->states[0].is_connected = how != 0;
    m->states[0].session += how == 3;
    m->delays[0] += how == 2 ? 350 * FASP_MSEC : 0;
    made_run (m, how >= 2 ? 0 : 1, 1, again, again + 3 * SECOND);
    m->states[0].is_connected = TRUE;
    m->delays[0] -= how == 2 ? 350 * FASP_MSEC : 0;
    k = again + 3 * SECOND;
    made_run (m, 0, 1, k, k + 25 * SECOND);
    g_assert_cmpuint (get_leader (m), ==, 1);
    k += 25 * SECOND;
    made_run (m, 0, 1, k, k + 7 * SECOND);
    g_assert_cmpuint (get_leader (m), ==, 0);
    assert_whole (m, k + 7 * SECOND);
  }
}

/* What was asked for is what is preferred from then on; what is not there cannot be. */
static void
test_asked (void)
{
  g_autoptr (Made) m = made_new (FASP_REDUNDANCY_HOT, 3);

  m->states[2].is_connected = FALSE;
  fasp_merge_restore_after (m->merge, WAIT);
  made_run (m, 0, 1, 0, 2 * PROVEN);
  g_assert_false (fasp_merge_prefer (m->merge, m->now, 2));
  g_assert_false (fasp_merge_prefer (m->merge, m->now, 3));
  g_assert_cmpuint (get_leader (m), ==, 0);
  g_assert_true (fasp_merge_prefer (m->merge, m->now, 1));
  made_run (m, 0, 1, 2 * PROVEN, 50 * SECOND);
  g_assert_cmpuint (get_leader (m), ==, 1);
  assert_whole (m, 50 * SECOND);
}

/* Of a standby, the other one sends on for two seconds, and leads again if the preferred one brings
 * nothing. */
static void
test_standby (void)
{
  for (guint brings = 0; brings < 2; brings++) {
    g_autoptr (Made) m = made_new (FASP_REDUNDANCY_STANDBY, 2);
    guint64 k = 2 * PROVEN;

    made_run (m, 0, 1, 0, k);
    g_assert_true (fasp_merge_get_other_sources (m->merge, 1).stands_by);
    g_assert_true (fasp_merge_prefer (m->merge, m->now, 1));
    g_assert_false (fasp_merge_get_other_sources (m->merge, 0).stands_by);
    g_assert_false (fasp_merge_get_other_sources (m->merge, 1).stands_by);
    for (guint64 end = k + 3 * SECOND; k < end; k++) {
      m->now += MADE_GAP;
      for (guint i = 0; i < 2; i++)
        if ((i == 0 || brings) && !fasp_merge_get_other_sources (m->merge, i).stands_by) {
          m->states[i].heard = m->now;
          made_bring_block (m, i, k);
        }
      for (guint i = 0; i < 2; i++)
        fasp_merge_set_state (m->merge, m->now, i, &m->states[i]);
      fasp_merge_decide (m->merge, m->now);
      made_take (m);
    }
    g_assert_cmpuint (get_leader (m), ==, brings);
    g_assert_true (fasp_merge_get_other_sources (m->merge, !brings).stands_by);
    assert_whole (m, k);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mergerestore/wait", test_wait);
  g_test_add_func ("/mergerestore/not-good", test_not_good);
  g_test_add_func ("/mergerestore/asked", test_asked);
  g_test_add_func ("/mergerestore/standby", test_standby);
  return g_test_run ();
}
