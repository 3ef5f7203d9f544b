/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcongestion.h: what is answered to marks (ECN), and to queues that overflow.
 *
 * As TCP does, once a round trip, by FASP_CONGESTION_LESS (RFC 8511).  Others that answer it, too, come
 * back by a packet a round trip; so do we, a little slower as less was given away, for as long as
 * whoever is as fast needs for half of the rate, as Reno or as CUBIC does (RFC 9438, section 4.2), whoever is
 * sooner: that is to be polite.  Who goes on whatever is answered is nobody to be polite to.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_CONGESTION_LESS .8

/* All 0: there was none. */
typedef struct
{
  FaspTime answered;            /* last */
  guint vain;                   /* answers in a row that did not help */
  FaspTime polite_until;
} FaspCongestion;

typedef enum
{
  FASP_CONGESTION_NOTHING,      /* that was answered already */
  FASP_CONGESTION_YIELD,        /* to FASP_CONGESTION_LESS of the rate */
  FASP_CONGESTION_CONTEST,      /* with others, who do not answer */
} FaspCongestionAnswer;

/* What to do about some at a rate of @rate, bit/s; @rtt: µs. */
FaspCongestionAnswer fasp_congestion_answer (FaspCongestion * congestion,
    FaspTime now, FaspTime rtt, gdouble rate);
/* FALSE: one of this round trip was answered. */
gboolean fasp_congestion_is_new (FaspCongestion * congestion, FaspTime now,
    FaspTime rtt);
gboolean fasp_congestion_is_polite (const FaspCongestion * congestion,
    FaspTime now);
/* What a rate of @rate, bit/s, has become then after @time, µs, of round trips of @rtt: half as much
 * again at most, and less for more than four of them, to a tenth, as nobody has seen what the first
 * ones did. */
gdouble fasp_congestion_grow (gdouble rate, FaspTime rtt, FaspTime time);

G_END_DECLS
