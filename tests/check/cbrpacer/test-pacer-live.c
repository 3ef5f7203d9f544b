/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element in virtual time: the rate of a live source is learned from what arrives, and
 * no more waits than that allows, whatever is held up.
 */
#include "pacer.h"

/* Until the thread waits for the clock (TRUE) or for something to come. */
static gboolean
wait_for_sleep (Pacer *f)
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

/* Before a rate is known, what waits is bounded all the same. */
static void
test_wait_for_a_rate (void)
{
  g_autoptr (Pacer) f = pacer_new ("max-burst=1 window=60000000000 overflow=drop-oldest", SIMPLE);
  GstBuffer *buffer = pacer_make (1 << 20, GST_CLOCK_TIME_NONE);

  for (guint i = 0; i < 300; i++) {
    g_assert_cmpint (gst_harness_push (f->h, gst_buffer_ref (buffer)), ==, GST_FLOW_OK);
    g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), <=, 256 << 20);
  }
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), >=, 42 << 20);
  gst_buffer_unref (buffer);
}

/* All that is due by now leaves; returns how many buffers that is. */
static guint
let_leave (Pacer *f)
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
  g_autoptr (Pacer) f = pacer_new ("max-burst=1 window=100000000 max-delay=0", SIMPLE);
  guint out = 0;

  for (GstClockTime t = 1; t <= 1000; t++) {
    if (t % 20 == 0)
      pacer_push_many (f, 20, 1000);
    gst_test_clock_set_time (f->clock, t * MS);
    out += let_leave (f);
    g_assert_cmpuint (out, <=, t);
    if (t > 300)
      g_assert_cmpuint (pacer_get_stat (f, "bitrate"), >, 6000000);
  }
  g_assert_cmpuint (out, >, 800);
}

/* A buffer of 1000 bytes each ms, until it is @until ms. */
static void
play_live (Pacer *f, GstClockTime until)
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
play_out (Pacer *f)
{
  GstClockTime now = gst_clock_get_time (GST_CLOCK_CAST (f->clock));

  for (guint i = 1; pacer_get_stat (f, "bytes-queued") > 0; i++) {
    g_assert_cmpuint (i, <, 1000);
    gst_test_clock_set_time (f->clock, now + i * MS);
    let_leave (f);
  }
}

/* A live source that was held up brings all of its data at once: nothing is dropped, and all of it
 * leaves within a second. */
static void
test_learn_and_burst (void)
{
  g_autoptr (Pacer) f = pacer_new (LEARN " overflow=drop-oldest", SIMPLE);

  play_live (f, 1000);
  play_out (f);
  gst_test_clock_set_time (f->clock, 3000 * MS);
  pacer_push_many (f, 2000, 1000);
  play_out (f);
  g_assert_cmpuint (pacer_get_stat (f, "overruns"), ==, 0);
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 0);
}

/* The elements behind take nothing, and a live source goes on: no more waits than came within
 * max-delay, and that leaves when they take buffers again. */
static void
test_learn_and_stand_still (void)
{
  g_autoptr (Pacer) f = pacer_new (LEARN " overflow=drop-oldest", SIMPLE);
  PacerGate *gate;

  play_live (f, 1000);
  gate = pacer_gate_close (f->src, DATA);
  for (GstClockTime t = 1001; t < 3000; t++) {
    gst_test_clock_set_time (f->clock, t * MS);
    pacer_push (f, 1000);
    g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), <=, 202000);
  }
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), >=, 1700000);
  pacer_gate_open (gate);
  play_out (f);
}

/* The same from the beginning on: the pad is blocked, and first not even an event passes, then no
 * buffer. */
static void
test_learn_and_never_begin (void)
{
  g_autoptr (Pacer) f = pacer_new (LEARN " overflow=drop-oldest", SIMPLE);
  PacerGate *events = pacer_gate_close (f->src, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
  PacerGate *buffers = pacer_gate_close (f->src, DATA);

  gst_harness_push_event (f->h, gst_event_new_tag (gst_tag_list_new_empty ()));
  pacer_gate_wait (events);
  for (GstClockTime t = 1; t < 5000; t++) {
    gst_test_clock_set_time (f->clock, t * MS);
    pacer_push (f, 1000);
    g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), <=, 202000);
    if (t == 3000) {
      pacer_gate_open (events);
      pacer_gate_wait (buffers);
    }
  }
  pacer_gate_open (buffers);
  play_out (f);
}

