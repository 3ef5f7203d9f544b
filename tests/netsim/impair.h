/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * impair.h: what one direction of a network does to a packet.
 *
 * Pure: the time and the random numbers come in, the fate of the packet goes
 * out.  The network in virtual time (vnet) and the emulator for processes
 * (linkem) share it, so both mean the same by "2 % loss".
 *
 * In order: MTU, black-out, policer, queue at the bottleneck (drop-tail, or CoDel), loss behind it,
 * damage, duplication, delay, jitter, stalls, reordering.
 */
#pragma once

#include "codel.h"

G_BEGIN_DECLS

#define IMPAIR_BLACKOUTS 8

/* Zeroes: a perfect wire. Times in µs. */
typedef struct
{
  gint64 delay;
  gint64 jitter;                /* + 0 .. jitter */
  gboolean keep_order;          /* jitter does not reorder */
  gint64 stall;                 /* everything is held for up to so long, then let go at
                                   once, as by a busy host or a radio link: */
  gint64 stall_interval;        /* so often, in the mean; 0: each second */
  guint64 rate;                 /* bit/s from the IP header up, 0: no limit */
  guint64 queue;                /* bytes of drop-tail queue; 0: 200 ms */
  guint64 police;               /* bit/s that a policer lets through, without a
                                   queue (a token bucket); 0: all */
  guint64 bucket;               /* bytes; 0: 50000 */
  gint64 codel;                 /* the queue's target; 0: none, drop-tail alone */
  gboolean no_ecn;              /* loses all that can do with a mark */
  gdouble loss;                 /* 0 .. 1 */
  gdouble burst;                /* mean length of loss bursts (Gilbert-Elliott);
                                   <= 1: independent */
  gdouble reorder;              /* share that leaves up to reorder_by earlier */
  gint64 reorder_by;            /* 0: 5 ms */
  gdouble duplicate;
  gdouble corrupt;              /* share with a random bit flipped */
  gdouble truncate;             /* share cut short */
  guint mtu;                    /* larger packets vanish; 0: no limit */
  struct
  {
    gint64 start, end;
  } blackouts[IMPAIR_BLACKOUTS];
} ImpairConfig;

typedef struct
{
  guint64 packets, bytes;       /* offered */
  guint64 delivered, delivered_bytes;
  guint64 lost, policed, queue_lost, blackout_lost, mtu_lost;
  guint64 marked;               /* congestion experienced (RFC 3168) */
  guint64 duplicated, reordered, corrupted;
} ImpairCounters;

typedef struct
{
  ImpairConfig config;
  ImpairCounters counters;
  gboolean bad;                 /* Gilbert-Elliott state */
  gdouble spent;                /* bytes that the policer's bucket lacks, */
  gint64 spent_time;            /* by then */
  gint64 free_ns;               /* the bottleneck is busy until then */
  Codel codel;
  gint64 last;                  /* latest departure, for keep_order */
  gint64 stall_start, stall_end;        /* the next one, or that there is */
} Impair;

typedef struct
{
  guint copies;                 /* 0: dropped */
  gint64 when[2];               /* µs at which each copy arrives */
  gint64 waited;                /* of that in the bottleneck's queue */
  gboolean corrupt, truncate;   /* the caller damages its bytes, */
  gboolean mark;                /* and marks it: congestion experienced */
} ImpairFate;

/* A packet of @bytes (from the IP header up) enters at @now µs.  @ecn: its sender can do
 * with a mark instead of a loss. */
ImpairFate impair_packet (Impair * impair, GRand * rand, gint64 now,
    gsize bytes, gboolean ecn);

G_END_DECLS
