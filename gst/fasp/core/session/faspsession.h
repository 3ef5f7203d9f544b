/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsession.h: one peer: its keys, addresses, packet numbers and liveness, and a
 * sending or a receiving half. Composes outgoing datagrams and takes incoming ones
 * apart.
 *
 * A session owns everything in it but the pointers marked as the endpoint's. Times are
 * microseconds on the caller's clock unless said otherwise.
 *
 * States:
 *
 *   ASKING   the application is asked whether to take the caller
 *   HALF     (listener) ACCEPT was sent, and nothing has come back yet. Nothing
 *            else is sent, so that no caller can flood a third party through us.
 *   OPEN     data may flow both ways
 *   CLOSING  CLOSE is repeated until the peer's CLOSE or a deadline
 *   CLOSED   over; answers with CLOSE for a while, then is forgotten
 */
#pragma once

#include "fasprx.h"
#include "faspmultipath.h"
#include "faspnotes.h"
#include "faspsessionparts.h"
#include "fasptx.h"
#include "faspwirehello.h"

G_BEGIN_DECLS

#define FASP_KEEPALIVE (500 * FASP_MSEC)
#define FASP_INTERRUPTED_AFTER (2 * FASP_SEC)
#define FASP_HALF_TIMEOUT (5 * FASP_SEC)
/* All peers that have called and not reported yet share one pace: a new block in this time, or an
 * initial window (RFC 9002, section 7.2) in a tenth of a second. */
#define FASP_UNHEARD_EVERY (10 * FASP_MSEC)
/* The first blocks to a peer that reports, this many, do not wait for blocks to other peers: two,
 * as one may be lost. */
#define FASP_NEWCOMER_BLOCKS 2
/* Packets to such peers that may leave together: an initial window (RFC 9002, section 7.2). */
#define FASP_NEWCOMERS_BURST 10
/* bit/s for all peers together that report but have acknowledged nothing, if the session is not
 * paced: the rate of a usual stream. */
#define FASP_NEWCOMERS_RATE 10000000
/* The longest time that a receiver holds blocks back until the sender has found the latency. */
#define FASP_HOLD_MAX (2 * FASP_SEC)
#define FASP_JUMBO_KNOWN (3 * FASP_SEC)
/* A key is due for replacement after this time, or this many datagrams: half of what
 * GCM allows (RFC 9001, section 6.6). */
#define FASP_REKEY_INTERVAL (60 * FASP_SEC)
#define FASP_REKEY_DATAGRAMS (1 << 22)
/* This many keys are derived, each from the one before; then both ends agree on a new secret: once
 * an hour, if each key is used for FASP_REKEY_INTERVAL. */
#define FASP_AGREE_EVERY 60

typedef enum
{
  FASP_SESSION_ASKING,
  FASP_SESSION_HALF,
  FASP_SESSION_OPEN,
  FASP_SESSION_CLOSING,
  FASP_SESSION_CLOSED,
} FaspSessionState;

/* The state that only the session's files use (faspsessionprivate.h), and the state of a session
 * that only the endpoint uses (endpoint/faspsessionrecord.h). */
typedef struct _FaspSessionPrivate FaspSessionPrivate;
typedef struct _FaspSessionRecord FaspSessionRecord;

typedef struct
{
  guint32 id; /* our connection id, which the peer writes */
  guint32 peer_id;
  FaspRole role;     /* role of this end */
  gboolean listener; /* the peer dialled us */
  FaspSessionState state;
  gboolean refused; /* open, but the endpoint has no room for its stream; set by the endpoint */
  FaspIdentity peer;
  gchar *streamid; /* owned */
  FaspTerms terms;
  FaspNotes notes;           /* the trace is the endpoint's; the log is owned */
  FaspSessionPrivate *priv;  /* owned */
  FaspSessionRecord *record; /* owned */
  FaspSessionShared shared;
  FaspSessionHandshake handshake;
  FaspLiveness liveness;
  FaspClosing closing;

  /* the flows */
  FaspFlow *flows;    /* by number, owned */
  guint n_flows;      /* one until the session is open */
  guint agreed_flows; /* flows that both ends have agreed upon */
  gboolean is_proved; /* at least one flow has been proved */
  FaspSessionSizes sizes;
  FaspSessionPaths paths;
  FaspRtt rtt;             /* round trip of the slowest flow */
  FaspMultipath multipath; /* sender: distributes datagrams over the flows */
  FaspFlowChoice flow_choice;
  FaspTraffic traffic;

  /* the stream */
  FaspStore *store;     /* sender: the endpoint's */
  FaspTx *tx;           /* sender: owned */
  FaspTime stream_time; /* sender: when the stream may have something to send, found at the end of
                           the last round */
  gboolean is_drained;  /* sender: the poll that has just ended found nothing to send */
  FaspTime calm_until; /* sender: nothing but the stream is due before this time, unless the session
                          is touched */
  FaspRx *rx;          /* receiver: owned */
  FaspPacer pacer;     /* pacer of all paths together */
  FaspPromised promise;
  FaspSessionGroup group;
} FaspSession;

