/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayhistorydatabase.h"
#include <fcntl.h>
#include <math.h>
#include <unistd.h>
#include <sqlite3.h>

#define VERSION 1              /* of the tables, in user_version */
#define APPLICATION 0x66617370 /* in application_id: "fasp" */
#define BUSY 2000              /* ms to wait for a program that has just the file */
#define CLEAN_EACH 60          /* writes */
/* Samples that are read: three ranges of 1000 streams. */
#define READ_MAX (1000 * 3 * 360)
#define ROW_MAX 1024 /* bytes of a row that is read; ours have less than half of this */

/* A stream without samples is deleted with the last of them.  The samples of a time are beside each
 * other, so that a write changes few pages of the file. */
#define SCHEMA \
  "BEGIN IMMEDIATE;" \
  "CREATE TABLE stream (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);" \
  "CREATE TABLE sample (range INTEGER, time INTEGER, stream INTEGER%s," \
  " PRIMARY KEY (range, time, stream)) WITHOUT ROWID;" \
  "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT"

struct _RelayHistoryDatabase
{
  RelayHistoryKept kept;
  sqlite3 *sqlite;
  sqlite3_stmt *add_stream, *add_sample;
  guint writes;
};

/* Returns why something failed, and what to do; NULL: it did not. @code: of SQLite. */
static const gchar *
explain (int code)
{
  switch (code & 0xff) {
    case SQLITE_OK:
      return NULL;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program uses it: give each relay a file of its own";
    case SQLITE_FULL:
      return "the disk is full: make room";
    case SQLITE_IOERR:
      return "the disk has an error: look at the log of the system";
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
      return "the relay may not write it: let it write in that folder, and to the file";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "it is damaged, or no SQLite file: move it away";
    case SQLITE_ERROR: /* there is no such table or column */
    case SQLITE_MISMATCH:
      return "its tables are not those of this version of fasp-relay: name another file";
    default:
      return sqlite3_errstr (code);
  }
}

/* --- the tables ------------------------------------------------------------------------------- */

static int
execute (RelayHistoryDatabase *database, const gchar *text)
{
  return sqlite3_exec (database->sqlite, text, NULL, NULL, NULL);
}

static int
prepare (RelayHistoryDatabase *database, const gchar *text, sqlite3_stmt **statement)
{
  return sqlite3_prepare_v2 (database->sqlite, text, -1, statement, NULL);
}

/* Returns a text for each figure: a comma, NAME, @after. */
static gchar *
list_names (const RelayHistoryDatabase *database, const gchar *after)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; database->kept.names[i] != NULL; i++)
    g_string_append_printf (text, ", \"%s\"%s", database->kept.names[i], after);
  return g_string_free (text, FALSE);
}

/* Makes the tables of an empty file, or looks whether they are ours. */
static int
make_tables (RelayHistoryDatabase *database)
{
  g_autofree gchar *columns = list_names (database, " REAL");
  g_autofree gchar *schema = g_strdup_printf (SCHEMA, columns, APPLICATION, VERSION);
  sqlite3_stmt *look = NULL;
  gboolean empty = FALSE, ours = FALSE;
  int code = prepare (database,
      "SELECT (SELECT count(*) FROM sqlite_master), user_version, application_id "
      "FROM pragma_user_version, pragma_application_id",
      &look);

  if (code == SQLITE_OK && (code = sqlite3_step (look)) == SQLITE_ROW) {
    empty = sqlite3_column_int64 (look, 0) == 0 && sqlite3_column_int64 (look, 1) == 0;
    ours =
        sqlite3_column_int64 (look, 1) == VERSION && sqlite3_column_int64 (look, 2) == APPLICATION;
    code = SQLITE_OK;
  }
  sqlite3_finalize (look);
  return code != SQLITE_OK || ours ? code : empty ? execute (database, schema) : SQLITE_MISMATCH;
}

