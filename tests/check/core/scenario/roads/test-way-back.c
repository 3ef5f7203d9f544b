/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Streams whose way back is too narrow for all the feedback that there could be, in virtual time.
 */
#include "vstream.h"

#define RTT (60 * FASP_MSEC)

typedef struct
{
  guint64 bitrate, back; /* bit/s */
  gboolean adaptive;
} Narrow;

/* What is late is so by a round trip, not by the queue of what is said back. */
static void
test_stream (gconstpointer data)
{
  const Narrow *n = data;
  VstreamConfig config;

  for (guint seed = 1; seed <= 4; seed++) {
    g_autoptr (Vnet) net = vnet_new (seed);
    ImpairConfig *wire;
    const FaspHist *hist;
    g_autoptr (Vstream) stream = NULL;

    vnet_set_path (net, RTT, (gdouble[2]) { .01, 0 }, (gdouble[2]) { 1, 1 }, n->bitrate * 3 / 2);
    wire = vnet_get_wire (net, VNET_B, VNET_A);
    wire->rate = n->back;
    wire->queue = n->back * 4 / 8;
    vstream_config_init (&config);
    config.sender.rate_control = n->adaptive ? FASP_RATE_CONTROL_ADAPTIVE : FASP_RATE_CONTROL_FIXED;
    config.bitrate = n->bitrate;
    config.channel = n->bitrate * 7 / 5;
    config.lead = FASP_SEC;
    config.duration = 30 * FASP_SEC;
    stream = vstream_new (net, &config);
    g_assert_true (vstream_run (stream));
    hist = fasp_endpoint_get_lateness (stream->receiver, FALSE);
    g_test_message ("seed %u: 99 %% %d, 99.9 %% %d, 99.99 %% %d us", seed,
        (gint) fasp_hist_percentile (hist, .99), (gint) fasp_hist_percentile (hist, .999),
        (gint) fasp_hist_percentile (hist, .9999));
    /* what is under way is bounded, and reports that wait on the way back open that late */
    g_assert_cmpint (fasp_hist_percentile (hist, .99), <=, (n->adaptive ? 400 : 200) * FASP_MSEC);
    /* that is in the first second */
    g_assert_cmpint (fasp_hist_percentile (hist, .999), <=, 1500 * FASP_MSEC);
  }
}

int
main (int argc, char **argv)
{
  static const Narrow streams[] = { { 8000000, 64000, FALSE }, { 20000000, 128000, FALSE },
    { 2000000, 32000, FALSE }, { 8000000, 64000, TRUE } };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++) {
    g_autofree gchar *name =
        g_strdup_printf ("/feedback-rate/stream/%u-%u%s", (guint) streams[i].bitrate / 1000,
            (guint) streams[i].back / 1000, streams[i].adaptive ? "-adaptive" : "");

    g_test_add_data_func (name, &streams[i], test_stream);
  }
  return g_test_run ();
}
