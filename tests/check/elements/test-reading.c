/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What faspsrc makes of what it reads, which comes in an order that is rare on a network.
 */
#include <gst/app/gstappsink.h>
#include "gstfaspelements.h"
#include "pair.h"
#include "reader.h"
#include "vcases.h"

/* All that faspsrc pushes, a buffer after the other. */
static gchar *
play (const ReaderStep *all, guint n, guint buffers)
{
  g_autoptr (PairPipeline) pipeline = NULL;
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
  return g_string_free (got, FALSE);
}

/* A sender goes, and the header of another one has come: what is told next, and what is pushed. */
typedef struct
{
  const gchar *name;
  ReaderStep next[2];
  guint buffers;
  const gchar *got;
} Case;

static const Case cases[] = {
  /* the first sender has gone, which is told behind the header of the second */
  { "header-before-end",
      { { "", 1, 0, FASP_IO_ENDED, 1, FASP_REASON_STOPPED }, { "two", 2, 0, FASP_IO_OK, 2 } }, 3,
      "one header two" },
  /* the second has gone behind its header, which is no part of the third one's stream */
  { "header-of-gone",
      { { "", 2, 0, FASP_IO_ENDED, 2, FASP_REASON_STOPPED }, { "three", 3, 0, FASP_IO_OK, 3 } }, 2,
      "one three" },
  /* the same, which is told only behind what the third has sent */
  { "header-of-gone-late",
      { { "three", 3, 0, FASP_IO_OK, 3 }, { "", 2, 0, FASP_IO_ENDED, 2, FASP_REASON_STOPPED } }, 2,
      "one three" },
  /* the same, and the third goes on with the first one's stream */
  { "header-of-gone-between",
      { { "three", 1, 0, FASP_IO_OK, 3 }, { "", 2, 0, FASP_IO_ENDED, 2, FASP_REASON_STOPPED } }, 2,
      "one three" },
};

static void
test_reading (gconstpointer data)
{
  const Case *c = data;
  const ReaderStep all[] = {
    { "one", 1, 0, FASP_IO_OK, 1 },
    { "header", 2, FASP_BLOCK_HEADER | FASP_BLOCK_ENTER, FASP_IO_OK, 2 },
    c->next[0],
    c->next[1],
  };
  g_autofree gchar *got = play (all, G_N_ELEMENTS (all), c->buffers);

  g_assert_cmpstr (got, ==, c->got);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_assert_true (GST_ELEMENT_REGISTER (faspsrc, NULL));
  vcases_add ("/reading", cases, sizeof *cases, G_N_ELEMENTS (cases), test_reading);
  return g_test_run ();
}
