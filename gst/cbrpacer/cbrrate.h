/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrrate.h: the rate of a stream, learned from its own clock.
 *
 * Fed with points (t, bytes of the stream before t), the rate is that of the
 * last window W:
 *
 *     rate = 8 * (bytes (t) - bytes (t - W)) / W
 *
 * What leaves at this rate is the input through a moving average: it never
 * waits longer than W, never runs dry before the input does, and is constant
 * where the input is, to the precision of its clock.  In the first W it grows
 * from 0, as if nothing had come before.
 *
 * Constant memory: points closer than W / CBR_RATE_POINTS are merged, which
 * smooths but does not lose bytes.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define CBR_RATE_POINTS 128

/* What a step of the clock may be, if the window is not longer: frames may be
 * further apart than a short window. */
#define CBR_RATE_GAP G_GINT64_CONSTANT (10000000000)

typedef struct
{
  gint64 time;                  /* ns */
  guint64 bytes;
} CbrRatePoint;

typedef struct
{
  gint64 window;                /* W, ns */
  /* the one before the window, the last, which may be close, and a free one */
  CbrRatePoint points[CBR_RATE_POINTS + 4];
  guint first, n;               /* a ring: first .. first + n - 1 */
  guint64 kept;                 /* bit/s, of the clock before the jump */
} CbrRate;

void cbr_rate_init (CbrRate * rate, gint64 window);
/* @bytes, counted from any start, came before @time. A time that decreases, or
 * makes a step above CBR_RATE_GAP and the window, is a jump; one that stands
 * still says nothing. Returns the ns that it went on by; 0: none of that. */
gint64 cbr_rate_add (CbrRate * rate, gint64 time, guint64 bytes);
/* Another clock, or a gap: what was learned stays until a whole window of the
 * new one has been seen. */
void cbr_rate_jump (CbrRate * rate);
/* bit/s; 0: nothing is known yet. In the first window after a jump no less
 * than before it. */
guint64 cbr_rate_get (const CbrRate * rate);
/* ns of this clock seen, since it began, the last jump; about a window at most. */
gint64 cbr_rate_get_span (const CbrRate * rate);
/* Was a whole window seen? */
gboolean cbr_rate_is_known (const CbrRate * rate);

G_END_DECLS