static int
prepare_all (RelayHistoryDatabase *database)
{
  g_autofree gchar *names = list_names (database, "");
  g_autoptr (GString) add = g_string_new (NULL);
  int code =
      prepare (database, "INSERT OR IGNORE INTO stream (name) VALUES (?)", &database->add_stream);

  g_string_printf (add, "INSERT OR REPLACE INTO sample (range, time, stream%s) SELECT ?1, ?2, id",
      names);
  for (guint i = 0; database->kept.names[i] != NULL; i++)
    g_string_append_printf (add, ", ?%u", i + 4);
  g_string_append (add, " FROM stream WHERE name = ?3");
  return code == SQLITE_OK ? prepare (database, add->str, &database->add_sample) : code;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Makes an empty file that this user alone reads, as it names the streams: one that SQLite makes
 * could be read by all. A file that is there is not opened, as to close it would release the locks
 * of this process on it. */
static void
make_file (const gchar *path)
{
  int made = open (path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

  if (made >= 0)
    close (made);
}

/* Opens the file. Changes nothing in one that the relay did not make. */
static int
open_all (RelayHistoryDatabase *database, const gchar *path)
{
  int code;

  make_file (path);
  code = sqlite3_open (path, &database->sqlite);
  sqlite3_limit (database->sqlite, SQLITE_LIMIT_LENGTH, ROW_MAX);
  sqlite3_busy_timeout (database->sqlite, BUSY);
  if (code == SQLITE_OK)
    code = execute (database, "PRAGMA trusted_schema = OFF; PRAGMA locking_mode = EXCLUSIVE");
  if (code == SQLITE_OK)
    code = make_tables (database);
  if (code == SQLITE_OK)
    code = prepare_all (database);
  if (code == SQLITE_OK)
    code = execute (database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  return code;
}

RelayHistoryDatabase *
relay_history_database_open (const gchar *path, const RelayHistoryKept *kept, const gchar **why)
{
  RelayHistoryDatabase *database = g_new0 (RelayHistoryDatabase, 1);

  database->kept = *kept;
  *why = explain (open_all (database, path));
  if (*why != NULL)
    g_clear_pointer (&database, relay_history_database_free);
  return database;
}

void
relay_history_database_free (RelayHistoryDatabase *database)
{
  sqlite3_finalize (database->add_stream);
  sqlite3_finalize (database->add_sample);
  sqlite3_close (database->sqlite);
  g_free (database);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Reads the samples of a range. */
static int
read_range (RelayHistoryDatabase *database, guint range, gint64 now, const gint *ending,
    GArray *samples)
{
  g_autofree gchar *names = list_names (database, "");
  g_autofree gchar *text = g_strdup_printf (
      "SELECT time, name%s FROM sample JOIN stream ON id = stream WHERE range = %u AND time > "
      "%" G_GINT64_FORMAT " AND time <= %" G_GINT64_FORMAT " AND name IS NOT NULL ORDER BY time",
      names, range, now - database->kept.ages[range], now);
  sqlite3_stmt *all = NULL;
  int code = prepare (database, text, &all);

  if (code == SQLITE_OK)
    while ((code = sqlite3_step (all)) == SQLITE_ROW && samples->len < READ_MAX
        && !g_atomic_int_get (ending)) {
      RelayHistorySample sample = { g_strdup ((const gchar *) sqlite3_column_text (all, 1)), range,
        sqlite3_column_int64 (all, 0) };

      for (guint i = 0; database->kept.names[i] != NULL; i++) {
        gfloat value = sqlite3_column_double (all, i + 2);

        sample.values[i] =
            sqlite3_column_type (all, i + 2) == SQLITE_FLOAT && isfinite (value) ? value : NAN;
      }
      g_array_append_val (samples, sample);
    }
  sqlite3_finalize (all);
  return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
}

const gchar *
relay_history_database_read (RelayHistoryDatabase *database, gint64 now, const gint *ending,
    GArray *samples)
{
  int code = SQLITE_OK;

  for (guint r = 0; code == SQLITE_OK && database->kept.ages[r] != 0; r++)
    code = read_range (database, r, now, ending, samples);
  return explain (code);
}

/* --- writing ---------------------------------------------------------------------------------- */

static int
run_once (sqlite3_stmt *statement)
{
  int code = sqlite3_step (statement);

  sqlite3_reset (statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int
write_sample (RelayHistoryDatabase *database, const RelayHistorySample *sample)
{
  int code;

  sqlite3_bind_text (database->add_stream, 1, sample->stream, -1, SQLITE_STATIC);
  code = run_once (database->add_stream);
  sqlite3_bind_int64 (database->add_sample, 1, sample->range);
  sqlite3_bind_int64 (database->add_sample, 2, sample->time);
  sqlite3_bind_text (database->add_sample, 3, sample->stream, -1, SQLITE_STATIC);
  for (guint i = 0; database->kept.names[i] != NULL; i++)
    if (isfinite (sample->values[i]))
      sqlite3_bind_double (database->add_sample, i + 4, sample->values[i]);
    else
      sqlite3_bind_null (database->add_sample, i + 4);
  return code == SQLITE_OK ? run_once (database->add_sample) : code;
}

/* Deletes samples that are too old, and with each CLEAN_EACH-th write also the streams without
 * samples. @now: s, UTC. */
static int
delete_old (RelayHistoryDatabase *database, gint64 now)
{
  int code = SQLITE_OK;

  for (guint r = 0; code == SQLITE_OK && database->kept.ages[r] != 0; r++) {
    g_autofree gchar *text =
        g_strdup_printf ("DELETE FROM sample WHERE range = %u AND time <= %" G_GINT64_FORMAT, r,
            now - database->kept.ages[r]);

    code = execute (database, text);
  }
  if (code == SQLITE_OK && database->writes++ % CLEAN_EACH == 0)
    code = execute (database, "DELETE FROM stream WHERE id NOT IN (SELECT stream FROM sample)");
  return code;
}

/* In one transaction, which ends with the connection if it fails. */
static int
write_all (RelayHistoryDatabase *database, const GArray *samples)
{
  int code = execute (database, "BEGIN IMMEDIATE");

  for (guint i = 0; code == SQLITE_OK && i < samples->len; i++)
    code = write_sample (database, &g_array_index (samples, RelayHistorySample, i));
  if (code == SQLITE_OK)
    code =
        delete_old (database, g_array_index (samples, RelayHistorySample, samples->len - 1).time);
  return code == SQLITE_OK ? execute (database, "COMMIT") : code;
}

const gchar *
relay_history_database_write (RelayHistoryDatabase *database, const GArray *samples)
{
  return samples->len > 0 ? explain (write_all (database, samples)) : NULL;
}
