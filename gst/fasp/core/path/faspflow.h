/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspflow.h: one flow of a session and the path that it takes.
 *
 * A flow has packet numbers of its own in each direction.  Its path goes from one of
 * our sockets to an address of the peer.  It carries no more than a few PINGs until
 * the peer has answered one from there: before that the address may be forged, or
 * unused.
 */
#pragma once

#include "fasptimestamps.h"
#include "faspfeedbackrate.h"
#include "faspecn.h"
#include "faspgap.h"
#include "fasploss.h"
#include "faspoutage.h"
#include "fasppmtu.h"
#include "faspsentlog.h"

G_BEGIN_DECLS

#define FASP_PINGS 16
#define FASP_PING_SECRET 16
/* The endpoint challenges a new address of the peer at intervals from the first to the
 * second of these, up to FASP_CHALLENGES times for each datagram from there. */
#define FASP_CHALLENGE_INTERVAL (100 * FASP_MSEC)
#define FASP_CHALLENGE_INTERVAL_MAX FASP_SEC
#define FASP_CHALLENGES 3
/* With each challenge to the new address, so many PINGs go to the address that it is to replace: if
 * one in a hundred datagrams is lost, it seems silent once in 2500 times. */
#define FASP_FLOW_ASKS 2
/* An address that has answered although the peer was heard from another one is replaced only when
 * it was asked so often in vain. */
#define FASP_FLOW_DOUBTS 3
/* How long to challenge an address from which the peer only called, while it is still
 * heard where it was: it may not hear what is sent there. */
#define FASP_FLOW_CALLED FASP_SEC
/* If nothing is heard on a flow for this long, an address that the peer calls from takes the place
 * of one that it was heard from, and where it does not answer. */
#define FASP_FLOW_MUTE (2 * FASP_SEC)
/* If nothing is heard on one of several flows for FASP_FLOW_QUIET, it gets a PING, and
 * then more at intervals from the second to the third of these. */
#define FASP_FLOW_QUIET FASP_SEC
#define FASP_FLOW_AGAIN (100 * FASP_MSEC)
#define FASP_FLOW_AGAIN_MAX FASP_SEC
/* A flow is silent after this time without a datagram, or four times the mean time
 * between its datagrams if that is longer, while other flows go on.  The receiver reports
 * that at once. */
#define FASP_FLOW_SILENCE (10 * FASP_MSEC)

typedef struct
{
  guint64 token;
  FaspTime sent;   /* 0: no answer is awaited */
  guint16 size;    /* > 0: a path MTU probe of this UDP payload */
  gboolean rekeys; /* its answer allows the next key phase */
  FaspAddress to;
} FaspPing;

/* Tokens are unpredictable even for the peer, which could otherwise answer for an
 * address where it is not. */
typedef struct
{
  guint8 secret[FASP_PING_SECRET];
  guint64 count;
} FaspTokens;

/* The peer may be at another address, its candidate, and is challenged there. So is the address
 * that it had: as long as what goes there is answered, it stays, as the candidate may be that of an
 * attacker who copies all that the peer sends, and is faster (RFC 9000, section 9.3.3). The answer
 * may come from anywhere, as the attacker is faster with that, too. */
typedef struct
{
  gboolean has_candidate;
  FaspAddress candidate;
  gboolean heard;    /* the peer was heard from there in the session */
  gboolean answered; /* from there came an answer since its address was asked last */
  FaspTime since;    /* since when it is the candidate */
  FaspTime time;     /* of the next challenge */
  FaspTime sent;     /* of the last challenge, to this or another candidate */
  guint left;        /* challenges that may still be sent */
  /* of the address that it would replace */
  guint asks;        /* PINGs that are due there now */
  FaspTime deadline; /* when one of them is to have been answered; FASP_NEVER: it was not asked */
  FaspTime asked;    /* when it was asked last; FASP_NEVER: not since there is a candidate */
  gboolean in_vain;  /* it did not answer then, and that was not counted yet */
  guint unanswered;  /* how often only the candidate answered, since it has answered itself */
  gboolean stayed;   /* it has answered beside a candidate */
} FaspFlowChallenge;

/* The network says that no program listens at the address. Set by the session, cleared when the
 * flow is heard. */
typedef struct
{
  gboolean is_reported;
  FaspTime since;
} FaspFlowRefusal;

/* PINGs to one of several flows, on which little is heard. */
typedef struct
{
  FaspTime time, interval; /* of the next one, and from that to the one after it */
  FaspTime sent;           /* the last one */
} FaspFlowAsking;

/* Sender: nothing of what is sent on the flow arrives. It is alive again when a packet from `pn' on
 * does, or a PING that was sent since is answered. */
typedef struct
{
  gboolean is_dead;
  guint64 pn;
  FaspTime since;
} FaspFlowDeath;

/* Receiver, with several flows: has the flow fallen silent? */
typedef struct
{
  FaspTime pace;      /* mean time between datagrams */
  FaspTime due;       /* when it counts as silent; FASP_NEVER: it does */
  gboolean is_silent; /* set by the session */
} FaspFlowSilence;

