/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsink to a multicast group that several faspsrc hear, over the loopback interface, and
 * with IPv6 over a virtual one.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gio/gio.h>
#include <net/if.h>
#include <netinet/in.h>
#include "pair.h"
#include "userns.h"

#define GROUP "239.77.1.2"
#define GROUP6 "ff15::77:1:2"
#define STREAM 500000
#define RECEIVERS 3

/* Over the loopback interface there is no IPv6 multicast, so a pair of virtual ones, of
 * which one hears itself, in a network of our own. */
#define PAIR \
  "ip link set lo up; ip link add fasp6 type veth peer name fasp6b && " \
  "ip link set fasp6b up && ip link set fasp6 up && " \
  "ip -6 address add fd77::1/64 dev fasp6 nodad && " \
  "ip -6 address add fe80::77/64 dev fasp6 nodad"

typedef struct
{
  const gchar *name;
  const gchar *group, *in_uri, *interface, *sender;
  const gchar *more; /* of a receiver */
} Net;

static const Net nets[] = {
  { "/multicast/group", GROUP, GROUP, "lo", "127.0.0.1", "" },
  { "/multicast/source", GROUP, GROUP, "lo", "127.0.0.1", "multicast-source=127.0.0.1" },
  { "/multicast/ipv6/group", GROUP6, "[" GROUP6 "]", "fasp6", "fd77::1", "" },
  { "/multicast/ipv6/source", "ff35::77:1:2", "[ff35::77:1:2]", "fasp6", "fd77::1",
      "multicast-source=fd77::1" },
  /* of one link, which the interface tells */
  { "/multicast/ipv6/link", "ff12::77:1:2", "[ff12::77:1:2]", "fasp6", "fe80::77%fasp6", "" },
  { "/multicast/ipv6/link-named", "ff12::77:1:2", "[ff12::77:1:2%25fasp6]", "", "fd77::1", "" },
};

/* Before there is any thread. What cannot be made is missed by the tests that need it. */
static void
enter_network (void)
{
  g_autofree gchar *ip = g_find_program_in_path ("ip");

  if (ip != NULL && userns_become_root () && unshare (CLONE_NEWNET) == 0 && system (PAIR) != 0)
    g_printerr ("# no pair of interfaces for IPv6\n");
}

/* Does this machine hear itself there? */
static gboolean
is_there (const Net *net)
{
  g_autoptr (GInetAddress) group = g_inet_address_new_from_string (net->group);
  GSocketFamily family = g_inet_address_get_family (group);
  g_autoptr (GSocket) socket =
      g_socket_new (family, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  g_autoptr (GInetAddress) any = g_inet_address_new_any (family);
  g_autoptr (GSocketAddress) bound = g_inet_socket_address_new (any, 0);
  g_autoptr (GSocketAddress) local = NULL;
  g_autoptr (GSocketAddress) to = NULL;
  const gchar *name = net->interface[0] != '\0' ? net->interface : "fasp6";
  gint index = if_nametoindex (name);
  struct ip_mreqn interface = { .imr_ifindex = index };
  gchar byte = 0;

  if (socket == NULL || index == 0 || !g_socket_bind (socket, bound, FALSE, NULL)
      || !g_socket_join_multicast_group (socket, group, FALSE, name, NULL))
    return FALSE;
  local = g_socket_get_local_address (socket, NULL);
  to = g_inet_socket_address_new (group,
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (local)));
  if (family == G_SOCKET_FAMILY_IPV6 ? setsockopt (g_socket_get_fd (socket), IPPROTO_IPV6,
                                           IPV6_MULTICAST_IF, &index, sizeof index)
              != 0 :
                                       setsockopt (g_socket_get_fd (socket), IPPROTO_IP,
                                           IP_MULTICAST_IF, &interface, sizeof interface)
              != 0)
    return FALSE;
  g_socket_set_timeout (socket, 1);
  return g_socket_send_to (socket, to, "x", 1, NULL, NULL) == 1
      && g_socket_receive (socket, &byte, 1, NULL, NULL) == 1;
}

static gboolean
skip (const Net *net)
{
  g_autofree gchar *why = NULL;

  if (is_there (net))
    return FALSE;
  why =
      g_strdup_printf ("no multicast to %s over the interface %s here", net->group, net->interface);
  g_test_skip (why);
  return TRUE;
}

