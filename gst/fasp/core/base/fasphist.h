/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasphist.h: a log-linear histogram of durations.
 *
 * Constant memory, no allocation.  One of zeros is empty.  It takes values in µs from 0 to about
 * 2^40.  Each power of two is divided into 16 buckets, so the error of a percentile is at most 1/16
 * (6.25 %).  Values below 16 are exact.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_HIST_BUCKETS (16 * 38)

typedef struct
{
  guint64 count;
  gint64 max;
  guint64 buckets[FASP_HIST_BUCKETS];
} FaspHist;

/* The percentiles that statistics contain. */
typedef struct
{
  const gchar *name;
  gdouble fraction;
} FaspHistPoint;

#define FASP_HIST_POINTS 5
extern const FaspHistPoint fasp_hist_points[FASP_HIST_POINTS];

/* Negative values count as 0; larger values than the last bucket's are counted in it. */
void fasp_hist_add (FaspHist *hist, gint64 value);
void fasp_hist_merge (FaspHist *hist, const FaspHist *other);
/* The smallest value that at least @fraction (0..1) of the values do not exceed: the
 * upper edge of its bucket, but never above max.  0 when empty. */
gint64 fasp_hist_percentile (const FaspHist *hist, gdouble fraction);

G_END_DECLS
