/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasppresentation.h"

/* No user can set a longer delay: one of the wall clocks is wrong. */
#define LEAST_MAX (FASP_LATENCY_MS_MAX * FASP_MSEC)

/* Moves the offset towards @target, at the pace of media time. */
static void
slew (FaspPresentation *p, FaspTime media, FaspTime target)
{
  FaspTime elapsed = CLAMP (media - p->media, 0, FASP_SEC);
  gint64 allowed = elapsed * FASP_PRESENTATION_SLEW_PPM + p->remainder;
  FaspTime step = allowed / 1000000;

  p->remainder = allowed % 1000000;
  p->offset += CLAMP (target - p->offset, -step, step);
}

static gboolean
is_placed (const FaspPresentation *p)
{
  return p->state >= FASP_PRESENTATION_KEPT;
}

/* Does the block's media time go on from the last one's? */
static gboolean
goes_on (const FaspPresentation *p, const FaspPresentationBlock *block)
{
  return !block->jumped
      && ABS (block->usual - block->media - p->usual_offset) <= FASP_PRESENTATION_STEP;
}

static FaspPresentationState
judge (const FaspPresentation *p, const FaspPresentationBlock *block)
{
  FaspTime slack = is_placed (p) ? FASP_PRESENTATION_SLACK : 0;

  if (block->known == FASP_PRESENTATION_NO_TIME && is_placed (p) && goes_on (p, block)
      && ABS (block->media - p->known_media) <= FASP_PRESENTATION_KEEPS)
    return FASP_PRESENTATION_KEPT;
  if (block->known < FASP_PRESENTATION_KEPT)
    return block->known;
  if (block->captured > block->arrival + FASP_PRESENTATION_AHEAD)
    return FASP_PRESENTATION_AHEAD_OF;
  if (block->usual - block->captured > LEAST_MAX)
    return FASP_PRESENTATION_LONG_AGO;
  return block->usual - block->captured > p->delay + slack ? FASP_PRESENTATION_TOO_SHORT :
                                                             block->known;
}

static FaspTime
bound (const FaspPresentation *p, const FaspPresentationBlock *block)
{
  return CLAMP (block->media + p->offset, block->arrival,
      block->arrival + p->delay + FASP_PRESENTATION_AHEAD);
}

/* Chooses the play time of a block whose capture time is known. */
static FaspTime
place (FaspPresentation *p, const FaspPresentationBlock *block, gboolean anew)
{
  FaspTime target = block->captured + p->delay - block->media, time;

  if (anew || ABS (target - p->offset) > FASP_PRESENTATION_STEP)
    p->offset = target;
  else
    slew (p, block->media, target);
  p->known_media = block->media;
  time = bound (p, block);
  p->error = ABS (time - block->captured - p->delay);
  if (p->error > FASP_PRESENTATION_NEAR)
    p->state = MIN (p->state, FASP_PRESENTATION_MOVING);
  return time;
}

FaspTime
fasp_presentation_choose (FaspPresentation *p, const FaspPresentationBlock *block)
{
  gboolean anew = !is_placed (p) || block->jumped;
  FaspTime time = block->usual;

  p->state = judge (p, block);
  p->error = p->least = FASP_NEVER;
  p->usual_offset = block->usual - block->media;
  if (p->state >= FASP_PRESENTATION_TOO_SHORT && p->state != FASP_PRESENTATION_KEPT)
    p->least = MAX (0, block->usual - block->captured);
  if (p->state == FASP_PRESENTATION_KEPT)
    time = bound (p, block);
  else if (is_placed (p))
    time = place (p, block, anew);
  /* what the sinks add is only guessed */
  if (p->state == FASP_PRESENTATION_NO_LATENCY)
    p->error = p->least = FASP_NEVER;
  p->media = block->media;
  return time;
}
