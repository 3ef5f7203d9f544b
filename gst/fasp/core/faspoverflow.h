/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspoverflow.h: is what is lost lost by a queue that overflows, or by chance?
 *
 * Chance does not ask how long a packet has waited.  So reports are told apart by how long what
 * they tell of had to wait, in the mean: much more than the least of the last
 * FASP_OVERFLOW_WINDOW to twice as much, or not; FASP_OVERFLOW_SAMPLES delays at least together, as
 * a loss is told of at once, by a report of few, whose mean is more often far from that of all; and, where
 * packets overtake others, those of FASP_OVERFLOW_SETTLES, as there it is told of later.  Where
 * nearly all is lost, that is an outage, which says no more of a queue than one loss does.  Where of the
 * first so many more are lost that it cannot be by chance,
 *
 *     lost_long > 3 + e + 4 sqrt (e b (1 + r)),  e = (lost_short + 0.5) r,  r = told_long / told_short
 *
 * where of the others b are lost together in the mean, it is the queue, unless of so few others none would be
 * lost by chance, either: as in the first looks at what had to wait, all of whose losses may be one burst.  By how much more is not held against what is lost later: else each loss by
 * chance would be the queue's, for as long as an overflow is remembered.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_OVERFLOW_WINDOW (10 * FASP_SEC)
#define FASP_OVERFLOW_SAMPLES 8
/* Twice as long as it takes at most until what is missing counts as lost. */
#define FASP_OVERFLOW_SETTLES (100 * FASP_MSEC)

/* Zeroes: nothing is known. */
typedef struct
{
  FaspTime longest, longest_before;     /* mean waits, of this window and the last, */
  FaspTime least, least_before;
  FaspTime since;               /* this window */
  gdouble told[2], lost[2];     /* packets, by [had waited long]; */
  gdouble looks[2];             /* how often that was */
  gdouble squares;              /* and of those that had not, the sum of their losses squared */
  /* not counted yet */
  guint samples;
  FaspTime first;               /* report of them */
  gdouble waits;                /* their sum */
  guint64 new_told, new_lost;
} FaspOverflow;

/* @told packets more are told of, of which @lost are lost; @samples of those that arrived had waited
 * for @queue in the mean, where delays spread by @noise without any queue, and packets are @overtaken.
 * TRUE: a queue has overflowed. */
gboolean fasp_overflow_add (FaspOverflow * overflow, FaspTime now,
    FaspTime queue, guint samples, FaspTime noise, guint64 told, guint64 lost,
    gboolean overtaken);
/* Some are lost, and hardly any did not wait: who sends less for a moment will know. */
gboolean fasp_overflow_is_unclear (const FaspOverflow * overflow);

G_END_DECLS
