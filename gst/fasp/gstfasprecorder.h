/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfasprecorder.h: the property `record': a thread that fetches entries from
 * the core's ring and writes them to a file.
 *
 * The stream never waits for it.  If the file cannot be written any more, one
 * warning says so and recording ends.
 */
#pragma once

#include <gst/gst.h>
#include "faspio.h"

G_BEGIN_DECLS

typedef struct _GstFaspRecorder GstFaspRecorder;

/* Opens the file. The element outlives it. */
GstFaspRecorder *gst_fasp_recorder_new (GstElement * element,
    const gchar * path, GError ** error);
/* @io outlives the recorder, too. */
void gst_fasp_recorder_start (GstFaspRecorder * recorder, FaspIo * io);
/* Does the recorder's own thread call this?  @recorder: NULL if there is none. */
gboolean gst_fasp_recorder_is_self (const GstFaspRecorder * recorder);
/* Writes what is left first. */
void gst_fasp_recorder_free (GstFaspRecorder * recorder);

G_END_DECLS
