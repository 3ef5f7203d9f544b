/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaypackets.h: cuts a stream of bytes into datagrams of seven whole MPEG-TS packets.
 *
 * Bytes that are in no whole packet are left out and counted.  Of what comes in one piece, a rest
 * of less than seven packets waits for what follows.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _RelayPackets RelayPackets;

RelayPackets *relay_packets_new (void);
void relay_packets_free (RelayPackets *packets);
/* Takes the reference of @buffer. @now: any clock's, for relay_packets_get_since(). */
void relay_packets_push (RelayPackets *packets, GstBuffer *buffer, GstClockTime now);
/* Returns the packets of the next datagram; NULL: it is not full yet. @last: it may be smaller. */
GstBuffer *relay_packets_pop (RelayPackets *packets, gboolean last);
/* Do packets or a part of one wait? */
gboolean relay_packets_wait (RelayPackets *packets);
/* Returns when the first of the waiting bytes came. */
GstClockTime relay_packets_get_since (RelayPackets *packets);
/* Returns a buffer of packets.  Takes @bytes. */
GstBuffer *relay_packets_wrap (GByteArray *bytes);
/* Returns how many bytes belonged to no packet. */
guint64 relay_packets_get_stray (const RelayPackets *packets);

G_END_DECLS
