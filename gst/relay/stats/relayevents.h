/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayevents.h: the latest lines of the log: which peers came, which went and why, what failed.
 *
 * It keeps 256 lines, 64 of each group, which are the lines of one stream and one kind.  When it is
 * full, the oldest line of the largest groups goes: a stream whose callers come and go pushes out
 * neither its own warnings nor the lines of other streams.  Texts are cut: all lines take less than
 * 1 MiB.
 *
 * Its functions may be called from any thread.  Time is an argument.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define RELAY_EVENTS_MAX 256
#define RELAY_EVENTS_OF_GROUP 64
#define RELAY_EVENTS_TEXT 640 /* bytes of a line */
#define RELAY_EVENTS_NAME 128 /* bytes of any other text */

/* Names of the details of an alarm that begins or ends; a field `alarm' has its name. */
#define RELAY_EVENTS_RAISED "alarm-raised"
#define RELAY_EVENTS_CLEARED "alarm-cleared"

typedef struct _RelayEvents RelayEvents;

/* @json: the event; @stream: or NULL. Called from any thread. */
typedef void (*RelayEventFunc) (const gchar *kind, const gchar *stream, const gchar *json,
    gpointer data);

RelayEvents *relay_events_new (void);
void relay_events_free (RelayEvents *events);

/* @func is called with each event, but for those about what it causes itself
 * (RELAY_LOG_HOOK_FAILED).  To be set before there are events. */
void relay_events_watch (RelayEvents *events, RelayEventFunc func, gpointer data);
/* Adds a line of the log.  @now: µs, monotonic.  @stream, @end, @details: or NULL, as for
 * relay_log_end(). */
void relay_events_add (RelayEvents *events, gint64 now, const gchar *stream, const gchar *end,
    GLogLevelFlags level, const GstStructure *details, const gchar *text);
/* The number of the newest event, from 1; 0: there was none. */
guint64 relay_events_get_last (RelayEvents *events);
/* Returns the events as JSON, the newest first. @utc: µs, added to monotonic times. */
gchar *relay_events_to_json (RelayEvents *events, gint64 utc);

G_END_DECLS
