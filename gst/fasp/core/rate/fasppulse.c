/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include "fasppulse.h"
#include "fasppacer.h"
#include "faspspan.h"

/* When a queue vanishes, packets arrive faster than they left: at most by this factor. */
#define FASTER 4

/* A host that is late by more than this, beyond the time of a burst, has paused. */
#define PAUSE FASP_MSEC
/* Delays of packets that were not held fall by less than the rest of that time and this. */
#define HELD_LEAST (FASP_MSEC / 5)
/* If less than this share of the points remains without held packets, the delay fell for another
 * reason. */
#define UNHELD_LEAST .5

typedef struct
{
  guint n;            /* points of all stretches */
  FaspTime time;      /* times between the first and the last point of each stretch, added up */
  gdouble bb, bs, ba; /* sums around the means of each stretch: bytes, departure, arrival */
  gdouble loss;
} Fit;

static void
thin_out (FaspPulse *pulse)
{
  for (guint i = 1; 2 * i < pulse->n; i++)
    pulse->points[i] = pulse->points[2 * i];
  pulse->n = (pulse->n + 1) / 2;
  pulse->stride *= 2;
}

void
fasp_pulse_add (FaspPulse *pulse, const FaspRateSample *sample, FaspTime queue, gdouble loss)
{
  if (pulse->n == 0)
    pulse->stride = pulse->passed = 1;
  else if (++pulse->passed < pulse->stride)
    return;
  if (pulse->n == FASP_PULSE_POINTS)
    thin_out (pulse);
  pulse->passed = 0;
  pulse->points[pulse->n++] = (FaspPulsePoint) { sample->sent, queue, sample->bytes, loss };
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const FaspPulsePoint *p = a, *q = b;

  return (p->bytes > q->bytes) - (p->bytes < q->bytes);
}

/* The number of points up to the first pause. */
static guint
find_pause (const FaspPulsePoint *p, guint n, gdouble pace)
{
  gdouble byte = 8 * FASP_SEC / pace, latest = 0;
  gdouble least = PAUSE + fasp_pacer_choose_burst (pace, 0) * byte;

  for (guint i = 1; i < n; i++) {
    gdouble late = p[i].sent - p[0].sent - (p[i].bytes - p[0].bytes) * byte;

    if (late > latest + least)
      return i;
    latest = MAX (latest, late);
  }
  return n;
}

/* Copies the points of packets that were not held; returns their number. */
static guint
leave_out_held (const FaspPulsePoint *p, guint n, FaspPulsePoint *kept)
{
  gdouble least = G_MAXDOUBLE; /* the lowest line, with the slope of held packets, through a later
                                  point */
  guint n_kept = 0;

  for (guint i = n; i-- > 0;) {
    gdouble line = p[i].queue + (1 - FASP_PULSE_HELD) * p[i].sent;

    if (line <= least + HELD_LEAST)
      kept[n_kept++] = p[i];
    least = MIN (least, line);
  }
  return n_kept;
}

static void
fit_stretch (Fit *fit, const FaspPulsePoint *p, guint n, gboolean all)
{
  FaspPulsePoint kept[FASP_PULSE_POINTS];
  gdouble bytes = 0, sent = 0, arrived = 0;

  if (!all) {
    n = leave_out_held (p, n, kept);
    p = kept;
  }
  for (guint i = 0; i < n; i++) {
    bytes += ((gdouble) p[i].bytes - p[0].bytes) / n;
    sent += (gdouble) (p[i].sent - p[0].sent) / n;
    arrived += (gdouble) (p[i].sent - p[0].sent + p[i].queue) / n;
  }
  for (guint i = 0; i < n; i++) {
    gdouble b = (gdouble) p[i].bytes - p[0].bytes - bytes;
    gdouble s = p[i].sent - p[0].sent;

    fit->bb += b * b;
    fit->bs += b * (s - sent);
    fit->ba += b * (s + p[i].queue - arrived);
    fit->loss += p[i].loss;
  }
  fit->n += n;
  fit->time += ABS (p[n - 1].sent - p[0].sent);
}

static Fit
fit_stretches (const FaspPulse *pulse, gdouble pace, gboolean all)
{
  Fit fit = { 0 };

  for (guint i = 0; i < pulse->n;) {
    guint n = find_pause (&pulse->points[i], pulse->n - i, pace);

    fit_stretch (&fit, &pulse->points[i], n, all);
    i += n;
  }
  return fit;
}

FaspPulseRates
fasp_pulse_measure (FaspPulse *pulse, gdouble pace, gboolean strong)
{
  FaspPulseRates rates = { 0 };
  Fit fit;

  /* the samples of several flows were added one flow after the other */
  qsort (pulse->points, pulse->n, sizeof *pulse->points, compare);
  fit = fit_stretches (pulse, pace, strong);
  if (fit.n < UNHELD_LEAST * pulse->n)
    fit = fit_stretches (pulse, pace, TRUE);
  if (fit.bs <= 0)
    return rates;
  rates.left = fit.bb * 8 * FASP_SEC / fit.bs;
  if (fit.n < FASP_SPAN_SAMPLES || fit.time < FASP_SPAN_LEAST)
    return rates;
  rates.arrived = fit.bb * 8 * FASP_SEC / MAX (fit.ba, fit.bs / FASTER);
  rates.delivered = rates.arrived * (1 - fit.loss / fit.n);
  return rates;
}
