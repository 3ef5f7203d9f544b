/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspendpointbase.h: the endpoint's state, which its files share, and what all of them use: the
 * list of sessions, finding them, waking them, and events. faspendpointbase.c alone changes a
 * FaspEndpoint, but for the members that name another file, and the statistics, in which each file
 * counts what it knows.
 */
#pragma once

#include "faspcookie.h"
#include "faspendpoint.h"
#include "faspsessionrecord.h"
#include "faspaddressindex.h"

G_BEGIN_DECLS

typedef struct _FaspCalling FaspCalling;
typedef struct _FaspReading FaspReading;
typedef struct _FaspSending FaspSending;

/* Rates that the sessions share. Changed by them, fasppolling.c and faspendpointsettings.c. */
typedef struct
{
  FaspTotal total;                        /* the rate of all that is sent */
  FaspTime newcomer_times[FASP_TX_TAKES]; /* by FaspTxPeer: when the next block may go to such a
                                             peer */
} FaspEndpointShared;

struct _FaspEndpoint
{
  FaspEndpointConfig config; /* its settings: faspendpointsettings.c */
  FaspRandomFunc random;
  gpointer random_data;
  guint8 cookie_secret[FASP_COOKIE_SECRET_SIZE];

  GPtrArray *sessions;                      /* FaspSession, owned, in the order they came */
  guint64 made;                             /* number of sessions made so far */
  GHashTable *by_id;                        /* id -> FaspSession */
  FaspSession *heard;                       /* the last one heard: faspendpoint.c; NULL: unknown */
  FaspOpened *opened;                       /* room for a datagram: faspendpoint.c; owned */
  FaspAddressIndex address_index;           /* of the sessions' peers */
  FaspScheduler schedulers[FASP_LANES_MAX]; /* which session to poll next, by lane */
  GQueue events;                            /* FaspEvent, owned */
  FaspTime gap_notified; /* when the application was notified of a gap; 0: of none yet */

  /* parts with owners of their own; made by faspendpoint.c */
  FaspCalling *calling;       /* faspcallingprivate.h */
  FaspSending *sending;       /* faspsendingprivate.h */
  FaspReading *reading;       /* what the application has read: faspreading.c */
  FaspMulticastSender *group; /* sender: faspmulticast.c; NULL: none */

  /* sender */
  FaspStore *store;
  FaspPlanner *planner; /* shared by its sessions */
  FaspEndpointShared shared;

  FaspNotes notes;     /* owned */
  FaspTime looked;     /* fasppolling.c: when the endpoint was last called */
  FaspTime own_looked; /* fasppolling.c: when the endpoint's own tasks were last looked at;
                          FASP_NEVER: not since all that was due has left */
  gboolean closing;    /* faspendpoint.c */
  FaspEndpointStats stats;
};

static inline FaspScheduler *
fasp_endpoint_get_scheduler (FaspEndpoint *endpoint, const FaspSession *session)
{
  return &endpoint->schedulers[session->record->lane];
}

static inline FaspSession *
fasp_endpoint_nth (const FaspEndpoint *endpoint, guint i)
{
  return g_ptr_array_index (endpoint->sessions, i);
}

/* Visits all sessions, in the order in which they came. None may be added or removed meanwhile. */
#define FASP_EACH_SESSION(endpoint, session) \
  for (FaspSession **at_ = (FaspSession **) (endpoint)->sessions->pdata, *session; \
      at_ - (FaspSession **) (endpoint)->sessions->pdata < (endpoint)->sessions->len \
      && (session = *at_) != NULL; \
      at_++)

static inline FaspSession *
fasp_endpoint_find (const FaspEndpoint *endpoint, guint32 id)
{
  return g_hash_table_lookup (endpoint->by_id, GUINT_TO_POINTER (id));
}

/* Makes an endpoint without its parts. */
FaspEndpoint *fasp_endpoint_base_new (const FaspEndpointConfig *config, FaspRandomFunc random,
    gpointer user_data);
/* Frees @endpoint, its sessions, and the group that they may be members of; no other part. */
void fasp_endpoint_base_free (FaspEndpoint *endpoint);
/* Adds @session, numbers it, and chooses the lane that polls it. */
void fasp_endpoint_add (FaspEndpoint *endpoint, FaspSession *session);
/* The session is not polled or found any more; the caller frees it. */
void fasp_endpoint_remove (FaspEndpoint *endpoint, FaspSession *session);
/* Does this end call? */
gboolean fasp_endpoint_is_caller (const FaspEndpoint *endpoint);
/* An unused connection id, with the endpoint's prefix. */
guint32 fasp_endpoint_new_id (FaspEndpoint *endpoint);
/* Queues an event, filled in from @session (NULL: none).  The queue owns it. */
FaspEvent *fasp_endpoint_push_event (FaspEndpoint *endpoint, FaspEventType type,
    const FaspSession *session);
/* Must the application be notified of this gap? It is notified of one a minute. */
gboolean fasp_endpoint_notifies_gap (FaspEndpoint *endpoint, FaspTime now);
/* The first session that is open, or NULL. */
FaspSession *fasp_endpoint_get_open (const FaspEndpoint *endpoint);
/* The first session besides @except that is open and heard, or NULL. */
FaspSession *fasp_endpoint_get_heard (const FaspEndpoint *endpoint, const FaspSession *except);
/* Sender: has any receiver this standing, or a better one? */
gboolean fasp_endpoint_has_standing (const FaspEndpoint *endpoint, FaspTime now,
    FaspStanding standing);
/* Sender: payload of a block that fits any path, bytes. */
guint32 fasp_endpoint_get_least_room (const FaspEndpoint *endpoint);
/* Receiver: units (FASP_BLOCK_UNIT) that the buffer holds in any case. */
guint32 fasp_endpoint_get_window (const FaspEndpoint *endpoint);
/* Makes the scheduler poll @session, or all sessions, now. */
void fasp_endpoint_wake (FaspEndpoint *endpoint, FaspSession *session);
void fasp_endpoint_wake_all (FaspEndpoint *endpoint);
/* Makes the scheduler poll the next session that waits for the total rate, when that lets it
 * send. */
void fasp_endpoint_serve_next (FaspEndpoint *endpoint, FaspTime now);

G_END_DECLS
