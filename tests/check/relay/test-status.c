/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the relay tells: whatever the elements' statistics hold, the pages are whole.
 * (A parser of others reads those of a relay that runs: tests/check/system/check-relay.)
 */
#include <math.h>
#include <string.h>
#include "gstfaspcommon.h"
#include "relaylog.h"
#include "relaystatus.h"

static RelayStats *
make (const gchar *name, GstStructure *input, GstStructure *output)
{
  RelayStats *f = g_new0 (RelayStats, 1);
  RelayStreamStats *s = g_new0 (RelayStreamStats, 1);
  RelayEndStats *end = g_new0 (RelayEndStats, 1);

  f->streams = g_ptr_array_new_with_free_func ((GDestroyNotify) relay_stream_stats_free);
  s->outputs = g_ptr_array_new_with_free_func (g_free);
  s->name = g_strdup (name);
  s->streamid = g_strdup (name);
  s->state = RELAY_RUNNING;
  s->input.stats = input;
  end->id = 1;
  end->stats = output;
  g_ptr_array_add (s->outputs, end);
  g_ptr_array_add (f->streams, s);
  return f;
}

/* Two ways, of 10 and 20 ms. */
static GstStructure *
with_ways (GstStructure *s)
{
  GPtrArray *ways = g_ptr_array_new ();

  for (guint i = 1; i <= 2; i++)
    g_ptr_array_add (ways,
        gst_structure_new ("x", "address-string", G_TYPE_STRING, "192.0.2.9:9", "rtt-ms",
            G_TYPE_DOUBLE, i * 10., "packets-lost", G_TYPE_UINT64, (guint64) i, NULL));
  gst_fasp_structure_take_structures (s, "way-list", ways);
  return s;
}

static GstStructure *
with_callers (GstStructure *s, guint n)
{
  GPtrArray *callers = g_ptr_array_new ();

  for (guint i = 0; i < n; i++) {
    g_autofree gchar *address = g_strdup_printf ("192.0.2.1:%u", 1000 + i);

    g_ptr_array_add (callers,
        with_ways (gst_structure_new ("x", "caller-address-string", G_TYPE_STRING, address,
            "bytes-sent", G_TYPE_UINT64, (guint64) i, NULL)));
  }
  gst_fasp_structure_take_structures (s, "callers", callers);
  return s;
}

static void
assert_line (const gchar *page, const gchar *line)
{
  g_autofree gchar *whole = g_strconcat ("\n", line, "\n", NULL);

  if (strstr (page, whole) == NULL)
    g_error ("there is no %s in:\n%s", line, page);
}

/* The type of a whole number does not tell whether it only grows: the table does. */
static void
test_types (void)
{
  static const gchar *const lines[] = {
    "# TYPE fasp_relay_input_clock_jumps counter",
    "# TYPE fasp_relay_input_missed_seconds counter",
    "# TYPE fasp_relay_input_key_frames_wanted counter",
    "# TYPE fasp_relay_input_key_frames_requested counter",
    "# TYPE fasp_relay_input_multicast_members gauge",
    "# TYPE fasp_relay_input_multicast_deaf counter",
    "# TYPE fasp_relay_input_multicast_returned counter",
    "# TYPE fasp_relay_input_multicast_packets_sent counter",
    "# TYPE fasp_relay_input_multicast_wire_sent_bytes counter",
    "# TYPE fasp_relay_input_multicast_blocks_sent counter",
    "# TYPE fasp_relay_input_multicast_blocks_retransmitted counter",
    "# TYPE fasp_relay_input_multicast_repairs_sent counter",
    "# TYPE fasp_relay_input_multicast_losses counter",
    "# TYPE fasp_relay_input_multicast_losses_shared counter",
    "# TYPE fasp_relay_input_multicast_requests counter",
    "# TYPE fasp_relay_input_multicast_back_off_seconds gauge",
  };
  static const gchar *const fields[] = { "clock-jumps", "multicast-members", "multicast-deaf",
    "multicast-returned", "multicast-packets-sent", "multicast-wire-bytes-sent",
    "multicast-blocks-sent", "multicast-blocks-retransmitted", "multicast-repairs-sent",
    "multicast-losses", "multicast-losses-shared", "multicast-requests", "key-frames-wanted",
    "key-frames-requested" };
  GstStructure *s = gst_structure_new ("s", "missed-ms", G_TYPE_DOUBLE, 2., "multicast-back-off-ms",
      G_TYPE_DOUBLE, 1., NULL);
  g_autofree gchar *page = NULL;
  RelayStats *f;

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    gst_structure_set (s, fields[i], G_TYPE_UINT64, (guint64) 1, NULL);
  f = make ("a", s, NULL);
  page = relay_status_to_metrics (f);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    assert_line (page, lines[i]);
  relay_stats_free (f);
}

