/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasptimestamps.h: receive timestamps: times of arrival of a flow's packets.  The receiver reports
 * them for the sender's rate control.
 *
 * Holds at most FASP_TIMESTAMPS of the packets received since the last report, evenly spaced: when
 * there are more, every other one is dropped.  The caller adds only packets that are newer than all
 * before, so numbers and times rise together.
 *
 * A FEEDBACK has up to FASP_TIMESTAMPS_LEAST of them, and more after a longer interval, so that a
 * controller gets as many samples of a pulse at any interval of feedback.
 */
#pragma once

#include "fasplimits.h"
#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_TIMESTAMPS_LEAST 16

typedef struct
{
  guint64 pn;
  FaspTime time;
} FaspTimestamp;

typedef struct
{
  FaspTimestamp list[FASP_TIMESTAMPS]; /* oldest first */
  guint n;
  guint stride; /* one packet in `stride' is kept */
  guint passed; /* packets since the last one that was kept */
} FaspTimestamps;

void fasp_timestamps_init (FaspTimestamps *timestamps);
/* Packet @pn, newer than all before, came at @now. */
void fasp_timestamps_add (FaspTimestamps *timestamps, FaspTime now, guint64 pn);
/* Keeps at most @most timestamps (1 or more), evenly spaced. */
void fasp_timestamps_thin_out (FaspTimestamps *timestamps, guint most);
/* The number of timestamps for a FEEDBACK that leaves @since µs after the last one. */
guint fasp_timestamps_choose (FaspTime since);
/* Forgets all timestamps after their report. */
void fasp_timestamps_reset (FaspTimestamps *timestamps);

G_END_DECLS
