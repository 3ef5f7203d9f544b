/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspmediaclock.h"

#define WINDOW FASP_MEDIA_CLOCK_WINDOW
/* From the network: a difference beyond this is no time at all. */
#define SANE ((FaspTime) 1 << 60)

void
fasp_media_clock_init (FaspMediaClock * clock)
{
  memset (clock, 0, sizeof (*clock));
  for (guint i = 0; i < WINDOW; i++)
    clock->bucket_min[i] = FASP_NEVER;
}

static void
clear_window (FaspMediaClock * clock, gint64 bucket, FaspTime difference)
{
  for (guint i = 0; i < WINDOW; i++)
    clock->bucket_min[i] = FASP_NEVER;
  clock->bucket = bucket;
  clock->bucket_min[bucket % WINDOW] = difference;
}

static FaspTime
estimate (const FaspMediaClock * clock)
{
  FaspTime min = FASP_NEVER;

  for (guint i = 0; i < WINDOW; i++)
    min = MIN (min, clock->bucket_min[i]);
  return min;
}

/* Late in each second of the window, by about the same: the sender's clock
 * jumped back, or the path is a longer one now.  Not so after an outage: then
 * what waited comes ever less late. */
static gboolean
is_late_for_good (const FaspMediaClock * clock)
{
  FaspTime min = FASP_NEVER, max = -FASP_NEVER;

  for (guint i = 0; i < WINDOW; i++) {
    if (clock->bucket_min[i] == FASP_NEVER)
      return FALSE;
    min = MIN (min, clock->bucket_min[i]);
    max = MAX (max, clock->bucket_min[i]);
  }
  return min - clock->offset > FASP_MEDIA_CLOCK_STEP
      && max - min <= FASP_MEDIA_CLOCK_STEP / 2;
}

static void
slew (FaspMediaClock * clock, FaspTime target, FaspTime elapsed)
{
  FaspTime error = target - clock->offset, step;
  gint64 budget = MIN (elapsed, FASP_SEC) * FASP_MEDIA_CLOCK_SLEW_PPM +
      clock->slew_remainder;

  step = budget / 1000000;
  clock->slew_remainder = budget % 1000000;
  clock->offset += CLAMP (error, -step, step);
}

gboolean
fasp_media_clock_arrived (FaspMediaClock * clock, FaspTime media,
    FaspTime arrival)
{
  gint64 bucket = arrival / FASP_SEC;
  FaspTime difference, elapsed, target;

  if (media < -SANE || media > SANE || arrival < 0 || arrival > SANE)
    return FALSE;
  difference = arrival - media;
  if (!clock->started) {
    clock->started = TRUE;
    clock->start = clock->last = arrival;
    clock->offset = difference;
    clear_window (clock, bucket, difference);
    return FALSE;
  }
  elapsed = MAX (0, arrival - clock->last);
  clock->last = MAX (clock->last, arrival);

  /* much too early: the sender's clock jumped ahead */
  if (clock->offset - difference > FASP_MEDIA_CLOCK_STEP
      && arrival - clock->start > FASP_SEC) {
    clear_window (clock, bucket, difference);
    clock->offset = difference;
    clock->start = arrival;
    clock->steps++;
    return TRUE;
  }
  if (bucket > clock->bucket) {
    for (gint64 b = MAX (clock->bucket + 1, bucket - WINDOW + 1); b <= bucket;
        b++)
      clock->bucket_min[b % WINDOW] = FASP_NEVER;
    clock->bucket = bucket;
  }
  if (bucket > clock->bucket - WINDOW)
    clock->bucket_min[bucket % WINDOW] =
        MIN (clock->bucket_min[bucket % WINDOW], difference);

  target = estimate (clock);
  if (arrival - clock->start <= FASP_SEC) {
    clock->offset = MIN (clock->offset, target);
    return FALSE;
  }
  if (is_late_for_good (clock)) {
    clock->offset = target;
    clock->steps++;
    return TRUE;
  }
  slew (clock, target, elapsed);
  return FALSE;
}

FaspTime
fasp_media_clock_map (const FaspMediaClock * clock, FaspTime media)
{
  if (media < -SANE || media > SANE)
    return clock->offset;
  return media + clock->offset;
}
