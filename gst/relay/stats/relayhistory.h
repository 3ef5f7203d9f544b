/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayhistory.h: how each stream was in the last hour, day and week (relaysamples.h), in 36 KiB a
 * stream.
 *
 * Rates are made of two statistics of different times.  Time is an argument.  Used by one thread at
 * a time.
 */
#pragma once

#include "relayalarms.h"
#include "relaysamples.h"

G_BEGIN_DECLS

typedef struct _RelayHistory RelayHistory;

RelayHistory *relay_history_new (void);
void relay_history_free (RelayHistory *history);
/* Keeps samples in the file of this path from now on, and takes in what that has of earlier ones
 * (relayhistoryfile.h). @path: NULL: in none. */
void relay_history_set_file (RelayHistory *history, const gchar *path);
/* Adds to new statistics why the history is not kept in its file. */
void relay_history_report (const RelayHistory *history, RelayStats *stats);

/* Adds statistics of @now (µs, monotonic). @utc: µs, added to monotonic times. */
void relay_history_note (RelayHistory *history, gint64 now, gint64 utc, const RelayStats *stats);
/* relay_alarms_tell() of each stream. Ends the alarms of streams that are not in the statistics any
 * more, and forgets these. @stats: as of the last relay_history_note(). */
void relay_history_tell_alarms (RelayHistory *history, gint64 now, const RelayStats *stats,
    RelayAlarmFunc func, gpointer data);
/* The rates at the time of the last relay_history_note(). */
RelayRates relay_history_get_rates (const RelayHistory *history, const gchar *stream);
/* The same of alarms; NULL: there is no such stream. */
const RelayAlarms *relay_history_get_alarms (const RelayHistory *history, const gchar *stream);
/* "hour", "day", "week"; FALSE: no range has this name. */
gboolean relay_history_find_range (const gchar *name, RelayHistoryRange *range);
/* JSON: a list of each figure, the oldest first. @utc: µs, added to monotonic times. */
gchar *relay_history_to_json (const RelayHistory *history, const gchar *stream,
    RelayHistoryRange range, gint64 utc);
/* Bytes of memory that the history takes. */
gsize relay_history_get_size (const RelayHistory *history);

G_END_DECLS
