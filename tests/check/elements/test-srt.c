/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a program made for srtsink and srtsrc relies on (docs/from-srt.md says what is different): a
 * URI is read back by properties, and in whatever order an end's place is set, it is the same.
 */
#include <string.h>
#include "pair.h"
#include "vcases.h"

static GstElement *
make (const gchar *name)
{
  GstElement *element = gst_element_factory_make (name, NULL);

  g_assert_nonnull (element);
  return gst_object_ref_sink (element);
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

int
main (int argc, char **argv)
{
  static const gchar *const names[] = { "faspsink", "faspsrc", NULL };

  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  vcases_add_texts ("/srt/uri-to-properties", names, test_uri_to_properties);
  vcases_add_texts ("/srt/places", names, test_places);
  return g_test_run ();
}
