/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * bottleneck.h: a queue before a link (capacity.h), for packets of several senders: drop-tail,
 * counted in bytes; or a dual queue (dualq.h) of so many bytes.
 *
 * Unlike impair.h, it leaves a packet's fate open until it leaves.  Time is an argument: call
 * bottleneck_run() when bottleneck_get_due() says so.
 */
#pragma once

#include "capacity.h"

G_BEGIN_DECLS

typedef struct _Bottleneck Bottleneck;

/* The ECN field of a packet, as on the wire (RFC 3168, RFC 9331). */
typedef enum
{
  BOTTLENECK_NOT_ECT,
  BOTTLENECK_ECT1,
  BOTTLENECK_ECT0,
  BOTTLENECK_CE,
} BottleneckEcn;

/* @packet leaves at @now with @ecn, or was dropped. */
typedef void (*BottleneckLeave) (gpointer data, gpointer packet, gsize bytes, gboolean dropped,
    BottleneckEcn ecn, gint64 now);

typedef struct
{
  BottleneckLeave leave;
  gpointer data;
} BottleneckUser;

typedef struct
{
  guint64 packets, bytes; /* that have left */
  guint64 dropped, marked;
} BottleneckCounters;

/* Takes @capacity.  @limit: bytes in the queue, the packet that is being sent included. */
Bottleneck *bottleneck_new (Capacity *capacity, gsize limit);
/* With a dual queue. */
Bottleneck *bottleneck_new_dual (Capacity *capacity, gsize limit);
/* What still waits is dropped. */
void bottleneck_free (Bottleneck *bottleneck);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Bottleneck, bottleneck_free)
/* A packet of @bytes, IP header included, enters.  @user stays valid until it has left. */
void bottleneck_push (Bottleneck *bottleneck, gint64 now, const BottleneckUser *user,
    gpointer packet, gsize bytes, BottleneckEcn ecn);
/* When the next packet leaves; G_MAXINT64: there is none. */
gint64 bottleneck_get_due (const Bottleneck *bottleneck);
void bottleneck_run (Bottleneck *bottleneck, gint64 now);

const Capacity *bottleneck_get_capacity (const Bottleneck *bottleneck);
const BottleneckCounters *bottleneck_get_counters (const Bottleneck *bottleneck);
/* For how long the packet that leaves next has been there at @now, µs; 0: there is none. */
gint64 bottleneck_get_wait (const Bottleneck *bottleneck, gint64 now);
/* How long each packet was there until it had left, µs (gint64), in the order in which they left.
 * @l4s: those of the L4S queue, else all others. */
GArray *bottleneck_get_waits (const Bottleneck *bottleneck, gboolean l4s);

G_END_DECLS
