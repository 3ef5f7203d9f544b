/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The models of TCP do what is known of TCP.
 */
#include <math.h>
#include "vroad.h"

#define RTT 100000
#define SECOND 1000000

static gdouble
get_mbit (Vroad *road, gint64 from, gint64 until)
{
  guint64 before;

  vroad_run (road, from);
  before = vroad_get_delivered (road, 0);
  vroad_run (road, until);
  return (vroad_get_delivered (road, 0) - before) * 8. / (until - from);
}

/* The square root of 3/2 p packets a round trip (Mathis, Semke, Mahdavi, Ott: The
 * Macroscopic Behavior of the TCP Congestion Avoidance Algorithm, 1997); Cubic is as slow
 * where its own window would be smaller. */
static void
test_loss (void)
{
  static const gdouble losses[] = { .005, .01, .02, .04 };

  for (guint i = 0; i < G_N_ELEMENTS (losses) * 2; i++) {
    gdouble loss = losses[i / 2], mbit, wanted;
    g_autoptr (Vroad) road = vroad_new (i,
        &(ImpairConfig) {
            .rate = 100000000,
            .loss = loss,
            .keep_order = TRUE,
        });

    vroad_add (road, &(VroadSender) { .kind = i % 2 ? VROAD_CUBIC : VROAD_RENO, .rtt = RTT });
    mbit = get_mbit (road, 20 * SECOND, 320 * SECOND);
    wanted = sqrt (1.5 / loss) * VROAD_PACKET * 8 / RTT;
    g_test_message ("%g: %.3f Mbit/s, %.3f of what is known", loss, mbit, mbit / wanted);
    g_assert_cmpfloat (fabs (mbit / wanted - 1), <, .15);
  }
}

/* Alone with a buffer of a round trip they use all of it. */
static void
test_alone (void)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (Vroad) road = vroad_new (i,
        &(ImpairConfig) {
            .rate = 10000000,
            .queue = 125000,
            .keep_order = TRUE,
        });

    vroad_add (road, &(VroadSender) { .kind = i % 2 ? VROAD_CUBIC : VROAD_RENO, .rtt = RTT });
    g_assert_cmpfloat (get_mbit (road, 5 * SECOND, 60 * SECOND), >, 9.7);
    g_assert_cmpint (vroad_get_queue (road), >, 0);
  }
}

/* BBR does not mind losses, and drains what it makes of a queue; if it cannot, it hardly
 * sends for 0.2 s every ten. */
static void
test_bbr (void)
{
  for (guint i = 0; i < 4; i++) {
    gdouble loss = i & 1 ? .05 : 0, mbit;
    gint64 rtt = i & 2 ? RTT : RTT / 5;
    g_autoptr (Vroad) road = vroad_new (i,
        &(ImpairConfig) {
            .rate = 10000000,
            .queue = 250000,
            .loss = loss,
            .keep_order = TRUE,
        });
    guint empty = 0, least = G_MAXUINT;

    vroad_add (road, &(VroadSender) { .kind = VROAD_BBR, .rtt = rtt });
    vroad_run (road, 5 * SECOND);
    for (guint ms = 5000; ms < 40000; ms++) {
      vroad_run (road, ms * 1000);
      empty += vroad_get_queue (road) < rtt / 4;
      least = MIN (least, vroad_get_rate (road, 0) / 1000);
    }
    mbit = get_mbit (road, 40 * SECOND, 100 * SECOND);
    g_test_message ("%u: %.2f Mbit/s, %u ms", i, mbit, empty);
    g_assert_cmpfloat (mbit / (1 - loss), >, 9);
    g_assert_cmpuint (empty, >, 35000 / 2);
    /* where losses empty the queue it sees the shortest round trip anyway */
    if (loss == 0)
      g_assert_cmpuint (least, <, 5 * VROAD_PACKET * 8 * 1000 / rtt);
  }
}

/* Nothing is lost, whatever is; and it goes on after a time of nothing. */
static void
test_delivery (void)
{
  ImpairConfig config = { .rate = 10000000, .loss = .1, .keep_order = TRUE };
  g_autoptr (Vroad) road = NULL;
  guint64 packets;

  config.blackouts[0].start = 10 * SECOND;
  config.blackouts[0].end = 13 * SECOND;
  road = vroad_new (1, &config);
  vroad_add (road,
      &(VroadSender) {
          .kind = VROAD_RENO,
          .rtt = RTT,
          .source = 100000,
      });
  vroad_run (road, 60 * SECOND);
  packets = vroad_get_delivered (road, 0) / VROAD_PACKET;
  /* all but what has not had the time */
  g_assert_cmpuint (packets, >=, 59 * 100000 / 8 / VROAD_PACKET);
  g_assert_cmpuint (packets, <=, 60 * 100000 / 8 / VROAD_PACKET);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vtcp/loss", test_loss);
  g_test_add_func ("/vtcp/alone", test_alone);
  g_test_add_func ("/vtcp/bbr", test_bbr);
  g_test_add_func ("/vtcp/delivery", test_delivery);
  return g_test_run ();
}
