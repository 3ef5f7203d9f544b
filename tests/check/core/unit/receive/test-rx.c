/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The receiver's end of a stream: what it asks for.
 */
#include "faspfeedback.h"
#include "fasprx.h"

/* A hole that was settled before anything told which block it was is asked for when that is
 * known, and not when it is time to speak. */
static void
test_unknown (void)
{
  FaspLatency agreed = { .latency = 100 * FASP_MSEC };
  FaspDataFrame frame = {
    .count = 1,
    .total = 4,
    .payload_size = 4,
    .payload = (const guint8 *) "abcd",
  };
  FaspTime now = FASP_SEC;
  FaspFeedbackTracker *feedback;
  FaspRx *rx;

  rx = fasp_rx_new (now, 0, 1000, &agreed, NULL);
  feedback = fasp_rx_get_feedback (rx);
  fasp_feedback_join (feedback, 7, 100, 10 * FASP_MSEC, 10000);
  fasp_feedback_sent (feedback, now, 100);
  fasp_rx_data (rx, now, &frame, NULL);
  g_assert_false (fasp_feedback_is_missing_unasked (feedback));
  /* block 1 was lost, nothing tells that there is one */
  fasp_feedback_settled (feedback, now);
  now += 20 * FASP_MSEC;
  g_assert_false (fasp_feedback_is_due (feedback, now));
  frame.block = 2;
  fasp_rx_data (rx, now, &frame, NULL);
  g_assert_true (fasp_feedback_is_missing_unasked (feedback));
  g_assert_cmpint (fasp_feedback_get_timeout (feedback), >, now + FASP_SEC);
  fasp_feedback_settled (feedback, now);
  g_assert_false (fasp_feedback_is_missing_unasked (feedback));
  now += 10 * FASP_MSEC;
  g_assert_true (fasp_feedback_is_due (feedback, now));
  fasp_rx_free (rx);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/crowd/unknown", test_unknown);
  return g_test_run ();
}