static void
test_metrics (void)
{
  g_autofree gchar *page = NULL;
  RelayStats *f = make ("a\\b\"c\nd",
      gst_structure_new ("s", "bytes-received-total", G_TYPE_UINT64, G_GUINT64_CONSTANT (9007199),
          "bytes-received", G_TYPE_UINT64, (guint64) 7, "rtt-ms", G_TYPE_DOUBLE, 12.5, "odd-ms",
          G_TYPE_DOUBLE, NAN, "promised-interval", G_TYPE_UINT64, GST_CLOCK_TIME_NONE, "novelty",
          G_TYPE_UINT64, (guint64) 3, "word", G_TYPE_STRING, "x", NULL),
      with_callers (gst_structure_new ("s", "connected-callers", G_TYPE_UINT, 2, NULL), 2));

  page = relay_status_to_metrics (f);
  assert_line (page, "fasp_relay_input_received_bytes_total{stream=\"a\\\\b\\\"c\\nd\"} 9007199");
  assert_line (page, "# UNIT fasp_relay_input_received_bytes bytes");
  /* another field would have that name, too */
  g_assert_null (strstr (page, "} 7\n"));
  assert_line (page, "fasp_relay_input_rtt_seconds{stream=\"a\\\\b\\\"c\\nd\"} 0.0125");
  /* not known here, so it is not said to be a counter */
  assert_line (page, "# TYPE fasp_relay_input_novelty unknown");
  g_assert_null (strstr (page, "odd"));
  g_assert_null (strstr (page, "promised"));
  g_assert_null (strstr (page, "192.0.2.1"));
  g_assert_true (g_str_has_suffix (page, "\n# EOF\n"));

  f->receiver_metrics = TRUE;
  g_free (page);
  page = relay_status_to_metrics (f);
  assert_line (page,
      "fasp_relay_receiver_sent_bytes_total{stream=\"a\\\\b\\\""
      "c\\nd\",output=\"1\",receiver=\"192.0.2.1:1001\"} 1");
  assert_line (page,
      "fasp_relay_receiver_way_rtt_seconds{stream=\"a\\\\b\\\""
      "c\\nd\",output=\"1\",receiver=\"192.0.2.1:1001\",way=\"1\"} 0.02");
  assert_line (page,
      "fasp_relay_receiver_way_packets_lost_total{stream=\"a\\\\b\\\""
      "c\\nd\",output=\"1\",receiver=\"192.0.2.1:1000\",way=\"0\"} 1");
  gst_structure_free (((RelayEndStats *) g_ptr_array_index (
                           ((RelayStreamStats *) g_ptr_array_index (f->streams, 0))->outputs, 0))
          ->stats);
  relay_stats_free (f);
}

/* The first leads; the second has not been connected yet. */
static GstStructure *
with_sources (GstStructure *s)
{
  GPtrArray *sources = g_ptr_array_new (), *callers = g_ptr_array_new ();

  for (guint i = 0; i < 2; i++) {
    g_autofree gchar *name = g_strdup_printf ("relay-%u:7", i);

    g_ptr_array_add (sources,
        gst_structure_new ("x", "source", G_TYPE_UINT, i, "leads", G_TYPE_BOOLEAN, i == 0, "name",
            G_TYPE_STRING, name, "connected", G_TYPE_BOOLEAN, i == 0, "changes", G_TYPE_UINT64,
            (guint64) 3, "since-ms", G_TYPE_DOUBLE, 1500., "why", G_TYPE_STRING, "it is the first",
            "lateness-in-order-max-ms", G_TYPE_DOUBLE, 20., NULL));
    g_ptr_array_add (callers,
        gst_structure_new ("x", "packets-received-lost", G_TYPE_UINT64, (guint64) i, "source",
            G_TYPE_UINT, i, NULL));
  }
  gst_fasp_structure_take_structures (s, "callers", callers);
  gst_fasp_structure_take_structures (s, "source-list", sources);
  return s;
}

