/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The file that keeps the history: what it has after a restart, and every fault of it.
 */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "relayhistory.h"
#include "relayhistoryfile.h"
#include "relaylog.h"

#define EACH 20000 /* µs between writes, where a test waits for one */

static const RelayHistoryKept kept = { { "rate", "rtt-ms" }, { 1000, 100000 } };

typedef struct
{
  gchar *folder, *path;
  GPtrArray *lines; /* of the log */
} Place;

static void
note_line (const gchar *stream, const gchar *end, GLogLevelFlags level, const GstStructure *details,
    const gchar *text, gpointer lines)
{
  g_assert_null (stream);
  g_ptr_array_add (lines, g_strdup (text));
}

static void
set_up (Place *place, gconstpointer unused)
{
  place->folder = g_dir_make_tmp ("history-XXXXXX", NULL);
  place->path = g_build_filename (place->folder, "history.db", NULL);
  place->lines = g_ptr_array_new_with_free_func (g_free);
  relay_log_watch (note_line, place->lines);
}

static void
take_down (Place *place, gconstpointer unused)
{
  static const gchar *const ends[] = { "", "-wal", "-journal", "-shm" };

  relay_log_watch (NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    g_autofree gchar *name = g_strconcat (place->path, ends[i], NULL);

    g_remove (name);
  }
  g_assert_cmpint (g_rmdir (place->folder), ==, 0);
  g_ptr_array_unref (place->lines);
  g_free (place->folder);
  g_free (place->path);
}

static gint64
get_now (void)
{
  return g_get_real_time () / G_USEC_PER_SEC;
}

static void
add (RelayHistoryFile *file, const gchar *stream, guint range, gint64 time, gfloat rate)
{
  RelayHistorySample sample = { g_strdup (stream), range, time, { rate, NAN } };

  relay_history_file_add (file, &sample);
}

/* Waits until the thread has read the file. */
static GArray *
wait_for_samples (RelayHistoryFile *file)
{
  GArray *found;

  relay_history_file_read (file, get_now (), 0);
  while ((found = relay_history_file_take (file)) == NULL)
    g_usleep (1000);
  return found;
}

#define BUSY 60000 /* ms, against hanging */

/* Runs SQL in the file when no other connection has it open. The thread of a file that was freed
 * closes it late on a busy machine, as its owner waits half a second only. Returns the first
 * number.
 */
static gint64
query (const gchar *path, const gchar *text)
{
  sqlite3_stmt *statement = NULL;
  sqlite3 *database;
  gint64 number = -1;

  g_assert_cmpint (sqlite3_open (path, &database), ==, SQLITE_OK);
  sqlite3_busy_timeout (database, BUSY);
  g_assert_cmpint (sqlite3_prepare_v2 (database, text, -1, &statement, NULL), ==, SQLITE_OK);
  if (sqlite3_step (statement) == SQLITE_ROW)
    number = sqlite3_column_int64 (statement, 0);
  sqlite3_finalize (statement);
  g_assert_cmpint (sqlite3_close (database), ==, SQLITE_OK);
  return number;
}

static void
assert_whole (const gchar *path)
{
  g_assert_cmpint (query (path,
                       "SELECT count(*) FROM pragma_integrity_check WHERE "
                       "integrity_check <> 'ok'"),
      ==, 0);
}

/* --- what it has -------------------------------------------------------------------------------- */

