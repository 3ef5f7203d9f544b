/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasprate.h"

/* By FaspRateControl. */
static const FaspRateClass *const classes[] = {
  NULL, &fasp_rate_pert, &fasp_rate_adaptive
};

FaspRate *
fasp_rate_new (FaspRateControl control, guint64 min, guint64 max, FaspTime now)
{
  const FaspRateClass *class = classes[control];
  FaspRate *rate;

  if (class == NULL)
    return NULL;
  rate = g_malloc0 (class->size);
  rate->class = class;
  fasp_rate_set_bounds (rate, min, max);
  rate->rate = rate->offer = fasp_rate_clamp (rate, FASP_RATE_FIRST);
  class->init (rate, now);
  return rate;
}
