/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vroad.h: senders that share one bottleneck, in virtual time: rate controllers as
 * a session drives them, and models of TCP (vtcp), packet by packet and without bytes.
 * A controller's receiver tells of arrivals as docs/protocol.md has it, and what is lost
 * stays so; a TCP sends it again, and delivers in order.
 */
#pragma once

#include "fasppacer.h"
#include "fasprate.h"
#include "impair.h"

G_BEGIN_DECLS

#define VROAD_PACKET 1500       /* bytes, IP header up */

typedef struct _Vroad Vroad;

typedef enum
{
  VROAD_PERT,
  VROAD_ADAPTIVE,
  VROAD_FIXED,
  VROAD_RENO,
  VROAD_CUBIC,
  VROAD_BBR,                    /* TCPs: from RENO on, as VtcpKind has them */
} VroadKind;

/* Packet @n of a TCP's stream, from 0 on, is there with all before it. */
typedef void (*VroadDelivered) (gpointer data, guint64 n, gint64 now);

typedef struct
{
  VroadKind kind;
  gint64 rtt;                   /* without the queue, µs */
  gint64 start;                 /* µs */
  guint64 source;               /* bit/s that there are to send; 0: no end of it */
  gdouble follow;               /* the source is an encoder: so much of the offer, */
  guint64 follow_most;          /* bit/s, but no more than that; 0: any */
  gdouble key;                  /* of an encoder's 50 pictures in a second the first is
                                   so many times as large; 0: an even source.  Not
                                   of a TCP */
  guint64 max;                  /* bit/s: of a controller; the rate of FIXED, 0: not
                                   paced */
  gboolean ecn;                 /* it can do with marks instead of losses */
  gdouble clock;                /* of the receiver: wrong by so much (1e-4: 100 ppm) */
  VroadDelivered delivered;     /* or NULL */
  gpointer data;
} VroadSender;

Vroad *vroad_new (guint32 seed, const ImpairConfig * bottleneck);
void vroad_free (Vroad * road);
/* May be changed while it runs. */
ImpairConfig *vroad_get_bottleneck (Vroad * road);
/* Returns its number. */
guint vroad_add (Vroad * road, const VroadSender * sender);
void vroad_run (Vroad * road, gint64 until);
/* Of a controller, or the rate of FIXED. */
void vroad_set_max (Vroad * road, guint sender, guint64 max);
/* Another route, from now on. */
void vroad_set_rtt (Vroad * road, guint sender, gint64 rtt);
/* What has not left of the old one is gone. */
void vroad_set_source (Vroad * road, guint sender, guint64 bits);

/* Bytes that have arrived so far, of a TCP in order. */
guint64 vroad_get_delivered (const Vroad * road, guint sender);
/* Bytes that a source had by the last time something left, and that have not left. */
guint64 vroad_get_waiting (const Vroad * road, guint sender);
/* Of a controller. */
guint64 vroad_get_lost (const Vroad * road, guint sender);
/* What a controller holds the path to be good for, bit/s; a TCP: its window over the
 * round trip. */
guint64 vroad_get_rate (const Vroad * road, guint sender);
/* The time that a packet would wait at the bottleneck now, µs. */
gint64 vroad_get_queue (const Vroad * road);

G_END_DECLS
