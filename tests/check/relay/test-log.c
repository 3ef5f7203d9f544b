/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the relay's log says of peers that come and go, and how much of it.
 */
#include <json-glib/json-glib.h>
#include <malloc.h>
#include <string.h>
#include "relaylog.h"
#include "relayrepeats.h"
#include "relayvisits.h"

static const struct
{
  const gchar *structure, *text;
} visits[] = {
  { "connection-added, address-string=(string)\"192.0.2.1:5\", streamid=(string)\"\";",
      "192.0.2.1:5 is connected." },
  { "connection-added, address-string=(string)\"[::1]:5\", streamid=(string)news;",
      "[::1]:5 is connected (streamid \"news\")." },
  { "connection-added, address-string=(string)\"[::1]:5\", "
    "streamid=(string)news, peer-key=(string)MCow, peer-name=(string)van;",
      "[::1]:5 is connected (streamid \"news\", key of van)." },
  { "connection-added, address-string=(string)\"[::1]:5\", "
    "streamid=(string)\"\", peer-key=(string)MCow, "
    "peer-name=(string)\"\";",
      "[::1]:5 is connected (key MCow)." },
  { "connection-removed, address-string=(string)\"[::1]:5\", "
    "streamid=(string)news, reason=(string)\"[::1]:5 has finished\", "
    "bytes=(guint64)12345678901, duration=(guint64)61250000000;",
      "[::1]:5 has gone after 61.2 s and 12345678901 bytes "
      "(streamid \"news\"): [::1]:5 has finished." },
  { "connection-removed, address-string=(string)\"192.0.2.1:5\";", "192.0.2.1:5 has gone." },
  { "connection-removed, address-string=(string)NULL, reason=(string)lost;",
      "a peer has gone: lost." },
  { "promise-changed, latency-ms=(uint)7;", NULL },
};

static void
test_visits (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (visits); i++) {
    GstStructure *s = gst_structure_from_string (visits[i].structure, NULL);
    g_autoptr (GstMessage) message = gst_message_new_element (NULL, s);
    g_autofree gchar *text = relay_visits_describe (message);

    g_assert_nonnull (s);
    g_assert_cmpstr (text, ==, visits[i].text);
  }
}

/* A flood is so many lines in so much time, and says how many there were. */
static void
test_budget (void)
{
  RelayLogBudget budget = { .most = 3, .time = 1000 };
  guint missed, lines = 0;

  for (gint64 now = 5; now < 1005; now++) {
    lines += relay_log_may (&budget, now, &missed);
    g_assert_cmpuint (missed, ==, 0);
  }
  g_assert_cmpuint (lines, ==, 3);
  g_assert_true (relay_log_may (&budget, 1005, &missed));
  g_assert_cmpuint (missed, ==, 997);
  /* one that is alone is told at once */
  g_assert_true (relay_log_may (&budget, 5000, &missed));
  g_assert_cmpuint (missed, ==, 0);
}

/* Two hundred ends that are dead for an hour have less than a line a minute each. */
static void
test_dead_ends (void)
{
  RelayRepeats *repeats = relay_repeats_new ();
  const guint ends = 200;
  guint lines = 0;

  for (gint64 s = 0; s < 3600; s += 10)
    for (guint end = 0; end < ends; end++) {
      g_autofree gchar *line = g_strdup_printf ("output-%u: no route", end);
      g_autofree gchar *note = relay_repeats_note (repeats, 1 + s * G_USEC_PER_SEC, line, line);

      lines += note != NULL;
    }
  /* at 0, 10, 20, 40, ..., 2560 s */
  g_assert_cmpuint (lines, ==, 10 * ends);
  relay_repeats_free (repeats);
}

/* Callers that are refused have other ports each time.  After the time in which a line would be
 * repeated, none of theirs is kept: a relay that runs for days does not collect them. */
static void
test_forgotten (void)
{
  RelayRepeats *repeats = relay_repeats_new ();
  g_autofree gchar *padding = g_strnfill (10000, 'x');
  gsize before = mallinfo2 ().uordblks;

  for (guint i = 0; i < RELAY_REPEATS_MAX; i++) {
    g_autofree gchar *line = g_strdup_printf ("port %u %s", i, padding);

    g_free (relay_repeats_note (repeats, 1, line, line));
  }
  g_free (relay_repeats_note (repeats, 1 + RELAY_REPEATS_QUIET, "new", "new"));
  g_assert_cmpuint (mallinfo2 ().uordblks, <, before + 100000);
  relay_repeats_free (repeats);
}

/* A fault that lasts for a day is some lines, each says how often it was told; another one is told
 * at once, and so is the first when it was quiet. */
