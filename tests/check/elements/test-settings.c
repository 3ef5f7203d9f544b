/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Properties and URIs of both elements: what is right takes effect, what is
 * wrong is one clear error before anything starts.
 */
#include <glib/gstdio.h>
#include <gst/app/gstappsrc.h>
#include "pair.h"

typedef struct
{
  const gchar *element, *uri;
  const gchar *error; /* a part of it; NULL: the URI is good */
} Uri;

static const Uri uris[] = {
  { "faspsink", "fasp://10.0.0.1:7001", NULL },
  { "faspsink", "fasp://:7001", NULL },
  { "faspsink", "fasp://:7001/", NULL },
  { "faspsink", "FASP://10.0.0.1:7001", NULL },
  { "faspsink", "fasp://[::1]:7001?latency=300", NULL },
  { "faspsink", "fasp://[::1]:7001?latency=auto", NULL },
  { "faspsrc", "fasp://:7001?latency=-1", NULL },
  { "faspsink", "fasp://studio.example:7001?mode=rendezvous", NULL },
  { "faspsink", "fasp://a:1?mode=caller&latency=0&streamid=x%20y%26z", NULL },
  { "faspsink", "fasp://a:65535?max-bitrate=8000000&slow-policy=skip", NULL },
  { "faspsink", "fasp://:7001?wait-for-connection=false&tos=184&ttl=12", NULL },
  { "faspsrc", "fasp://:7001?too-late=skip&keep-listening=true", NULL },
  { "faspsrc", "fasp://:7001?require-complete=true", NULL },
  { "faspsrc", "fasp://h:7001?redundancy=hot&fallback-addresses=b:1&wait-to-restore=60000", NULL },
  { "faspsrc", "fasp://h:7001?wait-to-restore=-1", "wait-to-restore" },
  { "faspsink", "fasp://host:7001?require-complete=true", "require-complete" },
  { "faspsrc", "fasp://:7001?monitor-ts=true", NULL },
  { "faspsink", "fasp://host:7001?monitor-ts=true", "monitor-ts" },
  { "faspsrc", "fasp://:7001?require-complete=all", "require-complete" },
  { "faspsrc", "fasp://h:7001?localport=9000&localaddress=10.0.0.2", NULL },
  { "faspsrc", "fasp://[fe80::1%25eth0]:7001", NULL },

  { "faspsink", "fasp://a:1?history=10s&glitch-interval=7d&latency=0.5s&stats-interval=1s", NULL },
  { "faspsrc", "fasp://a:1?resume-timeout=1.5min&join-back=2500ms&wait-to-restore=1min", NULL },
  { "faspsink", "fasp://a:1?latency=500us", "a time with its unit" }, /* no whole ms */
  { "faspsink", "fasp://a:1?history=10x", "a time with its unit" },
  { "faspsink", "fasp://a:1?history=s", "a time with its unit" },
  { "faspsink", "fasp://a:1?history=2d", "out of range" },
  { "faspsink", "fasp://a:1?buffer-size=10s", "a whole number from 262144 to 4294967295." },

  { "faspsink", "", "URI" },
  { "faspsrc", "fasp://[fe80::1%eth0]:7001", "write %25" },
  { "faspsrc", "fasp://[fe80::1%ee0]:7001", "write %25" },
  { "faspsrc", "fasp://a%zz:7001", "write %25" },
  { "faspsink", "fasp://a:7001?fec=20%", "value of fec in" },
  { "faspsink", "fasp://a:7001?latency=3&fec=20%&tos=4", "value of fec in" },
  { "faspsink", "fasp://a:7001?passphrase=correct-%zz-horse", "value of passphrase in" },
  { "faspsink", "fasp://a:7001?passphrase=correct&horse%=1", "write %25" },
  { "faspsink", "fasp://a:7001?streamid=%00", "value of streamid in" },
  { "faspsink", "fasp://a:7001?%", "write %25" },
  { "faspsink", "fasp://a:7001?%=%", "write %25" },
  { "faspsink", "fasp://u%@host:7001", "write %25" },
  { "faspsink", "fasp://host:7001#x%", "#fragment" },
  { "faspsink", "fasp://host:7001?passphrase=correct#horse%", "write %23" },
  { "faspsrc", "fasp://[]:7001", "to listen" },
  { "faspsink", "fasp://:7001?passphrase", "passphrase" },
  { "faspsink", "fasp://:7001?streamid", "streamid of a fasp URI: write a text" },
  { "faspsink", "srt://a:1", "srt" },
  { "faspsink", "fasp:", "port" },
  { "faspsink", "fasp://host", "port" },
  { "faspsink", "fasp://host:0", "port" },
  { "faspsink", "fasp://host:65536", "port" },
  { "faspsink", "fasp://host:99999999999999999999", "" },
  { "faspsink", "fasp://host:7001x", "" },
  { "faspsink", "fasp://host:-1", "" },
  { "faspsink", "fasp://user@host:7001", "user name" },
  { "faspsink", "fasp://host:7001#x", "#fragment" },
  { "faspsink", "fasp://host:7001/path", "path" },
  { "faspsink", "fasp://host:7001?latncy=3", "latncy" },
  { "faspsink", "fasp://host:7001?LATENCY=3", "LATENCY" },
  { "faspsink", "fasp://host:7001?latency", "latency" },
  { "faspsink", "fasp://host:7001?latency=", "latency" },
  { "faspsink", "fasp://host:7001?latency=-2", "latency" },
  { "faspsink", "fasp://host:7001?latency=abc", "from -1 to 600000, or auto" },
  { "faspsink", "fasp://host:7001?latency=3000000000", "latency" },
  { "faspsink", "fasp://host:7001?mode=server", "one of none, caller, listener, rendezvous" },
  { "faspsink", "fasp://host:7001?rex=no-thanks", "true or false" },
  { "faspsrc", "fasp://host:7001?resume-timeout=30000", "from 1000000000 to" },
  { "faspsrc", "fasp://host:7001?caps=,", "caps, as" },
  { "faspsrc", "fasp://host:7001?caps=%201", "caps, as" },
  { "faspsrc", "fasp://host:7001?caps=video/mpegts;%20.", "caps, as" },
  { "faspsrc", "fasp://host:7001?caps=video/mpegts;%20video/x-h264", NULL },
  { "faspsrc", "fasp://host:7001?caps=application/x-foo,a%3D%221;2%5C%22;3%22", NULL },
  { "faspsrc", "fasp://host:7001?caps=application/x-foo,a%3D%221%22;2", "caps, as" },
  { "faspsink", "fasp://host:7001?slow-policy=whatever", "slow-policy" },
  { "faspsink", "fasp://:7001?max-receivers=16385", "max-receivers" },
  { "faspsrc", "fasp://:7001?max-receivers=5", "max-receivers" },
  { "faspsink", "fasp://host:7001?tos=256", "tos" },
  { "faspsink", "fasp://host:7001?ttl=256", "ttl" },
  { "faspsink", "fasp://host:7001?flowlets=0", "flowlets" },
  { "faspsink", "fasp://host:7001?flowlets=65", "from 1 to 64" },
  { "faspsink", "fasp://host:7001?threads=65", "threads" },
  { "faspsrc", "fasp://host:7001?flow-assignment=random", "flow-assignment" },
  { "faspsink", "fasp://host:7001?stats=1", "stats" },
  { "faspsink", "fasp://host:7001?name=x", "name" },
  { "faspsrc", "fasp://host:7001?latency=3&tos=8", NULL },
  { "faspsrc", "fasp://host:7001?latency=3&tos=8&latency=3", "latency twice" },
  { "faspsrc", "fasp://host:7001?latency=3&latenc%79=4", "latency twice" },
  { "faspsink", "fasp://host:7001?max_bitrate=3&max-bitrate=4", "max-bitrate twice" },
  { "faspsink", "fasp://host:7001?record=/nowhere/x.db", "property record of" },
  { "faspsrc", "fasp://host:7001?latency=3&record=", "property record of" },
  { "faspsrc", "fasp://host:7001?record", "property record of" },
  { "faspsrc", "fasp://host:7001?rec%6Frd=x.csv", "property record of" },
  { "faspsink", "fasp://host:7001?log=/nowhere/x", "property log of" },
  { "faspsrc", "fasp://host:7001?l%6Fg", "property log of" },
  { "faspsink", "fasp://:7001?key-file=/nowhere", "property key-file of" },
  { "faspsrc", "fasp://:7001?allowed-keys=x", "property allowed-keys of" },
  { "faspsink", "fasp://host:7001?sync=true", "sync" },
  { "faspsink", "fasp://host:7001?too-late=skip", "too-late" },
  { "faspsrc", "fasp://host:7001?max-bitrate=1", "max-bitrate" },
};

