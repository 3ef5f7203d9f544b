/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the relay shows of itself: what happened, the last hour, and the event stream, all of which
 * stay small.  (tests/check/system/check-relay-page looks at it with a browser.)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "gstfaspcommon.h"
#include "relayevents.h"
#include "relaystatuspages.h"
#include "relayeventstream.h"
#include "relayfigures.h"
#include "relayhistory.h"
#include "relaysummary.h"

static JsonNode *
parse (gchar *text)
{
  JsonNode *node = json_from_string (text, NULL);

  g_assert_nonnull (node);
  g_free (text);
  return node;
}

/* --- what happened ------------------------------------------------------------------------- */

static guint
count_events (RelayEvents *events, const gchar *stream)
{
  g_autoptr (JsonNode) root = parse (relay_events_to_json (events, 0));
  JsonArray *array = json_node_get_array (root);
  guint n = 0;

  for (guint i = 0; i < json_array_get_length (array); i++)
    n += g_strcmp0 (json_object_get_string_member_with_default (
                        json_array_get_object_element (array, i), "stream", NULL),
             stream)
        == 0;
  return n;
}

/* One stream does not push out the others. */
static void
test_events (void)
{
  RelayEvents *events = relay_events_new ();

  relay_events_add (events, 1, NULL, NULL, G_LOG_LEVEL_MESSAGE, NULL, "begins");
  for (guint i = 0; i < 1000; i++)
    relay_events_add (events, i, "loud", "input", G_LOG_LEVEL_WARNING, NULL, "again");
  g_assert_cmpuint (count_events (events, NULL), ==, 1);
  g_assert_cmpuint (count_events (events, "loud"), ==, RELAY_EVENTS_OF_GROUP);
  g_assert_cmpuint (relay_events_get_last (events), ==, 1001);
  for (guint i = 0; i < 1000; i++) {
    g_autofree gchar *name = g_strdup_printf ("%u", i);

    relay_events_add (events, i, name, NULL, G_LOG_LEVEL_MESSAGE, NULL, "once");
  }
  g_assert_cmpuint (count_events (events, "loud"), ==, 0);
  g_assert_cmpuint (count_events (events, "743"), ==, 0);
  g_assert_cmpuint (count_events (events, "744"), ==, 1);
  relay_events_free (events);
}

/* A stream whose callers come and go, and one that fails, push out no other line. */
static void
test_room (void)
{
  RelayEvents *events = relay_events_new ();
  g_autoptr (GstStructure) came = gst_structure_new_empty ("connection-added");
  g_autoptr (GstStructure) went = gst_structure_new_empty ("connection-removed");

  relay_events_add (events, 0, "loud", "input", G_LOG_LEVEL_WARNING, NULL, "one of its own");
  for (guint i = 0; i < 100; i++) {
    g_autofree gchar *name = g_strdup_printf ("%u", i);

    relay_events_add (events, i, name, NULL, G_LOG_LEVEL_MESSAGE, NULL, "once");
  }
  for (guint i = 0; i < 1000; i++) {
    relay_events_add (events, i, "loud", "output", G_LOG_LEVEL_MESSAGE, came, "came");
    relay_events_add (events, i, "loud", "output", G_LOG_LEVEL_MESSAGE, went, "went");
    relay_events_add (events, i, "dead", "output", G_LOG_LEVEL_WARNING, NULL, "failed");
  }
  g_assert_cmpuint (count_events (events, "0"), ==, 1);
  g_assert_cmpuint (count_events (events, "99"), ==, 1);
  /* 256, less the hundred, in three groups that are as large, and the warning */
  g_assert_cmpuint (count_events (events, "loud") + count_events (events, "dead"), ==, 156);
  g_assert_cmpuint (count_events (events, "loud"), >=, 2 * 51 + 1);
  relay_events_free (events);
}

