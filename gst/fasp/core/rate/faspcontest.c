/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "faspcontest.h"
#include "faspspan.h"

/* The others' share that is aimed at.  It is more than half, so that two of our senders that take
 * each other for rivals give way in the end. */
#define SHARE .6
/* How much of the way to it one step goes, in logarithms of the ratio of shares; and its bounds. */
#define STEP .3
#define LESS .7
#define MORE 2.
/* So many measurements in a row that find nobody end the contest. */
#define LONELY 2

void
fasp_contest_stands (FaspContest *contest)
{
  if (++contest->stubborn >= FASP_CONTEST_STUBBORN)
    contest->on = TRUE;
}

void
fasp_contest_vanished (FaspContest *contest)
{
  contest->stubborn = 0;
}

void
fasp_contest_leave (FaspContest *contest)
{
  *contest = (FaspContest) { 0 };
}

gboolean
fasp_contest_look_in_vain (FaspContest *contest)
{
  if (++contest->blind < FASP_CONTEST_STUBBORN)
    return TRUE;
  fasp_contest_leave (contest);
  return FALSE;
}

gdouble
fasp_contest_judge (FaspContest *contest, gdouble others, gboolean room)
{
  gdouble step;

  contest->blind = 0;
  others = MAX (others, 0);
  if (room)
    others = MIN (others, SHARE);
  contest->lonely = others < FASP_SPAN_NOBODY ? contest->lonely + 1 : 0;
  if (contest->lonely >= LONELY) {
    fasp_contest_leave (contest);
    return 0;
  }
  step = exp (STEP * (log (others / (1 - others)) - log (SHARE / (1 - SHARE))));
  return CLAMP (step, LESS, MORE);
}
