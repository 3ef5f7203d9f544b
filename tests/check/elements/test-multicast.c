/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsink to a multicast group that several faspsrc hear, over the loopback interface.
 */
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gio/gio.h>
#include <net/if.h>
#include <netinet/in.h>
#include "pair.h"

#define GROUP "239.77.1.2"
#define STREAM 500000
#define RECEIVERS 3

/* Does this machine hear itself? */
static gboolean
has_loopback (void)
{
  g_autoptr (GSocket) socket = g_socket_new (G_SOCKET_FAMILY_IPV4,
      G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  g_autoptr (GInetAddress) group = g_inet_address_new_from_string (GROUP);
  g_autoptr (GInetAddress) any = g_inet_address_new_any (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) bound = g_inet_socket_address_new (any, 0);
  g_autoptr (GSocketAddress) local = NULL;
  g_autoptr (GSocketAddress) to = NULL;
  struct ip_mreqn interface = {.imr_ifindex = if_nametoindex ("lo") };
  gchar byte = 0;

  if (socket == NULL || !g_socket_bind (socket, bound, FALSE, NULL)
      || !g_socket_join_multicast_group (socket, group, FALSE, "lo", NULL))
    return FALSE;
  local = g_socket_get_local_address (socket, NULL);
  to = g_inet_socket_address_new (group, g_inet_socket_address_get_port
      (G_INET_SOCKET_ADDRESS (local)));
  if (setsockopt (g_socket_get_fd (socket), IPPROTO_IP, IP_MULTICAST_IF,
          &interface, sizeof interface) != 0)
    return FALSE;
  g_socket_set_timeout (socket, 1);
  return g_socket_send_to (socket, to, "x", 1, NULL, NULL) == 1
      && g_socket_receive (socket, &byte, 1, NULL, NULL) == 1;
}

static void
push_all (GstElement * sender, GBytes * stream)
{
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (sender), "in");

  for (gsize at = 0; at < STREAM; at += 5000) {
    GBytes *part = g_bytes_new_from_bytes (stream, at, 5000);

    g_assert_cmpint (gst_app_src_push_buffer (GST_APP_SRC (in),
            gst_buffer_new_wrapped_bytes (part)), ==, GST_FLOW_OK);
    g_bytes_unref (part);
  }
  gst_app_src_end_of_stream (GST_APP_SRC (in));
}

static GByteArray *
pull_all (GstElement * receiver)
{
  g_autoptr (GstElement) out = gst_bin_get_by_name (GST_BIN (receiver), "out");
  GByteArray *got = g_byte_array_new ();
  GstSample *sample;

  while ((sample = gst_app_sink_try_pull_sample (GST_APP_SINK (out),
              20 * GST_SECOND)) != NULL) {
    GstMapInfo map;

    gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ);
    g_byte_array_append (got, map.data, map.size);
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
    gst_sample_unref (sample);
  }
  return got;
}

/* Callers of the sink, counted by its signal; whoever hears the group is a member by then. */
typedef struct
{
  GMutex lock;
  GCond more;
  guint n;
} Callers;

static void
count_caller (GstElement * sink, gint id, GSocketAddress * address,
    Callers * callers)
{
  g_mutex_lock (&callers->lock);
  callers->n++;
  g_cond_signal (&callers->more);
  g_mutex_unlock (&callers->lock);
}

static void
count_callers (GstElement * sender, Callers * callers)
{
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (sender), "sink");

  g_mutex_init (&callers->lock);
  g_cond_init (&callers->more);
  callers->n = 0;
  g_signal_connect (sink, "caller-added", G_CALLBACK (count_caller), callers);
}

static void
wait_for_callers (Callers * callers, guint n)
{
  gint64 end = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;

  g_mutex_lock (&callers->lock);
  while (callers->n < n)
    g_assert_true (g_cond_wait_until (&callers->more, &callers->lock, end));
  g_mutex_unlock (&callers->lock);
}

