/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionparts.h: the parts of a session's state, by concern.  Each names the files that change
 * it.
 *
 * Times are microseconds on the caller's clock.
 */
#pragma once

#include "faspexchange.h"
#include "faspfeedbackrate.h"
#include "fasplimits.h"
#include "faspmeter.h"
#include "faspmulticastreceiver.h"
#include "faspmulticastsender.h"
#include "faspflow.h"
#include "faspprotection.h"
#include "faspreceiverstate.h"
#include "faspscheduler.h"
#include "faspstats.h"
#include "fasptotal.h"
#include "fasppath.h"

G_BEGIN_DECLS

#define FASP_PONGS 64 /* answers that may wait; further PINGs are not answered */

/* What both ends have agreed upon. Changed by the endpoint, before the session is open. */
typedef struct
{
  FaspLatency latency;
  gboolean has_fec;          /* repair symbols may be used */
  gboolean sends_timestamps; /* receiver: the sender wants receive timestamps */
  gboolean sends_offsets;    /* sender: the receiver wants the stream offset of each block */
} FaspTerms;

/* Our keys. Changed by fasp_session_set_keys(), and the first two by the endpoint. */
typedef struct
{
  FaspRandomFunc random; /* for the keys that are agreed upon while the session runs */
  gpointer random_data;
  FaspCipher cipher;
  FaspSealer *sealer;           /* owned */
  FaspOpener *opener;           /* owned */
  guint8 resume[FASP_KEY_SIZE]; /* proves that one was in this session when it is resumed */
} FaspSessionKeys;

/* When the key that we seal with is replaced: after an interval, or a number of datagrams,
 * whichever comes first. Changed by the session; the endpoint sets both limits. */
typedef struct
{
  FaspTime interval;
  guint64 limit;     /* datagrams */
  FaspTime time;     /* when the interval of this key ends */
  guint64 datagrams; /* sealed with this key */
  FaspTime asked;    /* when the peer was last asked whether it has this key */
  FaspTime wait;     /* from then until it is asked again; 0: it was not asked */
  /* faspsessionkeys.c: the secret that goes into a key from time to time */
  FaspExchange exchange;
  guint keys;            /* that were each made of the one before */
  FaspTime send_time;    /* when to send our public key; FASP_NEVER: there is none to send */
  FaspTime send_wait;    /* caller: from then until it is sent again */
  FaspTime compute_time; /* before it, no public key of the peer is used */
} FaspRekeying;

/* What is of interest until the session is open. Changed by the endpoint, unless said otherwise. */
typedef struct
{
  guint8 nonce[FASP_NONCE_SIZE]; /* the caller's; it names the handshake */
  guint8 call[FASP_KEY_SIZE];    /* listener: hash of all that the caller's OPEN said */
  GBytes *accept;      /* listener, HALF: the message of our ACCEPT, owned. It is always the same
                          one, as its nonce may be used only once. The session drops it. */
  FaspAddress from;    /* the address that the last OPEN came from */
  gboolean moved;      /* an earlier OPEN came from another address */
  gboolean accept_due; /* ACCEPT is to be sent, or sent again */
  struct _FaspBucket *bucket; /* listener: the token bucket of its network, not owned */
  GList newcomer_link;        /* listening sender: its link among the sessions of its network that
                                 have acknowledged nothing; no data: it is not among them */
  FaspNetwork network;        /* listener: the caller's (fasp_limiter_get_network()) */
  guint peer;                 /* caller: index of the peer that was called, of several */
} FaspSessionHandshake;

/* Sender: where the peer begins. Changed by the endpoint when the session begins or is resumed. */
typedef struct
{
  guint64 block;             /* the first that was promised to the peer */
  FaspStreamOffset position; /* its offset in the stream, as our hello gave it */
  gboolean has_header;       /* our hello announced a stream with a header */
  FaspStreamOffset previous; /* the offset up to which the peer had the stream before, if known */
  guint64 live_from;     /* of a session that began in the past: the block that was to be written
                            next when it joined; else 0 */
  gboolean needs_header; /* receiver: blocks are dropped until the stream's header has come */
} FaspSessionStart;

/* Sender: the peer lacks the stream's header, or may come to lack it. Changed by
 * endpoint/faspheaderwait.c. */
typedef struct
{
  FaspReceiverState state;
  FaspTime since;      /* when it came to lack the header */
  guint64 end;         /* GETS: it has the header once it has all blocks below this one */
  guint64 skips;       /* fasp_tx_count_skips() when it began to wait */
  gboolean gets_first; /* it was in BEGINS: it may have the header, though it has skipped */
} FaspHeaderWait;

/* Whether the peer is there. Changed by the session, but for what is marked as the endpoint's. */
typedef struct
{
  FaspTime created, opened;
  FaspTime heard;   /* the last datagram from the peer */
  FaspTime spoken;  /* the last datagram to the peer */
  FaspTime excused; /* of the time since `heard', that in which we were not running to hear it */
  FaspTime resume_timeout; /* how long it may be silent; the endpoint's */
  gboolean interrupted;    /* the endpoint's */
  gboolean has_other;      /* sender: interrupted, and the receiver says that it has another sender;
                              the endpoint's */
} FaspLiveness;

/* An answer that is due. It goes to where the PING came from. */
typedef struct
{
  guint64 token;
  guint8 flow;
  FaspAddress to;
} FaspPong;

