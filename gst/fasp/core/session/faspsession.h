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
 *            else is sent, so that nobody can flood a third party through us.
 *   OPEN     data may flow both ways
 *   CLOSING  CLOSE is repeated until the peer's CLOSE or a deadline
 *   CLOSED   over; answers with CLOSE for a while, then is forgotten
 */
#pragma once

#include "faspfeedbackrate.h"
#include "faspmulticastsender.h"
#include "faspmulticastreceiver.h"
#include "fasplimits.h"
#include "faspmeter.h"
#include "fasppacer.h"
#include "fasppath.h"
#include "fasprate.h"
#include "fasprx.h"
#include "faspprotection.h"
#include "faspsource.h"
#include "faspmultipath.h"
#include "faspstats.h"
#include "faspnotes.h"
#include "faspscheduler.h"
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
/* How long a receiver waits for a latency that the sender is to find. */
#define FASP_HOLD_MAX (2 * FASP_SEC)
#define FASP_JUMBO_KNOWN (3 * FASP_SEC)
#define FASP_PONGS 64 /* answers that may wait; further PINGs are not answered */
/* A key is due for replacement after this time, or this many datagrams: half of what
 * GCM can stand (RFC 9001, section 6.6). */
#define FASP_REKEY_INTERVAL (60 * FASP_SEC)
#define FASP_REKEY_DATAGRAMS (1 << 22)

typedef enum
{
  FASP_SESSION_ASKING,
  FASP_SESSION_HALF,
  FASP_SESSION_OPEN,
  FASP_SESSION_CLOSING,
  FASP_SESSION_CLOSED,
} FaspSessionState;

/* An answer that is due. It goes to where the PING came from. */
typedef struct
{
  guint64 token;
  guint8 flow;
  FaspAddress to;
} FaspPong;

