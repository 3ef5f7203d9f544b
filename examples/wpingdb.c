/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <sqlite3.h>
#include "wpingdb.h"

#define COMMIT_EVERY G_USEC_PER_SEC

struct _WpingDb
{
  sqlite3 *database;
  sqlite3_stmt *insert;
  gint64 run;
  GAsyncQueue *bursts;          /* WpingBurst; one without packets is the end */
  GThread *thread;
  gboolean failed;              /* the thread's */
};

static gboolean
execute (WpingDb * db, const gchar * sql)
{
  if (sqlite3_exec (db->database, sql, NULL, NULL, NULL) != SQLITE_OK)
    db->failed = TRUE;
  return !db->failed;
}

static void
insert (WpingDb * db, const WpingBurst * burst)
{
  for (guint i = 0; i < burst->count; i++) {
    sqlite3_bind_int64 (db->insert, 1, db->run);
    sqlite3_bind_int64 (db->insert, 2, burst->time);
    sqlite3_bind_int64 (db->insert, 3, burst->number);
    sqlite3_bind_int64 (db->insert, 4, burst->size);
    sqlite3_bind_int64 (db->insert, 5, burst->count);
    sqlite3_bind_int64 (db->insert, 6, i);
    if (burst->rtt[i] < 0)
      sqlite3_bind_null (db->insert, 7);
    else
      sqlite3_bind_int64 (db->insert, 7, burst->rtt[i]);
    if (sqlite3_step (db->insert) != SQLITE_DONE)
      db->failed = TRUE;
    sqlite3_reset (db->insert);
  }
}

static gpointer
write_all (gpointer data)
{
  WpingDb *db = data;
  gint64 commit = g_get_monotonic_time () + COMMIT_EVERY;
  gboolean end = FALSE;

  execute (db, "BEGIN");
  while (!end) {
    WpingBurst *burst = g_async_queue_timeout_pop (db->bursts, COMMIT_EVERY);

    if (burst != NULL) {
      end = burst->count == 0;
      insert (db, burst);
      g_free (burst);
    }
    if (g_get_monotonic_time () >= commit) {
      execute (db, "COMMIT");
      execute (db, "BEGIN");
      commit = g_get_monotonic_time () + COMMIT_EVERY;
    }
  }
  execute (db, "COMMIT");
  return NULL;
}

static gboolean
begin_run (WpingDb * db, const gchar * target, const gchar * sizes,
    const gchar * counts, guint64 rate)
{
  sqlite3_stmt *add = NULL;
  gboolean good;

  good = sqlite3_prepare_v2 (db->database, "INSERT INTO run (started, target, "
      "sizes, counts, rate) VALUES (?, ?, ?, ?, ?)", -1, &add, NULL) ==
      SQLITE_OK;
  if (good) {
    sqlite3_bind_int64 (add, 1, g_get_real_time ());
    sqlite3_bind_text (add, 2, target, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text (add, 3, sizes, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text (add, 4, counts, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64 (add, 5, rate);
    good = sqlite3_step (add) == SQLITE_DONE;
  }
  sqlite3_finalize (add);
  db->run = sqlite3_last_insert_rowid (db->database);
  return good;
}

static void
destroy (WpingDb * db)
{
  sqlite3_finalize (db->insert);
  sqlite3_close (db->database);
  g_async_queue_unref (db->bursts);
  g_free (db);
}

WpingDb *
wping_db_open (const gchar * path, const gchar * target, const gchar * sizes,
    const gchar * counts, guint64 rate, gchar ** error)
{
  WpingDb *db = g_new0 (WpingDb, 1);

  db->bursts = g_async_queue_new_full (g_free);
  if (sqlite3_open (path, &db->database) != SQLITE_OK
      || !execute (db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
          "CREATE TABLE IF NOT EXISTS run (run INTEGER PRIMARY KEY, started "
          "INTEGER, target TEXT, sizes TEXT, counts TEXT, rate INTEGER);"
          "CREATE TABLE IF NOT EXISTS packet (run INTEGER, time INTEGER, burst "
          "INTEGER, size INTEGER, count INTEGER, idx INTEGER, rtt INTEGER);")
      || !begin_run (db, target, sizes, counts, rate)
      || sqlite3_prepare_v2 (db->database, "INSERT INTO packet VALUES "
          "(?, ?, ?, ?, ?, ?, ?)", -1, &db->insert, NULL) != SQLITE_OK) {
    *error = g_strdup_printf ("%s: %s. Name a file that can be written with "
        "--db.", path, sqlite3_errmsg (db->database));
    destroy (db);
    return NULL;
  }
  db->thread = g_thread_new ("database", write_all, db);
  return db;
}

void
wping_db_add (WpingDb * db, WpingBurst * burst)
{
  g_async_queue_push (db->bursts, burst);
}

gboolean
wping_db_close (WpingDb * db, gchar ** error)
{
  gboolean good;

  wping_db_add (db, g_new0 (WpingBurst, 1));
  g_thread_join (db->thread);
  good = !db->failed;
  if (!good)
    *error = g_strdup_printf ("not everything was written: %s. Is the disk "
        "full?", sqlite3_errmsg (db->database));
  destroy (db);
  return good;
}
