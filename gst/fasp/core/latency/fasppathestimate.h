/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppathestimate.h: a sender's estimate of its path, and what follows from it: how many copies a
 * retransmission needs, what it can promise with a latency, and which latency keeps a promise.
 *
 * From measurements (losses both ways, round trip, rates) it makes the goal that the planner plans
 * for.  It plans again when the plan may have changed.  A latency
 * that it finds goes up as soon as necessary, and down when a clearly smaller one
 * would have been enough for half a minute.
 */
#pragma once

#include "fasplog.h"
#include "fasploss.h"
#include "faspplanner.h"
#include "faspplayout.h"
#include "fasprtt.h"

G_BEGIN_DECLS

#define FASP_LATENCY_MAX (FASP_LATENCY_MS_MAX * FASP_MSEC)
/* Seconds: 570 years, which still fit into 64 bits of ns.  Longer intervals are reported as
 * this one. */
#define FASP_INTERVAL_MAX 1.8e10

typedef struct
{
  FaspPlanner *planner;  /* the endpoint's; not owned */
  FaspPlan *plan;        /* a reference; NULL: not made yet */
  gdouble interval;      /* wanted seconds between skips */
  FaspTime latency;      /* in force; 0: not found yet */
  FaspTime assumed;      /* latency planned for until one is found */
  gboolean find_latency; /* FALSE: the latency is given */
  FaspTime first_data;   /* when the first data to judge by was sent */
  guint64 first_packets; /* packets that feedback had reported by then */
  FaspTime floor;        /* the least latency to find */
  FaspTime peer_latency; /* in force at the peer: follows ours slowly */
  FaspLoss loss, back_loss;
  FaspLoss block_loss; /* of blocks */
  gboolean doubled;    /* each block leaves on several flows at once */
  gdouble residual;    /* share of losses that a code leaves over */
  gboolean no_rtx;     /* nothing is sent again */
  FaspTime repairs;    /* with no_rtx: how long the code may take; µs */
  /* the shortest time from departure to retransmission among the last losses */
  FaspTime shortest, shortest_before;
  guint shortest_count;
  guint64 blocks, datagrams, wire, block_wire; /* at the last look */
  FaspTime looked;
  gdouble jitter;                    /* of the round trip, the worst of late; µs */
  gdouble block_rate, datagram_rate; /* per second */
  gdouble wire_rate, data_rate;      /* bit/s on the wire, and of new blocks */
  FaspTime planned;                  /* when it last planned */
  FaspPlanGoal goal;                 /* that it last planned for */
  FaspPromise promise;
  FaspTime too_long_since; /* since when less latency would have been enough */
  FaspTime short_since;    /* since when the promise is clearly below the wish */
  gboolean falls_short;    /* for long enough to warn about it */
  FaspLog *log;            /* the session's; NULL: nothing is logged */
} FaspPathEstimate;

/* Totals so far, for a look. */
typedef struct
{
  guint64 datagrams, wire; /* sent, and their bytes from the IP header up */
  guint64 blocks;          /* new ones sent */
  guint64 block_wire;      /* their bytes from the IP header up */
  guint64 back_received, back_lost, back_holes, back_wire;
  guint64 back_rate;                                  /* feedback that the peer may send, bytes/s;
                                                         0: not limited */
  guint64 originals, originals_lost, originals_holes; /* fasp_sent_map_get_originals () */
  gboolean doubled;           /* each new block leaves on several flows at once */
  gdouble all_lose, all_stay; /* doubled: the chance that all flows lose a block, if their losses
                                 are independent, and that all lose the next one then */
  FaspTime apart;             /* doubled: how much later a block comes on the slowest of them; µs */
  guint64 channel;            /* bit/s; 0: not limited */
  FaspTime back_off;          /* how long the peer waits, at most, before it asks for
                                 what is lost */
} FaspPathEstimateCounts;

/* @interval: wanted seconds between skips.  @log: the session's, which outlives it; may be NULL. */
FaspPathEstimate *fasp_path_estimate_new (FaspTime now, FaspPlanner *planner, gdouble interval,
    const FaspLatency *agreed, FaspLog *log);
void fasp_path_estimate_free (FaspPathEstimate *estimate);
/* Nothing is sent again.  @repairs: how long a code takes to bring back what is lost; 0: there is
 * none. */
void fasp_path_estimate_set_no_rtx (FaspPathEstimate *estimate, FaspTime repairs);
/* A code leaves over this share of the losses. */
void fasp_path_estimate_set_residual (FaspPathEstimate *estimate, gdouble residual);
/* Takes effect with the next fasp_path_estimate_look(). */
void fasp_path_estimate_set_interval (FaspPathEstimate *estimate, gdouble interval);

/* The peer has reported @sent datagrams, of which it @received that many, and that
 * many @holes; and its latency. */
void fasp_path_estimate_feedback (FaspPathEstimate *estimate, FaspTime now, guint64 sent,
    guint64 received, guint64 holes, FaspTime latency);
/* @rtt has a new sample. */
void fasp_path_estimate_rtt (FaspPathEstimate *estimate, const FaspRtt *rtt);
/* A datagram was found lost @after it had left. */
void fasp_path_estimate_lost (FaspPathEstimate *estimate, FaspTime after);

/* Looks at the path again, and plans anew if that is due.  TRUE: the promise has
 * changed. */
gboolean fasp_path_estimate_look (FaspPathEstimate *estimate, FaspTime now, const FaspRtt *rtt,
    const FaspPathEstimateCounts *counts);
FaspTime fasp_path_estimate_get_timeout (const FaspPathEstimate *estimate);
/* Has the first block of the stream left?  Then it is time to look at once. */
gboolean fasp_path_estimate_begins (const FaspPathEstimate *estimate, guint64 blocks);

/* The copies for a retransmission of block @number, which was written at @written. */
FaspPlanRtx fasp_path_estimate_get_rtx (const FaspPathEstimate *estimate, FaspTime now,
    FaspTime written, guint64 number);
/* When a retransmission of that block is of no use any more. */
FaspTime fasp_path_estimate_get_deadline (const FaspPathEstimate *estimate, FaspTime written);

G_END_DECLS
