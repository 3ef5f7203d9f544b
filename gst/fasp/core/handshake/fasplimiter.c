/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasptokenbucket.h"
#include "faspbytes.h"
#include "faspcrypto.h"
#include "fasplimiter.h"

void
fasp_limiter_init (FaspLimiter *limiter, const guint8 secret[16])
{
  memset (limiter, 0, sizeof *limiter);
  memcpy (limiter->secret, secret, sizeof limiter->secret);
}

static void
hash (const FaspLimiter *limiter, const guint8 network[FASP_NETWORK_SIZE], guint8 *number,
    gsize size)
{
  fasp_hmac (limiter->secret, sizeof limiter->secret, "fasp gate 1", network, FASP_NETWORK_SIZE,
      number, size);
}

static FaspBucket *
get_bucket (FaspLimiter *limiter, const FaspAddress *address)
{
  guint8 network[FASP_NETWORK_SIZE], index;

  fasp_address_get_network (address, network);
  hash (limiter, network, &index, 1);
  return network[0] == 4 ? &limiter->four[index] : &limiter->six[index];
}

guint64
fasp_limiter_get_network (const FaspLimiter *limiter, const FaspAddress *address)
{
  guint8 network[FASP_NETWORK_SIZE], number[8];
  FaspReader r = { number, sizeof number };

  fasp_address_get_network (address, network);
  hash (limiter, network, number, sizeof number);
  return fasp_read_uint (&r, sizeof number);
}

/* A bucket, and how it fills. */
typedef struct
{
  FaspBucket *bucket;
  FaspTime interval; /* from one token to the next */
  guint burst;
  guint refused; /* further tokens for a wrong key */
} Share;

static Share
get_share (FaspLimiter *limiter, const FaspAddress *address, gboolean proved)
{
  return proved ? (Share) { get_bucket (limiter, address), FASP_SEC / FASP_LIMITER_NETWORK_RATE,
    FASP_LIMITER_NETWORK_BURST, FASP_LIMITER_NETWORK_REFUSED } :
                  (Share) { &limiter->unproved, FASP_SEC / FASP_LIMITER_UNPROVED_RATE,
                    FASP_LIMITER_UNPROVED_RATE, FASP_LIMITER_UNPROVED_REFUSED };
}

static void
charge (const Share *s, FaspTime now, guint refusals)
{
  s->bucket->full = MIN (MAX (s->bucket->full, now) + refusals * s->refused * s->interval,
      now + 2 * s->burst * s->interval);
}

gboolean
fasp_limiter_take (FaspLimiter *limiter, FaspTime now, const FaspAddress *address, gboolean proved)
{
  Share s = get_share (limiter, address, proved);
  guint owed = g_atomic_int_and (&s.bucket->owed, 0);

  if (owed > 0)
    charge (&s, now, owed);
  return fasp_token_bucket_take (&s.bucket->full, now, s.interval, s.burst);
}

void
fasp_limiter_refused (FaspLimiter *limiter, FaspTime now, const FaspAddress *address,
    gboolean proved)
{
  Share s = get_share (limiter, address, proved);

  charge (&s, now, 1);
}

void
fasp_limiter_owe (FaspBucket *bucket)
{
  g_atomic_int_inc (&bucket->owed);
}

FaspBucket *
fasp_limiter_enter (FaspLimiter *limiter, const FaspAddress *address)
{
  FaspBucket *bucket = get_bucket (limiter, address);

  g_atomic_int_inc (&limiter->half);
  g_atomic_int_inc (&bucket->half);
  return bucket;
}

void
fasp_limiter_leave (FaspLimiter *limiter, FaspBucket *bucket)
{
  g_atomic_int_add (&limiter->half, -1);
  g_atomic_int_add (&bucket->half, -1);
}

guint
fasp_limiter_count_half (FaspLimiter *limiter)
{
  return g_atomic_int_get (&limiter->half);
}

guint
fasp_limiter_count_half_of (FaspLimiter *limiter, const FaspAddress *address)
{
  return g_atomic_int_get (&get_bucket (limiter, address)->half);
}

void
fasp_limiter_join (FaspLimiter *limiter)
{
  g_atomic_int_inc (&limiter->endpoints);
}

void
fasp_limiter_part (FaspLimiter *limiter)
{
  g_atomic_int_add (&limiter->endpoints, -1);
}

guint
fasp_limiter_get_share (FaspLimiter *limiter, guint all)
{
  guint n = g_atomic_int_get (&limiter->endpoints);

  return MAX (1, all / MAX (n, 1));
}
