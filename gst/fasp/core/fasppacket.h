/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppacket.h: a packet of a session that is being written, on one of its flows.
 *
 *     begin    its header, and where it goes: the flow's address, unless datagram->to is
 *              set to another one
 *     ...      frames, into w
 *     finish   it is sealed, and accounted for; nothing of it counts before
 */
#pragma once

#include "faspsession.h"

G_BEGIN_DECLS

typedef struct
{
  guint8 flow;
  FaspPath *path;
  FaspDatagram *datagram;
  FaspWriter w;
} FaspPacket;

void fasp_packet_begin (FaspPacket * packet, FaspSession * session,
    FaspDatagram * datagram, guint8 flow);
/* @block: what it carries, or FASP_NO_BLOCK, FASP_PROBE; @continued: not the first of that.
 * FALSE: it cannot be sent, which is a mistake of ours. */
gboolean fasp_packet_finish (FaspPacket * packet, FaspSession * session,
    FaspTime now, guint64 block, gboolean continued);

/* The flow for what may go on any: what carries, as far as is known. */
guint8 fasp_packet_pick_flow (FaspSession * session);

G_END_DECLS
