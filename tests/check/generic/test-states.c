/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Every element of the plugins through every order of states, alone.
 */
#include <gst/gst.h>

static void
test_states (gconstpointer data)
{
  static const GstState orders[][6] = {
    { GST_STATE_READY, GST_STATE_NULL },
    { GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL },
    { GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_READY,
        GST_STATE_NULL },
    { GST_STATE_PLAYING, GST_STATE_NULL, GST_STATE_PLAYING, GST_STATE_NULL },
  };
  GstElementFactory *factory = GST_ELEMENT_FACTORY (data);
  GstElement *element = gst_element_factory_create (factory, NULL);

  gst_object_ref_sink (element);
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "localport"))
    g_object_set (element, "localport", 0, NULL); /* any free one */
  for (guint i = 0; i < G_N_ELEMENTS (orders); i++)
    for (guint j = 0; j < G_N_ELEMENTS (orders[i]); j++) {
      gint64 before = g_get_monotonic_time ();

      g_assert_cmpint (gst_element_set_state (element, orders[i][j]), !=, GST_STATE_CHANGE_FAILURE);
      g_assert_cmpint (g_get_monotonic_time () - before, <, 2 * G_TIME_SPAN_SECOND);
      if (orders[i][j] == GST_STATE_NULL)
        break;
    }
  gst_element_set_state (element, GST_STATE_NULL);
  g_assert_cmpint (GST_OBJECT_REFCOUNT (element), ==, 1);
  gst_object_unref (element);
}

/* Every property says what it is for and gives back what was set. */
static void
test_properties (gconstpointer data)
{
  GstElementFactory *factory = GST_ELEMENT_FACTORY (data);
  GstElement *element = gst_element_factory_create (factory, NULL);
  guint n;
  g_autofree GParamSpec **pspecs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  gst_object_ref_sink (element);
  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT, again = G_VALUE_INIT;

    if (pspecs[i]->owner_type != G_OBJECT_TYPE (element))
      continue;
    g_assert_cmpuint (strlen (g_param_spec_get_blurb (pspecs[i])), >, 10);
    g_assert_true (pspecs[i]->flags & G_PARAM_STATIC_STRINGS);
    g_value_init (&value, pspecs[i]->value_type);
    if (pspecs[i]->flags & G_PARAM_READABLE)
      g_object_get_property (G_OBJECT (element), pspecs[i]->name, &value);
    if ((pspecs[i]->flags & G_PARAM_READWRITE) == G_PARAM_READWRITE) {
      g_assert_true (pspecs[i]->flags
          & (GST_PARAM_MUTABLE_READY | GST_PARAM_MUTABLE_PAUSED | GST_PARAM_MUTABLE_PLAYING));
      if (!g_str_equal (pspecs[i]->name, "uri"))
        g_assert_true (g_param_value_defaults (pspecs[i], &value));
      g_object_set_property (G_OBJECT (element), pspecs[i]->name, &value);
      g_value_init (&again, pspecs[i]->value_type);
      g_object_get_property (G_OBJECT (element), pspecs[i]->name, &again);
      g_assert_cmpint (g_param_values_cmp (pspecs[i], &value, &again), ==, 0);
      g_value_unset (&again);
    }
    g_value_unset (&value);
  }
  gst_object_unref (element);
}

static GList *
add_tests (const gchar *name, guint elements)
{
  g_autoptr (GstPlugin) plugin = gst_registry_find_plugin (gst_registry_get (), name);
  GList *features;

  g_assert_nonnull (plugin);
  features = gst_registry_get_feature_list_by_plugin (gst_registry_get (), name);
  g_assert_cmpuint (g_list_length (features), >=, elements);
  for (GList *l = features; l != NULL; l = l->next) {
    const gchar *feature = gst_plugin_feature_get_name (l->data);
    g_autofree gchar *states = g_strconcat ("/states/", feature, NULL);
    g_autofree gchar *properties = g_strconcat ("/properties/", feature, NULL);

    if (!GST_IS_ELEMENT_FACTORY (l->data))
      continue;
    g_test_add_data_func (states, l->data, test_states);
    g_test_add_data_func (properties, l->data, test_properties);
  }
  return features;
}

int
main (int argc, char **argv)
{
  GList *fasp, *cbrpacer;
  gint result;

  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  fasp = add_tests ("fasp", 2);
  cbrpacer = add_tests ("cbrpacer", 1);
  result = g_test_run ();
  gst_plugin_feature_list_free (fasp);
  gst_plugin_feature_list_free (cbrpacer);
  return result;
}
