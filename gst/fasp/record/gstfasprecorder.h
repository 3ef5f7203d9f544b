/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfasprecorder.h: the properties `record' and `log': a thread that fetches entries
 * from a ring of the core and writes them to a file.
 *
 * The stream never waits for this thread.  If the file cannot be written any more, recording ends
 * with one warning.
 */
#pragma once

#include <gst/gst.h>
#include "faspio.h"

G_BEGIN_DECLS

typedef struct _GstFaspRecorder GstFaspRecorder;

/* A kind of entries, and how they are fetched and written. */
typedef struct
{
  const gchar *thread;         /* the thread's name */
  const gchar *doing, *things; /* words for warnings: "Recording to", "blocks are not recorded" */
  GTimeSpan interval;          /* how often the ring is emptied: a process that dies loses
                                  the entries of this time */
  guint keep, at_once;         /* entries in the ring; and written together */
  gsize entry_size;            /* bytes */
  /* Makes a ring for @size entries; 0: records no more. */
  void (*set_ring) (FaspEndpoint *endpoint, guint size);
  /* Takes out at most @max entries.  *lost: entries overwritten so far. */
  guint (*fetch) (FaspEndpoint *endpoint, gpointer entries, guint max, guint64 *lost);
  gboolean (*write) (gpointer file, gconstpointer entries, guint n, GError **error);
  /* Writes the present state, once in each interval; may be NULL. */
  gboolean (*sample) (gpointer file, FaspIo *io, GError **error);
  void (*hurry) (gpointer file); /* the element waits for the end; may be NULL */
  void (*close) (gpointer file);
} GstFaspRecorderClass;

/* For `record': opens the file.  The element outlives the recorder. */
GstFaspRecorder *gst_fasp_recorder_new (GstElement *element, const gchar *path, GError **error);
/* For entries of any class: takes @file, which is open. */
GstFaspRecorder *gst_fasp_recorder_new_with_file (const GstFaspRecorderClass *class,
    GstElement *element, const gchar *path, gpointer file);
/* Starts the thread. @io outlives the recorder. */
void gst_fasp_recorder_start (GstFaspRecorder *recorder, FaspIo *io);
/* Does the recorder's own thread call this?  @recorder: NULL if there is none. */
gboolean gst_fasp_recorder_is_self (const GstFaspRecorder *recorder);
/* Writes the rest of the entries, and then frees the recorder. */
void gst_fasp_recorder_free (GstFaspRecorder *recorder);

G_END_DECLS
