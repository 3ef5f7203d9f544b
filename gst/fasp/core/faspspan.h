/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspspan.h: what a stretch of packets tells of a path.
 *
 * Packets that left at a rate s, into a queue that grew by g seconds a second meanwhile, arrived
 * at s / (1 + g): spread out by what waited.  Growth is fitted by least squares over all of the
 * stretch, as single packets are early or late.
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

/* Samples that a rate of arrival is taken from, and how long they took to leave, at least. */
#define FASP_SPAN_SAMPLES 3
#define FASP_SPAN_LEAST (4 * FASP_MSEC)
/* A queue that vanishes lets packets arrive faster than they left: so much at most. */
#define FASP_SPAN_FASTER 4

/* All 0 (or n = 0 alone) is an empty one. */
typedef struct
{
  FaspRateSample from, to;      /* the first and the last, */
  FaspTime queue_from, queue_to;        /* what they waited, */
  FaspTime least, most;         /* and the range of all */
  FaspTime way;                 /* that it went up and down */
  guint n;
  gdouble x, y, xx, xy;         /* sums: of time of leaving, and of the queue */
  gdouble loss;                 /* summed over the samples, */
  gdouble left, lost;           /* and over the bytes that left, of any of several flows */
} FaspSpan;

/* @queue: what it waited; @loss: the share lost of those told of with it. */
void fasp_span_extend (FaspSpan * span, const FaspRateSample * sample,
    FaspTime queue, gdouble loss);

/* Bit/s at which it left; 0: too short to say. */
gdouble fasp_span_get_departure_rate (const FaspSpan * span);
/* The same, without what is lost on the way, but by chance. */
gdouble fasp_span_get_unlost_rate (const FaspSpan * span);
/* What its packets waited in the mean, µs. */
FaspTime fasp_span_get_wait (const FaspSpan * span);
/* How fast the queue grew, s/s. FALSE: too short to say. */
gboolean fasp_span_get_growth (const FaspSpan * span, gdouble * growth);
/* Bit/s at which it arrived; 0: too short to say. */
gdouble fasp_span_get_arrival_rate (const FaspSpan * span);
/* Where a queue overflows, what is lost did not arrive: the same, without that. */
gdouble fasp_span_get_delivery_rate (const FaspSpan * span);
/* From the first arrival to the last, whatever else their flows' delays are; µs. */
FaspTime fasp_span_get_arrival_time (const FaspSpan * span);
/* How far delays have spread beside what the queue grew or shrank steadily, µs. FALSE: too short to
 * say. */
gboolean fasp_span_get_spread (const FaspSpan * span, gdouble * spread);

/* Beside others that send z a bottleneck of capacity C gives a sender of rate s the rate
 * C s / (s + z).  So the more of it is ours, the less comes of sending more: the elasticity of
 * what arrives is the others' share, 0 to 1, and a half beside one other is fair.  (Down to -1 where more
 * arrives of less, as others change meanwhile.)  FALSE: @more is too little more than @less (by
 * FASP_SPAN_CONTRAST at least), or too short, to say. */
#define FASP_SPAN_CONTRAST 1.3
/* Less than that, and there is nobody. */
#define FASP_SPAN_NOBODY .15
gboolean fasp_span_get_others (const FaspSpan * less, const FaspSpan * more,
    gdouble * others);

G_END_DECLS
