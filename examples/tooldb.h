/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tooldb.h: what a measuring tool has seen, into SQLite, by a thread of its own:
 * the disk must not be in the times that are measured.
 *
 *   run     run | started (Unix time, µs) | target | rate (bit/s) | settings
 *
 * and the tool's own tables, whose first column is the run.
 */
#pragma once

#include <glib.h>

typedef struct _ToolDb ToolDb;

#define TOOL_DB_VALUES 8        /* of a row, at most */
#define TOOL_DB_NULL G_MININT64

typedef struct
{
  const gchar *target, *settings;
  gint64 rate;
} ToolRun;

/* @tables: SQL that makes them if they are not there. @inserts: a name of a
 * table for each kind of row. NULL and *error: a sentence, to be freed. */
ToolDb *tool_db_open (const gchar * path, const gchar * tables,
    const gchar * const *inserts, guint n_inserts, const ToolRun * run,
    gchar ** error);
/* A row: the run, and these.  It is written with what it belongs to: */
void tool_db_add (ToolDb * db, guint insert, const gint64 * values, guint n);
/* The rows so far are complete.  Whoever reads the file finds all that came between two of these, or
 * nothing of it. */
void tool_db_complete (ToolDb * db);
/* The run began at @started (Unix time, µs), and not when the file was opened. */
void tool_db_start (ToolDb * db, gint64 started);
/* Another run of the same begins, then: the rows from here on are of it. */
void tool_db_start_another (ToolDb * db, gint64 started);
/* Something could not be written: what is measured from now on would be in vain. */
gboolean tool_db_has_failed (ToolDb * db);
/* Waits until all is written. FALSE and *error: something was not. */
gboolean tool_db_close (ToolDb * db, gchar ** error);
