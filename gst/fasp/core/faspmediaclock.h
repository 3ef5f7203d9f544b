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
 * to 1000 ppm; it is set at once in the first second of a stream (as long as each
 * is earlier than those before, for who joins in the past and catches up), and after a
 * jump:
 *
 *   - the media times of blocks fall with their numbers: that clock was set
 *     back (or is another one now), known with the first block;
 *   - a block is more than FASP_MEDIA_CLOCK_STEP too early: set ahead, at once;
 *   - all are as late, for a whole window: the path is a longer one, for good.  (But for who
 *     has the sender leave out what waits for too long: there it is a queue, unless they are
 *     later than that.)
 *
 * A jump has a place in the stream: blocks from `epoch' on are of the new time,
 * those before it, which may come later, of the old one.  Behind the first there is
 * one in a second at most, whatever a peer says: a fall in that second is followed
 * when it is over.
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
  FaspTime start;               /* arrival of the first block, or of the first
                                 * after a jump, or while it catches up */
  FaspTime start_offset;        /* in use then */
  FaspTime last;                /* arrival at which offset was slewed last */
  FaspTime offset;              /* in use */
  FaspTime slew_remainder;
  FaspTime catching_until;      /* until then it may fall at once */
  gint64 bucket;                /* number of the newest bucket */
  FaspTime bucket_min[FASP_MEDIA_CLOCK_WINDOW]; /* FASP_NEVER: empty */
  FaspTime least;               /* of all of them */
  FaspTime tolerated;           /* what all are late by may be a queue at the sender, up to
                                   that; the caller's */
  guint64 newest;               /* the highest block that has come, */
  FaspTime newest_media;        /* and its time */
  gboolean fell;                /* media time has fallen, which is not followed yet; */
  guint64 fell_at;              /* with that block */
  guint jumps;                  /* followed since the start; of the last: */
  guint64 epoch;                /* the first block of the new time, */
  guint64 epoch_least;          /* which cannot be before this one */
  FaspTime epoch_media;         /* of the block it was seen by */
  FaspTime before_media;        /* of the newest block of the old time, */
  FaspTime before_offset;       /* and what maps those */
  FaspTime jump;                /* the sender's clock went ahead by so much */
} FaspMediaClock;

void fasp_media_clock_init (FaspMediaClock * clock);
/* The same stream, with numbers of its own, from another sender: by the same clock. */
void fasp_media_clock_continue (FaspMediaClock * clock,
    const FaspMediaClock * before);
/* Block @number is here. TRUE: the clock jumped (not for the first block). */
gboolean fasp_media_clock_arrived (FaspMediaClock * clock, guint64 number,
    FaspTime media, FaspTime arrival);
/* A queue at the sender is gone: what offset has taken of it for the path is given back at once. */
void fasp_media_clock_catch_up (FaspMediaClock * clock);
/* Is this block of the time since the last jump? */
gboolean fasp_media_clock_is_current (const FaspMediaClock * clock,
    guint64 number);
FaspTime fasp_media_clock_map (const FaspMediaClock * clock, guint64 number,
    FaspTime media);
/* The media time of a block that is here, of which these are the low FASP_MEDIA_TIME_BITS: it
 * is 65 minutes late at most, however long nothing was sent before it. */
FaspTime fasp_media_clock_widen (const FaspMediaClock * clock, guint64 number,
    guint32 media, FaspTime arrival);

G_END_DECLS