/* Samples come back by range and time, and a value that is not known comes back as not known. */
static void
test_kept (Place *place, gconstpointer unused)
{
  RelayHistoryFile *file = relay_history_file_new (place->path, &kept, G_USEC_PER_SEC);
  gint64 now = get_now ();
  GArray *found;

  add (file, "b", 0, now - 20, 1e6);
  add (file, "a\"';", 1, now - 10, INFINITY);
  add (file, "b", 0, now - 10, 2e6);
  relay_history_file_free (file, TRUE);
  file = relay_history_file_new (place->path, &kept, G_USEC_PER_SEC);
  found = wait_for_samples (file);
  g_assert_cmpuint (found->len, ==, 3);
  for (guint i = 0; i < 3; i++) {
    const RelayHistorySample *sample = &g_array_index (found, RelayHistorySample, i);

    g_assert_cmpstr (sample->stream, ==, i < 2 ? "b" : "a\"';");
    g_assert_cmpuint (sample->range, ==, i == 2);
    g_assert_cmpint (sample->time, ==, now - (i == 0 ? 20 : 10));
    g_assert_true (i == 2 ? isnan (sample->values[0]) : sample->values[0] == (i + 1) * 1e6);
    g_assert_true (isnan (sample->values[1]));
  }
  g_array_unref (found);
  g_assert_null (relay_history_file_take (file));
  g_assert_null (relay_history_file_get_error (file));
  relay_history_file_free (file, TRUE);
  g_assert_cmpuint (place->lines->len, ==, 0);
  assert_whole (place->path);
}

/* Samples of each range go by their age, and a stream with the last of its samples. */
static void
test_ages (Place *place, gconstpointer unused)
{
  RelayHistoryFile *file = relay_history_file_new (place->path, &kept, G_USEC_PER_SEC);
  gint64 now = get_now ();

  add (file, "removed", 0, now - 1001, 1);
  add (file, "removed", 1, now - 100001, 1);
  add (file, "there", 0, now - 1001, 1);
  add (file, "there", 1, now, 1);
  relay_history_file_free (file, TRUE);
  g_assert_cmpint (query (place->path, "SELECT count(*) FROM sample"), ==, 1);
  g_assert_cmpint (query (place->path, "SELECT count(*) FROM stream WHERE name = 'there'"), ==, 1);
  g_assert_cmpint (query (place->path, "SELECT count(*) FROM stream"), ==, 1);
}

/* The clock was set back: what comes has times that were there before. */
static void
test_clock (Place *place, gconstpointer unused)
{
  RelayHistoryFile *file = relay_history_file_new (place->path, &kept, G_USEC_PER_SEC);
  gint64 now = get_now ();
  GArray *found;

  add (file, "s", 0, now + 3600, 1);
  add (file, "s", 0, now - 10, 2);
  add (file, "s", 0, now - 20, 3);
  add (file, "s", 0, now - 10, 4);
  relay_history_file_free (file, TRUE);
  assert_whole (place->path);
  file = relay_history_file_new (place->path, &kept, G_USEC_PER_SEC);
  found = wait_for_samples (file);
  g_assert_cmpuint (found->len, ==, 2);
  g_assert_cmpfloat (g_array_index (found, RelayHistorySample, 0).values[0], ==, 3);
  g_assert_cmpfloat (g_array_index (found, RelayHistorySample, 1).values[0], ==, 4);
  g_array_unref (found);
  relay_history_file_free (file, TRUE);
}

/* Other users of the machine cannot read it. */
static void
test_mode (Place *place, gconstpointer unused)
{
  RelayHistoryFile *file = relay_history_file_new (place->path, &kept, G_USEC_PER_SEC);
  struct stat about;

  add (file, "s", 0, get_now (), 1);
  relay_history_file_free (file, TRUE);
  g_assert_cmpint (stat (place->path, &about), ==, 0);
  g_assert_cmpint (about.st_mode & 0777, ==, 0600);
}

