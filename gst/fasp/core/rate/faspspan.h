/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspspan.h: what a stretch of packets tells about a path.
 *
 * Packets that left at a rate s, into a queue that grew by g seconds per second
 * meanwhile, arrived at s / (1 + g): waiting has spread them out. The growth is fitted
 * by least squares over the whole stretch, as single packets come early or late.
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

/* The least for a rate of arrival: samples, and time between the first and the last
 * departure. */
#define FASP_SPAN_SAMPLES 3
#define FASP_SPAN_LEAST (4 * FASP_MSEC)
/* When a queue vanishes, packets arrive faster than they left: at most by this factor. */
#define FASP_SPAN_FASTER 4

/* All 0 (or just n = 0) is an empty span. */
typedef struct
{
  FaspRateSample from, to;       /* the first and the last sample, */
  FaspTime queue_from, queue_to; /* their queueing delay, */
  FaspTime least, most;          /* and the range of all queueing delays */
  FaspTime way;                  /* sum of all rises and falls of the queueing delay */
  FaspTime gap;                  /* the longest time between an arrival and the next, */
  gdouble gap_bytes;             /* and the bytes that left meanwhile */
  guint n;
  gdouble x, y, xx, xy; /* sums, of departure times and queueing delays, */
  gdouble b, bb, bt;    /* and of the bytes that have left, and arrival times */
  gdouble loss;         /* summed over the samples */
  gdouble left, lost;   /* the same weighted with the bytes that left, on
                           whichever flow */
} FaspSpan;

/* @queue: queueing delay of the sample, µs. @loss: share lost of the datagrams reported
 * with it. */
void fasp_span_extend (FaspSpan *span, const FaspRateSample *sample, FaspTime queue, gdouble loss);

/* Rate of departure, bit/s; 0: too short to say. */
gdouble fasp_span_get_departure_rate (const FaspSpan *span);
/* The same, less what was lost, other than by chance. */
gdouble fasp_span_get_unlost_rate (const FaspSpan *span);
/* Mean queueing delay, µs. */
FaspTime fasp_span_get_wait (const FaspSpan *span);
/* How fast the queue grew, in s/s. FALSE: too short to say. */
gboolean fasp_span_get_growth (const FaspSpan *span, gdouble *growth);
/* Rate of arrival, bit/s; 0: too short to say. */
gdouble fasp_span_get_arrival_rate (const FaspSpan *span);
/* The same, less what was lost: when a queue overflows, that has not arrived. */
gdouble fasp_span_get_delivery_rate (const FaspSpan *span);
/* The rate of delivery behind a queue that was there all the time; 0: too short to say.  The
 * longest time between two arrivals is left out if the others show a higher rate: all was held for
 * that long. */
gdouble fasp_span_get_queued_rate (const FaspSpan *span);
/* From the first arrival to the last, in µs, leaving out other differences between the
 * delays of their flows. */
FaspTime fasp_span_get_arrival_time (const FaspSpan *span);
/* How far delays spread beyond the steady growth or fall of the queue, µs. FALSE: too
 * short to say. */
gboolean fasp_span_get_spread (const FaspSpan *span, gdouble *spread);

/* How much of a bottleneck others use. If they send z, a bottleneck of capacity C gives
 * a sender of rate s the rate C s / (s + z). So the more of it is ours, the less we
 * gain by sending more: the elasticity of our rate of arrival is the others' share, 0
 * to 1, and one half beside one other is fair. (It is down to -1 where sending less
 * makes more arrive, as others change meanwhile.) FALSE: too short to say, or @more is
 * not faster than @less by FASP_SPAN_CONTRAST at least. */
#define FASP_SPAN_CONTRAST 1.3
/* A smaller share means that there is nobody else. */
#define FASP_SPAN_NOBODY .15
gboolean fasp_span_get_others (const FaspSpan *less, const FaspSpan *more, gdouble *others);

G_END_DECLS
