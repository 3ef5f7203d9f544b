/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayfec.h: recovers lost packets of RTP from repair packets (SMPTE ST 2022-1).
 *
 * The packets of a stream fill a matrix row by row.  A repair packet is the XOR of a row, or of a
 * column, and gives back one packet of it that is lost; that packet may be the last that another
 * repair packet lacks:
 *
 *     0   1   2   3   4    row 0       repairs of columns at PORT + RELAY_FEC_STEP,
 *     5   6   7   8   9    row 1       of rows at PORT + 2 * RELAY_FEC_STEP
 *     10  11  12  ...
 *
 * Memory is bounded, whatever arrives: the last RELAY_FEC_MEDIA packets and the last
 * RELAY_FEC_REPAIRS repair packets are kept.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RELAY_FEC_STEP 2  /* from a port to the next one (SMPTE ST 2022-1, 8.1) */
#define RELAY_FEC_PORTS 3 /* of media, columns, rows */

/* A column's repair leaves up to a matrix after the column's end, and another matrix may be late:
 * 100 packets each, in a ring whose size divides the 65536 numbers. */
#define RELAY_FEC_MEDIA 512
#define RELAY_FEC_REPAIRS 128     /* of three matrices: 20 columns or rows, and 5 of the other */
#define RELAY_FEC_PACKET_MAX 2048 /* bytes: more than fits into an Ethernet frame */

typedef struct _RelayFec RelayFec;

/* Reads COLUMNSxROWS: 1 to 20 columns, 4 to 20 rows, up to 100 packets.  FALSE: it is none. */
gboolean relay_fec_read (const gchar *text, guint *columns, guint *rows);

RelayFec *relay_fec_new (guint columns, guint rows);
void relay_fec_free (RelayFec *fec);

/* Forgets all packets and repairs.  To be called when the stream begins anew (relaymerge.h), as its
 * numbers are others then. */
void relay_fec_forget (RelayFec *fec);
/* Notes a packet of the stream, which is valid RTP. */
void relay_fec_take_media (RelayFec *fec, const guint8 *data, gsize size);
/* Takes a repair packet.  FALSE: it is none of this matrix. */
gboolean relay_fec_take_repair (RelayFec *fec, gboolean row, const guint8 *data, gsize size);
/* Returns the next packet that can be recovered now, which is then noted as one of the stream;
 * NULL: there is none. */
GBytes *relay_fec_pop (RelayFec *fec);

G_END_DECLS
