/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspjitter.h"

void
fasp_jitter_add (FaspJitter *jitter, const FaspSpan *span)
{
  gdouble spread;

  if (!fasp_span_get_spread (span, &spread))
    return;
  /* the first stretches are averaged with equal weights */
  jitter->n += jitter->n < 1 / FASP_RATE_WEIGHT;
  jitter->spread +=
      MAX (FASP_RATE_WEIGHT, 1. / jitter->n) * (MIN (spread, FASP_RATE_TARGET) - jitter->spread);
}
