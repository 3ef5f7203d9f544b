/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element in virtual time: its latency, its statistics, and what it cannot do.
 */
#include <time.h>
#include "pacer.h"
#include "gstfaspcommon.h"

static GstClockTime
ask_latency (Pacer *f)
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

/* The latency changes when the first bytes are a transport stream: its datagrams wait for more
 * packets. */
static void
test_latency_of_ts (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=1000000 max-delay=40000000", NULL);

  gst_harness_set_upstream_latency (f->h, 7 * MS);
  g_assert_cmpuint (ask_latency (f), ==, 47 * MS);
  gst_bus_set_flushing (f->bus, TRUE);
  gst_bus_set_flushing (f->bus, FALSE);
  gst_harness_push (f->h, pacer_make_ts (3));
  gst_message_unref (gst_bus_pop_filtered (f->bus, GST_MESSAGE_LATENCY));
  g_assert_cmpuint (ask_latency (f), ==, 257 * MS);
  gst_harness_push (f->h, pacer_make_ts (3));
  g_assert_null (gst_bus_pop_filtered (f->bus, GST_MESSAGE_LATENCY));
}

static void
test_latency (void)
{
  static const struct
  {
    const gchar *properties;
    GstClockTime latency;
  } cases[] = {
    { "bitrate=1000000", GST_SECOND },
    { "bitrate=1000000 max-delay=40000000", 40 * MS },
    /* learned: a window, if that is more */
    { "max-delay=40000000", GST_SECOND },
    { "max-delay=40000000 window=20000000", 40 * MS },
    /* a datagram waits for more */
    { "bitrate=1000000 payload-size=500", GST_SECOND },
    { "bitrate=1000000 payload-size=500 max-delay=40000000", 250 * MS },
    { "bitrate=1000000 payload-size=500 max-delay=40000000 max-period=20000000", 40 * MS },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (Pacer) f = pacer_new (cases[i].properties, SIMPLE);
    GstMessage *message;

    gst_harness_set_upstream_latency (f->h, 7 * MS);
    g_assert_cmpuint (ask_latency (f), ==, cases[i].latency + 7 * MS);
    while ((message = gst_bus_pop_filtered (f->bus, GST_MESSAGE_LATENCY)) != NULL)
      gst_message_unref (message);
    g_object_set (f->h->element, "max-delay", 70 * GST_SECOND, NULL);
    gst_message_unref (gst_bus_pop_filtered (f->bus, GST_MESSAGE_LATENCY));
  }
}

static void
test_stats (void)
{
  g_autoptr (Pacer) f =
      pacer_new ("bitrate=8000000 max-burst=2000 header-size=100 payload-size=900 stats-interval=1",
          SIMPLE);
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
  g_assert_true (gst_structure_has_name (stats, "application/x-cbrpacer-statistics"));
  g_assert_true (gst_structure_get_double (stats, "bitrate-error", &error));
  g_assert_cmpfloat (error, ==, 0);
  g_assert_true (gst_structure_has_field (stats, "cpu-share"));
  g_assert_true (gst_structure_has_field (stats, "cpu-seconds-pacing"));
  columns = gst_fasp_value_get_array (gst_structure_get_value (stats, "burst-histogram"));
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
  g_assert_true (gst_message_has_name (message, "application/x-cbrpacer-statistics"));
  gst_message_unref (message);
}

static gdouble
get_share (Pacer *f, const gchar *name)
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
take_cpu (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  gint64 until = get_cpu_time () + 50000000;

  while (get_cpu_time () < until)
    ;
  return GST_PAD_PROBE_OK;
}

/* No thread takes more than a core, not even for the first cycle alone. */
static void
test_cpu_share (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);

  gst_pad_add_probe (f->src, GST_PAD_PROBE_TYPE_BUFFER, take_cpu, NULL, NULL);
  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  pacer_wait_for_stat (f, "cycles", 1);
  g_assert_cmpfloat (get_share (f, "cpu-seconds"), >=, .05);
  g_assert_cmpfloat (get_share (f, "cpu-share"), <=, 1);
}

typedef struct
{
  GThread *pacing, *burning;
  gint done; /* atomic */
} Threads;

static GstPadProbeReturn
note_thread (GstPad *pad, GstPadProbeInfo *info, gpointer data)
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

/* The thread may do other work while the element is stopped: that is not counted. */
static void
test_cpu_of_others (void)
{
  g_autoptr (Pacer) f = pacer_new ("bitrate=8000000 max-burst=1000", SIMPLE);
  Threads threads = { 0 };

  gst_pad_add_probe (f->src, GST_PAD_PROBE_TYPE_BUFFER, note_thread, &threads, NULL);
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
  pacer_begin_stream (f, GST_FORMAT_BYTES);
  pacer_push (f, 1000);
  pacer_assert_pull (f, 1000);
  pacer_wait_for_stat (f, "cycles", 1);
  g_assert_cmpfloat (get_share (f, "cpu-seconds"), <, .05);
}

/* Without a udpsink behind it says why not, and goes on without. */
static void
test_offload_impossible (void)
{
  g_autoptr (Pacer) f =
      pacer_new ("bitrate=8000000 payload-size=1000 max-burst=2000 segmentation-offload=true",
          SIMPLE);

  pacer_push (f, 2000);
  pacer_assert_pull (f, 1000);
  pacer_assert_pull (f, 1000);
  pacer_assert_message (f, GST_MESSAGE_WARNING, "udpsink");
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pacer/latency", test_latency);
  g_test_add_func ("/pacer/latency-of-ts", test_latency_of_ts);
  g_test_add_func ("/pacer/stats", test_stats);
  g_test_add_func ("/pacer/cpu-share", test_cpu_share);
  g_test_add_func ("/pacer/cpu-of-others", test_cpu_of_others);
  g_test_add_func ("/pacer/offload-impossible", test_offload_impossible);
  return g_test_run ();
}
