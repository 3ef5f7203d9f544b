/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element in virtual time: every property, every transition.
 */
#include <string.h>
#include <time.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include "gstfaspcommon.h"

#define MS GST_MSECOND
#define LIMIT (30 * G_TIME_SPAN_SECOND) /* of real time, for anything */

typedef struct
{
  GstHarness *h;
  GstTestClock *clock;
  GstBus *bus;
  GMutex lock;
  GArray *lists;                /* buffers per push */
} Pacer;

static GstPadProbeReturn
on_push (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Pacer *f = data;
  guint n = 1;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST)
    n = gst_buffer_list_length (GST_PAD_PROBE_INFO_BUFFER_LIST (info));
  g_mutex_lock (&f->lock);
  g_array_append_val (f->lists, n);
  g_mutex_unlock (&f->lock);
  return GST_PAD_PROBE_OK;
}

/* cbrpacer with "name=value ..."; without headers on the wire, to count with
 * round numbers, unless told otherwise. */
static Pacer *
pacer_new (const gchar * properties, const gchar * caps)
{
  g_auto (GStrv) words = g_strsplit (properties, " ", -1);
  Pacer *f = g_new0 (Pacer, 1);
  g_autoptr (GstPad) pad = NULL;

  g_mutex_init (&f->lock);
  f->lists = g_array_new (FALSE, FALSE, sizeof (guint));
  f->h = gst_harness_new ("cbrpacer");
  f->bus = gst_bus_new ();
  gst_element_set_bus (f->h->element, f->bus);
  g_object_set (f->h->element, "header-size", 0, NULL);
  for (guint i = 0; words[i] != NULL && *words[i]; i++) {
    g_auto (GStrv) pair = g_strsplit (words[i], "=", 2);

    gst_util_set_object_arg (G_OBJECT (f->h->element), pair[0], pair[1]);
  }
  pad = gst_element_get_static_pad (f->h->element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_BUFFER_LIST, on_push, f, NULL);
  gst_harness_use_testclock (f->h);
  f->clock = gst_harness_get_testclock (f->h);
  if (caps != NULL)
    gst_harness_set_src_caps_str (f->h, caps);
  else {                        /* as filesrc: none */
    GstSegment segment;

    gst_harness_play (f->h);
    gst_harness_push_event (f->h, gst_event_new_stream_start ("1"));
    gst_segment_init (&segment, GST_FORMAT_BYTES);
    gst_harness_push_event (f->h, gst_event_new_segment (&segment));
  }
  return f;
}

#define SIMPLE "application/x-test"
#define TS "video/mpegts,systemstream=true,packetsize=188"

static void
pacer_free (Pacer * f)
{
  gst_element_set_bus (f->h->element, NULL);
  gst_object_unref (f->bus);
  gst_object_unref (f->clock);
  gst_harness_teardown (f->h);
  g_array_unref (f->lists);
  g_mutex_clear (&f->lock);
  g_free (f);
}

static GstBuffer *
pacer_make (gsize size, GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, 0xda, size);
  GST_BUFFER_PTS (buffer) = pts;
  return buffer;
}

static void
pacer_push (Pacer * f, gsize size)
{
  g_assert_cmpint (gst_harness_push (f->h, pacer_make (size,
              GST_CLOCK_TIME_NONE)), ==, GST_FLOW_OK);
}

/* @n buffers, all there before anything leaves. */
static void
pacer_push_list (Pacer * f, guint n, gsize size)
{
  GstBufferList *list = gst_buffer_list_new ();

  while (n-- > 0)
    gst_buffer_list_add (list, pacer_make (size, GST_CLOCK_TIME_NONE));
  g_assert_cmpint (gst_pad_push_list (f->h->srcpad, list), ==, GST_FLOW_OK);
}

/* @n packets of a transport stream. */
static GstBuffer *
pacer_make_ts (guint n)
{
  GstBuffer *buffer = pacer_make (n * 188, GST_CLOCK_TIME_NONE);

  for (guint i = 0; i < n; i++)
    gst_buffer_memset (buffer, i * 188, 0x47, 1);
  return buffer;
}

/* The thread sleeps until @time and until nothing else; it is @time now. */
static void
pacer_advance_to (Pacer * f, GstClockTime time)
{
  GstClockID id;

  gst_test_clock_wait_for_next_pending_id (f->clock, &id);
  g_assert_cmpuint (gst_clock_id_get_time (id), ==, time);
  gst_clock_id_unref (id);
  g_assert_true (gst_test_clock_crank (f->clock));
}

/* What comes out of a harness has passed on_push(): a lock that
 * ThreadSanitizer can see. */
static GstBuffer *
pacer_pull (Pacer * f)
{
  GstBuffer *buffer = gst_harness_pull (f->h);

  g_mutex_lock (&f->lock);
  g_mutex_unlock (&f->lock);
  return buffer;
}

static GstBuffer *
pacer_try_pull (Pacer * f)
{
  GstBuffer *buffer = gst_harness_try_pull (f->h);

  g_mutex_lock (&f->lock);
  g_mutex_unlock (&f->lock);
  return buffer;
}

static void
pacer_assert_pull (Pacer * f, gsize size)
{
  GstBuffer *buffer = pacer_pull (f);

  g_assert_nonnull (buffer);
  g_assert_cmpuint (gst_buffer_get_size (buffer), ==, size);
  gst_buffer_unref (buffer);
}

static void
pacer_assert_nothing (Pacer * f)
{
  g_assert_null (pacer_try_pull (f));
}

static guint64
pacer_get_stat (Pacer * f, const gchar * name)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (f->h->element, "stats", &stats, NULL);
  g_assert_true (gst_structure_get_uint64 (stats, name, &value));
  gst_structure_free (stats);
  return value;
}

/* For what happens in another thread, without a sign. */
static void
pacer_wait_for_stat (Pacer * f, const gchar * name, guint64 value)
{
  gint64 until = g_get_monotonic_time () + LIMIT;

  while (pacer_get_stat (f, name) != value) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_usleep (1000);
  }
}

/* The next buffer, whenever it is due: the clock goes on as the thread waits for it. */
static GstBuffer *
pacer_pull_when_due (Pacer * f)
{
  gint64 until = g_get_monotonic_time () + LIMIT;
  GstBuffer *buffer;

  while ((buffer = pacer_try_pull (f)) == NULL) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    if (gst_test_clock_peek_id_count (f->clock) > 0)
      gst_test_clock_crank (f->clock);
  }
  return buffer;
}

static void
pacer_pull_in_time (Pacer * f, guint n)
{
  while (n-- > 0)
    gst_buffer_unref (pacer_pull_when_due (f));
}

static void
pull_size (Pacer * f, gsize size)
{
  GstBuffer *buffer = pacer_pull_when_due (f);

  g_assert_cmpuint (gst_buffer_get_size (buffer), ==, size);
  gst_buffer_unref (buffer);
}

/* Until the thread waits for the clock (TRUE) or for something to come. */
static gboolean
wait_for_sleep (Pacer * f)
{
  gint64 until = g_get_monotonic_time () + LIMIT;

  while (gst_test_clock_peek_id_count (f->clock) == 0) {
    if (pacer_get_stat (f, "bytes-queued") == 0)
      return FALSE;
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_thread_yield ();
  }
  return TRUE;
}

static gchar *
pacer_wait_text (Pacer * f, GstMessageType type)
{
  GstMessage *message = gst_bus_timed_pop_filtered (f->bus, LIMIT * 1000, type);
  GError *error = NULL;
  gchar *text;

  g_assert_nonnull (message);
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  return text;
}

static void
pacer_assert_text (const gchar * text, const gchar * part)
{
  if (strstr (text, part) == NULL)
    g_error ("\"%s\" does not speak of %s", text, part);
}

/* What an empty buffer says is so of the next one. */
static void
test_empty_discont (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);

  for (guint i = 0; i < 6; i++) {
    GstBuffer *buffer = pacer_make (i == 3 ? 0 : 1000, GST_CLOCK_TIME_NONE);

    if (i % 3 == 0)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    g_assert_cmpint (gst_harness_push (f->h, buffer), ==, GST_FLOW_OK);
  }
  for (guint i = 0; i < 5; i++) {
    GstBuffer *buffer;

    if (i > 0)
      pacer_advance_to (f, i * MS);
    buffer = pacer_pull (f);
    g_assert_cmpint (GST_BUFFER_IS_DISCONT (buffer), ==, i % 3 == 0);
    gst_buffer_unref (buffer);
  }
  pacer_free (f);
}

/* --- the schedule ---------------------------------------------------------------- */

static void
test_deadlines (void)
{
  /* 1000 bytes in 1 ms; one datagram a cycle */
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);

  gst_test_clock_set_time (f->clock, 7 * MS);
  for (guint i = 0; i < 10; i++)
    pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  for (guint i = 1; i < 10; i++) {
    pacer_assert_nothing (f);
    pacer_advance_to (f, (7 + i) * MS);
    pacer_assert_pull (f, 1000);
  }
  pacer_free (f);
}

/* A late thread makes good what it fell behind at twice the rate. */
static void
test_late (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=10000", SIMPLE);
  GstClockID id;

  pacer_push_list (f, 100, 1000);
  for (guint i = 0; i < 10; i++)
    pacer_assert_pull (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, &id);
  g_assert_cmpuint (gst_clock_id_get_time (id), ==, 10 * MS);
  gst_clock_id_unref (id);
  gst_test_clock_set_time (f->clock, 35 * MS);  /* it is woken then: 25 ms late */
  gst_clock_id_unref (gst_test_clock_process_next_clock_id (f->clock));
  for (guint i = 0; i < 10; i++)
    pacer_assert_pull (f, 1000);
  /* half of a cycle is 5 ms; less what a wake-up is late by */
  for (GstClockTime left = 40; left <= 55; left += 5) {
    gst_test_clock_wait_for_next_pending_id (f->clock, &id);
    g_assert_cmpuint (gst_clock_id_get_time (id), <=, left * MS);
    g_assert_cmpuint (gst_clock_id_get_time (id), >, (left - 1) * MS);
    gst_clock_id_unref (id);
    gst_test_clock_set_time (f->clock, left * MS);
    gst_clock_id_unref (gst_test_clock_process_next_clock_id (f->clock));
    for (guint i = 0; i < 10; i++)
      pacer_assert_pull (f, 1000);
  }
  pacer_advance_to (f, 60 * MS);
  g_assert_cmpuint (pacer_get_stat (f, "stalls"), ==, 0);
  pacer_free (f);
}

static void
test_stall (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  GstClockID id;

  for (guint i = 0; i < 5; i++)
    pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, &id);
  gst_clock_id_unref (id);
  gst_test_clock_set_time (f->clock, GST_SECOND);
  gst_clock_id_unref (gst_test_clock_process_next_clock_id (f->clock));
  pacer_assert_pull (f, 1000);  /* the one that was waited for */
  /* the new schedule, of which one is late by that */
  for (guint i = 0; i < 3; i++) {
    pacer_assert_nothing (f);
    gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
    gst_test_clock_crank (f->clock);
    pacer_assert_pull (f, 1000);
  }
  g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), >=,
      GST_SECOND + 2 * MS);
  g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), <=,
      GST_SECOND + 2 * MS + 250 * GST_USECOND);
  g_assert_cmpuint (pacer_get_stat (f, "stalls"), ==, 1);
  pacer_free (f);
}

static void
test_lists (void)
{
  static const struct
  {
    const gchar *properties;
    gsize in;
    guint lists[4];
    guint64 period;             /* µs */
  } cases[] = {
    /* 28 bytes of header: 8000 / 1028 datagrams a cycle */
    {"bitrate=8000000 header-size=28", 1000, {7, 7, 7, 7}, 7196},
    {"bitrate=8000000 header-size=48", 1000, {7, 7, 7, 7}, 7336},
    {"bitrate=8000000 max-burst=3000", 1000, {3, 3, 3, 3}, 3000},
    {"bitrate=8000000 max-burst=1", 1000, {1, 1, 1, 1}, 1000},
    {"bitrate=8000000 max-period=2000000", 1000, {2, 2, 2, 2}, 2000},
    {"bitrate=8000000 payload-size=500", 1000, {16, 16, 16, 16}, 8000},
    {"bitrate=8000000 payload-size=2000", 1000, {4, 4, 4, 4}, 8000},
    {"bitrate=8000000 method=send-and-sleep", 1000, {8, 8, 8, 8}, 8000},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Pacer *f = pacer_new (cases[i].properties, SIMPLE);

    pacer_push_list (f, 40, cases[i].in);
    for (guint j = 0; j < 4; j++) {
      for (guint k = 0; k < cases[i].lists[j]; k++)
        gst_buffer_unref (pacer_pull (f));
      pacer_assert_nothing (f);
      pacer_advance_to (f, (j + 1) * cases[i].period * GST_USECOND);
    }
    g_mutex_lock (&f->lock);
    for (guint j = 0; j < 4; j++)
      g_assert_cmpuint (g_array_index (f->lists, guint, j), ==,
          cases[i].lists[j]);
    g_mutex_unlock (&f->lock);
    pacer_free (f);
  }
}

static gpointer
step_clock (gpointer data)
{
  Pacer *f = data;

  for (guint i = 1; i <= 4000; i++)
    gst_test_clock_set_time (f->clock, i * 10 * GST_USECOND);
  return NULL;
}

