/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugins as parts of a program, with no plugin to load anywhere.
 */
#include <gst/gst.h>

GST_PLUGIN_STATIC_DECLARE (fasp);
GST_PLUGIN_STATIC_DECLARE (cbrpacer);

static void
test_registered (void)
{
  static const gchar *const names[] = { "faspsink", "faspsrc", "cbrpacer" };

  GST_PLUGIN_STATIC_REGISTER (fasp);
  GST_PLUGIN_STATIC_REGISTER (cbrpacer);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstElement *element = gst_element_factory_make (names[i], NULL);

    g_assert_nonnull (element);
    gst_object_unref (element);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/static/registered", test_registered);
  return g_test_run ();
}
