/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element in virtual time: with monitor-ts it names and counts the errors of the stream that
 * leaves, by the pipeline's clock, and changes no byte.
 */
#include "pacer.h"
#include "tsfaults.h"
#include "vcases.h"

#define RATE MAKER_RATE
#define MONITOR "bitrate=5000000 max-burst=13160 max-delay=60000000000 monitor-ts=true"

static GstStructure *
read_stats (Pacer *f)
{
  GstStructure *stats;

  g_object_get (f->h->element, "stats", &stats, NULL);
  return stats;
}

static const GstStructure *
get_structure (const GstStructure *s, const gchar *name)
{
  return gst_value_get_structure (gst_structure_get_value (s, name));
}

static guint64
get_number (const GstStructure *s, const gchar *name)
{
  guint64 value = 0;

  g_assert_true (gst_structure_get_uint64 (s, name, &value));
  return value;
}

static void
assert_error (const GstStructure *monitor, const Fault *fault, TsErrorKind kind)
{
  const GstStructure *error = get_structure (monitor, ts_error_rows[kind].name);
  guint64 count = get_number (error, "count"), now = g_get_real_time () * 1000;
  guint wanted = fault_get_wanted (fault, kind);

  g_test_message ("%s", ts_error_rows[kind].name);
  g_assert_cmpstr (gst_structure_get_string (error, "state"), ==, "good");
  if (wanted != FAULT_ANY)
    g_assert_cmpuint (count, ==, wanted);
  g_assert_cmpint (gst_structure_has_field (error, "first"), ==, count > 0);
  if (count == 0)
    return;
  g_assert_cmpuint (get_number (error, "first"), >=, now - (gint64) (60 * GST_SECOND));
  g_assert_cmpuint (get_number (error, "first"), <=, get_number (error, "last"));
  g_assert_cmpuint (get_number (error, "last"), <=, now - (gint64) GST_SECOND);
}

/* Pulls the next @size bytes, which have to be those at *at of @stream. */
static void
pull_same (Pacer *f, GBytes *stream, gsize size, gsize *at)
{
  const guint8 *data = g_bytes_get_data (stream, NULL);
  gsize end = MIN (*at + size, g_bytes_get_size (stream));

  while (*at < end) {
    g_autoptr (GstBuffer) buffer = pacer_pull_when_due (f);
    gsize n = gst_buffer_get_size (buffer);

    g_assert_cmpint (gst_buffer_memcmp (buffer, 0, data + *at, n), ==, 0);
    *at += n;
  }
}

static void
push_stream (Pacer *f, GBytes *stream)
{
  gsize size = g_bytes_get_size (stream);

  gst_harness_push (f->h,
      gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY,
          (gpointer) g_bytes_get_data (stream, NULL), size, 0, size, g_bytes_ref (stream),
          (GDestroyNotify) g_bytes_unref));
}

/* The clock is replaced by one that is far behind: time goes on. */
static void
test_faults (gconstpointer name)
{
  const Fault *fault = fault_find (name);
  g_autoptr (GBytes) stream = fault_make_stream (fault);
  g_autoptr (Pacer) f = pacer_new (MONITOR, TS);
  g_autoptr (GstStructure) stats = NULL;
  const GstStructure *monitor;
  gsize at = 0;

  pacer_set_clock (f, 1000 * GST_SECOND);
  push_stream (f, stream);
  pull_same (f, stream, 2 * RATE / 8, &at);
  pacer_set_clock (f, 0);
  /* not the end, where the clock would go on while a part of a datagram waits for more */
  pull_same (f, stream, 13 * RATE / 8, &at);
  stats = read_stats (f);
  monitor = get_structure (stats, "transport-stream");
  g_assert_cmpuint (get_number (monitor, "bitrate"), >=, RATE * 0.98);
  g_assert_cmpuint (get_number (monitor, "bitrate"), <=, RATE * 1.02);
  for (guint kind = 0; kind < TS_ERRORS; kind++)
    assert_error (monitor, fault, kind);
}

/* It can be switched while playing, and without it nothing is there. */
static void
test_switch (void)
{
  g_autoptr (GBytes) stream = fault_make_stream (fault_find ("none"));
  g_autoptr (Pacer) f = pacer_new ("bitrate=5000000 max-burst=13160 max-delay=60000000000", TS);
  gsize at = 0;

  push_stream (f, stream);
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstStructure) stats = NULL;

    g_object_set (f->h->element, "monitor-ts", i % 2 != 0, NULL);
    pull_same (f, stream, RATE / 8, &at);
    stats = read_stats (f);
    g_assert_cmpint (gst_structure_has_field (stats, "transport-stream"), ==, i % 2 != 0);
    if (i % 2 != 0)
      g_assert_cmpuint (get_number (get_structure (stats, "transport-stream"), "packets"), <=,
          RATE / 8 / TS_PACKET + 80);
  }
}

/* After the end, and in READY, nothing is known of the stream, and the counts stay. */
static void
test_end (void)
{
  const Fault *fault = fault_find ("continuity");
  g_autoptr (GBytes) stream = fault_make_stream (fault);
  g_autoptr (Pacer) f = pacer_new (MONITOR, TS);
  gsize at = 0;

  push_stream (f, stream);
  gst_harness_push_event (f->h, gst_event_new_eos ());
  pull_same (f, stream, G_MAXINT32, &at);
  while (pacer_pull_event_type (f) != GST_EVENT_EOS)
    ;
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstStructure) stats = read_stats (f);
    const GstStructure *monitor = get_structure (stats, "transport-stream");

    for (guint kind = 0; kind < TS_ERRORS; kind++) {
      const GstStructure *error = get_structure (monitor, ts_error_rows[kind].name);

      g_assert_cmpstr (gst_structure_get_string (error, "state"), ==, "unknown");
      g_assert_cmpuint (get_number (error, "count"), ==, fault_get_wanted (fault, kind));
    }
    gst_element_set_state (f->h->element, GST_STATE_READY);
  }
}

int
main (int argc, char **argv)
{
  static const gchar *const names[] = { "none", "sync-loss", "pat", "continuity", "pid",
    "pcr-repetition", "pcr-accuracy", "cat", NULL };

  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  vcases_add_texts ("/pacer-monitor", names, test_faults);
  g_test_add_func ("/pacer-monitor/switch", test_switch);
  g_test_add_func ("/pacer-monitor/end", test_end);
  return g_test_run ();
}