/* Never sleeps: nothing ever waits for the clock. */
static void
test_send_and_compare (void)
{
  Pacer *f =
      pacer_new ("bitrate=8000000 max-burst=1000 method=send-and-compare",
      SIMPLE);
  GThread *thread;

  for (guint i = 0; i < 10; i++)
    pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  thread = g_thread_new ("clock", step_clock, f);
  for (guint i = 1; i < 10; i++) {
    pacer_assert_pull (f, 1000);
    g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), >=, i * MS);
  }
  g_assert_cmpuint (gst_test_clock_peek_id_count (f->clock), ==, 0);
  g_thread_join (thread);
  pacer_free (f);
}

/* Wakes before the deadline, watches the clock, never leaves early, and stops
 * watching a clock that stands. */
static void
test_spin (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000 spin=1000", SIMPLE);
  GstClockID id;

  pacer_push (f, 1000);
  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  pacer_advance_to (f, 1 * MS - 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, &id);
  g_assert_cmpuint (gst_clock_id_get_time (id), ==, 1 * MS);
  gst_clock_id_unref (id);
  pacer_assert_nothing (f);
  pacer_advance_to (f, 1 * MS);
  pacer_assert_pull (f, 1000);
  pacer_free (f);
}

static void
test_set_bitrate (void)
{
  Pacer *f = pacer_new ("bitrate=8000 max-burst=1000 max-delay=60000000000",
      SIMPLE);

  for (guint i = 0; i < 4; i++)
    pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  /* the wait that is under way, too */
  g_object_set (f->h->element, "bitrate", G_GUINT64_CONSTANT (8000000), NULL);
  pacer_advance_to (f, 1 * MS);
  pacer_assert_pull (f, 1000);
  pacer_advance_to (f, 2 * MS);
  pacer_assert_pull (f, 1000);
  g_object_set (f->h->element, "bitrate", G_GUINT64_CONSTANT (800000), NULL);
  pacer_advance_to (f, 12 * MS);
  pacer_assert_pull (f, 1000);
  pacer_free (f);
}

/* --- the clock and states ------------------------------------------------------------ */

static void
test_another_clock (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  GstClock *other = gst_test_clock_new_with_start_time (5 * GST_SECOND);

  for (guint i = 0; i < 4; i++)
    pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  gst_element_set_clock (f->h->element, other);
  pacer_assert_pull (f, 1000);  /* begins anew */
  gst_object_unref (f->clock);
  f->clock = GST_TEST_CLOCK (other);
  pacer_advance_to (f, 5 * GST_SECOND + 1 * MS);
  pacer_assert_pull (f, 1000);
  gst_object_ref (f->clock);
  gst_object_unref (other);
  pacer_free (f);
}

/* To a clock that is far behind, with a backlog. */
static void
test_earlier_clock (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  GstClock *other = gst_test_clock_new_with_start_time (1 * MS);

  gst_test_clock_set_time (f->clock, 3600 * GST_SECOND);
  for (guint i = 0; i < 4; i++)
    pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  gst_element_set_clock (f->h->element, other);
  gst_object_unref (f->clock);
  f->clock = GST_TEST_CLOCK (other);
  pacer_assert_pull (f, 1000);
  for (guint i = 0; i < 2; i++) {
    pacer_advance_to (f, (2 + i) * MS);
    pacer_assert_pull (f, 1000);
  }
  gst_object_ref (f->clock);
  gst_object_unref (other);
  pacer_free (f);
}

static GstPadProbeReturn
hold (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

/* In PAUSED a sink holds what it prerolls with; when it goes on, the schedule
 * does, too. */
static void
test_pause (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (f->h->element, "src");
  gulong probe;

  for (guint i = 0; i < 10; i++)
    pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK |
      GST_PAD_PROBE_TYPE_BUFFER, hold, NULL, NULL);
  gst_element_set_state (f->h->element, GST_STATE_PAUSED);
  pacer_advance_to (f, 1 * MS); /* not before its time */
  while (!gst_pad_is_blocking (pad))
    g_thread_yield ();
  gst_test_clock_set_time (f->clock, 100 * MS);
  pacer_assert_nothing (f);
  gst_element_set_state (f->h->element, GST_STATE_PLAYING);
  gst_pad_remove_probe (pad, probe);
  pacer_assert_pull (f, 1000);
  pacer_advance_to (f, 101 * MS);
  pacer_assert_pull (f, 1000);
  pacer_advance_to (f, 102 * MS);
  pacer_assert_pull (f, 1000);
  g_assert_cmpuint (pacer_get_stat (f, "underruns"), ==, 0);
  g_assert_cmpuint (pacer_get_stat (f, "stalls"), ==, 0);
  pacer_free (f);
}

static void
test_states (void)
{
  for (guint i = 0; i < 20; i++) {
    Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);

    for (guint j = 0; j < 10; j++)
      pacer_push (f, 1000);
    pacer_assert_pull (f, 1000);
    /* while it sleeps, from every state */
    if (i % 2)
      gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
    gst_element_set_state (f->h->element, i % 3 == 0 ? GST_STATE_NULL :
        i % 3 == 1 ? GST_STATE_READY : GST_STATE_PAUSED);
    gst_element_set_state (f->h->element, GST_STATE_NULL);
    g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), ==, 0);
    pacer_free (f);
  }
}

static void
test_flush (void)
{
  Pacer *f = pacer_new ("bitrate=8000 max-burst=1000 payload-size=600 "
      "max-delay=60000000000", SIMPLE);
  GstSegment segment;
  GstEvent *event;

  pacer_push (f, 1000);
  pacer_assert_pull (f, 600);   /* 400 wait for their rest */
  pacer_push (f, 5000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  while ((event = gst_harness_try_pull_event (f->h)) != NULL)
    gst_event_unref (event);
  /* a seek */
  gst_harness_push_event (f->h, gst_event_new_flush_start ());
  g_assert_cmpint (gst_pad_push (f->h->srcpad, pacer_make (100, 0)), ==,
      GST_FLOW_FLUSHING);
  gst_harness_push_event (f->h, gst_event_new_flush_stop (TRUE));
  g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), ==, 0);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = 10 * GST_SECOND;
  gst_harness_push_event (f->h, gst_event_new_segment (&segment));
  pacer_push (f, 1200);
  pacer_assert_pull (f, 600);   /* at once */
  pacer_advance_to (f, 600 * MS);
  pacer_assert_pull (f, 600);
  event = gst_harness_pull_event (f->h);
  g_assert_cmpint (GST_EVENT_TYPE (event), ==, GST_EVENT_FLUSH_START);
  gst_event_unref (event);
  event = gst_harness_pull_event (f->h);
  g_assert_cmpint (GST_EVENT_TYPE (event), ==, GST_EVENT_FLUSH_STOP);
  gst_event_unref (event);
  event = gst_harness_pull_event (f->h);
  g_assert_cmpint (GST_EVENT_TYPE (event), ==, GST_EVENT_SEGMENT);
  gst_event_unref (event);
  pacer_free (f);
}

static gpointer
push_thread (gpointer data)
{
  Pacer *f = data;

  return GINT_TO_POINTER (gst_harness_push (f->h, pacer_make (1000,
              GST_CLOCK_TIME_NONE)));
}

/* A source that waits for room is let go by a flush, a stop, an error. */
static void
test_blocked_and_let_go (void)
{
  for (guint i = 0; i < 2; i++) {
    Pacer *f =
        pacer_new ("bitrate=8000 max-burst=1000 max-delay=1000000", SIMPLE);
    GThread *thread;

    pacer_push (f, 1000);
    pacer_assert_pull (f, 1000);
    pacer_push (f, 1000);
    thread = g_thread_new ("push", push_thread, f);
    pacer_wait_for_stat (f, "overruns", 1);
    if (i == 0)
      gst_harness_push_event (f->h, gst_event_new_flush_start ());
    else
      gst_element_set_state (f->h->element, GST_STATE_NULL);
    g_assert_cmpint (GPOINTER_TO_INT (g_thread_join (thread)), ==,
        GST_FLOW_FLUSHING);
    pacer_free (f);
  }
}

static gpointer
push_on (gpointer data)
{
  Pacer *f = data;

  while (gst_harness_push (f->h, pacer_make (1000,
              GST_CLOCK_TIME_NONE)) == GST_FLOW_OK);
  return NULL;
}

/* A live source that is too fast is later and later: that is told. */
static void
test_held (void)
{
  Pacer *f = pacer_new ("bitrate=80000 max-burst=1000 max-delay=1000", SIMPLE);
  GThread *thread = g_thread_new ("push", push_on, f);
  g_autofree gchar *text = NULL;
  GstMessage *warning = NULL;
  guint left;

  /* within some seconds, of which each lets ten buffers leave */
  for (left = 0; warning == NULL && left < 100; left++) {
    pacer_assert_pull (f, 1000);
    pacer_advance_to (f, (left + 1) * 100 * MS);
    warning = gst_bus_pop_filtered (f->bus, GST_MESSAGE_WARNING);
  }
  g_assert_nonnull (warning);
  g_assert_cmpuint (left, >, 30);
  gst_bus_post (f->bus, warning);
  text = pacer_wait_text (f, GST_MESSAGE_WARNING);
  pacer_assert_text (text, "faster than bitrate");
  /* it may have been meant in kbit/s */
  pacer_assert_text (text, "bitrate=80000000");
  gst_harness_push_event (f->h, gst_event_new_flush_start ());
  g_thread_join (thread);
  pacer_free (f);
}

/* Each takes a twentieth longer than it should, as a sink that plays at the time of the
 * stream, and the source has filled the room that it left. */
static GstPadProbeReturn
take_long (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Pacer *f = data;
  gint64 until = g_get_monotonic_time () + LIMIT;

  while (pacer_get_stat (f, "bytes-queued") < 10000
      && !GST_PAD_IS_FLUSHING (pad)) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_usleep (1000);
  }
  gst_test_clock_advance_time (f->clock, 10500 * GST_USECOND);
  return GST_PAD_PROBE_OK;
}

/* It is not faster than bitrate, but than what is behind. */
static void
test_held_from_behind (void)
{
  Pacer *f = pacer_new ("bitrate=800000 max-burst=1000 max-delay=100000000",
      SIMPLE);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (f->h->element, "src");
  g_autofree gchar *text = NULL;
  GThread *thread;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, take_long, f, NULL);
  thread = g_thread_new ("push", push_on, f);
  pacer_pull_in_time (f, 500);  /* 5.25 s */
  text = pacer_wait_text (f, GST_MESSAGE_WARNING);
  pacer_assert_text (text, "faster than the elements behind");
  pacer_assert_text (text, "sync=false");
  gst_harness_push_event (f->h, gst_event_new_flush_start ());
  g_thread_join (thread);
  pacer_free (f);
}

static gpointer
push_five (gpointer data)
{
  Pacer *f = data;

  for (guint i = 0; i < 5; i++)
    pacer_push (f, 1000);
  return NULL;
}

/* One that waits now and then, and has caught up each time, is not. */
static void
test_held_for_a_moment (void)
{
  Pacer *f = pacer_new ("bitrate=80000 max-burst=1000 max-delay=200", SIMPLE);

  for (guint second = 0; second < 8; second++) {
    GThread *thread = g_thread_new ("push", push_five, f);

    pacer_pull_in_time (f, 5);
    g_thread_join (thread);
    gst_test_clock_set_time (f->clock, (second + 1) * GST_SECOND);
  }
  g_assert_cmpuint (pacer_get_stat (f, "overruns"), >, 8);
  g_assert_null (gst_bus_pop_filtered (f->bus, GST_MESSAGE_WARNING));
  pacer_free (f);
}

/* --- the end ------------------------------------------------------------------------------ */

static GstEventType
pacer_pull_event_type (Pacer * f)
{
  GstEvent *event = gst_harness_pull_event (f->h);
  GstEventType type = GST_EVENT_TYPE (event);

  gst_event_unref (event);
  return type;
}

static void
test_eos (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000 payload-size=1000",
      SIMPLE);
  GstEvent *event;

  pacer_push (f, 1000);
  pacer_push (f, 1500);
  pacer_assert_pull (f, 1000);
  while ((event = gst_harness_try_pull_event (f->h)) != NULL)
    gst_event_unref (event);
  gst_harness_push_event (f->h, gst_event_new_eos ());
  g_assert_cmpint (gst_harness_push (f->h, pacer_make (10, 0)), ==,
      GST_FLOW_EOS);
  pacer_advance_to (f, 1 * MS);
  pacer_assert_pull (f, 1000);
  g_assert_null (gst_harness_try_pull_event (f->h));
  pacer_advance_to (f, 2 * MS);
  pacer_assert_pull (f, 500);   /* short, at its time */
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_EOS);
  /* another stream */
  gst_harness_push_event (f->h, gst_event_new_stream_start ("2"));
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_STREAM_START);
  pacer_free (f);
}

/* Events keep their place between what they stood between: those that begin or
 * end something exactly, others to a datagram. */
static void
test_event_order (void)
{
  GstSegment segment;
  Pacer *f = pacer_new ("bitrate=8000000 payload-size=1000", SIMPLE);
  GstEvent *event;

  pacer_push (f, 2500);
  pacer_assert_pull (f, 1000);
  pacer_assert_pull (f, 1000);
  while ((event = gst_harness_try_pull_event (f->h)) != NULL)
    gst_event_unref (event);
  gst_harness_push_event (f->h, gst_event_new_gap (0, 1));
  pacer_push (f, 500);
  pacer_advance_to (f, 2 * MS);
  pacer_assert_pull (f, 1000);
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_GAP);
  pacer_push (f, 500);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (f->h, gst_event_new_segment (&segment));
  pacer_push (f, 1000);
  pacer_advance_to (f, 3 * MS);
  pacer_assert_pull (f, 500);
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_SEGMENT);
  pacer_advance_to (f, 3 * MS + 500 * GST_USECOND);
  pacer_assert_pull (f, 1000);
  pacer_free (f);
}

