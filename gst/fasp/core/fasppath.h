/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppath.h: one flow of a session and the way that it takes.
 *
 * A flow has packet numbers of its own, both ways.  Its way, from one of our
 * sockets to an address of the peer, is used for more than a few PINGs only when
 * the peer has answered one from there: until then the address may be forged, or
 * nobody is behind it.
 */
#pragma once

#include "fasparrivals.h"
#include "faspbudget.h"
#include "faspecn.h"
#include "faspgap.h"
#include "fasppmtu.h"
#include "faspsentlog.h"

G_BEGIN_DECLS

#define FASP_PINGS 16
#define FASP_PING_SECRET 16
/* A new address of the peer is challenged at intervals from the first of these
 * to the second, so often for each datagram that comes from there. */
#define FASP_CHALLENGE_INTERVAL (100 * FASP_MSEC)
#define FASP_CHALLENGE_INTERVAL_MAX FASP_SEC
#define FASP_CHALLENGES 3
/* One that was only called from, for so long, while the peer is heard where it was: it may not hear what
 * is said there. */
#define FASP_PATH_CALLED FASP_SEC
/* One of several ways that nothing is heard on is asked after this time, and then
 * at intervals from the first of these to the second. */
#define FASP_PATH_QUIET FASP_SEC
#define FASP_PATH_AGAIN (100 * FASP_MSEC)
#define FASP_PATH_AGAIN_MAX FASP_SEC
/* A flow that has been silent for so long, and for four times what has lain
 * between its datagrams, while others went on, is told of at once. */
#define FASP_PATH_SILENCE (10 * FASP_MSEC)

typedef struct
{
  guint64 token;
  FaspTime sent;                /* 0: not waited for */
  guint16 size;                 /* > 0: a path MTU probe of this UDP payload */
  gboolean rekeys;              /* its answer allows the next phase */
  FaspAddress to;
} FaspPing;

/* Tokens are unpredictable even to the peer, who could otherwise answer for an
 * address that it is not at. */
typedef struct
{
  guint8 secret[FASP_PING_SECRET];
  guint64 count;
} FaspTokens;

typedef struct
{
  FaspAddress address;          /* len 0: not known yet */
  gboolean proved;
  gboolean refused;             /* nobody listens there, says the network, */
  FaspTime refused_at;          /* since then */
  gboolean has_candidate;
  FaspAddress candidate;
  gboolean candidate_heard;     /* in the session */
  FaspTime candidate_time;      /* since then */
  FaspTime challenge_time;      /* the next is due, */
  guint challenges;             /* of so many that there may be by now */
  guint64 next_pn;
  guint64 phase_pn;             /* first packet number of this key phase */
  FaspGap *gap;                 /* what we receive */
  FaspPmtu pmtu;
  FaspPing pings[FASP_PINGS];
  FaspTime heard;
  FaspTime ping_time, ping_interval, asked;     /* of several: when quiet */
  guint64 probe_pn;             /* of what follows the last probe of a size */
  gboolean probed;              /* and something small is to follow it */
  FaspWayBack back;             /* sender: of feedback */
  gboolean dead;                /* sender: nothing arrives; until something */
  guint64 died_pn;              /* from here on does, or a PING sent since */
  FaspTime died;                /* then is answered */
  /* receiver, of several */
  FaspTime pace;                /* mean time between datagrams */
  FaspTime silence_due;         /* taken as silent then; FASP_NEVER: it is */
  gboolean silent;
  guint64 settled_told;         /* holes settled that feedback was due for, */
  guint64 told_holes;           /* those that it spoke of, */
  guint64 told_serial;          /* and the one that spoke of the flow last */
  guint64 datagrams_sent, wire_sent;
  /* for a rate control: what the receiver tells, and the sender asks */
  FaspArrivals arrivals;
  guint64 marked;               /* by ECN, of those that arrived */
  FaspSentLog sent;
  FaspEcn ecn;
  FaspTime peer_clock;          /* newest arrival by the peer's clock, widened */
} FaspPath;

void fasp_path_init (FaspPath * path, FaspTime now, gboolean alone);
void fasp_path_clear (FaspPath * path);

/* Something with a right tag came from @from. @newest: it was sent later than all
 * before. */
void fasp_path_heard (FaspPath * path, FaspTime now, const FaspAddress * from,
    gboolean newest);
/* The peer may be there by now: it is challenged.  What is not @heard from there in the session may
 * be a copy, and takes no place of what is. */
void fasp_path_suppose (FaspPath * path, FaspTime now,
    const FaspAddress * at, gboolean heard);
/* One of several, with the stream: is it silent from time to time? */
void fasp_path_stream_heard (FaspPath * path, FaspTime now);

/* A PING to @to: its token. */
guint64 fasp_path_ping (FaspPath * path, FaspTime now, FaspTokens * tokens,
    guint16 size, gboolean rekeys, const FaspAddress * to);
/* An answer came from @from: which one was answered? FALSE: none. */
gboolean fasp_path_pong (FaspPath * path, const FaspAddress * from,
    guint64 token, FaspPing * answered);

/* The peer is at its candidate, or was at its address all the time. TRUE: the
 * way is another than before. */
gboolean fasp_path_prove (FaspPath * path, const FaspAddress * at);
/* When its candidate is to be challenged; FASP_NEVER: it has none, or not before it says
 * something more. */
FaspTime fasp_path_get_challenge_time (const FaspPath * path);
void fasp_path_challenged (FaspPath * path, FaspTime now);
/* When the next PING to it is due; FASP_NEVER: alone, or not known where. */
FaspTime fasp_path_get_ping_time (const FaspPath * path);
void fasp_path_die (FaspPath * path, FaspTime now);
void fasp_path_asked (FaspPath * path, FaspTime now);

G_END_DECLS
