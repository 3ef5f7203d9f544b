/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element in virtual time: when each datagram leaves, by every method.
 */
#include "pacer.h"

static void
test_deadlines (void)
{
  /* 1000 bytes in 1 ms; one datagram a cycle */
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);

  gst_test_clock_set_time (f->clock, 7 * MS);
  pacer_push_many (f, 10, 1000);
  pacer_assert_pull (f, 1000);
  for (guint i = 1; i < 10; i++) {
    pacer_assert_nothing (f);
    pacer_assert_pull_at (f, (7 + i) * MS, 1000);
  }
}

/* A late thread makes good what it fell behind at twice the rate. */
static void
test_late (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=10000", SIMPLE);
  GstClockID id;

  pacer_push_list (f, 100, 1000);
  for (guint i = 0; i < 10; i++)
    pacer_assert_pull (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, &id);
  g_assert_cmpuint (gst_clock_id_get_time (id), ==, 10 * MS);
  gst_clock_id_unref (id);
  gst_test_clock_set_time (f->clock, 35 * MS); /* it is woken then: 25 ms late */
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
}

static void
test_stall (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  GstClockID id;

  pacer_push_many (f, 5, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, &id);
  gst_clock_id_unref (id);
  gst_test_clock_set_time (f->clock, GST_SECOND);
  gst_clock_id_unref (gst_test_clock_process_next_clock_id (f->clock));
  pacer_assert_pull (f, 1000); /* the one that was waited for */
  /* the new schedule, of which one is late by that */
  for (guint i = 0; i < 3; i++) {
    pacer_assert_nothing (f);
    gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
    gst_test_clock_crank (f->clock);
    pacer_assert_pull (f, 1000);
  }
  g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), >=, GST_SECOND + 2 * MS);
  g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), <=,
      GST_SECOND + 2 * MS + 250 * GST_USECOND);
  g_assert_cmpuint (pacer_get_stat (f, "stalls"), ==, 1);
}

static void
test_lists (void)
{
  static const struct
  {
    const gchar *properties;
    gsize in;
    guint lists[4];
    guint64 period; /* µs */
  } cases[] = {
    /* 28 bytes of header: 8000 / 1028 datagrams a cycle */
    { "bitrate=8000000 header-size=28", 1000, { 7, 7, 7, 7 }, 7196 },
    { "bitrate=8000000 header-size=48", 1000, { 7, 7, 7, 7 }, 7336 },
    { "bitrate=8000000 max-burst=3000", 1000, { 3, 3, 3, 3 }, 3000 },
    { "bitrate=8000000 max-burst=1", 1000, { 1, 1, 1, 1 }, 1000 },
    { "bitrate=8000000 max-period=2000000", 1000, { 2, 2, 2, 2 }, 2000 },
    { "bitrate=8000000 payload-size=500", 1000, { 16, 16, 16, 16 }, 8000 },
    { "bitrate=8000000 payload-size=2000", 1000, { 4, 4, 4, 4 }, 8000 },
    { "bitrate=8000000 method=send-and-sleep", 1000, { 8, 8, 8, 8 }, 8000 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (Pacer) f = pacer_new (cases[i].properties, SIMPLE);

    pacer_push_list (f, 40, cases[i].in);
    for (guint j = 0; j < 4; j++) {
      for (guint k = 0; k < cases[i].lists[j]; k++)
        gst_buffer_unref (pacer_pull (f));
      pacer_assert_nothing (f);
      pacer_advance_to (f, (j + 1) * cases[i].period * GST_USECOND);
    }
    g_mutex_lock (&f->lock);
    for (guint j = 0; j < 4; j++)
      g_assert_cmpuint (g_array_index (f->lists, guint, j), ==, cases[i].lists[j]);
    g_mutex_unlock (&f->lock);
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
  g_autoptr (Pacer) f =
      pacer_new ("bitrate=8000000 max-burst=1000 method=send-and-compare", SIMPLE);
  GThread *thread;

  pacer_push_many (f, 10, 1000);
  pacer_assert_pull (f, 1000);
  thread = g_thread_new ("clock", step_clock, f);
  for (guint i = 1; i < 10; i++) {
    pacer_assert_pull (f, 1000);
    g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), >=, i * MS);
  }
  g_assert_cmpuint (gst_test_clock_peek_id_count (f->clock), ==, 0);
  g_thread_join (thread);
}

/* Wakes before the deadline, watches the clock, never leaves early, and stops
 * watching a clock that stands. */
static void
test_spin (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000 spin=1000", SIMPLE);
  GstClockID id;

  pacer_push (f, 1000);
  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  pacer_advance_to (f, 1 * MS - 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, &id);
  g_assert_cmpuint (gst_clock_id_get_time (id), ==, 1 * MS);
  gst_clock_id_unref (id);
  pacer_assert_nothing (f);
  pacer_assert_pull_at (f, 1 * MS, 1000);
}

static void
test_set_bitrate (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000 max-burst=1000 max-delay=60000000000", SIMPLE);

  pacer_push_many (f, 4, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  /* the wait that is under way, too */
  g_object_set (f->h->element, "bitrate", G_GUINT64_CONSTANT (8000000), NULL);
  pacer_assert_pull_at (f, 1 * MS, 1000);
  pacer_assert_pull_at (f, 2 * MS, 1000);
  g_object_set (f->h->element, "bitrate", G_GUINT64_CONSTANT (800000), NULL);
  pacer_assert_pull_at (f, 12 * MS, 1000);
}

static void
test_underrun (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=4000", SIMPLE);

  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_set_time (f->clock, 10 * MS);
  pacer_push_many (f, 8, 1000);
  /* nothing of the idle time is made good. As fast as the thread wakes, the
   * first cycle is of one to four datagrams. */
  pacer_pull_in_time (f, 8);
  g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), >=, 14 * MS);
  g_assert_cmpuint (gst_clock_get_time (GST_CLOCK (f->clock)), <=, 18 * MS);
  g_assert_cmpuint (pacer_get_stat (f, "underruns"), ==, 1);
}

/* A datagram waits max-period for its rest. */
static void
test_partial (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 payload-size=1000 max-period=50000000", SIMPLE);

  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  gst_test_clock_set_time (f->clock, 10 * MS);
  pacer_push (f, 300);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  gst_test_clock_set_time (f->clock, 20 * MS);
  pacer_push (f, 200);
  pacer_assert_pull_at (f, 60 * MS, 500);
  pacer_push (f, 400);
  gst_test_clock_wait_for_next_pending_id (f->clock, NULL);
  pacer_push (f, 600);
  pacer_assert_pull_at (f, 60 * MS + 500 * GST_USECOND, 1000);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pacer/deadlines", test_deadlines);
  g_test_add_func ("/pacer/late", test_late);
  g_test_add_func ("/pacer/stall", test_stall);
  g_test_add_func ("/pacer/lists", test_lists);
  g_test_add_func ("/pacer/send-and-compare", test_send_and_compare);
  g_test_add_func ("/pacer/spin", test_spin);
  g_test_add_func ("/pacer/set-bitrate", test_set_bitrate);
  g_test_add_func ("/pacer/underrun", test_underrun);
  g_test_add_func ("/pacer/partial", test_partial);
  return g_test_run ();
}