static gpointer
drain_thread (gpointer data)
{
  Pacer *f = data;
  GstQuery *query = gst_query_new_drain ();
  gboolean result = gst_pad_peer_query (f->h->srcpad, query);

  gst_query_unref (query);
  return GINT_TO_POINTER (result + 1);
}

/* A query with a place in the stream is answered after what came before, or
 * given up in a flush. */
static void
test_serialized_query (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  GThread *thread;

  for (guint i = 0; i < 3; i++)
    pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  thread = g_thread_new ("drain", drain_thread, f);
  pacer_advance_to (f, 1 * MS);
  pacer_assert_pull (f, 1000);
  pacer_advance_to (f, 2 * MS);
  pacer_assert_pull (f, 1000);
  g_thread_join (thread);
  pacer_push (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  thread = g_thread_new ("drain", drain_thread, f);
  g_usleep (10000);
  gst_harness_push_event (f->h, gst_event_new_flush_start ());
  g_assert_cmpint (GPOINTER_TO_INT (g_thread_join (thread)), ==, 1);
  pacer_free (f);
}

/* Another stream that is there before the end of the first has left. */
static void
test_stream_behind_eos (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  GstSegment segment;
  GstEvent *event;

  pacer_push (f, 1000);
  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  while ((event = gst_harness_try_pull_event (f->h)) != NULL)
    gst_event_unref (event);
  gst_harness_push_event (f->h, gst_event_new_eos ());
  gst_harness_push_event (f->h, gst_event_new_stream_start ("2"));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (f->h, gst_event_new_segment (&segment));
  pacer_push (f, 500);
  pacer_advance_to (f, 1 * MS);
  pacer_assert_pull (f, 1000);
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_EOS);
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_STREAM_START);
  pacer_advance_to (f, 2 * MS);
  pacer_assert_pull (f, 500);
  pacer_free (f);
}

static GstPadProbeReturn
enough (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_EOS;
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  return GST_PAD_PROBE_HANDLED;
}

/* A sink that has all it wants: the source is told, and its EOS goes through. */
static void
test_downstream_eos (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  gint64 until = g_get_monotonic_time () + LIMIT;
  GstFlowReturn ret = GST_FLOW_OK;
  GstEvent *event;

  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  for (guint i = 0; i < 5; i++)
    pacer_push (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  gst_pad_add_probe (f->h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, enough, NULL,
      NULL);
  pacer_advance_to (f, 1 * MS);
  while (ret == GST_FLOW_OK && g_get_monotonic_time () < until)
    ret = gst_harness_push (f->h, pacer_make (10, 0));
  g_assert_cmpint (ret, ==, GST_FLOW_EOS);
  pacer_wait_for_stat (f, "bytes-queued", 0);
  while ((event = gst_harness_try_pull_event (f->h)) != NULL)
    gst_event_unref (event);
  gst_harness_push_event (f->h, gst_event_new_eos ());
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_EOS);
  pacer_free (f);
}

static GstPadProbeReturn
refuse (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_NOT_LINKED;
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  return GST_PAD_PROBE_HANDLED;
}

/* What the sink says reaches the source; after EOS, the application. */
static void
test_downstream_error (void)
{
  for (guint i = 0; i < 2; i++) {
    Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
    g_autofree gchar *text = NULL;
    GstFlowReturn ret = GST_FLOW_OK;

    pacer_push (f, 1000);
    pacer_assert_pull (f, 1000);
    pacer_push (f, 1000);
    gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
    gst_pad_add_probe (f->h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, refuse, NULL,
        NULL);
    if (i == 1)
      gst_harness_push_event (f->h, gst_event_new_eos ());
    pacer_advance_to (f, 1 * MS);
    if (i == 1) {
      text = pacer_wait_text (f, GST_MESSAGE_ERROR);
    } else {
      gint64 until = g_get_monotonic_time () + LIMIT;

      while (ret == GST_FLOW_OK && g_get_monotonic_time () < until)
        ret = gst_harness_push (f->h, pacer_make (10, 0));
      g_assert_cmpint (ret, ==, GST_FLOW_NOT_LINKED);
    }
    pacer_free (f);
  }
}

/* The thread of the source pad has given up. */
static void
wait_for_end (Pacer * f, GstPad * pad)
{
  gint64 until = g_get_monotonic_time () + LIMIT;

  while (gst_pad_get_task_state (pad) != GST_TASK_PAUSED) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_thread_yield ();
  }
}

static GstCaps *
pull_caps (Pacer * f)
{
  GstEvent *event = gst_harness_pull_event (f->h);
  GstCaps *caps;

  g_assert_nonnull (event);
  g_assert_cmpint (GST_EVENT_TYPE (event), ==, GST_EVENT_CAPS);
  gst_event_parse_caps (event, &caps);
  gst_caps_ref (caps);
  gst_event_unref (event);
  return caps;
}

/* With nobody behind, upstream hears that, and nothing worse, whatever events it
 * has; who comes later hears the last of them, in order, before data. */
static void
test_unlinked (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (f->h->element, "src");
  g_autoptr (GstCaps) one = gst_caps_from_string ("application/x-one");
  g_autoptr (GstCaps) two = gst_caps_from_string ("application/x-two");
  g_autoptr (GstCaps) heard = NULL;
  GstSegment segment;
  GstEvent *event;

  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  gst_pad_unlink (pad, f->h->sinkpad);
  pacer_push (f, 1000);
  pacer_advance_to (f, 1 * MS);
  wait_for_end (f, pad);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (guint i = 0; i < 3; i++) {
    gst_harness_push_event (f->h, gst_event_new_caps (i < 2 ? one : two));
    segment.start = segment.time = i * GST_SECOND;
    gst_harness_push_event (f->h, gst_event_new_segment (&segment));
    g_assert_cmpint (gst_harness_push (f->h, pacer_make (1000, 0)), ==,
        GST_FLOW_NOT_LINKED);
  }
  while ((event = gst_harness_try_pull_event (f->h)) != NULL)
    gst_event_unref (event);
  g_assert_cmpint (gst_pad_link (pad, f->h->sinkpad), ==, GST_PAD_LINK_OK);
  pacer_push (f, 500);
  pacer_assert_pull (f, 500);
  heard = pull_caps (f);
  g_assert_true (gst_caps_is_equal (heard, two));
  event = gst_harness_pull_event (f->h);
  gst_event_copy_segment (event, &segment);
  gst_event_unref (event);
  g_assert_cmpuint (segment.start, ==, 2 * GST_SECOND);
  g_assert_null (gst_harness_try_pull_event (f->h));
  pacer_free (f);
}

static GstPadProbeReturn
refuse_once (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  /* linked again before we have returned */
  gst_pad_push_event (pad, gst_event_new_reconfigure ());
  refuse (pad, info, NULL);
  return GST_PAD_PROBE_HANDLED;
}

/* What is linked again while the last push comes back from nobody gets what follows. */
static void
test_linked_meanwhile (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  gulong probe;

  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  probe = gst_pad_add_probe (f->h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER,
      refuse_once, NULL, NULL);
  pacer_push (f, 1000);
  pacer_advance_to (f, 1 * MS);
  pacer_wait_for_stat (f, "cycles", 2);
  gst_pad_remove_probe (f->h->sinkpad, probe);
  pacer_push (f, 500);
  pacer_push (f, 500);
  pacer_pull_in_time (f, 2);
  pacer_free (f);
}

/* --- what waits ------------------------------------------------------------------------------- */

static void
test_underrun (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=4000", SIMPLE);

  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_set_time (f->clock, 10 * MS);
  for (guint i = 0; i < 8; i++)
    pacer_push (f, 1000);
  /* nothing of the idle time is made good. As fast as the thread wakes, the
   * first cycle is of one to four datagrams. */
  pacer_pull_in_time (f, 8);
  g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), >=, 14 * MS);
  g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), <=, 18 * MS);
  g_assert_cmpuint (pacer_get_stat (f, "underruns"), ==, 1);
  pacer_free (f);
}

/* A datagram waits max-period for its rest. */
static void
test_partial (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 payload-size=1000 max-period=50000000",
      SIMPLE);

  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_set_time (f->clock, 10 * MS);
  pacer_push (f, 300);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  gst_test_clock_set_time (f->clock, 20 * MS);
  pacer_push (f, 200);
  pacer_advance_to (f, 60 * MS);
  pacer_assert_pull (f, 500);
  pacer_push (f, 400);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  pacer_push (f, 600);
  pacer_advance_to (f, 60 * MS + 500 * GST_USECOND);
  pacer_assert_pull (f, 1000);
  pacer_free (f);
}

static void
test_block (void)
{
  /* 3 ms: three datagrams may wait */
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000 max-delay=3000000",
      SIMPLE);
  GThread *thread;

  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  for (guint i = 0; i < 3; i++)
    pacer_push (f, 1000);
  g_assert_cmpuint (pacer_get_stat (f, "delay"), ==, 3 * MS);
  g_assert_cmpuint (pacer_get_stat (f, "overruns"), ==, 0);
  thread = g_thread_new ("push", push_thread, f);
  pacer_wait_for_stat (f, "overruns", 1);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), ==, 3000);
  pacer_advance_to (f, 1 * MS);
  g_assert_cmpint (GPOINTER_TO_INT (g_thread_join (thread)), ==, GST_FLOW_OK);
  pacer_assert_pull (f, 1000);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), ==, 3000);
  /* more room while it waits */
  thread = g_thread_new ("push", push_thread, f);
  pacer_wait_for_stat (f, "overruns", 2);
  g_object_set (f->h->element, "max-delay", 5 * MS, NULL);
  g_assert_cmpint (GPOINTER_TO_INT (g_thread_join (thread)), ==, GST_FLOW_OK);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 0);
  pacer_free (f);
}

/* Less may wait than a datagram needs: it is filled all the same. */
static void
test_no_room_for_a_datagram (void)
{
  Pacer *f =
      pacer_new ("bitrate=8000000 payload-size=1000 max-burst=1 max-delay=0",
      SIMPLE);

  pacer_push (f, 400);
  pacer_push (f, 400);
  pacer_push (f, 400);
  pacer_assert_pull (f, 1000);
  pacer_push (f, 400);
  pacer_push (f, 400);
  pacer_advance_to (f, 1 * MS);
  pacer_assert_pull (f, 1000);
  pacer_free (f);
}

static void
test_drop_oldest (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000 max-delay=3000000 "
      "overflow=drop-oldest", SIMPLE);
  g_autofree gchar *text = NULL;
  GstBuffer *buffer;

  for (guint i = 0; i < 10; i++) {
    g_assert_cmpint (gst_harness_push (f->h, pacer_make (1000, i)), ==,
        GST_FLOW_OK);
    if (i == 0)
      pacer_assert_pull (f, 1000);
  }
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 6000);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), ==, 3000);
  text = pacer_wait_text (f, GST_MESSAGE_WARNING);
  pacer_assert_text (text, "faster than bitrate. Raise bitrate or max-delay");
  pacer_advance_to (f, 1 * MS);
  buffer = pacer_pull (f);
  g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, 7);
  g_assert_true (GST_BUFFER_IS_DISCONT (buffer));
  gst_buffer_unref (buffer);
  pacer_advance_to (f, 2 * MS);
  buffer = pacer_pull (f);
  g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, 8);
  g_assert_false (GST_BUFFER_IS_DISCONT (buffer));
  gst_buffer_unref (buffer);
  pacer_free (f);
}

#define DATA (GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST)

typedef struct
{
  GMutex lock;
  GCond cond;
  gboolean inside, open;
} PacerGate;

static GstPadProbeReturn
stand_at_gate (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  PacerGate *gate = data;

  g_mutex_lock (&gate->lock);
  gate->inside = TRUE;
  g_cond_signal (&gate->cond);
  while (!gate->open)
    g_cond_wait (&gate->cond, &gate->lock);
  g_mutex_unlock (&gate->lock);
  return GST_PAD_PROBE_OK;
}

/* The next push does not come back. */
static gulong
pacer_gate_close (PacerGate * gate, GstPad * pad, GstPadProbeType what)
{
  g_mutex_init (&gate->lock);
  g_cond_init (&gate->cond);
  return gst_pad_add_probe (pad, what, stand_at_gate, gate, NULL);
}

static void
pacer_gate_wait (PacerGate * gate)
{
  g_mutex_lock (&gate->lock);
  while (!gate->inside)
    g_cond_wait (&gate->cond, &gate->lock);
  g_mutex_unlock (&gate->lock);
}

static gboolean
pacer_gate_is_reached (PacerGate * gate)
{
  gboolean inside;

  g_mutex_lock (&gate->lock);
  inside = gate->inside;
  g_mutex_unlock (&gate->lock);
  return inside;
}

/* Who stands there goes on, and nobody comes to it any more. */
static void
pacer_gate_open (PacerGate * gate, GstPad * pad, gulong probe)
{
  g_mutex_lock (&gate->lock);
  gate->open = TRUE;
  g_cond_signal (&gate->cond);
  g_mutex_unlock (&gate->lock);
  gst_pad_remove_probe (pad, probe);
}

static void
pacer_gate_clear (PacerGate * gate)
{
  g_cond_clear (&gate->cond);
  g_mutex_clear (&gate->lock);
}

