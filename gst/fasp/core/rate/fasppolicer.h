/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppolicer.h: does a policer cause the losses, and which rate does it let through?
 *
 * A policer drops what exceeds its rate, without a queue, so no delay shows it.  Random loss
 * takes its share of whatever is sent.  So there is a policer only if more is sent than arrives and
 * if less sent loses less, and that is tried:
 *
 *   WATCHING   Two intervals, one soon after the other, lose a fifth or more beyond chance, and the
 *              same rate A arrives in both.
 *   TRYING     A at most is sent.  If as much is lost, there is no policer: what is lost is chance.
 *              If the losses stop, they may have stopped by themselves: A is sent no longer.
 *   BELIEVING  Soon after that a fifth is lost again and A arrives again.  A at most is sent for
 *              some round trips, unless a policer is refuted then.
 *
 * The intervals, and how long a rate is believed, are those of BBR's long-term rate
 * (draft-cardwell-iccrg-bbr-congestion-control-00; Linux's tcp_bbr.c has the same figures).
 */
#pragma once

#include "faspchance.h"

G_BEGIN_DECLS

typedef enum
{
  FASP_POLICER_WATCHING,
  FASP_POLICER_TRYING,
  FASP_POLICER_BELIEVING,
} FaspPolicerState;

/* All 0: nothing is known. */
typedef struct
{
  FaspPolicerState state;
  gdouble rate;           /* A, bit/s; 0: none was tried of late */
  gdouble before;         /* the rate in force when A was believed, bit/s */
  gdouble arrived;        /* bit/s in the last interval that lost too much; 0: none of late */
  guint rounds;           /* round trips of the interval, or of the state, so far */
  guint watched;          /* round trips since the end of that interval */
  FaspTime since;         /* when the interval began, */
  guint64 seen;           /* and the bytes reported by then */
  gdouble reported, lost; /* packets reported in it, and lost */
} FaspPolicer;

/* @reported further packets were reported, and @lost of them are lost.  TRUE: a policer was
 * refuted, and `reported' and `lost' of the policer are what chance loses. */
gboolean fasp_policer_add (FaspPolicer *policer, guint64 reported, guint64 lost,
    const FaspChance *chance);
/* A round trip is over; @seen bytes were reported so far.  @rate: the rate in force, bit/s.  TRUE:
 * A is believed from now on. */
gboolean fasp_policer_end_round (FaspPolicer *policer, FaspTime now, guint64 seen,
    const FaspChance *chance, gdouble rate);
/* Is no more to be tried, as losses may be those of a policer? */
gboolean fasp_policer_is_suspected (const FaspPolicer *policer);
/* @rate, but no more than is to be sent now. */
gdouble fasp_policer_limit (const FaspPolicer *policer, gdouble rate);

G_END_DECLS
