/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayhistorydatabase.h: the SQL of the file that keeps samples (relayhistoryfile.h).  Each
 * function may wait for the disk.  Used by one thread at a time.
 *
 * What fails returns a sentence that says why, and what to do; then the database can only be freed.
 */
#pragma once

#include "relaysamples.h"

G_BEGIN_DECLS

typedef struct
{
  gchar *stream;
  guint range;        /* a RelayHistoryRange */
  gint64 time;        /* s, UTC */
  RelayValues values; /* in the order of the names; NAN: not known */
} RelayHistorySample;

/* What is kept: the names of the figures, ended by NULL, and for how long the samples of each range
 * are, s, ended by 0. */
typedef struct
{
  const gchar *names[RELAY_HISTORY_FIGURES + 1];
  gint64 ages[RELAY_HISTORY_RANGES + 1];
} RelayHistoryKept;

typedef struct _RelayHistoryDatabase RelayHistoryDatabase;

/* Opens the file, which is locked until the database is freed, or makes it. NULL: *why. */
RelayHistoryDatabase *relay_history_database_open (const gchar *path, const RelayHistoryKept *kept,
    const gchar **why);
/* What was not written is lost. */
void relay_history_database_free (RelayHistoryDatabase *database);
/* Appends samples of the file, by range and time, to @samples: those that are not later than @now
 * (s, UTC), and not too old at that time. Stops when another thread sets *ending. */
const gchar *relay_history_database_read (RelayHistoryDatabase *database, gint64 now,
    const gint *ending, GArray *samples);
/* Writes @samples, and deletes those that are too old at the time of the last one. */
const gchar *relay_history_database_write (RelayHistoryDatabase *database, const GArray *samples);

G_END_DECLS
