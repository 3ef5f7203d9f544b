/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a program made for srtsink and srtsrc relies on, as GStreamer's own test of them asserts it
 * (docs/from-srt.md says what is different): elements come and go, a URI is read back by
 * properties, one buffer passes whichever end dials, and `stats' tells of it.
 */
#include <gio/gio.h>
#include <gst/check/gstharness.h>
#include "gstfaspcommon.h"
#include "pair.h"

static const gchar *const names[] = { "faspsink", "faspsrc" };

static GstElement *
make (const gchar *name)
{
  GstElement *element = gst_element_factory_make (name, NULL);

  g_assert_nonnull (element);
  return gst_object_ref_sink (element);
}

static void
test_create_and_unref (gconstpointer name)
{
  for (guint i = 0; i < 2; i++) {
    GstElement *element = make (name);

    g_assert_cmpint (gst_element_set_state (element, GST_STATE_NULL), ==, GST_STATE_CHANGE_SUCCESS);
    g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (element), ==, 1);
    gst_object_unref (element);
  }
}

static void
test_uri_to_properties (gconstpointer name)
{
  g_autoptr (GstElement) element = make (name);
  g_autofree gchar *streamid = NULL, *address = NULL;
  gint latency, mode;
  guint port;

  g_object_set (element, "uri", "fasp://192.0.2.7:4001?mode=listener&latency=123&streamid=a-name",
      NULL);
  g_object_get (element, "latency", &latency, "mode", &mode, "streamid", &streamid, "localaddress",
      &address, "localport", &port, NULL);
  g_assert_cmpint (latency, ==, 123);
  g_assert_cmpint (mode, ==, 2); /* that of GST_SRT_CONNECTION_MODE_LISTENER */
  g_assert_cmpstr (streamid, ==, "a-name");
  g_assert_cmpstr (address, ==, "192.0.2.7");
  g_assert_cmpuint (port, ==, 4001);
}

/* --- where this end is -------------------------------------------------------------- */

/* Of each case: what is set, in any order, and what is then read. */
static const struct
{
  const gchar *set[4]; /* property=value */
  const gchar *address;
  guint port;
  const gchar *wrong; /* a part of why it cannot start; NULL: it can */
} places[] = {
  { { NULL }, NULL, 7001, NULL },
  { { "localport=9000" }, NULL, 9000, NULL },
  { { "localaddress=192.0.2.1" }, "192.0.2.1", 7001, NULL },
  { { "uri=fasp://:8001" }, NULL, 8001, NULL },
  { { "uri=fasp://0.0.0.0:8001" }, "0.0.0.0", 8001, NULL },
  { { "uri=fasp://192.0.2.1:8001?mode=listener" }, "192.0.2.1", 8001, NULL },
  { { "uri=fasp://192.0.2.1:8001", "mode=listener" }, "192.0.2.1", 8001, NULL },
  { { "uri=fasp://[fe80::1%25lo]:8001", "mode=listener" }, "fe80::1%lo", 8001, NULL },
  { { "uri=fasp://:8001?localport=8001&localaddress=192.0.2.1" }, "192.0.2.1", 8001, NULL },
  { { "uri=fasp://192.0.2.1:8001", "mode=listener", "localport=8001", "localaddress=192.0.2.1" },
      "192.0.2.1", 8001, NULL },
  /* the same address, written in two ways */
  { { "uri=fasp://[2001:db8::1]:8001", "mode=listener", "localaddress=2001:DB8:0::1" },
      "2001:DB8:0::1", 8001, NULL },
  { { "uri=fasp://[fe80::1%25lo]:8001", "mode=listener", "localaddress=FE80:0::1%lo" },
      "FE80:0::1%lo", 8001, NULL },
  { { "uri=fasp://192.0.2.1:8001", "mode=listener", "localaddress=" }, "192.0.2.1", 8001, NULL },
  /* a URI with the address to dial does not say where from */
  { { "uri=fasp://192.0.2.1:8001" }, NULL, 7001, NULL },
  { { "uri=fasp://192.0.2.1:8001", "localport=9000" }, NULL, 9000, NULL },
  { { "uri=fasp://192.0.2.1:8001", "localaddress=127.0.0.1" }, "127.0.0.1", 7001, NULL },
  { { "uri=fasp://192.0.2.1:8001", "mode=rendezvous" }, NULL, 8001, NULL },
  { { "uri=fasp://192.0.2.1:8001", "mode=rendezvous", "localport=9000" }, NULL, 9000, NULL },
  { { "uri=fasp://232.0.2.1:8001" }, NULL, 7001, NULL },

  { { "uri=fasp://:8001", "localport=9000" }, NULL, 9000, "localport=9000" },
  { { "uri=fasp://:8001?localport=9000" }, NULL, 9000, "localport=9000" },
  { { "uri=fasp://:8001", "localport=0" }, NULL, 0, "localport=0" },
  { { "uri=fasp://0.0.0.0:8001", "localaddress=127.0.0.1" }, "127.0.0.1", 8001,
      "localaddress=127.0.0.1" },
  { { "uri=fasp://192.0.2.1:8001", "mode=listener", "localaddress=192.0.2.2" }, "192.0.2.2", 8001,
      "localaddress=192.0.2.2" },
  { { "uri=fasp://[fe80::1%25lo]:8001", "mode=listener", "localaddress=fe80::1%eth0" },
      "fe80::1%eth0", 8001, "localaddress=fe80::1%eth0" },
};

/* The @n settings from @from on, beginning with the @first of them, forwards or backwards. */
static void
set_all (GstElement *element, const gchar *const *set, guint n, guint first, gboolean back)
{
  for (guint i = 0; i < n; i++) {
    const gchar *text = set[back ? (first + n - i) % n : (first + i) % n];
    const gchar *equals = strchr (text, '=');
    g_autofree gchar *name = g_strndup (text, equals - text);

    /* deserializing takes an empty text for no text */
    if (equals[1] == '\0')
      g_object_set (element, name, "", NULL);
    else
      gst_util_set_object_arg (G_OBJECT (element), name, equals + 1);
  }
}

static void
check_place (const gchar *name, guint i, guint n, guint first, gboolean back)
{
  g_autoptr (GstElement) element = make (name);
  g_autofree gchar *address = NULL, *why = NULL;
  guint port;

  set_all (element, places[i].set, n, first, back);
  g_object_get (element, "localaddress", &address, "localport", &port, NULL);
  g_assert_cmpstr (address, ==, places[i].address);
  g_assert_cmpuint (port, ==, places[i].port);
  g_signal_emit_by_name (element, "check-settings", &why);
  if (places[i].wrong == NULL) {
    g_assert_true (why == NULL || strstr (why, "otherwise") == NULL);
  } else {
    g_assert_nonnull (why);
    g_assert_nonnull (strstr (why, places[i].wrong));
    g_assert_nonnull (strstr (why, "leave "));
  }
}

static void
test_places (gconstpointer name)
{
  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    guint n = 0;

    while (n < G_N_ELEMENTS (places[i].set) && places[i].set[n] != NULL)
      n++;
    for (guint first = 0; first < MAX (n, 1); first++) {
      check_place (name, i, n, first, FALSE);
      check_place (name, i, n, first, TRUE);
    }
  }
}

/* --- a buffer, and what is told of it ------------------------------------------------ */

/* The figures of the only peer: of the structure itself, and of `callers'. */
static void
check_peer (const GstStructure *s)
{
  GSocketAddress *address = NULL;
  const gchar *text = gst_structure_get_string (s, "caller-address-string");
  g_autofree gchar *wanted = NULL;
  guint64 packets = 0, blocks = 0;

  g_assert_true (gst_structure_get_uint64 (s, "packets-received", &packets));
  g_assert_true (gst_structure_get_uint64 (s, "blocks-received", &blocks));
  /* srtsrc counts packets of the stream: 1 */
  g_assert_cmpuint (packets, >=, blocks);
  g_assert_cmpuint (blocks, >=, 1);
  g_assert_true (gst_structure_get (s, "caller-address", G_TYPE_SOCKET_ADDRESS, &address, NULL));
  wanted = g_strdup_printf ("127.0.0.1:%u",
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address)));
  g_assert_cmpstr (text, ==, wanted);
  g_object_unref (address);
}

