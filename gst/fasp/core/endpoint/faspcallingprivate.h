/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcallingprivate.h: the state of calls, dialled and admitted, each part with the files that
 * change it; faspcalling.c makes it.  Times are as the endpoint is given them, µs.
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

/* This many refused calls are remembered: callers repeat a call several times a second, and the
 * application must be notified once. */
#define FASP_REFUSED_KEPT 16

/* Callers that a listener has let in. Changed by faspadmitted.c and faspadmission.c. */
typedef struct
{
  GHashTable *by_call; /* hash of an OPEN -> FaspSession */
  FaspLimiter *limiter,
      *own_limiter;         /* the limiter of the port, or own_limiter; own_limiter is owned */
  FaspNetworks *networks;   /* listening sender: networks of its receivers */
  FaspNewcomers *newcomers; /* receivers that have acknowledged nothing */
  FaspStreamName names[FASP_STREAM_NAMES]; /* names of its stream, if the listener has a streamid */
} FaspEndpointAdmitted;

/* Refused calls. Changed by faspadmission.c. */
typedef struct
{
  FaspTime events;     /* token bucket of events about refused callers */
  guint64 unannounced; /* refused callers since the last event about one */
  guint8 calls[FASP_REFUSED_KEPT][FASP_NONCE_SIZE]; /* nonces of calls refused lately */
  guint oldest; /* index in `calls' of the nonce to replace next */
} FaspEndpointRefusals;

/* The call to a peer. Changed by faspdial.c, faspannouncedsender.c and faspanswer.c. */
typedef struct
{
  gboolean has_peer;            /* `peer' is known */
  gboolean expected;            /* the peer's address is being resolved */
  gboolean unanswered_notified; /* the application knows that no peer answers */
  gboolean answer_forged;       /* an answer to this call did not open */
  FaspAddress peer;             /* address that is called */
  FaspAddress peer_before;      /* address that was called before `peer' */
  FaspCaller caller;
  guint cookie_socket, cookie_tries; /* the socket that the cookie is valid for, and the OPENs sent
                                      by it */
  FaspTime started;                  /* when the call began, or the wait for an address */
  FaspTime redial_time;              /* when to call again; FASP_NEVER: no call is planned */
  FaspTime punch_time;               /* when to open a mapping of a NAT; FASP_NEVER: not planned */
  FaspTime seeking;                  /* since when peers have been called without an answer; 0: none
                                        is called */
  guint punched;                     /* sockets that the current round has sent on */
  FaspReason last_reject;            /* the last refusal that the application was notified of */
} FaspEndpointCall;

/* Choice among several peers. Changed by faspfailover.c, and `time' by faspdial.c, too. */
typedef struct
{
  guint wanted, serial; /* index of the peer to call, and how often the index has changed */
  FaspTime time;        /* when to move on to the next peer; FASP_NEVER: not planned */
  guint refused;        /* peers in a row that refused for good */
} FaspEndpointFailover;

/* Sockets by which nothing is heard, a bit each, or by number. Changed by faspstale.c. */
typedef struct
{
  guint64 heard;                    /* sockets by which something was heard since the last look */
  guint64 sockets;                  /* stale sockets that fasp_endpoint_take_stale_sockets() has not
                                     returned yet */
  FaspTime time;                    /* when to check the sockets again */
  guint8 mute[FASP_FLOWS_MAX];      /* checks in a row that found nothing heard, by socket */
  guint8 doublings[FASP_FLOWS_MAX]; /* by socket: how often the number of checks was doubled after
                                       which it is stale */
} FaspEndpointStale;

/* Mistakes of the user that the endpoint can recognise. Changed by faspstrangers.c. */
#define FASP_STRANGERS_RTP 12 /* bytes of the header of RTP */
typedef struct
{
  guint8 last[FASP_STRANGERS_RTP]; /* beginning of the last datagram of no session */
  guint notified;                  /* protocols of which the application was notified, a bit each */
  gboolean uncalled_notified;      /* the application was notified that no peer calls */
  gboolean is_called;              /* an OPEN has come; set by faspcalling.c */
} FaspEndpointStrangers;

struct _FaspCalling
{
  FaspReplies replies;           /* made by faspadmission.c, sent by faspcalling.c */
  FaspEndpointAdmitted admitted; /* listener */
  FaspEndpointRefusals refusals; /* listener */
  FaspEndpointCall call;         /* caller */
  FaspEndpointFailover failover; /* caller */
  FaspEndpointStale stale;       /* caller */
  FaspEndpointStrangers strangers;
  FaspAnnouncers announcers; /* faspannouncedsender.c, faspanswer.c; receiver: the senders of its
                                group that it has heard of */
  FaspStreamOffset left;     /* fasplifecycle.c, faspanswer.c; caller: stream offset up to which the
                                peer had acknowledged when its session ended */
  FaspTime outages;          /* fasplifecycle.c: token bucket of events about outages */
  FaspGone *gone;            /* faspgone.c; owned */
  gboolean received;         /* fasplifecycle.c; listening receiver: its one stream was received to
                                the end */
  gboolean given_up;         /* faspdial.c, faspanswer.c, fasplifecycle.c: the application was
                                notified that no call will follow */
};

G_END_DECLS
