/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspdrain.h: whose queue it is, by what a drain does to it.
 *
 * For a while half as much is sent.  A queue that is ours alone becomes shorter by that.  One that
 * does not is kept by others, who take what is left to them; or it is none: a path has become
 * longer.  So what arrived before the drain, in it and after it is compared.
 */
#pragma once

#include "faspspan.h"

G_BEGIN_DECLS

/* All 0: there was none. */
typedef struct
{
  FaspTime start, end;          /* by when packets leave */
  FaspSpan before, during, after;
  FaspTime suspect_until;       /* it was in vain, and who was it? 0: nobody is asked for */
} FaspDrain;

typedef enum
{
  FASP_DRAIN_UNKNOWN,           /* too little has arrived after it */
  FASP_DRAIN_UNCLEAR,           /* others may have some of it */
  FASP_DRAIN_NOBODY,
  FASP_DRAIN_RIVALS,
  FASP_DRAIN_LONGER,            /* the path, by fasp_drain_get_longer () */
} FaspDrainVerdict;

/* What came after the last one came before this. */
void fasp_drain_begin (FaspDrain * drain, FaspTime now, FaspTime end);
/* As in fasp_span_extend (). */
void fasp_drain_extend (FaspDrain * drain, const FaspRateSample * sample,
    FaspTime queue, gdouble loss);
/* What was told of until now was misunderstood. */
void fasp_drain_forget (FaspDrain * drain, FaspTime now);

/* The others' share, by what arrived before it and in it (fasp_span_get_others ()). */
gboolean fasp_drain_get_others (const FaspDrain * drain, gdouble * others);
/* All that left in it was told of, and it did not make a queue shorter that is to be @target µs at
 * most: because it was made up for by others, it seems. */
gboolean fasp_drain_is_in_vain (const FaspDrain * drain, FaspTime target);
/* Then: what arrives at the rate again is to say it once more, within two round trips and a little. */
void fasp_drain_suspect (FaspDrain * drain, FaspTime now, FaspTime rtt);
/* What it says; but for FASP_DRAIN_UNKNOWN, that is all that was asked for. */
FaspDrainVerdict fasp_drain_judge (FaspDrain * drain, FaspTime now,
    FaspTime target);
/* µs. */
FaspTime fasp_drain_get_longer (const FaspDrain * drain);

G_END_DECLS