/* @peer: address of flow 0. @flows: number of flows agreed upon. @ping_secret: must be
 * unpredictable. @record: the session takes it. */
FaspSession *fasp_session_new (FaspRole role, guint32 id, FaspTime now, const FaspAddress *peer,
    guint flows, const guint8 ping_secret[FASP_PING_SECRET], FaspSessionRecord *record);
void fasp_session_free (FaspSession *session);
/* Makes the session a sender's, which sends from now on the blocks in the store of @config. */
void fasp_session_send (FaspSession *session, FaspTime now, const FaspTxConfig *config);
/* Makes the session a receiver's, whose first block is @start. @capacity: of the reorder buffer, in
 * units (faspreorder.h). */
void fasp_session_receive (FaspSession *session, FaspTime now, guint64 start, guint32 capacity);
void fasp_session_set_keys (FaspSession *session, const FaspKeys *keys);
/* A key is used for @interval and @datagrams at most; 0: the default.  @random: makes keys while
 * the session runs. */
void fasp_session_set_rekeying (FaspSession *session, FaspTime interval, guint64 datagrams,
    FaspRandomFunc random, gpointer random_data);
/* Writes the proof that this end was in the session, for the call with @nonce that resumes it. */
void fasp_session_prove (const FaspSession *session, const guint8 nonce[FASP_NONCE_SIZE],
    guint8 proof[FASP_PROOF_SIZE]);
/* Sets the supposed address of a further flow. The peer is challenged there before data is sent to
 * it. */
void fasp_session_set_address (FaspSession *session, guint8 flow, const FaspAddress *peer);
/* The network reports that no program listens at @address. Sends a PING, which a live peer
 * answers. FALSE: @address is not the peer's. */
gboolean fasp_session_refused (FaspSession *session, FaspTime now, const FaspAddress *address);
/* When the report of fasp_session_refused() is believed, unless a datagram of the peer arrives
 * before. FASP_NEVER: not all addresses of the peer were refused. */
FaspTime fasp_session_get_refused_time (const FaspSession *session);
/* A call from @from repeats the peer's OPEN, so the peer may have lost the session, or moved; or an
 * attacker has copied its call. Sends a PING, and challenges the peer at @from. */
void fasp_session_is_asked_for (FaspSession *session, FaspTime now, const FaspAddress *from);
/* The peer's address: that of the first flow whose address is known. */
const FaspAddress *fasp_session_get_address (const FaspSession *session);
/* From now on the session can carry data, on the flows whose peer address is proved. */
void fasp_session_open (FaspSession *session, FaspTime now);
/* The peer is proved to be at the address of @flow. */
void fasp_session_trust (FaspSession *session, FaspTime now, guint8 flow);

typedef enum
{
  FASP_SESSION_OK,
  FASP_SESSION_FORGED,
  FASP_SESSION_REFUSED, /* a replay */
  FASP_SESSION_ALIEN, /* the datagram is on a flow that was not agreed upon, and not authenticated:
                         any host may have sent it */
  FASP_SESSION_MALFORMED, /* authentic, but not as the protocol demands */
} FaspSessionResult;

/* A datagram that was decrypted, and so comes from the peer. It is large: the caller keeps one for
 * all datagrams. */
typedef struct
{
  guint8 flow;
  guint64 pn;
  FaspReader r; /* the datagram's frames: in the datagram, or in `scratch' */
  gsize size;   /* UDP payload */
  FaspMemory *memory;
  FaspFeedback feedback; /* room for a FEEDBACK in it */
  guint8 scratch[FASP_DATAGRAM_MAX];
} FaspOpened;

