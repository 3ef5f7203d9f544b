/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcongestion.h: the answer to marks (ECN) and to queues that overflow.
 *
 * As TCP does, the rate is reduced once a round trip, to FASP_CONGESTION_LESS (RFC 8511).  Others
 * that answer, too, grow back by a packet a round trip.  So do we, a little more slowly, as we have
 * given up less.  This polite time lasts as long as a sender of our rate that has halved it needs
 * to regain it, as Reno or as CUBIC (RFC 9438, section 4.2), whichever is sooner.  If congestion
 * goes on through several answers, the others do not answer, and there is nobody to be polite to.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_CONGESTION_LESS .8

/* All 0: there was none. */
typedef struct
{
  FaspTime answered; /* last */
  guint vain;        /* number of answers in a row that did not help */
  FaspTime polite_until;
} FaspCongestion;

typedef enum
{
  FASP_CONGESTION_NOTHING, /* this round trip's was answered already */
  FASP_CONGESTION_YIELD,   /* reduce the rate to FASP_CONGESTION_LESS */
  FASP_CONGESTION_CONTEST, /* compete with others, who do not answer */
} FaspCongestionAnswer;

/* There is congestion: what to do about it?  @rate: in force, bit/s; @rtt: µs. */
FaspCongestionAnswer fasp_congestion_answer (FaspCongestion *congestion, FaspTime now, FaspTime rtt,
    gdouble rate);
/* TRUE: congestion of this round trip was not answered yet, and is now. */
gboolean fasp_congestion_is_new (FaspCongestion *congestion, FaspTime now, FaspTime rtt);
gboolean fasp_congestion_is_polite (const FaspCongestion *congestion, FaspTime now);
/* What @rate, bit/s, may grow to in the polite time, in @time µs of round trips of @rtt µs.  It
 * grows by half at most, and by less for more than four round trips, down to a tenth, as nobody has
 * seen yet what the growth in the first ones did. */
gdouble fasp_congestion_grow (gdouble rate, FaspTime rtt, FaspTime time);

G_END_DECLS
