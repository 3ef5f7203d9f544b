/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrts.h: what the pacer knows of MPEG transport streams (ISO/IEC 13818-1):
 * where packets begin, the program clock reference in them, and null packets.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define CBR_TS_PACKET 188
#define CBR_TS_PACKETS 7        /* in a datagram, as everybody does */
#define CBR_TS_SYNC 0x47
#define CBR_TS_HEADER 12        /* up to the last byte of a PCR */

/* Sync bytes in a row that are no accident. */
#define CBR_TS_RUN 3

/* Packets without a PCR after which a stream is taken to have none: 100 ms,
 * the longest that ISO/IEC 13818-1 allows, at 4 Gbit/s. */
#define CBR_TS_PATIENCE (1 << 18)

typedef struct
{
  guint phase;                  /* bytes of the current packet seen */
  guint8 header[CBR_TS_HEADER];
  guint run;                    /* packets in a row that began with a sync byte */
  guint64 packets;              /* of them, since the last PCR */
  gboolean has_pid;
  guint16 pid;                  /* the one that carries the PCR */
  gboolean has_pcr;
  guint64 raw;                  /* the last PCR, 27 MHz, wraps */
  guint64 ticks;                /* the same from 0, does not wrap */
} CbrTs;

typedef struct
{
  gssize offset;                /* of its packet in what was fed; may be < 0 */
  gint64 time;                  /* ns; never decreases */
  gboolean jump;                /* does not go on from the one before */
} CbrTsPcr;

void cbr_ts_init (CbrTs * ts);
/* Reads on from *@done in @data; TRUE: found @pcr, call again for more. */
gboolean cbr_ts_feed (CbrTs * ts, const guint8 * data, gsize size,
    gsize * done, CbrTsPcr * pcr);
/* Is it a transport stream that has a PCR, as far as seen? */
gboolean cbr_ts_is_clock (const CbrTs * ts);
/* Do two packets begin here, or is it all one? */
gboolean cbr_ts_is_sync (const guint8 * data, gsize size);

/* @n null packets (PID 0x1FFF, stuffing) at @data. */
void cbr_ts_fill_null (guint8 * data, guint n);

G_END_DECLS