static void
push_all (GstElement *sender, GBytes *stream)
{
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (sender), "in");

  for (gsize at = 0; at < STREAM; at += 5000) {
    GBytes *part = g_bytes_new_from_bytes (stream, at, 5000);

    g_assert_cmpint (gst_app_src_push_buffer (GST_APP_SRC (in),
                         gst_buffer_new_wrapped_bytes (part)),
        ==, GST_FLOW_OK);
    g_bytes_unref (part);
  }
  gst_app_src_end_of_stream (GST_APP_SRC (in));
}

static GByteArray *
pull_all (GstElement *receiver)
{
  g_autoptr (GstElement) out = gst_bin_get_by_name (GST_BIN (receiver), "out");
  GByteArray *got = g_byte_array_new ();
  GstSample *sample;

  while ((sample = gst_app_sink_try_pull_sample (GST_APP_SINK (out), 20 * GST_SECOND)) != NULL) {
    GstMapInfo map;

    gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ);
    g_byte_array_append (got, map.data, map.size);
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
    gst_sample_unref (sample);
  }
  return got;
}

/* Callers of the sink, counted by its signal; each that hears the group is a member by then. */
typedef struct
{
  GMutex lock;
  GCond more;
  guint n;
} Callers;

static void
count_caller (GstElement *sink, gint id, GSocketAddress *address, Callers *callers)
{
  g_mutex_lock (&callers->lock);
  callers->n++;
  g_cond_signal (&callers->more);
  g_mutex_unlock (&callers->lock);
}

static void
count_callers (GstElement *sender, Callers *callers)
{
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (sender), "sink");

  g_mutex_init (&callers->lock);
  g_cond_init (&callers->more);
  callers->n = 0;
  g_signal_connect (sink, "caller-added", G_CALLBACK (count_caller), callers);
}

static void
wait_for_callers (Callers *callers, guint n)
{
  gint64 end = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;

  g_mutex_lock (&callers->lock);
  while (callers->n < n)
    g_assert_true (g_cond_wait_until (&callers->more, &callers->lock, end));
  g_mutex_unlock (&callers->lock);
}

