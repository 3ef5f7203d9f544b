/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test-host.c: adaptive between hosts that are busy with other things. The sender's stops sending
 * now and then, and the receiver's holds what has come. Neither is room on the path, nor a queue.
 */
#include "vroad.h"

#define LINK 100                    /* Mbit/s */
#define BUSY (10 * FASP_MSEC)       /* at most, */
#define BUSY_EVERY (50 * FASP_MSEC) /* on average */
#define FROM (10 * FASP_SEC)
#define UNTIL (40 * FASP_SEC)
#define SEEDS 3

/* The share of the link that is used; *p95: of the queue, µs. */
static gdouble
run (gint64 rtt, gint64 pause, gint64 hold, guint seed, gint64 *p95)
{
  const ImpairConfig bottleneck = {
    .rate = LINK * 1000000,
    .queue = LINK * 25000,
    .keep_order = TRUE,
    .stall = hold,
    .stall_interval = BUSY_EVERY,
  };
  g_autoptr (Vroad) road = vroad_new (seed, &bottleneck);
  guint64 before;
  gdouble share;

  vroad_add (road,
      &(VroadSender) {
          .kind = VROAD_ADAPTIVE,
          .rtt = rtt,
          .pause = pause,
          .pause_interval = BUSY_EVERY,
      });
  vroad_run (road, FROM);
  before = vroad_get_delivered (road, 0);
  *p95 = vroad_watch (road, FROM, UNTIL);
  share = (vroad_get_delivered (road, 0) - before) * 8. / LINK / (UNTIL - FROM);
  return share;
}

static void
test_busy (gconstpointer data)
{
  const gint64 *busy = data;

  for (guint i = 0; i < 3 * SEEDS; i++) {
    gint64 rtt = (const gint64[]) { 20000, 100000, 400000 }[i / SEEDS], p95;
    gdouble share = run (rtt, busy[0], busy[1], i, &p95);

    g_test_message ("%d ms: %.3f of the link, p95 %.1f ms", (gint) (rtt / FASP_MSEC), share,
        p95 / 1000.);
    /* the host itself takes a tenth of the time */
    g_assert_cmpfloat (share, >, busy[0] > 0 ? .85 : .93);
    g_assert_cmpint (p95, <, 10 * FASP_MSEC);
  }
}

int
main (int argc, char **argv)
{
  static const gint64 sender[] = { BUSY, 0 }, receiver[] = { 0, BUSY };
  static const gint64 both[] = { BUSY, BUSY };

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/host/sender", sender, test_busy);
  g_test_add_data_func ("/host/receiver", receiver, test_busy);
  g_test_add_data_func ("/host/both", both, test_busy);
  return g_test_run ();
}
