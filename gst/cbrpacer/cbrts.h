/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrts.h: what the pacer knows about MPEG transport streams (ISO/IEC 13818-1): the
 * program clock reference in their packets, and null packets.
 */
#pragma once

#include "cbrsync.h"

G_BEGIN_DECLS

#define CBR_TS_PACKET 188
#define CBR_TS_PACKETS 7        /* in a datagram, as is common */
#define CBR_TS_HEADER 12        /* up to the last byte of a PCR */

/* After this many packets without a PCR, the stream is taken to have none: 100 ms,
 * the longest time that ISO/IEC 13818-1 allows, at 4 Gbit/s. */
#define CBR_TS_PATIENCE (1 << 18)

typedef struct
{
  CbrSync sync;
  guint phase;                  /* bytes seen from the sync byte of the current packet on */
  guint8 header[CBR_TS_HEADER];
  guint64 packets;              /* packets since the last PCR */
  gboolean has_pid;
  guint16 pid;                  /* the one that carries the PCR */
  gboolean has_pcr;
  guint64 raw;                  /* the last PCR, 27 MHz, wraps */
  guint64 ticks;                /* the same from 0, does not wrap */
  gboolean has_other;           /* since then, another PID has carried one: */
  guint16 other_pid;
  guint64 other_raw;            /* the first */
  guint strangers;              /* PCRs of yet other PIDs since it came */
} CbrTs;

typedef struct
{
  gssize offset;                /* of its packet's sync byte in the data that was fed; may be
                                   < 0 */
  gint64 time;                  /* ns; never decreases */
  gboolean jump;                /* not continuous with the PCR before */
} CbrTsPcr;

/* @size: of the packets, if it is known, or 0. */
void cbr_ts_init (CbrTs * ts, guint size);
/* The packets that come are of this size, or of any (0). The clock goes on. */
void cbr_ts_set_size (CbrTs * ts, guint size);
/* Reads @data from *done on. TRUE: it found *pcr; call it again for more. */
gboolean cbr_ts_feed (CbrTs * ts, const guint8 * data, gsize size,
    gsize * done, CbrTsPcr * pcr);
/* TRUE: as far as seen, it is a transport stream that has a PCR. */
gboolean cbr_ts_is_clock (const CbrTs * ts);

/* Writes @n null packets (PID 0x1FFF, stuffing) to @data. */
void cbr_ts_fill_null (guint8 * data, guint n);

G_END_DECLS
