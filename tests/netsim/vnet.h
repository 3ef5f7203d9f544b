/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vnet.h: two endpoints of the core on a network in virtual time.
 *
 * Node A and node B, a direction of a link each way.  Time is a number that
 * jumps from event to event; all chance comes from one seed, so a run is the
 * same every time.
 */
#pragma once

#include "faspendpoint.h"

G_BEGIN_DECLS

#define VNET_BLACKOUTS 4

/* One direction. Zeroes: a perfect wire without delay. */
typedef struct
{
  FaspTime delay;               /* µs */
  FaspTime jitter;              /* + 0 .. jitter; may reorder */
  guint64 rate;                 /* bit/s, 0: no limit */
  guint64 queue;                /* bytes of drop-tail queue; 0: 200 ms */
  gdouble loss;                 /* 0 .. 1 */
  gdouble burst;                /* mean length of loss bursts (Gilbert-Elliott);
                                   <= 1: independent */
  gdouble reorder;              /* share that leaves up to 5 ms earlier */
  gdouble duplicate;
  gdouble corrupt;              /* share with a random bit flipped */
  gdouble truncate;             /* share cut short */
  struct
  {
    FaspTime start, end;
  } blackouts[VNET_BLACKOUTS];
  guint mtu;                    /* IP bytes; larger ones vanish; 0: no limit */
  guint16 rebind;               /* NAT: port that the sender appears with */
} VnetDirection;

typedef struct
{
  guint64 packets, bytes;       /* offered, IP header up */
  guint64 lost, queue_lost, blackout_lost, mtu_lost;
} VnetCounters;

typedef struct _Vnet Vnet;

typedef enum
{
  VNET_A,
  VNET_B,
} VnetSide;

Vnet *vnet_new (guint32 seed);
void vnet_free (Vnet * net);
GRand *vnet_get_rand (Vnet * net);
/* For fasp_endpoint_new (). */
void vnet_random (gpointer net, guint8 * data, gsize size);
/* The direction that starts at @from; may be changed while running. */
VnetDirection *vnet_get_direction (Vnet * net, VnetSide from);
const VnetCounters *vnet_get_counters (Vnet * net, VnetSide from);

/* The address of a side, as its own stack has it. */
FaspAddress vnet_get_address (VnetSide side);
/* Not owned; NULL: nobody there (datagrams vanish). */
void vnet_attach (Vnet * net, VnetSide side, FaspEndpoint * endpoint);

FaspTime vnet_get_time (Vnet * net);
/* Lets endpoints send and deliver until nothing happens before @until;
 * time is then @until. */
void vnet_run (Vnet * net, FaspTime until);
/* The time of the next thing that happens by itself. */
FaspTime vnet_get_next (Vnet * net);

/* Called for each datagram delivered, before the endpoint sees it. */
typedef void (*VnetTap) (gpointer user_data, VnetSide from, FaspTime now,
    const guint8 * data, gsize size);
void vnet_set_tap (Vnet * net, VnetTap tap, gpointer user_data);
/* Puts a forged datagram on the wire towards @to. */
void vnet_inject (Vnet * net, VnetSide to, const FaspAddress * from,
    const guint8 * data, gsize size);

G_END_DECLS