/* What is behind takes nothing, of a stream of half the rate. */
static void
test_drop_from_behind (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000 overflow=drop-oldest",
      SIMPLE);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (f->h->element, "src");
  g_autofree gchar *text = NULL;
  PacerGate gate = { 0 };
  gulong probe = pacer_gate_close (&gate, pad, DATA);

  pacer_push (f, 1000);
  pacer_gate_wait (&gate);
  for (guint i = 1; pacer_get_stat (f, "bytes-dropped") == 0; i++) {
    gst_test_clock_set_time (f->clock, 2 * i * MS);
    pacer_push (f, 1000);
  }
  text = pacer_wait_text (f, GST_MESSAGE_WARNING);
  pacer_assert_text (text, "faster than the elements behind");
  pacer_gate_open (&gate, pad, probe);
  pacer_free (f);
  pacer_gate_clear (&gate);
}

/* Nothing that was measured on a clock counts on another one: neither what the warning goes by, nor
 * the time between two cycles. */
static void
test_clock_changes_behind (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000 overflow=drop-oldest",
      SIMPLE);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (f->h->element, "src");
  GstClock *other = gst_test_clock_new_with_start_time (3600 * GST_SECOND);
  g_autofree gchar *text = NULL;
  PacerGate gate = { 0 };
  gulong probe = pacer_gate_close (&gate, pad, DATA);

  pacer_push (f, 1000);
  pacer_gate_wait (&gate);
  for (guint i = 1; i < 950; i++) {
    gst_test_clock_set_time (f->clock, 2 * i * MS);
    pacer_push (f, 1000);
  }
  gst_element_set_clock (f->h->element, other);
  gst_object_unref (f->clock);
  f->clock = GST_TEST_CLOCK (other);
  for (guint i = 1; pacer_get_stat (f, "bytes-dropped") == 0; i++) {
    gst_test_clock_set_time (f->clock, 3600 * GST_SECOND + 2 * i * MS);
    pacer_push (f, 1000);
  }
  text = pacer_wait_text (f, GST_MESSAGE_WARNING);
  pacer_assert_text (text, "faster than the elements behind");
  pacer_gate_open (&gate, pad, probe);
  pacer_pull_in_time (f, 10);
  g_assert_cmpuint (pacer_get_stat (f, "gap-error-max-ns"), <, GST_SECOND);
  pacer_free (f);
  pacer_gate_clear (&gate);
}

/* Of the first buffer alone. */
static GstPadProbeReturn
enough_at_first (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  gboolean *first = data;

  if (!*first)
    return GST_PAD_PROBE_OK;
  *first = FALSE;
  return enough (pad, info, NULL);
}

/* The sink has all it wants of a segment, when another one waits already whose first data was
 * dropped: that other one passes. */
static void
test_drop_behind_segment (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000 max-delay=3000000 "
      "overflow=drop-oldest", SIMPLE);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (f->h->element, "src");
  PacerGate gate = { 0 };
  gulong probe = pacer_gate_close (&gate, pad, DATA);
  gboolean first = TRUE;
  GstSegment segment;

  pacer_push (f, 1000);
  pacer_gate_wait (&gate);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (f->h, gst_event_new_segment (&segment));
  for (guint i = 0; i < 10; i++)
    pacer_push (f, 1000);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), >, 0);
  while (gst_harness_events_in_queue (f->h) > 0)
    gst_event_unref (gst_harness_pull_event (f->h));
  gst_pad_add_probe (f->h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, enough_at_first,
      &first, NULL);
  pacer_gate_open (&gate, pad, probe);
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_SEGMENT);
  pacer_push (f, 1000);
  pacer_pull_in_time (f, 1);
  pacer_free (f);
  pacer_gate_clear (&gate);
}

/* --- transport streams ---------------------------------------------------------------------------- */

static guint
pacer_count_nulls (GstBuffer * buffer)
{
  GstMapInfo map;
  guint n = 0;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  for (gsize i = 0; i < map.size; i += 188) {
    g_assert_cmpuint (map.data[i], ==, 0x47);
    n += map.data[i + 1] == 0x1f && map.data[i + 2] == 0xff;
  }
  gst_buffer_unmap (buffer, &map);
  return n;
}

/* The first at once. */
static void
assert_one_a_ms (Pacer * f, gsize size, guint n)
{
  pacer_assert_pull (f, size);
  for (guint i = 1; i < n; i++) {
    pacer_advance_to (f, i * MS);
    pacer_assert_pull (f, size);
  }
}

/* Seven packets a datagram, whatever comes; without caps, too. */
static void
test_ts_datagrams (void)
{
  for (guint i = 0; i < 2; i++) {
    Pacer *f =
        pacer_new ("bitrate=10528000 max-burst=1316", i == 0 ? TS : NULL);

    for (guint j = 0; j < 7; j++)
      gst_harness_push (f->h, pacer_make_ts (i == 0 ? 1 : 3));
    for (guint j = 0; i == 0 && j < 14; j++)
      gst_harness_push (f->h, pacer_make_ts (1));
    assert_one_a_ms (f, 1316, 3);
    pacer_free (f);
  }
}

/* A source of one packet at a time, without caps: what they begin with tells,
 * and a first one that was none by accident is no harm. */
static void
test_ts_packets (void)
{
  Pacer *f = pacer_new ("bitrate=10528000 max-burst=1316", NULL);

  for (guint i = 0; i < 21; i++)
    gst_harness_push (f->h, pacer_make_ts (1));
  assert_one_a_ms (f, 1316, 3);
  pacer_free (f);

  f = pacer_new ("bitrate=1504000 max-burst=188", NULL);
  gst_harness_push (f->h, pacer_make_ts (1));
  for (guint i = 0; i < 3; i++)
    pacer_push (f, 188);
  assert_one_a_ms (f, 188, 4);
  pacer_free (f);
}

static void
pacer_push_caps (Pacer * f, const gchar * text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  gst_harness_push_event (f->h, gst_event_new_caps (caps));
}

/* What waits is cut by the caps that it came with, not by those behind it. */
static void
test_other_caps (void)
{
  Pacer *f = pacer_new ("bitrate=4000000 max-burst=500", SIMPLE);

  pacer_push_list (f, 3, 500);
  pacer_push_caps (f, TS);
  for (guint i = 0; i < 14; i++)
    gst_harness_push (f->h, pacer_make_ts (1));
  pacer_push_caps (f, SIMPLE);
  pacer_push_list (f, 2, 500);
  pacer_assert_pull (f, 500);
  for (guint i = 1; i < 3; i++) {
    pacer_advance_to (f, i * MS);
    pacer_assert_pull (f, 500);
  }
  for (guint i = 0; i < 2; i++) {
    pacer_advance_to (f, 3 * MS + i * 2632 * GST_USECOND);
    pacer_assert_pull (f, 1316);
  }
  pacer_advance_to (f, 3 * MS + 2 * 2632 * GST_USECOND);
  pacer_assert_pull (f, 500);
  pacer_free (f);
}

/* Caps that a flush lets nobody have count all the same. */
static void
test_flushed_caps (void)
{
  Pacer *f = pacer_new ("bitrate=4000000 max-burst=500", SIMPLE);
  GstSegment segment;

  pacer_push_list (f, 3, 500);
  pacer_assert_pull (f, 500);
  pacer_push_caps (f, TS);
  gst_harness_push_event (f->h, gst_event_new_flush_start ());
  gst_harness_push_event (f->h, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  gst_harness_push_event (f->h, gst_event_new_segment (&segment));
  for (guint i = 0; i < 7; i++)
    gst_harness_push (f->h, pacer_make_ts (1));
  pacer_assert_pull (f, 1316);
  pacer_free (f);
}

/* Bytes @from ... @to - 1 of packets of @size bytes. */
static GstBuffer *
pacer_make_part (guint size, guint from, guint to)
{
  GstBuffer *buffer = pacer_make (to - from, GST_CLOCK_TIME_NONE);

  for (guint at = size == 192 ? 4 : 0; at < to; at += size)
    if (at >= from)
      gst_buffer_memset (buffer, at - from, 0x47, 1);
  return buffer;
}

static const guint packets[] = { 188, 192, 204, 208 };

/* Half a packet never leaves before its rest, however long it waits; with caps or without, and when
 * payload-size is no multiple of a packet. */
static void
test_ts_wait (void)
{
  for (guint i = 0; i < 4 * G_N_ELEMENTS (packets); i++) {
    guint size = packets[i / 4], half = size / 2;
    g_autofree gchar *caps = g_strdup_printf ("video/mpegts,"
        "systemstream=true,packetsize=%u", size);
    Pacer *f = pacer_new (i % 2 == 0 ? "bitrate=80000000 max-burst=1" :
        "bitrate=80000000 max-burst=1 payload-size=1499", i % 4 < 2 ? caps :
        NULL);

    gst_harness_push (f->h, pacer_make_part (size, 0, 10 * size + half));
    pull_size (f, 7 * size);
    pull_size (f, 3 * size);
    g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), ==, 250 * MS);
    /* a day later */
    gst_test_clock_set_time (f->clock, 86400 * GST_SECOND);
    gst_harness_push (f->h, pacer_make_part (size, 10 * size + half,
            17 * size));
    pull_size (f, 7 * size);
    pacer_free (f);
  }
}

/* However small the pieces are in which it comes, also the first one, and of any size. */
static void
test_ts_pieces (void)
{
  static const guint pieces[] = { 1, 3, 50, 100, 187, 189, 1000, 4096 };

  for (guint i = 0; i < G_N_ELEMENTS (packets) * G_N_ELEMENTS (pieces); i++) {
    guint size = packets[i / G_N_ELEMENTS (pieces)];
    guint piece = pieces[i % G_N_ELEMENTS (pieces)], end = 70 * size;
    Pacer *f = pacer_new ("bitrate=8000000 max-burst=1", NULL);
    GstBufferList *list = gst_buffer_list_new ();

    for (guint at = 0; at < end; at += piece)
      gst_buffer_list_add (list, pacer_make_part (size, at, MIN (at + piece,
                  end)));
    g_assert_cmpint (gst_pad_push_list (f->h->srcpad, list), ==, GST_FLOW_OK);
    for (guint n = 0; n < 10; n++)
      pull_size (f, 7 * size);
    pacer_free (f);
  }
}

/* What ends the stream ends the wait; what does not goes before the half packet. */
static void
test_ts_breaks (void)
{
  Pacer *f = pacer_new ("bitrate=80000000 max-burst=1", TS);
  GstQuery *query = gst_query_new_drain ();
  GstBuffer *buffer;

  gst_harness_push (f->h, pacer_make_part (188, 0, 7 * 188 + 100));
  pacer_assert_pull (f, 1316);
  while (gst_harness_events_in_queue (f->h) > 0)
    gst_event_unref (gst_harness_pull_event (f->h));
  gst_pad_peer_query (f->h->srcpad, query);
  gst_query_unref (query);
  gst_harness_push_event (f->h, gst_event_new_gap (0, 1));
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_GAP);
  buffer = pacer_make_part (188, 0, 5 * 188 + 100);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gst_harness_push (f->h, buffer);
  pull_size (f, 100);
  gst_harness_push_event (f->h, gst_event_new_eos ());
  pull_size (f, 5 * 188);
  pull_size (f, 100);
  g_assert_cmpint (pacer_pull_event_type (f), ==, GST_EVENT_EOS);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 0);
  pacer_free (f);
}

/* The clock goes on as the thread waits for it. */
static void
pull_event_when_due (Pacer * f, GstEventType type)
{
  gint64 until = g_get_monotonic_time () + LIMIT;
  GstEventType last = GST_EVENT_UNKNOWN;

  while (last != type) {
    GstEvent *event = gst_harness_try_pull_event (f->h);

    g_assert_cmpint (g_get_monotonic_time (), <, until);
    if (event != NULL) {
      last = GST_EVENT_TYPE (event);
      gst_event_unref (event);
    } else if (gst_test_clock_peek_id_count (f->clock) > 0) {
      gst_test_clock_crank (f->clock);
    }
  }
}

/* With null packets, what is no packet is dropped, and counted. */
static void
test_null_ts_breaks (void)
{
  Pacer *f = pacer_new ("bitrate=10528000 max-burst=1316 stuffing=null-ts", TS);
  GstBuffer *buffer;

  gst_harness_push (f->h, pacer_make_part (188, 0, 9 * 188 + 100));
  pacer_assert_pull (f, 1316);
  gst_harness_push_event (f->h, gst_event_new_gap (0, 1));
  gst_harness_push_event (f->h, gst_event_new_eos ());
  pacer_advance_to (f, 1 * MS);
  buffer = pacer_pull (f);
  g_assert_cmpuint (pacer_count_nulls (buffer), ==, 5);
  gst_buffer_unref (buffer);
  pull_event_when_due (f, GST_EVENT_EOS);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 100);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-stuffed"), ==, 5 * 188);
  pacer_free (f);
}

