/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppresentation.h: when a receiver plays a block, so that all receivers play it at the same
 * moment.
 *
 *     play time = capture time + delay
 *
 * Both are on our monotonic clock here; the caller converts the capture time with its wall clock.
 * The play time is a constant more than the media time, so neither the network nor the reading of
 * clocks disturbs it.  If clocks are set, or another sender's differs a little, the play time
 * slews towards the new one.
 *
 * Invariants, whatever the clocks say: no block is played before it would have arrived without
 * loss, and none is held for longer than delay + FASP_PRESENTATION_AHEAD after that.  Where these
 * or the latency that was agreed on would be broken, blocks are played as without a delay, and the
 * state says why.  Where capture times are missing for a while, as in another session with the
 * stream, the play time stays as far from the media time as it was.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* A capture time may be later than the arrival by this: wall clocks differ. */
#define FASP_PRESENTATION_AHEAD (100 * FASP_MSEC)
/* How fast the play time moves: half of what viewers do not notice (faspplayout.h moves by a
 * hundredth), and 50 ms in ten seconds. */
#define FASP_PRESENTATION_SLEW_PPM 5000
/* It moves at once by more than this, as the sender's clock does (faspmediaclock.h). */
#define FASP_PRESENTATION_STEP (500 * FASP_MSEC)
/* A receiver that is in time stays so until the delay is too short by this. */
#define FASP_PRESENTATION_SLACK (20 * FASP_MSEC)

/* A block that is played no farther than this from its play time is in time. */
#define FASP_PRESENTATION_NEAR (5 * FASP_MSEC)
/* How long the play time is kept without capture times, as a receiver does with a mark
 * (faspcapture.h). */
#define FASP_PRESENTATION_KEEPS (10 * FASP_SEC)

typedef enum
{
  FASP_PRESENTATION_NOTHING,   /* no block came yet */
  FASP_PRESENTATION_NO_TIME,   /* the stream has no capture times */
  FASP_PRESENTATION_NO_CLOCK,  /* our wall clock cannot be compared with the sender's */
  FASP_PRESENTATION_AHEAD_OF,  /* the capture time lies in the future: a wall clock is wrong */
  FASP_PRESENTATION_LONG_AGO,  /* no delay is so long: a wall clock is wrong */
  FASP_PRESENTATION_TOO_SHORT, /* the path and its latency take longer than the delay */
  /* from here on, the play time follows capture times */
  FASP_PRESENTATION_KEPT,       /* as the last ones: there have been none for a while */
  FASP_PRESENTATION_NO_LATENCY, /* how much later sinks play is not known yet */
  FASP_PRESENTATION_MOVING,     /* a clock was set: it is on the way to its moment */
  /* from here on, it is in time */
  FASP_PRESENTATION_UNSURE, /* by wall clocks that follow nothing that is known */
  FASP_PRESENTATION_IN_TIME,
} FaspPresentationState;

#define FASP_PRESENTATION_STATES (FASP_PRESENTATION_IN_TIME + 1)

/* All zeros, but the delay: nothing came yet.  Times are µs. */
typedef struct
{
  FaspTime delay;
  FaspPresentationState state; /* of the last block */
  FaspTime least;              /* the least delay with which that block would be in time;
                                  FASP_NEVER: not known */
  FaspTime error;              /* how far it is played from its moment; FASP_NEVER: not known */
  FaspTime offset;             /* play time less media time; only from KEPT on */
  FaspTime usual_offset;       /* without a delay: play time less media time of the last block */
  FaspTime known_media;        /* media time of the last block that had a capture time */
  FaspTime media;              /* media time of the last block */
  gint64 remainder;            /* of the slew, in millionths of a µs */
} FaspPresentation;

typedef struct
{
  FaspTime media;    /* media time */
  FaspTime arrival;  /* when it would have arrived on a path without loss */
  FaspTime usual;    /* when it is played without a delay */
  FaspTime captured; /* capture time, on our clock */
  FaspPresentationState
      known;       /* NO_TIME, NO_CLOCK: `captured' has no meaning; NO_LATENCY; UNSURE; IN_TIME */
  gboolean jumped; /* media times before this one are of another clock */
} FaspPresentationBlock;

/* Returns when to play the block. */
FaspTime fasp_presentation_choose (FaspPresentation *p, const FaspPresentationBlock *block);

static inline gboolean
fasp_presentation_is_in_time (const FaspPresentation *p)
{
  return p->state >= FASP_PRESENTATION_UNSURE;
}

G_END_DECLS
