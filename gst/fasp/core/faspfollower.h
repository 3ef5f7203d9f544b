/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspfollower.h: a clock of our own that goes as the sender's does.
 *
 *     value (t) = value + rate * (t - time) + what is left of the error
 *
 * It runs at the sender's rate (faspskew.h), so that it goes on as well when
 * nothing comes, and makes up for what it differs from the sender's media time (less a
 * constant, found when it began) by at most FASP_FOLLOWER_SLEW_PPM, a sixteenth of it at
 * a time: what the network does to single seconds is smoothed away, and in a day not
 * a millisecond is lost.  Steady and never back; where the sender's clock jumps, or
 * another sender comes, this one does not: the constant is found anew.
 *
 * Times and values in ns.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_FOLLOWER_SLEW_PPM 500
/* It looks at the sender's clock so often, ns. */
#define FASP_FOLLOWER_INTERVAL G_GINT64_CONSTANT (1000000000)

/* What is known of the sender's clock. */
typedef struct
{
  gboolean known;               /* anything has come */
  guint epoch;                  /* another one: its times have nothing to do with those
                                 * before; never 0 */
  FaspTime offset;              /* its media time is ours less that, now; µs */
  gboolean skew_known;
  gdouble skew;                 /* faspskew.h */
  guint jumps;                  /* of this sender's clock, */
  FaspTime jump;                /* and how far the last went ahead, µs */
} FaspSenderClock;

typedef struct
{
  gint64 time, value;           /* at the last look */
  gint64 error;                 /* to be made up for from then on */
  gdouble rate;
  guint epoch;                  /* 0: has not followed anybody */
  gint64 constant;              /* value less media time */
} FaspFollower;

/* Shows our own time until there is somebody to follow. */
void fasp_follower_init (FaspFollower * follower, gint64 now);
gint64 fasp_follower_get (const FaspFollower * follower, gint64 time);
/* The sender is gone; goes on at its rate. */
void fasp_follower_leave (FaspFollower * follower);
/* To be called now and then; looks when it is time to. */
void fasp_follower_look (FaspFollower * follower, gint64 now,
    const FaspSenderClock * sender);

G_END_DECLS
