/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The documents do not lie: every pipeline in them parses, every property
 * and statistic is described.  FASP_ROOT is the source tree.
 */
#include <gst/gst.h>

static gchar *
load (const gchar * name)
{
  g_autofree gchar *path = g_build_filename (g_getenv ("FASP_ROOT"), name,
      NULL);
  gchar *text;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

/* Capture cards are not to be had everywhere. */
static gboolean
is_excused (const GError * error)
{
  return g_error_matches (error, GST_PARSE_ERROR,
      GST_PARSE_ERROR_NO_SUCH_ELEMENT)
      && strstr (error->message, "decklink") != NULL;
}

static void
test_pipelines (gconstpointer data)
{
  static const gchar command[] = "gst-launch-1.0 ";
  g_autofree gchar *text = load (data);
  g_autoptr (GRegex) continued = g_regex_new ("\\\\\n", 0, 0, NULL);
  g_autofree gchar *joined = g_regex_replace_literal (continued, text, -1, 0,
      " ", 0, NULL);
  g_auto (GStrv) lines = g_strsplit (joined, "\n", -1);
  guint found = 0;

  for (guint i = 0; lines[i] != NULL; i++) {
    g_autoptr (GError) error = NULL;
    const gchar *line = lines[i];
    GstElement *pipeline;

    if (g_str_has_prefix (line, " * "))
      line += 3;
    if (!g_str_has_prefix (line, command))
      continue;
    found++;
    line += strlen (command);
    if (g_str_has_prefix (line, "-e "))
      line += 3;
    pipeline = gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_FATAL_ERRORS,
        &error);
    if (error != NULL && !is_excused (error))
      g_error ("%s: %s", line, error->message);
    gst_clear_object (&pipeline);
  }
  g_assert_cmpuint (found, >, 0);
}

static void
assert_described (const gchar * text, const gchar * name)
{
  g_autofree gchar *quoted = g_strdup_printf ("`%s`", name);

  if (strstr (text, quoted) == NULL)
    g_error ("%s is not described", name);
}

static void
test_properties (void)
{
  static const gchar *const elements[] = { "faspsink", "faspsrc", "cbrpacer" };
  g_autofree gchar *sink = load ("docs/plugins/faspsink.md");
  g_autofree gchar *source = load ("docs/plugins/faspsrc.md");
  g_autofree gchar *both = g_strconcat (sink, source, NULL);
  g_autofree gchar *pacer = load ("docs/plugins/cbrpacer.md");

  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    g_autoptr (GstElement) element = gst_object_ref_sink
        (gst_element_factory_make (elements[i], NULL));
    guint n;
    g_autofree GParamSpec **pspecs = g_object_class_list_properties
        (G_OBJECT_GET_CLASS (element), &n);

    for (guint j = 0; j < n; j++)
      if (pspecs[j]->owner_type == G_OBJECT_TYPE (element))
        assert_described (i < 2 ? both : pacer, pspecs[j]->name);
  }
}

int
main (int argc, char **argv)
{
  static const gchar *const documents[] = { "README.md",
    "docs/plugins/faspsink.md", "docs/plugins/faspsrc.md",
    "docs/plugins/cbrpacer.md", "docs/pacing.md", "docs/low-latency.md",
    "docs/positions.md", "docs/relay.md",
    "gst/fasp/gstfaspsink.c", "gst/fasp/gstfaspsrc.c",
    "gst/cbrpacer/gstcbrpacer.c"
  };

  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (documents); i++) {
    g_autofree gchar *path = g_strconcat ("/docs/pipelines/", documents[i],
        NULL);

    g_test_add_data_func (path, documents[i], test_pipelines);
  }
  g_test_add_func ("/docs/properties", test_properties);
  return g_test_run ();
}
