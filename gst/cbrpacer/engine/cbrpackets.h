/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrpackets.h: where queued data is cut, if it is an MPEG transport stream.
 *
 * Invariant: a datagram holds either whole packets, or bytes that are in no whole packet, never
 * both. So each datagram of packets begins and ends where a packet does, even behind a loss, and no
 * byte is dropped or moved.
 *
 * A packet is as many bytes as the stream's packets have, with a sync byte in its place. Behind a
 * break (a DISCONT, or an event that begins or ends something) a packet is expected. If there is
 * none, or if one is not followed by a sync byte, the place is lost: it is found again at the first
 * packet that a sync byte follows. A packet in which another one begins was cut off, and is none.
 * (A packet does not wait for the next one: until that comes, it counts as a packet.)
 *
 * A packet that has not come as a whole waits for its rest, however long, until a break ends it.
 * Only where it is doubtful whether there is a packet at all, the caller may end the wait
 * (@impatient).
 * There are no clocks and no locks.
 */
#pragma once

#include "cbrqueue.h"
#include "tssync.h"

G_BEGIN_DECLS

typedef struct
{
  guint size;    /* bytes of a packet */
  gboolean sure; /* it certainly is a transport stream: the caps say so, or more than one
                    sync byte was seen */
  gboolean lost; /* the bytes before were in no packet */
} CbrPackets;

typedef struct
{
  gsize size;       /* bytes that may leave together; 0: none */
  gboolean whole;   /* no later data could be added to them */
  gboolean foreign; /* these bytes are in no packet */
  gboolean held;    /* size is 0, as a packet is not whole yet */
  gboolean doubt;   /* with held: perhaps there is no packet */
} CbrPiece;

/* Looks for up to @most bytes (the size of whole packets) at the head of @queue. @impatient: a
 * doubtful packet is not waited for. */
CbrPiece cbr_packets_look (const CbrPackets *packets, CbrQueue *queue, gsize most,
    gboolean impatient);
/* A packet is expected next. */
void cbr_packets_begin (CbrPackets *packets);
/* Bytes of @piece were taken out of the queue: all or, if it consists of packets, some whole
 * packets. */
void cbr_packets_took (CbrPackets *packets, const CbrPiece *piece);

G_END_DECLS
