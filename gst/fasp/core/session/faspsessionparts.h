/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionparts.h: the parts of a session's state, by concern.  Each names the files that change
 * it.
 *
 * Times are microseconds on the caller's clock.
 */
#pragma once

#include "fasplimits.h"
#include "faspmeter.h"
#include "faspmulticastreceiver.h"
#include "faspmulticastsender.h"
#include "faspflow.h"
#include "faspstats.h"
#include "fasptotal.h"
#include "fasppath.h"

G_BEGIN_DECLS

/* The terms that both ends have agreed upon. Changed by the endpoint, before the session is
 * open. */
typedef struct
{
  FaspLatency latency;
  gboolean has_fec;          /* repair symbols may be used */
  gboolean sends_timestamps; /* receiver: the sender wants receive timestamps */
  gboolean sends_offsets;    /* sender: the receiver wants the stream offset of each block */
} FaspTerms;

/* Listener: how the caller is answered until the session is open. Changed by the endpoint; the
 * session drops the answer. */
typedef struct
{
  GBytes *accept;      /* in state HALF: the message of our ACCEPT, owned. It is repeated unchanged,
                          as its nonce may be used only once. */
  FaspAddress from;    /* the address that the last OPEN came from */
  gboolean moved;      /* an earlier OPEN came from another address */
  gboolean accept_due; /* ACCEPT is to be sent, or sent again */
} FaspSessionHandshake;

/* Whether the peer is there. Changed by the session, and by the endpoint where marked. */
typedef struct
{
  FaspTime created, opened;
  FaspTime heard;          /* the last datagram from the peer */
  FaspTime spoken;         /* the last datagram to the peer */
  FaspTime excused;        /* the part of the time since `heard' in which our process did not run */
  FaspTime resume_timeout; /* how long the peer may be silent before the session ends; set by the
                              endpoint */
  gboolean interrupted; /* the peer is silent beyond the idle timeout, or its port is closed; set by
                           the endpoint */
} FaspLiveness;

/* How large a datagram may be. `room' and `wire_max' hold for all flows in use, and are set by
 * fasp_session_measure(). */
typedef struct
{
  guint32 room;         /* payload bytes of a block that fits one datagram */
  gsize wire_max;       /* bytes of the largest datagram, IP header included */
  guint16 datagram_max; /* largest UDP payload that both ends take; set by the endpoint */
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
  gboolean duplicates; /* sender: new blocks go on every flow; set by the endpoint */
  guint64 doubled;     /* flows that have carried the newest block, a bit each */
  guint64 takers;  /* with controllers: flows that have room for a copy of the newest block, a bit
                      each */
  guint64 tailed;  /* flows that this round of TAILs has used, a bit each */
  guint8 last;     /* flow of the last block sent */
  guint8 last_any; /* receiver: flow of the last datagram that could take any flow */
  guint n_any;     /* receiver: number of such datagrams */
} FaspFlowChoice;

/* How the session ends. Changed by the session. */
typedef struct
{
  FaspReason reason;
  gchar text[FASP_TEXT_MAX + 1];
  gboolean initiated; /* this end closed first: the peer's CLOSE is an answer */
  gboolean by_peer;   /* the peer has sent a CLOSE */
  gboolean refused;   /* the application takes no more of this stream */
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
  gboolean changed; /* the application has yet to be notified of a change */
} FaspPromised;

/* The paths, and the bounds of their controllers' rates. Changed by faspsessionpaths.c, and by the
 * endpoint where marked. A receiver has one, which it does not use. */
typedef struct
{
  FaspPath *list;          /* owned */
  guint n;                 /* 1 at least */
  guint flowlets;          /* flows for each local address; set by the endpoint */
  gboolean has_arrivals;   /* the peer reports when packets arrived; set by the endpoint */
  FaspRateControl control; /* fixed: a path has a controller only if the rate is divided */
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

/* Sender: state that the sessions of an endpoint share. The endpoint owns it, and sets both
 * pointers. */
typedef struct
{
  FaspTime *newcomer_times; /* by FaspTxPeer: when any peer in it may get the next block */
  FaspTotal *total;         /* the endpoint's total rate; NULL: it has none */
  FaspTotalShare share;     /* this session's share of the total; changed by both */
} FaspSessionShared;

G_END_DECLS
