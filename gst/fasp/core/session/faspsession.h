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
#define FASP_CLOSE_TIMEOUT FASP_SEC
/* All peers that have called and reported nothing share a pace: one new block in this time, which
 * makes an initial window in a tenth of a second. */
#define FASP_UNHEARD_EVERY (10 * FASP_MSEC)
/* The first blocks of a peer that reports leave at once: one of them may be lost. */
#define FASP_NEWCOMER_BLOCKS 2
/* Packets of such peers that may leave together: an initial window (RFC 9002, section 7.2). */
#define FASP_NEWCOMERS_BURST 10
/* bit/s of all peers together that report and have acknowledged nothing, where nothing is paced: as
 * much as a usual stream. */
#define FASP_NEWCOMERS_RATE 10000000
/* The longest time that a receiver holds blocks back until the sender has found the latency. */
#define FASP_HOLD_MAX (2 * FASP_SEC)
#define FASP_JUMBO_KNOWN (3 * FASP_SEC)
/* A key is due for replacement after this time, or this many datagrams: half of what
 * GCM allows (RFC 9001, section 6.6). */
#define FASP_REKEY_INTERVAL (60 * FASP_SEC)
#define FASP_REKEY_DATAGRAMS (1 << 22)
/* So many keys are each made of the one before; then both ends agree on a new secret: an hour,
 * where each is used for FASP_REKEY_INTERVAL. */
#define FASP_AGREE_EVERY 60

typedef enum
{
  FASP_SESSION_ASKING,
  FASP_SESSION_HALF,
  FASP_SESSION_OPEN,
  FASP_SESSION_CLOSING,
  FASP_SESSION_CLOSED,
} FaspSessionState;

typedef struct
{
  guint32 id; /* our connection id, which the peer writes */
  guint32 peer_id;
  FaspRole role;     /* our own */
  gboolean listener; /* the peer dialled us */
  FaspSessionState state;
  gboolean refused; /* opened, but there is no room for its stream; set by the endpoint */
  FaspIdentity peer;
  gchar *streamid; /* owned */
  FaspTerms terms;
  FaspNotes notes; /* the trace is the endpoint's; the log is owned */
  FaspSessionEntry entry;
  FaspNotified notified;
  FaspSessionHandshake handshake;
  FaspSessionKeys keys;
  FaspRekeying rekeying;
  FaspLiveness liveness;
  FaspClosing closing;

  /* the flows */
  FaspFlow *flows;    /* by number, owned */
  guint n_flows;      /* one until the session is open */
  guint agreed_flows; /* how many both ends have agreed upon */
  gboolean is_proved; /* at least one flow has been proved */
  FaspSessionSizes sizes;
  FaspSessionPaths paths;
  FaspRtt rtt; /* of the slowest flow */
  FaspPings pings;
  FaspMultipath multipath; /* sender: distributes datagrams over the flows */
  FaspFlowChoice flow_choice;
  FaspTraffic traffic;

  /* the stream */
  FaspStore *store;     /* sender: the endpoint's */
  FaspTx *tx;           /* of a sender; owned */
  FaspTime stream_time; /* sender: when the stream may have something to send, as of the end of the
                           last round */
  FaspRx *rx;           /* of a receiver; owned */
  FaspSessionStart start;
  FaspHeaderWait header_wait;
  FaspPacer pacer;                /* of all paths together */
  FaspFeedbackRate feedback_rate; /* sender: bytes that feedback may take */
  guint64 feedback_serial;        /* receiver: of the last FEEDBACK written */
  FaspPromised promise;
  FaspSessionGroup group;
  FaspProgress progress;
} FaspSession;

/* @peer: address of flow 0. @flows: how many there are in all. @ping_secret: must be
 * unpredictable. */
FaspSession *fasp_session_new (FaspRole role, guint32 id, FaspTime now, const FaspAddress *peer,
    guint flows, const guint8 ping_secret[FASP_PING_SECRET]);
void fasp_session_free (FaspSession *session);
/* It is a sender's, and sends from now on what is in the store of @config. */
void fasp_session_send (FaspSession *session, FaspTime now, const FaspTxConfig *config);
/* It is a receiver's, and its first block is @start.  @capacity: units that may wait. */
void fasp_session_receive (FaspSession *session, FaspTime now, guint64 start, guint32 capacity);
/* Takes the keys that the handshake has agreed upon. */
void fasp_session_set_keys (FaspSession *session, const FaspKeys *keys);
/* Writes the proof that we were in this session, for the call with @nonce that resumes
 * it. */
