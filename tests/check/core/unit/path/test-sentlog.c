/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When each packet left, found by its number.
 */
#include "faspsentlog.h"

static void
test_sent_log (void)
{
  FaspSentLog log = { 0 };
  guint64 start = 70000, end = start + 2 * FASP_SENT_LOG_MAX;

  g_assert_null (fasp_sent_log_get (&log, 0));
  for (guint64 pn = start; pn < end; pn++)
    fasp_sent_log_add (&log, pn, 10 * pn, 100 * pn);
  g_assert_null (fasp_sent_log_get (&log, end));
  g_assert_null (fasp_sent_log_get (&log, G_MAXUINT64));
  g_assert_null (fasp_sent_log_get (&log, end - FASP_SENT_LOG_MAX - 1));
  g_assert_cmpuint (fasp_sent_log_get (&log, end - FASP_SENT_LOG_MAX)->bytes, ==,
      100 * (end - FASP_SENT_LOG_MAX));
  fasp_sent_log_forget (&log, end - 1);
  g_assert_null (fasp_sent_log_get (&log, end - 2));
  g_assert_cmpint (fasp_sent_log_get (&log, end - 1)->time, ==, 10 * (end - 1));
  fasp_sent_log_forget (&log, G_MAXUINT64);
  g_assert_null (fasp_sent_log_get (&log, end - 1));
  fasp_sent_log_add (&log, end, 1, 2);
  g_assert_cmpuint (fasp_sent_log_get (&log, end)->bytes, ==, 2);
  fasp_sent_log_clear (&log);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rate/sent-log", test_sent_log);
  return g_test_run ();
}