typedef struct
{
  guint64 order; /* number among all sessions that the endpoint ever had */
  guint32 id;    /* our connection id, which the peer writes */
  guint32 peer_id;
  FaspRole role;     /* our own */
  gboolean listener; /* the peer dialled us */
  FaspSessionState state;
  guint8 nonce[FASP_NONCE_SIZE]; /* the caller's; it names the handshake */
  guint8 call[FASP_KEY_SIZE];    /* listener: hash of all that the caller's OPEN said */
  FaspCipher cipher;
  FaspSealer *sealer;
  FaspOpener *opener;
  guint8 resume_key[FASP_KEY_SIZE]; /* proves membership of this session when it is resumed */
  GBytes *accept;                   /* HALF: the message of our ACCEPT. Always the
                                       same one, as its nonce may be used only once. */
  FaspIdentity peer;
  FaspTime rekey_interval, rekey_time;
  guint64 rekey_datagrams;         /* a new key is due when either is reached */
  guint64 phase_datagrams;         /* sealed with the key of this phase */
  FaspTime rekey_ping, rekey_wait; /* last asked about the new key; time until
                                      it is asked again */
  FaspPath *paths;                 /* by flow */
  guint n_paths;                   /* one until the session is open */
  guint n_flows;                   /* agreed upon */
  /* what the paths in use have in common: set by fasp_session_measure() */
  guint32 data_room;     /* payload bytes of a block that fits one datagram */
  gsize wire_max;        /* bytes of the largest datagram, IP header included */
  gboolean is_proved;    /* at least one path has been proved */
  FaspAddress accept_to; /* address that the last OPEN came from */
  gboolean accept_moved; /* an earlier OPEN came from another address */
  guint16 datagram_max;  /* largest UDP payload that both ends take */
  guint32 room_told;     /* the room that the block size was last chosen for */
  FaspLatency agreed;
  struct _FaspBucket *half; /* listener, until it is open: the gate's, not owned, */
  GList half_place;         /* and its place in the endpoint's queue */
  guint64 network;          /* listener: that it was called from, as the gate names it */
  gchar *streamid;
  guint64 start;                    /* sender: first block promised to the peer, */
  FaspStreamOffset announced;       /* its place in the stream, as the hello gave it, */
  gboolean announced_header;        /* and whether the hello announced a stream with a header */
  FaspStreamOffset previous_offset; /* where the peer stood before, if it is known */
  guint64 header_end;               /* the peer has the header once it has all blocks
                                       below this one; FASP_NO_BLOCK: the header has
                                       yet to be written; 0: once it has the first bytes */
  FaspTime lacks_header_since; /* since when it lacks the header, or may come to; 0: it does not */
  gboolean gets_first;         /* it was to get the first bytes, in which the header is */
  guint64 header_skips;        /* its count of skips when it began to wait for the header */
  gboolean awaits_header;      /* it is sent nothing before the header */
  guint64 live_from;           /* of a session that began in the past: the next
                                  block to be written when it joined; else 0 */

  FaspTime created, opened, heard, spoken;
  FaspTime excused; /* time since `heard' in which we were not running
                       to hear the peer */
  gboolean interrupted;
  gboolean has_other; /* sender: interrupted, and the receiver says that it has another sender */
  guint of_peer;      /* caller: index of the peer, of several */
  gboolean refused;   /* opened, but there is no room for its stream */
  gboolean connected; /* the application was told of its connection, */
  gboolean removed;   /* and of its end */

  FaspRtt rtt;
  FaspTokens tokens;
  FaspTime ping_time; /* when to measure the round trip next */
  gboolean ping_due;  /* send a PING at once */
  guint next_turn;    /* the flow that the next NEXT is about */
  FaspPong pongs[FASP_PONGS];
  guint n_pongs;
  FaspMultipath multipath; /* sender: distributes datagrams over the flows */
  gboolean has_fec;        /* both ends agreed to use repair symbols */
  gboolean duplicates;     /* sender: new blocks go on every flow */
  guint64 doubled;         /* flows that have carried the newest block, a bit each */
  guint8 last_flow;        /* flow of the last block sent */
  guint64 tailed;          /* flows that this round of TAILs has used, a bit each */
  guint8 turn;             /* receiver: flow of the last datagram that could take any, */
  guint turns;             /* and how many such datagrams there were */
  guint64 serial;          /* of the last FEEDBACK written */
  gboolean accept_due;     /* ACCEPT is to be sent, or sent again */

  FaspReason close_reason;
  gchar close_text[FASP_TEXT_MAX + 1];
  gboolean close_initiated; /* by us: the peer's CLOSE is then an answer */
  gboolean peer_closed;
  FaspTime close_time, close_deadline;

  FaspNotes notes; /* the trace is the endpoint's; the log is owned */
  FaspPacer pacer;
  FaspTime missed_seen;     /* the pacer's missed time when it was last looked at */
  guint64 acked_seen;       /* `tx.acked' when it was last looked at, */
  guint stuck;              /* and how often in a row it had not moved
                               although data was in flight */
  FaspRate *rate;           /* sender; NULL: a fixed rate */
  const FaspSource *source; /* sender: the endpoint's, shared by its sessions */
  FaspTime *unheard_turn; /* sender: the endpoint's: when the next block may go to any peer that has
                             reported nothing */
  FaspTime rate_until;    /* when the controller's rate may change */
  gboolean sends_timestamps; /* receiver: the sender wants arrival times */
  FaspTx tx;                 /* of a sender */
  FaspRx rx;                 /* of a receiver */
  FaspTime resume_timeout;
  FaspTime promise_time;          /* sender: when to send the next PROMISE */
  guint64 promise_serial;         /* sender: of the next PROMISE; receiver: of the newest one */
  FaspFeedbackRate feedback_rate; /* sender: bytes that feedback may take */
  FaspTime promise_told;          /* when the application was last told of the promise */
  guint64 confirm_from;           /* first block sent since the path MTU was last in doubt */
  guint32 largest_sent, largest_passed; /* payload of the largest block sent, and
                                           of the largest that passed in one piece,
                                           since the path MTU was last checked */
  guint64 block_wire;                   /* bytes of original blocks, IP headers included */
  gboolean promise_changed;             /* and the application has not been told */
  gboolean shortfall_told;
  guint64 wants_seen; /* sender: fasp_tx_count_wants() that a key frame was wanted for */

  /* of a group */
  FaspMulticastSender *group; /* sender: the endpoint's, not owned; NULL: none */
  FaspMember member;
  FaspMulticastReceiver *receiver; /* receiver: NULL: none */

  guint8 lane;                     /* the endpoint's lane that sends for it */
  FaspSchedulerEntry turn_to_send; /* when the endpoint looks at it next */
  FaspHeapItem first_needed; /* place in the endpoint's heap by the first block still needed */

  guint64 datagrams_sent, wire_sent, datagrams_received, wire_received;
  FaspMeter send_meter, receive_meter;
} FaspSession;

