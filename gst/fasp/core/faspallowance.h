/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspallowance.h: some at once, and then one in each interval: a token bucket.
 *
 *     taken in any time t <= burst + t / interval
 *
 * All that there is of one is when it would be full again, if nothing more were taken; 0: it is.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* FALSE: none is left now.  @interval: µs. */
static inline gboolean
fasp_allowance_take (FaspTime * full, FaspTime now, FaspTime interval,
    guint burst)
{
  FaspTime then = MAX (*full, now) + interval;

  if (then - now > burst * interval)
    return FALSE;
  *full = then;
  return TRUE;
}

G_END_DECLS
