/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasplimiter.h: bounds the work that callers may cause.
 *
 * All callers that have not proved their address share one token bucket: beyond
 * it they get a RETRY, which costs little.  Callers that have proved it have one
 * bucket for each network (an IPv4 address, an IPv6 /48).  These buckets are in tables of fixed
 * size, indexed by a secret hash, so that nobody can fill the tables or choose whose bucket to
 * empty.  The limiter also counts the half-open sessions, in all and of each network.
 *
 * Endpoints at one port (fasproutes.h) share a limiter.  They may be in different threads if
 * no two of them receive a handshake at the same time.  The counters of half-open sessions, and of
 * what is owed, change at other times, too, so they are atomic.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_LIMITER_BUCKETS 256
/* Handshakes per second, and in a burst. */
#define FASP_LIMITER_UNPROVED_RATE 32
/* When a sender is back, a thousand receivers behind one address call at once. */
#define FASP_LIMITER_NETWORK_RATE 128
#define FASP_LIMITER_NETWORK_BURST 1024
/* A handshake with a wrong key costs this many tokens more.  A bucket may be short of as many
 * tokens as its burst has.  That allows three guesses a second from all unproved callers, and seven
 * from a network. */
#define FASP_LIMITER_UNPROVED_REFUSED 8
#define FASP_LIMITER_NETWORK_REFUSED 16

typedef struct _FaspBucket
{
  FaspTime full; /* when the token bucket would be full again: fasptokenbucket.h */
  gint half;     /* half-open sessions; atomic */
  guint owed;    /* refusals that fasp_limiter_owe() has noted; taken off at the next handshake;
                    atomic */
} FaspBucket;

typedef struct _FaspLimiter
{
  guint8 secret[16];
  gint half, endpoints; /* half-open sessions of all endpoints, and how many these are; atomic */
  /* of all callers that have not proved their address; of IPv4 networks; of IPv6 networks */
  FaspBucket unproved, four[FASP_LIMITER_BUCKETS], six[FASP_LIMITER_BUCKETS];
} FaspLimiter;

void fasp_limiter_init (FaspLimiter *limiter, const guint8 secret[16]);
/* Takes a token for a handshake; @proved: the caller has proved @address.  FALSE: not now. */
gboolean fasp_limiter_take (FaspLimiter *limiter, FaspTime now, const FaspAddress *address,
    gboolean proved);
/* Counts a new half-open session.  Pass the bucket to fasp_limiter_leave() when the session
 * is half open no longer. */
FaspBucket *fasp_limiter_enter (FaspLimiter *limiter, const FaspAddress *address);
void fasp_limiter_leave (FaspLimiter *limiter, FaspBucket *bucket);
/* A number for the network of an address. Without the secret, nobody can compute it, or find two
 * networks with the same one. */
guint64 fasp_limiter_get_network (const FaspLimiter *limiter, const FaspAddress *address);
/* One more endpoint uses the limiter, or one less. */
void fasp_limiter_join (FaspLimiter *limiter);
void fasp_limiter_part (FaspLimiter *limiter);
/* How many of @all belong to each endpoint; at least one. */
guint fasp_limiter_get_share (FaspLimiter *limiter, guint all);
/* Half-open sessions: all, and of this network (and those that share its bucket). */
guint fasp_limiter_count_half (FaspLimiter *limiter);
guint fasp_limiter_count_half_of (FaspLimiter *limiter, const FaspAddress *address);
/* The handshake had a wrong key, or asked for a stream that is not here. */
void fasp_limiter_refused (FaspLimiter *limiter, FaspTime now, const FaspAddress *address,
    gboolean proved);
/* The application has refused the key of a caller of this network, at any time: as a wrong key. */
void fasp_limiter_owe (FaspBucket *bucket);

G_END_DECLS
