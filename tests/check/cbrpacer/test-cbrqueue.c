/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "cbrqueue.h"

static guint8 counter; /* what is in the next buffer */

static GstBuffer *
make (gsize size, GstClockTime pts, guint flags)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < size; i++)
    map.data[i] = counter++;
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = 7;
  GST_BUFFER_FLAG_SET (buffer, flags);
  return buffer;
}

static void
push (CbrQueue *queue, GstBuffer *buffer)
{
  cbr_queue_push_buffer (queue, buffer, (CbrMark) { 0, 0 });
}

/* The bytes must go on from @expected. */
static void
assert_bytes (GstBuffer *buffer, guint8 *expected)
{
  GstMapInfo map;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (gsize i = 0; i < map.size; i++)
    g_assert_cmpuint (map.data[i], ==, (*expected)++);
  gst_buffer_unmap (buffer, &map);
}

/* Any sizes in, any sizes out: the same bytes, none copied. */
static void
test_split_and_merge (void)
{
  for (guint seed = 0; seed < 100; seed++) {
    GRand *rand = g_rand_new_with_seed (seed);
    guint payload = g_rand_int_range (rand, 1, 3000);
    guint8 expected = 0;
    guint64 in = 0, out = 0;
    CbrQueue queue;

    counter = 0;
    cbr_queue_init (&queue);
    for (guint i = 0; i < 200; i++) {
      gboolean whole;
      gsize size = g_rand_int_range (rand, 1, 5000);

      push (&queue, make (size, i, 0));
      in += size;
      while ((size = cbr_queue_peek (&queue, payload, &whole)) > 0 && whole) {
        GstBuffer *datagram = cbr_queue_cut (&queue, size);

        g_assert_cmpuint (size, ==, payload);
        g_assert_cmpuint (gst_buffer_get_size (datagram), ==, payload);
        assert_bytes (datagram, &expected);
        out += size;
        gst_buffer_unref (datagram);
      }
      g_assert_cmpuint (queue.bytes, ==, in - out);
      g_assert_cmpuint (queue.bytes, <, payload);
    }
    cbr_queue_finalize (&queue);
    g_rand_free (rand);
  }
}

/* Whether a search begins anew or goes on, and in whatever steps, it finds the same byte. */
static void
test_places (void)
{
  CbrQueue queue;

  counter = 0;
  cbr_queue_init (&queue);
  for (guint size = 1; size <= 20; size++) {
    push (&queue, make (size, 0, 0));
    if (size % 4 == 0)
      cbr_queue_push (&queue, GST_MINI_OBJECT_CAST (gst_event_new_gap (0, 1)));
  }
  gst_buffer_unref (cbr_queue_cut (&queue, 8)); /* 202 are left */
  for (guint step = 1; step < 60; step++) {
    CbrCursor cursor = { 0 };

    for (gsize at = 0; at < 400; at += step) {
      CbrCursor nowhere = { 0 };
      guint8 byte, anew;

      g_assert_true (cbr_queue_get_byte (&queue, at, &cursor, &byte) == (at < 202));
      g_assert_true (cbr_queue_get_byte (&queue, at, &nowhere, &anew) == (at < 202));
      cbr_queue_leave_cursor (&nowhere);
      if (at < 202)
        g_assert_cmpuint (byte, ==, 8 + at);
      if (at < 202)
        g_assert_cmpuint (anew, ==, 8 + at);
    }
    cbr_queue_leave_cursor (&cursor);
  }
  cbr_queue_finalize (&queue);
}