/* Once for all of them: encrypted, whole, with its end. */
static void
test_group (gconstpointer more)
{
  guint port = pair_get_port ();
  GstElement *sender, *receivers[RECEIVERS];
  GBytes *stream = pair_make_stream (STREAM);
  Callers callers;

  if (!has_loopback ()) {
    g_test_skip ("no multicast over the loopback interface here");
    return;
  }
  sender = pair_launch ("appsrc name=in ! faspsink name=sink uri=fasp://"
      GROUP ":%u multicast-iface=lo localaddress=127.0.0.1 "
      "max-bitrate=50000000 " SECRET, port);
  count_callers (sender, &callers);
  for (guint i = 0; i < RECEIVERS; i++) {
    receivers[i] = pair_launch ("faspsrc uri=fasp://" GROUP
        ":%u multicast-iface=lo latency=50 %s " SECRET
        " ! appsink name=out sync=false async=false", port,
        (const gchar *) more);
    gst_element_set_state (receivers[i], GST_STATE_PLAYING);
  }
  gst_element_set_state (sender, GST_STATE_PLAYING);
  wait_for_callers (&callers, RECEIVERS);
  g_assert_cmpuint (pair_get_stat (sender, "sink", "multicast-members"), ==,
      RECEIVERS);
  push_all (sender, stream);
  for (guint i = 0; i < RECEIVERS; i++) {
    GByteArray *got = pull_all (receivers[i]);

    g_assert_cmpmem (got->data, got->len, g_bytes_get_data (stream, NULL),
        STREAM);
    g_byte_array_unref (got);
  }
  gst_message_unref (pair_wait (sender, GST_MESSAGE_EOS));
  for (guint i = 0; i < RECEIVERS; i++) {
    pair_stop (receivers[i]);
    gst_object_unref (receivers[i]);
  }
  pair_stop (sender);
  gst_object_unref (sender);
  g_cond_clear (&callers.more);
  g_mutex_clear (&callers.lock);
  g_bytes_unref (stream);
}

/* What cannot be had with it is said, with what to do. */
static void
test_settings (void)
{
  static const struct
  {
    const gchar *pipeline, *told;
  } wrong[] = {
    {"fakesrc ! faspsink uri=fasp://" GROUP ":7001", "set max-bitrate"},
    {"fakesrc ! faspsink uri=fasp://" GROUP ":7001 max-bitrate=1000000 "
          "rate-control=adaptive", "leave out rate-control"},
    {"fakesrc ! faspsink uri=fasp://" GROUP ":7001 max-bitrate=1000000 "
          "flowlets=2", "leave out flowlets"},
    {"fakesrc ! faspsink uri=fasp://" GROUP ":7001 max-bitrate=1000000 "
          "rex=false", "rex=false"},
    {"fakesrc ! faspsink uri=fasp://" GROUP ":7001 max-bitrate=1000000 "
          "mode=caller", "Leave out mode"},
    {"fakesrc ! faspsink uri=fasp://" GROUP ":7001 max-bitrate=1000000 "
          "multicast-iface=nothere0", "multicast-iface"},
    {"faspsrc uri=fasp://" GROUP ":7001 multicast-iface=nothere0 ! fakesink",
        "multicast-iface"},
    {"faspsrc uri=fasp://" GROUP ":7001 mode=listener ! fakesink",
        "Leave out mode"},
    {"faspsrc uri=fasp://" GROUP ":7001 multicast-iface=lo "
          "multicast-source=::1 ! fakesink", "both IPv4"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    GstElement *pipeline = pair_launch ("%s", wrong[i].pipeline);
    g_autofree gchar *text = NULL;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    text = pair_wait_text (pipeline, GST_MESSAGE_ERROR);
    if (strstr (text, wrong[i].told) == NULL)
      g_error ("%s: %s", wrong[i].pipeline, text);
    pair_stop (pipeline);
    gst_object_unref (pipeline);
  }
}

/* Nobody is there: what to look at. */
static void
test_silence (void)
{
  GstElement *receiver = pair_launch ("faspsrc uri=fasp://" GROUP
      ":%u multicast-iface=lo " SECRET " ! fakesink", pair_get_port ());
  g_autofree gchar *text = NULL;

  if (!has_loopback ()) {
    g_test_skip ("no multicast over the loopback interface here");
    gst_object_unref (receiver);
    return;
  }
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  text = pair_wait_text (receiver, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (text, "IGMP"));
  pair_stop (receiver);
  gst_object_unref (receiver);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/multicast/group", "", test_group);
  g_test_add_data_func ("/multicast/source", "multicast-source=127.0.0.1",
      test_group);
  g_test_add_func ("/multicast/settings", test_settings);
  g_test_add_func ("/multicast/silence", test_silence);
  return g_test_run ();
}
