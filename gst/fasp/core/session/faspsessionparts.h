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

/* The terms that both ends have agreed upon. Changed by the endpoint, before the session is
 * open. */
typedef struct
{
  FaspLatency latency;
  gboolean has_fec;          /* repair symbols may be used */
  gboolean sends_timestamps; /* receiver: the sender wants receive timestamps */
  gboolean sends_offsets;    /* sender: the receiver wants the stream offset of each block */
} FaspTerms;

/* Our keys. Changed by fasp_session_set_keys(), and `random' and `sealer' by the endpoint. */
typedef struct
{
  FaspRandomFunc random; /* for the keys that are agreed upon while the session runs */
  gpointer random_data;
  FaspCipher cipher;
  FaspSealer *sealer;           /* owned */
  FaspOpener *opener;           /* owned */
  guint8 resume[FASP_KEY_SIZE]; /* proves, when a session is resumed, that the caller was in it */
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
  FaspTime wait;     /* from then until it is asked again; 0: it was not asked yet */
  /* the secret that is mixed into a key from time to time; changed by faspsessionkeys.c */
  FaspExchange exchange;
  guint keys;            /* number of keys derived since the last secret */
  FaspTime send_time;    /* when to send our public key; FASP_NEVER: there is none to send */
  FaspTime send_wait;    /* caller: from then until it is sent again */
  FaspTime compute_time; /* a public key of the peer is ignored before this time */
} FaspRekeying;

/* State of the handshake, used until the session is open. Changed by the endpoint, unless a comment
 * says otherwise. */
typedef struct
{
  guint8 nonce[FASP_NONCE_SIZE]; /* the caller's; it names the handshake */
  guint8 call[FASP_KEY_SIZE];    /* listener: hash of the contents of the caller's OPEN */
  GBytes *accept;      /* listener, in state HALF: the message of our ACCEPT, owned. It is repeated
                          unchanged, as its nonce may be used only once. The session drops it. */
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
  guint64 block;             /* the first block that our hello promised to the peer */
  FaspStreamOffset position; /* its offset in the stream, as our hello gave it */
  gboolean has_header;       /* our hello announced a stream with a header */
  FaspStreamOffset previous; /* the offset up to which the peer had received the stream before, if
                                known */
  guint64 live_from;     /* for a receiver that began in the past: the next block to be written when
                            it joined; else 0 */
  gboolean needs_header; /* receiver: blocks are dropped until the stream's header has come */
} FaspSessionStart;

/* Sender: the peer lacks the stream's header, or may come to lack it. Changed by
 * endpoint/faspheaderwait.c. */
typedef struct
{
  FaspReceiverState state;
  FaspTime since;      /* when the receiver began to lack the header */
  guint64 end;         /* GETS: the receiver has the header once it has all blocks below this one */
  guint64 skips;       /* fasp_tx_count_skips() when it began to wait */
  gboolean gets_first; /* the receiver was in BEGINS, so it may have the header although it has
                          skipped blocks */
} FaspHeaderWait;

/* Whether the peer is there. Changed by the session, and by the endpoint where marked. */
typedef struct
{
  FaspTime created, opened;
  FaspTime heard;          /* the last datagram from the peer */
  FaspTime spoken;         /* the last datagram to the peer */
  FaspTime excused;        /* the part of the time since `heard' in which our process did not run */
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
  FaspTime time;              /* when the next PING is due, which measures the round trip */
  gboolean due;               /* a PING must leave at once */
  guint next_flow;            /* the flow whose packet number the next NEXT tells */
  FaspPong pongs[FASP_PONGS]; /* the answers that wait */
  guint n_pongs;
} FaspPings;

/* How large a datagram may be. `room' and `wire_max' hold for all flows in use, and are set by
 * fasp_session_measure(). */
typedef struct
{
  guint32 room;         /* payload bytes of a block that fits one datagram */
  gsize wire_max;       /* bytes of the largest datagram, IP header included */
  guint16 datagram_max; /* largest UDP payload that both ends take; the endpoint's */
  guint32 room_used;    /* the room that the block size was last chosen for; the endpoint's */
  /* sender: does the path MTU hold? changed by the session */
  guint64 confirm_from; /* first block sent since the path MTU was last in doubt */
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
  guint64 takers;      /* with controllers: flows that have room for a copy of it, a bit each */
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
  FaspTime deadline;  /* when the session ends without an answer, and then when it is forgotten */
} FaspClosing;

/* The latency that the sender promises. Changed by the session. */
typedef struct
{
  FaspTime time;    /* sender: when to send the next PROMISE */
  guint64 serial;   /* sender: of the next PROMISE; receiver: of the newest one */
  guint64 interval; /* receiver: expected seconds between skips; 0: the sender has not announced
                       it */
  gboolean changed; /* the application has yet to be notified */
} FaspPromised;

/* The paths, and the bounds of their controllers' rates. Changed by faspsessionpaths.c, and by the
 * endpoint where marked. A receiver has one, which it does not use. */
typedef struct
{
  FaspPath *list;          /* owned */
  guint n;                 /* 1 at least */
  guint flowlets;          /* flows for each local address; the endpoint's */
  FaspRateControl control; /* the controller that a further path gets */
  guint64 min, max;        /* bounds of all paths together, bit/s; 0: no bound */
  FaspTime until;          /* when the rate of any of them may change */
  FaspTime peer_clock;     /* time of the newest FEEDBACK by the peer's clock, widened; 0: there was
                              none */
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

/* What the application has been notified of. Changed by the endpoint. */
typedef struct
{
  gboolean connected; /* that the session is connected */
  gboolean removed;   /* that it has ended */
  gboolean shortfall; /* that the latency is too short for the wanted interval between skips */
  FaspTime promise;   /* when it was last notified of the promise */
  guint64 wants;      /* sender: fasp_tx_count_wants() when it was last asked for a key frame */
} FaspNotified;

/* The session in the endpoint's lists. Changed by the endpoint. */
typedef struct
{
  guint64 order;                /* number of the session, counted from the endpoint's first */
  guint8 lane;                  /* the lane that sends for it */
  FaspSchedulerEntry scheduled; /* when the endpoint looks at it next */
  FaspHeapItem first_needed; /* in the endpoint's heap, by the first block that is still needed */
  FaspTime *newcomer_times;  /* sender: the endpoint's, by FaspTxPeer: when the next block may go to
                                any peer in that state */
  FaspTotal *total;          /* sender: the endpoint's; NULL: it has none */
  FaspTotalShare share;      /* of the total; changed by the session, too */
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
