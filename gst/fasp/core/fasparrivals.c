/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasparrivals.h"

void
fasp_arrivals_init (FaspArrivals * arrivals)
{
  arrivals->stride = 1;
  fasp_arrivals_reset (arrivals);
}

void
fasp_arrivals_thin_out (FaspArrivals * arrivals)
{
  for (guint i = 1; 2 * i < arrivals->n; i++)
    arrivals->list[i] = arrivals->list[2 * i];
  arrivals->n = (arrivals->n + 1) / 2;
  arrivals->stride *= 2;
}

void
fasp_arrivals_add (FaspArrivals * arrivals, FaspTime now, guint64 pn)
{
  if (++arrivals->passed < arrivals->stride)
    return;
  if (arrivals->n == FASP_ARRIVALS)
    fasp_arrivals_thin_out (arrivals);
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
