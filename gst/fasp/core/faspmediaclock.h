/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmediaclock.h: the sender's media time on the receiver's clock.
 *
 * A block written at media time m and arriving at a is at least the one-way
 * delay late: a - m >= offset.  The smallest a - m of the last seconds is
 * the best estimate of `offset' (loss and queues only ever add to it), so
 *
 *     map (m) = m + offset
 *
 * is when the block would have arrived on a path without loss and queue.
 * The offset in use slews towards the estimate by at most 1 ms per second,
 * both ways, so that mapped times are smooth and follow a clock drift of up
 * to 1000 ppm; it is set at once in the first second of a stream and when
 * the estimate is more than FASP_MEDIA_CLOCK_STEP away (a clock that jumped,
 * a new sender): that is reported as a step.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_MEDIA_CLOCK_WINDOW 10      /* buckets of one second each */
#define FASP_MEDIA_CLOCK_STEP (500 * FASP_MSEC)
#define FASP_MEDIA_CLOCK_SLEW_PPM 1000

typedef struct
{
  gboolean started;
  FaspTime start;               /* arrival of the first block */
  FaspTime last;                /* arrival at which offset was slewed last */
  FaspTime offset;              /* in use */
  FaspTime slew_remainder;
  gint64 bucket;                /* number of the newest bucket */
  FaspTime bucket_min[FASP_MEDIA_CLOCK_WINDOW]; /* FASP_NEVER: empty */
  guint steps;                  /* jumps followed since the start */
} FaspMediaClock;

void fasp_media_clock_init (FaspMediaClock * clock);
/* An original (not a rex) or any block arrived. Returns TRUE when the clock
 * stepped (not for the first block).  A step upwards is only believed when in
 * each second of a whole window all were late, by about the same (not what an
 * outage held up, which comes ever less late); a step downwards at once. */
gboolean fasp_media_clock_arrived (FaspMediaClock * clock, FaspTime media,
    FaspTime arrival);
FaspTime fasp_media_clock_map (const FaspMediaClock * clock, FaspTime media);

G_END_DECLS
