/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasprtt.h"

#define SAMPLE_MAX (60 * FASP_SEC)
#define TIMEOUT_MIN (10 * FASP_MSEC)
#define TIMEOUT_MAX (10 * FASP_SEC)

void
fasp_rtt_init (FaspRtt *rtt)
{
  *rtt = (FaspRtt) { FALSE, FASP_RTT_INITIAL, FASP_RTT_INITIAL, FASP_RTT_INITIAL,
    FASP_RTT_INITIAL / 2 };
}

void
fasp_rtt_sample (FaspRtt *rtt, FaspTime sample, FaspTime ack_delay)
{
  FaspTime adjusted = sample, deviation;

  if (sample <= 0 || sample > SAMPLE_MAX)
    return;
  rtt->latest = sample;
  if (!rtt->measured) {
    rtt->measured = TRUE;
    rtt->min = rtt->smoothed = sample;
    rtt->variation = sample / 2;
    return;
  }
  rtt->min = MIN (rtt->min, sample);
  if (ack_delay > 0)
    adjusted = MAX (sample - MIN (ack_delay, sample), rtt->min);
  deviation = ABS (rtt->smoothed - adjusted);
  rtt->variation = (3 * rtt->variation + deviation) / 4;
  rtt->jitter = (3 * rtt->jitter + deviation) / 4;
  rtt->smoothed = (7 * rtt->smoothed + adjusted) / 8;
}

FaspTime
fasp_rtt_timeout (const FaspRtt *rtt)
{
  return CLAMP (rtt->smoothed + 4 * rtt->variation, TIMEOUT_MIN, TIMEOUT_MAX);
}

FaspTime
fasp_rtt_report_timeout (const FaspRtt *rtt)
{
  return rtt->smoothed + MAX (FASP_RTT_REPORT_MARGIN, 4 * rtt->jitter);
}
