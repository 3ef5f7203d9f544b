/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionprivate.h: what the files of a session share.
 */
#pragma once

#include "fasppacket.h"

G_BEGIN_DECLS

/* A flow was proved or has a new address: starts to use it, and searches for its MTU. */
void fasp_session_use (FaspSession *session, FaspTime now, guint8 flow);
/* Updates what the flows have in common, after the state or the MTU of one may have
 * changed. */
void fasp_session_measure (FaspSession *session);
/* May data use this flow? */
gboolean fasp_session_is_used (const FaspSession *session, guint8 flow);
/* A new key phase begins with the next packet of each flow. */
void fasp_session_plan_rekey (FaspSession *session, FaspTime now);
/* When to ask the peer whether it has the key of this phase. */
FaspTime fasp_session_get_rekey_time (const FaspSession *session);
/* UDP payload bytes of a datagram with a block that are not the block's. */
guint fasp_session_get_overhead (const FaspSession *session);
/* Counts a datagram of the session, or of its group, that has come. @wire: its bytes,
 * IP header included. */
static inline void
fasp_session_count_received (FaspSession *session, FaspTime now, gsize wire)
{
  session->traffic.datagrams_received++;
  session->traffic.wire_received += wire;
  fasp_meter_add (&session->traffic.receive, now, wire);
  if (session->role == FASP_ROLE_RECEIVER)
    fasp_feedback_datagram (fasp_rx_get_feedback (session->rx), now, wire, session->rtt.smoothed);
}

/* Takes in a DATA frame. @wire: bytes of its datagram, IP header included. */
void fasp_session_handle_data (FaspSession *session, FaspTime now, const FaspDataFrame *data,
    FaspMemory *memory, gsize wire);
/* The peer's CLOSE; and ours, when it is due. */
void fasp_session_handle_close (FaspSession *session, FaspTime now, const FaspCloseFrame *close);
gboolean fasp_session_poll_close (FaspSession *session, FaspTime now, FaspDatagram *datagram);
/* Receiver: the sender's PROMISE. */
void fasp_session_handle_promise (FaspSession *session, FaspTime now,
    const FaspPromiseFrame *promise);
/* A new key agreement: the peer's public key, and what was opened with a key that was agreed upon.
 */
void fasp_session_handle_agree (FaspSession *session, FaspTime now, const FaspAgreeFrame *key);
void fasp_session_follow_secret (FaspSession *session, FaspTime now);
/* What is sent, in pairs for the table in faspsessiontasks.c: when something may be due, and a
 * datagram with it. */
/* Challenges, probes and PINGs of the flows, and answers to the peer's. FALSE: nothing
 * is due. */
FaspTime fasp_session_get_pong_time (const FaspSession *session, FaspTime now);
gboolean fasp_session_poll_pong (FaspSession *session, FaspTime now, FaspDatagram *datagram);
FaspTime fasp_session_get_agree_time (const FaspSession *session, FaspTime now);
gboolean fasp_session_poll_agree (FaspSession *session, FaspTime now, FaspDatagram *datagram);
FaspTime fasp_session_get_challenge_time (const FaspSession *session, FaspTime now);
gboolean fasp_session_poll_challenge (FaspSession *session, FaspTime now, FaspDatagram *datagram);
FaspTime fasp_session_get_probe_time (const FaspSession *session, FaspTime now);
gboolean fasp_session_poll_probe (FaspSession *session, FaspTime now, FaspDatagram *datagram);
FaspTime fasp_session_get_next_ping_time (const FaspSession *session, FaspTime now);
gboolean fasp_session_poll_ping (FaspSession *session, FaspTime now, FaspDatagram *datagram);
/* Of several flows: asks those on which nothing is heard. */
FaspTime fasp_session_get_quiet_time (const FaspSession *session, FaspTime now);
gboolean fasp_session_poll_quiet (FaspSession *session, FaspTime now, FaspDatagram *datagram);
/* Adds a PING to a datagram that leaves anyway. */
void fasp_session_write_ping (FaspSession *session, FaspTime now, FaspPacket *packet);
/* Adds a NEXT for one flow, in turn, if the peer may have got nothing of it for so long
 * that the low bits of its packet numbers are ambiguous. The turn of the group's flow
 * comes after the last one. */
