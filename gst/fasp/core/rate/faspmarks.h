/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmarks.h: what ECN marks tell.
 *
 * A queue of L4S (RFC 9332) marks what waits for a millisecond, and as much more as other traffic
 * needs.  So a rate that falls by half of the share that is marked, and grows by a packet in each
 * round, finds what the path has for it, at two marks in a round and hardly a queue (Prague).  A
 * round takes a round trip, and 25 ms at least: so those with shorter round trips have no more than
 * others.
 *
 * A queue of RFC 3168 marks seldom, and only what waits for longer. There a mark counts as much as
 * a loss does for CUBIC (RFC 9331, section 4.3).
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

/* All 0: no marks yet. */
typedef struct
{
  FaspTime last;            /* when a mark was last reported, µs; 0: never */
  FaspTime since;           /* when this round began, µs */
  guint64 reported, marked; /* packets reported in it, and marked of these */
  guint64 from;             /* bytes reported when it began */
  gdouble share;            /* that is marked, averaged over rounds */
  guint unmarked;           /* rounds in a row without a mark */
  guint64 late;             /* packets reported since one had waited for no longer than in L4S */
  FaspTime reaction;        /* when it last reacted, µs: once in a round at most, */
  guint64 reacted;          /* bytes sent by then: what left before says nothing new */
} FaspMarks;

/* @least: the shortest time that one of the packets has waited; @target: one that is no queue, µs.
 * @seen, @sent: bytes reported, and sent.  Returns what becomes of @rate, bit/s. */
gdouble fasp_marks_add (FaspMarks *marks, const FaspRateFeedback *feedback, FaspTime least,
    FaspTime target, guint64 seen, guint64 sent, gdouble rate);
/* Did any come of late?  Then they say how fast to send. */
gboolean fasp_marks_lead (const FaspMarks *marks, FaspTime now);

G_END_DECLS
