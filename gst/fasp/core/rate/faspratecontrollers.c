/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspratecontrollers.c: the rate controllers, by the value of the property.
 */
#include "fasprate.h"

static const FaspRateClass *
get_class (FaspRateControl control)
{
  switch (control) { /* without a default, the compiler reports a missing controller */
    case FASP_RATE_CONTROL_PERT:
      return &fasp_rate_pert;
    case FASP_RATE_CONTROL_ADAPTIVE:
      return &fasp_rate_adaptive;
    case FASP_RATE_CONTROL_FIXED:
      break;
  }
  return NULL;
}

FaspRate *
fasp_rate_new (FaspRateControl control, guint64 min, guint64 max, FaspTime now)
{
  const FaspRateClass *class = get_class (control);
  FaspRate *rate;

  if (class == NULL)
    return NULL;
  rate = g_malloc0 (class->size);
  rate->class = class;
  fasp_rate_set_bounds (rate, min, max);
  rate->window = G_MAXUINT32;
  rate->probe_time = now;
  rate->probe_wait = FASP_SEC;
  rate->rate = rate->offer = fasp_rate_clamp (rate, FASP_RATE_FIRST);
  class->init (rate, now);
  return rate;
}