/* Of several sources, each has its samples: as a peer, and as a source. */
static void
test_sources (void)
{
  static const gchar *const lines[] = {
    "fasp_relay_input_source_in_use{stream=\"a\"} 1",
    "fasp_relay_input_source_in_use_seconds{stream=\"a\"} 2.5",
    "# TYPE fasp_relay_input_source_changes counter",
    "fasp_relay_input_source_changes_total{stream=\"a\"} 4",
    "fasp_relay_source_leads{stream=\"a\",source=\"0\",name=\"relay-0:7\"} 1",
    "fasp_relay_source_leads{stream=\"a\",source=\"1\",name=\"relay-1:7\"} 0",
    "fasp_relay_source_connected{stream=\"a\",source=\"1\",name=\"relay-1:7\"} 0",
    "fasp_relay_source_changes_total{stream=\"a\",source=\"1\",name=\"relay-1:7\"} 3",
    "fasp_relay_source_since_seconds{stream=\"a\",source=\"0\",name=\"relay-0:7\"} 1.5",
    ("fasp_relay_source_lateness_in_order_max_seconds{stream=\"a\",source=\"0\","
     "name=\"relay-0:7\"} 0.02"),
    "fasp_relay_sender_packets_received_lost_total{stream=\"a\",source=\"0\"} 0",
    "fasp_relay_sender_packets_received_lost_total{stream=\"a\",source=\"1\"} 1",
  };
  RelayStats *f = make ("a",
      with_sources (gst_structure_new ("s", "source-in-use", G_TYPE_UINT, 1, "source-in-use-ms",
          G_TYPE_DOUBLE, 2500., "source-in-use-reason", G_TYPE_STRING, "why", "source-changes",
          G_TYPE_UINT64, (guint64) 4, NULL)),
      NULL);
  g_autofree gchar *page = relay_status_to_metrics (f);

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    assert_line (page, lines[i]);
  g_assert_null (strstr (page, "_sender_source"));
  relay_stats_free (f);
}