void fasp_session_write_next (FaspSession *session, FaspTime now, FaspWriter *w);
/* Receiver: its FEEDBACK, when it is due. */
FaspTime fasp_session_get_feedback_time (const FaspSession *session, FaspTime now);
gboolean fasp_session_poll_feedback (FaspSession *session, FaspTime now, FaspDatagram *datagram);
/* Writes the FEEDBACK, which goes with a CLOSE, too. */
void fasp_session_write_feedback (FaspSession *session, FaspTime now, FaspWriter *w);
/* Fills in the group's part of a FEEDBACK. */
void fasp_session_report_group (FaspSession *session, FaspTime now, FaspFeedbackFlow *reported);
/* Is there a new loss in the group to report, now that time has settled it? */
gboolean fasp_session_look_at_group (FaspSession *session, FaspTime now);
/* Receiver: a new block came by unicast, not by the group. */
void fasp_session_is_passed_by (FaspSession *session, FaspTime now);
/* When to send a PING, to measure the round trip or to keep the session alive; and the
 * interval at which something is sent at least. */
FaspTime fasp_session_get_ping_time (const FaspSession *session);
FaspTime fasp_session_get_beat (const FaspSession *session);
/* Sender: estimates the path again, and sends PROMISE to the peer. */
FaspTime fasp_session_get_promise_time (const FaspSession *session, FaspTime now);
gboolean fasp_session_poll_promise (FaspSession *session, FaspTime now, FaspDatagram *datagram);
/* Sender: makes this member of a group the speaker, which asks for what all members may lack. */
FaspTime fasp_session_get_speaker_time (const FaspSession *session, FaspTime now);
gboolean fasp_session_poll_speaker (FaspSession *session, FaspTime now, FaspDatagram *datagram);
/* Sender: blocks, and what belongs to them. The time is what fasp_session_look_ahead() has found.
 */
FaspTime fasp_session_get_stream_time (const FaspSession *session, FaspTime now);
gboolean fasp_session_poll_stream (FaspSession *session, FaspTime now, FaspDatagram *datagram);
/* Sender: nothing more can leave now. Finds out when something of the stream may. */
void fasp_session_look_ahead (FaspSession *session, FaspTime now);
/* Sender: gives the controllers' rates to the pacers. */
void fasp_session_follow_rate (FaspSession *session, FaspTime now);
/* The same, now that a rate may have changed. */
void fasp_session_follow_paths (FaspSession *session, FaspTime now);
/* Sender: a flow was proved. Finds the path that it is of, which it then keeps, wherever the peer
 * moves. */
void fasp_session_assign_path (FaspSession *session, FaspTime now, guint8 flow);
/* Is there a flow of it that may carry data? */
gboolean fasp_session_uses_path (const FaspSession *session, const FaspPath *path);
/* Sender: the flow that @item takes, and *when it may leave there; > now: not yet, and the flow is
 * not known.  May change the item's count. */
guint8 fasp_session_choose_flow (FaspSession *session, FaspTime now, FaspTxItem *item,
    FaspTime *when);
/* Sender: when @item may leave, as far as its path is concerned. */
FaspTime fasp_session_get_path_time (const FaspSession *session, FaspTime now,
    const FaspTxItem *item);
/* Sender: a new block that goes on several flows has left on one of them.  It goes on those other
 * flows whose path has room for it. */
void fasp_session_double (FaspSession *session, FaspTime now);
/* Sender: a flow of the path that is not in @avoid, if there is one. */
guint8 fasp_session_pick_flow (FaspSession *session, const FaspPath *path, guint64 avoid);
/* Sender: a flow can carry data from now on, or cannot. */
void fasp_session_set_usable (FaspSession *session, FaspTime now, guint8 flow, gboolean usable);
/* Sender: is it the last usable flow of several paths?  It is not given up, as nothing else is
 * left.
 */
gboolean fasp_session_needs_flow (const FaspSession *session, guint8 flow);
/* Takes the round trips of the paths from what the sent map has learned by @feedback. */
void fasp_session_note_round_trips (FaspSession *session, const FaspFeedback *feedback);
/* Sender: may a datagram leave, as far as the rate is concerned? */
gboolean fasp_session_is_ready (const FaspSession *session, FaspTime now);
/* Sender: or the endpoint's total rate? */
gboolean fasp_session_is_let (const FaspSession *session, FaspTime now);
/* Adds a POSITION that says where block @number begins, if that is known. */
void fasp_session_write_position (FaspSession *session, FaspWriter *w, guint64 number);
/* When to send FEEDBACK that says that the group is not heard. */
FaspTime fasp_session_get_speak_up_time (const FaspSession *session);

/* Log what has changed: the size of datagrams. */
static inline void
fasp_session_log_mtu (const FaspSession *session, FaspTime now, guint8 flow, guint16 before,
    const gchar *why)
{
  guint16 size = session->flows[flow].pmtu.size;

  if (size != before)
    FASP_LOG (session->notes.log, now, MTU_UPDATED, flow, before, size, FASP_LOG_WORD (why));
}

/* The rate of a path's controller.  The log is not NULL. */
void fasp_session_log_rate (const FaspSession *session, FaspTime now, FaspPath *path);

G_END_DECLS
