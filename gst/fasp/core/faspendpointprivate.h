/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspendpointprivate.h: shared by faspendpoint.c and the parts of it in
 * fasplifecycle.c, faspdial.c, faspmove.c, faspadmission.c, faspsending.c,
 * faspwriting.c, fasphistory.c, faspreading.c, faspencoder.c, faspslow.c,
 * faspmulticast.c, faspchange.c and faspfigures.c.
 */
#pragma once

#include "faspannounce.h"
#include "faspcaller.h"
#include "faspcookie.h"
#include "faspfollower.h"
#include "faspgate.h"
#include "faspheader.h"
#include "faspreplies.h"
#include "faspsession.h"
#include "faspsource.h"
#include "faspstream.h"
#include "faspwhereabouts.h"

G_BEGIN_DECLS

/* A call that is refused is repeated, some times in a second: it is told of once. */
#define FASP_REFUSED_KEPT 16

struct _FaspEndpoint
{
  FaspEndpointConfig config;
  FaspRandomFunc random;
  gpointer random_data;

  GPtrArray *sessions;          /* FaspSession, owned, in the order they came: */
  guint64 made;                 /* so many so far */
  GHashTable *by_id;            /* id -> FaspSession */
  GHashTable *by_call;          /* a listener's: all that an OPEN said -> FaspSession */
  FaspWhereabouts whereabouts;  /* of their peers */
  FaspTurns turns[FASP_LANES_MAX];      /* whose it is to be polled, by lane */
  FaspTime refusal_told;        /* last event about somebody unproved */
  guint8 refused_calls[FASP_REFUSED_KEPT][FASP_NONCE_SIZE];     /* told of, */
  guint oldest_refused;         /* and which of them gives way */
  GQueue events;                /* FaspEvent, owned */
  FaspReplies replies;
  guint8 cookie_secret[FASP_COOKIE_SECRET_SIZE];
  FaspGate *gate, *own_gate;    /* the port's, which may be ours alone */
  FaspStreamName names[FASP_STREAM_NAMES];      /* a listener's that has a streamid */

  /* calling */
  gboolean has_peer, expected;
  gboolean unanswered_told;
  gboolean answer_forged;       /* an answer to this call did not open */
  FaspAddress peer, peer_before;        /* that is called, and was called before that */
  FaspCaller caller;
  guint wanted, wanted_serial;  /* of several peers: faspmove.c, */
  FaspTime move_time;           /* and when it is another one */
  guint refused;                /* in a row, for good */
  guint cookie_link, cookie_tries;      /* of the way that the cookie is for */
  FaspTime call_started, redial_time, punch_time;
  guint punched;                /* links, this time */
  FaspReason last_reject;

  /* sender */
  FaspStore *store;
  FaspPlanner *planner;         /* of a sender's sessions */
  FaspHeap needs;               /* the first block of each session that it may need */
  guint64 hold;                 /* kept for a peer that may come back */
  FaspTime hold_deadline;
  FaspTime measured_by;         /* nothing is written before; FASP_NEVER: it may be */
  FaspTime media_time;
  FaspSource source;            /* of what is written */
  guint64 past;                 /* the first block kept as history, */
  guint64 key;                  /* and that of the newest key frame; fasphistory.c */
  FaspHeader header;            /* of what is written */
  FaspPlace own;                /* where what we write ourselves began */
  guint own_origins;            /* how many there have been */
  FaspPlace left;               /* where the peer that is called stood when it was
                                   heard last */
  guint32 packet_size;          /* of what is written, bytes; 0: any */
  guint64 bitrate_told;         /* to an encoder, bit/s; 0: nothing yet */
  FaspTime bitrate_time, encoder_time;
  FaspTime skip_event;          /* when the application was told of skips */

  /* a group: what a sender sends, or whom a receiver has heard of */
  FaspGroup *group;
  FaspAnnouncers announcers;

  gboolean received;            /* the one stream that it was to, to its end */
  gboolean given_up;            /* it was told that no call will follow */
  FaspTime gap_told;            /* 0: none yet */
  /* receiver */
  guint32 reading;              /* session of the block read last */
  FaspTime reading_offset;      /* from its media time to when it is to be played, less
                                 * the latency that the session began with */
  FaspSenderClock reading_clock;
  FaspMediaClock media_clock;   /* of the session that was read last and is gone */
  FaspSkew skew;
  FaspAddress reading_from;     /* where the block read last came from, */
  FaspPlace stand;              /* and the byte behind it; */
  FaspPlace whole;              /* it would be that if nothing had been missing since */
  FaspHist lateness, lateness_in_order; /* of the session before */

  gboolean has_last;
  FaspSessionStats last;        /* of the session removed last, */
  FaspFlowStats *last_flows;    /* if it had several */

