/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tssplice.h: makes one MPEG transport stream of several that follow one another, or of one that is
 * repeated, so that a decoder goes on (ISO/IEC 13818-1, 2.4.3 and 2.4.4).
 *
 *   - The continuity_counters of a PID go on, and count what goes on alone.
 *   - The first PCR of each PID has the discontinuity_indicator if the clock of the next stream is
 *     another one (ts_splice_begin).  Else PCR, PTS and DTS are moved, so that they go on
 *     (ts_splice_follow).
 *   - PAT and PMTs are written anew, with a version_number that rises if they differ from the last
 *     ones (tswriter.h).  Those with a wrong CRC, or none, are left out.
 *   - Of each PID, the next stream begins with the beginning of a PES packet or a section; until
 *     then its PCRs alone go on, and null packets for what is left out.  A PID in which the last
 *     stream that had it began nothing begins anywhere.  PES packets do not begin in front of the
 *     first PCR of a clock that jumps (2.4.3.5), as their PTS would be taken for one of the old
 *     clock; a stream may lack PCRs, so TS_SPLICE_AWAITED of them are left out at most.
 *
 * Until the first stream has been followed by another one, only the tables' packets may be cut
 * otherwise. What is not done: of several programmes, the first PCR of any counts; a PID in which
 * nothing begins is left out of a stream that has it first; the last PES packet of a stream may be
 * cut by the next one; versions of other tables stay as they are, as do those of tables of several
 * sections; a PTS that is not in the packet in which its PES packet begins is not moved; on the PID
 * of a PMT, other sections above TS_SECTION_KEPT bytes are left out; times in sections are not
 * moved, nor is the pts_adjustment of SCTE 35, so its splice points are where the first round has
 * them.
 *
 * The memory is about 200 KiB for any input.
 */
#pragma once

#include "tssection.h"

G_BEGIN_DECLS

/* A programme with 60 pictures and eight times 47 blocks of sound a second has 44 PES packets in
 * the 100 ms that two PCRs may be apart (2.7.2). */
#define TS_SPLICE_AWAITED 64

typedef struct _TsSplice TsSplice;

TsSplice *ts_splice_new (void);
void ts_splice_free (TsSplice *splice);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TsSplice, ts_splice_free)

/* Another stream begins with the next packet, with a clock of its own. */
void ts_splice_begin (TsSplice *splice);
/* The same, unless the continuity_counters of the next packets, up to one with a PCR, follow on
 * those of the last ones: no packet came for a while. */
void ts_splice_doubt (TsSplice *splice);
/* As ts_splice_begin, and @shift (27 MHz) is added to its clock, which then goes on. */
void ts_splice_follow (TsSplice *splice, guint64 shift);
/* Takes a packet, and appends to @out the packets that go on for it: none, or more than one. */
void ts_splice_take (TsSplice *splice, const guint8 packet[TS_PACKET], GByteArray *out);

G_END_DECLS
