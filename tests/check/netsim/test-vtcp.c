/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The models of TCP do what is known of TCP.
 */
#include <math.h>
#include "vroad.h"

#define RTT 100000
#define SECOND 1000000

static gdouble
get_mbit (Vroad * road, gint64 from, gint64 until)
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
    Vroad *road = vroad_new (i, &(ImpairConfig) {
          .rate = 100000000,.loss = loss,.keep_order = TRUE
        }
    );

    vroad_add (road, &(VroadSender) {
        .kind = i % 2 ? VROAD_CUBIC : VROAD_RENO,.rtt = RTT}
    );
    mbit = get_mbit (road, 20 * SECOND, 320 * SECOND);
    wanted = sqrt (1.5 / loss) * VROAD_PACKET * 8 / RTT;
    g_test_message ("%g: %.3f Mbit/s, %.3f of what is known", loss, mbit,
        mbit / wanted);
    g_assert_cmpfloat (fabs (mbit / wanted - 1), <, .15);
    vroad_free (road);
  }
}

/* Alone with a buffer of a round trip they use all of it. */
static void
test_alone (void)
{
  for (guint i = 0; i < 2; i++) {
    Vroad *road = vroad_new (i, &(ImpairConfig) {
          .rate = 10000000,.queue = 125000,.keep_order = TRUE
        }
    );

    vroad_add (road, &(VroadSender) {
        .kind = i % 2 ? VROAD_CUBIC : VROAD_RENO,.rtt = RTT}
    );
    g_assert_cmpfloat (get_mbit (road, 5 * SECOND, 60 * SECOND), >, 9.7);
    g_assert_cmpint (vroad_get_queue (road), >, 0);
    vroad_free (road);
  }
}

typedef struct
{
  guint64 next;
  gint64 last;
} Delivery;

static void
on_delivered (gpointer data, guint64 n, gint64 now)
{
  Delivery *delivery = data;

  g_assert_cmpuint (n, ==, delivery->next++);
  g_assert_cmpint (now, >=, delivery->last);
  delivery->last = now;
}

/* Nothing is lost, whatever is; and it goes on after a time of nothing. */
static void
test_delivery (void)
{
  Delivery delivery = { 0 };
  ImpairConfig config = {.rate = 10000000,.loss = .1,.keep_order = TRUE };
  Vroad *road;

  config.blackouts[0].start = 10 * SECOND;
  config.blackouts[0].end = 13 * SECOND;
  road = vroad_new (1, &config);
  vroad_add (road, &(VroadSender) {
      .kind = VROAD_RENO,.rtt = RTT,.source = 100000,.delivered =
        on_delivered,.data = &delivery}
  );
  vroad_run (road, 60 * SECOND);
  /* all but what has not had the time */
  g_assert_cmpuint (delivery.next, >=, 59 * 100000 / 8 / VROAD_PACKET);
  g_assert_cmpuint (delivery.next, <=, 60 * 100000 / 8 / VROAD_PACKET);
  vroad_free (road);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vtcp/loss", test_loss);
  g_test_add_func ("/vtcp/alone", test_alone);
  g_test_add_func ("/vtcp/delivery", test_delivery);
  return g_test_run ();
}