void fasp_session_prove (const FaspSession *session, const guint8 nonce[FASP_NONCE_SIZE],
    guint8 proof[FASP_PROOF_SIZE]);
/* The supposed address of a further flow. The peer is challenged there before data uses
 * it. */
void fasp_session_set_address (FaspSession *session, guint8 flow, const FaspAddress *peer);
/* The network reports that no program listens at @address. Sends a PING, which a live peer
 * answers. FALSE: @address is not the peer's. */
gboolean fasp_session_refused (FaspSession *session, FaspTime now, const FaspAddress *address);
/* When that report is to be believed, unless something is heard from an address of the
 * peer before. FASP_NEVER: not all addresses of the peer were refused. */
FaspTime fasp_session_get_refused_time (const FaspSession *session);
/* A call from @from asks whether we still know this session.  The peer has sent it, or an attacker
 * that has copied the peer's call. */
void fasp_session_is_asked_for (FaspSession *session, FaspTime now, const FaspAddress *from);
/* The peer's address: that of the first flow whose address is known. */
const FaspAddress *fasp_session_get_address (const FaspSession *session);
/* From now on the session can carry data, on the flows where the peer has been proved
 * to be. */
void fasp_session_open (FaspSession *session, FaspTime now);
/* The peer is proved to be at the address of @flow. */
void fasp_session_trust (FaspSession *session, FaspTime now, guint8 flow);

typedef enum
{
  FASP_SESSION_OK,
  FASP_SESSION_FORGED,
  FASP_SESSION_REFUSED,   /* replayed */
  FASP_SESSION_ALIEN,     /* of a flow that was not agreed upon; any host may have sent it */
  FASP_SESSION_MALFORMED, /* sent by the peer */
} FaspSessionResult;

/* A datagram that has been opened: the peer has sealed it. */
typedef struct
{
  guint8 flow;
  guint64 pn;
  FaspReader r; /* its frames: in the datagram, or in `scratch' */
  gsize size;   /* UDP payload */
  FaspMemory *memory;
  guint8 scratch[FASP_DATAGRAM_MAX];
} FaspOpened;

/* Opens a datagram, whose header the endpoint has parsed. All else that it causes comes after that:
 * fasp_session_take(), if this returns FASP_SESSION_OK. */
FaspSessionResult fasp_session_unseal (FaspSession *session, FaspTime now,
    const FaspSessionHeader *header, const guint8 *data, gsize size, FaspMemory *memory,
    FaspOpened *opened);
/* Does what the datagram says. @marked: by ECN. */
FaspSessionResult fasp_session_take (FaspSession *session, FaspTime now, const FaspAddress *from,
    FaspOpened *opened, gboolean marked);
gboolean fasp_session_poll (FaspSession *session, FaspTime now, FaspDatagram *datagram);
/* Looks which of several flows carry.  Returns a bit for each flow whose `outage' has
 * changed, so that the application is to be notified. */
guint64 fasp_session_look_for_outages (FaspSession *session, FaspTime now);
/* When to poll it again: what fasp_session_end_round() has found counts, too. */
FaspTime fasp_session_get_timeout (const FaspSession *session, FaspTime now);

/* Since when the peer has been silent although it should not be; may lie in the future.
 * A member of a group speaks seldom, and a receiver counts what it hears from the group
 * as the sender's, for a while. */
FaspTime fasp_session_get_silent_since (const FaspSession *session);
/* Our process did not run for @span, so it could not hear the peer. */
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

/* Until when a receiver holds back what it has, unless it learns the latency before; 0:
 * nothing is held back. */
FaspTime fasp_session_get_hold_end (const FaspSession *session);
/* The latency in force, in ms; 0: blocks are delivered as soon as possible, or it is
 * not known yet. */
