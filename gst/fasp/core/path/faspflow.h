/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspflow.h: one flow of a session and the path that it takes.
 *
 * A flow has packet numbers of its own in each direction.  Its path goes from one of our sockets to
 * an address of the peer.  Until the peer has answered a PING from that address, only a few PINGs
 * go there: the address may be forged, or unused.
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
/* With each challenge to the new address, this many PINGs go to the current address: at a loss of
 * one datagram in a hundred, it wrongly seems silent once in 2500 times. */
#define FASP_FLOW_ASKS 2
/* An address that has answered while the peer was heard from a candidate is replaced only after
 * this many unanswered PINGs. */
#define FASP_FLOW_DOUBTS 3
/* How long to challenge an address from which the peer only called, while it is still heard from
 * its current address: it may not receive at the new one. */
#define FASP_FLOW_CALLED FASP_SEC
/* If nothing is heard on a flow for this long, an address from which the peer calls replaces a
 * candidate from which it was heard but does not answer. */
#define FASP_FLOW_MUTE (2 * FASP_SEC)
/* If nothing is heard on one of several flows for FASP_FLOW_QUIET, it gets a PING, and then more at
 * intervals from FASP_FLOW_AGAIN to FASP_FLOW_AGAIN_MAX. */
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
  FaspTime sent;   /* when it left; 0: no answer is awaited */
  guint16 size;    /* > 0: a path MTU probe of this UDP payload */
  gboolean rekeys; /* its answer allows the next key phase */
  FaspAddress to;
} FaspPing;

/* Tokens are unpredictable, also for the peer, which could otherwise answer PINGs to an address
 * that is not its own. */
typedef struct
{
  guint8 secret[FASP_PING_SECRET];
  guint64 count;
} FaspTokens;

/* The peer may have moved to another address, the candidate, which is challenged.  The current
 * address is challenged, too, and stays while PINGs to it are answered: the candidate may belong to
 * an attacker that forwards copies of the peer's datagrams faster than the path (RFC 9000, section
 * 9.3.3).  The answer may come from any address, as the attacker may forward that, too. */
typedef struct
{
  gboolean has_candidate;
  FaspAddress candidate;
  gboolean heard;    /* the peer was heard from the candidate in the session */
  gboolean answered; /* an answer came from the candidate since the current address was last
                        asked */
  FaspTime since;    /* when the candidate was first seen */
  FaspTime time;     /* time of the next challenge */
  FaspTime sent;     /* time of the last challenge, to this or another candidate */
  guint left;        /* challenges that may still be sent */
  /* the current address, which the candidate would replace */
  guint asks;        /* PINGs to the current address that are due now */
  FaspTime deadline; /* until when the current address has to answer a PING; FASP_NEVER: it was not
                        asked */
  FaspTime asked;    /* when the current address was last asked; FASP_NEVER: not since there is a
                        candidate */
  gboolean in_vain;  /* the current address did not answer in time, which is not counted yet */
  guint unanswered;  /* how often only the candidate answered, since its own last answer */
  gboolean stayed;   /* the current address has answered while there was a candidate */
} FaspFlowChallenge;

/* The network has reported that no program listens at the address.  Set by the session, cleared
 * when the flow is heard. */
typedef struct
{
  gboolean is_reported;
  FaspTime since;
} FaspFlowRefusal;

/* PINGs to one of several flows that receives little. */
typedef struct
{
  FaspTime time, interval; /* time of the next PING, and the interval to the PING after it */
  FaspTime sent;           /* time of the last PING */
} FaspFlowAsking;

/* Sender: no packets of the flow arrive: it is dead.  It is alive again when a packet from `pn' on
 * arrives, or a later PING is answered. */
typedef struct
{
  gboolean is_dead;
  guint64 pn;
  FaspTime since;
} FaspFlowDeath;

/* Receiver, with several flows: detects that the flow falls silent. */
typedef struct
{
  FaspTime pace;      /* mean time between datagrams */
  FaspTime due;       /* when the flow will count as silent; FASP_NEVER: it does already */
  gboolean is_silent; /* the flow counts as silent; set by the session */
} FaspFlowSilence;

/* Receiver: the state of the flow in the last FEEDBACK.  Changed by the session. */
typedef struct
{
  guint64 due_for; /* settled holes that have made FEEDBACK due */
  guint64 holes;   /* settled holes that were reported */
  guint64 serial;  /* serial number of the last FEEDBACK with an entry for the flow */
} FaspFlowReported;

