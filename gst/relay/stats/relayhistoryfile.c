/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayhistoryfile.h"
#include <fcntl.h>
#include <math.h>
#include <unistd.h>
#include <sqlite3.h>
#include "relaylog.h"

#define VERSION 1                  /* of the tables, in user_version */
#define APPLICATION 0x66617370     /* in application_id: "fasp" */
#define HURRY (G_USEC_PER_SEC / 2) /* µs that the end waits for the last samples to be written */
#define BUSY 2000                  /* ms to wait for a program that has just the file */
#define BUSY_STEP 10               /* ms */
#define CLEAN_EACH 60              /* writes */
/* Samples that wait to be written: half an hour of 1000 streams. */
#define WAITING_MAX 200000
/* Samples that are read from a file: three ranges of 1000 streams. */
#define READ_MAX (1000 * 3 * 360)
#define ROW_MAX 1024 /* bytes of a row that is read; ours have less than half of this */

/* A stream without samples is deleted with the last of them.  The samples of a time are beside each
 * other, so that a write changes few pages of the file. */
#define SCHEMA \
  "CREATE TABLE stream (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);" \
  "CREATE TABLE sample (range INTEGER, time INTEGER, stream INTEGER%s," \
  " PRIMARY KEY (range, time, stream)) WITHOUT ROWID;" \
  "PRAGMA application_id = %d; PRAGMA user_version = %d;"

struct _RelayHistoryFile
{
  gint users; /* atomic: the owner, and the thread */
  gchar *path;
  RelayHistoryKept kept;
  gint64 each;
  GMutex lock; /* guards the next seven */
  GCond changed;
  GArray *waiting; /* RelayHistorySample */
  gint64 wanted;   /* samples until this time are to be read, s, UTC; 0: none are */
  GArray *found;   /* RelayHistorySample, read and not taken yet; NULL: there are none */
  gboolean woken;  /* the thread is not to wait for the next write */
  gchar *error;
  gboolean ended; /* the thread is at its end */
  gint ending;    /* atomic */
  /* the rest is the thread's */
  sqlite3 *database; /* NULL: not open */
  sqlite3_stmt *add_stream, *add_sample;
  guint writes;
};

static void
clear_sample (gpointer sample)
{
  g_free (((RelayHistorySample *) sample)->stream);
}

static GArray *
new_samples (void)
{
  GArray *samples = g_array_new (FALSE, FALSE, sizeof (RelayHistorySample));

  g_array_set_clear_func (samples, clear_sample);
  return samples;
}

/* --- faults ----------------------------------------------------------------------------------- */

static const gchar *
explain (int code)
{
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program uses it: give each relay a file of its own";
    case SQLITE_FULL:
      return "the disk is full: make room";
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

/* Notes what became of the file. @code: of SQLite. */
static void
note (RelayHistoryFile *file, int code)
{
  gboolean good = code == SQLITE_OK, same;
  const gchar *why = good ? NULL : explain (code);

  g_mutex_lock (&file->lock);
  same = g_strcmp0 (file->error, why) == 0;
  g_free (file->error);
  file->error = g_strdup (why);
  g_mutex_unlock (&file->lock);
  if (!same && good)
    relay_log (NULL, "the history is kept in %s again.", file->path);
  else if (!same)
    relay_log_warning (NULL,
        "the history is not kept in %s: %s. Charts go on in memory, and the file is tried again each "
        "minute.",
        file->path, why);
}

/* --- the tables ------------------------------------------------------------------------------- */

static int
execute (RelayHistoryFile *file, const gchar *text)
{
  return sqlite3_exec (file->database, text, NULL, NULL, NULL);
}

static int
prepare (RelayHistoryFile *file, const gchar *text, sqlite3_stmt **statement)
{
  return sqlite3_prepare_v2 (file->database, text, -1, statement, NULL);
}

/* Returns a text for each figure: @before NAME @after. */
static gchar *
list_names (const RelayHistoryFile *file, const gchar *before, const gchar *after)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; file->kept.names[i] != NULL; i++)
    g_string_append_printf (text, "%s\"%s\"%s", before, file->kept.names[i], after);
  return g_string_free (text, FALSE);
}

