/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <string.h>
#include "faspnackbackoff.h"
#include "faspdice.h"
#include "fasplimits.h"

void
fasp_nack_backoff_init (FaspNackBackoff *backoff, guint64 seed)
{
  memset (backoff, 0, sizeof *backoff);
  backoff->dice = seed != 0 ? seed : 1;
  backoff->time = FASP_NEVER;
  fasp_nack_backoff_set (backoff, 1, 0, 0);
}

void
fasp_nack_backoff_set (FaspNackBackoff *backoff, guint64 members, guint64 back_off_us,
    guint64 clock_ms)
{
  backoff->members = CLAMP (members, 1, G_MAXUINT16);
  backoff->back_off =
      backoff->members == 1 ? 0 : MIN (back_off_us, (guint64) FASP_NACK_BACKOFF_MAX);
  backoff->clock =
      CLAMP (clock_ms, FASP_MEMBER_CLOCK_MIN / FASP_MSEC, FASP_MEMBER_CLOCK_MAX / FASP_MSEC)
      * FASP_MSEC;
}

FaspTime
fasp_nack_backoff_draw (FaspNackBackoff *backoff)
{
  gdouble l = log (backoff->members) + 1;

  if (backoff->back_off == 0)
    return 0;
  return backoff->back_off * log1p (expm1 (l) * fasp_dice_roll (&backoff->dice)) / l;
}

FaspTime
fasp_nack_backoff_draw_spread (FaspNackBackoff *backoff)
{
  FaspTime longest = MIN (backoff->members * FASP_MSEC, backoff->clock);

  return longest * fasp_dice_roll (&backoff->dice);
}

FaspTime
fasp_nack_backoff_draw_clock (FaspNackBackoff *backoff)
{
  return backoff->clock * (.75 + .25 * fasp_dice_roll (&backoff->dice));
}

void
fasp_nack_backoff_settled (FaspNackBackoff *backoff, guint64 end)
{
  backoff->known = end;
}

void
fasp_nack_backoff_ask (FaspNackBackoff *backoff, FaspTime now, guint64 end)
{
  FaspTime time = now + fasp_nack_backoff_draw (backoff);

  if (backoff->time != FASP_NEVER && !backoff->again)
    return; /* a first request waits: these blocks are asked for after it */
  backoff->time = MIN (backoff->time, time);
  backoff->again = FALSE;
  backoff->end = end;
  backoff->upto = backoff->known;
}

void
fasp_nack_backoff_ask_again (FaspNackBackoff *backoff, FaspTime now)
{
  backoff->time = now + fasp_nack_backoff_draw (backoff);
  backoff->again = TRUE;
}

guint64
fasp_nack_backoff_report (FaspNackBackoff *backoff, gboolean asks)
{
  guint64 end = asks              ? backoff->upto :
      backoff->time == FASP_NEVER ? backoff->known :
                                    backoff->reported;

  return backoff->reported = MAX (backoff->reported, end);
}
