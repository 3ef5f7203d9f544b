/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What faspsrc makes of what it reads, which comes in an order that is rare on a network.
 */
#include <gst/app/gstappsink.h>
#include "gstfaspelements.h"
#include "pair.h"
#include "reader.h"

/* All that faspsrc pushes, a buffer after the other. */
static gchar *
play (const ReaderStep *all, guint n, guint buffers)
{
  GstElement *pipeline;
  g_autoptr (GstElement) sink = NULL;
  GString *got = g_string_new (NULL);

  reader_begin (all, 1);
  reader_let (n);
  pipeline =
      pair_launch ("faspsrc uri=fasp://127.0.0.1:%u?mode=listener keep-listening=true " SECRET
                   " ! appsink name=out sync=false",
          pair_get_port ());
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < buffers; i++) {
    g_autoptr (GstSample) sample =
        gst_app_sink_try_pull_sample (GST_APP_SINK (sink), 20 * GST_SECOND);
    GstMapInfo map;

    g_assert_nonnull (sample);
    g_assert_true (gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ));
    g_string_append_printf (got, "%s%.*s", i > 0 ? " " : "", (gint) map.size,
        (const gchar *) map.data);
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
  }
  pair_stop (pipeline);
  gst_object_unref (pipeline);
  return g_string_free (got, FALSE);
}

/* A sender has gone, and the header of the next one comes before anybody was told that. */
static void
test_header_before_end (void)
{
  static const ReaderStep all[] = {
    { "one", 1, 0, FASP_IO_OK, 1 },
    { "header", 2, FASP_BLOCK_HEADER | FASP_BLOCK_ENTER, FASP_IO_OK, 2 },
    { "", 1, 0, FASP_IO_ENDED, 1, FASP_REASON_STOPPED },
    { "two", 2, 0, FASP_IO_OK, 2 },
  };
  g_autofree gchar *got = play (all, G_N_ELEMENTS (all), 3);

  g_assert_cmpstr (got, ==, "one header two");
}

/* A sender has gone behind its header: that is no part of the next one's stream. */
static void
test_header_of_gone (void)
{
  static const ReaderStep all[] = {
    { "one", 1, 0, FASP_IO_OK, 1 },
    { "header", 2, FASP_BLOCK_HEADER | FASP_BLOCK_ENTER, FASP_IO_OK, 2 },
    { "", 2, 0, FASP_IO_ENDED, 2, FASP_REASON_STOPPED },
    { "three", 3, 0, FASP_IO_OK, 3 },
  };
  g_autofree gchar *got = play (all, G_N_ELEMENTS (all), 2);

  g_assert_cmpstr (got, ==, "one three");
}

/* The same, and that it has gone is told only behind what the next one has sent. */
static void
test_header_of_gone_late (void)
{
  static const ReaderStep all[] = {
    { "one", 1, 0, FASP_IO_OK, 1 },
    { "header", 2, FASP_BLOCK_HEADER | FASP_BLOCK_ENTER, FASP_IO_OK, 2 },
    { "three", 3, 0, FASP_IO_OK, 3 },
    { "", 2, 0, FASP_IO_ENDED, 2, FASP_REASON_STOPPED },
  };
  g_autofree gchar *got = play (all, G_N_ELEMENTS (all), 2);

  g_assert_cmpstr (got, ==, "one three");
}

/* The same, and the next one goes on with the stream that was there before. */
static void
test_header_of_gone_between (void)
{
  static const ReaderStep all[] = {
    { "one", 1, 0, FASP_IO_OK, 1 },
    { "header", 2, FASP_BLOCK_HEADER | FASP_BLOCK_ENTER, FASP_IO_OK, 2 },
    { "three", 1, 0, FASP_IO_OK, 3 },
    { "", 2, 0, FASP_IO_ENDED, 2, FASP_REASON_STOPPED },
  };
  g_autofree gchar *got = play (all, G_N_ELEMENTS (all), 2);

  g_assert_cmpstr (got, ==, "one three");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_assert_true (GST_ELEMENT_REGISTER (faspsrc, NULL));
  g_test_add_func ("/reading/header-before-end", test_header_before_end);
  g_test_add_func ("/reading/header-of-gone", test_header_of_gone);
  g_test_add_func ("/reading/header-of-gone-late", test_header_of_gone_late);
  g_test_add_func ("/reading/header-of-gone-between", test_header_of_gone_between);
  return g_test_run ();
}
