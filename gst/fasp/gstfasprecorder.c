/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfasprecorder.h"
#include "gstfasprecordfile.h"

/* How often the ring is emptied: a process that dies loses the entries of this time. */
#define INTERVAL (200 * G_TIME_SPAN_MILLISECOND)
/* Entries in the ring: at 40 Mbit/s they cover fifteen seconds in which the disk does not answer. */
#define KEEP 65536
#define AT_ONCE 4096

struct _GstFaspRecorder
{
  GstElement *element;
  FaspIo *io;
  gchar *path;
  GstFaspRecordFile *file;
  FaspTraceEntry *entries;
  guint64 lost;                 /* entries lost so far that a warning has told of */
  GThread *thread;
  GMutex lock;
  GCond wake;
  gboolean stop;
};

static void
set_trace (GstFaspRecorder * self, guint size)
{
  fasp_endpoint_set_trace (fasp_io_lock (self->io), size);
  fasp_io_unlock (self->io, FALSE);
}

static guint
fetch (GstFaspRecorder * self, guint64 * lost)
{
  guint n = fasp_endpoint_fetch_trace (fasp_io_lock (self->io),
      self->entries, AT_ONCE, lost);

  fasp_io_unlock (self->io, FALSE);
  return n;
}

/* Writes what is there, but no more than the ring holds, because more may come all
 * the time. FALSE: no more can be written. */
static gboolean
drain (GstFaspRecorder * self)
{
  g_autoptr (GError) error = NULL;
  guint64 lost = 0;
  guint n = AT_ONCE;

  for (guint i = 0; n == AT_ONCE && i < KEEP / AT_ONCE; i++) {
    n = fetch (self, &lost);
    if (n == 0 || gst_fasp_record_file_write (self->file, self->entries, n,
            &error))
      continue;
    GST_ELEMENT_WARNING (self->element, RESOURCE, WRITE,
        ("Recording to \"%s\" ends here: %s. The stream goes on. Make room or "
            "choose another file, and start again.", self->path,
            error->message), (NULL));
    return FALSE;
  }
  if (lost > self->lost)
    GST_ELEMENT_WARNING (self->element, RESOURCE, WRITE,
        ("\"%s\" is written too slowly: %" G_GUINT64_FORMAT " blocks are not "
            "recorded. Use a faster disk.", self->path, lost - self->lost),
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
    gint64 until = g_get_monotonic_time () + INTERVAL;

    g_mutex_lock (&self->lock);
    while (!self->stop && g_cond_wait_until (&self->wake, &self->lock, until));
    stop = self->stop;
    g_mutex_unlock (&self->lock);
    if (!drain (self)) {
      set_trace (self, 0);
      break;
    }
  }
  return NULL;
}

GstFaspRecorder *
gst_fasp_recorder_new (GstElement * element, const gchar * path,
    GError ** error)
{
  GstFaspRecordFile *file = gst_fasp_record_file_open (path,
      GST_OBJECT_NAME (element), error);
  GstFaspRecorder *self;

  if (file == NULL) {
    g_prefix_error (error, "\"%s\": ", path);
    return NULL;
  }
  self = g_new0 (GstFaspRecorder, 1);
  self->element = element;
  self->path = g_strdup (path);
  self->file = file;
  self->entries = g_new (FaspTraceEntry, AT_ONCE);
  g_mutex_init (&self->lock);
  g_cond_init (&self->wake);
  return self;
}

void
gst_fasp_recorder_start (GstFaspRecorder * self, FaspIo * io)
{
  g_autoptr (GError) error = NULL;

  self->io = io;
  set_trace (self, KEEP);
  self->thread = g_thread_try_new ("fasp-record", run, self, &error);
  if (self->thread != NULL)
    return;
  set_trace (self, 0);
  GST_ELEMENT_WARNING (self->element, RESOURCE, WRITE,
      ("\"%s\" will be empty: %s. The stream goes on. End other programs, and start "
          "again.", self->path, error->message), (NULL));
}

gboolean
gst_fasp_recorder_is_self (const GstFaspRecorder * self)
{
  return self != NULL && self->thread == g_thread_self ();
}

void
gst_fasp_recorder_free (GstFaspRecorder * self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->lock);
  self->stop = TRUE;
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
  gst_fasp_record_file_hurry (self->file);
  if (self->thread != NULL)
    g_thread_join (self->thread);
  gst_fasp_record_file_close (self->file);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->wake);
  g_free (self->entries);
  g_free (self->path);
  g_free (self);
}