static void
test_visits (void)
{
  RelayEvents *events = relay_events_new ();
  g_autoptr (GstStructure) details = gst_structure_new ("connection-removed", "address-string",
      G_TYPE_STRING, "192.0.2.7:5", "peer-name", G_TYPE_STRING, "<b>van</b>\n", "reason",
      G_TYPE_STRING, "it stopped", "bytes", G_TYPE_UINT64, (guint64) 7, "duration", G_TYPE_UINT64,
      (guint64) (3 * GST_SECOND), NULL);
  g_autofree gchar *text = g_strnfill (5000, '\304');
  g_autoptr (JsonNode) root = NULL;
  JsonObject *event, *peer;
  const gchar *line;

  relay_events_add (events, 1500000, "s", "output-2", G_LOG_LEVEL_MESSAGE, details, text);
  root = parse (relay_events_to_json (events, 0));
  event = json_array_get_object_element (json_node_get_array (root), 0);
  g_assert_cmpstr (json_object_get_string_member (event, "kind"), ==, "went");
  g_assert_cmpfloat (json_object_get_double_member (event, "time"), ==, 1.5);
  /* cut between two characters: each byte that is wrong has become one of three */
  line = json_object_get_string_member (event, "text");
  g_assert_true (g_utf8_validate (line, -1, NULL));
  g_assert_true (g_str_has_suffix (line, "\357\277\275\342\200\246"));
  g_assert_cmpuint (strlen (line), <=, RELAY_EVENTS_TEXT);
  g_assert_cmpuint (strlen (line), >, RELAY_EVENTS_TEXT - 3);
  peer = json_object_get_object_member (event, "peer");
  /* as it came, but for what no line has: markup is for the page to show as text */
  g_assert_cmpstr (json_object_get_string_member (peer, "name"), ==, "<b>van</b> ");
  g_assert_cmpstr (json_object_get_string_member (peer, "reason"), ==, "it stopped");
  g_assert_true (json_object_get_null_member (peer, "streamid"));
  g_assert_cmpint (json_object_get_int_member (peer, "bytes"), ==, 7);
  g_assert_cmpfloat (json_object_get_double_member (peer, "seconds"), ==, 3);
  relay_events_free (events);
}

/* --- the last hour ------------------------------------------------------------------------- */

static GstStructure *
make_end (guint n, const gchar *field, guint64 first, const gchar *other, guint64 second)
{
  GstStructure *s = gst_structure_new ("s", "connected-callers", G_TYPE_UINT, n, NULL);
  GPtrArray *callers = g_ptr_array_new ();

  for (guint i = 0; i < n; i++) {
    g_autofree gchar *address = g_strdup_printf ("192.0.2.1:%u", i);

    g_ptr_array_add (callers,
        gst_structure_new ("x", "caller-address-string", G_TYPE_STRING, address, field,
            G_TYPE_UINT64, first + i, other, G_TYPE_UINT64, second, "interrupted", G_TYPE_BOOLEAN,
            FALSE, "blocks-sent", G_TYPE_UINT64, (guint64) 100, "bytes-sent", G_TYPE_UINT64,
            (guint64) 100000, NULL));
  }
  gst_fasp_structure_take_structures (s, "callers", callers);
  return s;
}

static guint freed; /* outputs */

static void
free_output (RelayEndStats *end)
{
  g_clear_pointer (&end->stats, gst_structure_free);
  g_free (end);
  freed++;
}

/* A stream that has received @bytes, and lost @lost datagrams of 1000; its receivers have 0, 1, 2
 * ... blocks still to come. */
static RelayStats *
make (guint64 bytes, guint64 lost, guint receivers)
{
  RelayStats *stats = g_new0 (RelayStats, 1);
  RelayStreamStats *s = g_new0 (RelayStreamStats, 1);
  RelayEndStats *output = g_new0 (RelayEndStats, 1);

  stats->streams = g_ptr_array_new_with_free_func ((GDestroyNotify) relay_stream_stats_free);
  s->outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) free_output);
  s->name = g_strdup ("s");
  s->state = RELAY_RUNNING;
  s->input.stats = make_end (1, "packets-received", 1000 - lost, "packets-received-lost", lost);
  gst_structure_set (s->input.stats, "bytes-received-total", G_TYPE_UINT64, bytes, NULL);
  output->id = 1;
  output->stats = make_end (receivers, "blocks-queued", 0, "blocks-in-flight", 0);
  g_ptr_array_add (s->outputs, output);
  g_ptr_array_add (s->outputs, g_new0 (RelayEndStats, 1));
  g_ptr_array_add (stats->streams, s);
  return stats;
}

/* The transport stream had so many errors of this name. */
static void
set_errors (GstStructure *stats, const gchar *name, guint64 count)
{
  g_autoptr (GstStructure) error = gst_structure_new ("error", "priority", G_TYPE_UINT, 1, "state",
      G_TYPE_STRING, "good", "count", G_TYPE_UINT64, count, NULL);
  g_autoptr (GstStructure) measured =
      gst_structure_new ("measured", name, GST_TYPE_STRUCTURE, error, NULL);

  gst_structure_set (stats, "transport-stream", GST_TYPE_STRUCTURE, measured, NULL);
}

/* The same, with what a player would have noticed since the beginning. */
static RelayStats *
make_faulty (guint64 errors, guint64 missing, guint64 skips)
{
  RelayStats *stats = make (0, 0, 0);
  RelayStreamStats *s = g_ptr_array_index (stats->streams, 0);

  gst_structure_free (s->input.stats);
  s->input.stats = make_end (1, "packets-missing", missing, "skips", skips);
  set_errors (s->input.stats, "continuity", errors);
  return stats;
}

