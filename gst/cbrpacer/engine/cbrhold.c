/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cbrhold.h"
#include <gst/base/gstqueuearray.h>
#include "fasprateclock.h"

/* Data up to byte @end.  @least: `start' if it alone waited, were there no delay, and no byte
 * gone.  A bound is followed by higher ones only: behind a lower one it bounds nothing. */
typedef struct
{
  guint64 end;
  gint64 least;
} Bound;

struct _CbrHold
{
  GstQueueArray *bounds;
  guint64 rate; /* of the line, bit/s; 0: not known yet */
  guint64 end;  /* bytes that came so far */
  guint64 free; /* data up to this byte is not held */
};

CbrHold *
cbr_hold_new (void)
{
  CbrHold *hold = g_new0 (CbrHold, 1);

  hold->bounds = gst_queue_array_new_for_struct (sizeof (Bound), 64);
  return hold;
}

void
cbr_hold_free (CbrHold *hold)
{
  gst_queue_array_free (hold->bounds);
  g_free (hold);
}

void
cbr_hold_clear (CbrHold *hold)
{
  gst_queue_array_clear (hold->bounds);
  hold->free = hold->end;
}

void
cbr_hold_push (CbrHold *hold, gint64 now, guint64 size, guint64 rate)
{
  Bound bound;

  if (rate != hold->rate)
    cbr_hold_clear (hold);
  hold->rate = rate;
  hold->end += size;
  bound = (Bound) { hold->end, now - fasp_rate_clock_span (rate, hold->end) };
  while (!gst_queue_array_is_empty (hold->bounds)
      && ((Bound *) gst_queue_array_peek_tail_struct (hold->bounds))->least >= bound.least)
    gst_queue_array_pop_tail_struct (hold->bounds);
  gst_queue_array_push_tail_struct (hold->bounds, &bound);
}

gint64
cbr_hold_get_start (CbrHold *hold, guint64 waiting, gint64 delay)
{
  guint64 taken = hold->end - MIN (waiting, hold->end);

  if (taken < hold->free)
    return G_MININT64;
  while (!gst_queue_array_is_empty (hold->bounds)) {
    const Bound *first = gst_queue_array_peek_head_struct (hold->bounds);

    if (first->end > taken)
      return first->least + delay + fasp_rate_clock_span (hold->rate, taken);
    gst_queue_array_pop_head_struct (hold->bounds);
  }
  return G_MININT64;
}
