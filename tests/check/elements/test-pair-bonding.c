/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Both elements against each other over the loopback interface: several flows and several
 * lines.
 */
#include <glib/gstdio.h>
#include <sqlite3.h>
#include "gstfaspcommon.h"
#include "pair.h"

/* @data: flowlets. */
static void
test_rendezvous (gconstpointer data)
{
  guint flowlets = GPOINTER_TO_UINT (data), a = pair_get_ports (2 * flowlets);
  guint b = a + flowlets;
  g_autofree gchar *sink =
      g_strdup_printf ("uri=fasp://127.0.0.1:%u?mode=rendezvous&flowlets=%u localport=%u", b,
          flowlets, a);
  g_autofree gchar *source =
      g_strdup_printf ("uri=fasp://127.0.0.1:%u?mode=rendezvous&flowlets=%u localport=%u", a,
          flowlets, b);
  g_autoptr (Pair) pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (300000);

  pair_play (pair);
  pair_push (pair, stream, 0, 300000, 5000);
  pair_finish (pair, stream);
}

/* An end that has more than the other says so, and goes on. */
static void
test_less (void)
{
  static const gchar *const less[][2] = { { "flowlets=3", "fewer flows: 1 of 3" },
#if HAVE_FEC
    { "fec=10%", "no repairs" }
#endif
  };

  for (guint i = 0; i < G_N_ELEMENTS (less); i++) {
    g_autofree gchar *sink =
        g_strdup_printf ("uri=fasp://127.0.0.1:PORT " SECRET " %s", less[i][0]);
    g_autoptr (Pair) pair = pair_new (sink, "uri=fasp://:PORT " SECRET " fec=off");
    g_autoptr (GBytes) stream = pair_make_stream (100000);

    pair_play (pair);
    pair_expect (pair->sender, GST_MESSAGE_WARNING, less[i][1]);
    pair_push (pair, stream, 0, 100000, 5000);
    pair_finish (pair, stream);
  }
}

/* How many there are of @list: "flow-list" or "way-list". */
static guint
count (GstElement *pipeline, const gchar *name, const gchar *which)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  g_autoptr (GstStructure) stats = NULL;
  const GValueArray *list;

  g_object_get (element, "stats", &stats, NULL);
  list = gst_structure_has_field (stats, which) ?
      gst_fasp_value_get_array (gst_structure_get_value (stats, which)) :
      NULL;
  return list != NULL ? list->n_values : 0;
}

static guint64
get_stat (GstElement *pipeline, const gchar *name, const gchar *which, guint n, const gchar *field)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  g_autoptr (GstStructure) stats = NULL;
  const GValueArray *list;
  guint64 value = 0;

  g_object_get (element, "stats", &stats, NULL);
  list = gst_fasp_value_get_array (gst_structure_get_value (stats, which));
  g_assert_true (gst_structure_get_uint64 (gst_value_get_structure (&list->values[n]), field,
      &value));
  return value;
}

/* Two addresses at each end, two flows to each. */
static void
test_bonding (void)
{
  guint a = pair_get_ports (4), b = a + 2;
  g_autofree gchar *sink =
      g_strdup_printf ("uri=fasp://127.0.0.1:%u?flowlets=2 "
                       "bonding-addresses=\"127.0.0.2:%u@127.0.0.3\" max-bitrate=20000000",
          a, b);
  g_autofree gchar *source = g_strdup_printf (
      "uri=fasp://127.0.0.1:%u?mode=listener&flowlets=2 bonding-addresses=127.0.0.2:%u", a, b);
  g_autoptr (Pair) pair = pair_new (sink, source);
  /* three seconds: a path that a busy machine held up has its part again */
  g_autoptr (GBytes) stream = pair_make_stream (8000000);

  pair_play (pair);
  pair_push (pair, stream, 0, 8000000, 5000);
  pair_finish (pair, stream);
  g_assert_cmpuint (count (pair->sender, "sink", "flow-list"), ==, 4);
  g_assert_cmpuint (count (pair->receiver, "source", "flow-list"), ==, 4);
  g_assert_cmpuint (get_stat (pair->sender, "sink", "flow-list", 3, "packets-sent"), >, 50);
  g_assert_cmpuint (count (pair->sender, "sink", "way-list"), ==, 2);
  g_assert_cmpuint (get_stat (pair->sender, "sink", "way-list", 1, "packets-sent"), >, 50);
  g_assert_cmpuint (count (pair->receiver, "source", "way-list"), ==, 0);
}

