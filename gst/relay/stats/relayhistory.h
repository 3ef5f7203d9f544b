/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayhistory.h: how each stream was in the last hour, day and week: 360 samples of each range, in
 * 36 KiB a stream.  Those of an hour are ten seconds apart; of every 24 of these, the mean is one
 * of the day, and of every seven of these, one of the week.
 *
 * Rates are made of two statistics of different times.  Time is an argument.  Used by one thread at
 * a time.
 */
#pragma once

#include "relayalarms.h"

G_BEGIN_DECLS

#define RELAY_HISTORY_STEP (10 * G_USEC_PER_SEC) /* µs */
#define RELAY_HISTORY_SAMPLES 360

typedef enum
{
  RELAY_HOUR,
  RELAY_DAY,
  RELAY_WEEK,
} RelayHistoryRange;

#define RELAY_HISTORY_RANGES 3

typedef struct _RelayHistory RelayHistory;

RelayHistory *relay_history_new (void);
void relay_history_free (RelayHistory *history);

/* Adds statistics of @now (µs, monotonic). Forgets streams that are not among them any more.
 */
void relay_history_note (RelayHistory *history, gint64 now, const RelayStats *stats);
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