guint fasp_session_get_latency (const FaspSession *session, FaspTime now);
/* Sender: sets the rate, in bit/s, and bursts that fit it. 0: not paced. */
void fasp_session_set_pace (FaspSession *session, FaspTime now, guint64 rate);
/* Nothing more can be sent now. With many other sessions, the next new blocks leave
 * together, @quantum later. @waits: there are no new blocks yet. */
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
/* What an encoder may try on average, with all that is sent beside it, bit/s: what the controllers
 * offer for the paths in use, added up, or the fixed rate. 0: no limit. */
guint64 fasp_session_get_offer (const FaspSession *session);
/* Bytes under way beyond what a round trip carries, on all paths in use: they wait there. */
guint64 fasp_session_get_excess (const FaspSession *session);
/* For how long something is overdue on the path in use, µs (fasp_rate_get_overdue()); 0: nothing
 * is, or another path can take it. */
FaspTime fasp_session_get_overdue (const FaspSession *session, FaspTime now);
/* Sender: whether the source would use a higher rate (faspdemand.h). */
void fasp_session_set_enough (FaspSession *session, gboolean enough);
/* The queue on the paths in use, the longest, µs; 0 without a controller. */
FaspTime fasp_session_get_standing (const FaspSession *session);
/* Datagrams that were made at @from or later left at @until only (faspdeparture.h). */
void fasp_session_left_late (FaspSession *session, FaspTime from, FaspTime until);
/* The rate in bit/s of all paths together, as configured or as the controllers have found it; 0:
 * not paced. */
guint64 fasp_session_get_channel_rate (const FaspSession *session);
/* The repairs that the peer gets: a member gets those of the group. */
const FaspFec *fasp_session_get_fec (const FaspSession *session);
/* Payload bytes of a block that fits one datagram, and whose repair symbol does, too. */
guint32 fasp_session_get_room (const FaspSession *session);
/* How often each new block leaves: once, or on each flow. */
guint fasp_session_get_times (const FaspSession *session);
/* All flows are proved, and the MTU of each is known. */
gboolean fasp_session_is_measured (const FaspSession *session);

static inline gboolean
fasp_session_is_over (const FaspSession *session)
{
  return session->state == FASP_SESSION_CLOSING || session->state == FASP_SESSION_CLOSED;
}

/* It waits for no part of the total rate any more. */
void fasp_session_leave_total (FaspSession *session);

/* It is open, and not interrupted. */
static inline gboolean
fasp_session_is_heard (const FaspSession *session)
{
  return session->state == FASP_SESSION_OPEN && !session->liveness.interrupted;
}

/* What a receiver is to the sender.  The encoder's rate, the slow-policy, the store and the places
 * for receivers go by that: any host may call, and say that nothing has arrived. */
typedef enum
{
  FASP_STANDING_ABSENT, /* it is not open, or interrupted */
  FASP_STANDING_NEW,    /* it called, and has acknowledged nothing of what there is for it */
  FASP_STANDING_STUCK,  /* its acknowledgement has not advanced for long */
  FASP_STANDING_READY,  /* it called, it reports, and there is nothing yet that it could acknowledge
                         */
  FASP_STANDING_TAKING, /* its acknowledgement advances, as far as there is something for it */
} FaspStanding;

FaspStanding fasp_session_judge (const FaspSession *session, FaspTime now);
/* For how long a peer that called has not shown that it takes the stream, though it could; 0: it
 * has. */
FaspTime fasp_session_get_owed (const FaspSession *session, FaspTime now);

/* Is there something the application has not read yet? */
static inline gboolean
fasp_session_has_unread (const FaspSession *session)
{
  return session->role == FASP_ROLE_RECEIVER && fasp_rx_has_unread (session->rx);
}

/* It is over, and nothing is sent any more. */
void fasp_session_end_at_once (FaspSession *session, FaspTime now, FaspReason reason);
void fasp_session_close (FaspSession *session, FaspTime now, FaspReason reason, const gchar *text);
/* Ends the session if a CLOSE has left and was not answered in time. */
void fasp_session_run_close (FaspSession *session, FaspTime now);

void fasp_session_get_stats (FaspSession *session, FaspTime now, FaspSessionStats *stats);
/* Fills in @max flows at most; returns how many there are. */
guint fasp_session_get_flows (const FaspSession *session, FaspFlowStats *flows, guint max);
/* Sender: the same for paths. */
guint fasp_session_get_paths (FaspSession *session, FaspTime now, FaspPathStats *stats, guint max);

G_END_DECLS