static void
test_null_ts (void)
{
  /* 1316 bytes in 1 ms, two datagrams a cycle */
  Pacer *f = pacer_new ("bitrate=10528000 max-burst=2632 stuffing=null-ts", TS);
  static const struct
  {
    guint packets, nulls[2];
  } steps[] = {
    {14, {0, 0}}, {7, {0, 7}}, {0, {7, 7}}, {3, {4, 7}}, {20, {0, 0}},
    {0, {1, 7}},
  };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    if (steps[i].packets > 0)
      gst_harness_push (f->h, pacer_make_ts (steps[i].packets));
    if (i > 0)
      pacer_advance_to (f, 2 * i * MS);
    for (guint j = 0; j < 2; j++) {
      GstBuffer *buffer = pacer_pull (f);

      g_assert_cmpuint (gst_buffer_get_size (buffer), ==, 1316);
      g_assert_cmpuint (pacer_count_nulls (buffer), ==, steps[i].nulls[j]);
      g_assert_cmpint (!!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP),
          ==, steps[i].nulls[j] == 7);
      gst_buffer_unref (buffer);
    }
    if (i == 4) {
      /* 6 packets wait; after them nothing comes */
      GstStructure *stats;
      gdouble achieved;

      g_object_get (f->h->element, "stats", &stats, NULL);
      g_assert_true (gst_structure_get_double (stats, "bitrate-achieved",
              &achieved));
      g_assert_cmpfloat (achieved, ==, 10528000);
      gst_structure_free (stats);
    }
  }
  pacer_wait_for_stat (f, "bytes-stuffed", 40 * 188);
  g_assert_cmpuint (pacer_get_stat (f, "underruns"), ==, 0);
  /* the end is not stuffed any further */
  gst_harness_push_event (f->h, gst_event_new_eos ());
  pacer_wait_for_stat (f, "cycles", 6);
  g_assert_cmpuint (gst_harness_buffers_in_queue (f->h), ==, 0);
  pacer_free (f);
}

/* Part of a packet waits for its rest: nulls go before it, never into it. */
static void
test_null_ts_split_packets (void)
{
  Pacer *f = pacer_new ("bitrate=10528000 max-burst=1316 stuffing=null-ts", TS);
  GstBuffer *whole = pacer_make_ts (8), *buffer;

  gst_harness_push (f->h, gst_buffer_copy_region (whole, GST_BUFFER_COPY_ALL, 0,
          7 * 188 + 100));
  pacer_assert_pull (f, 1316);
  pacer_advance_to (f, 1 * MS);
  buffer = pacer_pull (f);
  g_assert_cmpuint (pacer_count_nulls (buffer), ==, 7);
  gst_buffer_unref (buffer);
  gst_harness_push (f->h, gst_buffer_copy_region (whole, GST_BUFFER_COPY_ALL,
          7 * 188 + 100, 88));
  pacer_advance_to (f, 2 * MS);
  buffer = pacer_pull (f);
  g_assert_cmpuint (pacer_count_nulls (buffer), ==, 6);
  gst_buffer_unref (buffer);
  gst_buffer_unref (whole);
  pacer_free (f);
}

static void
test_null_ts_of_nothing_else (void)
{
  Pacer *f = pacer_new ("bitrate=10528000 stuffing=null-ts", SIMPLE);
  g_autofree gchar *text = NULL;

  pacer_push (f, 70000);
  text = pacer_wait_text (f, GST_MESSAGE_ERROR);
  pacer_assert_text (text, "tsparse");
  pacer_free (f);
}

/* Packets that null packets do not fit in between: it is not payload-size that
 * helps. */
static void
test_null_ts_of_larger_packets (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 stuffing=null-ts",
      "video/mpegts,systemstream=true,packetsize=192");
  g_autofree gchar *text = NULL;

  pacer_push (f, 7 * 192);
  text = pacer_wait_text (f, GST_MESSAGE_ERROR);
  pacer_assert_text (text, "these have 192");
  pacer_free (f);
}

static void
test_bad_payload (void)
{
  GstElement *element = gst_element_factory_make ("cbrpacer", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstMessage) message = NULL;

  gst_object_ref_sink (element);
  gst_element_set_bus (element, bus);
  g_object_set (element, "payload-size", 1400, NULL);
  gst_util_set_object_arg (G_OBJECT (element), "stuffing", "null-ts");
  g_assert_cmpint (gst_element_set_state (element, GST_STATE_PAUSED), ==,
      GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
}

/* After a loss it goes on at the next packet. */
static void
test_null_ts_resync (void)
{
  Pacer *f = pacer_new ("bitrate=10528000 max-burst=1316 stuffing=null-ts", TS);
  GstBuffer *whole = pacer_make_ts (9), *buffer;

  gst_harness_push (f->h, pacer_make_ts (7));
  pacer_assert_pull (f, 1316);
  buffer = gst_buffer_copy_region (whole, GST_BUFFER_COPY_ALL, 88,
      8 * 188 - 88);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gst_harness_push (f->h, buffer);
  pacer_advance_to (f, 1 * MS);
  buffer = pacer_pull (f);
  g_assert_cmpuint (pacer_count_nulls (buffer), ==, 0);
  /* what told of the loss was in front of it */
  g_assert_true (GST_BUFFER_IS_DISCONT (buffer));
  gst_buffer_unref (buffer);
  pacer_wait_for_stat (f, "bytes-dropped", 100);
  gst_buffer_unref (whole);
  pacer_free (f);
}

/* However small the buffers are in which it came, what is no packet is gone at once. */
static void
test_null_ts_resync_tiny (gconstpointer flags)
{
  Pacer *f = pacer_new ("bitrate=10528000 max-burst=1316 stuffing=null-ts "
      "max-delay=1000000000", TS);
  GstBufferList *list = gst_buffer_list_new ();
  gint64 before;
  GstBuffer *buffer;

  gst_harness_push (f->h, pacer_make_ts (7));
  pacer_assert_pull (f, 1316);
  for (guint i = 0; i < 60000; i++) {
    buffer = pacer_make (1, GST_CLOCK_TIME_NONE);
    GST_BUFFER_FLAG_SET (buffer, GPOINTER_TO_UINT (flags));
    gst_buffer_list_add (list, buffer);
  }
  gst_buffer_list_add (list, pacer_make_ts (7));
  g_assert_cmpint (gst_pad_push_list (f->h->srcpad, list), ==, GST_FLOW_OK);
  before = g_get_monotonic_time ();
  pacer_advance_to (f, 1 * MS);
  buffer = pacer_pull (f);
  g_assert_cmpint (g_get_monotonic_time () - before, <, 4 * G_TIME_SPAN_SECOND);
  g_assert_cmpuint (pacer_count_nulls (buffer), ==, 0);
  g_assert_true (GST_BUFFER_IS_DISCONT (buffer));
  gst_buffer_unref (buffer);
  pacer_wait_for_stat (f, "bytes-dropped", 60000);
  pacer_free (f);
}

/* Found out while playing, too. */
static void
test_bad_payload_later (void)
{
  Pacer *f = pacer_new ("bitrate=10528000 max-burst=1 stuffing=null-ts", TS);
  g_autofree gchar *text = NULL;

  gst_harness_push (f->h, pacer_make_ts (7));
  pacer_assert_pull (f, 1316);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  g_object_set (f->h->element, "payload-size", 1000, NULL);
  pacer_advance_to (f, 1 * MS);
  text = pacer_wait_text (f, GST_MESSAGE_ERROR);
  pacer_assert_text (text, "188");
  pacer_free (f);
}

/* --- learning ---------------------------------------------------------------------------------------- */

/* As a file: it waits. */
static gboolean
pacer_answer_not_live (GstPad * pad, GstObject * parent, GstQuery * query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

/* A file: buffer i is of size (i) bytes and of time i ms; taken as fast as they
 * are taken. */
typedef struct
{
  Pacer *f;
  guint from, n;
    gsize (*size) (guint i);
  guint together;               /* so many in one list first: what is known when one leaves
                                   is not up to the threads */
  gint taken;                   /* so many are; atomic */
  GstClockID end;
  guint packet;                 /* bytes of a transport stream's packet */
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
    g_assert_cmpint (gst_pad_push_list (file->f->h->srcpad, list), ==,
        GST_FLOW_OK);
    g_atomic_int_set (&file->taken, next);
  }
  for (guint i = next; i < file->n; i++) {
    g_assert_cmpint (gst_harness_push (file->f->h, pacer_make (file->size (i),
                i * MS)), ==, GST_FLOW_OK);
    g_atomic_int_set (&file->taken, i + 1);
  }
  /* sleeps on, so that always two do */
  gst_clock_id_wait (file->end, NULL);
  return NULL;
}

/* Both threads sleep: until a time, or, if nothing is here, for more.  What is here and not
 * counted yet the file's thread is still awake for. */
static gboolean
is_asleep (File * file, guint left)
{
  guint n = gst_test_clock_peek_id_count (file->f->clock);

  return n == 2 || (n == 1 && g_atomic_int_get (&file->taken) == (gint) left
      && pacer_get_stat (file->f, "bytes-queued") == 0);
}

static GThread *
begin_file (File * file, GThreadFunc read)
{
  file->end = gst_clock_new_single_shot_id (GST_CLOCK (file->f->clock),
      GST_CLOCK_TIME_NONE - 1);
  return g_thread_new ("file", read, file);
}

static void
end_file (File * file, GThread * thread)
{
  gst_clock_id_unschedule (file->end);
  g_thread_join (thread);
  gst_clock_id_unref (file->end);
}

/* The next buffer that leaves, after @left; the clock is moved on whenever both threads wait for it. */
static GstBuffer *
pull_from_file (File * file, guint left)
{
  gint64 until = g_get_monotonic_time () + LIMIT;
  GstBuffer *buffer;

  while ((buffer = pacer_try_pull (file->f)) == NULL) {
    while (!is_asleep (file, left)
        && gst_harness_buffers_in_queue (file->f->h) == 0) {
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
play_file (File * file, GstClockTime * left)
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
  Pacer *f = pacer_new ("max-burst=1 window=100000000 max-delay=100000000",
      SIMPLE);
  gboolean behind = GPOINTER_TO_INT (data);
  File file = { f, 0, 1000, constant, RATE_KNOWN };
  GstClockTime left[1000];

  if (behind) {
    GstSegment segment;

    gst_harness_push (f->h, pacer_make (1000, 0));
    pacer_assert_pull (f, 1000);
    gst_harness_push_event (f->h, gst_event_new_stream_start ("2"));
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_harness_push_event (f->h, gst_event_new_segment (&segment));
    file.from = 1;
  }
  gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
  play_file (&file, left);
  for (guint i = file.from + 1; i < 1000; i++)
    g_assert_cmpuint (left[i] - left[i - 1], ==, 1 * MS);
  g_assert_cmpuint (pacer_get_stat (f, "bitrate"), ==, 8000000);
  pacer_free (f);
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
  Pacer *f = pacer_new ("max-burst=1 window=100000000 max-delay=100000000",
      SIMPLE);
  GstClockTime *left = g_new (GstClockTime, 4000);
  File file = { f, 0, 4000, data };
  gint64 first = 0, last = 0;

  gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
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
  pacer_free (f);
}

/* A rate is set for a while: what comes at it is not what its time brings
 * afterwards. */
static void
test_learn_again (void)
{
  Pacer *f = pacer_new ("max-burst=1 window=100000000 max-delay=100000000",
      SIMPLE);
  GstClockTime left[3000];

  gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
  for (guint part = 0; part < 3; part++) {
    File file = { f, part * 1000, part * 1000 + 1000, constant,
      part == 0 ? RATE_KNOWN : 0
    };

    g_object_set (f->h->element, "bitrate",
        part == 1 ? G_GUINT64_CONSTANT (80000000) : G_GUINT64_CONSTANT (0),
        NULL);
    play_file (&file, left);
  }
  /* 1 s, a tenth of that, 1 s */
  g_assert_cmpuint (left[999], ==, 999 * MS);
  g_assert_cmpuint (left[1999], ==, 1099 * MS);
  g_assert_cmpuint (left[2999], ==, 2099 * MS);
  pacer_free (f);
}

/* Seven packets of 2 ms, of which the first has a PCR. */
static GstBuffer *
pacer_make_ts_at (guint i)
{
  guint64 base = i * 2 * 90;
  guint8 pcr[12] = { 0x47, 0x01, 0x00, 0x30, 7, 0x10, base >> 25, base >> 17,
    base >> 9, base >> 1, (base & 1) << 7 | 0x7e, 0
  };
  GstBuffer *buffer = pacer_make_ts (7);

  gst_buffer_fill (buffer, 0, pcr, sizeof pcr);
  return buffer;
}

static gpointer
read_ts (gpointer data)
{
  File *file = data;

  for (guint i = 0; i < file->n; i++)
    g_assert_cmpint (gst_harness_push (file->f->h, pacer_make_ts_at (i)), ==,
        GST_FLOW_OK);
  gst_clock_id_wait (file->end, NULL);
  return NULL;
}

/* A file of half the rate is played at its time, with as many null packets, also
 * after the rate was changed. */
static void
test_null_ts_of_a_file (void)
{
  Pacer *f = pacer_new ("bitrate=10528000 max-burst=1316 stuffing=null-ts "
      "window=100000000 max-delay=100000000", NULL);
  File file = { f, 0, 500 };
  GstClockTime left[500];
  GThread *thread;

  gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
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
      g_object_set (f->h->element, "bitrate", G_GUINT64_CONSTANT (21056000),
          NULL);
  }
  end_file (&file, thread);
  /* the window that is learned from leaves at the rate; a null packet may be
   * under way when one comes */
  for (guint i = 60; i < file.n; i++)
    g_assert_cmpint (ABS ((gint64) (left[i] - 2 * i * MS)), <=, 3 * MS);
  pacer_free (f);
}

static gpointer
push_ts (gpointer data)
{
  Pacer *f = data;

  for (guint i = 0; i < 200; i++)
    g_assert_cmpint (gst_harness_push (f->h, pacer_make_ts_at (i)), ==,
        GST_FLOW_OK);
  return NULL;
}

/* Without any delay it is a datagram at a time. */
static void
test_null_ts_of_a_file_without_delay (void)
{
  Pacer *f = pacer_new ("bitrate=10528000 max-burst=1316 stuffing=null-ts "
      "window=100000000 max-delay=0", NULL);
  GThread *thread;

  gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
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
  pacer_free (f);
}

/* Every wake-up is later than max-delay: the file is played at its time all the same. */
static void
test_null_ts_of_a_file_late (void)
{
  Pacer *f = pacer_new ("bitrate=10528000 max-burst=1316 stuffing=null-ts "
      "window=100000000 max-delay=100000", NULL);
  File file = { f, 0, 500 };
  GstClockTime left[500];
  GThread *thread;

  gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
  thread = begin_file (&file, read_ts);
  for (guint i = 0; i < file.n;) {
    gint64 until = g_get_monotonic_time () + LIMIT;
    GstBuffer *buffer = pacer_try_pull (f);

    if (buffer == NULL) {
      GstClockID id;

      /* until both threads sleep until a time, or one waits for room */
      while (gst_test_clock_peek_id_count (f->clock) <
          (pacer_get_stat (f, "bytes-queued") > 0 ? 1 : 2)) {
        g_assert_cmpint (g_get_monotonic_time (), <, until);
        g_thread_yield ();
      }
      if (gst_harness_buffers_in_queue (f->h) > 0)
        continue;
      if (!gst_test_clock_peek_next_pending_id (f->clock, &id))
        continue;
      gst_test_clock_set_time (f->clock, MAX (gst_clock_id_get_time (id) +
              300000, gst_clock_get_time (GST_CLOCK (f->clock))));
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
    g_assert_cmpint (ABS ((gint64) (left[i] - left[99]) -
            (gint64) (2 * (i - 99) * MS)), <=, 3 * MS);
  pacer_free (f);
}

/* After a seek, or as another stream, whose first buffer need not say DISCONT. */
static void
test_learn_from_earlier_times (void)
{
  for (guint i = 0; i < 2; i++) {
    Pacer *f = pacer_new ("max-burst=1 window=100000000 max-delay=100000000",
        SIMPLE);
    File file = { f, 0, 1000, constant, RATE_KNOWN };
    GstClockTime left[1000], before;
    GstSegment segment;

    gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
    play_file (&file, left);
    if (i == 0) {
      gst_harness_push_event (f->h, gst_event_new_flush_start ());
      gst_harness_push_event (f->h, gst_event_new_flush_stop (TRUE));
    } else {
      gst_harness_push_event (f->h, gst_event_new_eos ());
      gst_harness_push_event (f->h, gst_event_new_stream_start ("2"));
      pacer_push_caps (f, SIMPLE);
    }
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_harness_push_event (f->h, gst_event_new_segment (&segment));
    before = gst_clock_get_time (GST_CLOCK (f->clock));
    file.together = 0;
    file.taken = 0;
    play_file (&file, left);
    g_assert_cmpuint (left[999] - before, >, 900 * MS);
    g_assert_cmpuint (left[999] - before, <, 1100 * MS);
    pacer_free (f);
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
  Pacer *f = pacer_new ("max-burst=1316 window=100000000 max-delay=100000000",
      NULL);
  File file = { f, 0, 2000 };
  GThread *thread;

  gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
  thread = begin_file (&file, read_joined);
  for (guint i = 0; i < file.n; i++)
    gst_buffer_unref (pull_from_file (&file, i));
  g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), >, 3800 * MS);
  g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), <, 4100 * MS);
  end_file (&file, thread);
  pacer_free (f);
}

/* A transport stream in a file: its bytes, and as filesrc reads them. */
typedef struct
{
  File file;
  GByteArray *bytes;
} TsFile;

#define BLOCK 4096

/* @n packets, in the first of which is a PCR of @time, ns; perhaps announced as a discontinuity. */
static void
append_pcr (TsFile * ts, guint n, GstClockTime time, gboolean discont)
{
  guint64 ticks = time / 1000 * 27 % ((G_GUINT64_CONSTANT (1) << 33) * 300);
  guint64 base = ticks / 300, extension = ticks % 300;
  guint8 pcr[12] = { 0x47, 0x01, 0x00, 0x30, 7, discont ? 0x90 : 0x10,
    base >> 25, base >> 17, base >> 9, base >> 1,
    (base & 1) << 7 | 0x7e | extension >> 8, extension
  };

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

    g_assert_cmpint (gst_harness_push (file->f->h, gst_buffer_new_memdup
            (ts->bytes->data + at, n)), ==, GST_FLOW_OK);
    g_atomic_int_set (&file->taken, i + 1);
  }
  gst_harness_push_event (file->f->h, gst_event_new_eos ());
  gst_clock_id_wait (file->end, NULL);
  return NULL;
}

