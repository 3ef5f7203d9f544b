/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmediaclock.h: the sender's media time on the receiver's clock.
 *
 * A block that is written at media time m and arrives at time a has taken at
 * least the one-way delay: a - m >= offset.  The smallest a - m of the last seconds
 * is the best estimate of `offset', as loss and queues only add to it.  So
 *
 *     map (m) = m + offset
 *
 * is when the block would have arrived on a path without loss and queues.
 * The offset in use slews towards the estimate by at most 1 ms per second,
 * both ways, so mapped times are smooth and follow a clock drift of up to
 * 1000 ppm.  After a pause, in which nothing was written, it corrects at once by what the clocks
 * may have drifted meanwhile.  It is set at once in the first second of a stream, which is
 * prolonged while blocks get less and less late, as for a receiver that joins in the past and
 * catches up.  And it is set at once after a jump:
 *
 *   - Media times fall while block numbers rise: the sender's clock was set back
 *     (or is another one now).  The first such block shows it.
 *   - A block is more than FASP_MEDIA_CLOCK_STEP too early: the sender's clock was set
 *     ahead.  The first such block shows it.
 *   - All blocks of a whole window are late by about the same: the path has become
 *     longer for good.  (If the sender leaves out blocks that have waited for too long,
 *     that is a queue at the sender, unless the blocks are even later than that.)
 *
 * A jump belongs to a block: blocks from `epoch' on are of the new time; those before it, which may
 * come later, are of the old time.  After the first jump there
 * is at most one in a second, whatever a peer says: media times that fall in that second are taken
 * for a jump when the second is over.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_MEDIA_CLOCK_WINDOW 10 /* buckets of one second each */
#define FASP_MEDIA_CLOCK_STEP (500 * FASP_MSEC)
#define FASP_MEDIA_CLOCK_SLEW_PPM 1000
/* The assumed drift between two clocks while nothing was written. */
#define FASP_MEDIA_CLOCK_PAUSE_PPM 200

typedef struct
{
  gboolean started;
  FaspTime start;          /* arrival of the first block, of the first one
                              after a jump, or of the last one that caught up */
  FaspTime start_offset;   /* the offset at `start' */
  FaspTime last;           /* newest arrival */
  FaspTime offset;         /* the offset in use; µs */
  FaspTime slew_remainder; /* remainder of the last slew, in millionths of a µs */
  FaspTime catching_until; /* until then the offset may fall at once */
  gint64 bucket;           /* number of the newest bucket */
  FaspTime bucket_min[FASP_MEDIA_CLOCK_WINDOW]; /* the least a - m of each bucket, or FASP_NEVER */
  FaspTime least;                               /* the least of bucket_min */
  FaspTime tolerated;                           /* lateness up to this may be a queue at the sender,
                                                   not a jump; set by the caller */
  guint64 newest;                               /* the highest block that has come */
  FaspTime newest_media;                        /* media time of `newest' */
  FaspTime latest_media;  /* as newest_media; before the first block, the previous sender's */
  gboolean fell;          /* the media time fell, which does not count as a
                             jump yet */
  guint64 fell_at;        /* the block with which it fell */
  guint jumps;            /* number of jumps */
  guint64 epoch;          /* last jump: the first block of the new time */
  guint64 epoch_least;    /* last jump: epoch cannot be below this block */
  FaspTime epoch_media;   /* last jump: media time of the block that showed it */
  FaspTime before_media;  /* last jump: media time of the newest old block */
  FaspTime before_offset; /* last jump: the offset that maps old blocks */
  FaspTime jump;          /* last jump: how far the sender's clock went ahead */
} FaspMediaClock;

void fasp_media_clock_init (FaspMediaClock *clock);
/* Begins as a copy of @before, the clock of another sender that sends the same stream by the same
 * clock, but with its own block numbers. */
void fasp_media_clock_continue (FaspMediaClock *clock, const FaspMediaClock *before);
/* Block @number has arrived. TRUE: the sender's clock has jumped. */
gboolean fasp_media_clock_arrived (FaspMediaClock *clock, guint64 number, FaspTime media,
    FaspTime arrival);
/* A queue at the sender is gone.  Its delay is part of the offset, which may now fall at once. */
void fasp_media_clock_catch_up (FaspMediaClock *clock);
/* Was the block written after the last jump? */
gboolean fasp_media_clock_is_current (const FaspMediaClock *clock, guint64 number);
/* When a block of that number and media time would have arrived without loss and queues. */
FaspTime fasp_media_clock_map (const FaspMediaClock *clock, guint64 number, FaspTime media);
/* Widens @media, the low FASP_MEDIA_TIME_BITS of the media time of a block that has arrived.  The
 * block may be up to 65 minutes late, however long nothing was sent before it. */
FaspTime fasp_media_clock_widen (const FaspMediaClock *clock, guint64 number, guint32 media,
    FaspTime arrival);

G_END_DECLS
