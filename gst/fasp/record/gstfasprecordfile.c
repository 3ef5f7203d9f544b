/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include <sqlite3.h>
#include "gstfasprecordfile.h"
#include "gstfasptextfile.h"

/* ms to wait for another program that uses the database: each time; and in total, once
 * somebody waits for the end */
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
#define COLUMNS \
  "run,time,since_last,full_size,payload_size,number,round," \
  "copy,fresh,sender_time,session"
#define WAY_COLUMNS \
  "run,time,session,way,usable,channel_bitrate,send_bitrate," \
  "queueing_delay,rtt,bytes_in_flight,packets_sent,packets_lost,share"

struct _GstFaspRecordFile
{
  gint64 run;         /* Unix time of the start, µs */
  gint64 unix_offset; /* from the monotonic clock, then */
  FaspTime last;      /* time of the entry before */
  gint csv;           /* -1: it is SQLite */
  sqlite3 *database;
  sqlite3_stmt *insert, *insert_way;
  gint hurry;  /* atomic */
  gint waited; /* since `hurry' was set, ms */
};

/* --- CSV ------------------------------------------------------------------------- */

static gboolean
open_csv (GstFaspRecordFile *file, const gchar *path, GError **error)
{
  file->csv = gst_fasp_text_file_open (path, error);
  return file->csv >= 0
      && (!gst_fasp_text_file_is_empty (file->csv)
          || gst_fasp_text_file_add (file->csv, COLUMNS "\n", strlen (COLUMNS "\n"), error));
}

static gboolean
write_csv (GstFaspRecordFile *file, const FaspTraceEntry *entries, guint n, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++) {
    const FaspTraceEntry *e = &entries[i];

    g_string_append_printf (text,
        "%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%u,%u,%" G_GUINT64_FORMAT
        ",%u,%u,%d,%" G_GINT64_FORMAT ",%u\n",
        file->run, e->time, file->last > 0 ? e->time - file->last : 0, e->full, e->payload,
        e->block, e->round, e->copy, e->fresh, e->media_time, e->session);
    file->last = e->time;
  }
  return gst_fasp_text_file_add (file->csv, text->str, text->len, error);
}

/* --- SQLite ---------------------------------------------------------------------- */

static gboolean
fail_sqlite (GstFaspRecordFile *file, GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, sqlite3_errmsg (file->database));
  return FALSE;
}

static gboolean
execute (GstFaspRecordFile *file, const gchar *text, GError **error)
{
  return sqlite3_exec (file->database, text, NULL, NULL, NULL) == SQLITE_OK
      || fail_sqlite (file, error);
}

static gboolean
add_run (GstFaspRecordFile *file, const gchar *element, GError **error)
{
  sqlite3_stmt *add = NULL;
  gboolean good;

  /* if two elements start in the same µs, the later one takes the next number */
  good =
      sqlite3_prepare_v2 (file->database,
          "INSERT INTO run VALUES (max(?1, coalesce((SELECT max(run) + 1 FROM run), 0)), ?2, ?3)",
          -1, &add, NULL)
          == SQLITE_OK
      && sqlite3_bind_int64 (add, 1, file->run) == SQLITE_OK
      && sqlite3_bind_text (add, 2, element, -1, SQLITE_TRANSIENT) == SQLITE_OK
      && sqlite3_bind_int64 (add, 3, file->unix_offset) == SQLITE_OK
      && sqlite3_step (add) == SQLITE_DONE;
  if (good)
    file->run = sqlite3_last_insert_rowid (file->database);
  else
    fail_sqlite (file, error);
  sqlite3_finalize (add);
  return good;
}

/* For sqlite3_busy_handler(); called for the @nth time for the same lock. */
static int
wait_for_others (void *data, int nth)
{
  GstFaspRecordFile *file = data;

  if (nth >= BUSY / BUSY_STEP || file->waited >= BUSY_AT_END)
    return FALSE;
  if (g_atomic_int_get (&file->hurry))
    file->waited += BUSY_STEP;
  sqlite3_sleep (BUSY_STEP);
  return TRUE;
}

static gboolean
prepare (GstFaspRecordFile *file, const gchar *text, sqlite3_stmt **statement, GError **error)
{
  return sqlite3_prepare_v2 (file->database, text, -1, statement, NULL) == SQLITE_OK
      || fail_sqlite (file, error);
}

