/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmodel.h: probabilities of loss and repair times; docs/model.md derives them.
 *
 * The model describes a path as the planner (faspplan.h) sees it.  Losses follow a
 * two-state Markov chain (Gilbert 1960); independent loss is the case stay = loss.
 * The test of this module has the whitepaper's model, from which this one derives.
 *
 * Probabilities are 0 .. 1.  Those near 0 are exact to a double's precision.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* The share of blocks that stay lost with an ideal sliding-window code.  The sender
 * adds @share repairs per data datagram; each repair covers the last @window datagrams.
 * @stay: the chance that the datagram after a lost one is lost, too.
 *
 * A lost block is recovered once as many repairs have arrived as blocks are missing.
 * If that does not happen within the window, the block is too late (first passage of
 * a random walk). */
gdouble fasp_model_sliding_loss (gdouble loss, gdouble stay, guint window, gdouble share);

typedef struct
{
  gdouble loss;                 /* share lost towards the receiver */
  gdouble stay;                 /* chance that the datagram after a lost one is
                                   lost, too */
  gdouble back_loss, back_stay; /* loss and stay of feedback */
  FaspTime round;               /* from a datagram's departure to that of its retransmission, when
                                   the next datagram and the first feedback arrive */
  FaspTime interval;            /* between datagrams */
  guint unlimited;              /* repetitions of feedback that are not subject to the rate limit */
  FaspTime feedback;            /* least time between all further repetitions; µs */
  FaspTime first;               /* the longest wait before the first feedback */
  FaspTime guard;               /* what a retransmission may take longer than the path's delay;
                                   µs */
} FaspModelPath;

/* The chance that all of @copies datagrams, spread evenly over @spread, are lost. */
gdouble fasp_model_copies_lost (const FaspModelPath *path, guint copies, FaspTime spread);

/* The distribution of the time from a lost datagram's departure to that of its retransmission:
 * chance[i] is the chance of i steps of @step, rounded up.  @chance has room for @max
 * entries; the last one includes all longer times.  Returns the number of entries
 * used. */
guint fasp_model_round_time (const FaspModelPath *path, FaspTime step, gdouble *chance, guint max);

G_END_DECLS
