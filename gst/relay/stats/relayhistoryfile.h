/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayhistoryfile.h: an SQLite file that keeps the samples of relayhistory.h across restarts.
 *
 * A thread of the file alone opens, reads and writes it: whatever the disk does, no function here
 * waits for it, but relay_history_file_free() if it is told to.  The thread writes what has come
 * each minute, in one transaction, and deletes what is older than its range.  While the file cannot
 * be used, it is tried again each minute; the reason is in the log once, and samples wait, as many
 * as WAITING_MAX.  The file is locked as long as it is open, so that no two relays mix their
 * samples.
 */
#pragma once

#include "relayhistorydatabase.h"

G_BEGIN_DECLS

#define RELAY_HISTORY_WRITE_EACH (60 * G_USEC_PER_SEC) /* µs */

typedef struct _RelayHistoryFile RelayHistoryFile;

/* @kept: with names that are constant. @each: µs between two writes. */
RelayHistoryFile *relay_history_file_new (const gchar *path, const RelayHistoryKept *kept,
    gint64 each);
/* The thread writes what has come, and ends. @waits: for that, no longer than HURRY. */
void relay_history_file_free (RelayHistoryFile *file, gboolean waits);
const gchar *relay_history_file_get_path (const RelayHistoryFile *file);
/* Adds a sample, and takes its text. */
void relay_history_file_add (RelayHistoryFile *file, const RelayHistorySample *sample);
/* Asks for the samples that the file has until @now (s, UTC) and that are not too old then.  @set:
 * s by which the clock was set: the times of samples that are not written yet move with it. */
void relay_history_file_read (RelayHistoryFile *file, gint64 now, gint64 set);
/* Returns the RelayHistorySample that relay_history_file_read() asked for, by range and time, once.
 * NULL: they are not read yet, or were returned. */
GArray *relay_history_file_take (RelayHistoryFile *file);
/* Returns why the file cannot be used, and what to do; NULL: it can, as far as is known. */
gchar *relay_history_file_get_error (RelayHistoryFile *file);

G_END_DECLS