static void
test_json (void)
{
  static const struct
  {
    GType type;
    gdouble number;
    const gchar *expected;
  } values[] = {
    { G_TYPE_UINT64, 5, "5" },
    { G_TYPE_INT, -5, "-5" },
    { G_TYPE_DOUBLE, 0.5, "0.5" },
    { G_TYPE_DOUBLE, INFINITY, "null" },
    { G_TYPE_BOOLEAN, 1, "true" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    g_auto (GValue) number = G_VALUE_INIT, value = G_VALUE_INIT;
    g_autoptr (JsonNode) node = NULL;
    g_autofree gchar *text = NULL;

    g_value_init (&value, values[i].type);
    if (values[i].type == G_TYPE_BOOLEAN) {
      g_value_set_boolean (&value, values[i].number != 0);
    } else {
      g_value_init (&number, G_TYPE_DOUBLE);
      g_value_set_double (&number, values[i].number);
      g_assert_true (g_value_transform (&number, &value));
    }
    node = relay_status_translate (&value);
    text = json_to_string (node, FALSE);
    g_assert_cmpstr (text, ==, values[i].expected);
  }
  for (guint64 never = RELAY_NEVER; never != 0; never++) {
    g_auto (GValue) value = G_VALUE_INIT;
    g_autoptr (JsonNode) node = NULL;

    g_value_init (&value, G_TYPE_UINT64);
    g_value_set_uint64 (&value, never);
    node = relay_status_translate (&value);
    g_assert_true (json_node_is_null (node));
  }
}

static void
test_ready (void)
{
  RelayStats *f = make ("a", NULL, NULL);
  RelayStreamStats *s = g_ptr_array_index (f->streams, 0);

  f->loaded = 1;
  g_assert_false (relay_stats_is_ready (f));
  s->optional = TRUE;
  g_assert_true (relay_stats_is_ready (f));
  s->optional = FALSE;
  s->receiving = TRUE;
  g_assert_true (relay_stats_is_ready (f));
  f->ending = TRUE;
  g_assert_false (relay_stats_is_ready (f));
  f->ending = FALSE;
  /* streams can be added by the API, which is asked where the relay is ready */
  g_ptr_array_set_size (f->streams, 0);
  g_assert_true (relay_stats_is_ready (f));
  f->loaded = 0;
  g_assert_false (relay_stats_is_ready (f));
  relay_stats_free (f);
}

/* Files' names and faulty configurations are bytes; JSON is UTF-8. */
static void
test_bytes (void)
{
  RelayStats *f = make ("a", NULL, NULL);
  RelayStreamStats *s = g_ptr_array_index (f->streams, 0);
  g_autofree gchar *page = NULL;

  f->refused = g_strdup ("line \xff of \xc3");
  s->error = g_strdup ("/tmp/\xfe");
  page = relay_status_to_json (f);
  g_assert_true (g_utf8_validate (page, -1, NULL));
  g_assert_nonnull (strstr (page, "line \xef\xbf\xbd of"));
  relay_stats_free (f);
}

static void
assert_plain (const gchar *text, const gchar *plain)
{
  g_autofree gchar *made = relay_log_make_plain (text);

  g_assert_cmpstr (made, ==, plain);
}

/* Of the log each event is a line, and nothing in it is the terminal's. */
static void
test_log (void)
{
  assert_plain ("Caf\303\251 1", "Caf\303\251 1");
  assert_plain ("a\nb\033[2J\177", "a b [2J ");
  assert_plain ("a\302\2332J", "a 2J");                  /* U+009B, CSI */
  assert_plain ("a\342\200\256b\342\201\251c", "a b c"); /* U+202E, U+2069 */
  assert_plain ("a\342\200\250b", "a b");                /* U+2028, end of a line */
  assert_plain ("a\233b", "a\357\277\275b");             /* no UTF-8 */
}

/* An output without an element is there, and says that it waits. */
static void
test_waiting (void)
{
  RelayStats *f = make ("a", NULL, NULL);
  RelayEndStats *end =
      g_ptr_array_index (((RelayStreamStats *) g_ptr_array_index (f->streams, 0))->outputs, 0);
  g_autofree gchar *metrics = relay_status_to_metrics (f);
  g_autofree gchar *page = relay_status_to_json (f);
  g_autofree gchar *later = NULL;

  assert_line (metrics, "fasp_relay_output_running{stream=\"a\",output=\"1\"} 0");
  assert_line (metrics, "fasp_relay_output_down{stream=\"a\",output=\"1\"} 1");
  assert_line (metrics, "fasp_relay_output_callers_refused_total{stream=\"a\",output=\"1\"} 0");
  g_assert_nonnull (strstr (page, "\"state\" : \"waiting\""));
  end->state = RELAY_RUNNING;
  later = relay_status_to_metrics (f);
  assert_line (later, "fasp_relay_output_running{stream=\"a\",output=\"1\"} 1");
  assert_line (later, "fasp_relay_output_down{stream=\"a\",output=\"1\"} 0");
  relay_stats_free (f);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/status/metrics", test_metrics);
  g_test_add_func ("/relay/status/sources", test_sources);
  g_test_add_func ("/relay/status/types", test_types);
  g_test_add_func ("/relay/status/json", test_json);
  g_test_add_func ("/relay/status/ready", test_ready);
  g_test_add_func ("/relay/status/bytes", test_bytes);
  g_test_add_func ("/relay/status/waiting", test_waiting);
  g_test_add_func ("/relay/status/log", test_log);
  return g_test_run ();
}
