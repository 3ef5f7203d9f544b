/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspendpointbase.h: the endpoint's state, which its files share, and what all of them use:
 * events, waking, and finding sessions.
 */
#pragma once

#include "faspannounce.h"
#include "faspcaller.h"
#include "faspcookie.h"
#include "faspnetworks.h"
#include "faspendpoint.h"
#include "faspclockdiscipline.h"
#include "fasplimiter.h"
#include "faspstreamheader.h"
#include "faspkeyframe.h"
#include "faspreplies.h"
#include "faspsession.h"
#include "faspsource.h"
#include "faspstream.h"
#include "faspaddressindex.h"

G_BEGIN_DECLS

/* Callers repeat a refused call some times in a second.  These many refused calls are
 * remembered, so that the application hears of each once. */
#define FASP_REFUSED_KEPT 16

struct _FaspEndpoint
{
  FaspEndpointConfig config;
  FaspRandomFunc random;
  gpointer random_data;

  GPtrArray *sessions;                      /* FaspSession, owned, in the order they came */
  guint64 made;                             /* sessions so far */
  GHashTable *by_id;                        /* id -> FaspSession */
  GHashTable *by_call;                      /* listener: all that an OPEN said -> FaspSession */
  FaspAddressIndex address_index;           /* of the sessions' peers */
  FaspScheduler schedulers[FASP_LANES_MAX]; /* which session to poll next, by lane */
  FaspTime refusals_told;                   /* token bucket of events about refused callers */
  guint64 refusals_untold;                  /* refused callers since the last event about one */
  FaspTime outages_told;                    /* token bucket of events about outages */
  guint8 refused_calls[FASP_REFUSED_KEPT][FASP_NONCE_SIZE]; /* nonces of calls refused lately */
  guint oldest_refused;                                     /* index of the one to replace next */
  GQueue events;                                            /* FaspEvent, owned */
  FaspReplies replies;
  guint8 cookie_secret[FASP_COOKIE_SECRET_SIZE];
  FaspLimiter *gate, *own_limiter;         /* the port's, or own_limiter; owned if not shared */
  FaspNetworks *networks;                  /* listening sender: of its receivers */
  GQueue half;                             /* FaspSession that are not open yet, the oldest first */
  FaspStreamName names[FASP_STREAM_NAMES]; /* listener with a streamid */

  /* calling */
  gboolean has_peer, expected;
  gboolean unanswered_told;
  gboolean answer_forged;        /* an answer to this call did not open */
  FaspAddress peer, peer_before; /* that is called, and was called before that */
  FaspCaller caller;
  guint wanted, wanted_serial;     /* index of the peer to call, of several (faspfailover.c) */
  FaspTime move_time;              /* when to move on to the next peer */
  guint refused;                   /* peers in a row that refused for good */
  guint cookie_link, cookie_tries; /* link that the cookie is for, and calls by it */
  FaspTime call_started, redial_time, punch_time;
  FaspTime seeking; /* since when any of the peers is called in vain; 0: none is */
  guint punched;    /* links punched this time */
  FaspReason last_reject;

  /* sender */
  FaspStore *store;
  FaspPlanner *planner;   /* shared by its sessions */
  FaspHeap first_needed;  /* the first block that each session may need */
  guint64 hold;           /* first block kept though no receiver is there (fasphold.h) */
  FaspTime hold_deadline; /* FASP_NEVER: until somebody takes it */
  gboolean hold_is_new;   /* no receiver has acknowledged any of it, or of what was before */
  FaspTime measured_by;   /* nothing is written before; FASP_NEVER: no wait */
  FaspTime media_time;
  FaspSource source;       /* how fast the application writes */
  FaspTime unheard_turn;   /* of peers that have reported nothing: the next one's */
  guint64 past;            /* the first block kept as history (fasphistory.c) */
  guint64 key;             /* the block of the newest key frame (fasphistory.c) */
  FaspStreamHeader header; /* of the stream that is written */
  gboolean awaits_header;  /* a session may be waiting for it */
  FaspStreamOffset own;    /* where the stream that we write ourselves began */
  guint own_origins;       /* how many such streams there have been */
  FaspStreamOffset left;   /* caller: up to where the peer had the stream when it was last heard */
  guint32 packet_size;     /* of what is written, bytes; 0: any */
  guint64 bitrate_told;    /* to an encoder, bit/s; 0: nothing yet */
  FaspTime bitrate_time, encoder_time;
  FaspKeyFrame key_frame;   /* requests of all receivers to the application */
  FaspTime left_behind_may; /* earliest time of the next event about receivers left behind */