/* What no relay has written, in a file that says that it is a relay's. */
static void
test_foreign_rows (Place *place, gconstpointer unused)
{
  gint64 now = get_now ();
  g_autofree gchar *sql =
      g_strdup_printf ("CREATE TABLE stream (id INTEGER PRIMARY KEY, name);"
                       "CREATE TABLE sample (range, time, stream, \"rate\", \"rtt-ms\");"
                       "INSERT INTO stream VALUES (1, NULL), (2, x'6200ff'), (3, 'good');"
                       "INSERT INTO sample SELECT 0, %" G_GINT64_FORMAT
                       ", id, 2e6, 'fast' FROM stream;"
                       "INSERT INTO sample VALUES (0, 'then', 3, 1.0, 1.0), (0, NULL, 3, 1.0, 1.0);"
                       "PRAGMA user_version = 1; PRAGMA application_id = 1717662576",
          now - 10);
  RelayHistoryFile *file;
  sqlite3 *database;
  GArray *found;

  g_assert_cmpint (sqlite3_open (place->path, &database), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (database, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_close (database), ==, SQLITE_OK);
  file = relay_history_file_new (place->path, &kept, EACH);
  found = wait_for_samples (file);
  g_assert_cmpuint (found->len, ==, 2);
  for (guint i = 0; i < found->len; i++) {
    const RelayHistorySample *sample = &g_array_index (found, RelayHistorySample, i);

    g_assert_cmpstr (sample->stream, ==, i == 0 ? "b" : "good");
    g_assert_cmpfloat (sample->values[0], ==, 2e6);
    g_assert_true (isnan (sample->values[1]));
  }
  g_array_unref (found);
  relay_history_file_free (file, TRUE);
}

/* --- faults --------------------------------------------------------------------------------------- */

static const struct
{
  const gchar *name;
  const gchar *content; /* of the file; NULL: it is made by sql; "": a folder */
  const gchar *sql;
  const gchar *why;
} faults[] = {
  { "damaged",
      "This is no database, but is as long as the header of one would be: 100 bytes, at "
      "the least, and then some more of them.",
      NULL, "damaged, or no SQLite file" },
  { "folder", "", NULL, "may not write it" },
  { "newer", NULL, "CREATE TABLE stream (id); PRAGMA user_version = 2", "another file" },
  { "of another program", NULL, "CREATE TABLE sample (range)", "another file" },
  { "other tables", NULL,
      "CREATE TABLE sample (range); PRAGMA user_version = 1; PRAGMA application_id = 1717662576",
      "another file" },
};

static void
make_fault (const Place *place, guint i)
{
  sqlite3 *database;

  if (faults[i].content != NULL && faults[i].content[0] != '\0') {
    g_assert_true (g_file_set_contents (place->path, faults[i].content, -1, NULL));
  } else if (faults[i].content != NULL) {
    g_assert_cmpint (g_mkdir (place->path, 0700), ==, 0);
  } else {
    g_assert_cmpint (sqlite3_open (place->path, &database), ==, SQLITE_OK);
    g_assert_cmpint (sqlite3_exec (database, faults[i].sql, NULL, NULL, NULL), ==, SQLITE_OK);
    g_assert_cmpint (sqlite3_close (database), ==, SQLITE_OK);
  }
}

static void
wait_for_error (RelayHistoryFile *file, const gchar *why)
{
  for (gboolean good = FALSE; !good;) {
    g_autofree gchar *error = relay_history_file_get_error (file);

    good = why == NULL ? error == NULL : error != NULL && strstr (error, why) != NULL;
    g_usleep (1000);
  }
}

/* Each fault is in the log once, however often the file is tried, and the file stays as it was. */
static void
test_faults (Place *place, gconstpointer unused)
{
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++) {
    gsize before = 0, after = 0;
    g_autofree gchar *was = NULL, *is = NULL;
    RelayHistoryFile *file;

    g_test_message ("%s", faults[i].name);
    make_fault (place, i);
    g_file_get_contents (place->path, &was, &before, NULL);
    file = relay_history_file_new (place->path, &kept, EACH);
    add (file, "s", 0, get_now (), 1);
    wait_for_error (file, faults[i].why);
    g_usleep (5 * EACH);
    relay_history_file_free (file, TRUE);
    g_assert_cmpuint (place->lines->len, ==, 1);
    g_assert_nonnull (strstr (g_ptr_array_index (place->lines, 0), faults[i].why));
    g_assert_nonnull (strstr (g_ptr_array_index (place->lines, 0), place->path));
    g_file_get_contents (place->path, &is, &after, NULL);
    g_assert_cmpmem (was, before, is, after);
    g_ptr_array_set_size (place->lines, 0);
    g_remove (place->path);
  }
}

