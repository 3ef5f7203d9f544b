/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspadaptive.h: what is heard tells the rate (fasprateadaptive.c), and the rate is sent in pulses
 * that are to be heard of (faspadaptivesend.c): what these two have in common.
 */
#pragma once

#include "faspchance.h"
#include "faspcongestion.h"
#include "faspcontest.h"
#include "faspdrain.h"
#include "faspjitter.h"
#include "faspleeway.h"
#include "faspneed.h"
#include "faspoffer.h"
#include "faspoverflow.h"
#include "fasppolicer.h"
#include "faspqueue.h"
#include "fasprate.h"
#include "faspspan.h"
#include "faspyield.h"

G_BEGIN_DECLS

#define FASP_ADAPTIVE_DRAIN_MAX (8 * FASP_SEC)
#define FASP_ADAPTIVE_GAIN_LEAST 1.25
#define FASP_ADAPTIVE_RTT_ASSUMED (100 * FASP_MSEC)

typedef enum
{
  FASP_ADAPTIVE_PULSE,
  FASP_ADAPTIVE_DRAIN,
  FASP_ADAPTIVE_CRUISE,
} FaspAdaptivePhase;

typedef struct
{
  guint64 rate, offer;          /* before; 0: there was none */
  FaspOffer offers;
  gdouble gain;
  FaspTime time;                /* of the decision, and */
  FaspTime seen;                /* departure of what it was made by */
} FaspAdaptiveFall;

typedef struct
{
  FaspRate rate;
  FaspQueue queues[FASP_FLOWS_MAX];
  FaspAdaptivePhase phase;
  FaspTime phase_end;
  gdouble gain;                 /* of this pulse, or the next one */
  FaspTime pulse_start, pulse_end;
  gboolean evaluated;           /* the last pulse */
  guint64 sent, pulse_sent;     /* bytes by now, and when the pulse began */
  FaspTime rtt;
  FaspTime hold_until;          /* a report about what left before that is of
                                   the time before a decision */
  FaspSpan pulse;               /* what is known of the last pulse */
  FaspSpan recent;              /* the last stretch, since it was looked at */
  FaspSpan passing;             /* since the last look */
  FaspTime least;               /* queueing delay since the last look */
  FaspTime target;              /* what of it might stand, by then */
  gboolean congested;           /* packets were marked since then, or a queue overflowed */
  FaspCongestion congestion;
  FaspOverflow overflow;
  FaspChance chance;
  FaspPolicer policer;
  gdouble most;                 /* bit/s that it lets through */
  FaspTime cleared;             /* the queue on purpose, last */
  FaspJitter jitter;            /* of it within short stretches */
  FaspLeeway leeway;
  gdouble wander;               /* µs of it, now */
  FaspContest contest;
  FaspYield yield;
  gdouble loss;                 /* of the packets told of last, but by chance */
  gdouble passed;               /* bit/s before the last look; 0: not known */
  guint wasted;                 /* looks in a row by which much was lost, and not by chance */
  FaspAdaptiveFall fall;                    /* the last one, while it may be a mistake */
  FaspTime emptied_from, emptied_until; /* the last drain that was long, and what it */
  FaspTime emptied;             /* took from a queue, at least */
  FaspDrain drain;              /* the last one */
  FaspOffer offers;             /* to a source that has not enough for pulses */
  FaspNeed need;                /* of a source that follows no offer */
} FaspAdaptive;

/* What of queueing delay may stand. */
FaspTime fasp_adaptive_get_target (const FaspAdaptive * a);
/* A queue that is so long says that the path has become slower. */
FaspTime fasp_adaptive_get_alarm (const FaspAdaptive * a);
/* What is allowed, here and on the path. */
guint64 fasp_adaptive_bound (const FaspAdaptive * a, gdouble rate);
/* To @rate at most, and by a half at most where so little has @left that it tells little of
 * the path. */
gdouble fasp_adaptive_bound_fall (const FaspAdaptive * a, gdouble rate,
    gdouble left);
/* An encoder is told at once where there is less than its source needs: it may follow. */
void fasp_adaptive_set_rate (FaspAdaptive * a, gdouble rate);

void fasp_adaptive_begin (FaspAdaptive * a, FaspAdaptivePhase phase,
    FaspTime now, FaspTime length);
/* What leaves from @from to @to is the pulse, to be evaluated when it is known how it
 * arrived. */
void fasp_adaptive_expect (FaspAdaptive * a, FaspTime from, FaspTime to);
void fasp_adaptive_start_pulse (FaspAdaptive * a, FaspTime now);
/* At half the rate for so long that @extra µs of the rate are not sent. */
void fasp_adaptive_start_drain (FaspAdaptive * a, FaspTime now,
    FaspTime extra);
/* Of the class. */
guint64 fasp_adaptive_get (FaspRate * rate, FaspTime now, guint64 sent,
    FaspTime * until);

G_END_DECLS