/* Makes the tables of an empty file, or looks whether they are ours. */
static int
make_tables (RelayHistoryFile *file)
{
  g_autofree gchar *columns = list_names (file, ", ", " REAL");
  g_autofree gchar *schema = g_strdup_printf (SCHEMA, columns, APPLICATION, VERSION);
  sqlite3_stmt *look = NULL;
  gboolean empty = FALSE, ours = FALSE;
  int code = prepare (file,
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
  return code != SQLITE_OK || ours ? code : empty ? execute (file, schema) : SQLITE_MISMATCH;
}

static int
prepare_all (RelayHistoryFile *file)
{
  g_autofree gchar *names = list_names (file, ", ", "");
  g_autoptr (GString) add = g_string_new (NULL);
  int code = prepare (file, "INSERT OR IGNORE INTO stream (name) VALUES (?)", &file->add_stream);

  g_string_printf (add, "INSERT OR REPLACE INTO sample (range, time, stream%s) SELECT ?1, ?2, id",
      names);
  for (guint i = 0; file->kept.names[i] != NULL; i++)
    g_string_append_printf (add, ", ?%u", i + 4);
  g_string_append (add, " FROM stream WHERE name = ?3");
  return code == SQLITE_OK ? prepare (file, add->str, &file->add_sample) : code;
}

/* Reads the samples of a range. */
static int
read_range (RelayHistoryFile *file, guint range, gint64 now, GArray *samples)
{
  g_autofree gchar *names = list_names (file, ", ", "");
  g_autofree gchar *text = g_strdup_printf (
      "SELECT time, name%s FROM sample JOIN stream ON id = stream WHERE range = %u AND time > "
      "%" G_GINT64_FORMAT " AND time <= %" G_GINT64_FORMAT " AND name IS NOT NULL ORDER BY time",
      names, range, now - file->kept.ages[range], now);
  sqlite3_stmt *all = NULL;
  int code = prepare (file, text, &all);

  if (code == SQLITE_OK)
    while ((code = sqlite3_step (all)) == SQLITE_ROW && samples->len < READ_MAX
        && !g_atomic_int_get (&file->ending)) {
      RelayHistorySample sample = { g_strdup ((const gchar *) sqlite3_column_text (all, 1)), range,
        sqlite3_column_int64 (all, 0) };

      for (guint i = 0; file->kept.names[i] != NULL; i++) {
        gfloat value = sqlite3_column_double (all, i + 2);

        sample.values[i] =
            sqlite3_column_type (all, i + 2) == SQLITE_FLOAT && isfinite (value) ? value : NAN;
      }
      g_array_append_val (samples, sample);
    }
  sqlite3_finalize (all);
  return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
}

/* Reads what is wanted of the file. */
static int
read_wanted (RelayHistoryFile *file)
{
  GArray *samples = new_samples ();
  int code = SQLITE_OK;
  gint64 now;

  g_mutex_lock (&file->lock);
  now = file->wanted;
  g_mutex_unlock (&file->lock);
  for (guint r = 0; now != 0 && code == SQLITE_OK && file->kept.ages[r] != 0; r++)
    code = read_range (file, r, now, samples);
  g_mutex_lock (&file->lock);
  if (code == SQLITE_OK && now != 0 && now == file->wanted) {
    file->wanted = 0;
    file->found = g_steal_pointer (&samples);
  }
  g_mutex_unlock (&file->lock);
  g_clear_pointer (&samples, g_array_unref);
  return code;
}

/* --- the thread ------------------------------------------------------------------------------- */

/* For sqlite3_busy_handler(); called for the @nth time for the same lock. */
static int
wait_for_others (void *data, int nth)
{
  RelayHistoryFile *file = data;

  if (nth >= BUSY / BUSY_STEP || g_atomic_int_get (&file->ending))
    return FALSE;
  sqlite3_sleep (BUSY_STEP);
  return TRUE;
}

static void
close_file (RelayHistoryFile *file)
{
  sqlite3_finalize (g_steal_pointer (&file->add_stream));
  sqlite3_finalize (g_steal_pointer (&file->add_sample));
  sqlite3_close (g_steal_pointer (&file->database));
}

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

/* Looks whose file it is before anything in it is changed. */
static int
open_file (RelayHistoryFile *file)
{
  int code;

  make_file (file->path);
  code = sqlite3_open (file->path, &file->database);
  sqlite3_limit (file->database, SQLITE_LIMIT_LENGTH, ROW_MAX);
  sqlite3_busy_handler (file->database, wait_for_others, file);
  if (code == SQLITE_OK)
    code = execute (file, "PRAGMA trusted_schema = OFF; PRAGMA locking_mode = EXCLUSIVE");
  if (code == SQLITE_OK)
    code = make_tables (file);
  if (code == SQLITE_OK)
    code = prepare_all (file);
  if (code == SQLITE_OK)
    code = execute (file, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  return code;
}

static int
run_once (sqlite3_stmt *statement)
{
  int code = sqlite3_step (statement);

  sqlite3_reset (statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int
write_sample (RelayHistoryFile *file, const RelayHistorySample *sample)
{
  int code;

  sqlite3_bind_text (file->add_stream, 1, sample->stream, -1, SQLITE_STATIC);
  code = run_once (file->add_stream);
  sqlite3_bind_int64 (file->add_sample, 1, sample->range);
  sqlite3_bind_int64 (file->add_sample, 2, sample->time);
  sqlite3_bind_text (file->add_sample, 3, sample->stream, -1, SQLITE_STATIC);
  for (guint i = 0; file->kept.names[i] != NULL; i++)
    if (isfinite (sample->values[i]))
      sqlite3_bind_double (file->add_sample, i + 4, sample->values[i]);
    else
      sqlite3_bind_null (file->add_sample, i + 4);
  return code == SQLITE_OK ? run_once (file->add_sample) : code;
}

/* Deletes what is too old, and now and then streams of which nothing is left. @now: s, UTC. */
static int
delete_old (RelayHistoryFile *file, gint64 now)
{
  int code = SQLITE_OK;

  for (guint r = 0; code == SQLITE_OK && file->kept.ages[r] != 0; r++) {
    g_autofree gchar *text =
        g_strdup_printf ("DELETE FROM sample WHERE range = %u AND time <= %" G_GINT64_FORMAT, r,
            now - file->kept.ages[r]);

    code = execute (file, text);
  }
  if (code == SQLITE_OK && file->writes++ % CLEAN_EACH == 0)
    code = execute (file, "DELETE FROM stream WHERE id NOT IN (SELECT stream FROM sample)");
  return code;
}

static int
write_all (RelayHistoryFile *file, const GArray *samples)
{
  int code = execute (file, "BEGIN IMMEDIATE");

  for (guint i = 0; code == SQLITE_OK && i < samples->len; i++)
    code = write_sample (file, &g_array_index (samples, RelayHistorySample, i));
  if (code == SQLITE_OK)
    code = delete_old (file, g_array_index (samples, RelayHistorySample, samples->len - 1).time);
  return code == SQLITE_OK ? execute (file, "COMMIT") : code;
}

/* Writes what waits. If that fails, it waits for the next time, but for what is too much. */
static int
write_waiting (RelayHistoryFile *file)
{
  GArray *samples = new_samples (), *later;
  int code = SQLITE_OK;

  g_mutex_lock (&file->lock);
  later = samples;
  samples = file->waiting;
  file->waiting = later;
  g_mutex_unlock (&file->lock);
  if (samples->len > 0)
    code = write_all (file, samples);
  if (code != SQLITE_OK) {
    g_mutex_lock (&file->lock);
    g_array_set_clear_func (later, NULL);
    g_array_append_vals (samples, later->data, later->len);
    g_array_set_size (later, 0);
    file->waiting = samples;
    samples = later;
    g_mutex_unlock (&file->lock);
  }
  g_array_unref (samples);
  return code;
}

static void
use_file (RelayHistoryFile *file, gboolean writes)
{
  int code = file->database != NULL ? SQLITE_OK : open_file (file);

  if (code == SQLITE_OK)
    code = read_wanted (file);
  if (code == SQLITE_OK && writes)
    code = write_waiting (file);
  if (code != SQLITE_OK)
    close_file (file);
  note (file, code);
}

static void
unref (RelayHistoryFile *file)
{
  if (!g_atomic_int_dec_and_test (&file->users))
    return;
  g_array_unref (file->waiting);
  g_clear_pointer (&file->found, g_array_unref);
  g_mutex_clear (&file->lock);
  g_cond_clear (&file->changed);
  g_free (file->error);
  g_free (file->path);
  g_free (file);
}

static gpointer
run (gpointer data)
{
  RelayHistoryFile *file = data;
  gint64 next = g_get_monotonic_time () + file->each;
  gboolean last = FALSE, writes;

  do {
    last = g_atomic_int_get (&file->ending);
    writes = last || g_get_monotonic_time () >= next;
    use_file (file, writes);
    if (writes)
      next = g_get_monotonic_time () + file->each;
    g_mutex_lock (&file->lock);
    while (!last && !file->woken && g_cond_wait_until (&file->changed, &file->lock, next))
      ;
    file->woken = FALSE;
    g_mutex_unlock (&file->lock);
  } while (!last);
  close_file (file);
  g_mutex_lock (&file->lock);
  file->ended = TRUE;
  g_cond_signal (&file->changed);
  g_mutex_unlock (&file->lock);
  unref (file);
  return NULL;
}

/* --- the owner -------------------------------------------------------------------------------- */

RelayHistoryFile *
relay_history_file_new (const gchar *path, const RelayHistoryKept *kept, gint64 each)
{
  RelayHistoryFile *file = g_new0 (RelayHistoryFile, 1);
  g_autoptr (GError) error = NULL;
  GThread *thread;

  file->users = 2;
  file->path = g_strdup (path);
  file->kept = *kept;
  file->each = each;
  file->waiting = new_samples ();
  g_mutex_init (&file->lock);
  g_cond_init (&file->changed);
  thread = g_thread_try_new ("history", run, file, &error);
  if (thread != NULL) {
    g_thread_unref (thread);
    return file;
  }
  file->users--;
  file->ended = TRUE;
  file->error = g_strdup (error->message);
  relay_log_warning (NULL, "the history is not kept in %s: %s.", path, error->message);
  return file;
}

void
relay_history_file_free (RelayHistoryFile *file, gboolean waits)
{
  gint64 until = g_get_monotonic_time () + (waits ? HURRY : 0);

  g_mutex_lock (&file->lock);
  g_atomic_int_set (&file->ending, TRUE);
  file->woken = TRUE;
  g_cond_signal (&file->changed);
  while (!file->ended && g_cond_wait_until (&file->changed, &file->lock, until))
    ;
  g_mutex_unlock (&file->lock);
  unref (file);
}

const gchar *
relay_history_file_get_path (const RelayHistoryFile *file)
{
  return file->path;
}

void
relay_history_file_add (RelayHistoryFile *file, const RelayHistorySample *sample)
{
  g_mutex_lock (&file->lock);
  g_array_append_val (file->waiting, *sample);
  if (file->waiting->len > WAITING_MAX)
    g_array_remove_range (file->waiting, 0, WAITING_MAX / 2);
  g_mutex_unlock (&file->lock);
}

void
relay_history_file_read (RelayHistoryFile *file, gint64 now, gint64 set)
{
  g_mutex_lock (&file->lock);
  for (guint i = 0; i < file->waiting->len; i++)
    g_array_index (file->waiting, RelayHistorySample, i).time += set;
  g_clear_pointer (&file->found, g_array_unref);
  file->wanted = now;
  file->woken = TRUE;
  g_cond_signal (&file->changed);
  g_mutex_unlock (&file->lock);
}

GArray *
relay_history_file_take (RelayHistoryFile *file)
{
  GArray *found;

  g_mutex_lock (&file->lock);
  found = g_steal_pointer (&file->found);
  g_mutex_unlock (&file->lock);
  return found;
}

gchar *
relay_history_file_get_error (RelayHistoryFile *file)
{
  gchar *error;

  g_mutex_lock (&file->lock);
  error = g_strdup (file->error);
  g_mutex_unlock (&file->lock);
  return error;
}
