/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspendpointparts.h: the parts of an endpoint's state, each with the files that change it.  Times
 * are as the endpoint is given them, µs.
 */
#pragma once

#include "faspblock.h"
#include "faspcaller.h"
#include "faspdemand.h"
#include "fasphist.h"
#include "faspkeyframe.h"
#include "fasplimiter.h"
#include "faspnetworks.h"
#include "faspnewcomers.h"
#include "faspstats.h"
#include "faspstream.h"
#include "fasptotal.h"
#include "fasptx.h"

G_BEGIN_DECLS

/* Callers repeat a refused call some times in a second.  These many refused calls are
 * remembered, so that the application hears of each once. */
#define FASP_REFUSED_KEPT 16

/* faspadmitted.c, faspadmission.c: the callers that a listener has let in. */
typedef struct
{
  GHashTable *by_call;                     /* all that an OPEN said -> FaspSession */
  FaspLimiter *limiter, *own_limiter;      /* the port's, or own_limiter; owned if not shared */
  FaspNetworks *networks;                  /* listening sender: of its receivers */
  FaspNewcomers *newcomers;                /* of those that have acknowledged nothing */
  FaspStreamName names[FASP_STREAM_NAMES]; /* listener with a streamid */
} FaspEndpointAdmitted;

/* faspadmission.c: refused calls. */
typedef struct
{
  FaspTime events;     /* token bucket of events about refused callers */
  guint64 unannounced; /* refused callers since the last event about one */
  guint8 calls[FASP_REFUSED_KEPT][FASP_NONCE_SIZE]; /* nonces of calls refused lately */
  guint oldest;                                     /* index of the one to replace next */
} FaspEndpointRefusals;

/* When the application was last notified of what may happen often. */
typedef struct
{
  FaspTime outages;         /* fasplifecycle.c: token bucket of events about outages */
  FaspTime gap;             /* 0: of none yet */
  FaspTime left_behind_may; /* faspslowpolicy.c: earliest time of the next event about receivers
                               left behind */
} FaspEndpointNotified;

/* faspdial.c, faspanswer.c: calling. */
typedef struct
{
  gboolean has_peer;            /* its address is known */
  gboolean expected;            /* it is being resolved */
  gboolean unanswered_notified; /* the application knows that nobody answers */
  gboolean answer_forged;       /* an answer to this call did not open */
  FaspAddress peer;             /* that is called, */
  FaspAddress peer_before;      /* and was called before that */
  FaspCaller caller;
  guint cookie_link, cookie_tries; /* link that the cookie is for, and calls by it */
  FaspTime started;                /* when the call began, or the wait for an address */
  FaspTime redial_time;            /* when to call again; FASP_NEVER: not */
  FaspTime punch_time;             /* when to open a way through a NAT; FASP_NEVER: not */
  FaspTime seeking;                /* since when any of the peers is called in vain; 0: none is */
  guint punched;                   /* links punched this time */
  FaspReason last_reject;          /* of which the application was notified */
} FaspEndpointCalling;

/* faspfailover.c: which of several peers to call. */
typedef struct
{
  guint wanted, serial; /* index of the peer to call, and how often that has changed */
  FaspTime time;        /* when to move on to the next peer; FASP_NEVER: not */
  guint refused;        /* peers in a row that refused for good */
} FaspEndpointFailover;

/* faspstale.c: links by which nothing is heard, a bit each, or by number. */
typedef struct
{
  guint64 heard;                    /* since the last look */
  guint64 links;                    /* stale ones that were not taken yet */
  FaspTime time;                    /* of the next look */
  guint8 mute[FASP_FLOWS_MAX];      /* looks in a row without anything */
  guint8 doublings[FASP_FLOWS_MAX]; /* of the number of looks after which it is stale */
} FaspEndpointStale;

/* faspstrangers.c: what the user may have mistaken. */
#define FASP_STRANGERS_RTP 12 /* bytes of the header of RTP */
typedef struct
{
  guint8 last[FASP_STRANGERS_RTP]; /* how the last datagram of no session began */
  guint notified;                  /* protocols of which the application was notified, a bit each */
  gboolean uncalled_notified;      /* the application was notified that no peer calls */
  gboolean is_called;              /* an OPEN has come; set by faspendpoint.c */
} FaspEndpointStrangers;

/* fasphold.c: what is kept though no receiver is there. */
typedef struct
{
  guint64 first;     /* the first block kept; FASP_NO_BLOCK: none */
  FaspTime deadline; /* FASP_NEVER: until somebody takes it */
  gboolean is_new;   /* no receiver has acknowledged any of it, or of what was before */
} FaspEndpointHeld;

/* fasphistory.c: what is kept for receivers that join later. */
typedef struct
{
  guint64 past; /* the first block kept as history */
  guint64 key;  /* the block of the newest key frame; FASP_NO_BLOCK: none */
} FaspEndpointHistory;

/* faspwriting.c: what the application writes. */
typedef struct
{
  FaspTime measured_by; /* nothing is written before; FASP_NEVER: no wait */
  FaspTime media_time;  /* of the last write */
  FaspStreamOffset own; /* where the stream that we write ourselves began */
  guint own_origins;    /* how many such streams there have been */
  guint32 packet_size;  /* of what is written, bytes; 0: any */
} FaspEndpointWriting;

/* faspgather.c: small writes that are gathered. */
typedef struct
{
  FaspTime due;   /* when what is held back may leave; FASP_NEVER: nothing is */
  FaspTime fill;  /* how long a block takes to fill; 0: too long to wait for it */
  FaspTime since; /* begin of the measurement; 0: none yet, */
  guint64 bytes;  /* and what was written since */
} FaspEndpointGather;

/* What the sessions share. Changed by them, and by faspsending.c. */
typedef struct
{
  FaspTotal total;                        /* the rate of all that is sent */
  FaspTime newcomer_turns[FASP_TX_TAKES]; /* of peers that have acknowledged nothing */
} FaspEndpointShared;

/* faspencoder.c: what was announced to the encoder. */
typedef struct
{
  guint64 bitrate;       /* bit/s; 0: nothing yet, */
  FaspTime bitrate_time; /* and when */
  FaspTime time;         /* when to look again, */
  FaspTime looked;       /* and when we looked last; 0: never */
  guint64 written;       /* bytes of the stream by then */
  FaspDemand demand;
  FaspKeyFrame key_frame; /* requests of all receivers to the application */
} FaspEndpointEncoder;

/* fasplifecycle.c: the figures of the session removed last. */
typedef struct
{
  gboolean is_known;
  FaspSessionStats stats;
  FaspFlowStats *flows;                 /* of that session, if it had several flows; owned */
  FaspPathStats *paths;                 /* the same for paths */
  FaspHist lateness, lateness_in_order; /* receiver: of the session before */
} FaspEndpointGone;

G_END_DECLS