static void
add_told (const gchar *stream, const gchar *alarm, gboolean raised, const gchar *text,
    gpointer data)
{
  g_string_append_printf (data, "%s %s %d; ", stream, alarm, raised);
}

/* Returns what is told of alarms. */
static gchar *
note_and_tell (RelayHistory *history, gint64 second, RelayStats *stats)
{
  GString *told = g_string_new (NULL);

  relay_history_note (history, second * G_USEC_PER_SEC, 0, stats);
  relay_history_tell_alarms (history, second * G_USEC_PER_SEC, stats, add_told, told);
  relay_stats_free (stats);
  return g_string_free (told, FALSE);
}

static void
note (RelayHistory *history, gint64 second, RelayStats *stats)
{
  g_free (note_and_tell (history, second, stats));
}

/* An hour of seconds, and then some. */
static void
test_history (void)
{
  RelayHistory *history = relay_history_new ();
  g_autoptr (JsonNode) root = NULL, set_back = NULL;
  JsonObject *object;
  JsonArray *times;
  RelayRates rates;
  gsize size;

  note (history, 0, make (0, 0, 0));
  size = relay_history_get_size (history);
  g_assert_cmpuint (size, <=, 36 * 1024);
  rates = relay_history_get_rates (history, "s");
  g_assert_true (isnan (rates.rate) && isnan (rates.loss));
  for (gint64 i = 1; i <= 4000; i++)
    note (history, i, make (i * 1000, 0, 3));
  rates = relay_history_get_rates (history, "s");
  g_assert_cmpfloat (rates.rate, ==, 8000);
  g_assert_cmpuint (relay_history_get_size (history), ==, size);
  root = parse (relay_history_to_json (history, "s", RELAY_HOUR, 1000 * G_USEC_PER_SEC));
  object = json_node_get_object (root);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "time")), ==, 360);
  g_assert_cmpint (json_array_get_int_element (json_object_get_array_member (object, "time"), 359),
      ==, 5000);
  g_assert_cmpint (json_array_get_int_element (json_object_get_array_member (object, "rate"), 0),
      ==, 8000);
  g_assert_cmpint (json_array_get_int_element (json_object_get_array_member (object, "receivers"),
                       359),
      ==, 3);
  /* the clock is set back: all times go with it, and an hour is an hour */
  set_back = parse (relay_history_to_json (history, "s", RELAY_HOUR,
      G_GINT64_CONSTANT (-3600) * G_USEC_PER_SEC));
  times = json_object_get_array_member (json_node_get_object (set_back), "time");
  g_assert_cmpint (json_array_get_int_element (times, 359), ==, 4000 - 3600);
  g_assert_cmpint (json_array_get_int_element (times, 0), ==, 4000 - 3600 - 3590);
  /* two blocks of 1000 bytes at 8000 bit/s */
  g_assert_cmpfloat (
      json_array_get_double_element (json_object_get_array_member (object, "behind-ms"), 359), ==,
      2000);
  relay_history_free (history);
}

/* A week and an hour of samples, in which the rate doubles at the last hour's beginning. */
static void
test_ranges (void)
{
  static const struct
  {
    RelayHistoryRange range;
    guint step; /* s */
    gdouble first, last;
  } rows[] = {
    { RELAY_HOUR, 10, 1600, 1600 },
    { RELAY_DAY, 240, 800, 1600 },
    { RELAY_WEEK, 1680, 800, 1600 },
  };
  RelayHistory *history = relay_history_new ();
  RelayHistoryRange range;
  guint64 bytes = 0;

  for (guint i = 0; i <= 7 * 24 * 360 + 504; i++) {
    bytes += i <= 7 * 24 * 360 ? 1000 : 2000;
    note (history, i * 10, make (bytes, 0, 0));
  }
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (JsonNode) root = parse (relay_history_to_json (history, "s", rows[i].range, 0));
    JsonObject *object = json_node_get_object (root);
    JsonArray *times = json_object_get_array_member (object, "time");
    JsonArray *rates = json_object_get_array_member (object, "rate");

    g_assert_cmpuint (json_array_get_length (times), ==, RELAY_HISTORY_SAMPLES);
    g_assert_cmpint (json_array_get_int_element (times, 359)
            - json_array_get_int_element (times, 0),
        ==, 359 * rows[i].step);
    g_assert_cmpfloat (json_array_get_double_element (rates, 0), ==, rows[i].first);
    g_assert_cmpfloat (json_array_get_double_element (rates, 359), ==, rows[i].last);
  }
  g_assert_true (relay_history_find_range ("week", &range) && range == RELAY_WEEK);
  g_assert_false (relay_history_find_range ("year", &range));
  relay_history_free (history);
}