/* Receiver: what FEEDBACK has said of the flow. Changed by the session. */
typedef struct
{
  guint64 due_for; /* settled holes that have made FEEDBACK due */
  guint64 holes;   /* settled holes that were reported */
  guint64 serial;  /* of the last FEEDBACK with an entry for the flow */
} FaspFlowReported;

/* Sender: path MTU probes. Changed by the session. */
typedef struct
{
  guint64 pn;           /* of the packet that follows the last one */
  gboolean is_followed; /* a small packet must follow it */
} FaspFlowProbe;

typedef struct
{
  FaspAddress address; /* len 0: not known yet */
  guint8 path;         /* sender: number of the path that it is of; 0 also while that is not known;
                          changed by the session */
  gboolean proved;     /* the peer answered a PING from there */
  FaspFlowRefusal refusal;
  FaspFlowChallenge challenge;
  FaspTime answered; /* token bucket of PONGs to an address that is not proved: fasptokenbucket.h */
  guint64 next_pn;
  guint64 phase_pn; /* first packet number of this key phase */
  FaspGap *gap;     /* what we receive */
  FaspPmtu pmtu;
  FaspFlowProbe probe;
  FaspPing pings[FASP_PINGS];
  FaspTime heard;
  FaspFlowAsking asking;
  FaspFeedbackPath back; /* sender: of feedback */
  FaspFlowDeath death;
  FaspOutage outage; /* one of several flows: what the application knows of it */
  FaspLoss loss;     /* sender: of this flow, where each block goes on all */
  FaspFlowSilence silence;
  FaspFlowReported reported;
  guint64 datagrams_sent, wire_sent;
  /* for rate control: the first is the receiver's, the others are the sender's */
  FaspTimestamps timestamps; /* that are to be reported */
  guint64 marked;            /* by ECN, of those that arrived */
  FaspSentLog sent;
  FaspEcn ecn;
} FaspFlow;

void fasp_flow_init (FaspFlow *flow, FaspTime now, gboolean alone);
void fasp_flow_clear (FaspFlow *flow);

/* A datagram with a valid tag came from @from.  @newest: it was sent later than all
 * before. */
void fasp_flow_heard (FaspFlow *flow, FaspTime now, const FaspAddress *from, gboolean newest);
/* The peer may be @at another address: it becomes the candidate, to be challenged.  If it was
 * not @heard from there in the session, that may be a copied datagram, and does not replace a
 * candidate that was of late. */
void fasp_flow_suppose (FaspFlow *flow, FaspTime now, const FaspAddress *at, gboolean heard);
/* One of several flows brought data of the stream: from now on, look whether it falls silent. */
void fasp_flow_stream_heard (FaspFlow *flow, FaspTime now);

/* Notes a PING to @to and returns its token. */
guint64 fasp_flow_ping (FaspFlow *flow, FaspTime now, FaspTokens *tokens, guint16 size,
    gboolean rekeys, const FaspAddress *to);
/* An answer came from @from.  *answered: the PING that it answers.  FALSE: there is none.  It may
 * come from anywhere if the PING went to the address, or as long as the flow is not proved. */
gboolean fasp_flow_pong (FaspFlow *flow, const FaspAddress *from, guint64 token,
    FaspPing *answered);

/* May a PING that came from @to be answered there, now?  Where the peer is not proved to be, no
 * more are than there are challenges. */
gboolean fasp_flow_may_answer (FaspFlow *flow, FaspTime now, const FaspAddress *to);
/* The peer answered a PING to @at: its candidate, or its address, or, as long as none is proved, a
 * former candidate.  TRUE: the flow has changed, or is proved for the first time. */
gboolean fasp_flow_prove (FaspFlow *flow, const FaspAddress *at);
/* Is the peer possibly not at the address any more? */
static inline gboolean
fasp_flow_is_doubted (const FaspFlow *flow)
{
  const FaspFlowChallenge *c = &flow->challenge;

  return c->has_candidate && (!c->stayed || c->unanswered > 0);
}

/* When to challenge its candidate, or to judge its address; FASP_NEVER: there is no candidate, or
 * it must be heard again first. */
static inline FaspTime
fasp_flow_get_challenge_time (const FaspFlow *flow)
{
  const FaspFlowChallenge *c = &flow->challenge;

  if (!c->has_candidate)
    return FASP_NEVER;
  if (c->asks > 0)
    return c->sent;
  return MIN (c->left > 0 ? c->time : FASP_NEVER, c->deadline);
}

/* The time is over in which its address was to answer.  TRUE: the flow has changed. */
gboolean fasp_flow_judge (FaspFlow *flow, FaspTime now);
/* Its candidate is challenged.  Its address is to be asked, too, and to answer within @timeout. */
void fasp_flow_challenged (FaspFlow *flow, FaspTime now, FaspTime timeout);
/* When the next PING is due; FASP_NEVER: it is the only flow, or has no address yet. */
static inline FaspTime
fasp_flow_get_ping_time (const FaspFlow *flow)
{
  return flow->address.len > 0 ? flow->asking.time : FASP_NEVER;
}

void fasp_flow_die (FaspFlow *flow, FaspTime now);
void fasp_flow_asked (FaspFlow *flow, FaspTime now);

G_END_DECLS
