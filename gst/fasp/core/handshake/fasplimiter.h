/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasplimiter.h: bounds the work that callers may cause.
 *
 *     handshakes in any time t <= FASP_LIMITER_BURST + t * FASP_LIMITER_RATE
 *
 * A handshake costs the thread that sends the stream a fraction of a millisecond, so all handshakes
 * together take one token bucket. The fewer tokens are left, the longer ago a network's last
 * handshake must be (fasp_limiter_get_quiet()). So networks that call all the time get equal shares
 * of the rate, and leave the last tokens to networks that have not called for some time, which need
 * not wait for the others.
 *
 * A network is an IPv4 address or an IPv6 /48; an IPv6 /32 counts as FASP_LIMITER_WIDE networks. A
 * table of fixed size counts them by secret hashes, so that callers can neither fill the table nor
 * choose the networks with which they share a bucket. Each network has a bucket in each of
 * FASP_LIMITER_ROWS rows, and its least count is taken (a count-min sketch): two networks are
 * confused only if they share a bucket in every row. But `half' and `owed' are counted in its
 * bucket of the first row alone.
 *
 * Callers that have not proved their address also share one bucket: when it is empty they get a
 * RETRY, which costs little. The limiter also counts half-open sessions, and wrong keys.
 *
 * Endpoints at one port (fasproutes.h) share a limiter. They may be in different threads if no two
 * of them receive a handshake at the same time. `half' and `owed' change at other times, too, so
 * they are atomic.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_LIMITER_ROWS 4
/* Buckets in a row. With 200 other networks, a network shares its bucket in every row with a
 * probability of (200 / 1024)^4: one in a thousand. */
#define FASP_LIMITER_BUCKETS 1024
/* Handshakes per second: one costs 0.16 ms without keys (tests/check, x86-64 of 2023), so all of
 * them take a twentieth of a thread. And in a burst: 10 ms. */
#define FASP_LIMITER_RATE 300
#define FASP_LIMITER_BURST 64
/* When FASP_LIMITER_CALM tokens of the burst are taken, a network must have been quiet for
 * FASP_LIMITER_QUIET, and for twice as long with each FASP_LIMITER_STEP tokens more: 12.8 s for the
 * last of them. */
#define FASP_LIMITER_CALM 32
#define FASP_LIMITER_QUIET (100 * FASP_MSEC)
#define FASP_LIMITER_STEP 4
/* A whole IPv6 /32 counts as this many networks, though it has 65536 networks /48. */
#define FASP_LIMITER_WIDE 4
/* The most half-open sessions of a network: a sixth of the port's limit. */
#define FASP_LIMITER_HALF_MAX 256
/* Wrong keys of a network at once, and the time after which it may try another one: seven a second.
 */
#define FASP_LIMITER_GUESSES 60
#define FASP_LIMITER_GUESS_EVERY (FASP_SEC / 7)
/* Handshakes per second, and in a burst, of all callers that have not proved their address. */
#define FASP_LIMITER_UNPROVED_RATE 32
/* The further tokens that a wrong key of such a caller costs. The bucket may have a debt as large
 * as its burst. That allows three guesses a second. */
#define FASP_LIMITER_UNPROVED_REFUSED 8

typedef struct _FaspBucket
{
  FaspTime full;   /* the token bucket of wrong keys: fasptokenbucket.h */
  FaspTime called; /* when a handshake was last let through; 0: never */
  gint half;       /* half-open sessions; atomic */
  guint owed;      /* refusals counted by fasp_limiter_owe(), charged at the next handshake;
                      atomic */
} FaspBucket;

typedef struct _FaspLimiter
{
  guint8 secret[16];
  gint half; /* half-open sessions of all endpoints; atomic */
  /* token buckets: of all handshakes; of those of callers that have not proved their address */
  FaspTime full, unproved_full;
  FaspBucket networks[FASP_LIMITER_ROWS][FASP_LIMITER_BUCKETS];
} FaspLimiter;

void fasp_limiter_init (FaspLimiter *limiter, const guint8 secret[16]);
/* Takes a token for a handshake; @proved: the caller has proved @address. FALSE: refuse it now. */
gboolean fasp_limiter_take (FaspLimiter *limiter, FaspTime now, const FaspAddress *address,
    gboolean proved);
/* The least time since a network's last handshake for another one now; FASP_NEVER: no handshake is
 * allowed now. */
FaspTime fasp_limiter_get_quiet (const FaspLimiter *limiter, FaspTime now);
/* Counts a new half-open session.  Pass the bucket to fasp_limiter_leave() when the session
 * is half open no longer. */
FaspBucket *fasp_limiter_enter (FaspLimiter *limiter, const FaspAddress *address);
void fasp_limiter_leave (FaspLimiter *limiter, FaspBucket *bucket);
/* Numbers for the networks of an address, made with the secret: a caller can neither compute them
 * nor find two networks with the same one. */
FaspNetwork fasp_limiter_get_network (const FaspLimiter *limiter, const FaspAddress *address);
/* Half-open sessions in all. */
guint fasp_limiter_count_half (FaspLimiter *limiter);
/* The handshake had a wrong key, or was for a stream that does not exist here. */
void fasp_limiter_refused (FaspLimiter *limiter, FaspTime now, const FaspAddress *address,
    gboolean proved);
/* The application has refused the key of a caller of this network, which counts as a wrong key. May
 * be called at any time. */
void fasp_limiter_owe (FaspBucket *bucket);

G_END_DECLS