static void
test_rates (void)
{
  RelayHistory *history = relay_history_new ();
  RelayStats *none = make (0, 0, 0);

  /* without listeners: every ten seconds */
  note (history, 0, make (1000, 0, 0));
  note (history, 10, make (11000, 0, 0));
  g_assert_cmpfloat (relay_history_get_rates (history, "s").rate, ==, 8000);
  /* a counter that begins anew */
  note (history, 20, make (0, 0, 0));
  g_assert_true (isnan (relay_history_get_rates (history, "s").rate));
  /* what was lost, of what was sent in ten seconds */
  note (history, 21, make (500, 100, 0));
  g_assert_cmpfloat (relay_history_get_rates (history, "s").rate, ==, 4000);
  g_assert_true (isnan (relay_history_get_rates (history, "s").errors));
  /* removed */
  g_ptr_array_set_size (none->streams, 0);
  note (history, 22, none);
  g_assert_cmpuint (relay_history_get_size (history), ==, 0);
  g_assert_true (isnan (relay_history_get_rates (history, "s").rate));
  relay_history_free (history);
}

/* Faults are those of the last ten seconds. */
static void
test_faults (void)
{
  RelayHistory *history = relay_history_new ();
  RelayRates rates;

  note (history, 0, make_faulty (100, 7, 1));
  for (gint64 i = 1; i <= 30; i++) {
    note (history, i, i < 10 ? make_faulty (100, 7, 1) : make_faulty (103, 9, 2));
    rates = relay_history_get_rates (history, "s");
    g_assert_cmpfloat (rates.errors, ==, i < 10 || i >= 20 ? 0 : 3);
    g_assert_cmpfloat (rates.unrepaired, ==, i < 10 || i >= 20 ? 0 : 2);
    g_assert_cmpfloat (rates.skips, ==, i < 10 || i >= 20 ? 0 : 1);
  }
  /* another sender, whose counters begin anew */
  note (history, 31, make_faulty (103, 0, 0));
  rates = relay_history_get_rates (history, "s");
  g_assert_true (rates.errors == 0 && isnan (rates.unrepaired) && isnan (rates.skips));
  relay_history_free (history);
}

/* --- alarms ----------------------------------------------------------------------------------- */

/* A stream that comes in, with a picture each second, of which @dark is dark, and sound. */
static RelayStats *
make_seen (gdouble dark, gdouble change, gint16 level)
{
  RelayStats *stats = make (0, 0, 0);
  RelayStreamStats *s = g_ptr_array_index (stats->streams, 0);

  s->receiving = TRUE;
  g_ptr_array_set_size (s->outputs, 1);
  ((RelayEndStats *) g_ptr_array_index (s->outputs, 0))->state = RELAY_RUNNING;
  s->picture = g_new0 (RelayPictureStats, 1);
  *s->picture = (RelayPictureStats) { .interval = 1,
    .made = 1,
    .time = g_get_real_time (),
    .dark = dark,
    .change = change,
    .channels = 2,
    .levels = { { -12000, -12000 }, { level, level } } };
  return stats;
}

/* Returns the names that a stream of the summary lists, with a space behind each. */
static gchar *
list_alarms (RelayHistory *history, gint64 second, RelayStats *stats, const gchar *field)
{
  g_autoptr (JsonNode) root = NULL;
  GString *names = g_string_new (NULL);
  JsonObject *stream;
  JsonArray *all;

  relay_history_note (history, second * G_USEC_PER_SEC, 0, stats);
  root = parse (relay_summary_to_json (stats, history, 0, second * G_USEC_PER_SEC, 0));
  stream = json_array_get_object_element (json_object_get_array_member (json_node_get_object (root),
                                              "streams"),
      0);
  all = json_object_get_array_member (stream, field);
  for (guint i = 0; i < json_array_get_length (all); i++) {
    JsonNode *node = json_array_get_element (all, i);

    g_string_append_printf (names, "%s ",
        JSON_NODE_HOLDS_OBJECT (node) ?
            json_object_get_string_member (json_node_get_object (node), "name") :
            json_node_get_string (node));
  }
  relay_stats_free (stats);
  return g_string_free (names, FALSE);
}

static void
assert_alarms (RelayHistory *history, gint64 second, RelayStats *stats, const gchar *names)
{
  g_autofree gchar *found = list_alarms (history, second, stats, "alarms");

  g_assert_cmpstr (found, ==, names);
}

