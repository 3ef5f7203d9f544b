/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspclockdiscipline.h: clock discipline: a local clock that runs at the rate of the sender's.
 *
 *     value (t) = value + rate * (t - time) + the part of the error that was slewed by t
 *
 * It runs at the sender's rate (faspskew.h), so it keeps that rate when nothing comes.
 * It corrects its difference from the sender's media time (less a constant, found when
 * it began) by a sixteenth at each look, and by at most FASP_CLOCK_DISCIPLINE_SLEW_PPM.  That
 * smooths out the network's jitter, and the error does not add up: it stays below a millisecond in
 * a day.  The clock is steady and never goes back.  If the sender's clock jumps, or another sender
 * comes, this clock does not jump: it finds the constant anew.
 *
 * Times and values are in ns.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_CLOCK_DISCIPLINE_SLEW_PPM 500
/* The interval between corrections by the sender's clock, ns. */
#define FASP_CLOCK_DISCIPLINE_INTERVAL G_GINT64_CONSTANT (1000000000)

/* A receiver's knowledge of the sender's clock. */
typedef struct
{
  gboolean known; /* FALSE: `offset' has no meaning yet */
  guint epoch; /* changes when the clock jumps or is replaced: times of different epochs cannot be
                  compared; never 0 */
  FaspTime offset; /* our time less the sender's media time, now; µs */
  gboolean skew_known;
  gdouble skew;  /* growth of (arrival - media time) per µs (faspskew.h) */
  guint jumps;   /* jumps of this sender's clock so far */
  FaspTime jump; /* how far the last jump set the sender's clock ahead; µs */
} FaspSenderClock;

typedef struct
{
  gint64 time, value; /* a time of our clock, and this clock's value then */
  gint64 error;       /* correction to apply from then on, ns */
  gdouble rate;       /* ns of value per ns of our clock */
  guint epoch;        /* epoch of the FaspSenderClock that is followed; 0: none */
  gint64 constant;    /* value less media time */
} FaspClockDiscipline;

/* Starts at @now, and follows our own clock until there is a sender. */
void fasp_clock_discipline_init (FaspClockDiscipline *discipline, gint64 now);
gint64 fasp_clock_discipline_get (const FaspClockDiscipline *discipline, gint64 time);
/* The sender is gone: the clock goes on at the last rate. */
void fasp_clock_discipline_leave (FaspClockDiscipline *discipline);
/* Corrects the clock by @sender if FASP_CLOCK_DISCIPLINE_INTERVAL is over. To be called
 * regularly. */
void fasp_clock_discipline_look (FaspClockDiscipline *discipline, gint64 now,
    const FaspSenderClock *sender);

G_END_DECLS