/* Data that could not leave yet is not late because another clock shows another time. */
static void
test_learn_and_change_clock (void)
{
  static const GstPadProbeType held[] = { GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, DATA };

  for (guint i = 0; i < G_N_ELEMENTS (held); i++) {
    g_autoptr (Pacer) f =
        pacer_new ("max-burst=1 window=100000000 max-delay=1000000000 overflow=drop-oldest",
            SIMPLE);
    PacerGate *gate = pacer_gate_close (f->src, held[i]);

    gst_harness_push_event (f->h, gst_event_new_tag (gst_tag_list_new_empty ()));
    pacer_push (f, 1000);
    pacer_gate_wait (gate);
    for (GstClockTime t = 1; t <= 300; t++) {
      gst_test_clock_set_time (f->clock, t * MS);
      pacer_push (f, 1000);
    }
    pacer_set_clock (f, 3600 * GST_SECOND);
    pacer_push (f, 1000);
    g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 0);
    pacer_gate_open (gate);
    pacer_push (f, 1000);
    play_out (f);
    g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 0);
  }
}

/* Each buffer that passes takes one of them. */
static GstPadProbeReturn
take_ticket (GstPad *pad, GstPadProbeInfo *info, gpointer tickets)
{
  g_async_queue_pop (tickets);
  return GST_PAD_PROBE_OK;
}

/* The elements behind take a twentieth of a live source: no more than max-delay waits, by each
 * method (but send-and-compare, whose thread never sleeps). */
static void
test_learn_and_be_slow (void)
{
  static const gchar *const methods[] = { "deadline", "send-and-sleep" };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
    g_autofree gchar *properties =
        g_strdup_printf (LEARN " overflow=drop-oldest method=%s", methods[i]);
    g_autoptr (GAsyncQueue) tickets = g_async_queue_new ();
    g_autoptr (Pacer) f = pacer_new (properties, SIMPLE);

    gst_pad_add_probe (f->src, DATA, take_ticket, tickets, NULL);
    for (GstClockTime t = 1; t < 10000; t++) {
      GstClockID id;

      gst_test_clock_set_time (f->clock, t * MS);
      pacer_push (f, 1000);
      while ((id = gst_test_clock_process_next_clock_id (f->clock)) != NULL)
        gst_clock_id_unref (id);
      if (t % 20 == 0)
        g_async_queue_push (tickets, f);
      /* until the thread waits for a ticket, or a time */
      while (g_async_queue_length (tickets) >= 0 && gst_test_clock_peek_id_count (f->clock) == 0)
        g_thread_yield ();
      g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), <=, 202000);
    }
    for (guint j = 0; j < 10000; j++)
      g_async_queue_push (tickets, f);
  }
}

/* A file without a clock does not get the rate of the file before it, which had a PCR or
 * timestamps. */
static void
test_cannot_learn_next (void)
{
  for (guint is_ts = 0; is_ts < 2; is_ts++) {
    g_autoptr (Pacer) f = pacer_new (LEARN, is_ts ? TS : SIMPLE);

    for (guint i = 0; i < 100; i++) {
      gst_test_clock_set_time (f->clock, 2 * i * MS);
      gst_harness_push (f->h, is_ts ? pacer_make_ts_at (i) : pacer_make (1000, 2 * i * MS));
      let_leave (f);
    }
    gst_pad_set_query_function (f->h->srcpad, pacer_answer_not_live);
    pacer_begin_stream (f, GST_FORMAT_BYTES);
    for (guint i = 0; i < 100; i++)
      gst_harness_push (f->h, pacer_make (1316, GST_CLOCK_TIME_NONE));
    gst_harness_push_event (f->h, gst_event_new_eos ());
    pacer_assert_message (f, GST_MESSAGE_WARNING, "Set bitrate");
  }
}

