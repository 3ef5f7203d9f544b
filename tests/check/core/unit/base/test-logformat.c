/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <locale.h>
#include <string.h>
#include "fasplog.h"
#include "fasplogformat.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspLog, fasp_log_free)

/* What is off costs no more than a look, and none of its values is made. */
static void
test_off (void)
{
  FaspLog *log = NULL;
  guint made = 0;

  FASP_LOG (log, 1, LOG_EVENTS_LOST, ++made);
  g_assert_cmpuint (made, ==, 0);
  g_assert_null (fasp_log_new_session (NULL, 7));
  g_assert_false (fasp_log_changes (NULL, FASP_LOG_IS_BEHIND, TRUE));
  fasp_log_free (NULL);
}

/* What was overwritten is told where it would be. */
static void
test_lost (void)
{
  g_autoptr (FaspLog) log = fasp_log_new (4), part = fasp_log_new_session (log, 7);
  FaspLogEntry out[8];
  guint64 lost;

  for (guint i = 0; i < 6; i++)
    FASP_LOG (i % 2 != 0 ? part : log, 100 + i, BLOCK_RECOVERED, i);
  g_assert_cmpuint (fasp_log_fetch (log, out, 3, &lost), ==, 3);
  g_assert_cmpuint (lost, ==, 2);
  g_assert_cmpuint (out[0].event, ==, FASP_LOG_LOG_EVENTS_LOST);
  g_assert_cmpint (out[0].time, ==, 102);
  g_assert_cmpint (out[0].values[0], ==, 2);
  g_assert_cmpint (out[1].values[0], ==, 2);
  g_assert_cmpuint (out[1].session, ==, 0);
  g_assert_cmpuint (out[2].session, ==, 7);
  /* once */
  g_assert_cmpuint (fasp_log_fetch (log, out, 8, NULL), ==, 2);
  g_assert_cmpuint (out[0].event, ==, FASP_LOG_BLOCK_RECOVERED);
  g_assert_cmpuint (fasp_log_fetch (log, out, 8, NULL), ==, 0);
  FASP_LOG (part, 200, BLOCK_RECOVERED, 8);
  fasp_log_stop (log);
  FASP_LOG (part, 201, BLOCK_RECOVERED, 9);
  g_assert_cmpuint (fasp_log_fetch (log, out, 8, &lost), ==, 0);
  g_assert_cmpuint (lost, ==, 2);
}

static void
test_turns (void)
{
  g_autoptr (FaspLog) log = fasp_log_new (4), part = fasp_log_new_session (log, 7);

  g_assert_false (fasp_log_changes (part, FASP_LOG_IS_BEHIND, FALSE));
  g_assert_true (fasp_log_changes (part, FASP_LOG_IS_BEHIND, TRUE));
  g_assert_false (fasp_log_changes (part, FASP_LOG_IS_BEHIND, TRUE));
  g_assert_true (fasp_log_changes (log, FASP_LOG_IS_BEHIND, TRUE));
  g_assert_false (fasp_log_changes (part, FASP_LOG_LACKS_HEADER, FALSE));
  g_assert_true (fasp_log_changes (part, FASP_LOG_IS_BEHIND, FALSE));
}

/* Each event has a name of its own, and its fields have, too. */
static void
test_kinds (void)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint e = 0; e < FASP_LOG_EVENTS; e++) {
    const FaspLogKind *kind = fasp_log_get_kind (e);
    g_autoptr (GHashTable) fields = g_hash_table_new (g_str_hash, g_str_equal);

    g_assert_nonnull (kind->name);
    g_assert_true (g_hash_table_add (names, (gpointer) kind->name));
    g_assert_cmpint (kind->fields[0].type, !=, FASP_LOG_END);
    for (guint i = 0; kind->fields[i].type != FASP_LOG_END; i++)
      g_assert_true (g_hash_table_add (fields, (gpointer) kind->fields[i].name));
  }
}

static void
assert_written (FaspLog *log, const gchar *json, const gchar *line)
{
  gchar text[FASP_LOG_LINE];
  FaspLogEntry entry;
  gsize n;

  g_assert_cmpuint (fasp_log_fetch (log, &entry, 1, NULL), ==, 1);
  n = fasp_log_write_json (&entry, 0, "[::1]:7001", text, sizeof text);
  g_assert_cmpuint (n, ==, strlen (text));
  g_assert_cmpstr (text, ==, json);
  fasp_log_write_line (&entry, NULL, text, sizeof text);
  g_assert_cmpstr (text, ==, line);
  /* what does not fit is cut */
  for (gsize size = 1; size <= strlen (line); size++) {
    n = fasp_log_write_line (&entry, NULL, text, size);
    g_assert_cmpuint (n, ==, size - 1);
    g_assert_cmpuint (strlen (text), ==, size - 1);
  }
}