/* @peer: address of flow 0. @flows: how many there are in all. @ping_secret: must be
 * unpredictable. */
FaspSession *fasp_session_new (FaspRole role, guint32 id, FaspTime now, const FaspAddress *peer,
    guint flows, const guint8 ping_secret[FASP_PING_SECRET]);
void fasp_session_free (FaspSession *session);
/* Takes the keys that the handshake has agreed upon. */
void fasp_session_set_keys (FaspSession *session, const FaspKeys *keys);
/* Writes the proof that we were in this session, for the call with @nonce that resumes
 * it. */
void fasp_session_prove (const FaspSession *session, const guint8 nonce[FASP_NONCE_SIZE],
    guint8 proof[FASP_PROOF_SIZE]);
/* The supposed address of a further flow. The peer is challenged there before data uses
 * it. */
void fasp_session_set_address (FaspSession *session, guint8 flow, const FaspAddress *peer);
/* The network reports that nobody listens at @address. Sends a PING, which a live peer
 * answers. FALSE: @address is not the peer's. */
gboolean fasp_session_refused (FaspSession *session, FaspTime now, const FaspAddress *address);
/* When that report is to be believed, unless something is heard from an address of the
 * peer before. FASP_NEVER: not all addresses of the peer were refused. */
FaspTime fasp_session_get_refused_time (const FaspSession *session);
/* Somebody at @from asks whether we still know this session: the peer, or whoever has
 * copied what it said. */
void fasp_session_is_asked_for (FaspSession *session, FaspTime now, const FaspAddress *from);
/* The peer's address: that of the first flow whose address is known. */
const FaspAddress *fasp_session_get_address (const FaspSession *session);
/* From now on the session can carry data, on the paths where the peer has been proved
 * to be. */
void fasp_session_open (FaspSession *session, FaspTime now);
/* The peer is proved to be at the address of @flow. */
void fasp_session_trust (FaspSession *session, FaspTime now, guint8 flow);

typedef enum
{
  FASP_SESSION_OK,
  FASP_SESSION_FORGED,
  FASP_SESSION_REFUSED,   /* replayed */
  FASP_SESSION_ALIEN,     /* too short or too long, or of a flow that was not
                             agreed upon; anybody may have sent it */
  FASP_SESSION_MALFORMED, /* sent by the peer */
} FaspSessionResult;

/* A datagram that has been opened: the peer has sealed it. */
typedef struct
{
  FaspSessionHeader header;
  guint64 pn;
  FaspReader r; /* its frames: in the datagram, or in `scratch' */
  gsize size;   /* UDP payload */
  FaspMemory *memory;
  guint8 scratch[FASP_DATAGRAM_MAX];
} FaspOpened;

/* Opens a datagram. All else that it causes comes after that: fasp_session_take(), if this returns
 * FASP_SESSION_OK. */
