/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <sqlite3.h>
#include "gstfaspdatabase.h"

/* ms to wait for another program that uses the database: each time; and in total, once the element
 * waits for the recording to end */
#define BUSY 2000
#define BUSY_AT_END 200
#define BUSY_STEP 10
#define SCHEMA \
  "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;" \
  "CREATE TABLE IF NOT EXISTS run (run INTEGER PRIMARY KEY, element TEXT," \
  " unix_offset INTEGER);" \
  "CREATE TABLE IF NOT EXISTS block (run INTEGER, time INTEGER," \
  " since_last INTEGER, full_size INTEGER, payload_size INTEGER," \
  " number INTEGER, round INTEGER, copy INTEGER, fresh INTEGER," \
  " sender_time INTEGER, session INTEGER);" \
  "CREATE TABLE IF NOT EXISTS way (run INTEGER, time INTEGER, session INTEGER," \
  " way INTEGER, usable INTEGER, channel_bitrate INTEGER, send_bitrate INTEGER," \
  " share REAL, queueing_delay INTEGER, rtt INTEGER, bytes_in_flight INTEGER," \
  " packets_sent INTEGER, packets_lost INTEGER);"
#define WAY_COLUMNS \
  "run,time,session,way,usable,channel_bitrate,send_bitrate," \
  "queueing_delay,rtt,bytes_in_flight,packets_sent,packets_lost,share"

struct _GstFaspDatabase
{
  gint64 run;    /* Unix time of its start, µs */
  FaspTime last; /* time of the previous entry */
  sqlite3 *database;
  sqlite3_stmt *insert, *insert_way;
  gint hurry;  /* atomic */
  gint waited; /* ms waited since `hurry' was set */
};

static gboolean
fail (GstFaspDatabase *self, GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, sqlite3_errmsg (self->database));
  return FALSE;
}

static gboolean
execute (GstFaspDatabase *self, const gchar *text, GError **error)
{
  return sqlite3_exec (self->database, text, NULL, NULL, NULL) == SQLITE_OK || fail (self, error);
}

static gboolean
add_run (GstFaspDatabase *self, const gchar *element, gint64 unix_offset, GError **error)
{
  sqlite3_stmt *add = NULL;
  gboolean good;

  /* if two elements start in the same µs, the later one takes the next number */
  good =
      sqlite3_prepare_v2 (self->database,
          "INSERT INTO run VALUES (max(?1, coalesce((SELECT max(run) + 1 FROM run), 0)), ?2, ?3)",
          -1, &add, NULL)
          == SQLITE_OK
      && sqlite3_bind_int64 (add, 1, self->run) == SQLITE_OK
      && sqlite3_bind_text (add, 2, element, -1, SQLITE_TRANSIENT) == SQLITE_OK
      && sqlite3_bind_int64 (add, 3, unix_offset) == SQLITE_OK && sqlite3_step (add) == SQLITE_DONE;
  if (good)
    self->run = sqlite3_last_insert_rowid (self->database);
  else
    fail (self, error);
  sqlite3_finalize (add);
  return good;
}

/* For sqlite3_busy_handler(); called for the @nth time for the same lock. */
static int
wait_for_others (void *data, int nth)
{
  GstFaspDatabase *self = data;

  if (nth >= BUSY / BUSY_STEP || self->waited >= BUSY_AT_END)
    return FALSE;
  if (g_atomic_int_get (&self->hurry))
    self->waited += BUSY_STEP;
  sqlite3_sleep (BUSY_STEP);
  return TRUE;
}

static gboolean
prepare (GstFaspDatabase *self, const gchar *text, sqlite3_stmt **statement, GError **error)
{
  return sqlite3_prepare_v2 (self->database, text, -1, statement, NULL) == SQLITE_OK
      || fail (self, error);
}

gboolean
gst_fasp_database_is_built (void)
{
  return TRUE;
}

