/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tsmonitor.h: measures an MPEG transport stream by ETSI TR 101 290 (V1.4.1): the errors of
 * priority 1 and 2, the bit rate of each PID, the programmes and their names.
 *
 * Bytes come in with the time of their arrival; errors, PIDs and programmes are looked up.  The
 * memory is about 70 KiB, and at most 85 KiB more for tables and clocks, for any input; the
 * work for a byte is bounded, too.
 *
 *   - Sync is found with five sync bytes in a row, and lost with two wrong ones in a row.  A packet
 *     with a wrong sync byte is not looked at, so a continuity error follows.
 *   - A packet that is marked as damaged counts as a transport error, and for nothing else.
 *   - A PID error is a video or audio PID of a PMT that stays away for the time that the user sets.
 *     Subtitles, data, and audio that is not the main one may pause, as the standard says.
 *   - A PTS error needs a first PTS; of scrambled packets none is read.
 *   - Times between PCRs, PTS and tables are those of arrival, so a network that holds data back is
 *     seen.  tspcr.h and tsclock.h say what accuracy and overall jitter are.
 */
#pragma once

#include "tstables.h"

G_BEGIN_DECLS

typedef struct
{
  gint64 pid; /* a video or audio PID may stay away for so long, ns: 5 s at most, says 1.6 */
  gint64 pcr; /* time between two PCRs, ns: 100 ms (2.3.a); 40 ms in editions before V1.3.1 */
} TsLimits;

#define TS_LIMIT_PID (5 * TS_SECOND)
#define TS_LIMIT_PCR (100 * TS_MSECOND)

typedef struct _TsMonitor TsMonitor;

/* @limits: NULL, or other ones than TS_LIMIT_... */
TsMonitor *ts_monitor_new (const TsLimits *limits);
void ts_monitor_free (TsMonitor *monitor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsMonitor, ts_monitor_free)

/* Returns a copy whose figures can be read; it takes no data. */
TsMonitor *ts_monitor_copy (const TsMonitor *monitor);

/* Another stream begins.  The errors that were counted stay. */
void ts_monitor_begin (TsMonitor *monitor);
/* @now: when the data came, ns; a time before an earlier one counts as that. */
void ts_monitor_push (TsMonitor *monitor, const guint8 *data, gsize size, gint64 now);
/* Time has passed; call it before the figures are read. */
void ts_monitor_update (TsMonitor *monitor, gint64 now);

const TsError *ts_monitor_get_error (const TsMonitor *monitor, TsErrorKind kind);
TsState ts_monitor_get_state (const TsMonitor *monitor, TsErrorKind kind);
/* Is there an error of priority 1? */
TsState ts_monitor_get_priority_1 (const TsMonitor *monitor);
/* BAD: the tables name no video, or no payload of it came for TS_ERROR_HOLD. UNKNOWN: there are no
 * tables. */
TsState ts_monitor_get_video (const TsMonitor *monitor);
/* Packets since the monitor was made; those with a wrong sync byte do not count. */
guint64 ts_monitor_get_packets (const TsMonitor *monitor);
/* Sections of tables since the monitor was made that were not read, or not all of them: a storm. */
guint64 ts_monitor_get_refused (const TsMonitor *monitor);
/* All packets, in the last second, bit/s of packets of 188 bytes; G_MAXUINT64: not known yet. */
guint64 ts_monitor_get_bit_rate (const TsMonitor *monitor);
/* They are valid until the monitor is called with data or time. */
const TsPid *ts_monitor_get_pids (const TsMonitor *monitor, guint *n);
const TsProgramme *ts_monitor_get_programmes (const TsMonitor *monitor, guint *n);

G_END_DECLS