static gboolean
open_sqlite (GstFaspRecordFile *file, const gchar *path, const gchar *element, GError **error)
{
  if (sqlite3_open (path, &file->database) != SQLITE_OK)
    return fail_sqlite (file, error);
  /* the other end may be creating the same file */
  sqlite3_busy_handler (file->database, wait_for_others, file);
  if (!execute (file, SCHEMA, error) || !add_run (file, element, error))
    return FALSE;
  return prepare (file, "INSERT INTO block (" COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?,?,?)",
             &file->insert, error)
      && prepare (file, "INSERT INTO way (" WAY_COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
          &file->insert_way, error);
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
insert_block (GstFaspRecordFile *file, const FaspTraceEntry *e)
{
  const gint64 values[] = { file->run, e->time, file->last > 0 ? e->time - file->last : 0, e->full,
    e->payload, (gint64) e->block, e->round, e->copy, e->fresh, e->media_time, e->session };

  bind (file->insert, values, G_N_ELEMENTS (values));
  if (!add_row (file->insert))
    return FALSE;
  file->last = e->time;
  return TRUE;
}

static gboolean
insert_way (GstFaspRecordFile *file, const GstFaspWayRow *row)
{
  const FaspWayStats *w = &row->stats;
  const gint64 values[] = { file->run, row->time, row->session, row->way, w->usable,
    (gint64) w->rate, (gint64) w->send_rate, w->queueing_delay, w->rtt, (gint64) w->bytes_in_flight,
    (gint64) w->datagrams_sent, (gint64) w->datagrams_lost };

  bind (file->insert_way, values, G_N_ELEMENTS (values));
  sqlite3_bind_double (file->insert_way, G_N_ELEMENTS (values) + 1, w->share);
  return add_row (file->insert_way);
}

/* Ends what BEGIN began: @inserted or not. */
static gboolean
commit (GstFaspRecordFile *file, gboolean inserted, GError **error)
{
  if (!inserted)
    fail_sqlite (file, error);
  else if (execute (file, "COMMIT", error))
    return TRUE;
  execute (file, "ROLLBACK", NULL);
  return FALSE;
}

static gboolean
write_sqlite (GstFaspRecordFile *file, const FaspTraceEntry *entries, guint n, GError **error)
{
  guint done = 0;

  if (!execute (file, "BEGIN", error))
    return FALSE;
  while (done < n && insert_block (file, &entries[done]))
    done++;
  return commit (file, done == n, error);
}

/* --- either ------------------------------------------------------------------------ */

static gboolean
has_extension (const gchar *path, const gchar *const *extensions)
{
  g_autofree gchar *lower = g_ascii_strdown (path, -1);

  for (; *extensions != NULL; extensions++)
    if (g_str_has_suffix (lower, *extensions))
      return TRUE;
  return FALSE;
}

static const gchar *const csv[] = { ".csv", NULL };
static const gchar *const sqlite[] = { ".db", ".sqlite", ".sqlite3", NULL };

static gboolean
check_name (const gchar *path, GError **error)
{
  if (has_extension (path, csv) || has_extension (path, sqlite))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "its name must end in .db or .sqlite for SQLite, or in .csv");
  return FALSE;
}

gboolean
gst_fasp_record_file_check (const gchar *path, GError **error)
{
  g_autofree gchar *folder = g_path_get_dirname (path);

  if (!check_name (path, error) || !gst_fasp_text_file_check (path, error))
    return FALSE;
  /* SQLite creates files of its own in the same folder */
  return has_extension (path, csv) || gst_fasp_text_file_check_folder (folder, error);
}

GstFaspRecordFile *
gst_fasp_record_file_open (const gchar *path, const gchar *element, GError **error)
{
  GstFaspRecordFile *file;
  gboolean good;

  if (!check_name (path, error))
    return NULL;
  file = g_new0 (GstFaspRecordFile, 1);
  file->csv = -1;
  file->run = g_get_real_time ();
  file->unix_offset = file->run - g_get_monotonic_time ();
  if (has_extension (path, csv))
    good = open_csv (file, path, error);
  else
    good = open_sqlite (file, path, element, error);
  if (!good)
    g_clear_pointer (&file, gst_fasp_record_file_close);
  return file;
}

gboolean
gst_fasp_record_file_write (GstFaspRecordFile *file, const FaspTraceEntry *entries, guint n,
    GError **error)
{
  return file->csv >= 0 ? write_csv (file, entries, n, error) :
                          write_sqlite (file, entries, n, error);
}

gboolean
gst_fasp_record_file_has_ways (const GstFaspRecordFile *file)
{
  return file->csv < 0;
}

gboolean
gst_fasp_record_file_write_ways (GstFaspRecordFile *file, const GstFaspWayRow *rows, guint n,
    GError **error)
{
  guint done = 0;

  if (!execute (file, "BEGIN", error))
    return FALSE;
  while (done < n && insert_way (file, &rows[done]))
    done++;
  return commit (file, done == n, error);
}

void
gst_fasp_record_file_hurry (GstFaspRecordFile *file)
{
  g_atomic_int_set (&file->hurry, TRUE);
}

void
gst_fasp_record_file_close (GstFaspRecordFile *file)
{
  if (file->csv >= 0)
    close (file->csv);
  sqlite3_finalize (file->insert);
  sqlite3_finalize (file->insert_way);
  sqlite3_close (file->database);
  g_free (file);
}
