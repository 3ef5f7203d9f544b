/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspgate.h: how much work callers may cause.
 *
 * A token bucket for those who have not proved that they are where they say,
 * all together: beyond it they get a RETRY, which costs little.  And one for
 * each network (an IPv4 address, an IPv6 /48) of those who have.  In tables of
 * fixed size under a secret hash, so that they cannot be filled, and nobody
 * can choose whose bucket to empty.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_GATE_BUCKETS 256
/* Handshakes per second, and at once. */
#define FASP_GATE_UNPROVED_RATE 32
#define FASP_GATE_NETWORK_RATE 64
#define FASP_GATE_NETWORK_BURST 256
/* One with a wrong key counts as that many more, and may be owed for as long
 * as the burst takes to come back. */
#define FASP_GATE_REFUSED 8

typedef struct
{
  FaspTime full;                /* when it would be full again */
} FaspBucket;

typedef struct
{
  guint8 secret[16];
  FaspBucket unproved, four[FASP_GATE_BUCKETS], six[FASP_GATE_BUCKETS];
} FaspGate;

void fasp_gate_init (FaspGate * gate, const guint8 secret[16]);
/* One handshake of somebody who has, or has not, proved the address. FALSE:
 * not now. */
gboolean fasp_gate_take (FaspGate * gate, FaspTime now,
    const FaspAddress * address, gboolean proved);
/* Its key was wrong. */
void fasp_gate_refused (FaspGate * gate, FaspTime now,
    const FaspAddress * address);

G_END_DECLS