static void
test_written (void)
{
  g_autoptr (FaspLog) log = fasp_log_new (8), part = fasp_log_new_session (log, 7);
  FaspAddress address = { .len = 2, .bytes = { 1, 0xab } };

  /* numbers do not follow the locale, where there is one that has a comma */
  setlocale (LC_ALL, "de_DE.UTF-8");
  FASP_LOG (part, 1234567, PACKETS_LOST, 0, G_GUINT64_CONSTANT (1) << 62,
      (G_GUINT64_CONSTANT (1) << 62) + 3, 2, 5, 6, 1, 42001, FASP_LOG_WORD ("reported"));
  assert_written (log,
      "\x1e{\"time\":1234.567,\"name\":\"fasp:packets_lost\","
      "\"group_id\":\"7\",\"data\":{\"flow\":0,\"first\":4611686018427387904,"
      "\"last\":4611686018427387907,\"count\":2,\"block\":5,\"last_block\":6,\"round\":1,\"age\":42.001,\"trigger\":\"reported\"}}\n",
      "1.234567          7 packets_lost flow=0 first=4611686018427387904 "
      "last=4611686018427387907 count=2 block=5 last_block=6 round=1 age=42.001 trigger=reported");
  FASP_LOG (log, 0, PATH_DEAD, 1, 2, FASP_LOG_SHARE (.0125), -1500);
  assert_written (log,
      "\x1e{\"time\":0.000,\"name\":\"fasp:path_dead\","
      "\"data\":{\"flow\":1,\"lost\":2,\"loss\":0.012500,\"rtt\":-1.500}}\n",
      "0.000000          - path_dead flow=1 lost=2 loss=0.012500 rtt=-1.500");
  /* from a peer; and what is not known is left out */
  FASP_LOG (log, 1, CALL_REFUSED, FASP_LOG_POINTER (&address), FASP_REASON_SAME_ROLE,
      FASP_LOG_POINTER ("\"a\\\n\xc3\xa4\xff"), FALSE);
  assert_written (log,
      "\x1e{\"time\":0.001,\"name\":\"fasp:call_refused\","
      "\"data\":{\"address\":\"[::1]:7001\",\"reason\":\"same_role\","
      "\"text\":\"\\\"a\\\\\\u000a\xc3\xa4?\",\"final\":false}}\n",
      "0.000001          - call_refused address=\"01ab\" reason=same_role "
      "text=\"\\\"a\\\\\\u000a\xc3\xa4?\" final=false");
  FASP_LOG (log, 1, SESSION_CONNECTED, 0, 0, FASP_LOG_UNKNOWN);
  assert_written (log,
      "\x1e{\"time\":0.001,\"name\":\"fasp:session_connected\","
      "\"data\":{}}\n",
      "0.000001          - session_connected");
  setlocale (LC_ALL, "C");
}

static void
test_header (void)
{
  FaspLogHeader header = { .title = "a \"b\"",
    .program = "faspsink 1",
    .begun = "2026-11-26T16:00:00Z",
    .role = FASP_ROLE_SENDER,
    .dials = TRUE,
    .run = 77,
    .unix_offset = 1234567 };
  gchar text[FASP_LOG_LINE];

  fasp_log_write_header (&header, text, sizeof text);
  g_assert_cmpstr (text, ==,
      "\x1e{\"file_schema\":"
      "\"urn:ietf:params:qlog:file:sequential\",\"serialization_format\":"
      "\"application/qlog+json-seq\",\"title\":\"a \\\"b\\\"\",\"trace\":"
      "{\"common_fields\":{\"time_format\":\"relative_to_epoch\","
      "\"reference_time\":{\"clock_type\":\"monotonic\",\"epoch\":\"unknown\","
      "\"wall_clock_time\":\"2026-11-26T16:00:00Z\"},\"run\":77,"
      "\"unix_offset\":1234.567,\"program\":\"faspsink 1\",\"role\":\"sender\"},"
      "\"vantage_point\":{\"name\":\"a \\\"b\\\"\",\"type\":\"client\"},"
      "\"event_schemas\":[\"fasp:qlog:events:fasp-1\"]}}\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/log/off", test_off);
  g_test_add_func ("/log/lost", test_lost);
  g_test_add_func ("/log/turns", test_turns);
  g_test_add_func ("/log/kinds", test_kinds);
  g_test_add_func ("/log/written", test_written);
  g_test_add_func ("/log/header", test_header);
  return g_test_run ();
}
