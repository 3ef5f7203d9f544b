/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppathestimate.h: a sender's estimate of its path, and the plan for it: the copies of a
 * retransmission, the promise that a latency allows, and the latency that keeps a promise.
 *
 * It makes the planner's goal from measurements (losses both ways, round trip, rates), and plans
 * again at intervals and when the goal has changed noticeably.  A latency that it finds rises as
 * soon as necessary, and falls when a clearly smaller one would have been enough for half a minute.
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
  FaspTime latency;      /* the latency in force; 0: not found yet */
  FaspTime assumed;      /* the latency for plans until one is found */
  gboolean find_latency; /* FALSE: the latency is given */
  FaspTime first_data;   /* when the first data was sent */
  guint64 first_packets; /* packets that feedback had reported by then */
  FaspTime floor;        /* the least latency to find */
  FaspTime peer_latency; /* the latency in force at the peer, which follows ours slowly */
  FaspLoss loss, back_loss;
  FaspLoss block_loss; /* loss of blocks */
  gboolean doubled;    /* each block leaves on several flows at once */
  gdouble residual;    /* share of losses that FEC does not recover */
  gboolean no_rtx;     /* lost blocks are not retransmitted */
  FaspTime repairs;    /* with no_rtx: longest recovery time of FEC; µs */
  /* the shortest time from departure to retransmission among the last losses */
  FaspTime shortest, shortest_before;
  guint shortest_count;
  guint64 blocks, datagrams, wire, block_wire; /* totals at the last look */
  FaspTime looked;
  gdouble jitter;                    /* recent maximum of the round trip's jitter; µs */
  gdouble block_rate, datagram_rate; /* per second */
  gdouble wire_rate, data_rate;      /* bit/s on the wire, and of new blocks */
  FaspTime planned;                  /* when the last plan was made */
  FaspPlanGoal goal;                 /* goal of the last plan */
  FaspPromise promise;
  FaspTime too_long_since; /* since when a lower latency would have been enough */
  FaspTime short_since;    /* since when the promise has been clearly below the wanted interval */
  gboolean falls_short; /* the promise has been below the wanted interval for long enough to warn */
  FaspLog *log;         /* the session's; NULL: nothing is logged */
} FaspPathEstimate;

/* Totals since the session began, for fasp_path_estimate_look(). */
typedef struct
{
  guint64 datagrams, wire; /* datagrams sent, and their bytes with the IP header */
  guint64 blocks;          /* new blocks sent */
  guint64 block_wire;      /* bytes of the datagrams with new blocks, with the IP header */
  guint64 back_received, back_lost, back_holes, back_wire;
  guint64 back_rate;                                  /* feedback that the peer may send, bytes/s;
                                                         0: not limited */
  guint64 originals, originals_lost, originals_holes; /* fasp_sent_map_get_originals () */
  gboolean doubled;           /* each new block leaves on several flows at once */
  gdouble all_lose, all_stay; /* doubled: the chance that all flows lose a block, if their losses
                                 are independent, and that they then lose the next one, too */
  FaspTime apart;             /* doubled: how much later a block arrives on the slowest flow; µs */
  guint64 channel;            /* bit/s; 0: not limited */
  FaspTime back_off;          /* the longest time that the peer waits before it asks for lost
                                 blocks */
} FaspPathEstimateCounts;

/* @interval: wanted seconds between skips.  @log: the session's, which outlives it; may be NULL. */
FaspPathEstimate *fasp_path_estimate_new (FaspTime now, FaspPlanner *planner, gdouble interval,
    const FaspLatency *agreed, FaspLog *log);
void fasp_path_estimate_free (FaspPathEstimate *estimate);
/* Lost blocks are not retransmitted.  @repairs: longest recovery time of FEC; 0: there is no
 * FEC. */
void fasp_path_estimate_set_no_rtx (FaspPathEstimate *estimate, FaspTime repairs);
/* FEC does not recover this share of the losses. */
void fasp_path_estimate_set_residual (FaspPathEstimate *estimate, gdouble residual);
/* Takes effect with the next fasp_path_estimate_look(). */
void fasp_path_estimate_set_interval (FaspPathEstimate *estimate, gdouble interval);

/* The peer has reported on @sent datagrams: it has @received of them, with @holes between them.
 * @latency: in force at the peer. */
void fasp_path_estimate_feedback (FaspPathEstimate *estimate, FaspTime now, guint64 sent,
    guint64 received, guint64 holes, FaspTime latency);
/* @rtt has a new sample. */
void fasp_path_estimate_rtt (FaspPathEstimate *estimate, const FaspRtt *rtt);
/* A datagram was found lost @after it had left. */
void fasp_path_estimate_lost (FaspPathEstimate *estimate, FaspTime after);

/* Measures the path, and plans anew if that is due.  TRUE: the promise has changed. */
gboolean fasp_path_estimate_look (FaspPathEstimate *estimate, FaspTime now, const FaspRtt *rtt,
    const FaspPathEstimateCounts *counts);
FaspTime fasp_path_estimate_get_timeout (const FaspPathEstimate *estimate);
/* Has the first block of the stream left since the last look? Then it is time for a look. */
gboolean fasp_path_estimate_begins (const FaspPathEstimate *estimate, guint64 blocks);

/* The copies for a retransmission of block @number, which was written at @written. */
FaspPlanRtx fasp_path_estimate_get_rtx (const FaspPathEstimate *estimate, FaspTime now,
    FaspTime written, guint64 number);
/* From when on a retransmission of a block that was written at @written is too late. */
FaspTime fasp_path_estimate_get_deadline (const FaspPathEstimate *estimate, FaspTime written);

G_END_DECLS
