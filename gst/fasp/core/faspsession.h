/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsession.h: one peer: keys, addresses, packet numbers, liveness, and a
 * sending or a receiving half.  Composes datagrams and takes them apart.
 *
 * States:
 *
 *   ASKING   the application is asked whether to take the caller
 *   HALF     (listener) ACCEPT was said, nothing heard in return yet; sends
 *            nothing else, so nobody can be flooded through us
 *   OPEN     both ways
 *   CLOSING  CLOSE is repeated until the peer's CLOSE or a deadline
 *   CLOSED   over; answers with CLOSE for a while, then is forgotten
 */
#pragma once

#include "faspbudget.h"
#include "faspgroup.h"
#include "fasphearing.h"
#include "faspmeter.h"
#include "fasppacer.h"
#include "fasppath.h"
#include "fasprate.h"
#include "fasprx.h"
#include "faspseal.h"
#include "faspsource.h"
#include "faspspread.h"
#include "fasptrace.h"
#include "faspturns.h"
#include "fasptx.h"
#include "faspwirehello.h"

G_BEGIN_DECLS

#define FASP_KEEPALIVE (500 * FASP_MSEC)
#define FASP_INTERRUPTED_AFTER (2 * FASP_SEC)
#define FASP_HALF_TIMEOUT (5 * FASP_SEC)
#define FASP_CLOSE_TIMEOUT FASP_SEC
/* A latency that the sender is to tell is waited for so long. */
#define FASP_HOLD_MAX (2 * FASP_SEC)
#define FASP_JUMBO_KNOWN (3 * FASP_SEC)
#define FASP_PONGS 64           /* answers waiting; more are not answered */
/* A key is used for no longer than that, and no more often: half of what GCM
 * stands (RFC 9001, section 6.6). */
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

/* An answer that is due, to where the PING came from. */
typedef struct
{
  guint64 token;
  guint8 flow;
  FaspAddress to;
} FaspPong;

