/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vroad.h: senders that share one bottleneck, in virtual time: rate controllers, driven
 * as a session drives them, and models of TCP (vtcp), packet by packet and without
 * bytes. A controller's receiver reports arrivals as docs/protocol.md describes, and
 * what is lost stays lost. A TCP sends it again, and delivers in order.
 */
#pragma once

#include "bottleneck.h"
#include "fasppacer.h"
#include "fasprate.h"
#include "impair.h"

G_BEGIN_DECLS

#define VROAD_PACKET 1500 /* bytes, IP header included */

typedef struct _Vroad Vroad;

typedef enum
{
  VROAD_PERT,
  VROAD_ADAPTIVE,
  VROAD_FIXED,
  VROAD_RENO,
  VROAD_CUBIC,
  VROAD_BBR, /* from RENO on: TCPs, in the order of VtcpKind */
} VroadKind;

typedef struct
{
  VroadKind kind;
  gint64 rtt;            /* without the queue; µs */
  gint64 start;          /* µs */
  guint64 source;        /* bit/s that the source makes; 0: without end */
  gdouble follow;        /* the source is an encoder that uses this share of the offer, */
  guint64 follow_most;   /* up to this rate in bit/s; 0: any */
  gdouble key;           /* of an encoder's 50 pictures per second, the
                            first is this many times as large; 0: as large
                            as the others. A source that does not follow
                            is even then. Not for a TCP */
  guint64 max;           /* bit/s: limit of a controller; the rate of
                            FIXED, 0: not paced */
  gboolean ecn;          /* it accepts marks instead of losses */
  gint64 pause;          /* its host stops for up to this time, µs */
  gint64 pause_interval; /* mean time from the end of one stop to the next, µs */
  gdouble clock;         /* error of the receiver's clock (1e-4: 100 ppm) */
} VroadSender;

Vroad *vroad_new (guint32 seed, const ImpairConfig *bottleneck);
/* With a dual queue of @config's rate and size, and nothing else of it. */
Vroad *vroad_new_dual (guint32 seed, const ImpairConfig *config);
void vroad_free (Vroad *road);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Vroad, vroad_free)
/* May be changed while it runs. */
ImpairConfig *vroad_get_bottleneck (Vroad *road);
/* Returns the sender's number. */
guint vroad_add (Vroad *road, const VroadSender *sender);
void vroad_run (Vroad *road, gint64 until);
/* Sets the limit of a controller, or the rate of FIXED. */
void vroad_set_max (Vroad *road, guint sender, guint64 max);
/* Sets another route from now on. */
void vroad_set_rtt (Vroad *road, guint sender, gint64 rtt);

/* Bytes that have arrived so far; for a TCP, in order. */
guint64 vroad_get_delivered (const Vroad *road, guint sender);
/* Packets lost; of a controller. */
guint64 vroad_get_lost (const Vroad *road, guint sender);
/* The rate that a controller believes the path can carry, bit/s; for a TCP, its window
 * per round trip. */
guint64 vroad_get_rate (const Vroad *road, guint sender);
/* NULL: it is not of vroad_new_dual(). */
Bottleneck *vroad_get_dual (const Vroad *road);
/* How long a packet would now wait at the bottleneck, µs. */
gint64 vroad_get_queue (const Vroad *road);
/* Adds that to @queues, of gint64. */
void vroad_note_queue (const Vroad *road, GArray *queues);
/* Their p95; sorts them. */
gint64 vroad_get_p95 (GArray *queues);
/* Runs from @from, which is now, until @until; p95 of the queue of each ms meanwhile, µs. */
gint64 vroad_watch (Vroad *road, gint64 from, gint64 until);

G_END_DECLS