/* Sender: path MTU probes. Changed by the session. */
typedef struct
{
  guint64 pn;           /* number of the packet that follows the last probe */
  gboolean is_followed; /* a small packet must follow the probe */
} FaspFlowProbe;

typedef struct
{
  FaspAddress address; /* len 0: not known yet */
  guint8 path;         /* sender: number of its path; 0 also while that is not known; changed by the
                          session */
  gboolean proved;     /* the peer answered a PING from this address */
  FaspFlowRefusal refusal;
  FaspFlowChallenge challenge;
  FaspTime answered; /* token bucket of PONGs to an address that is not proved: fasptokenbucket.h */
  guint64 next_pn;
  guint64 phase_pn; /* first packet number of this key phase */
  FaspGap *gap;     /* packets received */
  FaspPmtu pmtu;
  FaspFlowProbe probe;
  FaspPing pings[FASP_PINGS];
  FaspTime heard;
  FaspFlowAsking asking;
  FaspFeedbackPath back; /* sender: the path that feedback takes */
  FaspFlowDeath death;
  FaspOutage outage; /* with several flows: outages reported to the application */
  FaspLoss loss;     /* sender: loss of this flow, if each block is sent on all flows */
  FaspFlowSilence silence;
  FaspFlowReported reported;
  guint64 datagrams_sent, wire_sent;
  /* for rate control: `timestamps' and `marked' are the receiver's, the others the sender's */
  FaspTimestamps timestamps; /* timestamps of packets to be reported */
  guint64 marked;            /* packets that arrived with an ECN mark */
  FaspSentLog sent;
  FaspEcn ecn;
} FaspFlow;

void fasp_flow_init (FaspFlow *flow, FaspTime now, gboolean alone);
void fasp_flow_clear (FaspFlow *flow);

/* A datagram with a valid tag came from @from.  @newest: it was sent after all others received so
 * far. */
void fasp_flow_heard (FaspFlow *flow, FaspTime now, const FaspAddress *from, gboolean newest);
/* The peer may have moved to the address @at, which becomes the candidate, to be challenged.  If
 * the peer was not @heard from there in the session, the datagram may be a copy, and does not
 * replace a candidate from which the peer was heard recently. */
void fasp_flow_suppose (FaspFlow *flow, FaspTime now, const FaspAddress *at, gboolean heard);
/* Receiver, with several flows: a datagram came on this one. From now on, watches whether it falls
 * silent. */
void fasp_flow_stream_heard (FaspFlow *flow, FaspTime now);

/* Remembers a PING to @to and returns its token. */
guint64 fasp_flow_ping (FaspFlow *flow, FaspTime now, FaspTokens *tokens, guint16 size,
    gboolean rekeys, const FaspAddress *to);
/* A PONG came from @from.  *answered: its PING.  FALSE: there is no such PING.  The PONG may come
 * from any address if the PING went to the current address, or as long as the flow is not
 * proved. */
gboolean fasp_flow_pong (FaspFlow *flow, const FaspAddress *from, guint64 token,
    FaspPing *answered);

/* May a PING from @to be answered now?  An address that is not proved gets no more PONGs than
 * challenges. */
gboolean fasp_flow_may_answer (FaspFlow *flow, FaspTime now, const FaspAddress *to);
/* The peer answered a PING to @at: the candidate, the current address or, as long as none is
 * proved, a former candidate.  TRUE: the address has changed, or is proved for the first time. */
gboolean fasp_flow_prove (FaspFlow *flow, const FaspAddress *at);
/* May the peer have left the address? */
static inline gboolean
fasp_flow_is_doubted (const FaspFlow *flow)
{
  const FaspFlowChallenge *c = &flow->challenge;

  return c->has_candidate && (!c->stayed || c->unanswered > 0);
}

/* When to challenge the candidate, or to judge the current address; FASP_NEVER: there is no
 * candidate, or it must be heard again first. */
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

/* The time for the current address to answer is over.  TRUE: the address has changed. */
gboolean fasp_flow_judge (FaspFlow *flow, FaspTime now);
/* The candidate was challenged.  The current address is to be asked, too, and has to answer within
 * @timeout. */
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
