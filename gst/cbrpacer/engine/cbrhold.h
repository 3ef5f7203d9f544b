/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrhold.h: for how long data is held, so that a transport stream leaves with the intervals with
 * which it came.
 *
 * A decoder has room for what its encoder and its muxer meant to be there (T-STD, ISO/IEC 13818-1,
 * 2.4.2).  If data left as soon as the line is free, it would come up to the delay of the PCRs
 * (cbrrestamp.h) too early, and not fit.  So each byte leaves as late as it can:
 *
 *     start = min over the data that waits of (when it came + delay - what it and all data before
 *     it take on the line)
 *
 * From `start' on, data leaves at the full rate, and none waits for longer than the delay.  A
 * stream that comes evenly then has the same delay for each byte; of a burst, the last byte has it.
 *
 * Times are ns, and are arguments.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _CbrHold CbrHold;

CbrHold *cbr_hold_new (void);
void cbr_hold_free (CbrHold *hold);
/* The data that waits now is not held. */
void cbr_hold_clear (CbrHold *hold);
/* @size bytes came at @now.  @rate: of the line, bit/s, at least 1; at another one than before, the
 * data before is not held. */
void cbr_hold_push (CbrHold *hold, gint64 now, guint64 size, guint64 rate);
/* Returns `start'; G_MININT64: the next byte is not held.  @waiting: bytes that wait. */
gint64 cbr_hold_get_start (CbrHold *hold, guint64 waiting, gint64 delay);

G_END_DECLS