/* Until all has left; ns. */
static GstClockTime
play_blocks (TsFile * ts)
{
  Pacer *f = pacer_new ("", NULL);
  File *file = &ts->file;
  gint64 until = g_get_monotonic_time () + LIMIT;
  GThread *thread;
  GstClockTime took;
  guint64 left = 0;

  *file = (File) {
  .f = f,.n = (ts->bytes->len + BLOCK - 1) / BLOCK};
  gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
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
  pacer_free (f);
  return took;
}

static void
assert_played (TsFile * ts, const gchar * what, gint number, gint ms)
{
  gint took = (gint) (play_blocks (ts) / MS);

  g_test_message ("%s %d: %d ms of %d", what, number, took, ms);
  /* half of max-delay */
  g_assert_cmpint (ABS (took - ms), <=, 500);
  g_byte_array_unref (ts->bytes);
}

/* 6 s, in whose middle the PCR makes a step of so many seconds. */
static void
test_pcr_steps (void)
{
  static const struct
  {
    const gchar *what;
    gint steps[8], first, more;
    gboolean discont;
  } cases[] = {
    /* a pause is played, and another clock begins at once */
    {"for good", {1, 3, 5, 6, 9}, 6000, 1000, FALSE},
    {"for good", {12, 20, 1000, -1, -3, -20, -1000}, 6000, 0, FALSE},
    {"announced", {1, 3, 9, 20, -1, -20}, 6000, 0, TRUE},
    /* one that is wrong is nothing */
    {"once", {1, 3, 5, 6, 9, 12, 20, 1000}, 6000, 0, FALSE},
    {"once", {-1, -3, -5, -9, -12, -20, -1000}, 6000, 0, FALSE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint j = 0; j < 8 && cases[i].steps[j] != 0; j++) {
      TsFile ts = {.bytes = g_byte_array_new () };
      gint step = cases[i].steps[j];

      for (guint k = 0; k < 200; k++) {
        gboolean is = *cases[i].what == 'o' ? k == 100 : k >= 100;

        append_pcr (&ts, 20, 3600 * GST_SECOND + k * 30 * MS + is * step *
            (gint64) GST_SECOND, cases[i].discont && k == 100);
      }
      assert_played (&ts, cases[i].what, step, cases[i].first +
          cases[i].more * step);
    }
}

/* Every tenth PCR is wrong, by up to ten seconds. */
static void
test_pcr_wrong (void)
{
  for (guint seed = 0; seed < 5; seed++) {
    TsFile ts = {.bytes = g_byte_array_new () };
    GRand *rand = g_rand_new_with_seed (seed);

    for (guint k = 0; k < 200; k++)
      append_pcr (&ts, 20, 3600 * GST_SECOND + k * 30 * MS + (k % 10 == 9 ?
              g_rand_int_range (rand, -10000, 10000) * (gint64) MS : 0), FALSE);
    assert_played (&ts, "seed", seed, 6000);
    g_rand_free (rand);
  }
}

/* 12 s of 5 Mbit/s, with pauses in which nothing comes, or hardly anything: they are played, and no
 * more. */
static void
test_pcr_pauses (void)
{
  static const guint between[] = { 0, 100, 1000 };      /* ms from PCR to PCR */

  for (guint i = 0; i < G_N_ELEMENTS (between); i++)
    for (guint pause = 2000; pause <= 6000; pause += 1000) {
      TsFile ts = {.bytes = g_byte_array_new () };
      guint ms = 0;

      for (guint k = 0; k < 400; k++, ms += 30) {
        append_pcr (&ts, 100, ms * MS, FALSE);
        if (k % 200 != 100)
          continue;
        for (guint end = ms + pause; between[i] > 0 && ms < end;
            ms += between[i])
          append_pcr (&ts, 1, (ms + 30) * MS, FALSE);
        ms += between[i] == 0 ? pause : 0;
      }
      assert_played (&ts, "pause", pause, ms);
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
      gst_buffer_fill (buffer, j * file->packet + (m2ts ? 4 : 0),
          map.data + j * 188, 188);
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
    g_autofree gchar *caps = g_strdup_printf ("video/mpegts,"
        "systemstream=true,packetsize=%u", size);
    Pacer *f = pacer_new ("max-burst=1 window=100000000 max-delay=100000000",
        i % 2 == 0 ? caps : NULL);
    File file = {.f = f,.n = 1000,.packet = size };
    GThread *thread;

    gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
    thread = begin_file (&file, read_packets);
    for (guint j = 0; j < file.n; j++) {
      GstBuffer *buffer = pull_from_file (&file, j);

      g_assert_cmpuint (gst_buffer_get_size (buffer), ==, 7 * size);
      gst_buffer_unref (buffer);
    }
    g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), >, 1850 * MS);
    g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), <, 2100 * MS);
    end_file (&file, thread);
    pacer_free (f);
  }
}

static void
test_cannot_learn (void)
{
  Pacer *f = pacer_new ("", SIMPLE);
  GstBuffer *buffer = pacer_make (64 << 20, GST_CLOCK_TIME_NONE);
  g_autofree gchar *text = NULL;
  GstFlowReturn ret = GST_FLOW_OK;

  gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
  for (guint i = 0; i < 5 && ret == GST_FLOW_OK; i++)
    ret = gst_harness_push (f->h, gst_buffer_ref (buffer));
  g_assert_cmpint (ret, ==, GST_FLOW_ERROR);
  text = pacer_wait_text (f, GST_MESSAGE_ERROR);
  pacer_assert_text (text, "Set bitrate");
  gst_buffer_unref (buffer);
  pacer_free (f);
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
    {"", FALSE, FALSE, TRUE},
    {"", FALSE, TRUE, TRUE},    /* but no PCR */
    {"", TRUE, FALSE, FALSE},
    {"bitrate=8000000", FALSE, FALSE, FALSE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Pacer *f = pacer_new (cases[i].properties, SIMPLE);

    if (!cases[i].live)
      gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
    for (guint j = 0; j < 5; j++)
      gst_harness_push (f->h,
          cases[i].ts ? pacer_make_ts (7) : pacer_make (1000,
              GST_CLOCK_TIME_NONE));
    gst_harness_push_event (f->h, gst_event_new_eos ());
    if (cases[i].told) {
      g_autofree gchar *text = pacer_wait_text (f, GST_MESSAGE_WARNING);

      pacer_assert_text (text, "Set bitrate");
    }
    g_assert_null (gst_bus_pop_filtered (f->bus, GST_MESSAGE_WARNING));
    pacer_free (f);
  }
}

/* Before a rate is known, what waits is bounded all the same. */
static void
test_wait_for_a_rate (void)
{
  Pacer *f = pacer_new ("max-burst=1 window=60000000000 overflow=drop-oldest",
      SIMPLE);
  GstBuffer *buffer = pacer_make (1 << 20, GST_CLOCK_TIME_NONE);

  for (guint i = 0; i < 300; i++) {
    g_assert_cmpint (gst_harness_push (f->h, gst_buffer_ref (buffer)), ==,
        GST_FLOW_OK);
    g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), <=, 256 << 20);
  }
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), >=, 42 << 20);
  gst_buffer_unref (buffer);
  pacer_free (f);
}

/* What is due by now leaves: how many buffers that is. */
static guint
let_leave (Pacer * f)
{
  GstClockTime now = gst_clock_get_time (GST_CLOCK_CAST (f->clock));
  GstBuffer *buffer;
  guint n = 0;

  while (wait_for_sleep (f)) {
    GstClockID id;
    gboolean due;

    gst_test_clock_wait_for_next_pending_id (f->clock, &id);
    due = gst_clock_id_get_time (id) <= now;
    gst_clock_id_unref (id);
    if (!due)
      break;
    gst_clock_id_unref (gst_test_clock_process_next_clock_id (f->clock));
  }
  for (; (buffer = pacer_try_pull (f)) != NULL; n++)
    gst_buffer_unref (buffer);
  return n;
}

/* A source that comes at its own pace, without any clock in it, leaves at its
 * mean, and nothing waits for longer than the window. */
static void
test_learn_from_arrival (void)
{
  Pacer *f = pacer_new ("max-burst=1 window=100000000 max-delay=0", SIMPLE);
  guint out = 0;

  for (GstClockTime t = 1; t <= 1000; t++) {
    if (t % 20 == 0)
      for (guint i = 0; i < 20; i++)
        pacer_push (f, 1000);
    gst_test_clock_set_time (f->clock, t * MS);
    out += let_leave (f);
    g_assert_cmpuint (out, <=, t);
    if (t > 300)
      g_assert_cmpuint (pacer_get_stat (f, "bitrate"), >, 6000000);
  }
  g_assert_cmpuint (out, >, 800);
  pacer_free (f);
}

/* A buffer of 1000 bytes each ms, until it is @until ms. */
static void
play_live (Pacer * f, GstClockTime until)
{
  GstClockTime t = gst_clock_get_time (GST_CLOCK_CAST (f->clock)) / MS;

  while (++t <= until) {
    gst_test_clock_set_time (f->clock, t * MS);
    pacer_push (f, 1000);
    let_leave (f);
  }
  g_assert_cmpuint (pacer_get_stat (f, "bitrate"), >, 7000000);
}

