/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cellular.h: when a mobile link can send, drawn by chance.
 *
 * The model of Winstein, Sivaraman and Balakrishnan (Stochastic Forecasts Achieve High
 * Throughput and Low Delay over Cellular Networks, NSDI 2013, 3.1): opportunities to send
 * one packet of 1500 bytes are a Poisson process, whose rate is a Brownian motion between
 * zero and 1000 per second with a noise power of 200 per second and square root of a second.
 * A rate of zero is an outage. It tends to stay: it ends at a rate of once per second.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Times of opportunities from 0 to @duration, in µs, ascending (gint64).  @scale: of the rate
 * and of its noise; 1: those of the paper, up to 12 Mbit/s. */
GArray *cellular_draw (guint32 seed, gint64 duration, gdouble scale);

G_END_DECLS
