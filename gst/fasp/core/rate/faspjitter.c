/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspjitter.h"

#define GAIN .125 /* of the smoothing */

void
fasp_jitter_add (FaspJitter *jitter, const FaspSpan *span)
{
  gdouble spread;

  if (!fasp_span_get_spread (span, &spread))
    return;
  /* the mean of the first ones */
  jitter->n += jitter->n < 1 / GAIN;
  jitter->spread += MAX (GAIN, 1. / jitter->n) * (MIN (spread, FASP_JITTER_MOST) - jitter->spread);
}