static void
test_repeats (void)
{
  static const gint64 written[] = { 0, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240,
    20480, 40960, 81920 };
  RelayRepeats *repeats = relay_repeats_new ();
  const gint64 day = 24 * 3600;
  guint lines = 0;

  for (gint64 s = 0; s < day; s += 2) {
    g_autofree gchar *note =
        relay_repeats_note (repeats, 1 + s * G_USEC_PER_SEC, "no route", "no route: x");
    g_autofree gchar *said = NULL;

    if (note == NULL)
      continue;
    g_assert_cmpint (s, ==, written[lines]);
    said = lines == 0 ? g_strdup ("no route: x") :
                        g_strdup_printf ("no route: x (%u times in the last %u s)",
                            (guint) (s - written[lines - 1]) / 2, (guint) (s - written[lines - 1]));
    g_assert_cmpstr (note, ==, said);
    lines++;
    if (lines == 5) {
      g_autofree gchar *other =
          relay_repeats_note (repeats, 1 + s * G_USEC_PER_SEC, "another", "no route: x");

      g_assert_cmpstr (other, ==, "no route: x");
    }
  }
  g_assert_cmpuint (lines, ==, G_N_ELEMENTS (written));
  g_free (relay_repeats_note (repeats, (day + 400) * G_USEC_PER_SEC, "another", ""));
  for (guint i = 0; i < 2; i++) {
    g_autofree gchar *note =
        relay_repeats_note (repeats, (day + 400) * G_USEC_PER_SEC, "no route", "x");

    g_assert_cmpstr (note, ==, i == 0 ? "x" : NULL);
  }
  /* of many that differ, those that were told last are known */
  for (guint i = 0; i < RELAY_REPEATS_MAX; i++) {
    g_autofree gchar *line = g_strdup_printf ("%u", i);

    g_free (relay_repeats_note (repeats, (day + 401) * G_USEC_PER_SEC, line, line));
  }
  g_assert_null (relay_repeats_note (repeats, (day + 402) * G_USEC_PER_SEC, "0", ""));
  g_assert_null (relay_repeats_note (repeats, (day + 402) * G_USEC_PER_SEC, "31", ""));
  relay_repeats_free (repeats);
}

/* A line of JSON is one line, whatever the network has put into it, and a reader gets it back. */
static void
test_json (void)
{
  static const GLogField fields[] = {
    { "MESSAGE", "news: output: \"a\\b\"\nis connected.", -1 },
    { "PRIORITY", "5", -1 },
    { "FASP_ADDRESS_STRING", "[::1]:5 and more", 7 },
  };
  static const gchar *const members[][2] = {
    { "time", "2026-11-27T04:30:00.000250Z" },
    { "message", "news: output: \"a\\b\" is connected." },
    { "priority", "5" },
    { "address-string", "[::1]:5" },
  };
  g_autofree gchar *line =
      relay_log_to_json (G_GINT64_CONSTANT (1795753800000250), fields, G_N_ELEMENTS (fields));
  g_autoptr (JsonNode) root = json_from_string (line, NULL);

  g_assert_nonnull (root);
  g_assert_null (strchr (line, '\n'));
  g_assert_cmpuint (json_object_get_size (json_node_get_object (root)), ==, G_N_ELEMENTS (members));
  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    g_assert_cmpstr (json_object_get_string_member (json_node_get_object (root), members[i][0]), ==,
        members[i][1]);
}

static GLogWriterOutput
keep_fields (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  GHashTable *kept = data;

  for (gsize i = 0; i < n_fields; i++)
    g_hash_table_insert (kept, g_strdup (fields[i].key), g_strdup (fields[i].value));
  return G_LOG_WRITER_HANDLED;
}

/* The texts and numbers of a peer's message are fields, in plain text; empty ones are left out. */
static void
test_fields (void)
{
  static const gchar *const expected[][2] = {
    { "MESSAGE", "news: output: it has gone" },
    { "PRIORITY", "5" },
    { "SYSLOG_IDENTIFIER", "fasp-relay" },
    { "FASP_STREAM", "news" },
    { "FASP_END", "output" },
    { "FASP_EVENT", "connection-removed" },
    { "FASP_ADDRESS_STRING", "[::1]:5" },
    { "FASP_REASON", "a b" },
    { "FASP_BYTES", "12345678901" },
  };
  g_autoptr (GHashTable) kept = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GstStructure) details =
      gst_structure_new ("connection-removed", "address", G_TYPE_SOCKET_ADDRESS, NULL,
          "address-string", G_TYPE_STRING, "[::1]:5", "streamid", G_TYPE_STRING, "", "reason",
          G_TYPE_STRING, "a\nb", "bytes", G_TYPE_UINT64, G_GUINT64_CONSTANT (12345678901), NULL);

  g_log_set_writer_func (keep_fields, kept, NULL);
  relay_log_end ("news", "output", G_LOG_LEVEL_MESSAGE, details, "it has gone");
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpstr (g_hash_table_lookup (kept, expected[i][0]), ==, expected[i][1]);
  g_assert_cmpuint (g_hash_table_size (kept), ==, G_N_ELEMENTS (expected));
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/log/visits", test_visits);
  g_test_add_func ("/relay/log/budget", test_budget);
  g_test_add_func ("/relay/log/repeats", test_repeats);
  g_test_add_func ("/relay/log/forgotten", test_forgotten);
  g_test_add_func ("/relay/log/dead-ends", test_dead_ends);
  g_test_add_func ("/relay/log/json", test_json);
  g_test_add_func ("/relay/log/fields", test_fields);
  return g_test_run ();
}
