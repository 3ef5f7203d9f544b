/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element in virtual time: a file is played by the clock in it, its timestamps or
 * the PCR of a transport stream.
 */
#include <string.h>
#include "pacer.h"

/* A file: buffer i is of size (i) bytes and of time i ms; taken as fast as they
 * are taken. */
typedef struct
{
  Pacer *f;
  guint from, n;
  gsize (*size) (guint i);
  guint together; /* so many in one list first: what is known when one leaves
                     is not up to the threads */
  gint taken;     /* so many are; atomic */
  GstClockID end;
  guint packet; /* bytes of a transport stream's packet */
} File;

static gpointer
read_file (gpointer data)
{
  File *file = data;
  guint next = file->from + file->together;

  if (file->together > 0) {
    GstBufferList *list = gst_buffer_list_new ();

    for (guint i = file->from; i < next; i++)
      gst_buffer_list_add (list, pacer_make (file->size (i), i * MS));
    /* the last one tells the rate, and may have to wait */
    g_atomic_int_set (&file->taken, next - 1);
    g_assert_cmpint (gst_pad_push_list (file->f->h->srcpad, list), ==, GST_FLOW_OK);
    g_atomic_int_set (&file->taken, next);
  }
  for (guint i = next; i < file->n; i++) {
    g_assert_cmpint (gst_harness_push (file->f->h, pacer_make (file->size (i), i * MS)), ==,
        GST_FLOW_OK);
    g_atomic_int_set (&file->taken, i + 1);
  }
  /* sleeps on, so that always two do */
  gst_clock_id_wait (file->end, NULL);
  return NULL;
}

/* Both threads sleep: until a time, or, if nothing is here, for more.  What is here and not
 * counted yet the file's thread is still awake for. */
static gboolean
is_asleep (File *file, guint left)
{
  guint n = gst_test_clock_peek_id_count (file->f->clock);

  return n == 2
      || (n == 1 && g_atomic_int_get (&file->taken) == (gint) left
          && pacer_get_stat (file->f, "bytes-queued") == 0);
}

static GThread *
begin_file (File *file, GThreadFunc read)
{
  file->end = gst_clock_new_single_shot_id (GST_CLOCK (file->f->clock), GST_CLOCK_TIME_NONE - 1);
  return g_thread_new ("file", read, file);
}

static void
end_file (File *file, GThread *thread)
{
  gst_clock_id_unschedule (file->end);
  g_thread_join (thread);
  gst_clock_id_unref (file->end);
}

/* The next buffer that leaves, after @left; the clock is moved on whenever both threads wait for
 * it. */
static GstBuffer *
pull_from_file (File *file, guint left)
{
  gint64 until = g_get_monotonic_time () + LIMIT;
  GstBuffer *buffer;

  while ((buffer = pacer_try_pull (file->f)) == NULL) {
    while (!is_asleep (file, left) && gst_harness_buffers_in_queue (file->f->h) == 0) {
      g_assert_cmpint (g_get_monotonic_time (), <, until);
      g_thread_yield ();
    }
    if (gst_harness_buffers_in_queue (file->f->h) == 0)
      gst_test_clock_crank (file->f->clock);
  }
  return buffer;
}

/* When each buffer left, ns. */
static void
play_file (File *file, GstClockTime *left)
{
  GThread *thread = begin_file (file, read_file);

  for (guint i = file->from; i < file->n; i++) {
    gst_buffer_unref (pull_from_file (file, i));
    left[i] = gst_clock_get_time (GST_CLOCK (file->f->clock));
  }
  end_file (file, thread);
}

static gsize
constant (guint i)
{
  return 1000;
}

/* Of a window of 100 ms. */
#define RATE_KNOWN 101

