/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrrestamp.h: gives each PCR of an MPEG transport stream the value of its clock at the moment
 * when its packet leaves.
 *
 * Packets wait for different times before they leave, and null packets are put between them, so
 * their own PCRs are wrong behind the pacer.  Each PID that carries PCRs has a clock here, a
 * straight line over the time of the output.  For a PCR of value x that came at time a, and leaves
 * at time t:
 *
 *   - Its new value is clock (t), so the distance of two PCRs is that of their bytes at the
 *     output's rate.  The rate of the clock differs from 27 MHz by a skew.
 *   - The clock is a delay behind that of the source: clock (a + delay) is x, but for the jitter
 *     with which packets come.  The delay is as long as any packet has waited: it begins at
 *     CBR_RESTAMP_DELAY, and doubles when one waits for longer; the clock then begins anew.  So no
 *     byte reaches a decoder later than it came here plus the delay.
 *   - Nor should it come earlier: a decoder has room for what its encoder and its muxer meant to be
 *     there (T-STD, 2.4.2).  So packets are held for CBR_RESTAMP_DELAY, less the longest time that
 *     the line was taken by what had come, in CBR_RESTAMP_BURSTS at least: a burst that is no
 *     larger than those before then leaves within the delay, too.
 *   - The source's clock and that of the output are different ones, and drift.  In each stretch of
 *     CBR_RESTAMP_LOOK, the packet that came earliest by its PCR shows the clock's error.
 *     A control loop changes the skew so slowly (CBR_RESTAMP_DRIFT) that a measurement of the PCRs'
 *     accuracy does not see it.
 *   - The clock begins anew where a packet announces another one, when no PCR came for
 *     CBR_RESTAMP_GONE, and if two PCRs in a row are off by more than CBR_RESTAMP_FAR, and by the
 *     same.  A single PCR that is far off is wrong, and gets the clock's value.
 *   - A clock that begins anew is announced in the packet (discontinuity_indicator).
 *   - If no PCR leaves for CBR_RESTAMP_EACH, a packet that has a PCR and nothing else is put
 *     between the others, while the source's PCRs are not away for longer than CBR_RESTAMP_GONE.
 *
 * PTS and DTS stay as they are.  Times are ns of the output, and are arguments.  The memory is the
 * same for any stream.
 */
#pragma once

#include "tspacket.h"

G_BEGIN_DECLS

/* PIDs with a clock; PCRs of more PIDs stay as they are. */
#define CBR_RESTAMP_PIDS 64
/* ns; as long as PCRs may be apart (ISO/IEC 13818-1, 2.7.2). */
#define CBR_RESTAMP_DELAY G_GINT64_CONSTANT (100000000)
#define CBR_RESTAMP_LOOK G_GINT64_CONSTANT (10000000000) /* ns */
/* The skew changes by this much a second at most, which is 27 mHz/s: ISO/IEC 13818-1 (2.4.2.1)
 * allows 75 mHz/s.  The filter of tsclock.h takes it for an error of 250 ns. */
#define CBR_RESTAMP_DRIFT 1e-9
/* ISO/IEC 13818-1 allows 30e-6 to the source; this machine's clock may be off by as much. */
#define CBR_RESTAMP_SKEW 60e-6
/* ns; a source that is off by 30e-6 makes the loop lag by 0.43 s, and belongs to the same clock. */
#define CBR_RESTAMP_FAR G_GINT64_CONSTANT (500000000)
#define CBR_RESTAMP_EACH G_GINT64_CONSTANT (40000000) /* ns; DVB (TS 101 154, 4.1.5.3) */
/* ns; key frames, which are the largest bursts, come more often.  What a stall made is forgotten.
 */
#define CBR_RESTAMP_BURSTS G_GINT64_CONSTANT (10000000000)
#define CBR_RESTAMP_GONE G_GINT64_CONSTANT (10000000000) /* ns */

typedef struct _CbrRestamp CbrRestamp;

typedef struct
{
  guint64 stamped, inserted, begun_anew, unchanged; /* PCRs; clocks, for `begun_anew' */
} CbrRestampCounts;

CbrRestamp *cbr_restamp_new (void);
void cbr_restamp_free (CbrRestamp *restamp);
/* Times do not go on from those before: all clocks begin anew, announced. */
void cbr_restamp_break (CbrRestamp *restamp);
/* A packet leaves.  @now: when, if it has a PCR.  @waited: for how long it was here, ns.  TRUE:
 * *pcr and *announced are to be written to it (ts_packet_write_pcr). */
gboolean cbr_restamp_take (CbrRestamp *restamp, const TsPacket *packet, gint64 now, gint64 waited,
    guint64 *pcr, gboolean *announced);
/* A datagram is to leave at @now, and the next one at @next.  TRUE: *packet, of TS_PACKET bytes, is
 * to be its first packet. */
gboolean cbr_restamp_insert (CbrRestamp *restamp, gint64 now, gint64 next, guint8 *packet);
/* Data came at @now that takes @span on the line. */
void cbr_restamp_came (CbrRestamp *restamp, gint64 now, gint64 span);
/* Returns for how long data is held, ns, if none may wait for longer than @most. */
gint64 cbr_restamp_get_hold (const CbrRestamp *restamp, gint64 most);
CbrRestampCounts cbr_restamp_get_counts (const CbrRestamp *restamp);

G_END_DECLS
