/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspdemand.h"
#include <math.h>

/* Both rates are averaged over this time, as a key frame is many times as large as another
 * picture. */
#define AVERAGE FASP_SEC
/* An encoder that makes less than this part of its usual share has enough. */
#define USUAL .9

void
fasp_demand_add (FaspDemand *d, FaspTime now, FaspTime time, guint64 bytes, guint64 announced)
{
  gdouble weight = -expm1 (-(gdouble) time / AVERAGE);

  if (time <= 0)
    return;
  d->made += (bytes * 8. * FASP_SEC / time - d->made) * weight;
  d->announced += (announced - d->announced) * weight;
  if (now - d->since >= FASP_RATE_MEMORY) {
    d->since = now;
    d->before = d->most;
    d->most = 0;
  }
  /* after a lower rate is announced, the encoder keeps the former one for a while */
  if (announced > 0 && announced >= d->announced)
    d->most = MAX (d->most, MIN (1, d->made / d->announced));
}

gboolean
fasp_demand_has_enough (const FaspDemand *d)
{
  return d->made < USUAL * MAX (d->most, d->before) * d->announced;
}
