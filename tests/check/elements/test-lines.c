/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the application is told of a line of several, by its name.
 */
#include <gio/gio.h>
#include <string.h>
#include "pair.h"

/* A live stream over two lines.  The second one is a wire, and has an address of this machine at
 * each end. */
typedef struct
{
  guint ports, by_wire;
  PairWire *wire;
  GstElement *sender, *receiver;
} Lines;

static Lines *
lines_new (void)
{
  Lines *l = g_new0 (Lines, 1);

  l->ports = pair_get_ports (2);
  l->wire = pair_wire_new (l->ports + 1, &l->by_wire);
  l->sender = pair_launch (
      "fakesrc is-live=true datarate=100000 sizetype=fixed sizemax=1000 ! faspsink name=sink " SECRET
      " uri=fasp://127.0.0.2:%u bonding-addresses=127.0.0.1:%u@127.0.0.3",
      l->ports, l->by_wire);
  l->receiver = pair_launch (
      "faspsrc name=source " SECRET
      " uri=fasp://127.0.0.2:%u?mode=listener bonding-addresses=127.0.0.1:%u ! fakesink",
      l->ports, l->ports + 1);
  return l;
}

static void
play (Lines *l)
{
  gst_element_set_state (l->receiver, GST_STATE_PLAYING);
  gst_element_set_state (l->sender, GST_STATE_PLAYING);
}

static void
lines_free (Lines *l)
{
  pair_stop (l->sender);
  pair_stop (l->receiver);
  pair_wire_free (l->wire);
  gst_object_unref (l->sender);
  gst_object_unref (l->receiver);
  g_free (l);
}

/* A message about the second line, as `line' calls it; @port: of its other end, if it is known.
 * Returns the time in the field `since', ns. */
static guint64
check_message (GstElement *pipeline, const gchar *name, const gchar *line, guint port)
{
  g_autoptr (GstMessage) message = pair_wait_element (pipeline, name);
  const GstStructure *s = gst_message_get_structure (message);
  g_autofree gchar *address = g_strdup_printf ("127.0.0.1:%u", port);
  g_autoptr (GSocketAddress) gio = NULL;
  guint64 since = 0;
  guint flow = 0;

  g_assert_cmpstr (gst_structure_get_string (s, "line"), ==, line);
  g_assert_true (gst_structure_get_uint (s, "flow", &flow));
  g_assert_cmpuint (flow, ==, 1);
  g_assert_true (gst_structure_get (s, "address", G_TYPE_SOCKET_ADDRESS, &gio, "since",
      G_TYPE_UINT64, &since, NULL));
  g_assert_nonnull (gio);
  g_assert_cmpstr (gst_structure_get_string (s, "address-string"), ==, address);
  g_assert_cmpint (gst_structure_has_field_typed (s, "reason", G_TYPE_STRING), ==,
      g_str_equal (name, "line-lost"));
  g_assert_cmpint (gst_structure_has_field_typed (s, "outage", G_TYPE_UINT64), ==,
      g_str_equal (name, "line-back"));
  return since;
}

static void
check_text (GstElement *pipeline, GstMessageType type, const gchar *part)
{
  g_autofree gchar *text = pair_wait_text (pipeline, type);

  if (strstr (text, part) == NULL)
    g_error ("\"%s\" does not speak of %s", text, part);
}

static guint64
get_now (void)
{
  return g_get_real_time () * GST_USECOND;
}

static void
wait_for_stream (Lines *l)
{
  pair_wait_for_least (l->receiver, "source", "bytes-received-total", 50000);
}

/* Both ends tell of it by the name that the line has there, and when it is back. */
static void
test_told (void)
{
  Lines *l = lines_new ();
  GstElement *const ends[] = { l->sender, l->receiver };
  const gchar *const names[] = { "127.0.0.3", "127.0.0.1" };
  const guint64 begin = get_now ();
  guint64 cut, mended, lost, back;

  play (l);
  wait_for_stream (l);
  cut = get_now ();
  pair_wire_switch (l->wire, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    lost = check_message (ends[i], "line-lost", names[i], l->by_wire);
    /* what the receiver heard last may have come by the wire a while before */
    g_assert_cmpuint (lost, >, begin);
    g_assert_cmpuint (lost + 2 * GST_SECOND, <=, get_now ());
    check_text (ends[i], GST_MESSAGE_WARNING, names[i]);
  }
  g_assert_cmpuint (get_now (), >=, cut + 2 * GST_SECOND);
  mended = get_now ();
  pair_wire_switch (l->wire, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    back = check_message (ends[i], "line-back", names[i], l->by_wire);
    g_assert_cmpuint (back, >=, mended);
    g_assert_cmpuint (back + 2 * GST_SECOND, <=, get_now ());
    check_text (ends[i], GST_MESSAGE_INFO, names[i]);
  }
  lines_free (l);
}

/* A line on which this machine cannot send is named, and that it never carried anything is told. */
static void
test_refused (void)
{
  guint port = pair_get_port ();
  g_autoptr (PairPipeline) receiver = pair_launch (
      "faspsrc " SECRET
      " uri=fasp://127.0.0.1:%u?mode=listener bonding-addresses=127.0.0.2:%u ! fakesink",
      port, port);
  /* the kernel lets nothing out from a loopback address to another machine's */
  g_autoptr (PairPipeline) sender = pair_launch (
      "fakesrc is-live=true datarate=100000 sizetype=fixed sizemax=1000 ! faspsink " SECRET
      " uri=fasp://127.0.0.1:%u bonding-addresses=203.0.113.8:9@127.0.0.3",
      port);
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *s;

  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  check_text (sender, GST_MESSAGE_WARNING, "takes no datagrams for line \"127.0.0.3\": ");
  message = pair_wait_element (sender, "line-lost");
  s = gst_message_get_structure (message);
  g_assert_cmpstr (gst_structure_get_string (s, "address-string"), ==, "203.0.113.8:9");
  g_assert_cmpstr (gst_structure_get_string (s, "reason"), ==, "no peer has answered there yet");
  check_text (sender, GST_MESSAGE_WARNING, "line \"127.0.0.3\" to 203.0.113.8:9 ");
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lines/told", test_told);
  g_test_add_func ("/lines/refused", test_refused);
  return g_test_run ();
}
