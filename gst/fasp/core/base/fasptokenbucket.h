/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasptokenbucket.h: a token bucket: a burst at once, then one token per interval.
 *
 *     tokens taken in any time t <= burst + t / interval
 *
 * Its only state is the time at which the bucket will be full if no more tokens are taken; 0: it is
 * full.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* Takes a token; FALSE: none is left now.  @interval: µs. */
static inline gboolean
fasp_token_bucket_take (FaspTime *full, FaspTime now, FaspTime interval, guint burst)
{
  FaspTime then = MAX (*full, now) + interval;

  if (then - now > burst * interval)
    return FALSE;
  *full = then;
  return TRUE;
}

G_END_DECLS