static void
test_zero_copy (void)
{
  GstBuffer *big = make (4000, 0, 0), *piece;
  GstMapInfo map, part;
  CbrQueue queue;

  gst_buffer_map (big, &map, GST_MAP_READ);
  cbr_queue_init (&queue);
  push (&queue, gst_buffer_ref (big));
  for (guint i = 0; i < 4; i++) {
    piece = cbr_queue_cut (&queue, 1000);
    gst_buffer_map (piece, &part, GST_MAP_READ);
    g_assert_true (part.data == map.data + 1000 * i);
    gst_buffer_unmap (piece, &part);
    gst_buffer_unref (piece);
  }
  /* as it came: the very same */
  push (&queue, gst_buffer_ref (big));
  piece = cbr_queue_cut (&queue, 4000);
  g_assert_true (piece == big);
  gst_buffer_unref (piece);
  gst_buffer_unmap (big, &map);
  gst_buffer_unref (big);
  cbr_queue_finalize (&queue);
}

#define DELTA GST_BUFFER_FLAG_DELTA_UNIT
#define DISCONT GST_BUFFER_FLAG_DISCONT
#define MARKER GST_BUFFER_FLAG_MARKER
#define HEADER GST_BUFFER_FLAG_HEADER
#define GAP GST_BUFFER_FLAG_GAP
#define DROPPABLE GST_BUFFER_FLAG_DROPPABLE

