/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspdrain.h: finds out whose queue it is by what a drain does to it.
 *
 * In a drain half of the rate is sent for a while.  That makes a queue that is ours alone shorter.
 * If the queue stays, others keep it and take what is left to them; or it is no queue, but the path
 * has become longer.  To tell these apart, what arrived before, during and after the drain is
 * compared.
 */
#pragma once

#include "faspspan.h"

G_BEGIN_DECLS

/* All 0: there was no drain. */
typedef struct
{
  FaspTime start, end; /* of the departure of its packets */
  FaspSpan before, during, after;
  FaspTime suspect_until; /* it was in vain, and until then we listen for whose
                             queue it is; 0: we do not */
} FaspDrain;

typedef enum
{
  FASP_DRAIN_UNKNOWN, /* too little has arrived after it */
  FASP_DRAIN_UNCLEAR, /* others may have a part of the queue */
  FASP_DRAIN_NOBODY,  /* the queue is ours */
  FASP_DRAIN_RIVALS,  /* others keep it */
  FASP_DRAIN_LONGER,  /* the path is longer by fasp_drain_get_longer () */
} FaspDrainVerdict;

/* A drain begins and lasts until @end.  What came after the last drain came before this one. */
void fasp_drain_begin (FaspDrain *drain, FaspTime now, FaspTime end);
/* Adds a sample, as fasp_span_extend () does. */
void fasp_drain_extend (FaspDrain *drain, const FaspRateSample *sample, FaspTime queue,
    gdouble loss);
/* What was reported until now was misunderstood: forgets it. */
void fasp_drain_forget (FaspDrain *drain, FaspTime now);

/* The others' share, from what arrived before and during the drain (fasp_span_get_others ()). */
gboolean fasp_drain_get_others (const FaspDrain *drain, gdouble *others);
/* To be asked once all packets of the drain are reported.  TRUE: a queue longer than @target µs did
 * not become shorter, apparently because others took what we left. */
gboolean fasp_drain_is_in_vain (const FaspDrain *drain, FaspTime target);
/* The drain was in vain: packets sent at the full rate again are to confirm that, within two round
 * trips and a little. */
void fasp_drain_suspect (FaspDrain *drain, FaspTime now, FaspTime rtt);
/* The result of that.  Any other than FASP_DRAIN_UNKNOWN is final. */
FaspDrainVerdict fasp_drain_judge (FaspDrain *drain, FaspTime now, FaspTime target);
/* By how much the path has become longer, µs. */
FaspTime fasp_drain_get_longer (const FaspDrain *drain);

G_END_DECLS
