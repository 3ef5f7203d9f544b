/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcallingprivate.h: the state of calls, dialled and admitted, each part with the files that
 * change it.  Times are as the endpoint is given them, µs.
 */
#pragma once

#include "faspannounce.h"
#include "faspcaller.h"
#include "faspendpointbase.h"
#include "faspgone.h"
#include "fasplimiter.h"
#include "faspnetworks.h"
#include "faspnewcomers.h"
#include "faspreplies.h"
#include "faspstream.h"

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

/* faspdial.c, faspanswer.c: calling. */
typedef struct
{
  gboolean has_peer;            /* its address is known */
  gboolean expected;            /* it is being resolved */
  gboolean unanswered_notified; /* the application knows that no peer answers */
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
} FaspEndpointCall;

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
  gboolean is_called;              /* an OPEN has come; set by faspcalling.c */
} FaspEndpointStrangers;

struct _FaspCalling
{
  FaspReplies replies;
  FaspEndpointAdmitted admitted; /* listener */
  FaspEndpointRefusals refusals; /* listener */
  FaspEndpointCall call;         /* caller */
  FaspEndpointFailover failover; /* caller */
  FaspEndpointStale stale;       /* caller */
  FaspEndpointStrangers strangers;
  FaspAnnouncers announcers; /* receiver: the senders of its group that it has heard of */
  FaspStreamOffset left; /* caller: up to where the peer had the stream when it was last heard */
  FaspTime outages;      /* fasplifecycle.c: token bucket of events about outages */
  FaspGone *gone;        /* owned */
  gboolean received;     /* listener: has its one stream, to the end */
  gboolean given_up;     /* the application was notified that no call will follow */
};

G_END_DECLS
