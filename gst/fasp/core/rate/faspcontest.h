/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcontest.h: do others keep the queue filled whatever we do, and what share of it is to be
 * ours?
 *
 * A queue that still stands after FASP_CONTEST_STUBBORN attempts to drain it is kept by others, who
 * take all that is left to them.  From then on we compete: the others' share is measured again and
 * again (fasp_span_get_others ()), and the rate moves some of the way to where that share would be
 * the wanted one.  This ends when nobody else is there, or when too little is sent to measure.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define FASP_CONTEST_STUBBORN 6

/* All 0: there is no contest. */
typedef struct
{
  gboolean on;
  /* looks in a row: */
  guint stubborn; /* at a queue that did not go away, */
  guint blind;    /* that could not tell, as there was too little to send, */
  guint lonely;   /* or that found nobody else */
} FaspContest;

/* A queue stands once more. */
void fasp_contest_stands (FaspContest *contest);
/* It was no queue, or does not stand any more. */
void fasp_contest_vanished (FaspContest *contest);
/* A measurement could not tell.  FALSE: the contest is over, as a sender that has no more to
 * send does not compete. */
gboolean fasp_contest_look_in_vain (FaspContest *contest);
/* @others: their share, as measured.  Returns the factor to multiply the rate by; 0: the contest is
 * over, as the queue is ours.  @room: no queue stood in a part of the measurement.  All that is
 * sent arrives then, whoever sends it, so the rate is not raised. */
gdouble fasp_contest_judge (FaspContest *contest, gdouble others, gboolean room);
void fasp_contest_leave (FaspContest *contest);

G_END_DECLS
