/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspclockdiscipline.h"

/* Each look corrects 1/SHARE of the error. */
#define SHARE 16
/* An offset beyond this, 70 years, is nonsense: it comes from the network. */
#define SANE ((FaspTime) 1 << 51)

void
fasp_clock_discipline_init (FaspClockDiscipline *discipline, gint64 now)
{
  *discipline = (FaspClockDiscipline) { .time = now, .value = now, .rate = 1 };
}

gint64
fasp_clock_discipline_get (const FaspClockDiscipline *discipline, gint64 time)
{
  gint64 elapsed = time - discipline->time;
  gint64 slewed = MAX (0, elapsed) / 1000000 * FASP_CLOCK_DISCIPLINE_SLEW_PPM;

  /* the term `elapsed' is exact: only the rate's difference from 1 is multiplied as a double */
  return discipline->value + elapsed + (gint64) ((discipline->rate - 1) * elapsed)
      + CLAMP (discipline->error, -slewed, slewed);
}

void
fasp_clock_discipline_leave (FaspClockDiscipline *discipline)
{
  discipline->epoch = 0;
}

void
fasp_clock_discipline_look (FaspClockDiscipline *discipline, gint64 now,
    const FaspSenderClock *sender)
{
  gboolean other = sender->epoch != discipline->epoch;
  gint64 value, media;

  if (!sender->known || ABS (sender->offset) > SANE
      || (!other && now - discipline->time < FASP_CLOCK_DISCIPLINE_INTERVAL))
    return;
  media = now - sender->offset * 1000;
  value = fasp_clock_discipline_get (discipline, now);
  if (other)
    discipline->constant = value - media;
  discipline->epoch = sender->epoch;
  discipline->time = now;
  discipline->value = value;
  discipline->error = (media + discipline->constant - value) / SHARE;
  /* while our clock advances by 1 µs, the sender's advances by 1 - skew */
  if (sender->skew_known)
    discipline->rate = 1 - sender->skew;
}
