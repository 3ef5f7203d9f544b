/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * test-step.c: a link becomes half as fast, and twice as fast again. An adaptive session
 * that always has more to send follows.
 */
#include "seeds.h"
#include "vstream.h"

#define MBIT G_GUINT64_CONSTANT (1000000)
#define SEEDS 12 /* at most: it is for them that the bounds hold */
#define GIVE_UP (5 * FASP_SEC)

typedef struct
{
  guint64 rate;
  FaspTime rtt;
  gdouble most_down, most_up; /* round trips, for any seed */
} Case;

/* Round trips until the channel's rate is within a sixth of @rate. */
static gdouble
follow (Vstream *stream, FaspTime rtt, guint64 rate)
{
  FaspTime start = vnet_get_time (stream->net) - stream->started, now;

  for (now = start; now < start + GIVE_UP; now += FASP_MSEC) {
    guint64 found;

    vstream_run_until (stream, now);
    found = stream->sender_stats.pacing.rate;
    if (found >= rate * 5 / 6 && found <= rate * 7 / 6)
      break;
  }
  return (gdouble) (now - start) / rtt;
}

static Vstream *
new_stream (Vnet *net, guint64 bitrate)
{
  VstreamConfig config;

  vstream_config_init (&config);
  config.bitrate = bitrate;
  config.channel = 0;
  config.duration = 40 * FASP_SEC;
  config.lead = FASP_SEC;
  config.sender.rate_control = FASP_RATE_CONTROL_ADAPTIVE;
  return vstream_new (net, &config);
}

static void
run (const Case *c, guint seed, gdouble *down, gdouble *up)
{
  static const gdouble none[2] = { 0, 0 };
  g_autoptr (Vnet) net = vnet_new (seed);
  ImpairConfig *wire = vnet_get_wire (net, VNET_A, VNET_B);
  FaspTime at = 10 * FASP_SEC + seed * 3700;
  g_autoptr (Vstream) stream = NULL;

  vnet_set_path (net, c->rtt, none, none, c->rate);
  wire->queue = c->rate / 8 * 2;
  stream = new_stream (net, c->rate * 1.3);
  vstream_run_until (stream, at);
  wire->rate = c->rate / 2;
  *down = follow (stream, c->rtt, c->rate / 2);
  vstream_run_until (stream, at + 12 * FASP_SEC + seed * 5300);
  wire->rate = c->rate;
  *up = follow (stream, c->rtt, c->rate);
  g_assert_cmpuint (vnet_get_counters (net, VNET_A, VNET_B)->queue_lost, ==, 0);
  g_assert_true (vstream_is_right (stream));
}

static void
test_step (gconstpointer data)
{
  const Case *c = data;
  gdouble most_down = 0, most_up = 0;

  for (guint seed = 0; seed < MIN (SEEDS, count_seeds (SEEDS)); seed++) {
    gdouble down, up;

    run (c, seed, &down, &up);
    most_down = MAX (most_down, down);
    most_up = MAX (most_up, up);
  }
  g_test_message ("down in %.2f round trips, up in %.2f", most_down, most_up);
  g_assert_cmpfloat (most_down, <=, c->most_down);
  g_assert_cmpfloat (most_up, <=, c->most_up);
}

int
main (int argc, char **argv)
{
  static const Case cases[] = {
    /* an average of 100 ms is five of these round trips */
    { 10 * MBIT, 20 * FASP_MSEC, 8, 7 },
    { 10 * MBIT, 100 * FASP_MSEC, 3, 5 },
    { 10 * MBIT, 400 * FASP_MSEC, 2, 4 },
    { 100 * MBIT, 20 * FASP_MSEC, 8, 7 },
    { 100 * MBIT, 100 * FASP_MSEC, 3, 4 },
    { 100 * MBIT, 400 * FASP_MSEC, 2, 4 },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *path = g_strdup_printf ("/step/%u/%u", (guint) (cases[i].rate / MBIT),
        (guint) (cases[i].rtt / FASP_MSEC));

    g_test_add_data_func (path, &cases[i], test_step);
  }
  return g_test_run ();
}
