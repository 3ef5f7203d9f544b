/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspmediaclock.h"
#include "faspwire.h"

#define WINDOW FASP_MEDIA_CLOCK_WINDOW
/* In the first second after a start, a block that is earlier by this starts that second anew. */
#define CATCHING FASP_MSEC
/* Media times are widened around the time of arrival less this, so that a block may be up to 65
 * minutes late, or 5 early. */
#define EARLIER (30 * 60 * FASP_SEC)
/* Longer pauses count as this one: 9 years. */
#define PAUSE_MAX ((FaspTime) 1 << 48)
/* Times come from the network; one beyond this is not valid. */
#define SANE ((FaspTime) 1 << 60)

void
fasp_media_clock_init (FaspMediaClock *clock)
{
  memset (clock, 0, sizeof (*clock));
  for (guint i = 0; i < WINDOW; i++)
    clock->bucket_min[i] = FASP_NEVER;
  clock->least = FASP_NEVER;
}

static void
clear_window (FaspMediaClock *clock, gint64 bucket, FaspTime difference)
{
  for (guint i = 0; i < WINDOW; i++)
    clock->bucket_min[i] = FASP_NEVER;
  clock->bucket = bucket;
  clock->bucket_min[bucket % WINDOW] = clock->least = difference;
}

/* Are blocks late in each second of the window, by about the same?  Then the sender's clock jumped
 * back, or the path is a longer one now.  After an outage, in contrast, blocks get less and less
 * late. */
static gboolean
is_late_for_good (const FaspMediaClock *clock)
{
  FaspTime max = -FASP_NEVER;

  if (clock->least - clock->offset <= MAX (FASP_MEDIA_CLOCK_STEP, clock->tolerated))
    return FALSE;
  for (guint i = 0; i < WINDOW; i++) {
    if (clock->bucket_min[i] == FASP_NEVER)
      return FALSE;
    max = MAX (max, clock->bucket_min[i]);
  }
  return max - clock->least <= FASP_MEDIA_CLOCK_STEP / 2;
}

/* Moves the offset towards @target by what @elapsed allows, and by the drift of @pause, in which
 * nothing was written; µs. */
static void
slew (FaspMediaClock *clock, FaspTime target, FaspTime elapsed, FaspTime pause)
{
  FaspTime error = target - clock->offset, step;
  gint64 allowed = MIN (elapsed, FASP_SEC) * FASP_MEDIA_CLOCK_SLEW_PPM
      + pause * FASP_MEDIA_CLOCK_PAUSE_PPM + clock->slew_remainder;

  step = allowed / 1000000;
  clock->slew_remainder = allowed % 1000000;
  clock->offset += CLAMP (error, -step, step);
}

/* How long nothing was written before a block with this media time, less a second. @elapsed, the
 * time since the last arrival, only bounds it, as in an outage blocks are written that come
 * late. */
static FaspTime
get_pause (const FaspMediaClock *clock, FaspTime media, FaspTime elapsed)
{
  return CLAMP (MIN (elapsed, media - clock->latest_media) - FASP_SEC, 0, PAUSE_MAX);
}

/* The clock has jumped: another offset holds from block @number on. */
static void
jump (FaspMediaClock *clock, guint64 number, FaspTime media, FaspTime offset)
{
  clock->jumps++;
  clock->fell = FALSE;
  clock->epoch = number;
  clock->epoch_least = MIN (number, clock->newest + 1);
  clock->epoch_media = media;
  clock->before_media = clock->newest_media;
  clock->before_offset = clock->offset;
  clock->jump = clock->offset - offset;
  clock->offset = offset;
}

gboolean
fasp_media_clock_is_current (const FaspMediaClock *clock, guint64 number)
{
  return clock->jumps == 0 || number >= clock->epoch;
}

/* The block that showed the jump may have overtaken others. An overtaken block belongs to the old
 * or the new time, whichever is nearer; if to the new one, the epoch begins with it. */
static void
find_epoch (FaspMediaClock *clock, guint64 number, FaspTime media)
{
  if (!fasp_media_clock_is_current (clock, number) && number >= clock->epoch_least
      && ABS (media - clock->epoch_media) < ABS (media - clock->before_media))
    clock->epoch = number;
}

static void
note_newest (FaspMediaClock *clock, guint64 number, FaspTime media)
{
  if (number < clock->newest)
    return;
  clock->newest = number;
  clock->newest_media = clock->latest_media = media;
}

/* Lowers the least of @bucket, the second of the arrival, to @difference if the window still has
 * it. */
