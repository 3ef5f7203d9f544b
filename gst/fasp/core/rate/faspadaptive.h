/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspadaptive.h: what the two halves of the adaptive rate controller share.  One half finds the
 * rate from what the receiver reports (fasprateadaptive.c).  The other sends at that rate in
 * pulses, drains and cruises, which the reports then tell about (faspadaptivesend.c).  See
 * docs/rate-control.md.
 *
 * Rates are in bit/s, times and queueing delays in µs.
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
#include "fasppulse.h"
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
  FASP_ADAPTIVE_ASK,
  FASP_ADAPTIVE_DRAIN,
  FASP_ADAPTIVE_CRUISE,
} FaspAdaptivePhase;

/* The state before a fall of the rate, to take it back if it was a mistake. */
typedef struct
{
  guint64 rate, offer; /* before; rate 0: there was no fall */
  FaspOffer offers;
  gdouble gain;
  FaspTime time;  /* of the decision, and departure */
  FaspTime seen;  /* of the last packet that it was based on */
  FaspTime queue; /* that is being drained; 0: no more */
} FaspAdaptiveFall;

typedef struct
{
  FaspRate rate;
  FaspQueue queues[FASP_FLOWS_MAX];
  FaspAdaptivePhase phase;
  FaspTime phase_end;
  gdouble gain; /* factor of this pulse, or of the next one */
  gdouble sure; /* the rate before this search; 0: none was known */
  FaspTime pulse_start, pulse_end;
  gboolean evaluated;       /* the last pulse was */
  gdouble pace;             /* bit/s that it was to leave at; 0: there was too little to send */
  guint64 dice;             /* for the length of pulses on short paths */
  guint64 sent, pulse_sent; /* bytes by now, and when the pulse began */
  FaspTime rtt;
  FaspTime hold_until; /* packets that left before that tell of the time
                          before the last decision */
  FaspSpan pulse;      /* packets of the last pulse, */
  FaspPulse points;    /* and each of them */
  FaspSpan recent;     /* the last stretch, not judged yet */
  FaspSpan held;       /* the same of packets that left before a fall told */
  FaspSpan passing;    /* since the last pulse was evaluated */
  FaspTime least;      /* least queueing delay since then */
  FaspTime target;     /* the queueing delay that was allowed then */
  gboolean congested;  /* since then packets were marked, or a queue overflowed */
  FaspCongestion congestion;
  FaspOverflow overflow;
  FaspChance chance;
  FaspPolicer policer;
  gdouble most;      /* bit/s that the policer lets through */
  FaspTime cleared;  /* when the queue was last emptied on purpose */
  FaspJitter jitter; /* of the delay, within short stretches */
  FaspLeeway leeway;
  gdouble wander; /* the leeway for a delay that wanders, now */
  FaspContest contest;
  FaspYield yield;
  gdouble loss;                         /* share of the packets reported last, without chance */
  gdouble passed;                       /* bit/s that passed until the last look; 0: not known */
  guint wasted;                         /* looks in a row that found much lost, and not by chance */
  FaspAdaptiveFall fall;                /* the last one, while it may be a mistake */
  FaspTime emptied_from, emptied_until; /* the last long drain, and how much it */
  FaspTime emptied;                     /* took from a queue, at least */
  FaspDrain drain;                      /* the last one */
  FaspOffer offers;                     /* to a source that has too little for pulses */
  FaspNeed need;                        /* of a source that does not follow the offer */
} FaspAdaptive;

/* The queueing delay that may stand. */
FaspTime fasp_adaptive_get_target (const FaspAdaptive *a);
/* A longer queueing delay than this means that the path has become slower. */
FaspTime fasp_adaptive_get_alarm (const FaspAdaptive *a);
/* @rate, within the bounds of the user and of a policer. */
guint64 fasp_adaptive_bound (const FaspAdaptive *a, gdouble rate);
/* Has so little @left (bit/s) that it says little about the path? */
gboolean fasp_adaptive_is_sparse (const FaspAdaptive *a, gdouble left);
/* The rate to fall to: @rate, but never a rise; and at least half of the rate in force if what has
 * @left (bit/s) is sparse. */
gdouble fasp_adaptive_bound_fall (const FaspAdaptive *a, gdouble rate, gdouble left);
/* Sets the rate, at least to what the source needs.  @why: a word for the log.  The offer falls
 * further than that, as an encoder may be able to follow. */
void fasp_adaptive_set_rate (FaspAdaptive *a, gdouble rate, const gchar *why);

void fasp_adaptive_begin (FaspAdaptive *a, FaspAdaptivePhase phase, FaspTime now, FaspTime length);
/* What leaves from @from to @to is the pulse.  It is evaluated once it is known how it
 * arrived. */
void fasp_adaptive_expect (FaspAdaptive *a, FaspTime from, FaspTime to);
void fasp_adaptive_start_pulse (FaspAdaptive *a, FaspTime now);
/* Sends at half the rate for 2 * @extra, so that @extra µs of the rate are not sent.  @extra is
 * bounded, and is longer if the queue has to be emptied to tell whose the losses are. */
void fasp_adaptive_start_drain (FaspAdaptive *a, FaspTime now, FaspTime extra);
/* FaspRateClass::get. */
guint64 fasp_adaptive_get (FaspRate *rate, FaspTime now, guint64 sent, FaspTime *until);

G_END_DECLS
