/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmodel.h: what the mathematics promises; derived in docs/model.md.
 *
 * The first half is the whitepaper's model (Aspera, FASPstream, 2015) and the
 * few steps by which it becomes one of copies, of feedback that is state, and
 * of FEC.  The second half is the path as the planner (faspplan.h) sees it:
 * losses are a two-state Markov chain (Gilbert 1960), in which independent
 * loss is the case stay = loss.
 *
 * Probabilities are 0 .. 1.  Those near 0 are exact to a double's precision.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* --- the whitepaper's model -------------------------------------------------- */

/* P(M,N) = 1 - (1 - P^(M+1))^N: a chunk of @blocks has one that needs more
 * than @rounds rounds of rexes. */
gdouble fasp_model_chunk_late (gdouble loss, guint rounds, gdouble blocks);
/* The same from the chance of one block, as all of the below give it. */
gdouble fasp_model_any_of (gdouble chance, gdouble blocks);

/* One round fails: none of @requests gets through, or none of @copies does.
 * The paper asks once and sends one; with feedback as state every feedback of
 * the round is a request. */
gdouble fasp_model_round_fails (gdouble loss, gdouble back_loss,
    guint requests, guint copies);
/* A block is not there after the @rounds rounds with @copies[i] each. */
gdouble fasp_model_block_late (gdouble loss, gdouble back_loss,
    guint requests, const guint * copies, guint rounds);
/* Rexes per block, for the same; the first round is the most of it. */
gdouble fasp_model_overhead (gdouble loss, gdouble back_loss,
    guint requests, const guint * copies, guint rounds);

/* What is lost behind a code that repairs up to @repairs losses among @all
 * datagrams, of which all - repairs are data. */
gdouble fasp_model_fec_loss (gdouble loss, guint all, guint repairs);

/* What is lost behind an ideal code with a sliding window: @share repairs for
 * each datagram of data, each of the last @window. @stay: the datagram behind a lost one is
 * lost, too. A lost block is recovered when as many repairs have come as blocks are
 * missing: it is late if that has not been so within the window (first passage
 * of a random walk). */
gdouble fasp_model_sliding_loss (gdouble loss, gdouble stay, guint window,
    gdouble share);

/* Skips to be expected among @chunks; seconds until the first, with one chunk
 * every @chunk_seconds. */
gdouble fasp_model_skips (gdouble chunk_late, gdouble chunks);
gdouble fasp_model_seconds_to_skip (gdouble chunk_late, gdouble chunk_seconds);

/* --- the path ------------------------------------------------------------------ */

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
