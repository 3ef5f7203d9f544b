/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayrepeats.h: which lines of the log are not written, as they repeat one.
 *
 * A fault that lasts (a target that is dead, a network without a route) causes the same line with
 * each try, or each datagram.  A line is written when it is new.  While it is repeated, it is
 * written after 10 s, then after 20 s, 40 s and so on: once for each doubling of the time since the
 * first, with the number of repetitions in between.  After 5 min without one, it is new again.
 *
 * Time is an argument, but of relay_repeats_warn().
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define RELAY_REPEATS_FIRST (10 * G_USEC_PER_SEC) /* µs; the longest pause between two tries */
/* A line that was not repeated for this long, µs, counts as new. It is longer than a minute, after
 * which elements report a refused caller again. */
#define RELAY_REPEATS_QUIET (300 * G_USEC_PER_SEC)
/* Lines that are remembered: those that came last.  It is more than a stream has outputs, as each
 * may be dead, and callers are refused besides. */
#define RELAY_REPEATS_MAX 512

typedef struct _RelayRepeats RelayRepeats;

RelayRepeats *relay_repeats_new (void);
void relay_repeats_free (RelayRepeats *repeats);
/* Returns the line to write: @line, and " (37 times in the last 80 s)" if it is repeated; NULL:
 * none must be written now.  @what: lines with the same one are repetitions.  @now: µs.  From any
 * thread. */
gchar *relay_repeats_note (RelayRepeats *repeats, gint64 now, const gchar *what, const gchar *line);
/* Logs @what and @then as a warning, if it must be written now.  @stream, @event: or NULL, as for
 * relay_log_end().  From any thread. */
void relay_repeats_warn (RelayRepeats *repeats, const gchar *stream, const gchar *event,
    const gchar *what, const gchar *then);

G_END_DECLS
