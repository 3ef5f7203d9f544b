/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspgate.h: how much work callers may cause.
 *
 * A token bucket for those who have not proved that they are where they say,
 * all together: beyond it they get a RETRY, which costs little.  And one for
 * each network (an IPv4 address, an IPv6 /48) of those who have.  In tables of
 * fixed size under a secret hash, so that they cannot be filled, and nobody
 * can choose whose bucket to empty.  And how many sessions are half open, in all and
 * of each network.
 *
 * Endpoints at one port (fasproutes.h) share it.  They may be in different threads as
 * long as not two of them receive a handshake at a time: the counters of sessions,
 * which change at other times, too, are atomic.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_GATE_BUCKETS 256
/* Handshakes per second, and at once. */
#define FASP_GATE_UNPROVED_RATE 32
/* A thousand receivers behind one address are back at once when the sender is. */
#define FASP_GATE_NETWORK_RATE 128
#define FASP_GATE_NETWORK_BURST 1024
/* One with a wrong key counts as that many more, and may be owed for as long
 * as the burst takes to come back: three guesses a second for all of the former, seven of a network. */
#define FASP_GATE_UNPROVED_REFUSED 8
#define FASP_GATE_NETWORK_REFUSED 16

typedef struct _FaspBucket
{
  FaspTime full;                /* as of an allowance */
  gint half;                    /* sessions half open; atomic */
} FaspBucket;

typedef struct _FaspGate
{
  guint8 secret[16];
  gint half;                    /* atomic */
  FaspBucket unproved, four[FASP_GATE_BUCKETS], six[FASP_GATE_BUCKETS];
} FaspGate;

void fasp_gate_init (FaspGate * gate, const guint8 secret[16]);
/* One handshake of somebody who has, or has not, proved the address. FALSE:
 * not now. */
gboolean fasp_gate_take (FaspGate * gate, FaspTime now,
    const FaspAddress * address, gboolean proved);
/* A session begins that is half open; to be given back when it is not any more. */
FaspBucket *fasp_gate_enter (FaspGate * gate, const FaspAddress * address);
void fasp_gate_leave (FaspGate * gate, FaspBucket * bucket);
/* How many there are, and of this network (and those that share its bucket). */
guint fasp_gate_count_half (FaspGate * gate);
guint fasp_gate_count_half_of (FaspGate * gate, const FaspAddress * address);
/* Its key was wrong, or it asked for what is not here. */
void fasp_gate_refused (FaspGate * gate, FaspTime now,
    const FaspAddress * address, gboolean proved);

G_END_DECLS
