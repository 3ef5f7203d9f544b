/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each error of TR 101 290, made once in a stream at an input and at an output, in virtual time:
 * metrics, summary and alarms name it, count it, and tell that it is over.
 */
#include "gstfaspmonitor.h"
#include "relayalarms.h"
#include "relaysummary.h"
#include "relaystatus.h"
#include "tsfaults.h"

/* What is measured of the stream that a maker makes. */
typedef struct
{
  Maker maker;
  GstFaspMonitor *monitor;
} Measured;

static void
measured_init (Measured *m, const Fault *fault)
{
  maker_init (&m->maker, NULL);
  m->maker.bytes = g_byte_array_new ();
  m->monitor = gst_fasp_monitor_new ();
  fault_begin (&m->maker, fault);
}

static void
measured_clear (Measured *m)
{
  g_byte_array_unref (m->maker.bytes);
  gst_fasp_monitor_free (m->monitor);
}

static void
measured_run (Measured *m, gint64 duration)
{
  for (gint64 end = m->maker.now + duration; m->maker.now < end;) {
    g_autoptr (GstBuffer) buffer = NULL;
    gint64 now = m->maker.now;

    maker_run (&m->maker, 1); /* a packet */
    if (m->maker.bytes->len == 0)
      continue; /* the fault drops it */
    buffer = gst_buffer_new_memdup (m->maker.bytes->data, m->maker.bytes->len);
    g_byte_array_set_size (m->maker.bytes, 0);
    gst_fasp_monitor_push (m->monitor, buffer, now);
  }
}

static GstStructure *
measured_describe (Measured *m)
{
  g_autoptr (GstFaspMonitor) copy = gst_fasp_monitor_copy (m->monitor, m->maker.now);
  GstStructure *stats = gst_structure_new_empty ("stats");

  gst_fasp_monitor_add_figures (copy, stats);
  return stats;
}

static void
free_end (gpointer data)
{
  RelayEndStats *end = data;

  gst_structure_free (end->stats);
  g_free (end);
}

/* A relay with a stream whose input, and only output, have these statistics. */
static RelayStats *
make_stats (GstStructure *input, GstStructure *output)
{
  RelayStats *stats = g_new0 (RelayStats, 1);
  RelayStreamStats *s = g_new0 (RelayStreamStats, 1);
  RelayEndStats *end = g_new0 (RelayEndStats, 1);

  stats->streams = g_ptr_array_new_with_free_func ((GDestroyNotify) relay_stream_stats_free);
  s->outputs = g_ptr_array_new_with_free_func (free_end);
  s->name = g_strdup ("s");
  s->streamid = g_strdup ("s");
  s->state = RELAY_RUNNING;
  s->receiving = TRUE;
  s->input.stats = input;
  end->id = 1;
  end->state = RELAY_RUNNING;
  end->stats = output;
  g_ptr_array_add (s->outputs, end);
  g_ptr_array_add (stats->streams, s);
  return stats;
}

static RelayStats *
read_relay (Measured *m)
{
  return make_stats (measured_describe (m), measured_describe (m));
}

/* The value of a metric's sample; -1: there is none. */
static gint64
get_sample (const gchar *metrics, const gchar *end, const gchar *what, TsErrorKind kind)
{
  g_autofree gchar *sample =
      g_strdup_printf ("\nfasp_relay_%s_ts_%s{stream=\"s\"%s,error=\"%s\",priority=\"%u\"} ", end,
          what, g_str_equal (end, "output") ? ",output=\"1\"" : "", ts_error_rows[kind].name,
          ts_error_rows[kind].priority);
  const gchar *at = strstr (metrics, sample);

  return at != NULL ? g_ascii_strtoll (at + strlen (sample), NULL, 10) : -1;
}

/* Of the summary's stream: of its input, or output. */
static JsonObject *
get_end (JsonNode *root, const gchar *end)
{
  JsonObject *stream = json_array_get_object_element (
      json_object_get_array_member (json_node_get_object (root), "streams"), 0);

  return g_str_equal (end, "input") ?
      json_object_get_object_member (stream, "input") :
      json_array_get_object_element (json_object_get_array_member (stream, "outputs"), 0);
}