/* What becomes of times and flags. */
static void
test_flags (void)
{
  static const struct
  {
    gsize sizes[4]; /* in, until 0; times are 0, 1, 2 ... s */
    guint flags[4];
    guint payload;
    struct
    {
      gsize size;
      guint time, flags;
    } out[5];
  } cases[] = {
    /* split: the first piece begins, the last one ends */
    { { 300 }, { DISCONT | MARKER | HEADER }, 100,
        { { 100, 0, DISCONT | HEADER }, { 100, 0, HEADER | DELTA },
            { 100, 0, HEADER | MARKER | DELTA } } },
    /* merged: a point to start from in it */
    { { 50, 50 }, { DELTA, 0 }, 100, { { 100, 0, 0 } } },
    { { 50, 50 }, { DELTA, DELTA | MARKER }, 100, { { 100, 0, DELTA | MARKER } } },
    /* across */
    { { 150, 50 }, { 0, DELTA }, 100, { { 100, 0, 0 }, { 100, 0, DELTA } } },
    { { 50, 150 }, { DELTA, 0 }, 100, { { 100, 0, 0 }, { 100, 1, DELTA } } },
    /* nothing, or of no use, is what all of it is */
    { { 50, 50 }, { GAP | DROPPABLE, GAP }, 100, { { 100, 0, GAP } } },
    { { 50, 50 }, { GAP | DROPPABLE, 0 }, 100, { { 100, 0, 0 } } },
    { { 50, 50 }, { 0, GAP | DROPPABLE }, 100, { { 100, 0, 0 } } },
    { { 150, 50 }, { GAP, 0 }, 100, { { 100, 0, GAP }, { 100, 0, 0 } } },
    /* never across a discontinuity */
    { { 150, 50, 50 }, { DELTA, DISCONT | DELTA, DELTA }, 100,
        { { 100, 0, DELTA }, { 50, 0, DELTA }, { 100, 1, DISCONT | DELTA } } },
    /* as it comes */
    { { 150, 50 }, { DISCONT | MARKER, DELTA }, 0,
        { { 150, 0, DISCONT | MARKER }, { 50, 1, DELTA } } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    CbrQueue queue;

    cbr_queue_init (&queue);
    for (guint j = 0; j < 4 && cases[i].sizes[j] > 0; j++)
      push (&queue, make (cases[i].sizes[j], j * GST_SECOND, cases[i].flags[j]));
    for (guint j = 0; j < 5 && cases[i].out[j].size > 0; j++) {
      gboolean whole;
      gsize size = cbr_queue_peek (&queue, cases[i].payload, &whole);
      GstBuffer *out;

      g_assert_true (whole);
      g_assert_cmpuint (size, ==, cases[i].out[j].size);
      out = cbr_queue_cut (&queue, size);
      g_assert_cmpuint (GST_BUFFER_PTS (out), ==, cases[i].out[j].time * GST_SECOND);
      g_assert_cmpuint (GST_BUFFER_DTS (out), ==, GST_BUFFER_PTS (out));
      g_assert_cmpuint (GST_BUFFER_FLAGS (out)
              & (DELTA | DISCONT | MARKER | HEADER | GAP | DROPPABLE),
          ==, cases[i].out[j].flags);
      gst_buffer_unref (out);
    }
    g_assert_cmpuint (queue.bytes, ==, 0);
    g_assert_cmpuint (queue.buffers, ==, 0);
    cbr_queue_finalize (&queue);
  }
}

static void
test_metas (void)
{
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("timestamp/x-unix");
  GstBuffer *a = make (60, 0, 0), *b = make (60, 1, 0), *out;
  CbrQueue queue;
  gpointer state = NULL;
  GstMeta *meta;
  guint n = 0;

  gst_buffer_add_reference_timestamp_meta (a, caps, 11, GST_CLOCK_TIME_NONE);
  gst_buffer_add_reference_timestamp_meta (b, caps, 22, GST_CLOCK_TIME_NONE);
  cbr_queue_init (&queue);
  push (&queue, a);
  push (&queue, b);
  out = cbr_queue_cut (&queue, 100);
  while ((meta = gst_buffer_iterate_meta (out, &state)) != NULL)
    n++;
  g_assert_cmpuint (n, ==, 2);
  gst_buffer_unref (out);
  out = cbr_queue_cut (&queue, 20);
  g_assert_nonnull (gst_buffer_get_reference_timestamp_meta (out, caps));
  gst_buffer_unref (out);
  cbr_queue_finalize (&queue);
}

/* Events keep their place, and hold datagrams apart. */
static void
test_events (void)
{
  GstMiniObject *other;
  gboolean whole;
  CbrQueue queue;

  cbr_queue_init (&queue);
  g_assert_false (cbr_queue_has_other (&queue));
  push (&queue, make (50, 0, 0));
  cbr_queue_push (&queue, GST_MINI_OBJECT_CAST (gst_event_new_segment_done (GST_FORMAT_BYTES, 1)));
  push (&queue, make (150, 1, 0));
  cbr_queue_push (&queue, GST_MINI_OBJECT_CAST (gst_event_new_eos ()));
  g_assert_false (cbr_queue_has_other (&queue));
  g_assert_null (cbr_queue_pop_other (&queue));
  g_assert_cmpuint (cbr_queue_peek (&queue, 100, &whole), ==, 50);
  g_assert_true (whole);
  gst_buffer_unref (cbr_queue_cut (&queue, 50));
  g_assert_cmpuint (cbr_queue_peek (&queue, 100, &whole), ==, 0);
  other = cbr_queue_pop_other (&queue);
  g_assert_cmpint (GST_EVENT_TYPE (other), ==, GST_EVENT_SEGMENT_DONE);
  gst_mini_object_unref (other);
  gst_buffer_unref (cbr_queue_cut (&queue, 100));
  g_assert_cmpuint (cbr_queue_peek (&queue, 100, &whole), ==, 50);
  g_assert_true (whole);
  cbr_queue_finalize (&queue); /* with the rest in it */
}

/* Dropping takes whole datagrams, keeps events, and says so. */
static void
test_drop (void)
{
  GstQuery *query = gst_query_new_drain ();
  GstMiniObject *other;
  GstBuffer *out;
  gboolean whole;
  CbrQueue queue;

  cbr_queue_init (&queue);
  g_assert_cmpuint (cbr_queue_drop (&queue, 100), ==, 0);
  push (&queue, make (250, 0, 0));
  gst_buffer_unref (cbr_queue_cut (&queue, 100));
  cbr_queue_push (&queue, GST_MINI_OBJECT_CAST (gst_event_new_segment_done (GST_FORMAT_BYTES, 1)));
  cbr_queue_push (&queue, GST_MINI_OBJECT_CAST (query));
  push (&queue, make (300, 1, 0));
  g_assert_cmpuint (cbr_queue_drop (&queue, 100), ==, 100);
  g_assert_cmpuint (cbr_queue_drop (&queue, 100), ==, 50);
  g_assert_cmpuint (cbr_queue_drop (&queue, 100), ==, 100);
  g_assert_cmpuint (queue.bytes, ==, 200);
  g_assert_true (cbr_queue_has_other (&queue));
  cbr_queue_remove (&queue, query);
  gst_query_unref (query);
  other = cbr_queue_pop_other (&queue);
  g_assert_cmpint (GST_EVENT_TYPE (other), ==, GST_EVENT_SEGMENT_DONE);
  gst_mini_object_unref (other);
  g_assert_null (cbr_queue_pop_other (&queue));
  g_assert_cmpuint (cbr_queue_peek (&queue, 100, &whole), ==, 100);
  out = cbr_queue_cut (&queue, 100);
  g_assert_true (GST_BUFFER_IS_DISCONT (out));
  gst_buffer_unref (out);
  out = cbr_queue_cut (&queue, 100);
  g_assert_false (GST_BUFFER_IS_DISCONT (out));
  gst_buffer_unref (out);
  cbr_queue_finalize (&queue);
}

/* Pops an event that must be @event. */
static void
assert_event (CbrQueue *queue, GstEvent *event)
{
  GstMiniObject *other = cbr_queue_pop_other (queue);

  g_assert_true (other == GST_MINI_OBJECT_CAST (event));
  gst_mini_object_unref (other);
}

static GstEvent *
make_custom (const gchar *name)
{
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, gst_structure_new_empty (name));
}

