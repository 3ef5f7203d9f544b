/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspoutlook.h: what a sender makes of its path: how many copies a rex needs,
 * what can be promised with a latency, and which latency keeps a promise.
 *
 * Puts together what is measured (losses both ways, round trip, rates) into
 * the planner's question, and asks it again when the answer may have changed.
 * A latency that was found goes up as soon as it has to, and down when a clearly
 * smaller one would have been enough for half a minute.
 */
#pragma once

#include "fasploss.h"
#include "faspplanner.h"
#include "fasprtt.h"

G_BEGIN_DECLS

#define FASP_LATENCY_MAX (FASP_LATENCY_MS_MAX * FASP_MSEC)
/* s, 570 years, which 64 bits of ns hold; longer ones are told as this, and are all alike. */
#define FASP_INTERVAL_MAX 1.8e10

typedef struct
{
  FaspPlanner *planner;         /* the endpoint's */
  FaspPlan *plan;               /* NULL: not made yet */
  gdouble interval;             /* wanted seconds between skips */
  FaspTime latency;             /* in force; 0: not found yet */
  FaspTime assumed;             /* planned for until it is found */
  gboolean find_latency;        /* else it is given */
  FaspTime first_data;          /* when there was some to judge by, */
  guint64 first_packets;        /* and the packets that were told of by then */
  FaspTime floor;               /* the least to be found */
  FaspTime peer_latency;        /* in force there: follows ours slowly */
  FaspLoss loss, back_loss;
  gdouble residual;             /* share of losses that a code leaves over */
  /* the shortest time to a rex of late, of the last ones lost */
  FaspTime shortest, shortest_before;
  guint shortest_count;
  guint64 blocks, datagrams, wire, block_wire;  /* at the last look */
  FaspTime looked;
  gdouble jitter;               /* us; of the round trip, the worst of late */
  gdouble block_rate, datagram_rate;    /* per second */
  gdouble wire_rate, data_rate; /* bit/s on the wire, and of new blocks */
  FaspTime planned;
  FaspPlanGoal goal;            /* when that was */
  FaspPromise promise;
  FaspTime too_long_since;      /* less would have been enough */
  FaspTime short_since;         /* less is promised than is wanted */
  gboolean falls_short;         /* for so long that it is no chance */
} FaspOutlook;

/* What is counted so far, when the outlook is looked at. */
typedef struct
{
  guint64 datagrams, wire;      /* sent, and their bytes from the IP header up */
  guint64 blocks;               /* new ones sent */
  guint64 block_wire;           /* their bytes from the IP header up */
  guint64 back_received, back_lost, back_holes, back_wire;
  guint64 back_rate;            /* that the peer may say, bytes/s; 0: not limited */
  guint64 channel;              /* bit/s; 0: not limited */
} FaspOutlookCounts;

/* @interval: wanted seconds between skips. @latency: given, or, with @find,
 * the least that is to be found. */
void fasp_outlook_init (FaspOutlook * outlook, FaspTime now,
    FaspPlanner * planner, gdouble interval, gboolean find, FaspTime latency);
void fasp_outlook_clear (FaspOutlook * outlook);
/* Planned for at the next look. */
void fasp_outlook_set_interval (FaspOutlook * outlook, gdouble interval);

/* The peer tells of @sent datagrams of which it @received so many, with so
 * many @holes, and of its latency. */
void fasp_outlook_feedback (FaspOutlook * outlook, FaspTime now, guint64 sent,
    guint64 received, guint64 holes, FaspTime latency);
/* There is a new sample in it. */
void fasp_outlook_rtt (FaspOutlook * outlook, const FaspRtt * rtt);
/* A datagram was found lost that long after it had left. */
void fasp_outlook_lost (FaspOutlook * outlook, FaspTime after);

/* Looks again at the path; plans anew if that is due. TRUE: the promise is
 * another now. */
gboolean fasp_outlook_look (FaspOutlook * outlook, FaspTime now,
    const FaspRtt * rtt, const FaspOutlookCounts * counts);
FaspTime fasp_outlook_get_timeout (const FaspOutlook * outlook);
/* The first of the stream has left: it is to be looked at at once. */
gboolean fasp_outlook_begins (const FaspOutlook * outlook, guint64 blocks);

/* For a block that is to be sent again and was written at @written. */
FaspPlanRex fasp_outlook_get_rex (const FaspOutlook * outlook, FaspTime now,
    FaspTime written, guint64 number);
/* When a rex of it is of no use any more. */
FaspTime fasp_outlook_get_deadline (const FaspOutlook * outlook,
    FaspTime written);

G_END_DECLS