/* A sink that takes its time over null packets does not make data late that comes meanwhile. */
static void
test_learn_and_stuff (void)
{
  g_autoptr (Pacer) f = pacer_new (LEARN " overflow=drop-oldest stuffing=null-ts", TS);
  PacerGate *gate;

  for (guint i = 0; i < 150; i++) {
    gst_test_clock_set_time (f->clock, 2 * i * MS);
    gst_harness_push (f->h, pacer_make_ts_at (i));
    let_leave (f);
  }
  g_assert_cmpuint (pacer_get_stat (f, "pcr-pid"), ==, 0x100);
  /* until all has left, and null packets follow */
  while (pacer_get_stat (f, "bytes-queued") > 0)
    gst_test_clock_crank (f->clock);
  gate = pacer_gate_close (f->src, DATA);
  pacer_gate_reach (gate, f->clock);
  gst_test_clock_advance_time (f->clock, GST_SECOND);
  for (guint i = 0; i < 5; i++)
    gst_harness_push (f->h, pacer_make_ts (7));
  gst_test_clock_advance_time (f->clock, MS);
  pacer_gate_open (gate);
  pacer_wait_for_stat (f, "stalls", 1);
  for (guint i = 0; i < 3; i++)
    gst_harness_push (f->h, pacer_make_ts (7));
  g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 0);
}

/* A sink that holds what it has prerolled with in a pause is not slow, by whichever clock it goes
 * on. */
static void
test_learn_and_pause (void)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (Pacer) f = pacer_new (LEARN " overflow=drop-oldest", SIMPLE);
    PacerGate *gate;

    play_live (f, 1000);
    play_out (f);
    gate = pacer_gate_close (f->src, DATA);
    pacer_push_many (f, 10, 1000);
    gst_element_set_state (f->h->element, GST_STATE_PAUSED);
    pacer_gate_reach (gate, f->clock);
    gst_test_clock_advance_time (f->clock, 10 * GST_SECOND);
    if (i == 1)
      pacer_set_clock (f, 3600 * GST_SECOND);
    gst_element_set_state (f->h->element, GST_STATE_PLAYING);
    pacer_push_many (f, 10, 1000);
    g_assert_cmpuint (pacer_get_stat (f, "bytes-dropped"), ==, 0);
    pacer_gate_open (gate);
    play_out (f);
  }
}

/* Data that came in a pause does not let more than max-delay wait after it. */
static void
test_learn_and_pause_long (void)
{
  g_autoptr (Pacer) f = pacer_new (LEARN " overflow=drop-oldest", SIMPLE);
  PacerGate *gate;

  play_live (f, 1000);
  play_out (f);
  gate = pacer_gate_close (f->src, DATA);
  pacer_push (f, 1000);
  pacer_gate_reach (gate, f->clock);
  for (guint i = 0; i < 10000; i++) {
    if (i == 1000)
      gst_element_set_state (f->h->element, GST_STATE_PAUSED);
    if (i == 6000)
      gst_element_set_state (f->h->element, GST_STATE_PLAYING);
    gst_test_clock_advance_time (f->clock, MS);
    pacer_push (f, 1000);
    g_assert_cmpuint (pacer_get_stat (f, "bytes-queued"), <=, 202000);
  }
  pacer_gate_open (gate);
  play_out (f);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pacer/learn/arrival", test_learn_from_arrival);
  g_test_add_func ("/pacer/learn/burst", test_learn_and_burst);
  g_test_add_func ("/pacer/learn/stand-still", test_learn_and_stand_still);
  g_test_add_func ("/pacer/learn/never-begin", test_learn_and_never_begin);
  g_test_add_func ("/pacer/learn/slow", test_learn_and_be_slow);
  g_test_add_func ("/pacer/learn/stuff", test_learn_and_stuff);
  g_test_add_func ("/pacer/learn/pause", test_learn_and_pause);
  g_test_add_func ("/pacer/learn/pause-long", test_learn_and_pause_long);
  g_test_add_func ("/pacer/learn/another-clock", test_learn_and_change_clock);
  g_test_add_func ("/pacer/learn/impossible-next", test_cannot_learn_next);
  g_test_add_func ("/pacer/wait-for-a-rate", test_wait_for_a_rate);
  return g_test_run ();
}
