/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasptrace.h"
#include "vstream.h"

static void
test_ring (void)
{
  FaspTraceEntry out[8];
  FaspTrace trace = { 0 };

  /* off: nothing happens */
  fasp_trace_add (&trace, &(FaspTraceEntry) {
      .block = 1});
  g_assert_cmpuint (fasp_trace_fetch (&trace, out, 8), ==, 0);
  fasp_trace_set_size (&trace, 4);
  for (guint i = 0; i < 6; i++)
    fasp_trace_add (&trace, &(FaspTraceEntry) {
        .block = i}
  );
  g_assert_cmpuint (trace.lost, ==, 2);
  g_assert_cmpuint (fasp_trace_fetch (&trace, out, 3), ==, 3);
  g_assert_cmpuint (out[0].block, ==, 2);
  g_assert_cmpuint (out[2].block, ==, 4);
  g_assert_cmpuint (fasp_trace_fetch (&trace, out, 8), ==, 1);
  g_assert_cmpuint (out[0].block, ==, 5);
  g_assert_cmpuint (fasp_trace_fetch (&trace, out, 8), ==, 0);
  fasp_trace_set_size (&trace, 0);
}

/* Both ends of a lossy stream: every block leaves as an original once and is
 * fresh once at the other end; retransmissions and copies have their numbers. */
static void
test_stream (void)
{
  g_autofree FaspTraceEntry *out = g_new (FaspTraceEntry, 65536);
  guint originals = 0, fresh = 0, retransmissions = 0, copies = 0, n;
  Vnet *net = vnet_new (5);
  VstreamConfig config;
  Vstream *stream;
  FaspTime last = 0;

  for (guint side = 0; side < 2; side++) {
    vnet_get_wire (net, side, !side)->delay = 100 * FASP_MSEC;
    vnet_get_wire (net, side, !side)->loss = .05;
  }
  vstream_config_init (&config);
  config.duration = 10 * FASP_SEC;
  stream = vstream_new (net, &config, NULL, NULL);
  fasp_endpoint_set_trace (stream->sender, 65536);
  fasp_endpoint_set_trace (stream->receiver, 65536);
  g_assert_true (vstream_run (stream));

  n = fasp_endpoint_fetch_trace (stream->sender, out, 65536, NULL);
  g_assert_cmpuint (n, ==, stream->sender_stats.sent.blocks +
      stream->sender_stats.sent.blocks_rtx);
  for (guint i = 0; i < n; i++) {
    originals += out[i].round == 0 && out[i].fresh;
    retransmissions += out[i].round > 0 && out[i].copy == 0;
    copies += out[i].copy > 0;
    g_assert_cmpint (out[i].time, >=, last);
    g_assert_cmpint (out[i].time, >=, out[i].media_time);
    g_assert_cmpuint (out[i].full, ==, out[i].payload + 60);
    last = out[i].time;
  }
  g_assert_cmpuint (originals, ==, stream->sender_stats.sent.blocks);
  g_assert_cmpuint (retransmissions + copies, ==,
      stream->sender_stats.sent.blocks_rtx);
  g_assert_cmpuint (copies, ==, stream->sender_stats.sent.copies);
  g_assert_cmpuint (retransmissions, >, 100);

  n = fasp_endpoint_fetch_trace (stream->receiver, out, 65536, NULL);
  for (guint i = 0; i < n; i++) {
    fresh += out[i].fresh;
    g_assert_cmpint (out[i].time - out[i].media_time, >=, 100 * FASP_MSEC);
  }
  g_assert_cmpuint (fresh, ==, originals);
  vstream_free (stream);
  vnet_free (net);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/ring", test_ring);
  g_test_add_func ("/trace/stream", test_stream);
  return g_test_run ();
}