static void
note_least (FaspMediaClock *clock, gint64 bucket, FaspTime difference)
{
  if (bucket > clock->bucket) {
    for (gint64 b = MAX (clock->bucket + 1, bucket - WINDOW + 1); b <= bucket; b++)
      clock->bucket_min[b % WINDOW] = FASP_NEVER;
    clock->bucket = bucket;
    clock->least = FASP_NEVER;
    for (guint i = 0; i < WINDOW; i++)
      clock->least = MIN (clock->least, clock->bucket_min[i]);
  }
  if (bucket > clock->bucket - WINDOW) {
    FaspTime *min = &clock->bucket_min[bucket % WINDOW];

    *min = MIN (*min, difference);
    clock->least = MIN (clock->least, difference);
  }
}

/* Does this block show that the sender's clock was set?  In the first second after a start, an
 * early block shows a path that catches up, not a jump. Media times that fall do show a jump, but
 * only the first one in that second. */
static gboolean
was_set (FaspMediaClock *clock, guint64 number, FaspTime media, FaspTime arrival)
{
  gboolean fell;

  if (number > clock->newest && media < clock->newest_media) {
    clock->fell = TRUE;
    clock->fell_at = number;
  }
  /* a late block from before the fall does not show it */
  fell = clock->fell && number >= clock->fell_at;
  if (arrival - clock->start <= FASP_SEC)
    return fell && clock->jumps == 0;
  return fell || clock->offset - (arrival - media) > FASP_MEDIA_CLOCK_STEP;
}

void
fasp_media_clock_continue (FaspMediaClock *clock, const FaspMediaClock *before)
{
  *clock = *before;
  clock->newest = clock->epoch = clock->epoch_least = 0;
  clock->newest_media = -SANE;
}

void
fasp_media_clock_catch_up (FaspMediaClock *clock)
{
  clock->catching_until = clock->last + FASP_SEC;
}

gboolean
fasp_media_clock_arrived (FaspMediaClock *clock, guint64 number, FaspTime media, FaspTime arrival)
{
  gint64 bucket = arrival / FASP_SEC;
  FaspTime difference, elapsed, pause, target;

  if (media < -SANE || media > SANE || arrival < 0 || arrival > SANE)
    return FALSE;
  difference = arrival - media;
  if (!clock->started) {
    clock->started = TRUE;
    clock->start = clock->last = arrival;
    clock->offset = clock->start_offset = difference;
    note_newest (clock, number, media);
    clear_window (clock, bucket, difference);
    return FALSE;
  }
  find_epoch (clock, number, media);
  if (!fasp_media_clock_is_current (clock, number))
    return FALSE;
  elapsed = MAX (0, arrival - clock->last);
  clock->last = MAX (clock->last, arrival);
  if (was_set (clock, number, media, arrival)) {
    jump (clock, number, media, difference);
    note_newest (clock, number, media);
    clear_window (clock, bucket, difference);
    clock->start = arrival;
    clock->start_offset = difference;
    return TRUE;
  }
  pause = get_pause (clock, media, elapsed);
  note_newest (clock, number, media);
  note_least (clock, bucket, difference);
  target = clock->least;
  /* after so long a pause, this block alone shows the path's delay, and may be late */
  if (pause > WINDOW * FASP_SEC)
    clock->catching_until = arrival + FASP_SEC;
  if (arrival - clock->start <= FASP_SEC) {
    clock->offset = MIN (clock->offset, target);
    /* a receiver that joined in the past is catching up */
    if (clock->offset < clock->start_offset - CATCHING) {
      clock->start = arrival;
      clock->start_offset = clock->offset;
    }
    return FALSE;
  }
  if (is_late_for_good (clock)) {
    jump (clock, number, media, target);
    return TRUE;
  }
  if (arrival <= clock->catching_until)
    clock->offset = MIN (clock->offset, target);
  slew (clock, target, elapsed, pause);
  return FALSE;
}

static FaspTime
get_offset (const FaspMediaClock *clock, guint64 number)
{
  return fasp_media_clock_is_current (clock, number) ? clock->offset : clock->before_offset;
}

FaspTime
fasp_media_clock_map (const FaspMediaClock *clock, guint64 number, FaspTime media)
{
  FaspTime offset = get_offset (clock, number);

  return media < -SANE || media > SANE ? offset : media + offset;
}

FaspTime
fasp_media_clock_widen (const FaspMediaClock *clock, guint64 number, guint32 media,
    FaspTime arrival)
{
  FaspTime expected = clock->started ? arrival - get_offset (clock, number) - EARLIER : 0;

  return fasp_widen (media, FASP_MEDIA_TIME_BITS, MAX (0, expected));
}
