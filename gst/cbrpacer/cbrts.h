/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrts.h: what the pacer knows about MPEG transport streams (ISO/IEC 13818-1):
 * where packets begin, the program clock reference in them, and null packets.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define CBR_TS_PACKET 188
#define CBR_TS_PACKETS 7        /* in a datagram, as is common */
#define CBR_TS_SYNC 0x47
#define CBR_TS_HEADER 12        /* up to the last byte of a PCR */

/* As many sync bytes in a row are no accident. */
#define CBR_TS_RUN 3

/* After this many packets without a PCR, the stream is taken to have none: 100 ms,
 * the longest time that ISO/IEC 13818-1 allows, at 4 Gbit/s. */
#define CBR_TS_PATIENCE (1 << 18)

typedef struct
{
  guint phase;                  /* bytes of the current packet seen */
  guint8 header[CBR_TS_HEADER];
  guint run;                    /* packets in a row that began with a sync byte */
  guint64 packets;              /* packets since the last PCR */
  gboolean has_pid;
  guint16 pid;                  /* the one that carries the PCR */
  gboolean has_pcr;
  guint64 raw;                  /* the last PCR, 27 MHz, wraps */
  guint64 ticks;                /* the same from 0, does not wrap */
  gboolean has_other;           /* since then, another PID has carried one: */
  guint16 other_pid;
  guint64 other_raw;            /* the first */
} CbrTs;

typedef struct
{
  gssize offset;                /* of its packet in the data that was fed; may be < 0 */
  gint64 time;                  /* ns; never decreases */
  gboolean jump;                /* not continuous with the PCR before */
} CbrTsPcr;

void cbr_ts_init (CbrTs * ts);
/* Reads @data from *done on. TRUE: it found *pcr; call it again for more. */
gboolean cbr_ts_feed (CbrTs * ts, const guint8 * data, gsize size,
    gsize * done, CbrTsPcr * pcr);
/* TRUE: as far as seen, it is a transport stream that has a PCR. */
gboolean cbr_ts_is_clock (const CbrTs * ts);
/* TRUE: @data begins with two packets, or is just one packet. */
gboolean cbr_ts_is_sync (const guint8 * data, gsize size);

/* Writes @n null packets (PID 0x1FFF, stuffing) to @data. */
void cbr_ts_fill_null (guint8 * data, guint n);

G_END_DECLS
