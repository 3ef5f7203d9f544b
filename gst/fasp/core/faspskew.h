/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspskew.h: how much faster or slower the sender's clock runs than ours.
 *
 * A block written at media time m and arriving at a took a - m, less an unknown
 * constant.  Queues and losses only ever add to that, and what two clocks drift apart
 * makes a slope under it: so the slope of the line that has all points above it and as
 * near as may be is the skew (Moon, Skelly, Towsley: Estimation and Removal of Clock Skew
 * from Network Delay Measurements, INFOCOM 1999): that edge of the points' lower hull which
 * is below their mean time.  Here the points are the least of each second, of the last
 * FASP_SKEW_WINDOW.
 *
 * A line through what is no line says nothing: a route that changes, a queue that
 * stands, what catches up after an outage.  So an estimate is only taken if in each
 * quarter of the time some point lies on it, but for FASP_SKEW_PPM_ERROR of that time;
 * until then the one before stays.  So the skew holds on when nothing comes, too.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_SKEW_WINDOW 128    /* seconds, one point in each */
#define FASP_SKEW_LEAST 32      /* points and seconds for a first estimate */
#define FASP_SKEW_PPM_ERROR 5   /* times the window: how far a line may miss */
#define FASP_SKEW_PPM_MAX 1000  /* no clock is as wrong as that */

typedef struct
{
  FaspTime arrival, difference; /* of the least in its second */
} FaspSkewPoint;

typedef struct
{
  gboolean known;
  gdouble skew;                 /* (a - m) grows by so much in a µs; positive: the sender's
                                 * clock is the slower one */
  FaspSkewPoint points[FASP_SKEW_WINDOW];       /* oldest first, all but the
                                                 * last of seconds that are over */
  guint n;
} FaspSkew;

void fasp_skew_init (FaspSkew * skew);
/* A block arrived. */
void fasp_skew_arrived (FaspSkew * skew, FaspTime media, FaspTime arrival);
/* The clock jumped: what was seen so far has nothing to do with what comes; the rate is
 * held. */
void fasp_skew_jumped (FaspSkew * skew);

G_END_DECLS