/* There is room for one of the tables only, then for all: what was begun is no other program's. */
static void
test_half_made (Place *place, gconstpointer unused)
{
  RelayHistoryFile *file;
  struct rlimit limit, small;

  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  small = limit;
  small.rlim_cur = 3 * 4096; /* pages: of the schema, the names, and the index of these */
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &small), ==, 0);
  file = relay_history_file_new (place->path, &kept, EACH);
  wait_for_error (file, "disk");
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  wait_for_error (file, NULL);
  add (file, "s", 0, get_now (), 1);
  relay_history_file_free (file, TRUE);
  g_assert_cmpint (query (place->path, "SELECT count(*) FROM sample"), ==, 1);
}

/* Of two relays with one file, the second is refused, until the first has ended. Then it writes
 * what it has noted since. */
static void
test_two (Place *place, gconstpointer unused)
{
  RelayHistoryFile *first = relay_history_file_new (place->path, &kept, EACH), *second;

  g_array_unref (wait_for_samples (first));
  second = relay_history_file_new (place->path, &kept, EACH);
  add (first, "s", 0, get_now () - 10, 1);
  add (second, "s", 0, get_now (), 2);
  wait_for_error (second, "another program uses it");
  relay_history_file_free (first, TRUE);
  wait_for_error (second, NULL);
  relay_history_file_free (second, TRUE);
  g_assert_cmpuint (place->lines->len, ==, 2);
  g_assert_nonnull (strstr (g_ptr_array_index (place->lines, 1), "again"));
  g_assert_cmpint (query (place->path, "SELECT count(*) FROM sample"), ==, 2);
}

/* --- the history ---------------------------------------------------------------------------------- */

static RelayStats *
make_stats (void)
{
  RelayStats *stats = g_new0 (RelayStats, 1);
  RelayStreamStats *s = g_new0 (RelayStreamStats, 1);

  s->name = g_strdup ("s");
  s->streamid = g_strdup ("s");
  s->outputs = g_ptr_array_new ();
  stats->streams = g_ptr_array_new_with_free_func ((GDestroyNotify) relay_stream_stats_free);
  g_ptr_array_add (stats->streams, s);
  return stats;
}

static void
note (RelayHistory *history, gint64 second, gint64 utc)
{
  RelayStats *stats = make_stats ();

  relay_history_note (history, second * G_USEC_PER_SEC, utc * G_USEC_PER_SEC, stats);
  relay_stats_free (stats);
}

static JsonArray *
get_list (RelayHistory *history, RelayHistoryRange range, gint64 utc, const gchar *name,
    JsonNode **root)
{
  g_autofree gchar *text = relay_history_to_json (history, "s", range, utc * G_USEC_PER_SEC);

  *root = json_from_string (text, NULL);
  return json_object_get_array_member (json_node_get_object (*root), name);
}

/* Has it what the file had? Samples come while that is read. */
static gboolean
has_found (RelayHistory *history, gint64 utc)
{
  g_autoptr (JsonNode) root = NULL;

  return json_array_get_length (get_list (history, RELAY_HOUR, utc, "time", &root)) > 100;
}

/* The chart of a relay that started anew goes on behind that of the earlier one; between both there
 * is a sample that is not known, as the relay was away for a while.  The two have other monotonic
 * times: the machine has started anew. */