  /* a group: the sender's, or the senders that a receiver has heard of */
  FaspMulticastSender *group;
  FaspAnnouncers announcers;

  gboolean received; /* listener: has its one stream, to the end */
  gboolean given_up; /* the application was told that no call will follow */
  FaspTime gap_told; /* 0: none yet */
  /* receiver */
  guint32 reading;         /* session of the block read last */
  guint32 reading_any;     /* the same, or of a header that was read after that */
  FaspTime reading_offset; /* from its media time to when to play it, less the
                              latency that the session began with */
  FaspSenderClock reading_clock;
  FaspMediaClock media_clock; /* of the session that was read last and is gone */
  FaspSkew skew;
  FaspAddress reading_from;             /* peer that sent the block read last */
  FaspStreamOffset stand;               /* of the byte behind the block read last */
  FaspTime joined_told;                 /* when the application was told of the last stream */
  gboolean read_end;                    /* the end of the stream was read, too */
  FaspStreamOffset whole;               /* `stand' if nothing were missing since an offset was
                                           first known */
  FaspHist lateness, lateness_in_order; /* of the session before */

  gboolean has_last;
  FaspSessionStats last;     /* of the session removed last */
  FaspFlowStats *last_flows; /* of that session, if it had several flows; owned */

  FaspNotes notes; /* owned */
  FaspTime looked; /* when the endpoint was last called */
  gboolean closing;
  FaspEndpointStats stats;
};

static inline FaspScheduler *
fasp_endpoint_get_scheduler (FaspEndpoint *endpoint, const FaspSession *session)
{
  return &endpoint->schedulers[session->entry.lane];
}

static inline FaspSession *
fasp_endpoint_nth (const FaspEndpoint *endpoint, guint i)
{
  return g_ptr_array_index (endpoint->sessions, i);
}

/* TRUE: this end calls. */
gboolean fasp_endpoint_is_caller (const FaspEndpoint *endpoint);
/* An unused connection id, with the endpoint's prefix. */
guint32 fasp_endpoint_new_id (FaspEndpoint *endpoint);
/* Queues an event, filled in from @session (NULL: none).  The queue owns it. */
FaspEvent *fasp_endpoint_push_event (FaspEndpoint *endpoint, FaspEventType type,
    const FaspSession *session);
/* TRUE: report this gap.  Of many gaps, one a minute is reported. */
gboolean fasp_endpoint_tells_gap (FaspEndpoint *endpoint, FaspTime now);
/* The first session that is open, or NULL. */
FaspSession *fasp_endpoint_get_open (const FaspEndpoint *endpoint);
/* The first one besides @except that is open and heard, or NULL. */
FaspSession *fasp_endpoint_get_heard (const FaspEndpoint *endpoint, const FaspSession *except);
/* Units (FASP_BLOCK_UNIT) that a receiver's buffer is sure to hold. */
guint32 fasp_endpoint_get_window (const FaspEndpoint *endpoint);
/* @session, or all of them, must be looked at now. */
void fasp_endpoint_wake (FaspEndpoint *endpoint, FaspSession *session);
void fasp_endpoint_wake_all (FaspEndpoint *endpoint);

G_END_DECLS
