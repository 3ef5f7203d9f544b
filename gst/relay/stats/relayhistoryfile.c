/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayhistoryfile.h"
#include "relaylog.h"

#define HURRY (G_USEC_PER_SEC / 2) /* µs that the end waits for the last samples to be written */
/* Samples that wait to be written: half an hour of 1000 streams. */
#define WAITING_MAX 200000

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
  gboolean ended;                 /* the thread is at its end */
  gint ending;                    /* atomic */
  RelayHistoryDatabase *database; /* the thread's; NULL: not open */
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

/* --- the thread ------------------------------------------------------------------------------- */

/* Notes whether the file can be used, and logs it when that changes. @why: why not; NULL: it can.
 */
static void
note (RelayHistoryFile *file, const gchar *why)
{
  gboolean same;

  g_mutex_lock (&file->lock);
  same = g_strcmp0 (file->error, why) == 0;
  g_free (file->error);
  file->error = g_strdup (why);
  g_mutex_unlock (&file->lock);
  if (!same && why == NULL)
    relay_log (NULL, "the history is kept in %s again.", file->path);
  else if (!same)
    relay_log_warning (NULL,
        "the history is not kept in %s: %s. Charts go on in memory, and the file is tried again each "
        "minute.",
        file->path, why);
}

/* Reads the samples that relay_history_file_read() asked for, if it did. */
static const gchar *
read_wanted (RelayHistoryFile *file)
{
  g_autoptr (GArray) samples = new_samples ();
  const gchar *why;
  gint64 now;

  g_mutex_lock (&file->lock);
  now = file->wanted;
  g_mutex_unlock (&file->lock);
  if (now == 0)
    return NULL;
  why = relay_history_database_read (file->database, now, &file->ending, samples);
  g_mutex_lock (&file->lock);
  /* else another time is wanted meanwhile, and the thread woken */
  if (why == NULL && now == file->wanted) {
    file->wanted = 0;
    file->found = g_steal_pointer (&samples);
  }
  g_mutex_unlock (&file->lock);
  return why;
}

/* Writes the samples that wait. If that fails, they go on waiting, before those that came
 * meanwhile.
 */
static const gchar *
write_waiting (RelayHistoryFile *file)
{
  GArray *samples = new_samples (), *later;
  const gchar *why;

  g_mutex_lock (&file->lock);
  later = samples;
  samples = file->waiting;
  file->waiting = later;
  g_mutex_unlock (&file->lock);
  why = relay_history_database_write (file->database, samples);
  if (why != NULL) {
    g_mutex_lock (&file->lock);
    g_array_set_clear_func (later, NULL);
    g_array_append_vals (samples, later->data, later->len);
    g_array_set_size (later, 0);
    file->waiting = samples;
    samples = later;
    g_mutex_unlock (&file->lock);
  }
  g_array_unref (samples);
  return why;
}

static void
use_file (RelayHistoryFile *file, gboolean writes)
{
  const gchar *why = NULL;

  if (file->database == NULL)
    file->database = relay_history_database_open (file->path, &file->kept, &why);
  if (why == NULL)
    why = read_wanted (file);
  if (why == NULL && writes)
    why = write_waiting (file);
  if (why != NULL)
    g_clear_pointer (&file->database, relay_history_database_free);
  note (file, why);
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
  g_clear_pointer (&file->database, relay_history_database_free);
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