/* What was told of a stream is taken back when that is removed. */
static void
test_removed (void)
{
  RelayHistory *history = relay_history_new ();
  RelayStats *none = make (0, 0, 0);
  g_autofree gchar *begun = note_and_tell (history, 1, make (0, 0, 0));
  g_autofree gchar *raised = note_and_tell (history, 3, make (0, 0, 0));
  g_autofree gchar *cleared = NULL;

  g_ptr_array_set_size (none->streams, 0);
  cleared = note_and_tell (history, 4, none);
  g_assert_cmpstr (begun, ==, "");
  g_assert_cmpstr (raised, ==, "s off 1; s output 1; ");
  g_assert_cmpstr (cleared, ==, "s off 0; s output 0; ");
  relay_history_free (history);
}

/* Each alarm is there two seconds after its condition has come, and gone with it. */
static void
test_alarms (void)
{
  RelayHistory *history = relay_history_new ();
  g_autofree gchar *unwatched = NULL, *without = NULL;
  RelayStats *down = make_seen (0, 0.1, -100), *off = make_seen (1, 0, -12000);
  RelayStreamStats *s;

  assert_alarms (history, 0, make_seen (0, NAN, -100), "");
  assert_alarms (history, 1, make_seen (0.99, 0.1, -100), "");
  assert_alarms (history, 2, make_seen (0.99, 0, -100), "");
  assert_alarms (history, 3, make_seen (0.99, 0, -100), "black ");
  assert_alarms (history, 4, make_seen (0.97, 0, -6100), "");
  assert_alarms (history, 6, make_seen (0.97, 0, -6100), "frozen silent ");
  assert_alarms (history, 7, make_seen (0.97, 0.002, -5900), "");
  s = g_ptr_array_index (down->streams, 0);
  ((RelayEndStats *) g_ptr_array_index (s->outputs, 0))->state = RELAY_IDLE;
  relay_history_note (history, 8 * G_USEC_PER_SEC, 0, down);
  assert_alarms (history, 10, down, "output ");
  /* of a stream that is off, nothing else is known */
  ((RelayStreamStats *) g_ptr_array_index (off->streams, 0))->receiving = FALSE;
  relay_history_note (history, 11 * G_USEC_PER_SEC, 0, off);
  assert_alarms (history, 13, off, "off ");
  assert_alarms (history, 14, make_seen (0, 0.1, 0), "");
  relay_history_free (history);
  history = relay_history_new ();
  /* a fault of the last ten seconds, at once */
  for (guint i = 15; i < 30; i++) {
    RelayStats *stats = make_seen (0, 0.1, 0);
    RelayStreamStats *faulty = g_ptr_array_index (stats->streams, 0);

    set_errors (faulty->input.stats, "continuity", i >= 16);
    assert_alarms (history, i, stats, i >= 16 && i < 26 ? "damaged " : "");
  }
  relay_history_free (history);
  /* a fifth is lost on the way, and after 20 s a twentieth */
  history = relay_history_new ();
  for (guint i = 0; i < 40; i++) {
    guint64 sent = 100 * i, lost = i < 20 ? 20 * i : 400 + 5 * (i - 20);
    RelayStats *stats = make_seen (0, 0.1, 0);
    RelayStreamStats *lossy = g_ptr_array_index (stats->streams, 0);

    gst_structure_free (lossy->input.stats);
    lossy->input.stats =
        make_end (1, "packets-received", sent - lost, "packets-received-lost", lost);
    assert_alarms (history, i, stats, i >= 1 && i <= 26 ? "loss " : "");
  }
  relay_history_free (history);
  /* what cannot be known is said */
  history = relay_history_new ();
  unwatched = list_alarms (history, 0, make_seen (0, 0.1, 0), "unwatched");
  g_assert_cmpstr (unwatched, ==, "damaged signal loss output-loss ");
  without = list_alarms (history, 1, make (0, 0, 0), "unwatched");
  g_assert_cmpstr (without, ==, "black frozen picture silent damaged signal loss output-loss ");
  relay_history_free (history);
}

/* Is an output down that dials one receiver, which is connected? */
static gboolean
is_down (gboolean interrupted)
{
  g_autoptr (GstStructure) stats =
      gst_structure_new ("stats", "connected-callers", G_TYPE_UINT, 1, NULL);
  GPtrArray *callers = g_ptr_array_new ();
  RelayEndStats output = { .id = 1,
    .uri = (gchar *) "fasp://h:5000",
    .state = RELAY_RUNNING,
    .stats = stats };

  g_ptr_array_add (callers,
      gst_structure_new ("caller", "interrupted", G_TYPE_BOOLEAN, interrupted, NULL));
  gst_fasp_structure_take_structures (stats, "callers", callers);
  return relay_figures_is_down (&output);
}

