/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasptimestamps.h"

/* A FEEDBACK has up to FASP_TIMESTAMPS_LEAST for each SPAN. */
#define SPAN (25 * FASP_MSEC)

void
fasp_timestamps_init (FaspTimestamps *timestamps)
{
  timestamps->stride = 1;
  fasp_timestamps_reset (timestamps);
}

static void
halve (FaspTimestamps *timestamps)
{
  for (guint i = 1; 2 * i < timestamps->n; i++)
    timestamps->list[i] = timestamps->list[2 * i];
  timestamps->n = (timestamps->n + 1) / 2;
  timestamps->stride *= 2;
}

void
fasp_timestamps_thin_out (FaspTimestamps *timestamps, guint most)
{
  while (timestamps->n > most)
    halve (timestamps);
}

guint
fasp_timestamps_choose (FaspTime since)
{
  return CLAMP (since * FASP_TIMESTAMPS_LEAST / SPAN, FASP_TIMESTAMPS_LEAST, FASP_TIMESTAMPS);
}

void
fasp_timestamps_add (FaspTimestamps *timestamps, FaspTime now, guint64 pn)
{
  if (++timestamps->passed < timestamps->stride)
    return;
  if (timestamps->n == FASP_TIMESTAMPS)
    halve (timestamps);
  timestamps->passed = 0;
  timestamps->list[timestamps->n++] = (FaspTimestamp) { pn, now };
}

void
fasp_timestamps_reset (FaspTimestamps *timestamps)
{
  /* expects about as many packets before the next FEEDBACK as before the last */
  if (timestamps->n < FASP_TIMESTAMPS / 2 && timestamps->stride > 1)
    timestamps->stride /= 2;
  timestamps->n = 0;
}
