/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <string.h>
#include "faspnackbackoff.h"
#include "faspdice.h"
#include "fasplimits.h"

void
fasp_damp_init (FaspDamp * damp, guint64 seed)
{
  memset (damp, 0, sizeof *damp);
  damp->dice = seed != 0 ? seed : 1;
  damp->time = FASP_NEVER;
  fasp_damp_set (damp, 1, 0, 0);
}

void
fasp_damp_set (FaspDamp * damp, guint64 members, guint64 back_off_us,
    guint64 clock_ms)
{
  damp->members = CLAMP (members, 1, G_MAXUINT16);
  damp->back_off = damp->members == 1 ? 0 : MIN (back_off_us,
      (guint64) FASP_DAMP_BACK_OFF_MAX);
  damp->clock = CLAMP (clock_ms, FASP_DAMP_CLOCK_MIN / FASP_MSEC,
      FASP_DAMP_CLOCK_MAX / FASP_MSEC) * FASP_MSEC;
}

FaspTime
fasp_damp_draw (FaspDamp * damp)
{
  gdouble l = log (damp->members) + 1;

  if (damp->back_off == 0)
    return 0;
  return damp->back_off * log1p (expm1 (l) * fasp_dice_roll (&damp->dice)) / l;
}

FaspTime
fasp_damp_draw_turn (FaspDamp * damp)
{
  FaspTime longest = MIN (damp->members * FASP_MSEC, damp->clock);

  return longest * fasp_dice_roll (&damp->dice);
}

FaspTime
fasp_damp_draw_clock (FaspDamp * damp)
{
  return damp->clock * (.75 + .25 * fasp_dice_roll (&damp->dice));
}

void
fasp_damp_settled (FaspDamp * damp, guint64 end)
{
  damp->known = end;
}

void
fasp_damp_ask (FaspDamp * damp, FaspTime now, guint64 end)
{
  FaspTime time = now + fasp_damp_draw (damp);

  if (damp->time != FASP_NEVER && !damp->again)
    return;                     /* these blocks wait until that request is sent */
  damp->time = MIN (damp->time, time);
  damp->again = FALSE;
  damp->end = end;
  damp->upto = damp->known;
}

void
fasp_damp_ask_again (FaspDamp * damp, FaspTime now)
{
  damp->time = now + fasp_damp_draw (damp);
  damp->again = TRUE;
}

guint64
fasp_damp_tell (FaspDamp * damp, gboolean asks)
{
  guint64 end = asks ? damp->upto : damp->time == FASP_NEVER ? damp->known :
      damp->told;

  return damp->told = MAX (damp->told, end);
}