/* NULL: the summary does not list it: it never was there, and is good, or the end is not judged. */
static JsonObject *
find_error (JsonObject *end, TsErrorKind kind)
{
  JsonArray *errors = json_object_get_array_member (end, "errors");

  g_assert_true (json_object_get_boolean_member (end, "measured"));
  for (guint i = 0; i < json_array_get_length (errors); i++) {
    JsonObject *one = json_array_get_object_element (errors, i);

    if (g_str_equal (json_object_get_string_member (one, "error"), ts_error_rows[kind].name))
      return one;
  }
  return NULL;
}

static void
assert_summary (JsonObject *end, const Fault *fault, TsErrorKind kind)
{
  JsonObject *error = find_error (end, kind);
  gdouble now = g_get_real_time () / 1e6;

  g_assert_cmpint (error != NULL, ==, fault_get_wanted (fault, kind) > 0);
  if (error == NULL)
    return;
  g_assert_cmpstr (json_object_get_string_member (error, "state"), ==, "good");
  g_assert_cmpint (json_object_get_int_member (error, "errors"), >=, 1);
  g_assert_cmpfloat (json_object_get_double_member (error, "first"), <=,
      json_object_get_double_member (error, "last"));
  g_assert_cmpfloat (json_object_get_double_member (error, "last"), <=, now);
  g_assert_cmpfloat (json_object_get_double_member (error, "first"), >=, now - 60);
}

/* At the end of the stream. */
static void
assert_counted (RelayStats *stats, const Fault *fault)
{
  static const gchar *const ends[] = { "input", "output" };
  RelayHistory *history = relay_history_new ();
  g_autofree gchar *metrics = relay_status_to_metrics (stats);
  g_autofree gchar *summary = relay_summary_to_json (stats, history, 0, 0, 0);
  g_autoptr (JsonNode) root = json_from_string (summary, NULL);

  for (guint i = 0; i < 2; i++)
    for (guint kind = 0; kind < TS_ERRORS; kind++) {
      guint wanted = fault_get_wanted (fault, kind);
      gint64 count = get_sample (metrics, ends[i], "errors_total", kind);

      g_test_message ("%s: %s", ends[i], ts_error_rows[kind].name);
      /* an error that never was there has no series, but for continuity */
      g_assert_cmpint (get_sample (metrics, ends[i], "bad", kind), ==,
          wanted > 0 || kind == TS_ERROR_CONTINUITY ? 0 : -1);
      if (wanted == 0)
        g_assert_cmpint (count, ==, kind == TS_ERROR_CONTINUITY ? 0 : -1);
      else if (wanted != FAULT_ANY)
        g_assert_cmpint (count, ==, wanted);
      else
        g_assert_cmpint (count, >, 0);
      assert_summary (get_end (root, ends[i]), fault, kind);
    }
  relay_history_free (history);
}

static gboolean
is_alarmed (RelayStats *stats)
{
  const RelayStreamStats *s = g_ptr_array_index (stats->streams, 0);
  RelayAlarms alarms = { 0 };
  RelayStreamFigures figures;
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object = json_object_new ();
  JsonArray *raised;
  gboolean found = FALSE;

  relay_figures_get_stream (s, RELAY_RATES_UNKNOWN, &figures);
  relay_alarms_note (&alarms, 1, &figures);
  relay_alarms_describe (&alarms, 1 + 2 * G_USEC_PER_SEC, 0, 0, object);
  raised = json_object_get_array_member (object, "alarms");
  for (guint i = 0; i < json_array_get_length (raised); i++)
    found |= g_str_equal (json_object_get_string_member (json_array_get_object_element (raised, i),
                              "name"),
        "signal");
  json_object_unref (object);
  return found;
}

/* Does the fault stop decoders for a moment, and is it more than missing packets? */
static gboolean
is_grave (const Fault *fault)
{
  for (guint kind = 0; kind < TS_ERRORS; kind++)
    if (fault_get_wanted (fault, kind) > 0 && ts_error_rows[kind].priority == 1
        && kind != TS_ERROR_CONTINUITY)
      return TRUE;
  return FALSE;
}

