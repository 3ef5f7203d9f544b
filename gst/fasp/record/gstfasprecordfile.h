/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfasprecordfile.h: the file of the property `record': SQLite or CSV, by its extension.  Rows
 * are appended to an existing file.
 *
 * Columns: those of docs/recording.md.  Times are µs.
 */
#pragma once

#include "gstfaspdatabase.h"

G_BEGIN_DECLS

typedef struct _GstFaspRecordFile GstFaspRecordFile;

/* Could the file be opened?  Creates nothing. */
gboolean gst_fasp_record_file_check (const gchar *path, GError **error);
/* @element: its name, which is recorded with the run. */
GstFaspRecordFile *gst_fasp_record_file_open (const gchar *path, const gchar *element,
    GError **error);
/* Writes all entries, or none and sets @error. */
gboolean gst_fasp_record_file_write (GstFaspRecordFile *file, const FaspTraceEntry *entries,
    guint n, GError **error);
/* Does the file have a table of paths? CSV has only one table. */
gboolean gst_fasp_record_file_has_ways (const GstFaspRecordFile *file);
/* Writes the figures of paths, all rows or none; only if the file has that table. */
gboolean gst_fasp_record_file_write_ways (GstFaspRecordFile *file, const GstFaspWayRow *rows,
    guint n, GError **error);
/* May be called from any thread.  From now on, waits for another program that uses the database
 * take no more than a moment in all. */
void gst_fasp_record_file_hurry (GstFaspRecordFile *file);
void gst_fasp_record_file_close (GstFaspRecordFile *file);

G_END_DECLS
