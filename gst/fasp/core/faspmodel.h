/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmodel.h: what the mathematics promises; derived in docs/model.md.
 *
 * The path is as the planner (faspplan.h) sees it: losses are a two-state Markov
 * chain (Gilbert 1960), in which independent loss is the case stay = loss.  The
 * whitepaper's model, from which that comes, is in the test of this.
 *
 * Probabilities are 0 .. 1.  Those near 0 are exact to a double's precision.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* What is lost behind an ideal code with a sliding window: @share repairs for
 * each datagram of data, each of the last @window. @stay: the datagram behind a lost one is
 * lost, too. A lost block is recovered when as many repairs have come as blocks are
 * missing: it is late if that has not been so within the window (first passage
 * of a random walk). */
gdouble fasp_model_sliding_loss (gdouble loss, gdouble stay, guint window,
    gdouble share);

typedef struct
{
  gdouble loss;                 /* share lost towards the receiver */
  gdouble stay;                 /* the next is lost, too */
  gdouble back_loss, back_stay; /* the same for feedback */
  FaspTime round;               /* from a datagram's departure to that of its
                                 * rex, when the next datagram and the first
                                 * feedback get through */
  FaspTime interval;            /* between datagrams */
  guint told;                   /* times that feedback is repeated freely, */
  FaspTime feedback;            /* the least time between further ones, */
  FaspTime first;               /* and what the first may have to wait */
  FaspTime guard;               /* what a rex may take longer than its way */
} FaspModelPath;

/* @copies datagrams, spread evenly over @spread, are lost, all of them. */
gdouble fasp_model_copies_lost (const FaspModelPath * path, guint copies,
    FaspTime spread);

/* Distribution of the time from a lost datagram's departure to its rex's, in
 * steps of @step, rounded up: chance[i] is that of i steps. Returns the
 * number of steps; what is beyond @max is added up in the last. */
guint fasp_model_round_time (const FaspModelPath * path, FaspTime step,
    gdouble * chance, guint max);

G_END_DECLS
