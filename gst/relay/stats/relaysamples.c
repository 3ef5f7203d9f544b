/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaysamples.h"
#include <math.h>

/* Samples of one range. */
typedef struct
{
  guint n;                             /* number of samples noted so far */
  guint unmerged;                      /* the newest of them, that are in no sample of the next */
  gint64 times[RELAY_HISTORY_SAMPLES]; /* µs, monotonic; a ring, as are their values */
} Ring;

struct _RelaySamples
{
  guint figures;
  Ring rings[RELAY_HISTORY_RANGES];
  gfloat values[]; /* of each figure, of each range: RELAY_HISTORY_SAMPLES */
};

/* So many samples of a range make one of the next. */
static const guint merged[RELAY_HISTORY_RANGES] = { 24, 7, 0 };

gint64
relay_samples_get_step (RelayHistoryRange range)
{
  gint64 step = RELAY_HISTORY_STEP;

  for (guint r = 0; r < range; r++)
    step *= merged[r];
  return step;
}

gsize
relay_samples_get_size (guint figures)
{
  return sizeof (RelaySamples)
      + figures * RELAY_HISTORY_RANGES * RELAY_HISTORY_SAMPLES * sizeof (gfloat);
}

RelaySamples *
relay_samples_new (guint figures)
{
  RelaySamples *samples = g_malloc0 (relay_samples_get_size (figures));

  samples->figures = figures;
  return samples;
}

/* --- reading ------------------------------------------------------------------------------ */

guint
relay_samples_count (const RelaySamples *samples, RelayHistoryRange range)
{
  return MIN (samples->rings[range].n, RELAY_HISTORY_SAMPLES);
}

/* Returns where in the rings the sample @i is, from the oldest on. */
static guint
get_place (const RelaySamples *samples, RelayHistoryRange range, guint i)
{
  guint n = samples->rings[range].n;

  return (n - MIN (n, RELAY_HISTORY_SAMPLES) + i) % RELAY_HISTORY_SAMPLES;
}

gint64
relay_samples_get_time (const RelaySamples *samples, RelayHistoryRange range, guint i)
{
  return samples->rings[range].times[get_place (samples, range, i)];
}

static gsize
get_offset (RelayHistoryRange range, guint figure, guint place)
{
  return (figure * RELAY_HISTORY_RANGES + range) * RELAY_HISTORY_SAMPLES + place;
}

gfloat
relay_samples_get_value (const RelaySamples *samples, RelayHistoryRange range, guint figure,
    guint i)
{
  return samples->values[get_offset (range, figure, get_place (samples, range, i))];
}

/* The mean of the newest @n values that are known; NAN: none is. */
static gfloat
get_mean (const RelaySamples *samples, RelayHistoryRange range, guint figure, guint n)
{
  guint all = relay_samples_count (samples, range), known = 0;
  gdouble sum = 0;

  for (guint i = all - MIN (n, all); i < all; i++) {
    gfloat value = relay_samples_get_value (samples, range, figure, i);

    sum += isfinite (value) ? value : 0;
    known += isfinite (value) != 0;
  }
  return known > 0 ? sum / known : NAN;
}

/* --- adding ------------------------------------------------------------------------------- */

/* @values: NULL: none is known. */
static void
put_one (RelaySamples *samples, RelayHistoryRange range, gint64 time, const gfloat *values)
{
  Ring *ring = &samples->rings[range];
  guint place = ring->n++ % RELAY_HISTORY_SAMPLES;

  ring->times[place] = time;
  for (guint f = 0; f < samples->figures; f++)
    samples->values[get_offset (range, f, place)] = values != NULL ? values[f] : NAN;
}

void
relay_samples_put (RelaySamples *samples, RelayHistoryRange range, gint64 time,
    const gfloat *values)
{
  guint n = relay_samples_count (samples, range);
  gint64 last = n > 0 ? relay_samples_get_time (samples, range, n - 1) : time;
  gint64 step = relay_samples_get_step (range);

  if (time - last > 5 * step / 2)
    put_one (samples, range, last + step, NULL);
  put_one (samples, range, time, values);
}

guint
relay_samples_add (RelaySamples *samples, gint64 time, RelayValues *values)
{
  for (guint r = 0; r < RELAY_HISTORY_RANGES; r++) {
    Ring *ring = &samples->rings[r];

    for (guint f = 0; r > 0 && f < samples->figures; f++)
      values[r][f] = get_mean (samples, r - 1, f, merged[r - 1]);
    relay_samples_put (samples, r, time, values[r]);
    if (++ring->unmerged != merged[r])
      return r + 1;
    ring->unmerged = 0;
  }
  return RELAY_HISTORY_RANGES;
}

/* How many of the newest samples are in no sample of the next range? */
static guint
count_unmerged (const RelaySamples *samples, RelayHistoryRange range)
{
  guint all = relay_samples_count (samples, range), next, n = 0;
  gint64 last = G_MININT64;

  if (merged[range] == 0)
    return 0;
  next = relay_samples_count (samples, range + 1);
  if (next > 0)
    last = relay_samples_get_time (samples, range + 1, next - 1);
  while (n < all && relay_samples_get_time (samples, range, all - 1 - n) > last)
    n++;
  return n;
}

void
relay_samples_append (RelaySamples *samples, const RelaySamples *newer, gint64 since)
{
  for (guint r = 0; r < RELAY_HISTORY_RANGES; r++) {
    guint unmerged = count_unmerged (samples, r) + newer->rings[r].unmerged;

    for (guint i = 0; i < relay_samples_count (newer, r); i++) {
      RelayValues values;

      if (relay_samples_get_time (newer, r, i) < since)
        continue;
      for (guint f = 0; f < samples->figures; f++)
        values[f] = relay_samples_get_value (newer, r, f, i);
      relay_samples_put (samples, r, relay_samples_get_time (newer, r, i), values);
    }
    samples->rings[r].unmerged = merged[r] > 0 ? unmerged % merged[r] : 0;
  }
}
