/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionprivate.h: what the files of a session share.
 */
#pragma once

#include "faspexchange.h"
#include "faspfeedbackrate.h"
#include "fasppacket.h"

G_BEGIN_DECLS

#define FASP_PONGS 64 /* answers that may wait; further PINGs are not answered */

/* Our keys. Changed by fasp_session_set_keys(), and `random' by fasp_session_set_rekeying(). */
typedef struct
{
  FaspRandomFunc random; /* makes the keys that are agreed upon while the session runs */
  gpointer random_data;
  FaspCipher cipher;
  FaspSealer *sealer;           /* owned */
  FaspOpener *opener;           /* owned */
  guint8 resume[FASP_KEY_SIZE]; /* proves, when a session is resumed, that the caller was in it */
} FaspSessionKeys;

/* When the key that we seal with is replaced: after an interval, or a number of datagrams,
 * whichever comes first. */
typedef struct
{
  FaspTime interval;
  guint64 limit;     /* datagrams */
  FaspTime time;     /* when the interval of this key ends */
  guint64 datagrams; /* sealed with this key */
  FaspTime asked;    /* when the peer was last asked whether it has this key */
  FaspTime wait;     /* time from `asked' until the peer is asked again; 0: it was not asked yet */
  /* the secret that is mixed into a key from time to time; changed by faspsessionkeys.c */
  FaspExchange exchange;
  guint keys;            /* number of keys derived since the last secret */
  FaspTime send_time;    /* when to send our public key; FASP_NEVER: there is none to send */
  FaspTime send_wait;    /* caller: from then until it is sent again */
  FaspTime compute_time; /* a public key of the peer is ignored before this time */
} FaspRekeying;

/* An answer that is due. It goes to where the PING came from. */
typedef struct
{
  guint64 token;
  guint8 flow;
  FaspAddress to;
} FaspPong;

/* PINGs of any flow, and answers to the peer's. */
typedef struct
{
  FaspTokens tokens;
  FaspTime time;              /* when the next PING is due, which measures the round trip */
  gboolean due;               /* a PING must leave at once */
  guint next_flow;            /* the flow whose packet number the next NEXT carries */
  FaspPong pongs[FASP_PONGS]; /* the answers that wait */
  guint n_pongs;
} FaspPings;

/* What only the session's own files need. */
struct _FaspSessionPrivate
{
  FaspSessionKeys keys;
  FaspRekeying rekeying;
  FaspPings pings;
  FaspFeedbackRate feedback_rate; /* sender: bytes that feedback may take */
  guint64 feedback_serial;        /* receiver: of the last FEEDBACK written */
};

/* A flow was proved or has a new address: starts to use it, and searches for its MTU. */
void fasp_session_use (FaspSession *session, FaspTime now, guint8 flow);
/* Computes the block size that fits all flows in use, and the slowest round trip, after a flow may
 * have changed. */
void fasp_session_measure (FaspSession *session);
/* May data use this flow? */
gboolean fasp_session_is_used (const FaspSession *session, guint8 flow);
/* Begins a new key phase with the next packet of each flow. */
void fasp_session_plan_rekey (FaspSession *session, FaspTime now);
/* When to ask the peer whether it has the key of this phase. */
FaspTime fasp_session_get_rekey_time (const FaspSession *session);
/* UDP payload bytes that a datagram with a block has besides the block. */
guint fasp_session_get_overhead (const FaspSession *session);
/* Counts a received datagram of the session or of its group. @wire: its bytes, IP header
 * included. */
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
/* Takes in the peer's CLOSE; and sends ours, when it is due. */
void fasp_session_handle_close (FaspSession *session, FaspTime now, const FaspCloseFrame *close);
FaspTime fasp_session_get_close_time (const FaspSession *session, FaspTime now);
gboolean fasp_session_poll_close (FaspSession *session, FaspTime now, FaspDatagram *datagram);
void fasp_session_handle_promise (FaspSession *session, FaspTime now,
    const FaspPromiseFrame *promise);
/* A new key agreement: takes in the peer's public key; seals with the new secret once a datagram
 * was opened with it.
 */
void fasp_session_handle_agree (FaspSession *session, FaspTime now, const FaspAgreeFrame *key);
void fasp_session_follow_secret (FaspSession *session, FaspTime now);
/* The tasks for the table in faspsessiontasks.c, in pairs: get_..._time() tells when a datagram may
 * be due, poll_...() makes it. */
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
/* With several flows: pings those on which nothing is heard. */
FaspTime fasp_session_get_quiet_time (const FaspSession *session, FaspTime now);
gboolean fasp_session_poll_quiet (FaspSession *session, FaspTime now, FaspDatagram *datagram);
/* Adds a PING to a datagram that leaves anyway. */
void fasp_session_write_ping (FaspSession *session, FaspTime now, FaspPacket *packet);
/* Adds a NEXT for one flow, round robin, the group's flow last, if the peer may have received
 * nothing on it for so long that the low bits of its packet numbers are ambiguous. */
