/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaylog.h: writes what happens to standard error, in one line each.  Whoever keeps the
 * lines (journald, a container's runtime) adds the time.
 */
#pragma once

#include <glib.h>

/* How much of a kind is logged, as others can cause it: so many lines in so much time. */
typedef struct
{
  guint most;
  gint64 time;  /* µs */
  gint64 since; /* the rest is 0 at first */
  guint n;
} RelayLogBudget;

/* TRUE: one more line may be written.  *missed: how many were not, in the time before. */
gboolean relay_log_may (RelayLogBudget *budget, gint64 now, guint *missed);

/* Returns @text in one line and without control characters, whatever the network has put into
 * it. */
gchar *relay_log_make_plain (const gchar *text);
/* @stream: its name, or NULL. */
void relay_log (const gchar *stream, const gchar *format, ...) G_GNUC_PRINTF (2, 3);