/* Once for all of them: encrypted, whole, with its end. */
static void
test_group (gconstpointer data)
{
  const Net *net = data;
  guint port = pair_get_port ();
  GstElement *sender, *receivers[RECEIVERS];
  g_autoptr (GBytes) stream = pair_make_stream (STREAM);
  Callers callers;

  if (skip (net))
    return;
  sender = pair_launch ("appsrc name=in ! faspsink name=sink uri=fasp://%s:%u "
                        "multicast-iface=\"%s\" localaddress=%s max-bitrate=50000000 " SECRET,
      net->in_uri, port, net->interface, net->sender);
  count_callers (sender, &callers);
  for (guint i = 0; i < RECEIVERS; i++) {
    receivers[i] = pair_launch (
        "faspsrc name=src uri=fasp://%s:%u multicast-iface=\"%s\" latency=50 %s " SECRET
        " ! appsink name=out sync=false async=false",
        net->in_uri, port, net->interface, net->more);
    gst_element_set_state (receivers[i], GST_STATE_PLAYING);
  }
  gst_element_set_state (sender, GST_STATE_PLAYING);
  wait_for_callers (&callers, RECEIVERS);
  g_assert_cmpuint (pair_get_stat (sender, "sink", "multicast-members"), ==, RECEIVERS);
  push_all (sender, stream);
  for (guint i = 0; i < RECEIVERS; i++) {
    GByteArray *got = pull_all (receivers[i]);

    g_assert_cmpmem (got->data, got->len, g_bytes_get_data (stream, NULL), STREAM);
    g_byte_array_unref (got);
    g_assert_cmpuint (pair_get_stat (receivers[i], "src", "multicast-packets-received"), >, 0);
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
}

/* Addresses of one link in each place that takes one: there is no multicast in it, but the
 * network that it needs. */
static void
test_link_local (void)
{
  guint port = pair_get_port (), other = pair_get_port ();
  g_autoptr (GBytes) stream = pair_make_stream (STREAM);
  g_autoptr (GByteArray) got = NULL;
  GstElement *sender, *receiver;

  if (if_nametoindex ("fasp6") == 0) {
    g_test_skip ("no pair of interfaces for IPv6 here");
    return;
  }
  receiver = pair_launch ("faspsrc uri=\"fasp://[fe80::77%%25fasp6]:%u?"
                          "mode=listener\" bonding-addresses=[fe80::77%%fasp6]:%u " SECRET
                          " ! appsink name=out sync=false async=false",
      port, other);
  sender = pair_launch ("appsrc name=in ! faspsink name=sink "
                        "uri=fasp://[fe80::77%%25fasp6]:%u localaddress=fe80::77%%fasp6 "
                        "bonding-addresses=[fe80::77%%fasp6]:%u@fe80::77%%fasp6 " SECRET,
      port, other);
  g_assert_cmpint (gst_element_set_state (receiver, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
  g_assert_cmpint (gst_element_set_state (sender, GST_STATE_PLAYING), !=, GST_STATE_CHANGE_FAILURE);
  push_all (sender, stream);
  got = pull_all (receiver);
  g_assert_cmpmem (got->data, got->len, g_bytes_get_data (stream, NULL), STREAM);
  gst_message_unref (pair_wait (sender, GST_MESSAGE_EOS));
  g_assert_cmpuint (pair_get_stat (sender, "sink", "flows"), ==, 2);
  pair_stop (receiver);
  pair_stop (sender);
  gst_object_unref (receiver);
  gst_object_unref (sender);
}

/* A setting that does not go with multicast is an error that says what to do. */
static void
test_settings (void)
{
  static const struct
  {
    const gchar *pipeline, *told;
  } wrong[] = {
    { "fakesrc ! faspsink uri=fasp://" GROUP ":7001", "set max-bitrate" },
    { "fakesrc ! faspsink uri=fasp://" GROUP ":7001 max-bitrate=1000000 rate-control=adaptive",
        "leave out rate-control" },
    { "fakesrc ! faspsink uri=fasp://" GROUP ":7001 max-bitrate=1000000 flowlets=2",
        "leave out flowlets" },
    { "fakesrc ! faspsink uri=fasp://" GROUP ":7001 max-bitrate=1000000 rex=false", "rex=false" },
    { "fakesrc ! faspsink uri=fasp://" GROUP ":7001 max-bitrate=1000000 mode=caller",
        "Leave out mode" },
    { "fakesrc ! faspsink uri=fasp://" GROUP ":7001 max-bitrate=1000000 multicast-iface=nothere0",
        "multicast-iface" },
    { "faspsrc uri=fasp://" GROUP ":7001 multicast-iface=nothere0 ! fakesink", "multicast-iface" },
    { "faspsrc uri=fasp://[ff12::77]:7001 ! fakesink", "multicast-iface" },
    { "faspsrc uri=fasp://[ff15::77%25nothere0]:7001 ! fakesink", "\"nothere0\"" },
    { "faspsrc uri=fasp://[fe80::77]:7001?mode=listener ! fakesink", "%25eth0" },
    { "faspsrc uri=fasp://" GROUP ":7001 mode=listener ! fakesink", "Leave out mode" },
    { "faspsrc uri=fasp://" GROUP ":7001 multicast-iface=lo multicast-source=::1 ! fakesink",
        "both IPv4" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (PairPipeline) pipeline = pair_launch ("%s", wrong[i].pipeline);
    g_autofree gchar *text = NULL;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    text = pair_wait_text (pipeline, GST_MESSAGE_ERROR);
    if (strstr (text, wrong[i].told) == NULL)
      g_error ("%s: %s", wrong[i].pipeline, text);
  }
}

/* No sender is there: the warning says what to look at. */
static void
test_silence (void)
{
  g_autoptr (PairPipeline) receiver =
      pair_launch ("faspsrc uri=fasp://" GROUP ":%u multicast-iface=lo " SECRET " ! fakesink",
          pair_get_port ());

  if (skip (&nets[0]))
    return;
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  pair_expect (receiver, GST_MESSAGE_WARNING, "IGMP");
}

int
main (int argc, char **argv)
{
  enter_network ();
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (nets); i++)
    g_test_add_data_func (nets[i].name, &nets[i], test_group);
  g_test_add_func ("/multicast/link-local", test_link_local);
  g_test_add_func ("/multicast/settings", test_settings);
  g_test_add_func ("/multicast/silence", test_silence);
  return g_test_run ();
}
