/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasptokenbucket.h"
#include "faspbytes.h"
#include "faspcrypto.h"
#include "fasplimiter.h"

void
fasp_limiter_init (FaspLimiter *gate, const guint8 secret[16])
{
  memset (gate, 0, sizeof *gate);
  memcpy (gate->secret, secret, sizeof gate->secret);
}

static void
hash (const FaspLimiter *gate, const guint8 network[FASP_NETWORK_SIZE], guint8 *number, gsize size)
{
  fasp_hmac (gate->secret, sizeof gate->secret, "fasp gate 1", network, FASP_NETWORK_SIZE, number,
      size);
}

static FaspBucket *
get_bucket (FaspLimiter *gate, const FaspAddress *address)
{
  guint8 network[FASP_NETWORK_SIZE], index;

  fasp_address_get_network (address, network);
  hash (gate, network, &index, 1);
  return network[0] == 4 ? &gate->four[index] : &gate->six[index];
}

guint64
fasp_limiter_get_network (const FaspLimiter *gate, const FaspAddress *address)
{
  guint8 network[FASP_NETWORK_SIZE], number[8];
  FaspReader r = { number, sizeof number };

  fasp_address_get_network (address, network);
  hash (gate, network, number, sizeof number);
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
get_share (FaspLimiter *gate, const FaspAddress *address, gboolean proved)
{
  return proved ? (Share) { get_bucket (gate, address), FASP_SEC / FASP_LIMITER_NETWORK_RATE,
    FASP_LIMITER_NETWORK_BURST, FASP_LIMITER_NETWORK_REFUSED } :
                  (Share) { &gate->unproved, FASP_SEC / FASP_LIMITER_UNPROVED_RATE,
                    FASP_LIMITER_UNPROVED_RATE, FASP_LIMITER_UNPROVED_REFUSED };
}

gboolean
fasp_limiter_take (FaspLimiter *gate, FaspTime now, const FaspAddress *address, gboolean proved)
{
  Share s = get_share (gate, address, proved);

  return fasp_token_bucket_take (&s.bucket->full, now, s.interval, s.burst);
}

void
fasp_limiter_refused (FaspLimiter *gate, FaspTime now, const FaspAddress *address, gboolean proved)
{
  Share s = get_share (gate, address, proved);

  s.bucket->full =
      MIN (MAX (s.bucket->full, now) + s.refused * s.interval, now + 2 * s.burst * s.interval);
}

FaspBucket *
fasp_limiter_enter (FaspLimiter *gate, const FaspAddress *address)
{
  FaspBucket *bucket = get_bucket (gate, address);

  g_atomic_int_inc (&gate->half);
  g_atomic_int_inc (&bucket->half);
  return bucket;
}

void
fasp_limiter_leave (FaspLimiter *gate, FaspBucket *bucket)
{
  g_atomic_int_add (&gate->half, -1);
  g_atomic_int_add (&bucket->half, -1);
}

guint
fasp_limiter_count_half (FaspLimiter *gate)
{
  return g_atomic_int_get (&gate->half);
}

guint
fasp_limiter_count_half_of (FaspLimiter *gate, const FaspAddress *address)
{
  return g_atomic_int_get (&get_bucket (gate, address)->half);
}

void
fasp_limiter_join (FaspLimiter *gate)
{
  g_atomic_int_inc (&gate->endpoints);
}

void
fasp_limiter_part (FaspLimiter *gate)
{
  g_atomic_int_add (&gate->endpoints, -1);
}

guint
fasp_limiter_get_share (FaspLimiter *gate, guint all)
{
  guint n = g_atomic_int_get (&gate->endpoints);

  return MAX (1, all / MAX (n, 1));
}
