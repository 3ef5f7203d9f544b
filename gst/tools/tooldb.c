/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <sqlite3.h>
#include <string.h>
#include "tooldb.h"

#define COMMIT_EVERY G_USEC_PER_SEC
#define INSERTS_MAX 4
/* How long to wait while another program writes to the file, in ms. After BUSY, rows wait for the
 * next second. At the start and for the last rows, BUSY_AT_ENDS holds, and then writing fails. */
#define BUSY 2000
#define BUSY_AT_ENDS 10000
/* The most rows that wait, some 500 MB: half an hour of fasp-wping with default settings. */
#define WAITING_MAX 4000000

typedef enum
{
  ROW,      /* for a table */
  START,    /* its value is the start of the measurement */
  ANOTHER,  /* the same, for another run */
  COMPLETE, /* the rows before it may be written */
  END,      /* nothing follows */
} Kind;

typedef struct
{
  Kind kind;
  guint insert, n; /* insert: the table, for a ROW */
  gint64 values[TOOL_DB_VALUES];
} Row;

struct _ToolDb
{
  sqlite3 *database;
  const gchar *tables[INSERTS_MAX];
  sqlite3_stmt *inserts[INSERTS_MAX]; /* prepared with the first row */
  gint64 run;
  GAsyncQueue *rows;
  GThread *thread;
  gchar *failure; /* the first failure; used by the thread */
  gint failed;    /* atomic: `failure' is set */
};

static void
note (ToolDb *db, int result)
{
  if (result == SQLITE_OK || result == SQLITE_DONE || db->failure != NULL)
    return;
  db->failure = g_strdup (sqlite3_errmsg (db->database));
  g_atomic_int_set (&db->failed, TRUE);
}

static void
execute (ToolDb *db, const gchar *sql)
{
  note (db, sqlite3_exec (db->database, sql, NULL, NULL, NULL));
}

static sqlite3_stmt *
prepare (ToolDb *db, const Row *row)
{
  g_autoptr (GString) sql = g_string_new (NULL);

  g_string_printf (sql, "INSERT INTO %s VALUES (?", db->tables[row->insert]);
  for (guint i = 0; i < row->n; i++)
    g_string_append (sql, ", ?");
  g_string_append (sql, ")");
  note (db, sqlite3_prepare_v2 (db->database, sql->str, -1, &db->inserts[row->insert], NULL));
  return db->inserts[row->insert];
}

static void
insert (ToolDb *db, const Row *row)
{
  sqlite3_stmt *statement;

  if (row->kind == START) {
    g_autofree gchar *sql = g_strdup_printf ("UPDATE run SET started = %" G_GINT64_FORMAT
                                             " WHERE run = %" G_GINT64_FORMAT,
        row->values[0], db->run);

    execute (db, sql);
    return;
  }
  if (row->kind == ANOTHER) {
    g_autofree gchar *sql = g_strdup_printf (
        "INSERT INTO run (started, target, rate, settings) SELECT %" G_GINT64_FORMAT
        ", target, rate, settings FROM run WHERE run = %" G_GINT64_FORMAT,
        row->values[0], db->run);

    execute (db, sql);
    db->run = sqlite3_last_insert_rowid (db->database);
    return;
  }
  statement = db->inserts[row->insert];
  if (statement == NULL)
    statement = prepare (db, row);
  if (statement == NULL)
    return;
  sqlite3_bind_int64 (statement, 1, db->run);
  for (guint i = 0; i < row->n; i++)
    if (row->values[i] == TOOL_DB_NULL)
      sqlite3_bind_null (statement, i + 2);
    else
      sqlite3_bind_int64 (statement, i + 2, row->values[i]);
  note (db, sqlite3_step (statement));
  sqlite3_reset (statement);
}

/* Writes the first @n rows, those of about a second, in one short transaction, as
 * others may be writing to the same file. FALSE: it was busy. */
