/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrpackets.h: where the data that waits is cut, if it is an MPEG transport stream.
 *
 * Invariant: what leaves together is either whole packets, or bytes that are in no whole packet,
 * never both. So each datagram of packets begins and ends where a packet does, whatever is lost,
 * and no byte is lost or moved.
 *
 * A packet is as many bytes as the stream's packets have, with a sync byte in its place. Behind a
 * break (a DISCONT, or an event that begins or ends something) a packet is expected. If there is
 * none, or if one is not followed by a sync byte, the place is lost: it is found again at the first
 * packet that a sync byte follows. A packet in which another one begins was cut off, and is none.
 * (No packet waits for what follows it: one of which the next has not come yet is believed.)
 *
 * A packet that has not come as a whole waits for its rest, however long, until a break ends it.
 * Only where it is doubtful whether there is a packet at all, the caller may end the wait
 * (@impatient).
 * There are no clocks and no locks.
 */
#pragma once

#include "cbrqueue.h"
#include "cbrsync.h"

G_BEGIN_DECLS

typedef struct
{
  guint size;    /* bytes of a packet */
  gboolean sure; /* that it is a transport stream: the caps say so, or more than one
                    sync byte was seen */
  gboolean lost; /* the bytes before were in no packet */
} CbrPackets;

typedef struct
{
  gsize size;       /* bytes that may leave together; 0: none */
  gboolean whole;   /* nothing that comes could be added to them */
  gboolean foreign; /* they are in no packet */
  gboolean held;    /* size is 0, as a packet is not whole yet */
  gboolean doubt;   /* with held: perhaps it is no packet */
} CbrPiece;

/* Looks for up to @most bytes, of whole packets' size, at the head of @queue. @impatient: it does
 * not wait for what is doubtful. */
CbrPiece cbr_packets_look (const CbrPackets *packets, CbrQueue *queue, gsize most,
    gboolean impatient);
/* A packet is expected next. */
void cbr_packets_begin (CbrPackets *packets);
/* Bytes of @piece were taken out of the queue: all of them, or whole packets, if it is of
 * packets. */
void cbr_packets_took (CbrPackets *packets, const CbrPiece *piece);

G_END_DECLS
