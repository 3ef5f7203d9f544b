/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfasprecordfile.h: the file behind the property `record': SQLite, or CSV,
 * by its extension.  Rows are added to what is there.
 *
 * Columns: those of docs/recording.md.  Times are µs.
 */
#pragma once

#include <gio/gio.h>
#include "fasptrace.h"

G_BEGIN_DECLS

typedef struct _GstFaspRecordFile GstFaspRecordFile;

/* Could it be opened? Makes nothing. */
gboolean gst_fasp_record_file_check (const gchar * path, GError ** error);
/* @element: name to tell runs apart by. */
GstFaspRecordFile *gst_fasp_record_file_open (const gchar * path,
    const gchar * element, GError ** error);
/* All of them, or none and an error. */
gboolean gst_fasp_record_file_write (GstFaspRecordFile * file,
    const FaspTraceEntry * entries, guint n, GError ** error);
/* From any thread: from now on it waits for another program that has the database for a
 * moment at most, all together. */
void gst_fasp_record_file_hurry (GstFaspRecordFile * file);
void gst_fasp_record_file_close (GstFaspRecordFile * file);

G_END_DECLS