/* Its timestamps tell 8 Mbit/s. @data: a live source was linked before it. */
static void
test_learn_from_timestamps (gconstpointer data)
{
  g_autoptr (Pacer) f = pacer_new (LEARN, SIMPLE);
  gboolean behind = GPOINTER_TO_INT (data);
  File file = { f, 0, 1000, constant, RATE_KNOWN };
  GstClockTime left[1000];

  if (behind) {
    gst_harness_push (f->h, pacer_make (1000, 0));
    pacer_assert_pull (f, 1000);
    pacer_begin_stream (f, GST_FORMAT_TIME);
    file.from = 1;
  }
  gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
  play_file (&file, left);
  for (guint i = file.from + 1; i < 1000; i++)
    g_assert_cmpuint (left[i] - left[i - 1], ==, 1 * MS);
  g_assert_cmpuint (pacer_get_stat (f, "bitrate"), ==, 8000000);
}

/* Scenes of half a second, the ones with fifty times the bytes of the others. */
static gsize
scenes (guint i)
{
  return i / 500 % 2 == 1 ? 10000 : 200;
}

/* A second in the dark. */
static gsize
dark (guint i)
{
  return i / 1000 == 1 ? 1 : 10000;
}

static gsize
keyframes (guint i)
{
  return i % 1000 == 0 ? 60000 : i % 20 == 0 ? 10000 : 20;
}

/* A file is played by its own clock, whatever the rate is at which its bytes
 * come: not slower where that falls, nor faster where it rises. */
static void
test_learn_varying (gconstpointer data)
{
  g_autoptr (Pacer) f = pacer_new_file (LEARN, SIMPLE);
  GstClockTime *left = g_new (GstClockTime, 4000);
  File file = { f, 0, 4000, data };
  gint64 first = 0, last = 0;

  play_file (&file, left);
  for (guint i = 0; i < 4000; i++) {
    gint64 late = left[i] - i * (gint64) MS;

    first = MIN (first, late);
    last = MAX (last, late);
  }
  /* a window is here at once, and half of what may wait; then it is as late as
   * that */
  g_assert_cmpint (first, >=, -150 * (gint64) MS);
  g_assert_cmpint (last, <=, 200 * (gint64) MS);
  g_free (left);
}

/* A rate is set for a while: what comes at it is not what its time brings
 * afterwards. */
static void
test_learn_again (void)
{
  g_autoptr (Pacer) f = pacer_new_file (LEARN, SIMPLE);
  GstClockTime left[3000];

  for (guint part = 0; part < 3; part++) {
    File file = { f, part * 1000, part * 1000 + 1000, constant, part == 0 ? RATE_KNOWN : 0 };

    g_object_set (f->h->element, "bitrate",
        part == 1 ? G_GUINT64_CONSTANT (80000000) : G_GUINT64_CONSTANT (0), NULL);
    play_file (&file, left);
  }
  /* 1 s, a tenth of that, 1 s */
  g_assert_cmpuint (left[999], ==, 999 * MS);
  g_assert_cmpuint (left[1999], ==, 1099 * MS);
  g_assert_cmpuint (left[2999], ==, 2099 * MS);
}

static gpointer
read_ts (gpointer data)
{
  File *file = data;

  for (guint i = 0; i < file->n; i++)
    g_assert_cmpint (gst_harness_push (file->f->h, pacer_make_ts_at (i)), ==, GST_FLOW_OK);
  gst_clock_id_wait (file->end, NULL);
  return NULL;
}

/* A file of half the rate is played at its time, with as many null packets, also
 * after the rate was changed. */
