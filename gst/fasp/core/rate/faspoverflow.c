/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspoverflow.h"
#include <math.h>

/* A wait is long if it exceeds the least one by this share of their range. */
#define LONG_SHARE .3
#define LONG_LEAST FASP_MSEC
#define SIGMAS 4
#define LEAST 3
/* A queue that overflows loses what is too much.  If more than this share is lost, the path is
 * down. */
#define OUTAGE_SHARE .75
/* Chance would have to lose at least this many of the others: of fewer, none may be lost by chance,
 * too. All losses of fewer than FEW_LOOKS looks at long waits may be one burst: then there must be
 * as many others. */
#define EXPECTED_LEAST 6
#define FEW_LOOKS 8
/* Packets reported over more than this time are those of a source that has nothing to send, and
 * probes of the path MTU. */
#define TOGETHER (2 * FASP_SEC)
/* The cause of the first loss is not known yet. */
#define PRIOR .5
/* If this many times as many packets waited, there are too few others to compare with. */
#define RATIO_MOST 16

static void
slide (FaspOverflow *o, FaspTime now)
{
  o->longest_before = o->longest;
  o->least_before = o->least;
  o->longest = 0;
  o->least = G_MAXINT64;
  o->since = now;
  for (guint i = 0; i < 2; i++) {
    o->told[i] /= 2;
    o->lost[i] /= 2;
    o->looks[i] /= 2;
  }
  o->squares /= 2;
}

/* The mean number of packets that chance loses together: by how much the losses of looks at short
 * waits vary more than if each packet was lost by itself. */
static gdouble
get_burst (const FaspOverflow *o)
{
  if (o->lost[0] <= 0)
    return 1;
  return MAX (1, o->squares / o->lost[0] - o->lost[0] / o->looks[0]);
}

/* Are there so few others that chance might lose none of them? */
static gboolean
are_too_few (const FaspOverflow *o)
{
  if (o->looks[1] < FEW_LOOKS && o->told[0] < o->told[1])
    return TRUE;
  return o->told[0] * o->lost[1] < EXPECTED_LEAST * o->told[1];
}

gboolean
fasp_overflow_add (FaspOverflow *o, FaspTime now, FaspTime queue, guint samples, FaspTime noise,
    guint64 told, guint64 lost, gboolean overtaken)
{
  FaspTime least, range;
  gdouble ratio, chance, most;
  gboolean waited;

  if (now - o->first >= TOGETHER)
    o->samples = o->new_told = o->new_lost = o->waits = 0;
  if (o->samples == 0)
    o->first = now;
  o->samples += samples;
  o->waits += (gdouble) queue * samples;
  o->new_told += told;
  o->new_lost += lost;
  if (o->samples < FASP_OVERFLOW_SAMPLES || (overtaken && now - o->first < FASP_OVERFLOW_SETTLES))
    return FALSE;
  queue = o->waits / o->samples;
  told = o->new_told;
  lost = o->new_lost > OUTAGE_SHARE * told ? 1 : o->new_lost;
  o->samples = o->new_told = o->new_lost = o->waits = 0;
  if (o->since == 0 || now - o->since >= FASP_OVERFLOW_WINDOW)
    slide (o, now);
  o->longest = MAX (o->longest, queue);
  o->least = MIN (o->least, queue);
  least = MIN (o->least, o->least_before);
  range = MAX (o->longest, o->longest_before) - least;
  waited = queue - least > MAX (MAX (LONG_LEAST, noise), LONG_SHARE * range);
  o->told[waited] += told;
  o->lost[waited] += lost;
  o->looks[waited]++;
  if (!waited)
    o->squares += (gdouble) lost * lost;
  if (!waited || lost == 0)
    return FALSE;
  ratio = o->told[1] / MAX (o->told[0], 1);
  chance = ratio * (o->lost[0] + PRIOR);
  most = LEAST + chance + SIGMAS * sqrt (chance * get_burst (o) * (1 + ratio));
  if (o->lost[1] <= most || are_too_few (o))
    return FALSE;
  /* what exceeds the bound does not make later losses the queue's */
  o->lost[1] = most;
  return TRUE;
}

gboolean
fasp_overflow_is_unclear (const FaspOverflow *o)
{
  return o->lost[1] > LEAST && o->told[1] > RATIO_MOST * o->told[0];
}
