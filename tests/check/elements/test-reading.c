/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What faspsrc makes of what it reads, which comes in an order that is rare on a network.
 */
#include <string.h>
#include <gst/app/gstappsink.h>
#include "faspio.h"
#include "gstfaspelements.h"
#include "pair.h"

typedef struct
{
  FaspIoResult result;
  guint32 session;
  guint8 origin;                /* of the stream */
  guint8 flags;
  const gchar *bytes;
} Step;

/* What is read next; all but the first is read at once. */
static const Step *script;
static guint steps, done;       /* under `lock' */
static GMutex lock;
static GCond changed;
static gboolean flushing;

static FaspBlock *
make_block (const Step * step)
{
  FaspBlock *block = fasp_block_new (strlen (step->bytes));

  block->flags = step->flags;
  block->size = strlen (step->bytes);
  memcpy (block->data, step->bytes, block->size);
  block->offset = step->flags & FASP_BLOCK_HEADER ? FASP_OFFSET_UNKNOWN :
      1000 * step->session;
  return block;
}

FaspIoResult __wrap_fasp_io_read (FaspIo * io, FaspIoItem * items, guint max,
    guint * n, FaspEvent * event);

FaspIoResult
__wrap_fasp_io_read (FaspIo * io, FaspIoItem * items, guint max, guint * n,
    FaspEvent * event)
{
  const Step *step;

  *n = 0;
  g_mutex_lock (&lock);
  while (done == steps && !flushing)
    g_cond_wait (&changed, &lock);
  step = flushing ? NULL : &script[done++];
  g_mutex_unlock (&lock);
  if (step == NULL)
    return FASP_IO_FLUSHING;
  if (step->result == FASP_IO_OK) {
    memset (&items[0], 0, sizeof items[0]);
    items[0].block = make_block (step);
    items[0].session = step->session;
    items[0].place.known = TRUE;
    items[0].place.origin.bytes[0] = step->origin;
    items[0].place.offset = items[0].block->offset;
    *n = 1;
  } else {
    *event = (FaspEvent) {
    .type = FASP_EVENT_REMOVED,.session = step->session,.reason =
          FASP_REASON_STOPPED};
  }
  return step->result;
}

/* All that faspsrc pushes, a buffer after the other. */
static gchar *
play (const Step * all, guint n, guint buffers)
{
  GstElement *pipeline;
  g_autoptr (GstElement) sink = NULL;
  GString *got = g_string_new (NULL);

  script = all;
  steps = n;
  done = 0;
  flushing = FALSE;
  pipeline = pair_launch ("faspsrc uri=fasp://127.0.0.1:%u?mode=listener "
      "keep-listening=true " SECRET " ! appsink name=out sync=false",
      pair_get_port ());
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < buffers; i++) {
    g_autoptr (GstSample) sample =
        gst_app_sink_try_pull_sample (GST_APP_SINK (sink), 20 * GST_SECOND);
    GstMapInfo map;

    g_assert_nonnull (sample);
    g_assert_true (gst_buffer_map (gst_sample_get_buffer (sample), &map,
            GST_MAP_READ));
    g_string_append_printf (got, "%s%.*s", i > 0 ? " " : "", (gint) map.size,
        (const gchar *) map.data);
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
  }
  g_mutex_lock (&lock);
  flushing = TRUE;
  g_cond_signal (&changed);
  g_mutex_unlock (&lock);
  pair_stop (pipeline);
  gst_object_unref (pipeline);
  return g_string_free (got, FALSE);
}

/* A sender has gone, and the header of the next one comes before anybody was told that. */
static void
test_header_before_end (void)
{
  static const Step all[] = {
    {FASP_IO_OK, 1, 1, 0, "one"},
    {FASP_IO_OK, 2, 2, FASP_BLOCK_HEADER | FASP_BLOCK_ENTER, "header"},
    {FASP_IO_ENDED, 1, 1},
    {FASP_IO_OK, 2, 2, 0, "two"},
  };
  g_autofree gchar *got = play (all, G_N_ELEMENTS (all), 3);

  g_assert_cmpstr (got, ==, "one header two");
}

/* A sender has gone behind its header: that is no part of the next one's stream. */
static void
test_header_of_gone (void)
{
  static const Step all[] = {
    {FASP_IO_OK, 1, 1, 0, "one"},
    {FASP_IO_OK, 2, 2, FASP_BLOCK_HEADER | FASP_BLOCK_ENTER, "header"},
    {FASP_IO_ENDED, 2, 2},
    {FASP_IO_OK, 3, 3, 0, "three"},
  };
  g_autofree gchar *got = play (all, G_N_ELEMENTS (all), 2);

  g_assert_cmpstr (got, ==, "one three");
}

/* The same, and that it has gone is told only behind what the next one has sent. */
static void
test_header_of_gone_late (void)
{
  static const Step all[] = {
    {FASP_IO_OK, 1, 1, 0, "one"},
    {FASP_IO_OK, 2, 2, FASP_BLOCK_HEADER | FASP_BLOCK_ENTER, "header"},
    {FASP_IO_OK, 3, 3, 0, "three"},
    {FASP_IO_ENDED, 2, 2},
  };
  g_autofree gchar *got = play (all, G_N_ELEMENTS (all), 2);

  g_assert_cmpstr (got, ==, "one three");
}

/* The same, and the next one goes on with the stream that was there before. */
static void
test_header_of_gone_between (void)
{
  static const Step all[] = {
    {FASP_IO_OK, 1, 1, 0, "one"},
    {FASP_IO_OK, 2, 2, FASP_BLOCK_HEADER | FASP_BLOCK_ENTER, "header"},
    {FASP_IO_OK, 3, 1, 0, "three"},
    {FASP_IO_ENDED, 2, 2},
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
  g_test_add_func ("/reading/header-of-gone-between",
      test_header_of_gone_between);
  return g_test_run ();
}