static void
test_null_ts_of_a_file (void)
{
  g_autoptr (Pacer) f = pacer_new_file (
      "bitrate=10528000 max-burst=1316 stuffing=null-ts window=100000000 max-delay=100000000",
      NULL);
  File file = { f, 0, 500 };
  GstClockTime left[500];
  GThread *thread;

  thread = begin_file (&file, read_ts);
  for (guint i = 0; i < file.n;) {
    gint64 until = g_get_monotonic_time () + LIMIT;
    GstBuffer *buffer = pacer_try_pull (f);

    if (buffer == NULL) {
      /* until both threads sleep until a time */
      while (gst_test_clock_peek_id_count (f->clock) < 2) {
        g_assert_cmpint (g_get_monotonic_time (), <, until);
        g_thread_yield ();
      }
      if (gst_harness_buffers_in_queue (f->h) == 0)
        gst_test_clock_crank (f->clock);
      continue;
    }
    if (pacer_count_nulls (buffer) == 0)
      left[i++] = gst_clock_get_time (GST_CLOCK (f->clock));
    gst_buffer_unref (buffer);
    if (i == 300)
      g_object_set (f->h->element, "bitrate", G_GUINT64_CONSTANT (21056000), NULL);
  }
  end_file (&file, thread);
  /* The window that is learned from, 50 ms on the line, leaves at the rate, and all behind it is
   * held for max-delay less that and 12 ms.  A null packet may be under way when one comes. */
  for (guint i = 60; i < file.n; i++) {
    gint64 held = (gint64) (left[i] - 2 * i * MS);

    g_assert_cmpint (held, >=, 33 * MS);
    g_assert_cmpint (held, <=, 37 * MS);
  }
}

static gpointer
push_ts (gpointer data)
{
  Pacer *f = data;

  for (guint i = 0; i < 200; i++)
    g_assert_cmpint (gst_harness_push (f->h, pacer_make_ts_at (i)), ==, GST_FLOW_OK);
  return NULL;
}

/* Without any delay it is a datagram at a time. */
static void
test_null_ts_of_a_file_without_delay (void)
{
  g_autoptr (Pacer) f = pacer_new_file (
      "bitrate=10528000 max-burst=1316 stuffing=null-ts window=100000000 max-delay=0", NULL);
  GThread *thread;

  thread = g_thread_new ("file", push_ts, f);
  for (guint i = 0; i < 200;) {
    GstBuffer *buffer = pacer_try_pull (f);

    if (buffer == NULL) {
      gst_test_clock_crank (f->clock);
      continue;
    }
    i += pacer_count_nulls (buffer) == 0;
    gst_buffer_unref (buffer);
  }
  g_thread_join (thread);
}

/* Every wake-up is later than max-delay: the file is played at its time all the same. */
static void
test_null_ts_of_a_file_late (void)
{
  g_autoptr (Pacer) f = pacer_new_file (
      "bitrate=10528000 max-burst=1316 stuffing=null-ts window=100000000 max-delay=100000", NULL);
  File file = { f, 0, 500 };
  GstClockTime left[500];
  GThread *thread;

  thread = begin_file (&file, read_ts);
  for (guint i = 0; i < file.n;) {
    gint64 until = g_get_monotonic_time () + LIMIT;
    GstBuffer *buffer = pacer_try_pull (f);

    if (buffer == NULL) {
      GstClockID id;

      /* until both threads sleep until a time, or one waits for room */
      while (gst_test_clock_peek_id_count (f->clock)
          < (pacer_get_stat (f, "bytes-queued") > 0 ? 1 : 2)) {
        g_assert_cmpint (g_get_monotonic_time (), <, until);
        g_thread_yield ();
      }
      if (gst_harness_buffers_in_queue (f->h) > 0)
        continue;
      if (!gst_test_clock_peek_next_pending_id (f->clock, &id))
        continue;
      gst_test_clock_set_time (f->clock,
          MAX (gst_clock_id_get_time (id) + 300000, gst_clock_get_time (GST_CLOCK (f->clock))));
      gst_clock_id_unref (id);
      /* NULL: it was woken before */
      id = gst_test_clock_process_next_clock_id (f->clock);
      if (id != NULL)
        gst_clock_id_unref (id);
      continue;
    }
    if (pacer_count_nulls (buffer) == 0)
      left[i++] = gst_clock_get_time (GST_CLOCK (f->clock));
    gst_buffer_unref (buffer);
  }
  end_file (&file, thread);
  for (guint i = 100; i < file.n; i++)
    g_assert_cmpint (ABS ((gint64) (left[i] - left[99]) - (gint64) (2 * (i - 99) * MS)), <=,
        3 * MS);
}

