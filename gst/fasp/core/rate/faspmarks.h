/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmarks.h: the rate by ECN marks.
 *
 * An L4S queue (RFC 9332) marks packets that wait for a millisecond, and more if other traffic
 * needs it.  A rate that falls by half of the marked share, and grows by a packet in each round,
 * settles at its share of the path, with two marks in a round and hardly a queue (Prague).  A round
 * takes a round trip, and 25 ms at least, so that flows with shorter round trips get no more than
 * others.
 *
 * Invariant: the growth depends neither on the rate nor on the marked share.  So of two flows that
 * see the same marks, the one with less gains on the other.  A flow of which every packet is marked
 * still has two packets in a round.
 *
 * An RFC 3168 queue marks seldom, and only packets that wait for longer.  There a mark counts like
 * a loss in CUBIC (RFC 9331, section 4.3).
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

/* All 0: no marks yet. */
typedef struct
{
  FaspTime last;            /* when a mark was last reported, µs; 0: never */
  FaspTime since;           /* when this round began, µs */
  guint64 reported, marked; /* packets reported in this round, and those marked */
  guint64 from;             /* bytes reported when this round began */
  gdouble share;            /* marked share, averaged over rounds */
  guint unmarked;           /* rounds in a row without a mark */
  guint64 late;             /* packets reported in a row that have waited for longer than in an L4S
                               queue */
  FaspTime reaction;        /* time of the last reaction, µs; at most one in a round */
  guint64 reacted; /* bytes sent by then: marks of earlier packets cause no further reaction */
} FaspMarks;

/* @least: the shortest queueing delay of the packets; @target: a delay that does not count as a
 * queue, µs.  @seen, @sent: bytes reported, and sent.  Returns the new @rate, bit/s. */
gdouble fasp_marks_add (FaspMarks *marks, const FaspRateFeedback *feedback, FaspTime least,
    FaspTime target, guint64 seen, guint64 sent, gdouble rate);
/* Were there marks recently, so that they determine the rate? */
gboolean fasp_marks_lead (const FaspMarks *marks, FaspTime now);

G_END_DECLS
