/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasptokenbucket.h"
#include "faspbytes.h"
#include "faspcrypto.h"
#include "fasplimiter.h"

void
fasp_gate_init (FaspGate * gate, const guint8 secret[16])
{
  memset (gate, 0, sizeof *gate);
  memcpy (gate->secret, secret, sizeof gate->secret);
}

static void
hash (const FaspGate * gate, const guint8 network[FASP_NETWORK_SIZE],
    guint8 * number, gsize size)
{
  fasp_hmac (gate->secret, sizeof gate->secret, "fasp gate 1", network,
      FASP_NETWORK_SIZE, number, size);
}

static FaspBucket *
get_bucket (FaspGate * gate, const FaspAddress * address)
{
  guint8 network[FASP_NETWORK_SIZE], index;

  fasp_address_get_network (address, network);
  hash (gate, network, &index, 1);
  return network[0] == 4 ? &gate->four[index] : &gate->six[index];
}

guint64
fasp_gate_get_network (const FaspGate * gate, const FaspAddress * address)
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
  FaspTime interval;            /* from one token to the next */
  guint burst;
  guint refused;                /* further tokens for a wrong key */
} Share;

static Share
get_share (FaspGate * gate, const FaspAddress * address, gboolean proved)
{
  return proved ? (Share) {
  get_bucket (gate, address), FASP_SEC / FASP_GATE_NETWORK_RATE,
        FASP_GATE_NETWORK_BURST, FASP_GATE_NETWORK_REFUSED}
  : (Share) {
  &gate->unproved, FASP_SEC / FASP_GATE_UNPROVED_RATE,
        FASP_GATE_UNPROVED_RATE, FASP_GATE_UNPROVED_REFUSED};
}

gboolean
fasp_gate_take (FaspGate * gate, FaspTime now, const FaspAddress * address,
    gboolean proved)
{
  Share s = get_share (gate, address, proved);

  return fasp_allowance_take (&s.bucket->full, now, s.interval, s.burst);
}

void
fasp_gate_refused (FaspGate * gate, FaspTime now, const FaspAddress * address,
    gboolean proved)
{
  Share s = get_share (gate, address, proved);

  s.bucket->full = MIN (MAX (s.bucket->full, now) +
      s.refused * s.interval, now + 2 * s.burst * s.interval);
}

FaspBucket *
fasp_gate_enter (FaspGate * gate, const FaspAddress * address)
{
  FaspBucket *bucket = get_bucket (gate, address);

  g_atomic_int_inc (&gate->half);
  g_atomic_int_inc (&bucket->half);
  return bucket;
}

void
fasp_gate_leave (FaspGate * gate, FaspBucket * bucket)
{
  g_atomic_int_add (&gate->half, -1);
  g_atomic_int_add (&bucket->half, -1);
}

guint
fasp_gate_count_half (FaspGate * gate)
{
  return g_atomic_int_get (&gate->half);
}

guint
fasp_gate_count_half_of (FaspGate * gate, const FaspAddress * address)
{
  return g_atomic_int_get (&get_bucket (gate, address)->half);
}

void
fasp_gate_join (FaspGate * gate)
{
  g_atomic_int_inc (&gate->endpoints);
}

void
fasp_gate_part (FaspGate * gate)
{
  g_atomic_int_add (&gate->endpoints, -1);
}

guint
fasp_gate_get_share (FaspGate * gate, guint all)
{
  guint n = g_atomic_int_get (&gate->endpoints);

  return MAX (1, all / MAX (n, 1));
}