typedef struct
{
  guint64 order;                /* the endpoint's: among all that there were */
  guint32 id;                   /* our connection id, what the peer writes */
  guint32 peer_id;
  FaspRole role;                /* ours */
  gboolean listener;            /* the peer dialled us */
  FaspSessionState state;
  guint8 nonce[FASP_NONCE_SIZE];        /* the caller's: names the handshake */
  guint8 call[FASP_KEY_SIZE];   /* listener: of all that its OPEN said */
  FaspCipher cipher;
  FaspSealer *sealer;
  FaspOpener *opener;
  guint8 resume_key[FASP_KEY_SIZE];     /* proves that one was in it */
  GBytes *accept;               /* HALF: the message of our ACCEPT, always the
                                   same: its nonce is used once */
  FaspIdentity peer;
  FaspTime rekey_interval, rekey_time;
  guint64 rekey_datagrams;      /* due at either */
  guint64 phase_datagrams;      /* sealed in this phase */
  FaspTime rekey_ping, rekey_wait;      /* asked for, and again after that */
  FaspPath *paths;              /* by flow */
  guint n_paths;                /* one before it is open */
  guint n_flows;                /* agreed upon */
  /* what the paths in use take together: fasp_session_measure() */
  guint32 data_room;            /* payload bytes of a block in one datagram */
  gsize wire_max;               /* bytes of a datagram, from the IP header up */
  gboolean is_proved;           /* the peer is somewhere */
  FaspAddress accept_to;        /* who asked for it last */
  gboolean accept_moved;        /* somebody else has asked before */
  guint16 datagram_max;         /* largest UDP payload that both ends take */
  guint32 room_told;            /* room that the block size was chosen for */
  FaspLatency agreed;
  struct _FaspBucket *half;     /* listener, until it is open: faspgate.h */
  gchar *streamid;
  guint64 start;                /* sender: first block promised, */
  FaspPlace told;               /* where that was said to stand, */
  gboolean told_header;         /* in a stream with a header, */
  FaspPlace stood;              /* and where the peer did before, if it is known */
  guint64 headed_by;            /* it has the header when it has what is below that block;
                                 * FASP_NO_BLOCK: it waits for one to be said, */
  FaspTime headless;            /* since then; 0: it lacks none */
  guint64 headed_skips;         /* where it had passed over so much */
  guint64 live_from;            /* of one that began in the past: what was written
                                   next when it joined; else 0 */

  FaspTime created, opened, heard, spoken;
  FaspTime excused;             /* of the time since it was heard: we were not there to hear */
  gboolean interrupted;
  guint of_peer;                /* caller: which of several it is */
  gboolean refused;             /* opened, but there is no room for its stream */
  gboolean connected;           /* the application was told so, and */
  gboolean removed;             /* of its end */

  FaspRtt rtt;
  FaspTokens tokens;
  FaspTime ping_time;           /* next round trip measurement */
  gboolean ping_due;            /* one, at once */
  guint next_turn;              /* of flows, to tell which packet is the next of */
  FaspPong pongs[FASP_PONGS];
  guint n_pongs;
  FaspSpread spread;            /* sender: of what it sends over the flows */
  gboolean has_fec;             /* both ends agree to repairs */
  gboolean duplicates;          /* sender: new blocks on every flow; */
  guint64 doubled;              /* those of the last one */
  guint8 last_flow;             /* of the last block */
  guint64 tailed;               /* flows that a TAIL goes on no more, this time */
  guint8 turn;                  /* receiver: flow of the last feedback, */
  guint turns;                  /* and how many there were */
  guint64 serial;               /* of the next feedback */
  gboolean accept_due;          /* ACCEPT is to be (re)sent */

  FaspReason close_reason;
  gchar close_text[FASP_TEXT_MAX + 1];
  gboolean close_initiated;     /* by us: then the peer's CLOSE is an answer */
  gboolean peer_closed;
  FaspTime close_time, close_deadline;

  FaspTrace *trace;             /* the endpoint's */
  FaspPacer pacer;
  FaspTime missed_seen;         /* of its, when it was looked at */
  guint64 acked_seen;           /* the same, and */
  guint stuck;                  /* so often in a row it was that already */
  FaspRate *rate;               /* sender: NULL: fixed */
  const FaspSource *source;     /* of what it sends, and others */
  FaspTime rate_until;          /* it may be another then */
  gboolean tells_arrivals;      /* receiver: the sender wants them */
  FaspTx tx;                    /* role sender */
  FaspRx rx;                    /* role receiver */
  FaspTime resume_timeout;
  FaspTime promise_time;        /* sender: when to tell of it next */
  guint64 promise_serial;       /* of the next, or, receiver, the newest one */
  FaspBudget budget;            /* sender: of what the receiver says */
  FaspTime promise_told;        /* the application, last */
  guint64 confirm_from;         /* first block sent since the path MTU is in
                                   doubt */
  guint32 largest_sent, largest_passed; /* blocks since it was not */
  guint64 block_wire;           /* bytes of originals from the IP header up */
  gboolean promise_changed;     /* the application does not know yet */
  gboolean shortfall_told;
  guint64 skips_seen;           /* sender: that the application knows of */
  gboolean left_behind;         /* since then, by slow-policy */

  /* a group */
  FaspGroup *group;             /* sender: the endpoint's; NULL: none */
  FaspMember member;
  FaspHearing *hearing;         /* receiver: NULL: none */

  guint8 lane;                  /* of the endpoint's; */
  FaspTurn turn_to_send;        /* the endpoint's: when it is to be looked at, */
  FaspHeapItem needs;           /* and the first block it may still need */

  guint64 datagrams_sent, wire_sent, datagrams_received, wire_received;
  FaspMeter send_meter, receive_meter;
} FaspSession;

/* @peer: where flow 0 goes. @flows: in all. @ping_secret: unpredictable. */
FaspSession *fasp_session_new (FaspRole role, guint32 id, FaspTime now,
    const FaspAddress * peer, guint flows,
    const guint8 ping_secret[FASP_PING_SECRET]);
void fasp_session_free (FaspSession * session);
/* The handshake is made. */
void fasp_session_set_keys (FaspSession * session, const FaspKeys * keys);
/* Who was in the session can prove it to whom it calls again. */
void fasp_session_prove (const FaspSession * session,
    const guint8 nonce[FASP_NONCE_SIZE], guint8 proof[FASP_PROOF_SIZE]);
/* Where another of its flows goes, as far as is known: the peer is to be asked
 * there. */
void fasp_session_set_address (FaspSession * session, guint8 flow,
    const FaspAddress * peer);
/* The network says that nobody listens at @address.  FALSE: that is none of its peer's.
 * Who lives is asked, and answers. */
gboolean fasp_session_refused (FaspSession * session, FaspTime now,
    const FaspAddress * address);
/* When that is believed, as nothing is heard from there or any other address of the peer's since it
 * was asked; FASP_NEVER: it is not said of all of them. */
