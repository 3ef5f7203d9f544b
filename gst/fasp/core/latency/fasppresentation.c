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

static FaspPresentationState
judge (const FaspPresentation *p, const FaspPresentationBlock *block)
{
  FaspTime slack = fasp_presentation_is_in_time (p) ? FASP_PRESENTATION_SLACK : 0;

  if (block->known < FASP_PRESENTATION_UNSURE)
    return block->known;
  if (block->captured > block->arrival + FASP_PRESENTATION_AHEAD)
    return FASP_PRESENTATION_AHEAD_OF;
  if (p->least > LEAST_MAX)
    return FASP_PRESENTATION_LONG_AGO;
  return p->least > p->delay + slack ? FASP_PRESENTATION_TOO_SHORT : block->known;
}

FaspTime
fasp_presentation_choose (FaspPresentation *p, const FaspPresentationBlock *block)
{
  FaspTime target = block->captured + p->delay - block->media;
  gboolean was_in_time = fasp_presentation_is_in_time (p);

  p->least = MAX (0, block->usual - block->captured);
  p->state = judge (p, block);
  if (p->state < FASP_PRESENTATION_TOO_SHORT)
    p->least = FASP_NEVER;
  if (!fasp_presentation_is_in_time (p)) {
    p->media = block->media;
    return block->usual;
  }
  if (!was_in_time || block->jumped || ABS (target - p->offset) > FASP_PRESENTATION_STEP)
    p->offset = target;
  else
    slew (p, block->media, target);
  p->media = block->media;
  return CLAMP (block->media + p->offset, block->arrival,
      block->arrival + p->delay + FASP_PRESENTATION_AHEAD);
}
