/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspendpointprivate.h: shared by faspendpoint.c and the parts of it in
 * faspdial.c, faspadmission.c, faspwriting.c, faspslow.c, faspchange.c and
 * faspfigures.c.
 */
#pragma once

#include "faspannounce.h"
#include "faspcaller.h"
#include "faspcookie.h"
#include "faspgate.h"
#include "faspreplies.h"
#include "faspsession.h"

G_BEGIN_DECLS

struct _FaspEndpoint
{
  FaspEndpointConfig config;
  FaspRandomFunc random;
  gpointer random_data;

  GPtrArray *sessions;          /* FaspSession, owned */
  GHashTable *by_id;            /* id -> FaspSession */
  FaspTurns turns;              /* whose it is to be polled */
  FaspTime refusal_told;        /* last event about somebody unproved */
  GQueue events;                /* FaspEvent, owned */
  FaspReplies replies;
  guint8 cookie_secret[FASP_COOKIE_SECRET_SIZE];
  FaspGate gate;

  /* calling */
  gboolean has_peer, expected;
  gboolean unanswered_told;
  gboolean answer_forged;       /* an answer to this call did not open */
  FaspAddress peer;
  FaspCaller caller;
  guint cookie_link, cookie_tries;      /* of the way that the cookie is for */
  FaspTime call_started, redial_time, punch_time;
  guint punched;                /* links, this time */
  FaspReason last_reject;

  /* sender */
  FaspStore *store;
  FaspHeap needs;               /* the first block of each session that it may need */
  guint64 hold;                 /* kept for a peer that may come back */
  FaspTime hold_deadline;
  FaspTime media_time;
  guint64 bitrate_told;         /* to an encoder, bit/s; 0: nothing yet */
  FaspTime bitrate_time, encoder_time;

  /* a group: what a sender sends, or whom a receiver has heard of */
  FaspGroup *group;
  FaspAnnouncers announcers;
  guint8 number[FASP_GROUP_NUMBER_SIZE];        /* of the one that is called */

  /* receiver */
  guint32 reading;              /* session of the block read last */
  FaspMediaClock reading_clock;
  FaspTime reading_shift;       /* of a latency that changed since the start */
  FaspHist lateness, lateness_in_order; /* of the session before */

  gboolean has_last;
  FaspSessionStats last;        /* of the session removed last, */
  FaspFlowStats *last_flows;    /* if it had several */

  FaspTrace trace;
  gboolean closing;
  FaspEndpointStats stats;
};

static inline FaspSession *
fasp_endpoint_nth (const FaspEndpoint * endpoint, guint i)
{
  return g_ptr_array_index (endpoint->sessions, i);
}

/* faspencoder.c: what it is to be told by now. */
void fasp_encoder_tend (FaspEndpoint * endpoint, FaspTime now);
guint32 fasp_endpoint_new_id (FaspEndpoint * endpoint);
FaspEvent *fasp_endpoint_push_event (FaspEndpoint * endpoint,
    FaspEventType type, const FaspSession * session);
/* The first session that is open, or NULL. */
FaspSession *fasp_endpoint_get_open (const FaspEndpoint * endpoint);
/* The first one besides @except that is open and heard, or NULL. */
FaspSession *fasp_endpoint_get_heard (const FaspEndpoint * endpoint,
    const FaspSession * except);
FaspSession *fasp_endpoint_add_session (FaspEndpoint * endpoint, FaspTime now,
    guint32 id, const FaspAddress * peer, const FaspHello * told,
    const guint8 nonce[FASP_NONCE_SIZE], guint64 start);
/* Units that a receiver's buffer is sure to hold. */
guint32 fasp_endpoint_get_window (const FaspEndpoint * endpoint);
/* @session is to be looked at, now; all of them are. */
void fasp_endpoint_wake (FaspEndpoint * endpoint, FaspSession * session);
void fasp_endpoint_wake_all (FaspEndpoint * endpoint);
/* A sender's session may have let go of blocks. */
void fasp_endpoint_note_needs (FaspEndpoint * endpoint,
    FaspSession * session);
/* Lets go of blocks that nobody needs any more. */
void fasp_endpoint_trim_store (FaspEndpoint * endpoint);
/* What we say of ourselves, in OPEN and ACCEPT. */
void fasp_endpoint_describe (FaspEndpoint * endpoint, FaspHello * hello,
    guint64 start);
void fasp_endpoint_session_opened (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session);
void fasp_endpoint_heard_again (FaspEndpoint * endpoint,
    FaspSession * session);
void fasp_endpoint_replace (FaspEndpoint * endpoint, FaspTime now,
    FaspSession * session);

G_END_DECLS
