/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspclockdiscipline.h: a local clock that runs like the sender's.
 *
 *     value (t) = value + rate * (t - time) + the part of the error that was slewed by t
 *
 * It runs at the sender's rate (faspskew.h), so it keeps that rate when nothing comes.
 * It corrects its difference from the sender's media time (less a constant, found when
 * it began) by a sixteenth at each look, and by at most FASP_CLOCK_DISCIPLINE_SLEW_PPM.  That
 * smooths away what the network does to single seconds, and in a day not a millisecond
 * is lost.  The clock is steady and never goes back.  If the sender's clock jumps, or
 * another sender comes, this clock does not jump: it finds the constant anew.
 *
 * Times and values are in ns.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_CLOCK_DISCIPLINE_SLEW_PPM 500
/* It looks at the sender's clock at this interval, ns. */
#define FASP_CLOCK_DISCIPLINE_INTERVAL G_GINT64_CONSTANT (1000000000)

/* What is known of the sender's clock. */
typedef struct
{
  gboolean known;  /* offset is */
  guint epoch;     /* when it changes, times have nothing to do with those
                      before; never 0 */
  FaspTime offset; /* our time less the sender's media time, now; µs */
  gboolean skew_known;
  gdouble skew;  /* faspskew.h */
  guint jumps;   /* number of jumps of this sender's clock, */
  FaspTime jump; /* and how far the last one went ahead, µs */
} FaspSenderClock;

typedef struct
{
  gint64 time, value; /* at the last look */
  gint64 error;       /* to be corrected from then on */
  gdouble rate;
  guint epoch;     /* of the clock that it follows; 0: follows nobody */
  gint64 constant; /* value less media time */
} FaspClockDiscipline;

/* Shows our own time until there is somebody to follow. */
void fasp_clock_discipline_init (FaspClockDiscipline *discipline, gint64 now);
/* The value at @time. */
gint64 fasp_clock_discipline_get (const FaspClockDiscipline *discipline, gint64 time);
/* The sender is gone: goes on at its rate. */
void fasp_clock_discipline_leave (FaspClockDiscipline *discipline);
/* Call this now and then; it looks at @sender when it is time to. */
void fasp_clock_discipline_look (FaspClockDiscipline *discipline, gint64 now,
    const FaspSenderClock *sender);

G_END_DECLS
