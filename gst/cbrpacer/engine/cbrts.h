/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrts.h: what the pacer knows about MPEG transport streams (ISO/IEC 13818-1): the
 * program clock reference in their packets, and null packets.
 *
 * A PCR comes at least every 100 ms, and only the discontinuity_indicator announces another clock.
 * Files keep neither rule, and packets are damaged. So a PCR counts
 *
 *   - if it is CBR_TS_NEAR at most after the one before it;
 *   - else it is in doubt until the next one.  If that follows the one in doubt, both count: there
 *     was a pause without PCRs or, if the step was backwards or longer than CBR_TS_PAUSE, another
 *     clock began.  If it follows the one before the doubt, the one in doubt was wrong, and never
 *     counts;
 *   - if it is announced, as the first one of another clock.  If a far step follows that, it was
 *     wrong itself.
 *
 * A wrong PCR that is near counts until the next one.  If that follows the one before the wrong
 * one, time stands still until it has caught up.  So no wrong PCR makes time longer or shorter,
 * except for the first one of a clock, if it is near.
 */
#pragma once

#include "tspacket.h"

G_BEGIN_DECLS

#define CBR_TS_PACKETS 7 /* packets in a datagram, as is common */
/* This many sync bytes in a row are taken for packets. */
#define CBR_TS_RUN 4

/* After this many packets without a PCR, the stream is taken to have none: 100 ms,
 * the longest time that ISO/IEC 13818-1 allows, at 4 Gbit/s. */
#define CBR_TS_SILENCE_MAX (1 << 18)

/* Three times the longest interval between PCRs that is allowed, 27 MHz. */
#define CBR_TS_NEAR (3 * G_GINT64_CONSTANT (2700000))
/* A longer step is not time that passed, but the beginning of another clock; 27 MHz. */
#define CBR_TS_PAUSE (10 * G_GINT64_CONSTANT (27000000))
/* After this many PCRs in a row, none of which follows the one before it, the clock begins anew. (A
 * wrong PCR beside a pause makes three.) */
#define CBR_TS_DOUBTS 4

typedef struct
{
  gssize offset; /* where its packet's sync byte is in the data that was fed; far below 0 if the PCR
                    was in doubt and came in earlier data */
  gint64 time;   /* ns; never decreases */
  gboolean jump; /* not continuous with the PCR before */
} CbrTsPcr;

/* A PCR that counts. */
typedef struct
{
  guint64 raw;   /* 27 MHz, wraps */
  guint64 ticks; /* `raw' counted from 0, does not wrap */
} CbrTsTime;

typedef struct
{
  TsSync sync;
  guint phase; /* bytes seen from the sync byte of the current packet on */
  guint8 header[TS_HEADER];
  guint64 bytes;   /* bytes fed */
  guint64 packets; /* packets since the last PCR */
  gboolean has_pid;
  guint16 pid; /* the PID that carries the PCR */
  gboolean has_pcr;
  CbrTsTime last; /* the last PCR that counts */
  gboolean has_before;
  CbrTsTime before;        /* the PCR before the last one, of the same clock */
  guint64 returned;        /* the most ticks that were returned */
  guint doubts;            /* PCRs in doubt since the last one that counts */
  guint64 doubt, doubt_at; /* the latest PCR in doubt, 27 MHz, wraps; and where it was, bytes */
  gboolean has_next;       /* the one in doubt was returned, and `next' is to follow */
  CbrTsPcr next;           /* the PCR to return next */
  gboolean has_other;      /* since our last PCR, another PID has carried one */
  guint16 other_pid;       /* that PID */
  guint64 other_raw;       /* first PCR of other_pid, 27 MHz, wraps */
  guint strangers;         /* PCRs of further PIDs since other_raw came */
} CbrTs;

/* @size: of the packets, if it is known, or 0. */
void cbr_ts_init (CbrTs *ts, guint size);
/* From now on, packets have this size, or any (0). The clock goes on. */
void cbr_ts_set_size (CbrTs *ts, guint size);
/* Reads @data from *done on. TRUE: it found *pcr; call it again for more. */
gboolean cbr_ts_feed (CbrTs *ts, const guint8 *data, gsize size, gsize *done, CbrTsPcr *pcr);
/* Is it, as far as seen, a transport stream that has a PCR? */
gboolean cbr_ts_is_clock (const CbrTs *ts);

/* Writes @n null packets (PID 0x1FFF, stuffing) to @data. */
void cbr_ts_fill_null (guint8 *data, guint n);

G_END_DECLS