FaspTime fasp_session_get_refused_time (const FaspSession * session);
/* The peer, or who has copied what it said, asks from there whether we still know it. */
void fasp_session_is_asked_for (FaspSession * session, FaspTime now,
    const FaspAddress * from);
/* Where the peer is, as far as is known: where its first flow goes. */
const FaspAddress *fasp_session_get_address (const FaspSession * session);
/* The session can carry data from now on, where the peer has been proved to be. */
void fasp_session_open (FaspSession * session, FaspTime now);
/* The peer is where @flow goes. */
void fasp_session_trust (FaspSession * session, FaspTime now, guint8 flow);

typedef enum
{
  FASP_SESSION_OK,
  FASP_SESSION_FORGED,
  FASP_SESSION_REFUSED,         /* replayed */
  FASP_SESSION_ALIEN,           /* not of this version; from anybody */
  FASP_SESSION_MALFORMED,       /* by the peer */
} FaspSessionResult;

FaspSessionResult fasp_session_receive (FaspSession * session, FaspTime now,
    const FaspAddress * from, const guint8 * data, gsize size,
    FaspMemory * memory, gboolean marked);
gboolean fasp_session_poll (FaspSession * session, FaspTime now,
    FaspDatagram * datagram);
FaspTime fasp_session_get_timeout (FaspSession * session, FaspTime now);

/* Since when the peer is silent though it should not be: a member of a group says little,
 * and who hears a group hears its sender, for a while. May be to come. */
FaspTime fasp_session_get_silent_since (const FaspSession * session);
/* For so long we were not there to hear anybody. */
void fasp_session_excuse (FaspSession * session, FaspTime span);

/* That it began with, ms. FALSE: not known yet. */
gboolean fasp_session_get_first_latency (const FaspSession * session,
    guint * latency_ms);
/* For how long a peer may be silent before it counts as interrupted. A call that was repeated
 * before it was answered does not tell its round trip: it may be by satellite. */
FaspTime fasp_session_get_patience (const FaspSession * session);
/* A receiver delivers nothing before that time, or before it knows the
 * latency; 0: nothing is held. */
FaspTime fasp_session_get_hold_end (const FaspSession * session);
/* In force, ms; 0: as soon as may be, or not known yet. */
guint fasp_session_get_latency (const FaspSession * session, FaspTime now);
/* Sender: @rate, bit/s, from now on, in bursts that fit it. 0: not paced. */
void fasp_session_set_pace (FaspSession * session, FaspTime now, guint64 rate);
/* Nothing can be sent any more.  The next new blocks leave together, @quantum later, as
 * there are many others; @waits: there are none yet. */
void fasp_session_end_turn (FaspSession * session, FaspTime now,
    FaspTime quantum, gboolean waits);
/* Receiver: a datagram of its group. */
FaspSessionResult fasp_session_hear (FaspSession * session, FaspTime now,
    const FaspAddress * from, const guint8 * data, gsize size,
    FaspMemory * memory);
/* Receiver: hears a group from now on, too. @seed: of its random numbers. */
void fasp_session_listen (FaspSession * session, FaspTime now,
    const FaspGroupKey * key, guint64 seed);
/* Bit/s that is given, or that the controller has found; 0: not paced. */
guint64 fasp_session_get_channel_rate (const FaspSession * session);
/* Payload bytes of a block that fits the path in one datagram, with its repair. */
guint32 fasp_session_get_room (const FaspSession * session);
/* How wide its paths are is known; all of them are there. */
gboolean fasp_session_is_measured (const FaspSession * session);

static inline gboolean
fasp_session_is_over (const FaspSession * session)
{
  return session->state == FASP_SESSION_CLOSING
      || session->state == FASP_SESSION_CLOSED;
}

/* It is open, and not interrupted. */
static inline gboolean
fasp_session_is_heard (const FaspSession * session)
{
  return session->state == FASP_SESSION_OPEN && !session->interrupted;
}

/* Is there something the application has not read yet? */
static inline gboolean
fasp_session_has_unread (const FaspSession * session)
{
  return session->role == FASP_ROLE_RECEIVER && !session->rx.complete
      && fasp_reorder_peek (session->rx.reorder) != NULL;
}

void fasp_session_close (FaspSession * session, FaspTime now,
    FaspReason reason, const gchar * text);

void fasp_session_get_stats (FaspSession * session, FaspTime now,
    FaspSessionStats * stats);
/* At most @max; returns how many there are. */
guint fasp_session_get_flows (const FaspSession * session,
    FaspFlowStats * flows, guint max);

G_END_DECLS
