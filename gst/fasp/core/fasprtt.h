/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprtt.h: round trip time estimate (RFC 6298, RFC 9002 section 5).
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean measured;
  FaspTime latest, min, smoothed, variation;
  FaspTime jitter;              /* variation, without RFC 6298's caution about
                                   the first sample */
} FaspRtt;

#define FASP_RTT_INITIAL (100 * FASP_MSEC)

void fasp_rtt_init (FaspRtt * rtt);
/* @sample: from sending to hearing of it; @ack_delay: what the peer says it
 * held it back, as far as it does not go below the minimum.  Samples <= 0
 * or above 60 s are ignored (hostile or a clock step). */
void fasp_rtt_sample (FaspRtt * rtt, FaspTime sample, FaspTime ack_delay);
/* smoothed + 4 variation, at least 10 ms, at most 10 s. */
FaspTime fasp_rtt_timeout (const FaspRtt * rtt);

G_END_DECLS