static gboolean
make_tables (GstFaspDatabase *self, const gchar *element, gint64 unix_offset, GError **error)
{
  return execute (self, SCHEMA, error) && add_run (self, element, unix_offset, error)
      && prepare (self,
          "INSERT INTO block (" GST_FASP_BLOCK_COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?,?,?)",
          &self->insert, error)
      && prepare (self, "INSERT INTO way (" WAY_COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
          &self->insert_way, error);
}

GstFaspDatabase *
gst_fasp_database_open (const gchar *path, const gchar *element, gint64 run, gint64 unix_offset,
    GError **error)
{
  GstFaspDatabase *self = g_new0 (GstFaspDatabase, 1);
  gboolean good = sqlite3_open (path, &self->database) == SQLITE_OK || fail (self, error);

  self->run = run;
  /* the other end may be creating the same file */
  sqlite3_busy_handler (self->database, wait_for_others, self);
  if (!good || !make_tables (self, element, unix_offset, error))
    g_clear_pointer (&self, gst_fasp_database_close);
  return self;
}

static void
bind (sqlite3_stmt *insert, const gint64 *values, guint n)
{
  for (guint i = 0; i < n; i++)
    sqlite3_bind_int64 (insert, i + 1, values[i]);
}

static gboolean
add_row (sqlite3_stmt *insert)
{
  gboolean good = sqlite3_step (insert) == SQLITE_DONE;

  return sqlite3_reset (insert) == SQLITE_OK && good;
}

static gboolean
insert_block (GstFaspDatabase *self, const FaspTraceEntry *e)
{
  const gint64 values[] = { self->run, e->time, self->last > 0 ? e->time - self->last : 0, e->full,
    e->payload, (gint64) e->block, e->round, e->copy, e->fresh, e->media_time, e->session };

  bind (self->insert, values, G_N_ELEMENTS (values));
  if (!add_row (self->insert))
    return FALSE;
  self->last = e->time;
  return TRUE;
}

static gboolean
insert_way (GstFaspDatabase *self, const GstFaspWayRow *row)
{
  const FaspPathStats *w = &row->stats;
  const gint64 values[] = { self->run, row->time, row->session, row->way, w->usable,
    (gint64) w->rate, (gint64) w->send_rate, w->queueing_delay, w->rtt, (gint64) w->bytes_in_flight,
    (gint64) w->datagrams_sent, (gint64) w->datagrams_lost };

  bind (self->insert_way, values, G_N_ELEMENTS (values));
  sqlite3_bind_double (self->insert_way, G_N_ELEMENTS (values) + 1, w->share);
  return add_row (self->insert_way);
}

/* Ends the transaction: commits it if all rows were @inserted. */
static gboolean
commit (GstFaspDatabase *self, gboolean inserted, GError **error)
{
  if (!inserted)
    fail (self, error);
  else if (execute (self, "COMMIT", error))
    return TRUE;
  execute (self, "ROLLBACK", NULL);
  return FALSE;
}

gboolean
gst_fasp_database_write (GstFaspDatabase *self, const FaspTraceEntry *entries, guint n,
    GError **error)
{
  guint done = 0;

  if (!execute (self, "BEGIN", error))
    return FALSE;
  while (done < n && insert_block (self, &entries[done]))
    done++;
  return commit (self, done == n, error);
}

gboolean
gst_fasp_database_write_ways (GstFaspDatabase *self, const GstFaspWayRow *rows, guint n,
    GError **error)
{
  guint done = 0;

  if (!execute (self, "BEGIN", error))
    return FALSE;
  while (done < n && insert_way (self, &rows[done]))
    done++;
  return commit (self, done == n, error);
}

void
gst_fasp_database_hurry (GstFaspDatabase *self)
{
  g_atomic_int_set (&self->hurry, TRUE);
}

void
gst_fasp_database_close (GstFaspDatabase *self)
{
  sqlite3_finalize (self->insert);
  sqlite3_finalize (self->insert_way);
  sqlite3_close (self->database);
  g_free (self);
}
