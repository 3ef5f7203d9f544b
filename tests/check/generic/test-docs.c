/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The documents do not lie: every pipeline in them parses, its elements would start, and what
 * it sends can be played; every property and statistic is described.  FASP_ROOT is the source
 * tree.
 */
#include <gst/gst.h>

static gchar *
load (const gchar *name)
{
  g_autofree gchar *path = g_build_filename (g_getenv ("FASP_ROOT"), name, NULL);
  gchar *text;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

/* Capture cards are not to be had everywhere, and avenc_s302m has two channels before 1.26. */
static gboolean
is_excused (const GError *error)
{
  guint major, minor, micro, nano;

  gst_version (&major, &minor, &micro, &nano);
  if (g_error_matches (error, GST_PARSE_ERROR, GST_PARSE_ERROR_LINK))
    return minor < 26 && strstr (error->message, "avenc_s302m") != NULL;
  return g_error_matches (error, GST_PARSE_ERROR, GST_PARSE_ERROR_NO_SUCH_ELEMENT)
      && strstr (error->message, "decklink") != NULL;
}

/* What its element would complain of when it starts. */
static void
check_settings (const GValue *value, gpointer line)
{
  GstElement *element = g_value_get_object (value);
  g_autofree gchar *why = NULL;

  if (g_signal_lookup ("check-settings", G_OBJECT_TYPE (element)) == 0)
    return;
  g_signal_emit_by_name (element, "check-settings", &why);
  if (why != NULL)
    g_error ("%s: %s", (const gchar *) line, why);
}

/* By itself, x264enc is given what its source likes best: 10 bit 4:4:4 by a test picture, 4:2:2 by
 * a card.  Many players take only 8 bit 4:2:0. */
static void
check_format (const gchar *line)
{
  g_auto (GStrv) parts = g_strsplit (line, "x264enc ", -1);

  for (guint i = 0; parts[i + 1] != NULL; i++)
    if (strstr (parts[i], "format=I420") == NULL)
      g_error ("%s: x264enc has no format=I420 in front", line);
}

/* With less, mpegtsmux of GStreamer 1.26 and later announces its streams one after the other, and
 * who plays the first does not get the next. */
static void
check_mux (const GValue *value, gpointer line)
{
  GstElement *element = g_value_get_object (value);
  guint64 latency;

  if (g_strcmp0 (GST_OBJECT_NAME (gst_element_get_factory (element)), "mpegtsmux") != 0
      || element->numsinkpads < 2)
    return;
  g_object_get (element, "latency", &latency, NULL);
  if (latency < GST_SECOND)
    g_error ("%s: mpegtsmux has no latency=1000000000", (gchar *) line);
}

/* As a shell hands it over: not to the background or the next program, and with the test's
 * addresses. */
static gchar *
clean (const gchar *line)
{
  g_autoptr (GRegex) address = g_regex_new ("[$]LINKEM_ADDR_[AB]", 0, 0, NULL);
  g_autoptr (GRegex) rest = g_regex_new (" +(&|[|] .*)$", 0, 0, NULL);
  g_autofree gchar *addressed = g_regex_replace_literal (address, line, -1, 0, "10.0.0.1", 0, NULL);

  return g_regex_replace_literal (rest, addressed, -1, 0, "", 0, NULL);
}

static void
check_line (const gchar *text)
{
  g_autofree gchar *line = clean (text);
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  GstIterator *elements;

  if (error != NULL && !is_excused (error))
    g_error ("%s: %s", line, error->message);
  check_format (line);
  if (pipeline == NULL)
    return;
  elements = gst_bin_iterate_recurse (GST_BIN (pipeline));
  gst_iterator_foreach (elements, check_settings, line);
  gst_iterator_resync (elements);
  gst_iterator_foreach (elements, check_mux, line);
  gst_iterator_free (elements);
  gst_object_unref (pipeline);
}

static void
test_pipelines (gconstpointer data)
{
  static const gchar command[] = "gst-launch-1.0 ", piped[] = "| gst-launch-1.0 ";
  g_autofree gchar *text = load (data);
  g_autoptr (GRegex) continued = g_regex_new ("\\\\\n", 0, 0, NULL);
  g_autofree gchar *joined = g_regex_replace_literal (continued, text, -1, 0, " ", 0, NULL);
  g_auto (GStrv) lines = g_strsplit (joined, "\n", -1);
  guint found = 0;

  for (guint i = 0; lines[i] != NULL; i++) {
    const gchar *line = lines[i];

    if (g_str_has_prefix (line, " * "))
      line += 3;
    if (g_str_has_prefix (line, "$LINKEM_"))
      line = strchr (line, ' ') + 1;
    if (strstr (line, piped) != NULL)
      line = strstr (line, piped) + strlen ("| ");
    if (!g_str_has_prefix (line, command))
      continue;
    found++;
    line += strlen (command);
    if (g_str_has_prefix (line, "-e ") || g_str_has_prefix (line, "-q "))
      line += 3;
    check_line (line);
  }
  g_assert_cmpuint (found, >, 0);
}

static void
assert_described (const gchar *text, const gchar *name)
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
    g_autoptr (GstElement) element =
        gst_object_ref_sink (gst_element_factory_make (elements[i], NULL));
    guint n;
    g_autofree GParamSpec **pspecs =
        g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

    for (guint j = 0; j < n; j++)
      if (pspecs[j]->owner_type == G_OBJECT_TYPE (element))
        assert_described (i < 2 ? both : pacer, pspecs[j]->name);
  }
}