static void
test_uri (gconstpointer data)
{
  const Uri *uri = data;
  GstElement *element = gst_element_factory_make (uri->element, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree gchar *kept = NULL;
  gboolean good;

  g_assert_nonnull (element);
  gst_object_ref_sink (element);
  g_object_set (element, "uri", "fasp://kept:1234", NULL);
  good = gst_uri_handler_set_uri (GST_URI_HANDLER (element), uri->uri, &error);
  if (uri->error == NULL) {
    g_assert_no_error (error);
    g_assert_true (good);
  } else {
    g_assert_false (good);
    g_assert_nonnull (error);
    if (strstr (error->message, uri->error) == NULL)
      g_error ("%s: \"%s\" does not speak of %s", uri->uri, error->message, uri->error);
    /* nothing of it took effect */
    kept = gst_uri_handler_get_uri (GST_URI_HANDLER (element));
    g_assert_true (g_str_has_prefix (kept, "fasp://kept:1234"));
  }
  gst_object_unref (element);
}

/* NULL is that of an element that has none, whatever was set before. */
static void
test_no_uri (gconstpointer name)
{
  g_autoptr (GstElement) element = gst_object_ref_sink (gst_element_factory_make (name, NULL));
  const gchar *const before[] = { "fasp://host:1234?mode=caller", "host:1234" };
  g_autofree gchar *fresh = NULL;

  g_signal_emit_by_name (element, "check-settings", &fresh);
  g_assert_cmpstr (fresh, ==, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (before); i++) {
    g_autofree gchar *uri = NULL, *why = NULL;

    g_object_set (element, "uri", before[i], "uri", NULL, "mode", 0, NULL);
    g_object_get (element, "uri", &uri, NULL);
    g_assert_cmpstr (uri, ==, NULL);
    g_signal_emit_by_name (element, "check-settings", &why);
    g_assert_cmpstr (why, ==, NULL);
  }
}

/* The writable properties of an element's own class, but for uri, which sets several. */
static GPtrArray *
list_settings (GObject *element)
{
  GPtrArray *list = g_ptr_array_new ();
  guint n;
  g_autofree GParamSpec **pspecs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  for (guint i = 0; i < n; i++)
    if (pspecs[i]->owner_type == G_OBJECT_TYPE (element) && (pspecs[i]->flags & G_PARAM_WRITABLE)
        && !g_str_equal (pspecs[i]->name, "uri"))
      g_ptr_array_add (list, pspecs[i]);
  return list;
}

static gchar *
describe_setting (GObject *element, GParamSpec *pspec)
{
  g_auto (GValue) value = G_VALUE_INIT;

  if (!(pspec->flags & G_PARAM_READABLE))
    return NULL;
  g_value_init (&value, pspec->value_type);
  g_object_get_property (element, pspec->name, &value);
  return g_strdup_value_contents (&value);
}

/* Something else than it was; returns how that is described. */
static gchar *
set_another (GObject *element, GParamSpec *pspec)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, pspec->value_type);
  if (pspec->value_type == G_TYPE_STRING) {
    g_value_set_string (&value, pspec->name);
  } else if (pspec->value_type == GST_TYPE_CAPS) {
    g_value_take_boxed (&value, gst_caps_new_empty_simple ("video/mpegts"));
  } else if (pspec->value_type == G_TYPE_BOOLEAN) {
    g_object_get_property (element, pspec->name, &value);
    g_value_set_boolean (&value, !g_value_get_boolean (&value));
  } else if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    g_value_set_enum (&value, G_PARAM_SPEC_ENUM (pspec)->enum_class->maximum);
  } else if (pspec->value_type == G_TYPE_INT) {
    g_value_set_int (&value, G_PARAM_SPEC_INT (pspec)->maximum);
  } else if (pspec->value_type == G_TYPE_UINT) {
    g_value_set_uint (&value, G_PARAM_SPEC_UINT (pspec)->maximum);
  } else {
    g_assert_true (pspec->value_type == G_TYPE_UINT64);
    g_value_set_uint64 (&value, G_PARAM_SPEC_UINT64 (pspec)->maximum);
  }
  g_object_set_property (element, pspec->name, &value);
  return g_strdup_value_contents (&value);
}

