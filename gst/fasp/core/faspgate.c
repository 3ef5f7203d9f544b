/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspcrypto.h"
#include "faspgate.h"

void
fasp_gate_init (FaspGate * gate, const guint8 secret[16])
{
  memset (gate, 0, sizeof *gate);
  memcpy (gate->secret, secret, sizeof gate->secret);
}

static FaspBucket *
get_bucket (FaspGate * gate, const FaspAddress * address)
{
  guint8 network[FASP_NETWORK_SIZE], index;

  fasp_address_get_network (address, network);
  fasp_hmac (gate->secret, sizeof gate->secret, "fasp gate 1", network,
      sizeof network, &index, 1);
  return network[0] == 4 ? &gate->four[index] : &gate->six[index];
}

/* @interval: µs for a token to come. */
static gboolean
take (FaspBucket * bucket, FaspTime now, FaspTime interval, guint burst)
{
  FaspTime full = MAX (bucket->full, now) + interval;

  if (full - now > burst * interval)
    return FALSE;
  bucket->full = full;
  return TRUE;
}

gboolean
fasp_gate_take (FaspGate * gate, FaspTime now, const FaspAddress * address,
    gboolean proved)
{
  if (!proved)
    return take (&gate->unproved, now, FASP_SEC / FASP_GATE_UNPROVED_RATE,
        FASP_GATE_UNPROVED_RATE);
  return take (get_bucket (gate, address), now,
      FASP_SEC / FASP_GATE_NETWORK_RATE, FASP_GATE_NETWORK_BURST);
}

void
fasp_gate_refused (FaspGate * gate, FaspTime now, const FaspAddress * address)
{
  FaspBucket *bucket = get_bucket (gate, address);
  const FaspTime interval = FASP_SEC / FASP_GATE_NETWORK_RATE;

  bucket->full = MIN (MAX (bucket->full, now) + FASP_GATE_REFUSED * interval,
      now + 2 * FASP_GATE_NETWORK_BURST * interval);
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
