/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcontest.h: is a queue filled by others whatever is done, and how much of it is to be ours?
 *
 * A queue that is still there after FASP_CONTEST_STUBBORN attempts to drain it is another's, who
 * takes all that is left to him.  From then on the share of the others is measured again and again
 * (fasp_span_get_others ()), and the rate goes some of the way to where that would be what is aimed at;
 * until there is nobody, or nothing to be sent that would tell.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define FASP_CONTEST_STUBBORN 6

/* All 0: there is none. */
typedef struct
{
  gboolean on;
  guint stubborn;               /* looks in a row at a queue that did not go away, */
  guint blind;                  /* at what was no contrast, as nothing was there to be sent, */
  guint lonely;                 /* or at what tells of nobody else */
} FaspContest;

/* Once more a queue stands. */
void fasp_contest_stands (FaspContest * contest);
/* It was no queue, or does not stand any more. */
void fasp_contest_vanished (FaspContest * contest);
/* Nothing could be told.  FALSE: it is over, as who has no more to send does not compete. */
gboolean fasp_contest_look_in_vain (FaspContest * contest);
/* Times the rate that it is to be, where others have that share; 0: it is over, as the queue is
 * ours.  @room: there was some on the path, where all that is sent arrives, whosever it is. */
gdouble fasp_contest_judge (FaspContest * contest, gdouble others,
    gboolean room);
void fasp_contest_leave (FaspContest * contest);

G_END_DECLS