/* After a seek, or as another stream, whose first buffer need not say DISCONT. */
static void
test_learn_from_earlier_times (void)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (Pacer) f = pacer_new_file (LEARN, SIMPLE);
    File file = { f, 0, 1000, constant, RATE_KNOWN };
    GstClockTime left[1000], before;

    play_file (&file, left);
    if (i == 0) {
      gst_harness_push_event (f->h, gst_event_new_flush_start ());
      gst_harness_push_event (f->h, gst_event_new_flush_stop (TRUE));
    } else {
      gst_harness_push_event (f->h, gst_event_new_eos ());
      gst_harness_push_event (f->h, gst_event_new_stream_start ("2"));
      pacer_push_caps (f, SIMPLE);
    }
    pacer_push_segment (f, GST_FORMAT_TIME);
    before = gst_clock_get_time (GST_CLOCK (f->clock));
    file.together = 0;
    file.taken = 0;
    play_file (&file, left);
    g_assert_cmpuint (left[999] - before, >, 900 * MS);
    g_assert_cmpuint (left[999] - before, <, 1100 * MS);
  }
}

static gpointer
read_joined (gpointer data)
{
  File *file = data;

  for (guint i = 0; i < file->n; i++) {
    GstBuffer *buffer = pacer_make_ts_at (i < file->n / 2 ? i : 100000 + i);

    gst_buffer_memset (buffer, 2, i < file->n / 2 ? 1 : 2, 1);
    g_assert_cmpint (gst_harness_push (file->f->h, buffer), ==, GST_FLOW_OK);
    g_atomic_int_set (&file->taken, i + 1);
  }
  gst_clock_id_wait (file->end, NULL);
  return NULL;
}

/* Two files in one, whose PCRs are of different PIDs: the second is played in its time, too. */
static void
test_joined_files (void)
{
  g_autoptr (Pacer) f =
      pacer_new_file ("max-burst=1316 window=100000000 max-delay=100000000", NULL);
  File file = { f, 0, 2000 };
  GThread *thread;

  thread = begin_file (&file, read_joined);
  for (guint i = 0; i < file.n; i++)
    gst_buffer_unref (pull_from_file (&file, i));
  g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), >, 3800 * MS);
  g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), <, 4100 * MS);
  end_file (&file, thread);
}

/* A transport stream in a file: its bytes, and as filesrc reads them. */
typedef struct
{
  File file;
  GByteArray *bytes;
} TsFile;

#define BLOCK 4096

/* @n packets, in the first of which is a PCR of @time, ns. */
static void
append_pcr (TsFile *ts, guint n, GstClockTime time)
{
  guint64 ticks = time / 1000 * 27 % ((G_GUINT64_CONSTANT (1) << 33) * 300);
  guint64 base = ticks / 300, extension = ticks % 300;
  guint8 pcr[12] = { 0x47, 0x01, 0x00, 0x30, 7, 0x10, base >> 25, base >> 17, base >> 9, base >> 1,
    (base & 1) << 7 | 0x7e | extension >> 8, extension };

  for (guint i = 0; i < n; i++) {
    guint at = ts->bytes->len;

    g_byte_array_set_size (ts->bytes, at + 188);
    memset (ts->bytes->data + at, 0, 188);
    memcpy (ts->bytes->data + at, pcr, i == 0 ? sizeof pcr : 3);
    ts->bytes->data[at + 3] = i == 0 ? 0x30 : 0x10;
  }
}

static gpointer
read_blocks (gpointer data)
{
  File *file = data;
  TsFile *ts = data;

  for (guint i = 0; i < file->n; i++) {
    guint at = i * BLOCK, n = MIN (BLOCK, ts->bytes->len - at);

    g_assert_cmpint (gst_harness_push (file->f->h, gst_buffer_new_memdup (ts->bytes->data + at, n)),
        ==, GST_FLOW_OK);
    g_atomic_int_set (&file->taken, i + 1);
  }
  gst_harness_push_event (file->f->h, gst_event_new_eos ());
  gst_clock_id_wait (file->end, NULL);
  return NULL;
}

