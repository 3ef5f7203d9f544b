/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaylog.h: writes what happens, in one line each: as text or JSON to standard error, or to
 * journald with its fields.  The program that keeps lines of text (journald, a container's
 * runtime) adds the time.
 *
 * Messages are GLib's structured ones.  Their fields are MESSAGE, PRIORITY (4: a warning, 5),
 * SYSLOG_IDENTIFIER, and, of a stream, FASP_STREAM and FASP_END (input, output) and, of a
 * peer, FASP_EVENT and the fields of the element's message.
 */
#pragma once

#include <gst/gst.h>

/* Name of the details of a line about a hook that has failed.  Hooks do not send such a line: it
 * would fail too, and cause the next one. */
#define RELAY_LOG_HOOK_FAILED "hook-failed"

/* The most lines of a kind that are logged in `time', as other hosts can cause them. */
typedef struct
{
  guint most;
  gint64 time;  /* µs */
  gint64 since; /* begin of the present span; the rest is 0 at first */
  guint n;
} RelayLogBudget;

/* TRUE: one more line may be written. *missed: lines that were left out before it. */
gboolean relay_log_may (RelayLogBudget *budget, gint64 now, guint *missed);

/* Makes GLib log in this @format: text (or NULL), json or journald. To be called once. FALSE: there
 * is no such format; text is used. */
gboolean relay_log_begin (const gchar *format);

/* Called with each line of the log: the arguments are those of relay_log_end(). */
typedef void (*RelayLogFunc) (const gchar *stream, const gchar *end, GLogLevelFlags level,
    const GstStructure *details, const gchar *text, gpointer data);
/* @func: called from any thread that logs. NULL: none; once this returns, no call is going on. */
void relay_log_watch (RelayLogFunc func, gpointer data);

/* Returns @text, which may come from the network, as one line without control characters. */
gchar *relay_log_make_plain (const gchar *text);
/* @stream: its name, or NULL. */
void relay_log (const gchar *stream, const gchar *format, ...) G_GNUC_PRINTF (2, 3);
void relay_log_warning (const gchar *stream, const gchar *format, ...) G_GNUC_PRINTF (2, 3);
/* Logs a message of an end of a stream.  @details: those of the element's message; NULL: none. */
void relay_log_end (const gchar *stream, const gchar *end, GLogLevelFlags level,
    const GstStructure *details, const gchar *text);
/* One line of JSON with the fields that GLib gives to a writer: in small letters, without FASP_,
 * each as a string.  @now: µs, UTC. */
gchar *relay_log_to_json (gint64 now, const GLogField *fields, gsize n_fields);
