/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfasprecorder.h"
#include "gstfasprecordfile.h"

#define AT_A_TIME 16 /* sessions that are looked at under one lock */

struct _GstFaspRecorder
{
  const GstFaspRecorderClass *class;
  GstElement *element;
  FaspIo *io;
  gchar *path;      /* path of the file, for warnings */
  gpointer file;    /* the class's, owned */
  gpointer entries; /* room for class->at_once */
  guint64 lost;     /* entries lost so far that a warning has mentioned */
  GThread *thread;
  GMutex lock;
  GCond wake;
  gboolean stop;
};

static void
set_ring (GstFaspRecorder *self, guint size)
{
  self->class->set_ring (fasp_io_lock (self->io), size);
  fasp_io_unlock (self->io, FALSE);
}

static guint
fetch (GstFaspRecorder *self, guint64 *lost)
{
  guint n = self->class->fetch (fasp_io_lock (self->io), self->entries, self->class->at_once, lost);

  fasp_io_unlock (self->io, FALSE);
  return n;
}

/* Writes the entries of the ring, but no more than it holds, as more may come all the time. */
static gboolean
write_all (GstFaspRecorder *self, guint64 *lost, GError **error)
{
  guint at_once = self->class->at_once, n = at_once;

  for (guint i = 0; n == at_once && i <= self->class->keep / at_once; i++) {
    n = fetch (self, lost);
    if (n > 0 && !self->class->write (self->file, self->entries, n, error))
      return FALSE;
  }
  return self->class->sample == NULL || self->class->sample (self->file, self->io, error);
}

/* Writes the entries of the ring, and warns if some were lost. FALSE: no more can be written. */
static gboolean
drain (GstFaspRecorder *self)
{
  g_autoptr (GError) error = NULL;
  guint64 lost = 0;

  if (!write_all (self, &lost, &error)) {
    GST_ELEMENT_WARNING (self->element, RESOURCE, WRITE,
        ("%s \"%s\" ends here: %s. The stream goes on. Make room or choose "
         "another file, and start again.",
            self->class->doing, self->path, error->message),
        (NULL));
    return FALSE;
  }
  if (lost > self->lost)
    GST_ELEMENT_WARNING (self->element, RESOURCE, WRITE,
        ("\"%s\" is written too slowly: %" G_GUINT64_FORMAT " %s. Use a faster disk.", self->path,
            lost - self->lost, self->class->things),
        (NULL));
  self->lost = lost;
  return TRUE;
}

static gpointer
run (gpointer data)
{
  GstFaspRecorder *self = data;
  gboolean stop = FALSE;

  while (!stop) {
    gint64 until = g_get_monotonic_time () + self->class->interval;

    g_mutex_lock (&self->lock);
    while (!self->stop && g_cond_wait_until (&self->wake, &self->lock, until))
      ;
    stop = self->stop;
    g_mutex_unlock (&self->lock);
    if (!drain (self)) {
      set_ring (self, 0);
      break;
    }
  }
  return NULL;
}

GstFaspRecorder *
gst_fasp_recorder_new_with_file (const GstFaspRecorderClass *class, GstElement *element,
    const gchar *path, gpointer file)
{
  GstFaspRecorder *self = g_new0 (GstFaspRecorder, 1);

  self->class = class;
  self->element = element;
  self->path = g_strdup (path);
  self->file = file;
  self->entries = g_malloc_n (class->at_once, class->entry_size);
  g_mutex_init (&self->lock);
  g_cond_init (&self->wake);
  return self;
}

void
gst_fasp_recorder_start (GstFaspRecorder *self, FaspIo *io)
{
  g_autoptr (GError) error = NULL;

  self->io = io;
  set_ring (self, self->class->keep);
  self->thread = g_thread_try_new (self->class->thread, run, self, &error);
  if (self->thread != NULL)
    return;
  set_ring (self, 0);
  GST_ELEMENT_WARNING (self->element, RESOURCE, WRITE,
      ("\"%s\" will be empty: %s. The stream goes on. End other programs, and start again.",
          self->path, error->message),
      (NULL));
}

gboolean
gst_fasp_recorder_is_self (const GstFaspRecorder *self)
{
  return self != NULL && self->thread == g_thread_self ();
}

void
gst_fasp_recorder_free (GstFaspRecorder *self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->lock);
  self->stop = TRUE;
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
  if (self->class->hurry != NULL)
    self->class->hurry (self->file);
  if (self->thread != NULL)
    g_thread_join (self->thread);
  self->class->close (self->file);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->wake);
  g_free (self->entries);
  g_free (self->path);
  g_free (self);
}

/* --- record ------------------------------------------------------------------------- */

static guint
fetch_blocks (FaspEndpoint *endpoint, gpointer entries, guint max, guint64 *lost)
{
  return fasp_endpoint_fetch_trace (endpoint, entries, max, lost);
}

static gboolean
write_blocks (gpointer file, gconstpointer entries, guint n, GError **error)
{
  return gst_fasp_record_file_write (file, entries, n, error);
}

/* Appends the paths of a session that has several. */
static void
add_ways (FaspEndpoint *endpoint, FaspTime now, const FaspSessionStats *session, GArray *rows)
{
  FaspPathStats ways[FASP_FLOWS_MAX];
  guint n = session->n_paths > 1 ?
      fasp_endpoint_get_paths (endpoint, now, session->session, ways, FASP_FLOWS_MAX) :
      0;

  for (guint i = 0; i < n; i++) {
    GstFaspWayRow row = { now, session->session, i, ways[i] };

    g_array_append_val (rows, row);
  }
}

static gboolean
write_ways (gpointer file, FaspIo *io, GError **error)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (GstFaspWayRow));
  FaspSessionStats some[AT_A_TIME];
  guint64 cursor = 0;
  guint n;

  if (!gst_fasp_record_file_has_ways (file))
    return TRUE;
  do {
    FaspEndpoint *endpoint = fasp_io_lock (io);
    FaspTime now = g_get_monotonic_time ();

    n = fasp_endpoint_get_sessions (endpoint, now, &cursor, some, AT_A_TIME);
    for (guint i = 0; i < n; i++)
      add_ways (endpoint, now, &some[i], rows);
    fasp_io_unlock (io, FALSE);
  } while (n > 0);
  return rows->len == 0
      || gst_fasp_record_file_write_ways (file, (const GstFaspWayRow *) rows->data, rows->len,
          error);
}

static void
hurry (gpointer file)
{
  gst_fasp_record_file_hurry (file);
}

static void
close_file (gpointer file)
{
  gst_fasp_record_file_close (file);
}

static const GstFaspRecorderClass record = {
  .thread = "fasp-record",
  .doing = "Recording to",
  .things = "blocks are not recorded",
  .interval = 200 * G_TIME_SPAN_MILLISECOND,
  /* at 40 Mbit/s these cover fifteen seconds in which the disk does not answer */
  .keep = 65536,
  .at_once = 4096,
  .entry_size = sizeof (FaspTraceEntry),
  .set_ring = fasp_endpoint_set_trace,
  .fetch = fetch_blocks,
  .write = write_blocks,
  .sample = write_ways,
  .hurry = hurry,
  .close = close_file,
};

GstFaspRecorder *
gst_fasp_recorder_new (GstElement *element, const gchar *path, GError **error)
{
  GstFaspRecordFile *file = gst_fasp_record_file_open (path, GST_OBJECT_NAME (element), error);

  if (file == NULL) {
    g_prefix_error (error, "\"%s\": ", path);
    return NULL;
  }
  return gst_fasp_recorder_new_with_file (&record, element, path, file);
}