/* Caps that are named as an example are of what can be cut to the sender's packets again. */
static void
test_caps (void)
{
  g_autoptr (GstElement) source = gst_object_ref_sink (gst_element_factory_make ("faspsrc", NULL));
  g_autoptr (GstElement) cutter =
      gst_object_ref_sink (gst_element_factory_make ("rtpstreamdepay", NULL));
  g_autoptr (GstPad) pad = gst_element_get_static_pad (cutter, "sink");
  const gchar *blurb =
      g_param_spec_get_blurb (g_object_class_find_property (G_OBJECT_GET_CLASS (source), "caps"));
  const gchar *example = strstr (blurb, "e.g. ") + strlen ("e.g. ");
  g_autofree gchar *name = g_strndup (example, strcspn (example, ")"));
  g_autoptr (GstCaps) caps = gst_caps_from_string (name);
  g_autofree gchar *text = load ("docs/plugins/faspsrc.md");

  g_assert_true (gst_pad_query_accept_caps (pad, caps));
  assert_described (text, name);
}

static void
add_test (const gchar *name)
{
  g_autofree gchar *path = g_strconcat ("/docs/pipelines/", name, NULL);

  g_test_add_data_func_full (path, g_strdup (name), test_pipelines, g_free);
}

/* Of a folder, each that has a pipeline. */
static void
add_documents (const gchar *folder)
{
  g_autofree gchar *path = g_build_filename (g_getenv ("FASP_ROOT"), folder, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const gchar *file;

  g_assert_nonnull (dir);
  while ((file = g_dir_read_name (dir)) != NULL) {
    g_autofree gchar *name = g_build_filename (folder, file, NULL);
    g_autofree gchar *text = NULL;

    if (!g_str_has_suffix (file, ".md"))
      continue;
    text = load (name);
    if (strstr (text, "\ngst-launch-1.0 ") != NULL)
      add_test (name);
  }
}

int
main (int argc, char **argv)
{
  static const gchar *const others[] = { "README.md", "docs/testing.md",
    "gst/fasp/elements/gstfaspsink.c", "gst/fasp/elements/gstfaspsrc.c",
    "gst/cbrpacer/element/gstcbrpacer.c" };

  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  add_documents ("docs");
  add_documents ("docs/plugins");
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    add_test (others[i]);
  g_test_add_func ("/docs/properties", test_properties);
  g_test_add_func ("/docs/caps", test_caps);
  return g_test_run ();
}
