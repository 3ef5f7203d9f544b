/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspskew.h: how much faster or slower the sender's clock runs than ours.
 *
 * A block written at media time m and arriving at a took a - m, less an unknown
 * constant. Queues and losses only ever add to that, and the drift between two clocks
 * puts a slope under it. So the skew is the slope of the line that lies below all
 * points, as close as possible (Moon, Skelly, Towsley: Estimation and Removal of Clock
 * Skew from Network Delay Measurements, INFOCOM 1999): the edge of the points' lower
 * hull at their mean time. The points here are the least of each second, for the last
 * FASP_SKEW_WINDOW.
 *
 * Sometimes the points form no line: when a route changes, a queue stands, or data
 * catches up after an outage. So an estimate is taken only if in each quarter of the
 * time some point lies on the line, within FASP_SKEW_PPM_ERROR of that time. Until
 * then, the previous estimate stays, as it does when nothing comes.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_SKEW_WINDOW 128   /* seconds, one point in each */
#define FASP_SKEW_LEAST 32     /* points, and seconds, needed for a first estimate */
#define FASP_SKEW_PPM_ERROR 5  /* ppm of the window: how far a point may be off the line */
#define FASP_SKEW_PPM_MAX 1000 /* a larger skew is taken for an error */

typedef struct
{
  FaspTime arrival, difference; /* arrival, and (arrival - media time), of the block with the least
                                   difference in its second */
} FaspSkewPoint;

typedef struct
{
  gboolean known;
  gdouble skew;                           /* growth of (a - m) per µs; positive: the
                                             sender's clock is the slower one */
  FaspSkewPoint points[FASP_SKEW_WINDOW]; /* oldest first; the last one is of the current second */
  guint n;
} FaspSkew;

/* A block arrived.  The first @skew is all zeros. */
void fasp_skew_arrived (FaspSkew *skew, FaspTime media, FaspTime arrival);
/* The sender's clock jumped: forgets all points, which cannot be compared with new ones. Keeps the
 * skew. */
void fasp_skew_jumped (FaspSkew *skew);

G_END_DECLS