/* Until all has left; ns. */
static GstClockTime
play_blocks (TsFile *ts)
{
  g_autoptr (Pacer) f = pacer_new_file ("", NULL);
  File *file = &ts->file;
  gint64 until = g_get_monotonic_time () + LIMIT;
  GThread *thread;
  GstClockTime took;
  guint64 left = 0;

  *file = (File) { .f = f, .n = (ts->bytes->len + BLOCK - 1) / BLOCK };
  thread = begin_file (file, read_blocks);
  while (left < ts->bytes->len) {
    GstBuffer *buffer = pacer_try_pull (f);

    g_assert_cmpint (g_get_monotonic_time (), <, until);
    if (buffer != NULL) {
      left += gst_buffer_get_size (buffer);
      gst_buffer_unref (buffer);
    } else if (gst_test_clock_peek_id_count (f->clock) == 2
        || (gst_test_clock_peek_id_count (f->clock) == 1
            && g_atomic_int_get (&file->taken) < (gint) file->n
            && pacer_get_stat (f, "bytes-queued") < 188)) {
      /* both threads sleep: the one that sends until a time, or for more than a part of a packet */
      gst_test_clock_crank (f->clock);
    } else {
      g_thread_yield ();
    }
  }
  took = gst_clock_get_time (GST_CLOCK (f->clock));
  end_file (file, thread);
  return took;
}

/* 12 s of 5 Mbit/s, with pauses in which nothing comes, or hardly anything: they are played, and no
 * more. */
static void
test_pcr_pauses (void)
{
  static const guint between[] = { 0, 100, 1000 }; /* ms from PCR to PCR */

  for (guint i = 0; i < G_N_ELEMENTS (between); i++)
    for (guint pause = 2000; pause <= 6000; pause += 1000) {
      TsFile ts = { .bytes = g_byte_array_new () };
      guint ms = 0, took;

      for (guint k = 0; k < 400; k++, ms += 30) {
        append_pcr (&ts, 100, ms * MS);
        if (k % 200 != 100)
          continue;
        for (guint end = ms + pause; between[i] > 0 && ms < end; ms += between[i])
          append_pcr (&ts, 1, (ms + 30) * MS);
        ms += between[i] == 0 ? pause : 0;
      }
      took = play_blocks (&ts) / MS;
      g_test_message ("pause %u: %u ms of %u", pause, took, ms);
      /* half of max-delay */
      g_assert_cmpint (ABS ((gint) (took - ms)), <=, 500);
      g_byte_array_unref (ts.bytes);
    }
}

static gpointer
read_packets (gpointer data)
{
  File *file = data;
  gboolean m2ts = file->packet == 192;

  for (guint i = 0; i < file->n; i++) {
    GstBuffer *buffer = pacer_make (7 * file->packet, GST_CLOCK_TIME_NONE);
    GstBuffer *ts = pacer_make_ts_at (i);
    GstMapInfo map;

    gst_buffer_map (ts, &map, GST_MAP_READ);
    for (guint j = 0; j < 7; j++)
      gst_buffer_fill (buffer, j * file->packet + (m2ts ? 4 : 0), map.data + j * 188, 188);
    gst_buffer_unmap (ts, &map);
    gst_buffer_unref (ts);
    g_assert_cmpint (gst_harness_push (file->f->h, buffer), ==, GST_FLOW_OK);
    g_atomic_int_set (&file->taken, i + 1);
  }
  gst_clock_id_wait (file->end, NULL);
  return NULL;
}

