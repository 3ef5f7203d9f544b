/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrrate.h: the rate of a stream, learned from its own clock.
 *
 * It is fed with points (t, bytes of the stream before t).  The rate is that of
 * the last window W:
 *
 *     rate = 8 * (bytes (t) - bytes (t - W)) / W
 *
 * Data that leaves at this rate is a moving average of the input.  It never waits
 * longer than W, never runs dry before the input does, and is constant where the
 * input is, to the precision of its clock.  In the first W the rate grows from 0,
 * as if nothing had come before.
 *
 * Between two points, the bytes are taken to have come steadily.  (Else, behind a pause,
 * the window would begin before it, and the rate would be far too low.)
 *
 * It uses constant memory: points closer than W / CBR_RATE_POINTS are merged,
 * which smooths but does not lose bytes.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define CBR_RATE_POINTS 128

/* A step of the clock up to this, or up to the window if that is longer, is no jump: frames may be
 * further apart than a short window. */
#define CBR_RATE_GAP G_GINT64_CONSTANT (10000000000)

typedef struct
{
  gint64 time; /* ns */
  guint64 bytes;
} CbrRatePoint;

typedef struct
{
  gint64 window; /* W, ns */
  /* besides CBR_RATE_POINTS: one before the window; the last one, which may be close to the one
   * before it; and a free one */
  CbrRatePoint points[CBR_RATE_POINTS + 4];
  guint first, n; /* a ring: first .. first + n - 1 */
  guint64 kept;   /* rate of the clock before the jump, bit/s */
} CbrRate;

void cbr_rate_init (CbrRate *rate, gint64 window);
/* @bytes, counted from any start, came before @time. A time that decreases, or
 * that makes a step longer than both CBR_RATE_GAP and the window, is a jump. A time
 * that stands still is ignored. Returns the ns by which the time advanced; 0: it did
 * not, or jumped. */
gint64 cbr_rate_add (CbrRate *rate, gint64 time, guint64 bytes);
/* Another clock, or a gap: the rate learned so far stays until a whole window of
 * the new clock has been seen. */
void cbr_rate_jump (CbrRate *rate);
/* Returns bit/s; 0: nothing is known yet. In the first window after a jump, the rate
 * is not less than before the jump. */
guint64 cbr_rate_get (const CbrRate *rate);
/* Returns how many ns of this clock were seen since it began or jumped; about a window at
 * most. */
gint64 cbr_rate_get_span (const CbrRate *rate);
/* Was a whole window seen? */
gboolean cbr_rate_is_known (const CbrRate *rate);

G_END_DECLS
