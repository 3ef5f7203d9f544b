/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayrepeats.h: which lines of the log are not written, as they say what others have said.
 *
 * A fault that lasts (a target that is dead, a network without a route) is told again with each
 * try, or each datagram.  A line is written when it is new.  While it is told again, the next is
 * written after 10 s, then after 20 s, 40 s and so on: one line for each doubling of the time for
 * which it has lasted, with how often it was told meanwhile.  After 5 min without, it is new again.
 *
 * Time is an argument.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RELAY_REPEATS_FIRST (10 * G_USEC_PER_SEC) /* µs; the longest pause between two tries */
#define RELAY_REPEATS_QUIET \
  (300 * G_USEC_PER_SEC)     /* µs; elements tell of a caller that is refused once a minute */
#define RELAY_REPEATS_MAX 32 /* lines that are remembered: those that were told last */

typedef struct _RelayRepeats RelayRepeats;

RelayRepeats *relay_repeats_new (void);
void relay_repeats_free (RelayRepeats *repeats);
/* Returns what is added to the line: nothing, or " (37 times in the last 80 s)"; NULL: it is not
 * written now.  @line: what is compared. @now: µs. */
gchar *relay_repeats_note (RelayRepeats *repeats, gint64 now, const gchar *line);

G_END_DECLS
