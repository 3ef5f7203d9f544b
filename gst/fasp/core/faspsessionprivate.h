/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionprivate.h: shared by the files of a session.
 */
#pragma once

#include "fasppacket.h"

G_BEGIN_DECLS

/* A way is proved, or is another now: what may be sent there is to be found. */
void fasp_session_use (FaspSession * session, FaspTime now, guint8 flow);
/* A path's state or its MTU may have changed. */
void fasp_session_measure (FaspSession * session);
/* May data go there? */
gboolean fasp_session_is_used (const FaspSession * session, guint8 flow);
/* Packet numbers from here on are of this key phase. */
void fasp_session_plan_rekey (FaspSession * session, FaspTime now);
/* When the peer is to be asked whether it has this phase's key. */
FaspTime fasp_session_get_rekey_time (const FaspSession * session);
/* Of a datagram with a block. */
guint fasp_session_get_overhead (const FaspSession * session);
/* A datagram of it, or of its group, has come, of @wire bytes from the IP header up. */
static inline void
fasp_session_count_received (FaspSession * session, FaspTime now, gsize wire)
{
  session->datagrams_received++;
  session->wire_received += wire;
  fasp_meter_add (&session->receive_meter, now, wire);
  if (session->role == FASP_ROLE_RECEIVER)
    fasp_report_datagram (&session->rx.report, now, wire, session->rtt.smoothed);
}

/* A block's DATA. @wire: bytes of its datagram, from the IP header up. */
void fasp_session_handle_data (FaspSession * session, FaspTime now,
    const FaspFrame * frame, gsize wire);
/* What is asked of the paths, and answered: FALSE, nothing is due. */
gboolean fasp_session_poll_pong (FaspSession * session, FaspTime now,
    FaspDatagram * datagram);
gboolean fasp_session_poll_challenge (FaspSession * session, FaspTime now,
    FaspDatagram * datagram);
gboolean fasp_session_poll_probe (FaspSession * session, FaspTime now,
    FaspDatagram * datagram);
gboolean fasp_session_poll_ping (FaspSession * session, FaspTime now,
    FaspDatagram * datagram);
/* Of several: those that nothing is heard on. */
gboolean fasp_session_poll_quiet (FaspSession * session, FaspTime now,
    FaspDatagram * datagram);
/* A PING in what goes anyway. */
void fasp_session_write_ping (FaspSession * session, FaspTime now,
    FaspPacket * packet);
/* Where the numbers of packets are that the peer may not have got for so long that their low bits
 * do not tell: of one flow, each in its turn, and the group's is that after the last. */
void fasp_session_write_next (FaspSession * session, FaspTime now,
    FaspWriter * w);
/* Receiver: its FEEDBACK, when it is due, */
gboolean fasp_session_poll_feedback (FaspSession * session, FaspTime now,
    FaspDatagram * datagram);
/* and what it says, which goes with a CLOSE, too. */
void fasp_session_write_feedback (FaspSession * session, FaspTime now,
    FaspWriter * w);
/* The group's part of a FEEDBACK. */
void fasp_session_tell_group (FaspSession * session, FaspTime now,
    FaspFeedbackFlow * told);
/* Has time settled that something of the group is lost? */
gboolean fasp_session_look_at_group (FaspSession * session, FaspTime now);
/* A receiver: a new block has not come by the group. */
void fasp_session_is_passed_by (FaspSession * session, FaspTime now);
/* When to send a PING, to measure or to show that one is there, and how often something is
 * to be said. */
FaspTime fasp_session_get_ping_time (const FaspSession * session);
FaspTime fasp_session_get_beat (const FaspSession * session);
/* When to say that nothing is heard of the group. */
FaspTime fasp_session_get_speak_up_time (const FaspSession * session);
/* Payload bytes that a copy may have. */
gint64 fasp_session_get_unused (const FaspSession * session, FaspTime now);

G_END_DECLS