/* An output that runs, and hears no receiver, is down if it dials one. */
static void
test_down (void)
{
  static const struct
  {
    const gchar *uri;
    gboolean down;
  } rows[] = {
    { "fasp://192.0.2.1:5000", TRUE },
    { "fasp://receiver.example:5000?latency=300", TRUE },
    { "fasp://:5000", FALSE },
    { "fasp://0.0.0.0:5000", FALSE },
    { "fasp://[::]:5000", FALSE },
    { "fasp://192.0.2.1:5000?mode=listener", FALSE },
    { "fasp://239.255.1.2:5000", FALSE },
  };
  g_autoptr (GstStructure) stats =
      gst_structure_new ("stats", "connected-callers", G_TYPE_UINT, 0, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *uri = g_strdup (rows[i].uri);
    RelayEndStats output = { .id = 1, .uri = uri, .state = RELAY_RUNNING, .stats = stats };

    g_assert_cmpint (relay_figures_is_down (&output), ==, rows[i].down);
  }
  g_assert_false (is_down (FALSE));
  g_assert_true (is_down (TRUE));
}

/* --- the summary ---------------------------------------------------------------------------- */

/* It is as short with hundreds of receivers as with eight, and names those that are furthest
 * behind. */
static void
test_summary (void)
{
  RelayHistory *history = relay_history_new ();
  RelayRates rates = { 8000, 0 };
  gsize sizes[2];

  for (guint i = 0; i < 2; i++) {
    RelayStats *stats = make (0, 0, i == 0 ? 8 : 900);
    const RelayStreamStats *s = g_ptr_array_index (stats->streams, 0);
    const RelayEndStats *output = g_ptr_array_index (s->outputs, 0);
    gchar *text = relay_summary_to_json (stats, history, 5, 0, 0);
    g_autoptr (JsonNode) list = parse (relay_summary_list_receivers (output, rates));
    g_autoptr (JsonNode) root = NULL;
    JsonArray *all = json_node_get_array (list);

    sizes[i] = strlen (text);
    root = parse (text);
    g_assert_cmpint (json_object_get_int_member (json_node_get_object (root), "happened"), ==, 5);
    g_assert_cmpuint (json_array_get_length (all), ==, i == 0 ? 8 : 900);
    g_assert_cmpfloat (json_object_get_double_member (json_array_get_object_element (all, 0),
                           "behind-ms"),
        ==, i == 0 ? 7000 : 899000);
    g_free (relay_summary_describe_receiver (output, rates, "192.0.2.1:7"));
    g_assert_null (relay_summary_describe_receiver (output, rates, "192.0.2.1:900"));
    relay_stats_free (stats);
  }
  g_assert_cmpuint (sizes[1], <, sizes[0] + 200);
  relay_history_free (history);
}

/* A sender that stands by is listed, and none of its figures is the stream's, also when it alone is
 * heard, or is there. */
static void
test_standby (void)
{
  RelayHistory *history = relay_history_new ();

  for (gint first = 1; first >= 0; first--) {
    RelayStats *stats = make (0, 0, 0);
    RelayStreamStats *s = g_ptr_array_index (stats->streams, 0);
    GPtrArray *callers = g_ptr_array_new ();
    g_autoptr (JsonNode) root = NULL;
    RelayStreamFigures figures;
    JsonObject *stream;
    JsonArray *senders;

    for (gint by = !first; by <= 1; by++)
      g_ptr_array_add (callers,
          gst_structure_new ("x", "stands-by", G_TYPE_BOOLEAN, by, "interrupted", G_TYPE_BOOLEAN,
              !by, "rtt-ms", G_TYPE_DOUBLE, by ? 8. : 4., "packets-received-lost", G_TYPE_UINT64,
              (guint64) by, NULL));
    gst_fasp_structure_take_structures (s->input.stats, "callers", callers);
    root = parse (relay_summary_to_json (stats, history, 0, 0, 0));
    stream = json_array_get_object_element (
        json_object_get_array_member (json_node_get_object (root), "streams"), 0);
    senders =
        json_object_get_array_member (json_object_get_object_member (stream, "input"), "senders");
    g_assert_cmpint (json_array_get_length (senders), ==, 1 + first);
    for (gint i = 0; i <= first; i++)
      g_assert_cmpint (json_object_get_boolean_member (json_array_get_object_element (senders, i),
                           "stands-by"),
          ==, i == first);
    g_assert_cmpfloat (json_object_get_double_member_with_default (stream, "rtt-ms", -1), ==,
        first ? 4 : -1);
    relay_figures_get_stream (s, RELAY_RATES_UNKNOWN, &figures);
    g_assert_cmpuint (figures.lost, ==, 0);
    relay_stats_free (stats);
  }
  relay_history_free (history);
}

