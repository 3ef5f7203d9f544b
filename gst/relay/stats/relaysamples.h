/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaysamples.h: samples of a stream in the last hour, day and week: 360 of each range.  Those of
 * an hour are ten seconds apart; of every 24 of these, the mean is one of the day, and of every
 * seven of these, one of the week.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RELAY_HISTORY_STEP (10 * G_USEC_PER_SEC) /* µs */
#define RELAY_HISTORY_SAMPLES 360
#define RELAY_HISTORY_FIGURES 8 /* of a sample, at most */

typedef enum
{
  RELAY_HOUR,
  RELAY_DAY,
  RELAY_WEEK,
} RelayHistoryRange;

#define RELAY_HISTORY_RANGES 3

/* Values of all figures; NAN: not known. */
typedef gfloat RelayValues[RELAY_HISTORY_FIGURES];
typedef struct _RelaySamples RelaySamples;

/* To be freed by g_free(). */
RelaySamples *relay_samples_new (guint figures);
gsize relay_samples_get_size (guint figures);            /* bytes */
gint64 relay_samples_get_step (RelayHistoryRange range); /* µs */

/* Adds a sample to one range. Where some are missing before it, as the relay did not run, that is
 * shown by one that is not known. @time: µs, monotonic. */
void relay_samples_put (RelaySamples *samples, RelayHistoryRange range, gint64 time,
    const gfloat *values);
/* Adds values[RELAY_HOUR], and means to the ranges that are complete with it, to which it sets
 * @values. Returns how many ranges have a new sample. */
guint relay_samples_add (RelaySamples *samples, gint64 time, RelayValues *values);
/* Appends the samples of @newer that are not older than @since (µs, monotonic). */
void relay_samples_append (RelaySamples *samples, const RelaySamples *newer, gint64 since);

guint relay_samples_count (const RelaySamples *samples, RelayHistoryRange range);
/* @i: from 0, the oldest, on. */
gint64 relay_samples_get_time (const RelaySamples *samples, RelayHistoryRange range, guint i);
gfloat relay_samples_get_value (const RelaySamples *samples, RelayHistoryRange range, guint figure,
    guint i);

G_END_DECLS