FaspSessionResult fasp_session_unseal (FaspSession *session, FaspTime now, const guint8 *data,
    gsize size, FaspMemory *memory, FaspOpened *opened);
/* Does what the datagram says. @marked: by ECN. */
FaspSessionResult fasp_session_take (FaspSession *session, FaspTime now, const FaspAddress *from,
    FaspOpened *opened, gboolean marked);
gboolean fasp_session_poll (FaspSession *session, FaspTime now, FaspDatagram *datagram);
/* Looks which of several flows carry.  Returns a bit for each that people are to be told of: what
 * is in the `outage' of its path. */
guint64 fasp_session_look_for_outages (FaspSession *session, FaspTime now);
FaspTime fasp_session_get_timeout (FaspSession *session, FaspTime now);

/* Since when the peer has been silent although it should not be; may lie in the future.
 * A member of a group speaks seldom, and a receiver counts what it hears from the group
 * as the sender's, for a while. */
FaspTime fasp_session_get_silent_since (const FaspSession *session);
/* For @span, we were not running to hear anybody. */
void fasp_session_excuse (FaspSession *session, FaspTime span);

/* The latency that the session began with, in ms. FALSE: not known yet. */
gboolean fasp_session_get_first_latency (const FaspSession *session, guint *latency_ms);
/* How long a peer may be silent before the session is interrupted. A call that was
 * repeated before it was answered does not show its round-trip time, which may be that
 * of a satellite link. */
FaspTime fasp_session_get_patience (const FaspSession *session);
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
void fasp_session_end_turn (FaspSession *session, FaspTime now, FaspTime quantum, gboolean waits);
/* Receiver: a datagram of its group has come. */
FaspSessionResult fasp_session_hear (FaspSession *session, FaspTime now, const FaspAddress *from,
    const guint8 *data, gsize size, FaspMemory *memory);
/* Receiver: listens to a group, too, from now on. @seed: for its random numbers. */
void fasp_session_listen (FaspSession *session, FaspTime now, const FaspGroupKey *key,
    guint64 seed);
/* The rate in bit/s, as configured or as the controller has found it; 0: not paced. */
guint64 fasp_session_get_channel_rate (const FaspSession *session);
/* The repairs that the peer gets: a member gets those of the group. */
const FaspFec *fasp_session_get_fec (const FaspSession *session);
/* Payload bytes of a block that fits one datagram, and whose repair symbol does, too. */
guint32 fasp_session_get_room (const FaspSession *session);
/* How often each new block leaves: once, or on each flow. */
guint fasp_session_get_times (const FaspSession *session);
/* All paths are proved, and the MTU of each is known. */
gboolean fasp_session_is_measured (const FaspSession *session);

static inline gboolean
fasp_session_is_over (const FaspSession *session)
{
  return session->state == FASP_SESSION_CLOSING || session->state == FASP_SESSION_CLOSED;
}

/* It is open, and not interrupted. */
static inline gboolean
fasp_session_is_heard (const FaspSession *session)
{
  return session->state == FASP_SESSION_OPEN && !session->interrupted;
}

/* Is there something the application has not read yet? */
static inline gboolean
fasp_session_has_unread (const FaspSession *session)
{
  return session->role == FASP_ROLE_RECEIVER && !session->rx.complete
      && fasp_reorder_peek (session->rx.reorder) != NULL;
}

void fasp_session_close (FaspSession *session, FaspTime now, FaspReason reason, const gchar *text);
/* A goodbye that nobody answered in time is the end, once it has left at all. */
void fasp_session_tend_close (FaspSession *session, FaspTime now);

void fasp_session_get_stats (FaspSession *session, FaspTime now, FaspSessionStats *stats);
/* Fills in @max flows at most; returns how many there are. */
guint fasp_session_get_flows (const FaspSession *session, FaspFlowStats *flows, guint max);

G_END_DECLS