static gboolean
write_rows (ToolDb *db, GQueue *rows, guint n, gboolean last)
{
  int begun;

  if (n == 0)
    return TRUE;
  sqlite3_busy_timeout (db->database, last ? BUSY_AT_ENDS : BUSY);
  begun = sqlite3_exec (db->database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
  if (begun == SQLITE_BUSY && !last && g_queue_get_length (rows) < WAITING_MAX)
    return FALSE;
  note (db, begun);
  if (begun != SQLITE_OK) { /* single rows would fail, too */
    g_queue_clear_full (rows, g_free);
    return TRUE;
  }
  for (; n > 0; n--) {
    Row *row = g_queue_pop_head (rows);

    insert (db, row);
    g_free (row);
  }
  execute (db, "COMMIT");
  return TRUE;
}

static gpointer
write_all (gpointer data)
{
  ToolDb *db = data;
  GQueue rows = G_QUEUE_INIT;
  guint complete = 0; /* rows that are complete */
  gint64 due = 0;
  gboolean end = FALSE;

  while (!end) {
    Row *row = g_async_queue_timeout_pop (db->rows, COMMIT_EVERY);

    if (row != NULL && row->kind < COMPLETE) {
      g_queue_push_tail (&rows, row);
    } else if (row != NULL) {
      end = row->kind == END;
      complete = g_queue_get_length (&rows);
      g_free (row);
    }
    if (!end && complete > 0 && g_get_monotonic_time () >= due) {
      if (write_rows (db, &rows, complete, FALSE))
        complete = 0;
      due = g_get_monotonic_time () + COMMIT_EVERY;
    }
  }
  write_rows (db, &rows, complete, TRUE);
  return NULL;
}

static void
begin_run (ToolDb *db, const ToolRun *run)
{
  sqlite3_stmt *add = NULL;

  note (db,
      sqlite3_prepare_v2 (db->database,
          "INSERT INTO run (started, target, rate, settings) VALUES (?, ?, ?, ?)", -1, &add, NULL));
  if (add == NULL)
    return;
  sqlite3_bind_int64 (add, 1, g_get_real_time ());
  sqlite3_bind_text (add, 2, run->target, -1, SQLITE_TRANSIENT);
  sqlite3_bind_int64 (add, 3, run->rate);
  sqlite3_bind_text (add, 4, run->settings, -1, SQLITE_TRANSIENT);
  note (db, sqlite3_step (add));
  sqlite3_finalize (add);
  db->run = sqlite3_last_insert_rowid (db->database);
}

static void
destroy (ToolDb *db)
{
  for (guint i = 0; i < INSERTS_MAX; i++)
    sqlite3_finalize (db->inserts[i]);
  sqlite3_close (db->database);
  g_async_queue_unref (db->rows);
  g_free (db->failure);
  g_free (db);
}

ToolDb *
tool_db_open (const gchar *path, const gchar *tables, const gchar *const *inserts, guint n_inserts,
    const ToolRun *run, gchar **error)
{
  g_autoptr (GError) no_thread = NULL;
  ToolDb *db = g_new0 (ToolDb, 1);

  db->rows = g_async_queue_new_full (g_free);
  memcpy (db->tables, inserts, MIN (n_inserts, INSERTS_MAX) * sizeof *inserts);
  note (db, sqlite3_open (path, &db->database));
  sqlite3_busy_timeout (db->database, BUSY_AT_ENDS);
  if (db->failure == NULL)
    execute (db,
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        "CREATE TABLE IF NOT EXISTS run (run INTEGER PRIMARY KEY, started "
        "INTEGER, target TEXT, rate INTEGER, settings TEXT)");
  if (db->failure == NULL)
    execute (db, tables);
  if (db->failure == NULL)
    begin_run (db, run);
  if (db->failure != NULL) {
    *error =
        g_strdup_printf ("%s: %s. Name a file that can be written with --db", path, db->failure);
    destroy (db);
    return NULL;
  }
  db->thread = g_thread_try_new ("database", write_all, db, &no_thread);
  if (db->thread == NULL) {
    *error =
        g_strdup_printf ("%s. Allow more processes (ulimit -u), or end some", no_thread->message);
    destroy (db);
    return NULL;
  }
  return db;
}

static void
add (ToolDb *db, Kind kind, guint insert, const gint64 *values, guint n)
{
  Row *row = g_new (Row, 1);

  row->kind = kind;
  row->insert = insert;
  row->n = MIN (n, TOOL_DB_VALUES);
  if (row->n > 0)
    memcpy (row->values, values, row->n * sizeof *values);
  g_async_queue_push (db->rows, row);
}

void
tool_db_add (ToolDb *db, guint insert, const gint64 *values, guint n)
{
  add (db, ROW, insert, values, n);
}

void
tool_db_complete (ToolDb *db)
{
  add (db, COMPLETE, 0, NULL, 0);
}

void
tool_db_start (ToolDb *db, gint64 started)
{
  add (db, START, 0, &started, 1);
}

void
tool_db_start_another (ToolDb *db, gint64 started)
{
  add (db, ANOTHER, 0, &started, 1);
}

gboolean
tool_db_has_failed (ToolDb *db)
{
  return g_atomic_int_get (&db->failed);
}

gboolean
tool_db_close (ToolDb *db, gchar **error)
{
  gboolean good;

  add (db, END, 0, NULL, 0);
  g_thread_join (db->thread);
  good = db->failure == NULL;
  if (!good)
    *error = g_strdup_printf ("not everything was written: %s. Is the disk "
                              "full, or another program busy with the file?",
        db->failure);
  destroy (db);
  return good;
}