/* Larger packets have the same clock, and leave in sevens, too, with caps or without. */
static void
test_learn_from_larger_packets (void)
{
  static const guint sizes[] = { 192, 204, 208 };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (sizes); i++) {
    guint size = sizes[i / 2];
    g_autofree gchar *caps = g_strdup_printf ("video/mpegts,systemstream=true,packetsize=%u", size);
    g_autoptr (Pacer) f = pacer_new_file (LEARN, i % 2 == 0 ? caps : NULL);
    File file = { .f = f, .n = 1000, .packet = size };
    GThread *thread;

    thread = begin_file (&file, read_packets);
    for (guint j = 0; j < file.n; j++) {
      GstBuffer *buffer = pull_from_file (&file, j);

      g_assert_cmpuint (gst_buffer_get_size (buffer), ==, 7 * size);
      gst_buffer_unref (buffer);
    }
    g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), >, 1850 * MS);
    g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), <, 2100 * MS);
    end_file (&file, thread);
  }
}

static void
test_cannot_learn (void)
{
  g_autoptr (Pacer) f = pacer_new_file ("", SIMPLE);
  GstBuffer *buffer = pacer_make (64 << 20, GST_CLOCK_TIME_NONE);
  GstFlowReturn ret = GST_FLOW_OK;

  for (guint i = 0; i < 5 && ret == GST_FLOW_OK; i++)
    ret = gst_harness_push (f->h, gst_buffer_ref (buffer));
  g_assert_cmpint (ret, ==, GST_FLOW_ERROR);
  pacer_assert_message (f, GST_MESSAGE_ERROR, "Set bitrate");
  gst_buffer_unref (buffer);
}

/* A file without a clock that is small, too, is told of, when it is over; not what
 * is live, or has a rate. */
static void
test_cannot_learn_little (void)
{
  static const struct
  {
    const gchar *properties;
    gboolean live, ts, told;
  } cases[] = {
    { "", FALSE, FALSE, TRUE },
    { "", FALSE, TRUE, TRUE }, /* but no PCR */
    { "", TRUE, FALSE, FALSE },
    { "bitrate=8000000", FALSE, FALSE, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (Pacer) f = pacer_new (cases[i].properties, SIMPLE);

    if (!cases[i].live)
      gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
    for (guint j = 0; j < 5; j++)
      gst_harness_push (f->h,
          cases[i].ts ? pacer_make_ts (7) : pacer_make (1000, GST_CLOCK_TIME_NONE));
    gst_harness_push_event (f->h, gst_event_new_eos ());
    if (cases[i].told) {
      pacer_assert_message (f, GST_MESSAGE_WARNING, "Set bitrate");
    }
    g_assert_null (gst_bus_pop_filtered (f->bus, GST_MESSAGE_WARNING));
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pacer/null-ts/of-a-file", test_null_ts_of_a_file);
  g_test_add_func ("/pacer/null-ts/of-a-file-late", test_null_ts_of_a_file_late);
  g_test_add_func ("/pacer/null-ts/of-a-file-without-delay", test_null_ts_of_a_file_without_delay);
  g_test_add_data_func ("/pacer/learn/timestamps", GINT_TO_POINTER (FALSE),
      test_learn_from_timestamps);
  g_test_add_data_func ("/pacer/learn/file-behind-live", GINT_TO_POINTER (TRUE),
      test_learn_from_timestamps);
  g_test_add_data_func ("/pacer/learn/scenes", scenes, test_learn_varying);
  g_test_add_data_func ("/pacer/learn/dark", dark, test_learn_varying);
  g_test_add_data_func ("/pacer/learn/key-frames", keyframes, test_learn_varying);
  g_test_add_func ("/pacer/learn/joined-files", test_joined_files);
  g_test_add_func ("/pacer/learn/pcr-pauses", test_pcr_pauses);
  g_test_add_func ("/pacer/learn/larger-packets", test_learn_from_larger_packets);
  g_test_add_func ("/pacer/learn/from-earlier-times", test_learn_from_earlier_times);
  g_test_add_func ("/pacer/learn/again", test_learn_again);
  g_test_add_func ("/pacer/learn/impossible", test_cannot_learn);
  g_test_add_func ("/pacer/learn/impossible-little", test_cannot_learn_little);
  return g_test_run ();
}
