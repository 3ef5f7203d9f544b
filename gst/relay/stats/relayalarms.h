/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayalarms.h: what is wrong with a stream, in one table.
 *
 * A row says what an alarm is called, what it means, when it is there, and which rules of
 * examples/monitoring/alerts.yml have the same condition; tests/style/statistics looks for them.
 * The page shows an alarm once its condition has lasted for the row's time: seconds, where a rule
 * may wait for minutes.  Alarms whose condition cannot be known are listed as unwatched.
 */
#pragma once

#include <json-glib/json-glib.h>
#include "relayfigures.h"

G_BEGIN_DECLS

#define RELAY_ALARMS 12

/* Of one stream: since when each condition has been there, µs, monotonic. */
typedef struct
{
  gint64 since[RELAY_ALARMS]; /* 0: it is not there */
  guint unknown;              /* conditions that cannot be known, a bit each */
  guint told;                 /* alarms that relay_alarms_tell() has told, a bit each */
} RelayAlarms;

/* An alarm begins, or ends.  @text: a sentence. */
typedef void (*RelayAlarmFunc) (const gchar *stream, const gchar *alarm, gboolean raised,
    const gchar *text, gpointer data);

/* Takes figures of @now (µs, monotonic). */
void relay_alarms_note (RelayAlarms *alarms, gint64 now, const RelayStreamFigures *figures);
/* Calls @func for each alarm that has begun or ended since the last call. @interval: of pictures,
 * s. */
void relay_alarms_tell (RelayAlarms *alarms, gint64 now, const gchar *stream, guint interval,
    RelayAlarmFunc func, gpointer data);
/* Calls @func for each alarm that was told and has not ended, as the stream is removed. */
void relay_alarms_end (RelayAlarms *alarms, const gchar *stream, RelayAlarmFunc func,
    gpointer data);
/* Adds `alarms' and `unwatched' to a stream's object.  @utc: µs, added to monotonic times. */
void relay_alarms_describe (const RelayAlarms *alarms, gint64 now, gint64 utc, guint interval,
    JsonObject *object);
/* Returns the rows for the page, as JSON. */
gchar *relay_alarms_to_json (void);

G_END_DECLS