static void
test_restart (Place *place, gconstpointer unused)
{
  static const guint lasting[] = { 1200, 600 }; /* s, of both */
  static const gint64 starts[] = { 5000, 100 };
  gint64 now = get_now ();

  for (guint run = 0; run < 2; run++) {
    RelayHistory *history = relay_history_new ();
    gint64 utc = now - (run == 0 ? 2400 : 600) - starts[run];

    relay_history_set_file (history, place->path);
    for (guint t = 0; t <= lasting[run]; t += 10) {
      note (history, starts[run] + t, utc);
      while (run == 1 && t == 100 && !has_found (history, utc))
        note (history, starts[run] + t, utc);
    }
    if (run == 1) {
      g_autoptr (JsonNode) root = NULL, means = NULL;
      JsonArray *times = get_list (history, RELAY_HOUR, utc, "time", &root);
      JsonArray *receivers =
          json_object_get_array_member (json_node_get_object (root), "receivers");
      JsonArray *days = get_list (history, RELAY_DAY, utc, "time", &means);

      g_assert_cmpuint (json_array_get_length (times), ==, 121 + 1 + 61);
      g_assert_cmpint (json_array_get_int_element (times, 0), ==, now - 2400);
      g_assert_cmpint (json_array_get_int_element (times, 120), ==, now - 1200);
      g_assert_cmpint (json_array_get_int_element (times, 121), ==, now - 1190);
      g_assert_cmpint (json_array_get_int_element (times, 122), ==, now - 600);
      g_assert_cmpint (json_array_get_int_element (times, 182), ==, now);
      g_assert_true (json_array_get_null_element (receivers, 121));
      g_assert_false (json_array_get_null_element (receivers, 120));
      /* 121 and 61 samples make seven times 24; the gap is shown here, too */
      g_assert_cmpuint (json_array_get_length (days), ==, 5 + 1 + 2);
    }
    relay_history_free (history);
  }
}

/* A machine without a battery starts with a clock of the past, here @behind seconds, until NTP sets
 * it.  Then the chart is as if the clock had been right from the start. */
static void
test_set_clock (Place *place, gconstpointer behind)
{
  gint64 now = get_now (), utc = now - 3000 - 5000;
  RelayHistory *history = relay_history_new ();

  relay_history_set_file (history, place->path);
  for (guint t = 0; t <= 1800; t += 10)
    note (history, 5000 + t, utc);
  relay_history_free (history);
  history = relay_history_new ();
  relay_history_set_file (history, place->path);
  utc = now - 600 - 100;
  for (guint t = 0; t < 100; t += 10) {
    note (history, 100 + t, utc - GPOINTER_TO_INT (behind));
    g_usleep (2000); /* for the thread to read the file, or not */
  }
  do {
    note (history, 200, utc);
  } while (!has_found (history, utc));
  {
    g_autoptr (JsonNode) root = NULL;
    JsonArray *times = get_list (history, RELAY_HOUR, utc, "time", &root);

    g_assert_cmpint (json_array_get_int_element (times, 0), ==, now - 3000);
    g_assert_cmpint (json_array_get_int_element (times, 180), ==, now - 1200);
    g_assert_cmpint (json_array_get_int_element (times, 182), ==, now - 600);
    g_assert_cmpuint (json_array_get_length (times), ==, 181 + 1 + 11);
  }
  relay_history_free (history);
  /* nor has the file other times */
  g_assert_cmpint (query (place->path, "SELECT count(*) FROM sample WHERE range = 0"), ==,
      181 + 11);
  g_assert_cmpint (query (place->path, "SELECT max(time) FROM sample"), ==, now - 500);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  relay_log_begin (NULL);
  g_test_add ("/relay/historyfile/kept", Place, NULL, set_up, test_kept, take_down);
  g_test_add ("/relay/historyfile/ages", Place, NULL, set_up, test_ages, take_down);
  g_test_add ("/relay/historyfile/clock", Place, NULL, set_up, test_clock, take_down);
  g_test_add ("/relay/historyfile/mode", Place, NULL, set_up, test_mode, take_down);
  g_test_add ("/relay/historyfile/foreign-rows", Place, NULL, set_up, test_foreign_rows, take_down);
  g_test_add ("/relay/historyfile/faults", Place, NULL, set_up, test_faults, take_down);
  g_test_add ("/relay/historyfile/half-made", Place, NULL, set_up, test_half_made, take_down);
  g_test_add ("/relay/historyfile/two", Place, NULL, set_up, test_two, take_down);
  g_test_add ("/relay/historyfile/restart", Place, NULL, set_up, test_restart, take_down);
  g_test_add ("/relay/historyfile/set-clock/1970", Place, GINT_TO_POINTER (1500000000), set_up,
      test_set_clock, take_down);
  g_test_add ("/relay/historyfile/set-clock/minutes", Place, GINT_TO_POINTER (1500), set_up,
      test_set_clock, take_down);
  return g_test_run ();
}