/* All that is there leaves within a second. */
static void
play_out (Pacer * f)
{
  GstClockTime now = gst_clock_get_time (GST_CLOCK_CAST (f->clock));

  for (guint i = 1; pacer_get_stat (f, "bytes-queued") > 0; i++) {
    g_assert_cmpuint (i, <, 1000);
    gst_test_clock_set_time (f->clock, now + i * MS);
    let_leave (f);
  }
}

/* What a live source brings at once after a silence is no more than what it brought late: all of
 * it leaves, and fast. */
static void
test_learn_and_burst (void)
{
  Pacer *f = pacer_new ("max-burst=1 window=100000000 max-delay=100000000 "
      "overflow=drop-oldest", SIMPLE);

  play_live (f, 1000);
  play_out (f);
  gst_test_clock_set_time (f->clock, 3000 * MS);
  for (guint i = 0; i < 2000; i++)
    pacer_push (f, 1000);
  play_out (f);
  g_assert_cmpuint (pacer_get_stat (f, "overruns"), ==, 0);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 0);
  pacer_free (f);
}

/* What is behind takes nothing, and a live source goes on: no more waits than what came within
 * max-delay, and that leaves when something is taken again. */
static void
test_learn_and_stand_still (void)
{
  Pacer *f = pacer_new ("max-burst=1 window=100000000 max-delay=100000000 "
      "overflow=drop-oldest", SIMPLE);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (f->h->element, "src");
  PacerGate gate = { 0 };
  gulong probe;

  play_live (f, 1000);
  probe = pacer_gate_close (&gate, pad, DATA);
  for (GstClockTime t = 1001; t < 3000; t++) {
    gst_test_clock_set_time (f->clock, t * MS);
    pacer_push (f, 1000);
    g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), <=, 202000);
  }
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), >=, 1700000);
  pacer_gate_open (&gate, pad, probe);
  play_out (f);
  pacer_free (f);
  pacer_gate_clear (&gate);
}

/* The same from the beginning on: the pad is blocked, and first not even an event passes, then no
 * buffer. */
static void
test_learn_and_never_begin (void)
{
  Pacer *f = pacer_new ("max-burst=1 window=100000000 max-delay=100000000 "
      "overflow=drop-oldest", SIMPLE);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (f->h->element, "src");
  PacerGate events = { 0 }, buffers = { 0 };
  gulong event =
      pacer_gate_close (&events, pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
  gulong buffer = pacer_gate_close (&buffers, pad, DATA);

  gst_harness_push_event (f->h, gst_event_new_tag (gst_tag_list_new_empty ()));
  pacer_gate_wait (&events);
  for (GstClockTime t = 1; t < 5000; t++) {
    gst_test_clock_set_time (f->clock, t * MS);
    pacer_push (f, 1000);
    g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), <=, 202000);
    if (t == 3000) {
      pacer_gate_open (&events, pad, event);
      pacer_gate_wait (&buffers);
    }
  }
  pacer_gate_open (&buffers, pad, buffer);
  play_out (f);
  pacer_free (f);
  pacer_gate_clear (&events);
  pacer_gate_clear (&buffers);
}

/* What could not leave yet is not late because another clock shows another time. */
static void
test_learn_and_change_clock (void)
{
  static const GstPadProbeType held[] = { GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
    DATA
  };

  for (guint i = 0; i < G_N_ELEMENTS (held); i++) {
    Pacer *f = pacer_new ("max-burst=1 window=100000000 max-delay=1000000000 "
        "overflow=drop-oldest", SIMPLE);
    g_autoptr (GstPad) pad = gst_element_get_static_pad (f->h->element, "src");
    GstClock *other = gst_test_clock_new_with_start_time (3600 * GST_SECOND);
    PacerGate gate = { 0 };
    gulong probe = pacer_gate_close (&gate, pad, held[i]);

    gst_harness_push_event (f->h,
        gst_event_new_tag (gst_tag_list_new_empty ()));
    pacer_push (f, 1000);
    pacer_gate_wait (&gate);
    for (GstClockTime t = 1; t <= 300; t++) {
      gst_test_clock_set_time (f->clock, t * MS);
      pacer_push (f, 1000);
    }
    gst_element_set_clock (f->h->element, other);
    gst_object_unref (f->clock);
    f->clock = GST_TEST_CLOCK (other);
    pacer_push (f, 1000);
    g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 0);
    pacer_gate_open (&gate, pad, probe);
    pacer_push (f, 1000);
    play_out (f);
    g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 0);
    pacer_free (f);
    pacer_gate_clear (&gate);
  }
}

/* Each buffer that passes takes one of them. */
static GstPadProbeReturn
take_ticket (GstPad * pad, GstPadProbeInfo * info, gpointer tickets)
{
  g_async_queue_pop (tickets);
  return GST_PAD_PROBE_OK;
}

/* What is behind takes a twentieth of a live source: no more waits, whatever the method (but
 * send-and-compare, whose thread never sleeps). */
static void
test_learn_and_be_slow (void)
{
  static const gchar *const methods[] = { "deadline", "send-and-sleep" };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
    g_autofree gchar *properties = g_strdup_printf ("max-burst=1 "
        "window=100000000 max-delay=100000000 overflow=drop-oldest method=%s",
        methods[i]);
    g_autoptr (GAsyncQueue) tickets = g_async_queue_new ();
    Pacer *f = pacer_new (properties, SIMPLE);
    g_autoptr (GstPad) pad = gst_element_get_static_pad (f->h->element, "src");

    gst_pad_add_probe (pad, DATA, take_ticket, tickets, NULL);
    for (GstClockTime t = 1; t < 10000; t++) {
      GstClockID id;

      gst_test_clock_set_time (f->clock, t * MS);
      pacer_push (f, 1000);
      while ((id = gst_test_clock_process_next_clock_id (f->clock)) != NULL)
        gst_clock_id_unref (id);
      if (t % 20 == 0)
        g_async_queue_push (tickets, f);
      /* until the thread waits for a ticket, or a time */
      while (g_async_queue_length (tickets) >= 0
          && gst_test_clock_peek_id_count (f->clock) == 0)
        g_thread_yield ();
      g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), <=, 202000);
    }
    for (guint j = 0; j < 10000; j++)
      g_async_queue_push (tickets, f);
    pacer_free (f);
  }
}

/* Nor is what a file before it had, by whichever clock, the rate of one without. */
static void
test_cannot_learn_next (void)
{
  for (guint is_ts = 0; is_ts < 2; is_ts++) {
    Pacer *f = pacer_new ("max-burst=1 window=100000000 max-delay=100000000",
        is_ts ? TS : SIMPLE);
    g_autofree gchar *text = NULL;
    GstSegment segment;

    for (guint i = 0; i < 100; i++) {
      gst_test_clock_set_time (f->clock, 2 * i * MS);
      gst_harness_push (f->h, is_ts ? pacer_make_ts_at (i) : pacer_make (1000,
              2 * i * MS));
      let_leave (f);
    }
    gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
    gst_harness_push_event (f->h, gst_event_new_stream_start ("2"));
    gst_segment_init (&segment, GST_FORMAT_BYTES);
    gst_harness_push_event (f->h, gst_event_new_segment (&segment));
    for (guint i = 0; i < 100; i++)
      gst_harness_push (f->h, pacer_make (1316, GST_CLOCK_TIME_NONE));
    gst_harness_push_event (f->h, gst_event_new_eos ());
    text = pacer_wait_text (f, GST_MESSAGE_WARNING);
    pacer_assert_text (text, "Set bitrate");
    pacer_free (f);
  }
}

/* A sink that takes its time over null packets does not make data late that comes meanwhile. */
static void
test_learn_and_stuff (void)
{
  Pacer *f = pacer_new ("max-burst=1 window=100000000 max-delay=100000000 "
      "overflow=drop-oldest stuffing=null-ts", TS);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (f->h->element, "src");
  PacerGate gate = { 0 };
  gulong probe;

  for (guint i = 0; i < 150; i++) {
    gst_test_clock_set_time (f->clock, 2 * i * MS);
    gst_harness_push (f->h, pacer_make_ts_at (i));
    let_leave (f);
  }
  /* until all has left, and null packets follow */
  while (pacer_get_stat (f, "bytes-queued") > 0)
    gst_test_clock_crank (f->clock);
  probe = pacer_gate_close (&gate, pad, DATA);
  while (!pacer_gate_is_reached (&gate))
    if (gst_test_clock_peek_id_count (f->clock) > 0)
      gst_test_clock_crank (f->clock);
  gst_test_clock_advance_time (f->clock, GST_SECOND);
  for (guint i = 0; i < 5; i++)
    gst_harness_push (f->h, pacer_make_ts (7));
  gst_test_clock_advance_time (f->clock, MS);
  pacer_gate_open (&gate, pad, probe);
  pacer_wait_for_stat (f, "stalls", 1);
  for (guint i = 0; i < 3; i++)
    gst_harness_push (f->h, pacer_make_ts (7));
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 0);
  pacer_free (f);
  pacer_gate_clear (&gate);
}

/* A sink that holds what it has prerolled with in a pause is not slow, by whichever clock it goes on. */
static void
test_learn_and_pause (void)
{
  for (guint i = 0; i < 2; i++) {
    Pacer *f = pacer_new ("max-burst=1 window=100000000 max-delay=100000000 "
        "overflow=drop-oldest", SIMPLE);
    g_autoptr (GstPad) pad = gst_element_get_static_pad (f->h->element, "src");
    g_autoptr (GstClock) other = gst_test_clock_new_with_start_time (3600 *
        GST_SECOND);
    PacerGate gate = { 0 };
    gulong probe;

    play_live (f, 1000);
    play_out (f);
    probe = pacer_gate_close (&gate, pad, DATA);
    for (guint j = 0; j < 10; j++)
      pacer_push (f, 1000);
    gst_element_set_state (f->h->element, GST_STATE_PAUSED);
    while (!pacer_gate_is_reached (&gate))
      if (gst_test_clock_peek_id_count (f->clock) > 0)
        gst_test_clock_crank (f->clock);
    gst_test_clock_advance_time (f->clock, 10 * GST_SECOND);
    if (i == 1) {
      gst_element_set_clock (f->h->element, other);
      gst_object_replace ((GstObject **) & f->clock, GST_OBJECT (other));
    }
    gst_element_set_state (f->h->element, GST_STATE_PLAYING);
    for (guint j = 0; j < 10; j++)
      pacer_push (f, 1000);
    g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 0);
    pacer_gate_open (&gate, pad, probe);
    play_out (f);
    pacer_free (f);
    pacer_gate_clear (&gate);
  }
}

/* What came in a pause does not allow for more to wait after it. */
static void
test_learn_and_pause_long (void)
{
  Pacer *f = pacer_new ("max-burst=1 window=100000000 max-delay=100000000 "
      "overflow=drop-oldest", SIMPLE);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (f->h->element, "src");
  PacerGate gate = { 0 };
  gulong probe;

  play_live (f, 1000);
  play_out (f);
  probe = pacer_gate_close (&gate, pad, DATA);
  pacer_push (f, 1000);
  while (!pacer_gate_is_reached (&gate))
    if (gst_test_clock_peek_id_count (f->clock) > 0)
      gst_test_clock_crank (f->clock);
  for (guint i = 0; i < 10000; i++) {
    if (i == 1000)
      gst_element_set_state (f->h->element, GST_STATE_PAUSED);
    if (i == 6000)
      gst_element_set_state (f->h->element, GST_STATE_PLAYING);
    gst_test_clock_advance_time (f->clock, MS);
    pacer_push (f, 1000);
    g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), <=, 202000);
  }
  pacer_gate_open (&gate, pad, probe);
  play_out (f);
  pacer_free (f);
  pacer_gate_clear (&gate);
}

/* --- what it tells --------------------------------------------------------------------------------------- */

static GstClockTime
ask_latency (Pacer * f)
{
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min, max;
  gboolean live;

  g_assert_true (gst_pad_peer_query (f->h->sinkpad, query));
  gst_query_parse_latency (query, &live, &min, &max);
  g_assert_true (live);
  gst_query_unref (query);
  return min;
}

/* It is another one when the first bytes tell that datagrams wait for more packets. */
static void
test_latency_of_ts (void)
{
  Pacer *f = pacer_new ("bitrate=1000000 max-delay=40000000", NULL);

  gst_harness_set_upstream_latency (f->h, 7 * MS);
  g_assert_cmpuint (ask_latency (f), ==, 47 * MS);
  gst_bus_set_flushing (f->bus, TRUE);
  gst_bus_set_flushing (f->bus, FALSE);
  gst_harness_push (f->h, pacer_make_ts (3));
  gst_message_unref (gst_bus_pop_filtered (f->bus, GST_MESSAGE_LATENCY));
  g_assert_cmpuint (ask_latency (f), ==, 257 * MS);
  gst_harness_push (f->h, pacer_make_ts (3));
  g_assert_null (gst_bus_pop_filtered (f->bus, GST_MESSAGE_LATENCY));
  pacer_free (f);
}

