/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages that a stranger can cause: a few at once, then one now and then, which counts the
 * others.
 */
#include "gstfaspquiet.h"

/* As if @seconds went by. */
static void
wait (GstFaspQuiet *quiet, gint64 seconds)
{
  quiet->full -= seconds * G_TIME_SPAN_SECOND;
}

static guint
tell (GstFaspQuiet *quiet, guint n, const gchar *last)
{
  guint told = 0;

  for (guint i = 0; i < n; i++) {
    g_autofree gchar *more = NULL;

    if (!gst_fasp_quiet_may_post (quiet, &more)) {
      g_assert_null (more);
      continue;
    }
    told++;
    g_assert_cmpstr (more, ==, told == 1 ? last : "");
  }
  return told;
}

static void
test_quiet (void)
{
  GstFaspQuiet quiet = { 0 };

  g_assert_cmpuint (tell (&quiet, 20000, ""), ==, 10);
  wait (&quiet, 10);
  g_assert_cmpuint (tell (&quiet, 3, " 19990 more like this since the last such message."), ==, 1);
  /* and after a while without any, as before */
  wait (&quiet, 200);
  g_assert_cmpuint (tell (&quiet, 12, " 2 more like this since the last such message."), ==, 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/quiet", test_quiet);
  return g_test_run ();
}