/* Each property keeps its new value, and no other one changes. */
static void
test_apart (gconstpointer name)
{
  g_autoptr (GstElement) element = gst_object_ref_sink (gst_element_factory_make (name, NULL));
  g_autoptr (GPtrArray) pspecs = list_settings (G_OBJECT (element));
  g_autoptr (GPtrArray) wanted = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < pspecs->len; i++)
    g_ptr_array_add (wanted, describe_setting (G_OBJECT (element), pspecs->pdata[i]));
  for (guint i = 0; i < pspecs->len; i++) {
    GParamSpec *set = pspecs->pdata[i];
    g_autofree gchar *before = wanted->pdata[i];

    wanted->pdata[i] = set_another (G_OBJECT (element), set);
    g_assert_cmpstr (wanted->pdata[i], !=, before);
    for (guint k = 0; k < pspecs->len; k++) {
      g_autofree gchar *now = describe_setting (G_OBJECT (element), pspecs->pdata[k]);

      if (now != NULL)
        g_assert_cmpstr (now, ==, wanted->pdata[k]);
    }
  }
}

static void
test_keys (void)
{
  g_autoptr (GstElement) sink = gst_object_ref_sink (gst_element_factory_make ("faspsink", NULL));
  g_autofree gchar *streamid = NULL, *uri = NULL;
  guint latency, policy, most, of_network;
  guint64 bitrate, total, history, glitch;
  gboolean wait;
  gint tos;

  /* a crowd as it is used by default */
  g_object_get (sink, "max-receivers", &most, "max-receivers-per-network", &of_network, NULL);
  g_assert_cmpuint (most, ==, 4096);
  g_assert_cmpuint (of_network, ==, 1024);
  /* what the URI does not name keeps its value */
  g_object_set (sink, "latency", 77, "streamid", "before", NULL);
  g_object_set (sink, "uri",
      "fasp://h:1?max-bitrate=8000000&tos=184&"
      "slow-policy=drop-receiver&wait-for-connection=false&max-receivers=50&"
      "max-receivers-per-network=0&max-total-bitrate=90000000",
      NULL);
  g_object_get (sink, "max-receivers", &most, "max-receivers-per-network", &of_network, NULL);
  g_assert_cmpuint (most, ==, 50);
  g_assert_cmpuint (of_network, ==, 0);
  g_object_get (sink, "latency", &latency, "max-bitrate", &bitrate, "max-total-bitrate", &total,
      "tos", &tos, "slow-policy", &policy, "wait-for-connection", &wait, "streamid", &streamid,
      NULL);
  g_assert_cmpuint (latency, ==, 77);
  g_assert_cmpuint (bitrate, ==, 8000000);
  g_assert_cmpuint (total, ==, 90000000);
  g_assert_cmpint (tos, ==, 184);
  g_assert_cmpuint (policy, ==, 1);
  g_assert_false (wait);
  g_assert_cmpstr (streamid, ==, "before");
  g_object_set (sink, "uri", "fasp://h:2?history=10s&latency=0.3s&glitch-interval=1.5h", NULL);
  g_object_get (sink, "history", &history, "latency", &latency, "glitch-interval", &glitch, NULL);
  g_assert_cmpuint (history, ==, 10 * GST_SECOND);
  g_assert_cmpuint (latency, ==, 300);
  g_assert_cmpuint (glitch, ==, 5400 * GST_SECOND);
  g_clear_pointer (&streamid, g_free);
  g_object_set (sink, "uri", "fasp://h:2?streamid=a%26b%20%C3%A4", NULL);
  g_object_get (sink, "streamid", &streamid, "uri", &uri, "max-bitrate", &bitrate, NULL);
  g_assert_cmpstr (streamid, ==, "a&b ä");
  g_assert_cmpuint (bitrate, ==, 8000000);
  /* and what is told can be set again */
  g_assert_true (gst_uri_handler_set_uri (GST_URI_HANDLER (sink), uri, NULL));
}