static void
test_latency (void)
{
  static const struct
  {
    const gchar *properties;
    GstClockTime latency;
  } cases[] = {
    {"bitrate=1000000", GST_SECOND},
    {"bitrate=1000000 max-delay=40000000", 40 * MS},
    /* learned: a window, if that is more */
    {"max-delay=40000000", GST_SECOND},
    {"max-delay=40000000 window=20000000", 40 * MS},
    /* a datagram waits for more */
    {"bitrate=1000000 payload-size=500", GST_SECOND},
    {"bitrate=1000000 payload-size=500 max-delay=40000000", 250 * MS},
    {"bitrate=1000000 payload-size=500 max-delay=40000000 max-period=20000000",
        40 * MS},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Pacer *f = pacer_new (cases[i].properties, SIMPLE);
    GstMessage *message;

    gst_harness_set_upstream_latency (f->h, 7 * MS);
    g_assert_cmpuint (ask_latency (f), ==, cases[i].latency + 7 * MS);
    while ((message = gst_bus_pop_filtered (f->bus,
                GST_MESSAGE_LATENCY)) != NULL)
      gst_message_unref (message);
    g_object_set (f->h->element, "max-delay", 70 * GST_SECOND, NULL);
    gst_message_unref (gst_bus_pop_filtered (f->bus, GST_MESSAGE_LATENCY));
    pacer_free (f);
  }
}

static void
test_stats (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=2000 header-size=100 "
      "payload-size=900 stats-interval=1", SIMPLE);
  GstMessage *message;
  GstStructure *stats;
  gdouble error;
  const GValueArray *columns;

  pacer_push (f, 9000);
  for (guint i = 0; i < 5; i++) {
    if (i > 0)
      pacer_advance_to (f, i * 2 * MS);
    pacer_assert_pull (f, 900);
    pacer_assert_pull (f, 900);
  }
  pacer_wait_for_stat (f, "cycles", 5);
  g_object_get (f->h->element, "stats", &stats, NULL);
  g_assert_true (gst_structure_has_name (stats,
          "application/x-cbrpacer-statistics"));
  g_assert_true (gst_structure_get_double (stats, "bitrate-error", &error));
  g_assert_cmpfloat (error, ==, 0);
  g_assert_true (gst_structure_has_field (stats, "cpu-share"));
  g_assert_true (gst_structure_has_field (stats, "cpu-seconds-pacing"));
  columns = gst_fasp_value_get_array (gst_structure_get_value (stats,
          "burst-histogram"));
  /* 2000 bytes: up to 2^11 */
  g_assert_cmpuint (g_value_get_uint64 (&columns->values[11]), ==, 5);
  gst_structure_free (stats);
  g_assert_cmpuint (pacer_get_stat (f, "bytes"), ==, 9000);
  g_assert_cmpuint (pacer_get_stat (f, "wire-bytes"), ==, 10000);
  g_assert_cmpuint (pacer_get_stat (f, "datagrams"), ==, 10);
  g_assert_cmpuint (pacer_get_stat (f, "gap-error-max-ns"), ==, 0);
  g_assert_cmpuint (pacer_get_stat (f, "burst-max-bytes"), ==, 2000);
  g_assert_cmpuint (pacer_get_stat (f, "bitrate"), ==, 8000000);
  message = gst_bus_pop_filtered (f->bus, GST_MESSAGE_ELEMENT);
  g_assert_nonnull (message);
  g_assert_true (gst_message_has_name (message,
          "application/x-cbrpacer-statistics"));
  gst_message_unref (message);
  pacer_free (f);
}

static gdouble
get_share (Pacer * f, const gchar * name)
{
  GstStructure *stats;
  gdouble value = -1;

  g_object_get (f->h->element, "stats", &stats, NULL);
  g_assert_true (gst_structure_get_double (stats, name, &value));
  gst_structure_free (stats);
  return value;
}

static gint64
get_cpu_time (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * G_GINT64_CONSTANT (1000000000) + t.tv_nsec;
}

/* 50 ms of this thread. */
static GstPadProbeReturn
take_cpu (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  gint64 until = get_cpu_time () + 50000000;

  while (get_cpu_time () < until);
  return GST_PAD_PROBE_OK;
}

/* No thread takes more than a core, not even for the first cycle alone. */
static void
test_cpu_share (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (f->h->element, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, take_cpu, NULL, NULL);
  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  pacer_wait_for_stat (f, "cycles", 1);
  g_assert_cmpfloat (get_share (f, "cpu-seconds"), >=, .05);
  g_assert_cmpfloat (get_share (f, "cpu-share"), <=, 1);
  pacer_free (f);
}

typedef struct
{
  GThread *pacing, *burning;
  gint done;                    /* atomic */
} Threads;

static GstPadProbeReturn
note_thread (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  ((Threads *) data)->pacing = g_thread_self ();
  return GST_PAD_PROBE_OK;
}

static void
burn (gpointer data)
{
  Threads *threads = data;

  if (g_atomic_int_get (&threads->done))
    return;
  threads->burning = g_thread_self ();
  take_cpu (NULL, NULL, NULL);
  g_atomic_int_set (&threads->done, TRUE);
}

/* Somebody else may use the thread while the element is stopped: that is not counted. */
static void
test_cpu_of_others (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (f->h->element, "src");
  Threads threads = { 0 };
  GstSegment segment;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_thread, &threads,
      NULL);
  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  gst_element_set_state (f->h->element, GST_STATE_READY);
  for (guint i = 0; i < 5 && threads.burning != threads.pacing; i++) {
    GstTask *task = gst_task_new (burn, &threads, NULL);
    GRecMutex lock;

    g_rec_mutex_init (&lock);
    g_atomic_int_set (&threads.done, FALSE);
    gst_task_set_lock (task, &lock);
    gst_task_start (task);
    while (!g_atomic_int_get (&threads.done))
      g_thread_yield ();
    gst_task_join (task);
    gst_object_unref (task);
    g_rec_mutex_clear (&lock);
  }
  gst_element_set_state (f->h->element, GST_STATE_PLAYING);
  gst_harness_push_event (f->h, gst_event_new_stream_start ("2"));
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  gst_harness_push_event (f->h, gst_event_new_segment (&segment));
  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  pacer_wait_for_stat (f, "cycles", 1);
  g_assert_cmpfloat (get_share (f, "cpu-seconds"), <, .05);
  pacer_free (f);
}

/* --- offload --------------------------------------------------------------------------------------------------- */

/* Without a udpsink behind it says why not, and goes on without. */
static void
test_offload_impossible (void)
{
  Pacer *f = pacer_new ("bitrate=8000000 payload-size=1000 max-burst=2000 "
      "segmentation-offload=true", SIMPLE);
  g_autofree gchar *text = NULL;

  pacer_push (f, 2000);
  pacer_assert_pull (f, 1000);
  pacer_assert_pull (f, 1000);
  text = pacer_wait_text (f, GST_MESSAGE_WARNING);
  pacer_assert_text (text, "udpsink");
  pacer_free (f);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pacer/empty-discont", test_empty_discont);
  g_test_add_func ("/pacer/deadlines", test_deadlines);
  g_test_add_func ("/pacer/late", test_late);
  g_test_add_func ("/pacer/stall", test_stall);
  g_test_add_func ("/pacer/lists", test_lists);
  g_test_add_func ("/pacer/send-and-compare", test_send_and_compare);
  g_test_add_func ("/pacer/spin", test_spin);
  g_test_add_func ("/pacer/set-bitrate", test_set_bitrate);
  g_test_add_func ("/pacer/another-clock", test_another_clock);
  g_test_add_func ("/pacer/earlier-clock", test_earlier_clock);
  g_test_add_func ("/pacer/pause", test_pause);
  g_test_add_func ("/pacer/states", test_states);
  g_test_add_func ("/pacer/flush", test_flush);
  g_test_add_func ("/pacer/blocked-and-let-go", test_blocked_and_let_go);
  g_test_add_func ("/pacer/held", test_held);
  g_test_add_func ("/pacer/held-from-behind", test_held_from_behind);
  g_test_add_func ("/pacer/held-for-a-moment", test_held_for_a_moment);
  g_test_add_func ("/pacer/eos", test_eos);
  g_test_add_func ("/pacer/event-order", test_event_order);
  g_test_add_func ("/pacer/serialized-query", test_serialized_query);
  g_test_add_func ("/pacer/stream-behind-eos", test_stream_behind_eos);
  g_test_add_func ("/pacer/downstream-eos", test_downstream_eos);
  g_test_add_func ("/pacer/downstream-error", test_downstream_error);
  g_test_add_func ("/pacer/unlinked", test_unlinked);
  g_test_add_func ("/pacer/linked-meanwhile", test_linked_meanwhile);
  g_test_add_func ("/pacer/underrun", test_underrun);
  g_test_add_func ("/pacer/partial", test_partial);
  g_test_add_func ("/pacer/block", test_block);
  g_test_add_func ("/pacer/no-room-for-a-datagram",
      test_no_room_for_a_datagram);
  g_test_add_func ("/pacer/drop-oldest", test_drop_oldest);
  g_test_add_func ("/pacer/drop-from-behind", test_drop_from_behind);
  g_test_add_func ("/pacer/clock-changes-behind", test_clock_changes_behind);
  g_test_add_func ("/pacer/drop-behind-segment", test_drop_behind_segment);
  g_test_add_func ("/pacer/ts-datagrams", test_ts_datagrams);
  g_test_add_func ("/pacer/ts-packets", test_ts_packets);
  g_test_add_func ("/pacer/other-caps", test_other_caps);
  g_test_add_func ("/pacer/flushed-caps", test_flushed_caps);
  g_test_add_func ("/pacer/ts-wait", test_ts_wait);
  g_test_add_func ("/pacer/ts-pieces", test_ts_pieces);
  g_test_add_func ("/pacer/ts-breaks", test_ts_breaks);
  g_test_add_func ("/pacer/null-ts", test_null_ts);
  g_test_add_func ("/pacer/null-ts/breaks", test_null_ts_breaks);
  g_test_add_func ("/pacer/null-ts/split-packets", test_null_ts_split_packets);
  g_test_add_func ("/pacer/null-ts/resync", test_null_ts_resync);
  g_test_add_data_func ("/pacer/null-ts/resync/tiny", NULL,
      test_null_ts_resync_tiny);
  g_test_add_data_func ("/pacer/null-ts/resync/tiny-discont",
      GUINT_TO_POINTER (GST_BUFFER_FLAG_DISCONT), test_null_ts_resync_tiny);
  g_test_add_func ("/pacer/null-ts/of-a-file", test_null_ts_of_a_file);
  g_test_add_func ("/pacer/null-ts/of-a-file-late",
      test_null_ts_of_a_file_late);
  g_test_add_func ("/pacer/null-ts/of-a-file-without-delay",
      test_null_ts_of_a_file_without_delay);
  g_test_add_func ("/pacer/null-ts/of-nothing-else",
      test_null_ts_of_nothing_else);
  g_test_add_func ("/pacer/null-ts/of-larger-packets",
      test_null_ts_of_larger_packets);
  g_test_add_func ("/pacer/null-ts/bad-payload", test_bad_payload);
  g_test_add_func ("/pacer/null-ts/bad-payload-later", test_bad_payload_later);
  g_test_add_data_func ("/pacer/learn/timestamps", GINT_TO_POINTER (FALSE),
      test_learn_from_timestamps);
  g_test_add_data_func ("/pacer/learn/file-behind-live", GINT_TO_POINTER (TRUE),
      test_learn_from_timestamps);
  g_test_add_data_func ("/pacer/learn/scenes", scenes, test_learn_varying);
  g_test_add_data_func ("/pacer/learn/dark", dark, test_learn_varying);
  g_test_add_data_func ("/pacer/learn/key-frames", keyframes,
      test_learn_varying);
  g_test_add_func ("/pacer/learn/arrival", test_learn_from_arrival);
  g_test_add_func ("/pacer/learn/burst", test_learn_and_burst);
  g_test_add_func ("/pacer/learn/stand-still", test_learn_and_stand_still);
  g_test_add_func ("/pacer/learn/never-begin", test_learn_and_never_begin);
  g_test_add_func ("/pacer/learn/slow", test_learn_and_be_slow);
  g_test_add_func ("/pacer/learn/stuff", test_learn_and_stuff);
  g_test_add_func ("/pacer/learn/pause", test_learn_and_pause);
  g_test_add_func ("/pacer/learn/pause-long", test_learn_and_pause_long);
  g_test_add_func ("/pacer/learn/another-clock", test_learn_and_change_clock);
  g_test_add_func ("/pacer/learn/joined-files", test_joined_files);
  g_test_add_func ("/pacer/learn/pcr-steps", test_pcr_steps);
  g_test_add_func ("/pacer/learn/pcr-wrong", test_pcr_wrong);
  g_test_add_func ("/pacer/learn/pcr-pauses", test_pcr_pauses);
  g_test_add_func ("/pacer/learn/larger-packets",
      test_learn_from_larger_packets);
  g_test_add_func ("/pacer/learn/from-earlier-times",
      test_learn_from_earlier_times);
  g_test_add_func ("/pacer/learn/again", test_learn_again);
  g_test_add_func ("/pacer/learn/impossible", test_cannot_learn);
  g_test_add_func ("/pacer/learn/impossible-little", test_cannot_learn_little);
  g_test_add_func ("/pacer/learn/impossible-next", test_cannot_learn_next);
  g_test_add_func ("/pacer/wait-for-a-rate", test_wait_for_a_rate);
  g_test_add_func ("/pacer/latency", test_latency);
  g_test_add_func ("/pacer/latency-of-ts", test_latency_of_ts);
  g_test_add_func ("/pacer/stats", test_stats);
  g_test_add_func ("/pacer/cpu-share", test_cpu_share);
  g_test_add_func ("/pacer/cpu-of-others", test_cpu_of_others);
  g_test_add_func ("/pacer/offload-impossible", test_offload_impossible);
  return g_test_run ();
}