/* How many ways the recording @path has of which something was sent. */
static gint
count_recorded (const gchar *path)
{
  sqlite3 *database;
  sqlite3_stmt *select;
  gint n;

  g_assert_cmpint (sqlite3_open (path, &database), ==, SQLITE_OK);
  sqlite3_busy_timeout (database, 2000);
  g_assert_cmpint (sqlite3_prepare_v2 (database,
                       "SELECT count(DISTINCT way) FROM way WHERE session > 0 AND usable"
                       " AND channel_bitrate > 0 AND share > 0 AND rtt > 0 AND packets_sent > 0",
                       -1, &select, NULL),
      ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (select), ==, SQLITE_ROW);
  n = sqlite3_column_int (select, 0);
  sqlite3_finalize (select);
  sqlite3_close (database);
  return n;
}

/* Two addresses of the sender, and one of the receiver, which has a port for each. */
static void
test_one_address (void)
{
  guint a = pair_get_ports (2);
  g_autofree gchar *directory = g_dir_make_tmp ("fasp-record-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (directory, "x.db", NULL);
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u " SECRET
                                            " bonding-addresses=127.0.0.1:%u@127.0.0.3 record=%s",
      a, a + 1, path);
  g_autofree gchar *source =
      g_strdup_printf ("uri=fasp://127.0.0.1:%u?mode=listener&flowlets=2 " SECRET, a);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (2000000);
  gint64 until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;

  pair_play (pair);
  pair_push (pair, stream, 0, 1000000, 5000);
  while (count_recorded (path) < 2) { /* every 0.2 s */
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_usleep (20 * G_TIME_SPAN_MILLISECOND);
  }
  pair_push (pair, stream, 1000000, 2000000, 5000);
  pair_finish (pair, stream);
  g_assert_cmpuint (count (pair->sender, "sink", "way-list"), ==, 2);
  for (guint i = 0; i < 2; i++) {
    g_assert_cmpuint (get_stat (pair->sender, "sink", "way-list", i, "channel-bitrate"), >, 0);
    g_assert_cmpuint (get_stat (pair->sender, "sink", "way-list", i, "wire-bytes-sent"), >, 0);
  }
  pair_free (pair);
  g_unlink (path);
  g_rmdir (directory);
}

/* A line that is not there yet, of either end, is told of and holds up no other. @data: of the
 * sender, as it is to leave by. */
static void
test_early (gconstpointer data)
{
  guint a = pair_get_ports (2), b = a + 1;
  g_autofree gchar *sink =
      g_strdup_printf ("uri=fasp://127.0.0.1:%u " SECRET " bonding-addresses=\"127.0.0.2:%u@%s\"",
          a, b, (gchar *) data);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://127.0.0.1:%u?mode=listener " SECRET
                                              " bonding-addresses=203.0.113.8:%u",
      a, b);
  g_autofree gchar *sent = NULL;
  g_autoptr (Pair) pair = pair_new (sink, source);
  g_autoptr (GstBus) bus = gst_element_get_bus (pair->sender);
  g_autoptr (GBytes) stream = pair_make_stream (100000);
  g_autoptr (GstMessage) again = NULL;

  pair_play (pair);
  pair_push (pair, stream, 0, 100000, 5000);
  sent = pair_wait_text (pair->sender, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (sent, data));
  pair_expect (pair->receiver, GST_MESSAGE_WARNING, "no address \"203.0.113.8\" yet");
  /* once, though what leaves there is refused */
  while (pair_get_stat (pair->sender, "sink", "connected-callers") < 1
      || get_stat (pair->sender, "sink", "flow-list", 1, "packets-sent") < 3)
    g_thread_yield ();
  again = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  g_assert_null (again);
  pair_finish (pair, stream);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/pair/rendezvous/one", GUINT_TO_POINTER (1), test_rendezvous);
  g_test_add_data_func ("/pair/rendezvous/flowlets", GUINT_TO_POINTER (3), test_rendezvous);
  g_test_add_func ("/pair/bonding", test_bonding);
  g_test_add_func ("/pair/bonding/one-address", test_one_address);
  g_test_add_data_func ("/pair/early/interface", "wwan77", test_early);
  g_test_add_data_func ("/pair/early/address", "203.0.113.9", test_early);
  g_test_add_func ("/pair/less", test_less);
  return g_test_run ();
}