/* An element says that it provides a clock if it does: gst-inspect-1.0 finds fault with others. */
static void
test_clock_flag (void)
{
  g_autoptr (GstElement) source = gst_object_ref_sink (gst_element_factory_make ("faspsrc", NULL));
  static const gchar *const uris_of[] = { "fasp://:1?latency=1", "fasp://:1?provide-clock=true",
    "fasp://:1?provide-clock=false" };

  for (guint i = 0; i < G_N_ELEMENTS (uris_of); i++) {
    g_autoptr (GstClock) clock = NULL;

    g_object_set (source, "uri", uris_of[i], NULL);
    clock = gst_element_provide_clock (source);
    g_assert_cmpint (clock != NULL, ==, i == 1);
    g_assert_cmpint (GST_OBJECT_FLAG_IS_SET (source, GST_ELEMENT_FLAG_PROVIDE_CLOCK), ==, i == 1);
  }
}

/* A URI that a player is given names no file of this machine: none is made, or read. */
static void
test_local (gconstpointer name)
{
  g_autofree gchar *folder = g_dir_make_tmp ("fasp-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, "x.csv", NULL);
  g_autofree gchar *uri = g_strdup_printf ("fasp://127.0.0.1:1?%s=%s", (const gchar *) name, path);
  g_autoptr (GError) error = NULL;
  GstElement *player = gst_element_make_from_uri (GST_URI_SRC, uri, NULL, &error);

  g_assert_null (player);
  g_assert_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI);
  g_assert_null (strstr (error->message, folder));
  player = pair_launch ("faspsrc uri=%s ! fakesink", uri);
  g_assert_cmpint (gst_element_set_state (player, GST_STATE_PLAYING), ==, GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (player, GST_STATE_NULL);
  gst_object_unref (player);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* The uri that an element returns sets the same again. */
static void
test_again (void)
{
  static const gchar *const streamids[] = { "a b", " a  b ", "a+b", "+ +", "a%20b", "a%2Bb", "100%",
    "a&b=c?d#e;f/g:h@i", "ä ö", "" };
  g_autoptr (GstElement) from = gst_object_ref_sink (gst_element_factory_make ("faspsink", NULL));
  g_autoptr (GstElement) to = gst_object_ref_sink (gst_element_factory_make ("faspsink", NULL));

  for (guint i = 0; i < G_N_ELEMENTS (streamids); i++) {
    g_autofree gchar *uri = NULL, *again = NULL, *streamid = NULL;

    g_object_set (from, "uri", "fasp://[fe80::1%25eth0]:1", "streamid", streamids[i], NULL);
    g_object_get (from, "uri", &uri, NULL);
    g_assert_true (gst_uri_handler_set_uri (GST_URI_HANDLER (to), uri, NULL));
    g_object_get (to, "streamid", &streamid, "uri", &again, NULL);
    g_assert_cmpstr (streamid, ==, streamids[i]);
    g_assert_cmpstr (again, ==, uri);
  }
}

/* A passphrase in a wrong place, or a % in it: the error does not say what it is. */
static void
test_secret (void)
{
  g_autoptr (GstElement) sink = gst_object_ref_sink (gst_element_factory_make ("faspsink", NULL));
  static const gchar *const secrets[] = {
    "fasp://h:1?passphrase=correct%horse",
    "fasp://h:1?passphrase=correct&horse%=1",
    "fasp://h:1?passphrase=correct%&horse=1",
    "fasp://h:1?passphrase=correct#horse%",
    "fasp://h:1?pasphrase=correct&horse=1",
    "fasp://h:1?pasphrase=correct&horse",
    "fasp://h:1?latency=20&correct",
    "fasp://h:1?correct2=horse",
    "fasp://h:1?latency=20?passphrase=correct-horse",
    "fasp://h:1?fallback-addresses=h:2?passphrase=correct-horse",
    "fasp://h:1?localaddress=10.0.0.1,PassPhrase=correct-horse",
    "fasp://h:1?latency=20;key=correct-horse",
    "fasp://h:1/correct-horse",
    "fasp://joe:correct-horse@h:1",
    "fasp://joe:correct[horse@h:1",
    "fasp://joe:correct%ffhorse@h:1",
    "fasp://joe:correct/horse@h:1",
    "fasp://joe:correct?horse@h:1",
  };

  for (guint i = 0; i < G_N_ELEMENTS (secrets); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (gst_uri_handler_set_uri (GST_URI_HANDLER (sink), secrets[i], &error));
    g_assert_null (strstr (error->message, "correct"));
    g_assert_null (strstr (error->message, "horse"));
  }
}

/* Every mistake of settings is an error message, not a crash or a hang. */
static void
test_bad_starts (void)
{
  static const gchar *const lines[][2] = {
    { "fakesrc ! faspsink uri=fasp://h:1?nonsense=1", "nonsense" },
    { "fakesrc ! faspsink uri=nonsense", "not a fasp URI" },
    { "fakesrc ! faspsink mode=caller", "no address to dial" },
    { "fakesrc ! faspsink uri=fasp://:7001?mode=rendezvous", "no address to dial" },
    { "fakesrc ! faspsink uri=fasp://0.0.0.0:7001?mode=caller", "no address to dial" },
    { "faspsrc uri=fasp://[::]:7001?mode=rendezvous ! fakesink", "no address to dial" },
    { "faspsrc uri=fasp://:7001 multicast-source=192.0.2.1 ! fakesink", "multicast group" },
    { "fakesrc ! faspsink localaddress=not-an-address localport=0", "not-an-address" },
    { "fakesrc ! faspsink localaddress=192.0.2.1 localport=0", "192.0.2.1" },
    { "fakesrc ! faspsink localaddress=203.0.113.9 localport=0", "ip address" },
    { "fakesrc ! faspsink uri=fasp://[::1]:7001?localaddress=127.0.0.1", "do not mix" },
    { "fakesrc ! faspsink uri=fasp://[fe80::1]:7001", "needs its interface" },
    { "faspsrc uri=fasp://[fe80::1]:7001 ! fakesink", "needs its interface" },
    { "fakesrc ! faspsink interface=nosuch0 localport=0", "nosuch0" },
    { "fakesrc ! faspsink uri=fasp://h:65535?flowlets=2", "beyond 65535" },
    { "fakesrc ! faspsink uri=fasp://:65535?flowlets=2", "beyond 65535" },
    { "fakesrc ! faspsink uri=fasp://h:1?bonding-addresses=h:2", "h:2" },
    { "fakesrc ! faspsink uri=fasp://h:1?bonding-addresses=127.0.0.1:2,", "commas" },
    { "fakesrc ! faspsink uri=fasp://h:1?bonding-addresses=,", "commas" },
    { "fakesrc ! faspsink uri=fasp://h:1?bonding-addresses=127.0.0.1:2@", "or ADDRESS:PORT@LOCAL" },
    { "fakesrc ! faspsink uri=fasp://h:1?bonding-addresses=127.0.0.1:2@%20",
        "or ADDRESS:PORT@LOCAL" },
    { "fakesrc ! faspsink uri=fasp://h:1?bonding-addresses=10.0.0.1", "10.0.0.1" },
    { "fakesrc ! faspsink uri=fasp://h:1?bonding-addresses=[::1:2", "[::1:2" },
    { "fakesrc ! faspsink uri=fasp://h:1 flowlets=33 bonding-addresses=127.0.0.1:9", "at most 64" },
    { "fakesrc ! faspsink uri=fasp://h:1 flowlets=9 bonding-addresses=127.0.0.1:65530",
        "beyond 65535" },
    { "fakesrc ! faspsink uri=fasp://127.0.0.1:1 bonding-addresses=[::1]:9@127.0.0.1",
        "do not mix" },
    { "faspsrc localport=0 bonding-addresses=127.0.0.1:9@lo ! fakesink", "@" },
    { "fakesrc ! faspsink localport=0 fec=20", "fec=20" },
    { "fakesrc ! faspsink localport=0 fec=101%", "101%" },
    { "fakesrc ! faspsink localport=0 fec=0%", "0%" },
    { "fakesrc ! faspsink localport=0 fec=lots", "lots" },
    { "faspsrc localport=0 fec=% ! fakesink", "fec=%" },
    { "faspsrc uri=fasp://h:1?nonsense=1 ! fakesink", "nonsense" },
    { "faspsrc mode=caller ! fakesink", "no address to dial" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    GstElement *pipeline = pair_launch ("%s", lines[i][0]);
    g_autofree gchar *text = NULL;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    text = pair_wait_text (pipeline, GST_MESSAGE_ERROR);
    if (strstr (text, lines[i][1]) == NULL)
      g_error ("%s: \"%s\" does not speak of %s", lines[i][0], text, lines[i][1]);
    g_assert_cmpuint (pair_stop (pipeline), <, 1000);
    gst_object_unref (pipeline);
  }
}

/* "check-settings" says what a start would refuse, and makes no file. */
static void
test_check (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("fasp-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, "x.db", NULL);
  /* element, URI, what is wrong, and a property that names a file */
  const gchar *const cases[][5] = {
    { "faspsink", "fasp://:1?passphrase=correct-horse&fec=14%25",
        HAVE_FEC ? NULL : "-Dfec=enabled" },
    { "faspsrc", "fasp://:1?fec=auto", HAVE_FEC ? NULL : "-Dfec=enabled" },
    { "faspsrc", "fasp://:1?fec=off", NULL },
    { "faspsrc", "fasp://127.0.0.1:1?bonding-addresses=127.0.0.1:2", NULL },
    { "faspsrc", "fasp://:1", HAVE_SQLITE ? NULL : "-Drecord=enabled", "record", path },
    { "faspsink", "fasp://:1?fec=14", "fec=14" },
    { "faspsrc", "fasp://:1?passphrase=battery", "at least 10" },
    { "faspsrc", "fasp://:1?public-key=x", "public-key", "key-file", "/nowhere" },
    { "faspsink", "fasp://:1", "/nowhere/x.csv", "record", "/nowhere/x.csv" },
    { "faspsrc", "fasp://:1", HAVE_SQLITE ? "can be written" : "-Drecord=enabled", "record",
        "/nowhere/x.db" },
    { "faspsink", "fasp://:1", NULL, "log", path },
    { "faspsrc", "fasp://:1", "Set log", "log", "/nowhere/x" },
    { "faspsink", "fasp://:1", "Set log", "log", folder },
    { "faspsink", "fasp://name:1?mode=listener", "\"name\"" },
    { "faspsink", "fasp://:1?max-bitrate=10000&min-bitrate=20000&rate-control=adaptive",
        "min-bitrate" },
    { "faspsink", "fasp://:1?max-bitrate=10000&min-bitrate=20000", NULL },
    { "faspsink", "fasp://:1?max-bitrate=8", "max-bitrate=8000000" },
    { "faspsink", "fasp://:1?max-bitrate=4999", "max-bitrate=8000000" },
    { "faspsink", "fasp://:1?max-bitrate=5000", NULL },
    { "faspsink", "fasp://:1?max-bitrate=0", NULL },
    { "faspsink", "fasp://:1?max-total-bitrate=4999", "max-total-bitrate=100000000" },
    { "faspsink", "fasp://:1?max-total-bitrate=5000", NULL },
    { "faspsink", "fasp://:1?history=10", "history=10s in a URI" },
    { "faspsink", "fasp://:1?history=999999", "less than 1 ms" },
    { "faspsink", "fasp://:1?history=1000000", NULL },
    { "faspsink", "fasp://:1?history=0&join-back=0", NULL },
    { "faspsrc", "fasp://:1?join-back=5", "join-back is in ns" },
    { "faspsink", "fasp://:7?bonding-addresses=127.0.0.2:7", "mode=listener" },
    { "faspsrc", "fasp://0.0.0.0:7?flowlets=2&bonding-addresses=127.0.0.2:8", "mode=listener" },
    { "faspsrc", "fasp://:7?flowlets=2&bonding-addresses=127.0.0.2:9", NULL },
    { "faspsrc", "fasp://[::]:7?mode=listener&bonding-addresses=127.0.0.2:7", "mode=listener" },
    { "faspsrc", "fasp://0.0.0.0:7?bonding-addresses=[::1]:7", NULL },
    { "faspsrc", "fasp://127.0.0.1:7?mode=listener&bonding-addresses=127.0.0.2:7", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstElement) element =
        gst_object_ref_sink (gst_element_factory_make (cases[i][0], NULL));
    g_autofree gchar *why = NULL;

    g_object_set (element, "uri", cases[i][1], cases[i][3], cases[i][4], NULL);
    g_signal_emit_by_name (element, "check-settings", &why);
    if (cases[i][2] == NULL)
      g_assert_cmpstr (why, ==, NULL);
    else if (why == NULL || strstr (why, cases[i][2]) == NULL)
      g_error ("%s: \"%s\" does not speak of %s", cases[i][1], why, cases[i][2]);
  }
  /* it is empty still */
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Caps whose buffers a byte stream makes unreadable cause a warning with the element that helps. */
static void
test_framing (void)
{
  static const gchar *const cases[][2] = {
    { "application/x-rtp,media=video", "rtpstreampay" },
    { "video/x-h264,stream-format=avc", "byte-stream" },
    { "video/x-h265,stream-format=hvc1", "byte-stream" },
    { "audio/mpeg,mpegversion=4,stream-format=raw", "adts" },
    { "audio/x-opus", "gdppay" },
    { "application/x-rtp-stream", NULL },
    { "application/x-gdp", NULL },
    { "video/x-h264,stream-format=byte-stream", NULL },
    { "audio/mpeg,mpegversion=4,stream-format=adts", NULL },
    { "audio/mpeg,mpegversion=1,layer=3", NULL },
    { "video/mpegts,systemstream=true", NULL },
    { "audio/x-raw", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (PairPipeline) pipeline =
        pair_launch ("appsrc name=in caps=%s ! faspsink "
                     "uri=fasp://:%u passphrase=correct-horse-battery "
                     "wait-for-connection=false",
            cases[i][0], pair_get_port ());
    g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (pipeline), "in");
    g_autoptr (GstMessage) first = NULL;
    g_autoptr (GError) error = NULL;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    gst_app_src_end_of_stream (GST_APP_SRC (in));
    first = pair_wait (pipeline, GST_MESSAGE_EOS | GST_MESSAGE_WARNING);
    if (GST_MESSAGE_TYPE (first) == GST_MESSAGE_WARNING)
      gst_message_parse_warning (first, &error, NULL);
    if ((error != NULL) != (cases[i][1] != NULL)
        || (error != NULL && strstr (error->message, cases[i][1]) == NULL))
      g_error ("%s: %s", cases[i][0], error != NULL ? error->message : "-");
  }
}

/* Once, and not with each change of the caps. */
static void
test_framing_once (void)
{
  g_autoptr (PairPipeline) pipeline =
      pair_launch ("appsrc name=in format=time "
                   "caps=video/x-h264,stream-format=avc,width=640 ! faspsink "
                   "uri=fasp://:%u passphrase=correct-horse-battery wait-for-connection=false",
          pair_get_port ());
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (pipeline), "in");
  guint warnings = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (gint width = 640; width < 650; width++) {
    g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-h264", "stream-format", G_TYPE_STRING,
        "avc", "width", G_TYPE_INT, width, NULL);

    gst_app_src_set_caps (GST_APP_SRC (in), caps);
    gst_app_src_push_buffer (GST_APP_SRC (in), gst_buffer_new_allocate (NULL, 100, NULL));
  }
  gst_app_src_end_of_stream (GST_APP_SRC (in));
  for (gboolean ended = FALSE; !ended;) {
    g_autoptr (GstMessage) message = pair_wait (pipeline, GST_MESSAGE_EOS | GST_MESSAGE_WARNING);

    ended = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    warnings += !ended;
  }
  g_assert_cmpuint (warnings, ==, 1);
}

/* As with srtsink, a handler may ask the address. */
static void
on_rejected (GstElement *element, GObject *address, const gchar *streamid, gpointer unused)
{
  g_assert_nonnull (address);
}

/* No peer is there: the warning says what waits for it. A name without an address is no silent
 * peer, and none that was rejected. */
static void
test_nobody (void)
{
  static const gchar *const cases[][3] = {
    { "fakesrc ! faspsink uri=fasp://127.0.0.1:%u", "does not answer yet", "the stream is held" },
    { "fakesrc ! faspsink uri=fasp://127.0.0.1:%u?wait-for-connection=false", "does not answer yet",
        "Dialling goes on." },
    { "faspsrc uri=fasp://127.0.0.1:%u ! fakesink", "does not answer yet", "Dialling goes on." },
    { "faspsrc uri=fasp://no.such.host.invalid:%u auto-reconnect=false "
      "resume-timeout=1000000000 ! fakesink",
        "no address was found", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *line = g_strdup_printf (cases[i][0], pair_get_port ());
    g_autoptr (PairPipeline) pipeline = pair_launch ("%s", line);
    g_autoptr (GstElement) element =
        gst_bin_get_by_interface (GST_BIN (pipeline), GST_TYPE_URI_HANDLER);
    gboolean found = FALSE;

    g_signal_connect (element, "caller-rejected", G_CALLBACK (on_rejected), NULL);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    while (!found) {
      g_autoptr (GstMessage) message =
          pair_wait (pipeline, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
      g_autoptr (GError) error = NULL;

      if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
        gst_message_parse_warning (message, &error, NULL);
      else
        gst_message_parse_error (message, &error, NULL);
      found = strstr (error->message, cases[i][1]) != NULL;
      if (found && strstr (error->message, cases[i][2]) == NULL)
        g_error ("%s: %s", line, error->message);
    }
  }
}

static void
test_busy_port (void)
{
  guint port = pair_get_port ();
  GstElement *one = pair_launch ("faspsrc uri=fasp://:%u ! fakesink", port);
  GstElement *two = pair_launch ("faspsrc uri=fasp://:%u ! fakesink", port);
  g_autofree gchar *number = g_strdup_printf ("%u", port);

  g_assert_cmpint (gst_element_set_state (one, GST_STATE_PLAYING), !=, GST_STATE_CHANGE_FAILURE);
  g_assert_cmpint (gst_element_set_state (two, GST_STATE_PLAYING), ==, GST_STATE_CHANGE_FAILURE);
  pair_expect (two, GST_MESSAGE_ERROR, number);
  pair_stop (two);
  /* free at once when the first has gone */
  pair_stop (one);
  g_assert_cmpint (gst_element_set_state (two, GST_STATE_PLAYING), !=, GST_STATE_CHANGE_FAILURE);
  pair_stop (two);
  gst_object_unref (one);
  gst_object_unref (two);
}

/* The warnings of an element, as they are logged. */
static void
on_log (GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function,
    gint line, GObject *object, GstDebugMessage *message, gpointer data)
{
  GString *warnings = data;

  if (level == GST_LEVEL_WARNING)
    g_string_append_printf (warnings, "%s\n", gst_debug_message_get (message));
}

/* A setting that counts at the next start only is warned of in the log. */
static void
test_too_late (void)
{
  g_autoptr (GstElement) sink =
      pair_launch ("fakesrc ! faspsink name=s uri=fasp://:%u?" SECRET "&wait-for-connection=false",
          pair_get_port ());
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (sink), "s");
  GString *warnings = g_string_new (NULL);

  g_object_set (element, "buffer-size", G_GUINT64_CONSTANT (1000000), NULL);
  gst_element_set_state (sink, GST_STATE_PAUSED);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (on_log, warnings, NULL);
  gst_debug_set_threshold_for_name ("fasp", GST_LEVEL_WARNING);
  g_object_set (element, "max-bitrate", G_GUINT64_CONSTANT (123000), NULL);
  g_assert_cmpstr (warnings->str, ==, "");
  /* as it is already */
  g_object_set (element, "buffer-size", G_GUINT64_CONSTANT (1000000), "streamid", NULL, "flowlets",
      1, NULL);
  g_assert_cmpstr (warnings->str, ==, "");
  g_object_set (element, "buffer-size", G_GUINT64_CONSTANT (2000000), NULL);
  g_assert_nonnull (strstr (warnings->str, "buffer-size"));
  g_string_truncate (warnings, 0);
  g_object_set (element, "passphrase", "battery-horse-staple", NULL);
  g_assert_nonnull (strstr (warnings->str, "passphrase"));
  g_assert_null (strstr (warnings->str, "battery"));
  g_string_truncate (warnings, 0);
  gst_element_set_state (sink, GST_STATE_READY);
  g_object_set (element, "buffer-size", G_GUINT64_CONSTANT (3000000), NULL);
  g_assert_cmpstr (warnings->str, ==, "");
  gst_debug_unset_threshold_for_name ("fasp");
  gst_debug_remove_log_function (on_log);
  gst_debug_add_log_function (gst_debug_log_default, NULL, NULL);
  pair_stop (sink);
  g_string_free (warnings, TRUE);
}

/* A setting that counts at the next start has no effect before. */
static void
test_next_start (void)
{
  g_autoptr (PairPipeline) source =
      pair_launch ("faspsrc name=s uri=fasp://:%u caps=video/mpegts ! fakesink async=false",
          pair_get_port ());
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (source), "s");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");
  g_autoptr (GstCaps) caps = gst_caps_from_string ("video/x-matroska");

  gst_element_set_state (source, GST_STATE_PLAYING);
  g_object_set (element, "caps", caps, "provide-clock", TRUE, NULL);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstCaps) now = gst_pad_query_caps (pad, NULL);
    g_autoptr (GstClock) clock = gst_element_provide_clock (element);

    g_assert_cmpint (gst_caps_is_equal (now, caps), ==, i == 1);
    g_assert_cmpint (clock != NULL, ==, i == 1);
    gst_element_set_state (source, GST_STATE_READY);
    gst_element_set_state (source, GST_STATE_PLAYING);
  }
}

static void
test_running (void)
{
  g_autoptr (PairPipeline) sink =
      pair_launch ("fakesrc ! faspsink name=s uri=fasp://:%u?wait-for-connection=false",
          pair_get_port ());
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (sink), "s");
  g_autoptr (GError) error = NULL;
  guint64 bitrate;

  gst_element_set_state (sink, GST_STATE_PLAYING);
  g_assert_false (gst_uri_handler_set_uri (GST_URI_HANDLER (element), "fasp://h:1", &error));
  g_assert_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE);
  g_object_set (element, "max-bitrate", G_GUINT64_CONSTANT (123000), "latency", 5,
      "wait-for-connection", TRUE, "slow-policy", 2, "stats-interval", 20, "auto-reconnect", FALSE,
      NULL);
  g_object_get (element, "max-bitrate", &bitrate, NULL);
  g_assert_cmpuint (bitrate, ==, 123000);
  gst_message_unref (pair_wait_element (sink, "application/x-fasp-statistics"));
}

