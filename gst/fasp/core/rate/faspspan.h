/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspspan.h: a stretch of packets of one flow: its rate of arrival, and the spread of its delays.
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

/* The least for a rate or a spread: samples, and time between the first and the last departure. */
#define FASP_SPAN_SAMPLES 3
#define FASP_SPAN_LEAST (4 * FASP_MSEC)

/* All 0 (or just n = 0) is an empty span. */
typedef struct
{
  FaspRateSample from, to;       /* the first and the last sample */
  FaspTime queue_from, queue_to; /* queueing delays of `from' and `to' */
  FaspTime least, most;          /* the range of all queueing delays */
  FaspTime variation;            /* sum of all rises and falls of the queueing delay */
  FaspTime idle;                 /* the longest time in which the queue may have been empty */
  guint n;
  gdouble x, y, xx, xy; /* sums, of departure times and queueing delays */
} FaspSpan;

/* @queue: queueing delay of the sample, µs. */
void fasp_span_extend (FaspSpan *span, const FaspRateSample *sample, FaspTime queue);
/* From the first arrival to the last, µs. */
FaspTime fasp_span_get_arrival_time (const FaspSpan *span);
/* Rate of arrival, bit/s, of all bytes that left on any flow between the first packet and the last;
 * 0: both came at the same time. */
gdouble fasp_span_get_arrival_rate (const FaspSpan *span);
/* The spread of delays beyond the steady growth or decline of the queue, µs. FALSE: the span is too
 * short. */
gboolean fasp_span_get_spread (const FaspSpan *span, gdouble *spread);

G_END_DECLS
