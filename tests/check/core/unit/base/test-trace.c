/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasptrace.h"

static void
test_ring (void)
{
  FaspTraceEntry out[8];
  FaspTrace trace = { 0 };

  /* off: nothing happens */
  fasp_trace_add (&trace, &(FaspTraceEntry) { .block = 1 });
  g_assert_cmpuint (fasp_trace_fetch (&trace, out, 8), ==, 0);
  fasp_trace_set_size (&trace, 4);
  for (guint i = 0; i < 6; i++)
    fasp_trace_add (&trace, &(FaspTraceEntry) { .block = i });
  g_assert_cmpuint (trace.ring.lost, ==, 2);
  g_assert_cmpuint (fasp_trace_fetch (&trace, out, 3), ==, 3);
  g_assert_cmpuint (out[0].block, ==, 2);
  g_assert_cmpuint (out[2].block, ==, 4);
  g_assert_cmpuint (fasp_trace_fetch (&trace, out, 8), ==, 1);
  g_assert_cmpuint (out[0].block, ==, 5);
  g_assert_cmpuint (fasp_trace_fetch (&trace, out, 8), ==, 0);
  fasp_trace_set_size (&trace, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/ring", test_ring);
  return g_test_run ();
}