/* A URI that is set while the element plays is that of the next start, and changes nothing before:
 * a source that listens goes on, and ends as one that listens, though the new URI dials. */
static void
test_uri_for_next_start (void)
{
  guint port = pair_get_port ();
  g_autofree gchar *dials = g_strdup_printf ("fasp://127.0.0.1:%u", port);
  g_autofree gchar *listens = g_strdup_printf ("fasp://:%u", port);
  g_autoptr (Pair) pair = pair_new_default ();
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pair->sender), "sink");
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pair->receiver), "source");
  g_autoptr (GBytes) stream = pair_make_stream (100000);
  g_autofree gchar *kept = NULL;

  pair_play (pair);
  pair_push (pair, stream, 0, 50000, 1316);
  pair_wait_for_size (pair, 50000);
  g_object_set (source, "uri", dials, NULL);
  g_object_set (sink, "uri", listens, NULL);
  g_object_get (source, "uri", &kept, NULL);
  g_assert_true (g_str_has_prefix (kept, dials));
  pair_push (pair, stream, 50000, 100000, 1316);
  pair_wait_for_size (pair, 100000);
  pair_stop (pair->sender);
  pair_expect (pair->receiver, GST_MESSAGE_WARNING, "With keep-listening=true");
  gst_message_unref (pair_wait (pair->receiver, GST_MESSAGE_EOS));
  pair_stop (pair->receiver);
  pair_play (pair);
  pair_push (pair, stream, 0, 100000, 1316);
  pair_wait_for_size (pair, 200000);
}