/* Decrypts a datagram, whose header the endpoint has parsed, and changes nothing else. If this
 * returns FASP_SESSION_OK, fasp_session_take() acts on it. */
FaspSessionResult fasp_session_unseal (FaspSession *session, FaspTime now,
    const FaspSessionHeader *header, const guint8 *data, gsize size, FaspMemory *memory,
    FaspOpened *opened);
/* Takes in the frames of the datagram. @marked: with ECN-CE. */
FaspSessionResult fasp_session_take (FaspSession *session, FaspTime now, const FaspAddress *from,
    FaspOpened *opened, gboolean marked);
/* Makes up to @max datagrams: more than one only of blocks that leave in a row (fasptx.h). Returns
 * their number. */
guint fasp_session_poll (FaspSession *session, FaspTime now, FaspDatagram *datagrams, guint max);
/* Something has changed the session, which may have made a task due. */
void fasp_session_touch (FaspSession *session);
/* Updates which of several flows carry packets.  Returns a bit for each flow whose `outage' has
 * changed, of which the application must be notified.  *moved: a flow began or ceased to carry. */
guint64 fasp_session_look_for_outages (FaspSession *session, FaspTime now, gboolean *moved);
/* When to poll the session again, by its state after fasp_session_end_round(). */
FaspTime fasp_session_get_timeout (FaspSession *session, FaspTime now);

/* Since when the peer has been silent although it should have been heard; may lie in the future. A
 * member of a group sends seldom. A receiver counts datagrams of the group as the sender's, for a
 * while. */
FaspTime fasp_session_get_silent_since (const FaspSession *session);
/* Our process did not run for @span, which therefore does not count as silence of the peer. */
void fasp_session_excuse (FaspSession *session, FaspTime span);

/* The latency that the session began with, ms. FALSE: it is not known yet. */
gboolean fasp_session_get_first_latency (const FaspSession *session, guint *latency_ms);
/* How long a peer may be silent before the session is interrupted. If a call was repeated before it
 * was answered, the answer does not show the round trip, which may be that of a satellite link, so
 * the time is longer then. */
static inline FaspTime
fasp_session_get_idle_timeout (const FaspSession *session)
{
  return MAX (FASP_INTERRUPTED_AFTER,
      4 * (session->rtt.measured ? session->rtt.smoothed : FASP_SEC));
}

/* Until when a receiver holds back its blocks, unless it learns the latency before; 0: it holds
 * none back. */
FaspTime fasp_session_get_hold_end (const FaspSession *session);
/* The latency in force, in ms; 0: blocks are delivered as soon as possible, or it is
 * not known yet. */
guint fasp_session_get_latency (const FaspSession *session, FaspTime now);
/* Sender: sets the rate, in bit/s, and bursts that fit it. 0: not paced. */
void fasp_session_set_pace (FaspSession *session, FaspTime now, guint64 rate);
/* Ends a round of polling, as nothing more can leave now. With many sessions, the next new blocks
 * leave together, @quantum later. @waits: there are no new blocks yet. */
void fasp_session_end_round (FaspSession *session, FaspTime now, FaspTime quantum, gboolean waits);
/* Receiver: a datagram of its group has come, whose header the endpoint has parsed. */
FaspSessionResult fasp_session_hear (FaspSession *session, FaspTime now, const FaspAddress *from,
    const FaspSessionHeader *header, const guint8 *data, gsize size, FaspMemory *memory);
/* Receiver: listens to a group, too, from now on. @seed: for its random numbers. */
void fasp_session_listen (FaspSession *session, FaspTime now, const FaspGroupKey *key,
    guint64 seed);
/* Sender: controls the rate, or the rate of each path, within these bounds of all together, bit/s;
 * 0: no bound. */
void fasp_session_control (FaspSession *session, FaspTime now, FaspRateControl control, guint64 min,
    guint64 max);
/* Sender: sets other bounds. */
void fasp_session_set_bitrates (FaspSession *session, FaspTime now, guint64 min, guint64 max);
/* Does a controller find the rate, or one for each path? */
gboolean fasp_session_is_controlled (const FaspSession *session);
/* The average rate that an encoder may try, including retransmissions and all else that is sent,
 * bit/s: the sum of the controllers' offers for the paths in use, or the fixed rate. 0: no
 * limit. */
