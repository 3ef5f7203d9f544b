/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprtt.h: an estimate of the round-trip time (RFC 6298, RFC 9002 section 5).
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean measured;
  FaspTime latest, min, smoothed, variation;
  FaspTime jitter; /* like variation, but without half of the first
                      sample that RFC 6298 adds as a precaution */
} FaspRtt;

#define FASP_RTT_INITIAL (100 * FASP_MSEC)
#define FASP_RTT_REPORT_MARGIN (15 * FASP_MSEC)

void fasp_rtt_init (FaspRtt *rtt);
/* @sample: time from sending a packet to its report.  @ack_delay: how long the peer delayed the
 * report, by its own account; it is subtracted, down to the minimum.  Samples <= 0 or above 60 s
 * are ignored (a hostile peer, or a clock step). */
void fasp_rtt_sample (FaspRtt *rtt, FaspTime sample, FaspTime ack_delay);
/* smoothed + 4 * variation; at least 10 ms, at most 10 s. */
FaspTime fasp_rtt_timeout (const FaspRtt *rtt);
/* The time after which a report is overdue: smoothed + 4 * jitter; at least smoothed +
 * FASP_RTT_REPORT_MARGIN.  The round trip must have been measured. */
FaspTime fasp_rtt_report_timeout (const FaspRtt *rtt);

G_END_DECLS
