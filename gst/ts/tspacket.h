/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tspacket.h: reads the header and the adaptation field of a packet of an MPEG transport stream
 * (ISO/IEC 13818-1, 2.4.3), and tells by its continuity_counter whether packets are missing.
 *
 * A continuity error is a packet whose counter does not follow that of the packet before it, of the
 * same PID.  These are none: a packet that is sent twice; a jump that the discontinuity_indicator
 * announces; null packets, packets marked as damaged, and the first one of each PID.  Sixteen
 * packets of a PID that are lost in a row are not seen, nor is a loss that looks like a packet sent
 * twice.
 */
#pragma once

#include "tssync.h"

G_BEGIN_DECLS

#define TS_PIDS 8192
#define TS_NULL_PID 0x1fff
#define TS_HEADER 12 /* bytes, up to the last one of a PCR */
#define TS_PCR_WRAP ((G_GUINT64_CONSTANT (1) << 33) * 300)

typedef struct
{
  guint16 pid;
  guint8 counter;
  guint8 step;    /* what it adds to the counter: 1 with a payload, even an empty one; else 0 */
  guint8 payload; /* where it begins; TS_PACKET: it has no byte */
  gboolean damaged, start, scrambled, announced;
  gboolean has_pcr;
  guint64 pcr; /* 27 MHz; if has_pcr.  An extension above 299 may lift it above TS_PCR_WRAP */
} TsPacket;

/* Reads the first @size bytes of a packet, 6 at least: of fewer than TS_HEADER, no PCR. `announced'
 * is the discontinuity_indicator. */
void ts_packet_read (TsPacket *packet, const guint8 *data, gsize size);
/* Makes a null packet of it. */
void ts_packet_write_null (guint8 *data);
/* Writes another PCR, 27 MHz, to a packet that has one. */
void ts_packet_write_pcr (guint8 *data, guint64 pcr);
/* Sets the discontinuity_indicator of a packet that has a PCR. */
void ts_packet_announce (guint8 *data);
/* Takes the payload out of a packet that has an adaptation field. */
void ts_packet_strip (TsPacket *packet, guint8 *data);

typedef enum
{
  TS_ORDER_NEXT,  /* nothing is known to be missing */
  TS_ORDER_AGAIN, /* the packet before it was the same */
  TS_ORDER_JUMP,  /* its counter does not follow, as the packet announces: no error */
  TS_ORDER_LOST,  /* packets before it are missing, or it is out of order: a continuity error */
} TsOrder;

/* *state: of the packet's PID, 0 before its first packet. */
TsOrder ts_packet_check_counter (const TsPacket *packet, guint8 *state);

/* Returns the time from one PCR to a later one, 27 MHz. */
gint64 ts_pcr_get_step (guint64 from, guint64 to);

G_END_DECLS
