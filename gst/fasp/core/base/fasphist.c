/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "fasphist.h"

const FaspHistPoint fasp_hist_points[FASP_HIST_POINTS] = {
  { "p50", .50 },
  { "p90", .90 },
  { "p99", .99 },
  { "p99.9", .999 },
  { "max", 1.0 },
};

/* Values below 16 have a bucket each.  For others the leading bit gives the
 * power, and the next four bits give the sixteenth. */
static guint
bucket_of (guint64 value)
{
  gint top;

  if (value < 16)
    return value;
  top = 63 - __builtin_clzll (value);
  return MIN ((guint) (top - 3) * 16 + ((value >> (top - 4)) & 15), FASP_HIST_BUCKETS - 1);
}

static gint64
upper_edge (guint bucket)
{
  guint power = bucket / 16;

  if (power == 0)
    return bucket;
  return (((gint64) 17 + bucket % 16) << (power - 1)) - 1;
}

void
fasp_hist_add (FaspHist *hist, gint64 value)
{
  value = MAX (value, 0);
  if (hist->count == 0 || value > hist->max)
    hist->max = value;
  hist->count++;
  hist->buckets[bucket_of (value)]++;
}

void
fasp_hist_merge (FaspHist *hist, const FaspHist *other)
{
  if (other->count > 0)
    hist->max = hist->count > 0 ? MAX (hist->max, other->max) : other->max;
  hist->count += other->count;
  for (guint i = 0; i < FASP_HIST_BUCKETS; i++)
    hist->buckets[i] += other->buckets[i];
}

gint64
fasp_hist_percentile (const FaspHist *hist, gdouble fraction)
{
  guint64 wanted, seen = 0;

  if (hist->count == 0)
    return 0;
  wanted = ceil (CLAMP (fraction, 0, 1) * hist->count);
  wanted = CLAMP (wanted, 1, hist->count);
  for (guint i = 0; i < FASP_HIST_BUCKETS; i++) {
    seen += hist->buckets[i];
    if (seen >= wanted)
      return i == FASP_HIST_BUCKETS - 1 ? hist->max : MIN (upper_edge (i), hist->max);
  }
  return hist->max;
}
