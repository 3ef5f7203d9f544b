/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppacket.h: writing a packet of a session, on one of its flows.
 *
 *     begin    writes its header and sets its destination, the flow's address; set
 *              datagram->to afterwards for another one
 *     ...      frames go into w
 *     finish   seals the packet and accounts for it; nothing counts before that
 */
#pragma once

#include "faspsession.h"

G_BEGIN_DECLS

typedef struct
{
  guint8 flow_number;
  FaspFlow *flow;
  FaspDatagram *datagram;
  const FaspBlock *block; /* the block that the payload is of; NULL: there is no payload */
  FaspWriter w;
} FaspPacket;

void fasp_packet_begin (FaspPacket *packet, FaspSession *session, FaspDatagram *datagram,
    guint8 flow);
/* Seals the packet, and accounts for it. @block: the block that it carries, or FASP_NO_BLOCK,
 * FASP_PROBE. @continued: as in fasp_sent_map_sent(). FALSE: the packet is too large, or its number
 * was used before; both are bugs. */
gboolean fasp_packet_finish (FaspPacket *packet, FaspSession *session, FaspTime now, guint64 block,
    gboolean continued);
/* The two parts of fasp_packet_finish(). A run of packets is sealed one by one, which counts only
 * what the next one depends on, and then accounted for together: @n packets of @wire bytes in
 * all. */
gboolean fasp_packet_seal (FaspPacket *packet, FaspSession *session, FaspTime now, guint64 block,
    gboolean continued);
void fasp_packet_account (const FaspPacket *packet, FaspSession *session, FaspTime now, guint n,
    gsize wire);

/* The bytes of the packet on the wire. */
static inline gsize
fasp_packet_get_wire (const FaspPacket *packet)
{
  return packet->datagram->size + packet->datagram->to.overhead;
}

/* Picks a flow for a packet that may take any flow: one that is not known to be dead. */
guint8 fasp_packet_pick_flow (FaspSession *session);

G_END_DECLS
