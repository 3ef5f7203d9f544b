/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasptimestamps.h"

/* A report tells of up to FASP_ARRIVALS_LEAST for each of these. */
#define SPAN (25 * FASP_MSEC)

void
fasp_arrivals_init (FaspArrivals * arrivals)
{
  arrivals->stride = 1;
  fasp_arrivals_reset (arrivals);
}

static void
halve (FaspArrivals * arrivals)
{
  for (guint i = 1; 2 * i < arrivals->n; i++)
    arrivals->list[i] = arrivals->list[2 * i];
  arrivals->n = (arrivals->n + 1) / 2;
  arrivals->stride *= 2;
}

void
fasp_arrivals_thin_out (FaspArrivals * arrivals, guint most)
{
  while (arrivals->n > most)
    halve (arrivals);
}

guint
fasp_arrivals_choose (FaspTime since)
{
  return CLAMP (since * FASP_ARRIVALS_LEAST / SPAN, FASP_ARRIVALS_LEAST,
      FASP_ARRIVALS);
}

void
fasp_arrivals_add (FaspArrivals * arrivals, FaspTime now, guint64 pn)
{
  if (++arrivals->passed < arrivals->stride)
    return;
  if (arrivals->n == FASP_ARRIVALS)
    halve (arrivals);
  arrivals->passed = 0;
  arrivals->list[arrivals->n++] = (FaspArrival) {
  pn, now};
}

void
fasp_arrivals_reset (FaspArrivals * arrivals)
{
  /* until the next report there will be about as many packets as in the last */
  if (arrivals->n < FASP_ARRIVALS / 2 && arrivals->stride > 1)
    arrivals->stride /= 2;
  arrivals->n = 0;
}
