/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspclockdiscipline.h"

/* Each look corrects the error by one part in this many. */
#define SHARE 16
/* An offset beyond this, 70 years, is nonsense: it comes from the network. */
#define SANE ((FaspTime) 1 << 51)

void
fasp_follower_init (FaspFollower * follower, gint64 now)
{
  *follower = (FaspFollower) {
  .time = now,.value = now,.rate = 1};
}

gint64
fasp_follower_get (const FaspFollower * follower, gint64 time)
{
  gint64 elapsed = time - follower->time;
  gint64 slewed = MAX (0, elapsed) / 1000000 * FASP_FOLLOWER_SLEW_PPM;

  /* only the part of the rate beyond 1 is rounded */
  return follower->value + elapsed +
      (gint64) ((follower->rate - 1) * elapsed) +
      CLAMP (follower->error, -slewed, slewed);
}

void
fasp_follower_leave (FaspFollower * follower)
{
  follower->epoch = 0;
}

void
fasp_follower_look (FaspFollower * follower, gint64 now,
    const FaspSenderClock * sender)
{
  gboolean other = sender->epoch != follower->epoch;
  gint64 value, media;

  if (!sender->known || ABS (sender->offset) > SANE || (!other
          && now - follower->time < FASP_FOLLOWER_INTERVAL))
    return;
  media = now - sender->offset * 1000;
  value = fasp_follower_get (follower, now);
  if (other)
    follower->constant = value - media;
  follower->epoch = sender->epoch;
  follower->time = now;
  follower->value = value;
  follower->error = (media + follower->constant - value) / SHARE;
  /* a microsecond of our clock is 1 - skew of the sender's */
  if (sender->skew_known)
    follower->rate = 1 - sender->skew;
}