/* PINGs of any flow, and answers to the peer's. Changed by the session. */
typedef struct
{
  FaspTokens tokens;
  FaspTime time;              /* when to measure the round trip next */
  gboolean due;               /* a PING is to leave at once */
  guint next_flow;            /* the flow that the next NEXT is about */
  FaspPong pongs[FASP_PONGS]; /* the answers that wait */
  guint n_pongs;
} FaspPings;

/* How large a datagram may be. What the flows in use have in common is set by
 * fasp_session_measure(). */
typedef struct
{
  guint32 room;         /* payload bytes of a block that fits one datagram */
  gsize wire_max;       /* bytes of the largest datagram, IP header included */
  guint16 datagram_max; /* largest UDP payload that both ends take; the endpoint's */
  guint32 room_used;    /* the room that the block size was last chosen for; the endpoint's */
  /* sender: does the path MTU hold? changed by the session */
  guint64 confirm_from; /* first block sent since it was last in doubt */
  /* payload of the largest block sent, and of the largest that passed in one piece, since the path
   * MTU was last checked */
  guint32 largest_sent;
  guint32 largest_passed;
} FaspSessionSizes;

/* Which flow the next datagram takes, of several. Changed by the session. */
typedef struct
{
  gboolean duplicates; /* sender: new blocks go on every flow; the endpoint's */
  guint64 doubled;     /* flows that have carried the newest block, a bit each */
  guint64 takers;      /* those that have room for a copy of it, where paths are controlled */
  guint64 tailed;      /* flows that this round of TAILs has used, a bit each */
  guint8 last;         /* flow of the last block sent */
  guint8 last_any;     /* receiver: flow of the last datagram that could take any flow */
  guint n_any;         /* receiver: number of such datagrams */
} FaspFlowChoice;

/* How the session ends. Changed by the session. */
typedef struct
{
  FaspReason reason;
  gchar text[FASP_TEXT_MAX + 1];
  gboolean initiated; /* by us: the peer's CLOSE is then an answer */
  gboolean by_peer;   /* the peer has sent a CLOSE */
  FaspTime time;      /* when to send CLOSE; FASP_NEVER: not any more */
  FaspTime deadline;  /* when it is over, or forgotten */
} FaspClosing;

/* The latency that the sender promises. Changed by the session. */
typedef struct
{
  FaspTime time;    /* sender: when to send the next PROMISE */
  guint64 serial;   /* sender: of the next PROMISE; receiver: of the newest one */
  guint64 interval; /* receiver: expected seconds between skips; 0: the sender has not said it */
  gboolean changed; /* the application is to be notified */
} FaspPromised;

/* The paths, and what bounds the rates of their controllers. Changed by faspsessionpaths.c, but for
 * what is the endpoint's. A receiver has one, of which nothing is used. */
typedef struct
{
  FaspPath *list;          /* owned */
  guint n;                 /* 1 at least */
  guint flowlets;          /* flows for each of our addresses; the endpoint's */
  FaspRateControl control; /* which controller a further path gets */
  guint64 min, max;        /* of all together, bit/s; 0: no bound */
  FaspTime until;          /* when the rate of any of them may change */
  FaspTime peer_clock; /* receive timestamp of the newest FEEDBACK, by the peer's clock, widened;
                          0: there was none */
} FaspSessionPaths;

/* A group of receivers: the session's part in it. Changed by the endpoint, and the files of
 * multicast/. */
typedef struct
{
  FaspMulticastSender *sender;     /* sender: the endpoint's, not owned; NULL: no group */
  FaspMember member;               /* sender: the peer's state */
  FaspMulticastReceiver *receiver; /* receiver: owned; NULL: no group */
} FaspSessionGroup;

/* Counters and rates. Changed by the session. Bytes are those on the wire, IP headers included. */
typedef struct
{
  guint64 datagrams_sent, wire_sent;
  guint64 datagrams_received, wire_received;
  guint64 block_wire;      /* sender: bytes of original blocks */
  FaspMeter send, receive; /* bytes on the wire */
} FaspTraffic;

/* Of what events have notified the application. Changed by the endpoint. */
typedef struct
{
  gboolean connected; /* of the connection */
  gboolean removed;   /* of its end */
  gboolean shortfall; /* that the latency does not keep what is wanted */
  FaspTime promise;   /* when it was last notified of the promise */
  guint64 wants;      /* sender: fasp_tx_count_wants() when it was last asked for a key frame */
} FaspNotified;

/* The session in the endpoint's lists. Changed by the endpoint. */
typedef struct
{
  guint64 order;                /* number among all sessions that the endpoint ever had */
  guint8 lane;                  /* the lane that sends for it */
  FaspSchedulerEntry scheduled; /* when the endpoint looks at it next */
  FaspHeapItem first_needed; /* in the endpoint's heap, by the first block that is still needed */
  FaspTime *newcomer_times;  /* sender: the endpoint's, by FaspTxPeer: when the next block may go to
                                any peer that has shown as little */
  FaspTotal *total;          /* sender: the endpoint's; NULL: it has none */
  FaspTotalShare share;      /* in that; changed by the session, too */
} FaspSessionEntry;

/* Sender: state at the application's last call of fasp_endpoint_look_at_missed() and
 * fasp_endpoint_look_for_stuck(). Changed by endpoint/faspendpointstats.c. */
typedef struct
{
  FaspTime missed; /* fasp_pacer_get_missed() */
  guint64 acked;   /* tx.acked */
  guint stuck;     /* calls in a row at which acked had not moved although data was in flight */
} FaspProgress;

G_END_DECLS