static void
check_stats (GstElement *source)
{
  g_autoptr (GstStructure) stats = NULL;
  const GValueArray *callers;

  g_object_get (source, "stats", &stats, NULL);
  g_assert_cmpstr (gst_structure_get_name (stats), ==, "application/x-fasp-statistics");
  check_peer (stats);
  callers = gst_fasp_value_get_array (gst_structure_get_value (stats, "callers"));
  g_assert_nonnull (callers);
  g_assert_cmpuint (callers->n_values, ==, 1);
  check_peer (gst_value_get_structure (&callers->values[0]));
}

static void
check_play (const gchar *source_uri, const gchar *sink_uri)
{
  guint port = pair_get_port ();
  g_autofree gchar *sink_line =
      g_strdup_printf ("faspsink uri=fasp://%s:%u wait-for-connection=true " SECRET, sink_uri,
          port);
  g_autofree gchar *source_line =
      g_strdup_printf ("faspsrc name=source uri=fasp://%s:%u " SECRET, source_uri, port);
  GstHarness *sink = gst_harness_new_parse (sink_line);
  GstHarness *source = gst_harness_new_parse (source_line);
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (source->element), "source");
  gsize got = 0;

  gst_harness_set_src_caps_str (sink, "video/mpegts");
  gst_element_set_state (source->element, GST_STATE_PLAYING);
  gst_element_set_state (sink->element, GST_STATE_PLAYING);
  g_assert_cmpint (gst_harness_push (sink, gst_buffer_new_allocate (NULL, 1316, NULL)), ==,
      GST_FLOW_OK);
  while (got < 1316) {
    GstBuffer *buffer = gst_harness_pull (source);

    g_assert_nonnull (buffer);
    got += gst_buffer_get_size (buffer);
    gst_buffer_unref (buffer);
  }
  g_assert_cmpuint (got, ==, 1316);
  check_stats (element);
  gst_element_set_state (source->element, GST_STATE_NULL);
  gst_element_set_state (sink->element, GST_STATE_NULL);
  gst_harness_teardown (source);
  gst_harness_teardown (sink);
}

static void
test_src_caller_sink_listener (void)
{
  check_play ("127.0.0.1", "");
}

static void
test_src_listener_sink_caller (void)
{
  check_play ("", "127.0.0.1");
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree gchar *create = g_strconcat ("/srt/create-and-unref/", names[i], NULL);
    g_autofree gchar *uri = g_strconcat ("/srt/uri-to-properties/", names[i], NULL);
    g_autofree gchar *place = g_strconcat ("/srt/places/", names[i], NULL);

    g_test_add_data_func (create, names[i], test_create_and_unref);
    g_test_add_data_func (uri, names[i], test_uri_to_properties);
    g_test_add_data_func (place, names[i], test_places);
  }
  g_test_add_func ("/srt/src-caller-sink-listener", test_src_caller_sink_listener);
  g_test_add_func ("/srt/src-listener-sink-caller", test_src_listener_sink_caller);
  return g_test_run ();
}