void fasp_session_write_next (FaspSession *session, FaspTime now, FaspWriter *w);
FaspTime fasp_session_get_feedback_time (const FaspSession *session, FaspTime now);
gboolean fasp_session_poll_feedback (FaspSession *session, FaspTime now, FaspDatagram *datagram);
/* Writes the FEEDBACK, which goes with a CLOSE, too. */
void fasp_session_write_feedback (FaspSession *session, FaspTime now, FaspWriter *w);
/* Fills in the group's part of a FEEDBACK. */
void fasp_session_report_group (FaspSession *session, FaspTime now, FaspFeedbackFlow *reported);
/* Has time settled a new loss in the group, which must be reported? */
gboolean fasp_session_look_at_group (FaspSession *session, FaspTime now);
/* Receiver: a new block came by unicast, although there is a group. */
void fasp_session_is_passed_by (FaspSession *session, FaspTime now);
/* When to send a PING, to measure the round trip or to keep the session alive; and the
 * interval at which something is sent at least. */
FaspTime fasp_session_get_ping_time (const FaspSession *session);
FaspTime fasp_session_get_beat (const FaspSession *session);
/* Sender: estimates the path again, and sends PROMISE to the peer. */
FaspTime fasp_session_get_promise_time (const FaspSession *session, FaspTime now);
gboolean fasp_session_poll_promise (FaspSession *session, FaspTime now, FaspDatagram *datagram);
/* Sender: makes this member of a group the speaker, which asks at once for blocks that all members
 * may lack. */
FaspTime fasp_session_get_speaker_time (const FaspSession *session, FaspTime now);
gboolean fasp_session_poll_speaker (FaspSession *session, FaspTime now, FaspDatagram *datagram);
/* Sender: sends blocks, repairs, copies and TAIL: makes up to @max datagrams, and returns their
 * number. The time was found by fasp_session_look_ahead(). */
FaspTime fasp_session_get_stream_time (const FaspSession *session, FaspTime now);
guint fasp_session_poll_stream (FaspSession *session, FaspTime now, FaspDatagram *datagrams,
    guint max);
/* Sender: nothing more can leave now. Finds out when the next datagram of the stream may.
 * @is_empty: it is known that there is none now. */
void fasp_session_look_ahead (FaspSession *session, FaspTime now, gboolean is_empty);
/* Sender: gives the controllers' rates to the pacers, if one may have changed by now. */
void fasp_session_follow_rate (FaspSession *session, FaspTime now);
/* Sender: gives the controllers' rates to the pacers at once. */
void fasp_session_follow_paths (FaspSession *session, FaspTime now);
/* Sender: a flow was proved. Finds or adds its path, which the flow keeps even if the peer
 * moves. */
void fasp_session_assign_path (FaspSession *session, FaspTime now, guint8 flow);
/* Has the path a flow that may carry data? */
gboolean fasp_session_uses_path (const FaspSession *session, const FaspPath *path);
/* Sender: returns the flow for @item, and sets *when it may leave there. If that is later than
 * @now, the flow is not decided yet. May change item->count. */
guint8 fasp_session_choose_flow (FaspSession *session, FaspTime now, FaspTxItem *item,
    FaspTime *when);
/* Sender: when @item may leave, as far as its path is concerned. */
FaspTime fasp_session_get_path_time (const FaspSession *session, FaspTime now,
    const FaspTxItem *item);
/* Sender: a new block that goes on several flows has left on one of them.  It goes on those other
 * flows whose path has room for it. */
void fasp_session_double (FaspSession *session, FaspTime now);
/* Sender: picks a flow of the path, if possible one that is not in @avoid. */
guint8 fasp_session_pick_flow (FaspSession *session, const FaspPath *path, guint64 avoid);
/* Sender: from now on @flow can carry data, or cannot. */
void fasp_session_set_usable (FaspSession *session, FaspTime now, guint8 flow, gboolean usable);
/* Sender: is it the last usable flow, which must not be given up? */
gboolean fasp_session_needs_flow (const FaspSession *session, guint8 flow);
/* Takes the round trips of the paths from what the sent map has learned by @feedback. */
void fasp_session_note_round_trips (FaspSession *session, const FaspFeedback *feedback);
/* Sender: may a datagram leave, as far as the rate is concerned? */
gboolean fasp_session_is_ready (const FaspSession *session, FaspTime now);
/* Sender: may a datagram leave, as far as the endpoint's total rate is concerned? */
gboolean fasp_session_is_let (const FaspSession *session, FaspTime now);
/* Adds a POSITION that says where block @number begins, if that is known. */
void fasp_session_write_position (FaspSession *session, FaspWriter *w, guint64 number);
/* When to send FEEDBACK that says that the group is not heard. */
FaspTime fasp_session_get_speak_up_time (const FaspSession *session);

static inline void
fasp_session_log_mtu (const FaspSession *session, FaspTime now, guint8 flow, guint16 before,
    const gchar *why)
{
  guint16 size = session->flows[flow].pmtu.size;

  if (size != before)
    FASP_LOG (session->notes.log, now, MTU_UPDATED, flow, before, size, FASP_LOG_WORD (why));
}

/* Logs the rate of a path's controller, if it has changed by RATE_STEP. The session must have a
 * log. */
void fasp_session_log_rate (const FaspSession *session, FaspTime now, FaspPath *path);

G_END_DECLS