static GstBusSyncReply
on_warning (GstBus *bus, GstMessage *message, gpointer data)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING
      && g_atomic_int_compare_and_exchange ((gint *) data, 0, 1))
    g_object_set (GST_MESSAGE_SRC (message), "max-bitrate", G_GUINT64_CONSTANT (3000000), NULL);
  return GST_BUS_PASS;
}

static GstElement *
make_sender (guint port)
{
  return pair_launch (
      "audiotestsrc is-live=true ! faspsink name=sink uri=fasp://:%u?max-bitrate=5000000", port);
}

static GstElement *
make_receiver (guint port)
{
  return pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u ! fakesink async=false", port);
}

/* What is set while it opens, here from the handler of the warning that peers are not
 * authenticated, is in force. */
static void
test_opening (void)
{
  gint told = 0; /* first, as the handler runs until the sender is freed */
  guint port = pair_get_port ();
  g_autoptr (PairPipeline) sender = make_sender (port);
  g_autoptr (PairPipeline) receiver = make_receiver (port);
  g_autoptr (GstBus) bus = gst_element_get_bus (sender);

  gst_bus_set_sync_handler (bus, on_warning, &told, NULL);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  g_assert_cmpint (g_atomic_int_get (&told), ==, 1);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_message_unref (pair_wait_element (sender, "fasp-available-bitrate"));
  g_assert_cmpuint (pair_get_stat (sender, "sink", "channel-bitrate"), ==, 3000000);
}

