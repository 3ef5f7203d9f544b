/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * impair.h: what one direction of a network does to a packet.
 *
 * Pure: time and random numbers go in, the fate of the packet comes out. The network in
 * virtual time (vnet) and the emulator for processes (linkem) share it, so both mean
 * the same by "2 % loss".
 *
 * The order: MTU, black-out, policer, queue at the bottleneck (drop-tail, or CoDel),
 * loss behind it, damage, duplication, delay, jitter, stalls, reordering.
 */
#pragma once

#include "codel.h"

G_BEGIN_DECLS

#define IMPAIR_BLACKOUTS 8

/* Zeroes: a perfect wire. Times in µs. */
typedef struct
{
  gint64 delay;
  gint64 jitter;         /* adds 0 .. jitter */
  gboolean keep_order;   /* no reordering by jitter */
  gint64 stall;          /* everything is held for up to this time, then
                            released at once, as by a busy host or a radio
                            link; */
  gint64 stall_interval; /* mean time between stalls; 0: one second */
  guint64 rate;          /* bit/s, IP headers included; 0: no limit */
  guint64 queue;         /* bytes of the drop-tail queue; 0: 200 ms */
  guint64 police;        /* bit/s that a policer lets through, without a
                            queue (a token bucket); 0: no policer */
  guint64 bucket;        /* bytes of its bucket; 0: 50000 */
  gint64 codel;          /* CoDel's target for the queue; 0: drop-tail only */
  gboolean no_ecn;       /* loses all packets that could be marked */
  gdouble loss;          /* 0 .. 1 */
  gdouble burst;         /* mean length of loss bursts (Gilbert-Elliott);
                            <= 1: independent */
  gdouble reorder;       /* share of packets that leave up to reorder_by earlier */
  gint64 reorder_by;     /* 0: 5 ms */
  gdouble duplicate;
  gdouble corrupt;  /* share of packets with a random bit flipped */
  gdouble truncate; /* share of packets that are cut short */
  guint mtu;        /* larger packets vanish; 0: no limit */
  struct
  {
    gint64 start, end;
  } blackouts[IMPAIR_BLACKOUTS];
} ImpairConfig;

/* Nothing passes from @start on, for @length µs: the first of its blackouts. */
static inline void
impair_black_out (ImpairConfig *config, gint64 start, gint64 length)
{
  config->blackouts[0].start = start;
  config->blackouts[0].end = start + length;
}

typedef struct
{
  guint64 packets, bytes; /* offered */
  guint64 delivered, delivered_bytes;
  guint64 lost, policed, queue_lost, blackout_lost, mtu_lost;
  guint64 marked; /* congestion experienced (RFC 3168) */
  guint64 duplicated, reordered, corrupted;
} ImpairCounters;

typedef struct
{
  ImpairConfig config;
  ImpairCounters counters;
  gboolean bad;      /* Gilbert-Elliott state */
  gdouble spent;     /* bytes missing in the policer's bucket, */
  gint64 spent_time; /* at this time */
  gint64 free_ns;    /* the bottleneck is busy until then */
  Codel codel;
  gint64 last;                   /* latest arrival, for keep_order */
  gint64 stall_start, stall_end; /* of the current stall, or the next one */
} Impair;

typedef struct
{
  guint copies;               /* 0: dropped */
  gint64 when[2];             /* µs at which each copy arrives */
  gint64 waited;              /* µs of that in the bottleneck's queue */
  gboolean corrupt, truncate; /* the caller is to damage its bytes */
  gboolean mark;              /* the caller is to mark it: congestion experienced */
} ImpairFate;

/* A packet of @bytes, IP header included, enters at @now µs. @ecn: its sender accepts a
 * mark instead of a loss. */
ImpairFate impair_packet (Impair *impair, GRand *rand, gint64 now, gsize bytes, gboolean ecn);

G_END_DECLS