/* How long the relay runs does not depend on the clock. */
static void
test_clock (void)
{
  RelayHistory *history = relay_history_new ();
  RelayStats *stats = make (0, 0, 0);

  stats->begun = 100 * G_USEC_PER_SEC;
  for (gint64 utc = -5000; utc <= 5000; utc += 5000) {
    g_autoptr (JsonNode) root = parse (relay_summary_to_json (stats, history, 5,
        150 * G_USEC_PER_SEC, utc * G_USEC_PER_SEC));
    JsonObject *object = json_node_get_object (root);

    g_assert_cmpfloat (json_object_get_double_member (object, "time"), ==, 150 + utc);
    g_assert_cmpint (json_object_get_int_member (object, "started"), ==, 100 + utc);
  }
  relay_stats_free (stats);
  relay_history_free (history);
}

static RelayStats *
take (gpointer unused)
{
  return make (0, 0, 3);
}

static GBytes *
ask (RelayStatusPages *pages, const gchar *path)
{
  RelayPage page = { 200, "text/plain" };

  g_assert_true (relay_status_pages_answer (pages, path, &page));
  g_assert_nonnull (page.bytes);
  return page.bytes;
}

/* A request gets the text that was made for another one just before, however its path is written.
 */
static void
test_same_text (void)
{
  static const gchar *const paths[][2] = {
    { "/status.json", "/status.json" },
    { "/metrics", "/metrics" },
    { "/happened.json", "/happened.json" },
    { "/streams/s/history/hour.json", "/streams/%73/history/hour.json" },
    { "/streams/s/outputs/1/receivers.json", "/streams/s/%6futputs/1/receivers.json" },
  };
  RelayStatusPages *pages = relay_status_pages_new (take, NULL, NULL);
  RelayPage none = { 200, "text/plain" };

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    gboolean same = FALSE;

    /* a moment may end between two questions */
    for (guint n = 0; n < 100 && !same; n++) {
      g_autoptr (GBytes) one = ask (pages, paths[i][0]), two = ask (pages, paths[i][1]);

      same = one == two;
    }
    g_assert_true (same);
  }
  g_assert_false (relay_status_pages_answer (pages, "/streams/none/history/hour.json", &none));
  g_assert_cmpstr (none.type, ==, "text/plain");
  relay_status_pages_free (pages);
}

#define SLOW (300 * G_TIME_SPAN_MILLISECOND)

/* The time of this program, in µs, which goes on as the thread that asks makes texts, by SLOW each;
 * 0: the clock's.  Atomic. */
static gsize frozen;
static GThread *asker;

/* The thread of the event stream makes texts as well, between two questions, too. */
static void
pass_time (void)
{
  if (g_atomic_pointer_get (&frozen) != 0 && g_thread_self () == asker)
    g_atomic_pointer_add (&frozen, SLOW);
}

gint64
g_get_monotonic_time (void)
{
  gint64 (*real) (void) = dlsym (RTLD_NEXT, "g_get_monotonic_time");
  gint64 time = (gint64) (gsize) g_atomic_pointer_get (&frozen);

  return time != 0 ? time : real ();
}

gchar *
json_to_string (JsonNode *node, gboolean pretty)
{
  gchar *(*real) (JsonNode *, gboolean) = dlsym (RTLD_NEXT, "json_to_string");

  pass_time ();
  return real (node, pretty);
}

static RelayStats *
take_slowly (gpointer unused)
{
  pass_time ();
  return make (0, 0, 3);
}

/* A page that takes long to make is kept, too, and not for longer than the others. */
static void
test_slow_text (void)
{
  static const gchar *const paths[] = { "/status.json", "/streams/s/history/hour.json",
    "/streams/s/outputs/1/receivers.json" };
  RelayStatusPages *pages = relay_status_pages_new (take_slowly, NULL, NULL);

  asker = g_thread_self ();
  g_atomic_pointer_set (&frozen, (gsize) g_get_monotonic_time ());
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    g_autoptr (GBytes) one = ask (pages, paths[i]), two = ask (pages, paths[i]);
    g_autoptr (GBytes) three = NULL;

    g_assert_true (one == two);
    g_atomic_pointer_add (&frozen, SLOW);
    three = ask (pages, paths[i]);
    g_assert_true (three != two);
  }
  g_atomic_pointer_set (&frozen, 0);
  relay_status_pages_free (pages);
}

/* Statistics are made each second: nothing of them stays. */
static void
test_stats (void)
{
  freed = 0;
  relay_stats_free (make (0, 0, 1));
  g_assert_cmpuint (freed, ==, 2);
}