#define ROUNDS 400
#define TURNS 50

static gpointer
set_often (gpointer data)
{
  for (guint i = 0; i < TURNS; i++)
    g_object_set (data, "max-bitrate", (guint64) g_random_int_range (1000000, 9000000), NULL);
  return NULL;
}

/* Two threads set a property: the later value is in force. */
static void
test_two_threads (void)
{
  guint port = pair_get_port ();
  g_autoptr (PairPipeline) sender = make_sender (port);
  g_autoptr (PairPipeline) receiver = make_receiver (port);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (sender), "sink");

  gst_element_set_state (sender, GST_STATE_PLAYING);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_message_unref (pair_wait_element (sender, "fasp-available-bitrate"));
  for (guint i = 0; i < ROUNDS; i++) {
    GThread *other = g_thread_new ("set", set_often, sink);
    guint64 bitrate;

    set_often (sink);
    g_thread_join (other);
    g_object_get (sink, "max-bitrate", &bitrate, NULL);
    g_assert_cmpuint (pair_get_stat (sender, "sink", "channel-bitrate"), ==, bitrate);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (uris); i++) {
    g_autofree gchar *path = g_strdup_printf ("/settings/uri/%u-%s", i, uris[i].element);

    g_test_add_data_func (path, &uris[i], test_uri);
  }
  g_test_add_data_func ("/settings/apart-sink", "faspsink", test_apart);
  g_test_add_data_func ("/settings/apart-source", "faspsrc", test_apart);
  g_test_add_data_func ("/settings/no-uri-sink", "faspsink", test_no_uri);
  g_test_add_data_func ("/settings/no-uri-source", "faspsrc", test_no_uri);
  g_test_add_func ("/settings/keys", test_keys);
  g_test_add_data_func ("/settings/local/record", "record", test_local);
  g_test_add_data_func ("/settings/local/log", "log", test_local);
  g_test_add_data_func ("/settings/local/key-file", "key-file", test_local);
  g_test_add_data_func ("/settings/local/allowed-keys", "allowed-keys", test_local);
  g_test_add_func ("/settings/again", test_again);
  g_test_add_func ("/settings/secret", test_secret);
  g_test_add_func ("/settings/bad-starts", test_bad_starts);
  g_test_add_func ("/settings/check", test_check);
  g_test_add_func ("/settings/clock-flag", test_clock_flag);
  g_test_add_func ("/settings/framing", test_framing);
  g_test_add_func ("/settings/framing-once", test_framing_once);
  g_test_add_func ("/settings/nobody", test_nobody);
  g_test_add_func ("/settings/busy-port", test_busy_port);
  g_test_add_func ("/settings/running", test_running);
  g_test_add_func ("/settings/running/next-uri", test_uri_for_next_start);
  g_test_add_func ("/settings/next-start", test_next_start);
  g_test_add_func ("/settings/too-late", test_too_late);
  g_test_add_func ("/settings/opening", test_opening);
  g_test_add_func ("/settings/two-threads", test_two_threads);
  return g_test_run ();
}