  FaspTrace trace;
  FaspTime looked;              /* when we were last there to listen */
  gboolean closing;
  FaspEndpointStats stats;
};

static inline FaspTurns *
fasp_endpoint_get_turns (FaspEndpoint * endpoint, const FaspSession * session)
{
  return &endpoint->turns[session->lane];
}

static inline FaspSession *
fasp_endpoint_nth (const FaspEndpoint * endpoint, guint i)
{
  return g_ptr_array_index (endpoint->sessions, i);
}

/* faspencoder.c: what it is to be told by now. */
void fasp_encoder_tend (FaspEndpoint * endpoint, FaspTime now);
/* Somebody has left, and until another comes there may be no turn. */
void fasp_encoder_left (FaspEndpoint * endpoint, FaspTime now);
guint32 fasp_endpoint_new_id (FaspEndpoint * endpoint);
FaspEvent *fasp_endpoint_push_event (FaspEndpoint * endpoint,
    FaspEventType type, const FaspSession * session);
/* There may be many gaps: is one told of now? */
gboolean fasp_endpoint_tells_gap (FaspEndpoint * endpoint, FaspTime now);
/* The first session that is open, or NULL. */
FaspSession *fasp_endpoint_get_open (const FaspEndpoint * endpoint);
/* The first one besides @except that is open and heard, or NULL. */
FaspSession *fasp_endpoint_get_heard (const FaspEndpoint * endpoint,
    const FaspSession * except);
/* We are there.  Before anything is made of @now: how long it is since is not always the peers'
 * silence. */
void fasp_endpoint_look (FaspEndpoint * endpoint, FaspTime now);
/* faspsending.c: the lane of the next session: the first that is not full, or the one with
 * the fewest. */
guint fasp_sending_choose_lane (const FaspEndpoint * endpoint);
/* Lanes have got more or fewer sessions. */
void fasp_sending_share (FaspEndpoint * endpoint);
/* Units that a receiver's buffer is sure to hold. */
guint32 fasp_endpoint_get_window (const FaspEndpoint * endpoint);
/* @session is to be looked at, now; all of them are. */
void fasp_endpoint_wake (FaspEndpoint * endpoint, FaspSession * session);
void fasp_endpoint_wake_all (FaspEndpoint * endpoint);
/* faspwriting.c: a sender's store. */
void fasp_writing_begin (FaspEndpoint * endpoint);
/* Blocks are as large as the narrowest path in use takes: it may be another one. */
void fasp_writing_fit_blocks (FaspEndpoint * endpoint);
/* A sender's session may have let go of blocks. */
void fasp_writing_note_needs (FaspEndpoint * endpoint, FaspSession * session);
/* Lets go of blocks that nobody needs any more. */
void fasp_writing_trim (FaspEndpoint * endpoint);
/* A session opened: the first one, of how large blocks? one more, what does it lack? */
void fasp_writing_opened (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session);
/* It may have been moved ahead of the header that it waits for. */
void fasp_writing_follow_header (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session);
/* Has its peer nothing of the stream, and will it lack the beginning? */
gboolean fasp_writing_is_in_the_middle (const FaspEndpoint * endpoint,
    const FaspSession * session);
void fasp_writing_tend (FaspEndpoint * endpoint, FaspTime now);
/* faspreading.c: a receiver's session begins; @told: the sender's hello. */
void fasp_reading_begin (FaspEndpoint * endpoint, FaspSession * session,
    const FaspHello * told);
/* It is over: what is known of the sender's clock stays; @session may be NULL. */
void fasp_reading_left (FaspEndpoint * endpoint, const FaspSession * session);
/* fasplifecycle.c: a session begins, with a peer that has told this of itself; */
FaspSession *fasp_lifecycle_begin (FaspEndpoint * endpoint, FaspTime now,
    guint32 id, const FaspAddress * peer, const FaspHello * told,
    const guint8 nonce[FASP_NONCE_SIZE], guint64 start);
/* it is connected; */
void fasp_lifecycle_opened (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session);
/* something has come from its peer; */
void fasp_lifecycle_heard (FaspEndpoint * endpoint, FaspSession * session);
/* another one takes its place. */
void fasp_lifecycle_replaced (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session);
/* What the passing of time does to it. FALSE: it is to be removed. */
gboolean fasp_lifecycle_tend (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session);
void fasp_lifecycle_remove (FaspEndpoint * endpoint, FaspSession * session);
/* faspdial.c: what we say of ourselves, in OPEN and ACCEPT. */
void fasp_endpoint_describe (FaspEndpoint * endpoint, FaspHello * hello,
    guint64 start);

G_END_DECLS