/* --- the event stream ------------------------------------------------------------------------ */

typedef struct
{
  GMutex lock;
  GCond changed;
  guint made, held, woken;
} Heard;

static gchar *
make_text (gboolean is_heard, gpointer data)
{
  Heard *heard = data;
  gchar *text = NULL;

  g_mutex_lock (&heard->lock);
  if (is_heard)
    text = g_strdup_printf ("frame %u;", ++heard->made);
  g_mutex_unlock (&heard->lock);
  return text;
}

static void
hold (gpointer data)
{
  ((Heard *) data)->held++;
}

static void
wake (gpointer data)
{
  Heard *heard = data;

  g_mutex_lock (&heard->lock);
  heard->woken++;
  g_cond_signal (&heard->changed);
  g_mutex_unlock (&heard->lock);
}

/* Reads up to @most bytes, as soon as there are some. */
static gsize
read_some (Heard *heard, RelayListener *listener, gchar *to, gsize most)
{
  for (;;) {
    gboolean whole;
    gssize n;
    guint woken;

    g_mutex_lock (&heard->lock);
    woken = heard->woken;
    g_mutex_unlock (&heard->lock);
    n = relay_listener_read (listener, to, most, &whole);

    g_assert_cmpint (n, >=, 0);
    if (n > 0)
      return n;
    g_mutex_lock (&heard->lock);
    while (heard->woken == woken)
      g_cond_wait (&heard->changed, &heard->lock);
    g_mutex_unlock (&heard->lock);
  }
}

/* Reads a frame that nothing was read of yet; its number. */
static guint
read_frame (Heard *heard, RelayListener *listener)
{
  gchar text[64] = "";
  guint number;

  read_some (heard, listener, text, sizeof text - 1);
  g_assert_cmpint (sscanf (text, "frame %u;", &number), ==, 1);
  return number;
}

/* A slow listener holds up no other, and misses frames instead of getting all of them late. */
static void
test_event_stream (void)
{
  static const RelayListenerFuncs funcs = { hold, wake };
  Heard heard = { .made = 0 };
  RelayListener *good, *slow;
  gchar text[64];
  RelayEventStream *event_stream;
  RelayFeed *feed;
  guint last = 0;

  g_mutex_init (&heard.lock);
  g_cond_init (&heard.changed);
  event_stream = relay_event_stream_new (make_text, &heard);
  g_assert_true (relay_event_stream_begin (event_stream, NULL));
  feed = relay_event_stream_get_feed (event_stream);
  slow = relay_listener_new (feed, &funcs, &heard);
  g_assert_cmpuint (read_some (&heard, slow, text, 4), ==, 4);
  good = relay_listener_new (feed, &funcs, &heard);
  for (guint i = 0; i < 3; i++) {
    guint number = read_frame (&heard, good);

    g_assert_cmpuint (number, >, last);
    last = number;
  }
  g_assert_cmpuint (heard.held, >=, 2);
  /* the rest of what it had begun */
  g_assert_cmpmem (text, read_some (&heard, slow, text, 64), "e 1;", 4);
  g_assert_cmpuint (read_frame (&heard, slow), >=, last);
  relay_listener_end (slow);
  g_assert_cmpint (relay_listener_read (slow, NULL, 0, &(gboolean) { FALSE }), ==, -1);
  relay_listener_free (slow);
  relay_listener_free (good);
  relay_event_stream_free (event_stream);
  g_mutex_clear (&heard.lock);
  g_cond_clear (&heard.changed);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/status-pages/events", test_events);
  g_test_add_func ("/relay/status-pages/room", test_room);
  g_test_add_func ("/relay/status-pages/visits", test_visits);
  g_test_add_func ("/relay/status-pages/history", test_history);
  g_test_add_func ("/relay/status-pages/ranges", test_ranges);
  g_test_add_func ("/relay/status-pages/rates", test_rates);
  g_test_add_func ("/relay/status-pages/faults", test_faults);
  g_test_add_func ("/relay/status-pages/alarms", test_alarms);
  g_test_add_func ("/relay/status-pages/alarms/removed", test_removed);
  g_test_add_func ("/relay/status-pages/down", test_down);
  g_test_add_func ("/relay/status-pages/summary", test_summary);
  g_test_add_func ("/relay/status-pages/standby", test_standby);
  g_test_add_func ("/relay/status-pages/stats", test_stats);
  g_test_add_func ("/relay/status-pages/clock", test_clock);
  g_test_add_func ("/relay/status-pages/same-text", test_same_text);
  g_test_add_func ("/relay/status-pages/slow-text", test_slow_text);
  g_test_add_func ("/relay/status-pages/event-stream", test_event_stream);
  return g_test_run ();
}
