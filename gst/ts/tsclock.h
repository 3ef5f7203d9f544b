/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tsclock.h: how far each PCR is from where the PCRs before it let it be expected.
 *
 * The PCRs are drawn over something else that grows: the bytes of a stream of constant rate (then
 * the distance is the PCR's accuracy, PCR_AC), or the time of arrival (then it is its overall
 * jitter, PCR_OJ).  A straight line follows them, which is the clock that a slow decoder would
 * recover; the distance of a PCR is that from the line of those before it.  Offset and frequency of
 * the clock are in the line, so they are no jitter.
 *
 * The line is that of least squares through all PCRs at first.  After TS_CLOCK_SPAN, older PCRs
 * count less and less: the line is then a control loop of second order with a damping of 0.8.  It
 * follows changes that are slower than 10 mHz; faster ones are measured as distance.  This is the
 * filter MGF1 of TR 101 290 (annex I).  So a delay of the network that changes over minutes is no
 * jitter.  A delay that changes at once is; what is measured of it decays within a minute.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define TS_CLOCK_SETTLED 32 /* PCRs, about a second: with fewer, the line says little */
/* A loop that forgets after N values has a natural frequency of sqrt(6) / N: that of 10 mHz, in
 * ticks of 27 MHz. */
#define TS_CLOCK_SPAN (2.449 / (2 * G_PI * 0.01) * 27e6)

typedef struct
{
  guint n;                /* values so far, no more than the line remembers */
  gdouble offset;         /* of the line from the last value, ticks */
  gdouble slope;          /* ticks for each unit of x */
  gdouble mean_x, mean_y; /* of the steps, of late */
} TsClock;

/* The next value, @x and @y (ticks) after the one before it.  Returns its distance, ticks. */
gdouble ts_clock_take (TsClock *clock, gdouble x, gdouble y);
/* Did enough values make the line for a distance to mean something? */
gboolean ts_clock_is_settled (const TsClock *clock);

G_END_DECLS
