/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppolicer.h: does a policer cause the losses, and what is its rate?
 *
 * A policer drops packets above its rate, without a queue, so delays do not show it.  Random loss
 * takes the same share at any rate.  So a policer is believed only if a lower rate loses less,
 * which is tried:
 *
 * - WATCHING: two intervals, one soon after the other, lose a fifth or more beyond random loss, and
 *   the same rate A arrives in both.
 * - TRYING: the rate is limited to A.  If as much is lost, there is no policer: the loss is random.
 *   If the losses stop, they may have stopped by themselves: the limit ends.
 * - BELIEVING: soon after that a fifth is lost again and A arrives again.  The rate is limited to A
 *   for some round trips, unless the policer is refuted meanwhile.
 *
 * The intervals, and the time for which a rate is believed, are those of BBR's long-term rate
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
  gdouble rate;           /* A, bit/s; 0: none was tried recently */
  gdouble before;         /* the rate in force when A was believed, bit/s */
  gdouble arrived;        /* bit/s in the last interval that lost too much; 0: none recently */
  guint rounds;           /* round trips of the interval, or of the state, so far */
  guint watched;          /* round trips since the end of the interval of `arrived' */
  FaspTime since;         /* start of the interval */
  guint64 seen;           /* bytes reported by the start of the interval */
  gdouble reported, lost; /* packets reported in the interval, and lost */
} FaspPolicer;

/* @reported further packets were reported, and @lost of them are lost.  TRUE: a policer was
 * refuted, and its `reported' and `lost' measure random loss. */
gboolean fasp_policer_add (FaspPolicer *policer, guint64 reported, guint64 lost,
    const FaspChance *chance);
/* A round trip is over; @seen bytes were reported so far.  @rate: the rate in force, bit/s.  TRUE:
 * A is believed from now on. */
gboolean fasp_policer_end_round (FaspPolicer *policer, FaspTime now, guint64 seen,
    const FaspChance *chance, gdouble rate);
/* Must no higher rate be tried, as a policer may cause the losses? */
gboolean fasp_policer_is_suspected (const FaspPolicer *policer);
/* Returns @rate, limited to A while TRYING or BELIEVING. */
gdouble fasp_policer_limit (const FaspPolicer *policer, gdouble rate);

G_END_DECLS