static void
test_fault (gconstpointer data)
{
  const Fault *fault = data;
  gboolean seen[TS_ERRORS] = { 0 }, alarmed = FALSE;
  RelayStats *stats;
  Measured m;

  measured_init (&m, fault);
  for (gint64 i = 0; i < FAULT_STREAM; i += TS_SECOND / 4) {
    g_autofree gchar *metrics = NULL;

    measured_run (&m, TS_SECOND / 4);
    stats = read_relay (&m);
    metrics = relay_status_to_metrics (stats);
    for (guint kind = 0; kind < TS_ERRORS; kind++)
      seen[kind] |= get_sample (metrics, "output", "bad", kind) == 1;
    alarmed |= is_alarmed (stats);
    relay_stats_free (stats);
  }
  stats = read_relay (&m);
  assert_counted (stats, fault);
  relay_stats_free (stats);
  for (guint kind = 0; kind < TS_ERRORS; kind++)
    g_assert_cmpint (seen[kind], ==, fault_get_wanted (fault, kind) > 0);
  g_assert_cmpint (alarmed, ==, is_grave (fault));
  stats = read_relay (&m);
  g_assert_false (is_alarmed (stats));
  relay_stats_free (stats);
  measured_clear (&m);
}

/* Data that is no transport stream is not measured, and a stream that is off, or an output that is
 * down, has no state. */
static void
test_unknown (void)
{
  g_autoptr (GstBuffer) rubbish = gst_buffer_new_allocate (NULL, 10000, NULL);
  g_autofree gchar *none = NULL, *off = NULL, *down = NULL, *summary = NULL;
  g_autoptr (JsonNode) root = NULL;
  RelayHistory *history = relay_history_new ();
  RelayStreamStats *s;
  RelayStats *stats;
  Measured m;

  gst_buffer_memset (rubbish, 0, 0, 10000);
  measured_init (&m, fault_find ("none"));
  gst_fasp_monitor_push (m.monitor, rubbish, 0);
  stats = read_relay (&m);
  none = relay_status_to_metrics (stats);
  g_assert_null (strstr (none, "_ts_"));
  relay_stats_free (stats);
  measured_run (&m, 2 * TS_SECOND);
  stats = read_relay (&m);
  s = g_ptr_array_index (stats->streams, 0);
  ((RelayEndStats *) g_ptr_array_index (s->outputs, 0))->state = RELAY_STARTING;
  down = relay_status_to_metrics (stats);
  g_assert_cmpint (get_sample (down, "input", "bad", TS_ERROR_SYNC_LOSS), ==, 0);
  g_assert_cmpint (get_sample (down, "output", "errors_total", TS_ERROR_SYNC_LOSS), ==, 1);
  g_assert_cmpint (get_sample (down, "output", "bad", TS_ERROR_SYNC_LOSS), ==, -1);
  s->receiving = FALSE;
  off = relay_status_to_metrics (stats);
  summary = relay_summary_to_json (stats, history, 0, 0, 0);
  root = json_from_string (summary, NULL);
  /* one word, and the error that was there */
  for (guint i = 0; i < 2; i++) {
    JsonObject *end = get_end (root, i == 0 ? "input" : "output");

    g_assert_false (json_object_get_boolean_member (end, "judged"));
    g_assert_cmpuint (json_array_get_length (json_object_get_array_member (end, "errors")), ==, 1);
    g_assert_nonnull (find_error (end, TS_ERROR_SYNC_LOSS));
  }
  g_assert_cmpint (get_sample (off, "input", "errors_total", TS_ERROR_SYNC_LOSS), ==, 1);
  g_assert_cmpint (get_sample (off, "input", "bad", TS_ERROR_SYNC_LOSS), ==, -1);
  relay_history_free (history);
  relay_stats_free (stats);
  measured_clear (&m);
}

/* The errors of an output raise the alarm where the input is not measured, and where the output
 * lacks a part of what it was to send. */
static void
test_output_alone (void)
{
  gboolean alarmed = FALSE;
  RelayStats *stats;
  Measured m;

  measured_init (&m, fault_find ("pat"));
  for (gint64 i = 0; i < FAULT_STREAM; i += TS_SECOND / 4) {
    GstStructure *output;

    measured_run (&m, TS_SECOND / 4);
    output = measured_describe (&m);
    gst_structure_set (output, "end-error", G_TYPE_STRING, "not in the stream: programme 9", NULL);
    stats = make_stats (gst_structure_new_empty ("stats"), output);
    alarmed |= is_alarmed (stats);
    relay_stats_free (stats);
  }
  g_assert_true (alarmed);
  measured_clear (&m);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n_faults; i++) {
    g_autofree gchar *path = g_strconcat ("/measured/", faults[i].name, NULL);

    g_test_add_data_func (path, &faults[i], test_fault);
  }
  g_test_add_func ("/measured/unknown", test_unknown);
  g_test_add_func ("/measured/output-alone", test_output_alone);
  return g_test_run ();
}