guint64 fasp_session_get_offer (const FaspSession *session);
/* What waits on one path. */
typedef struct
{
  gdouble share;    /* its share of the controllers' offers, 0 to 1 */
  guint64 excess;   /* bytes in flight beyond what it carries in a round trip */
  FaspTime overdue; /* fasp_rate_get_overdue() */
  gdouble proven;   /* FaspRate.proven */
} FaspPathWait;

/* Fills in @waits for the paths in use; returns how many there are: none without a controller. */
guint fasp_session_get_waits (const FaspSession *session, FaspTime now,
    FaspPathWait waits[FASP_FLOWS_MAX]);
/* Sender: @enough: the source would not use a higher rate (faspdemand.h). */
void fasp_session_set_enough (FaspSession *session, gboolean enough);
/* The longest queueing delay of the paths in use, µs; 0 without a controller. */
FaspTime fasp_session_get_standing (const FaspSession *session);
/* Datagrams made at @from or later did not leave before @until (faspdeparture.h). */
void fasp_session_left_late (FaspSession *session, FaspTime from, FaspTime until);
/* The rate in bit/s of all paths together, as configured or as the controllers have found it; 0:
 * not paced. */
guint64 fasp_session_get_channel_rate (const FaspSession *session);
/* The FEC encoder of the peer; for a member, that of its group. */
const FaspFec *fasp_session_get_fec (const FaspSession *session);
/* Payload bytes of the largest block that fits one datagram, as does its repair symbol. */
guint32 fasp_session_get_room (const FaspSession *session);
/* How often each new block is sent: once, or once on each flow. */
guint fasp_session_get_times (const FaspSession *session);
/* Are all flows proved, and is the MTU of each known? */
gboolean fasp_session_is_measured (const FaspSession *session);

static inline gboolean
fasp_session_is_over (const FaspSession *session)
{
  return session->state == FASP_SESSION_CLOSING || session->state == FASP_SESSION_CLOSED;
}

/* The session no longer waits for a share of the total rate. */
void fasp_session_leave_total (FaspSession *session);

/* Is the session open, and not interrupted? */
static inline gboolean
fasp_session_is_heard (const FaspSession *session)
{
  return session->state == FASP_SESSION_OPEN && !session->liveness.interrupted;
}

/* How far a receiver has shown that it takes the stream. The encoder's rate, the slow-policy, the
 * store and the limit of receivers depend on this, as any host may call and claim that nothing has
 * arrived. */
typedef enum
{
  FASP_STANDING_ABSENT, /* the receiver's session is not open, or interrupted */
  FASP_STANDING_NEW,   /* the receiver called, and has acknowledged none of the blocks sent to it */
  FASP_STANDING_STUCK, /* the receiver's acknowledgement has not advanced for long */
  FASP_STANDING_READY, /* the receiver called and reports, and was sent no block yet that it could
                          acknowledge */
  FASP_STANDING_TAKING, /* the receiver's acknowledgement advances, or it has acknowledged all
                           blocks */
} FaspStanding;

FaspStanding fasp_session_judge (const FaspSession *session, FaspTime now);
/* How long a peer that called has failed to show that it takes the stream; 0: it has shown it, or
 * had no block to acknowledge. */
FaspTime fasp_session_get_owed (const FaspSession *session, FaspTime now);

/* Is there a block that the application has neither read nor refused? */
static inline gboolean
fasp_session_has_unread (const FaspSession *session)
{
  return session->role == FASP_ROLE_RECEIVER && !session->closing.refused
      && fasp_rx_has_unread (session->rx);
}

/* Ends the session at once, without sending CLOSE. */
void fasp_session_end_at_once (FaspSession *session, FaspTime now, FaspReason reason);
void fasp_session_close (FaspSession *session, FaspTime now, FaspReason reason, const gchar *text);
/* Closes the session.  It ends although the application has not read all blocks. */
void fasp_session_refuse (FaspSession *session, FaspTime now, const gchar *text);
/* Ends the session if a CLOSE has left and was not answered in time. */
void fasp_session_run_close (FaspSession *session, FaspTime now);

void fasp_session_get_stats (FaspSession *session, FaspTime now, FaspSessionStats *stats);
/* Fills in @max flows at most; returns how many there are. */
guint fasp_session_get_flows (const FaspSession *session, FaspFlowStats *flows, guint max);
/* Sender: fills in @max paths at most; returns how many there are. */
guint fasp_session_get_paths (FaspSession *session, FaspTime now, FaspPathStats *stats, guint max);

G_END_DECLS
