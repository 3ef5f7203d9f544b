/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tsloop.h: plays an MPEG transport stream again and again as one that has no end: its clock, time
 * stamps and continuity counters go on (tssplice.h).
 *
 * A PCR belongs to a place: the clock goes on by the time that the packets behind the last PCR and
 * in front of the first one take at the stream's mean rate, between its PCRs that are no more than
 * TS_LOOP_STEP apart.  Of several programmes, the first PID with a PCR counts, and all clocks are
 * moved by the same.  A stream without a PCR is repeated as it is; one without two such PCRs begins
 * with a jump of the clock, which is announced.
 */
#pragma once

#include "tssplice.h"

G_BEGIN_DECLS

/* 27 MHz: a second, ten times what two PCRs may be apart (ISO/IEC 13818-1, 2.7.2). */
#define TS_LOOP_STEP G_GUINT64_CONSTANT (27000000)

typedef struct
{
  TsSplice *splice;
  guint64 shift;       /* of this round, 27 MHz */
  guint64 packets;     /* of this round */
  gint pid;            /* whose PCRs count; -1: none came */
  guint64 first, last; /* PCRs of this round, 27 MHz */
  guint64 before;      /* packets in front of the first one */
  guint64 at;          /* packets in front of the last one */
  guint64 time, over;  /* between PCRs, 27 MHz; and packets that this took */
  guint64 without;     /* packets since the last PCR, of all rounds */
} TsLoop;

void ts_loop_init (TsLoop *loop);
void ts_loop_clear (TsLoop *loop);
/* The stream begins again. */
void ts_loop_again (TsLoop *loop);
/* Takes a packet, and appends to @out what goes on, as ts_splice_take(). */
void ts_loop_take (TsLoop *loop, const guint8 packet[TS_PACKET], GByteArray *out);

G_END_DECLS