/* Of sticky events of one type with no buffer between them, the last is kept, in the place of the
 * first; custom events count as one type by their name. */
static void
test_sticky (void)
{
  GstEvent *starts[] = { gst_event_new_stream_start ("1"), gst_event_new_stream_start ("2"),
    gst_event_new_stream_start ("3") };
  GstEvent *customs[] = { make_custom ("a"), make_custom ("b"), make_custom ("b") };
  GstEvent *group = gst_event_new_stream_group_done (1);
  GstEvent *end = gst_event_new_eos ();
  CbrQueue queue;

  cbr_queue_init (&queue);
  cbr_queue_push_sticky (&queue, starts[0]);
  push (&queue, make (100, 0, 0));
  cbr_queue_push_sticky (&queue, starts[1]);
  cbr_queue_push_sticky (&queue, group);
  for (guint i = 0; i < G_N_ELEMENTS (customs); i++)
    cbr_queue_push_sticky (&queue, customs[i]);
  cbr_queue_push_sticky (&queue, starts[2]);
  assert_event (&queue, starts[0]);
  gst_buffer_unref (cbr_queue_cut (&queue, 100));
  assert_event (&queue, starts[2]);
  assert_event (&queue, group);
  assert_event (&queue, customs[0]);
  assert_event (&queue, customs[2]);
  g_assert_null (cbr_queue_pop_other (&queue));
  starts[0] = gst_event_new_stream_start ("4");
  starts[1] = gst_event_new_stream_start ("5");
  cbr_queue_push_sticky (&queue, starts[0]);
  cbr_queue_push (&queue, GST_MINI_OBJECT_CAST (end));
  cbr_queue_push_sticky (&queue, starts[1]);
  assert_event (&queue, starts[0]);
  assert_event (&queue, end);
  assert_event (&queue, starts[1]);
  cbr_queue_finalize (&queue);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/queue/split-and-merge", test_split_and_merge);
  g_test_add_func ("/queue/places", test_places);
  g_test_add_func ("/queue/zero-copy", test_zero_copy);
  g_test_add_func ("/queue/flags", test_flags);
  g_test_add_func ("/queue/metas", test_metas);
  g_test_add_func ("/queue/events", test_events);
  g_test_add_func ("/queue/drop", test_drop);
  g_test_add_func ("/queue/sticky", test_sticky);
  return g_test_run ();
}
