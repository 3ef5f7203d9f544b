/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tooldb.h: writes the measurements of a tool to SQLite. A thread of its own does that,
 * so that the disk does not affect the times measured.
 *
 *   run     run | started (Unix time, µs) | target | rate (bit/s) | settings
 *
 * and the tool's own tables, whose first column is the run.
 */
#pragma once

#include <glib.h>

typedef struct _ToolDb ToolDb;

#define TOOL_DB_VALUES 8 /* the most in a row */
#define TOOL_DB_NULL G_MININT64

typedef struct
{
  const gchar *target, *settings;
  gint64 rate;
} ToolRun;

/* @tables: SQL that creates them if they do not exist. @inserts: the table for each
 * kind of row. NULL: *error is a sentence, which the caller frees. */
ToolDb *tool_db_open (const gchar *path, const gchar *tables, const gchar *const *inserts,
    guint n_inserts, const ToolRun *run, gchar **error);
/* Adds a row: the run, and these values. tool_db_complete() says which rows are written together.
 */
void tool_db_add (ToolDb *db, guint insert, const gint64 *values, guint n);
/* All rows so far belong together. A reader of the file finds all rows between two of
 * these calls, or none of them. */
void tool_db_complete (ToolDb *db);
/* Sets the start of the run to @started (Unix time, µs), instead of when the file was
 * opened. */
void tool_db_start (ToolDb *db, gint64 started);
/* Begins another run with the same settings at @started; all further rows belong to it. */
void tool_db_start_another (ToolDb *db, gint64 started);
/* TRUE: a row could not be written, so the tool should stop measuring. */
gboolean tool_db_has_failed (ToolDb *db);
/* Waits until all rows are written. FALSE: some were not; *error says why. */
gboolean tool_db_close (ToolDb *db, gchar **error);
