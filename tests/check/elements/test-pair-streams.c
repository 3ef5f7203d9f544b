/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Both elements against each other over the loopback interface: whole streams, whoever
 * dials, whatever they are cut into, and to several receivers.
 */
#include <gio/gio.h>
#include "pair.h"
#include "vcases.h"

typedef struct
{
  const gchar *name, *sink, *source;
  gboolean sender_first;
} Way;

static const Way ways[] = {
  { "sender-dials", "uri=fasp://127.0.0.1:PORT", "uri=fasp://:PORT", FALSE },
  { "receiver-dials", "uri=fasp://:PORT", "uri=fasp://127.0.0.1:PORT", FALSE },
  { "sender-first", "uri=fasp://127.0.0.1:PORT", "uri=fasp://:PORT", TRUE },
  { "receiver-first", "uri=fasp://:PORT", "uri=fasp://127.0.0.1:PORT", FALSE },
  { "ipv6", "uri=fasp://[::1]:PORT", "uri=fasp://:PORT", FALSE },
  { "name", "uri=fasp://localhost:PORT", "uri=fasp://:PORT", FALSE },
  { "any-address", "uri=fasp://127.0.0.1:PORT", "uri=fasp://0.0.0.0:PORT", FALSE },
  { "any-address-ipv6", "uri=fasp://[::]:PORT", "uri=fasp://[::1]:PORT", FALSE },
  { "local-address", "uri=fasp://127.0.0.1:PORT",
      "mode=listener localaddress=127.0.0.1 localport=PORT", FALSE },
  { "paced", "uri=fasp://127.0.0.1:PORT max-bitrate=50000000", "uri=fasp://:PORT", FALSE },
  { "dscp-ttl", "uri=fasp://127.0.0.1:PORT?tos=184&ttl=5", "uri=fasp://:PORT", FALSE },
  { "flowlets", "uri=fasp://127.0.0.1:PORT?flowlets=4", "uri=fasp://:PORT?flowlets=4", FALSE },
  { "flowlets-receiver-dials", "uri=fasp://:PORT?flowlets=4", "uri=fasp://[::1]:PORT?flowlets=3",
      FALSE },
  { "flowlets-double", "uri=fasp://127.0.0.1:PORT?flowlets=2 flow-assignment=duplicate",
      "uri=fasp://:PORT?flowlets=4", FALSE },
  { "flowlets-one", "uri=fasp://127.0.0.1:PORT?flowlets=4", "uri=fasp://:PORT", FALSE },
  { "flowlets-threads", "uri=fasp://127.0.0.1:PORT?flowlets=4&threads=2",
      "uri=fasp://:PORT?flowlets=4&threads=4", FALSE },
  { "flowlets-threads-dial", "uri=fasp://:PORT?flowlets=4 threads=64",
      "uri=fasp://127.0.0.1:PORT?flowlets=4 threads=3", FALSE },
#if HAVE_FEC
  { "fec", "uri=fasp://127.0.0.1:PORT?fec=20%25&latency=20", "uri=fasp://:PORT", FALSE },
  { "fec-auto", "uri=fasp://127.0.0.1:PORT fec=auto", "uri=fasp://:PORT fec=off", FALSE },
#endif
  { "loopback-device", "uri=fasp://127.0.0.1:PORT interface=lo", "uri=fasp://:PORT", FALSE },
};

static void
test_way (gconstpointer data)
{
  const Way *way = data;
  g_autoptr (Pair) pair = pair_new (way->sink, way->source);
  g_autoptr (GBytes) stream = pair_make_stream (1000003);

  if (way->sender_first) {
    gst_element_set_state (pair->sender, GST_STATE_PLAYING);
    pair_push (pair, stream, 0, 50000, 1316);
    gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
    pair_push (pair, stream, 50000, 1000003, 1316);
  } else {
    pair_play (pair);
    pair_push (pair, stream, 0, 1000003, 1316);
  }
  pair_finish (pair, stream);
}

/* A machine has several addresses: a caller of one of them is answered from it, as its firewall or
 * NAT lets nothing else in. @data: the listener's. */
static void
test_called (gconstpointer data)
{
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://%s:PORT", (gchar *) data);
  g_autoptr (Pair) pair = pair_new (sink, "uri=fasp://127.0.0.2:PORT");
  g_autoptr (GstElement) caller = gst_bin_get_by_name (GST_BIN (pair->receiver), "source");
  g_autoptr (GBytes) stream = pair_make_stream (100000);
  g_autoptr (GSocketAddress) peer = NULL;
  g_autoptr (GstStructure) stats = NULL;
  g_autofree gchar *address = NULL;

  pair_play (pair);
  pair_push (pair, stream, 0, 100000, 1316);
  pair_finish (pair, stream);
  g_object_get (caller, "stats", &stats, NULL);
  g_assert_true (gst_structure_get (stats, "caller-address", G_TYPE_SOCKET_ADDRESS, &peer, NULL));
  address =
      g_inet_address_to_string (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (peer)));
  g_assert_cmpstr (address, ==, "127.0.0.2");
}

/* Whole packets stay whole, however the muxer writes them. */
static void
test_packets (void)
{
  g_autoptr (GstCaps) caps =
      gst_caps_from_string ("video/mpegts, systemstream=(boolean)true, packetsize=(int)188");
  g_autoptr (GBytes) stream = pair_make_stream (188 * 5000);
  g_autoptr (Pair) pair = pair_new_default ();

  gst_app_src_set_caps (pair_get_in (pair), caps);
  pair_play (pair);
  pair_push (pair, stream, 0, 188 * 2500, 188 * 50);
  pair_push (pair, stream, 188 * 2500, 188 * 5000, 188 * 3);
  pair_finish (pair, stream);
  g_assert_cmpuint (pair->buffers, >, 10);
  g_assert_cmpuint (pair->split, ==, 0);
}

/* Buffers that are thousands of blocks, which stay in them; what the sender
 * cut comes out in one piece where it is there at once. */
static void
test_large (gconstpointer encryption)
{
  g_autofree gchar *sink =
      g_strdup_printf ("uri=fasp://127.0.0.1:PORT max-bitrate=2000000000 encryption=%s",
          (const gchar *) encryption);
  g_autofree gchar *source =
      g_strdup_printf ("uri=fasp://:PORT encryption=%s", (const gchar *) encryption);
  g_autoptr (Pair) pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (30000000);

  pair_play (pair);
  for (gsize at = 0; at < 30000000; at += 1 << 20) {
    gsize size = MIN (1 << 20, 30000000 - at);
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

    gst_buffer_fill (buffer, 0, (const guint8 *) g_bytes_get_data (stream, NULL) + at, size);
    g_assert_cmpint (gst_app_src_push_buffer (pair_get_in (pair), buffer), ==, GST_FLOW_OK);
  }
  pair_finish (pair, stream);
  g_assert_cmpuint (pair->buffers, <, 30000000 / 1500 / 2);
}

/* Sizes from a byte to many datagrams, empty ones, lists, several memories. */
static void
test_shapes (void)
{
  g_autoptr (Pair) pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (2000000);
  gsize at = 0;
  guint i = 0;

  pair_play (pair);
  while (at < 2000000) {
    gsize n = MIN ((gsize) 2000000 - at, (gsize) 1 << (i % 17));

    if (i % 5 == 4) {
      GstBufferList *list = gst_buffer_list_new ();
      GstBuffer *buffer = gst_buffer_new ();

      for (gsize done = 0; done < n;) {
        gsize part = MIN (n - done, 777);
        g_autoptr (GBytes) bytes = g_bytes_new_from_bytes (stream, at + done, part);
        GstBuffer *one = gst_buffer_new_wrapped_bytes (bytes);

        if (done % 2 == 0) {
          gst_buffer_list_add (list, one);
        } else {
          gst_buffer_list_add (list, gst_buffer_append (buffer, one));
          buffer = gst_buffer_new ();
        }
        done += part;
      }
      gst_buffer_list_add (list, buffer); /* empty */
      gst_app_src_push_buffer_list (pair_get_in (pair), list);
    } else {
      pair_push (pair, stream, at, at + n, n);
    }
    at += n;
    i++;
  }
  pair_finish (pair, stream);
}

/* Each buffer arrives without another one behind it. */
static void
test_prompt (void)
{
  g_autoptr (Pair) pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (5000);

  pair_play (pair);
  for (gsize at = 0; at < 5000; at += 100) {
    pair_push (pair, stream, at, at + 100, 100);
    pair_wait_for_size (pair, at + 100);
  }
  pair_finish (pair, stream);
}

typedef struct
{
  const gchar *caps;
  gboolean late;     /* the receiver joins late; */
  const gchar *told; /* is that warned of? */
  gsize header;      /* bytes of 1a45dfa3a3 that it gets first */
} Middle;

static const Middle middles[] = {
  { "video/x-matroska,streamheader=(buffer)<1a45,dfa3a3>", TRUE, NULL, 5 },
  { "video/quicktime,variant=iso", TRUE, "middle of video/quicktime", 0 },
  /* the application has not written it: it is before the first byte */
  { "video/x-matroska,streamheader=(buffer)<1a45dfa3>", FALSE, NULL, 4 },
  { "video/mpegts,systemstream=true,streamheader=(buffer)<47400010>", TRUE, NULL, 0 },
};

/* A receiver that has missed the beginning of a stream that needs it. */
static void
test_in_the_middle (gconstpointer data)
{
  static const guint8 begin[] = { 0x1a, 0x45, 0xdf, 0xa3, 0xa3 };
  const Middle *middle = data;
  gsize from = middle->late ? 100000 : 0;
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://:PORT wait-for-connection=%s " SECRET,
      middle->late ? "false" : "true");
  g_autoptr (GstCaps) caps = gst_caps_from_string (middle->caps);
  g_autoptr (GBytes) stream = pair_make_stream (200000);
  g_autoptr (Pair) pair = pair_new (sink, "uri=fasp://127.0.0.1:PORT " SECRET);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_app_src_set_caps (pair_get_in (pair), caps);
  gst_element_set_state (pair->sender, GST_STATE_PLAYING);
  pair_push (pair, stream, 0, 100000, 1316);
  if (middle->late)
    pair_wait_for_least (pair->sender, "sink", "bytes-sent-total", 100000);
  gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
  pair_wait_for_least (pair->sender, "sink", "connected-callers", 1);
  pair_push (pair, stream, 100000, 200000, 1316);
  gst_app_src_end_of_stream (pair_get_in (pair));
  message = pair_wait (pair->sender, GST_MESSAGE_EOS | GST_MESSAGE_WARNING);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  g_assert_cmpint (error != NULL, ==, middle->told != NULL);
  if (error != NULL)
    g_assert_nonnull (strstr (error->message, middle->told));
  gst_message_unref (pair_wait (pair->receiver, GST_MESSAGE_EOS));
  g_assert_cmpuint (pair->got->len, ==, middle->header + 200000 - from);
  g_assert_cmpint (memcmp (pair->got->data, begin, middle->header), ==, 0);
  g_assert_cmpint (memcmp (pair->got->data + middle->header,
                       (const guint8 *) g_bytes_get_data (stream, NULL) + from, 200000 - from),
      ==, 0);
}

static void
test_stats (void)
{
  g_autoptr (Pair) pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (500000);

  pair_play (pair);
  pair_push (pair, stream, 0, 500000, 1316);
  pair_wait_for_size (pair, 500000);
  g_assert_cmpuint (pair_get_stat (pair->sender, "sink", "connected-callers"), ==, 1);
  g_assert_cmpuint (pair_get_stat (pair->sender, "sink", "bytes-sent"), ==, 500000);
  g_assert_cmpuint (pair_get_stat (pair->receiver, "source", "bytes-received"), ==, 500000);
  pair_finish (pair, stream);
  /* and after the end */
  g_assert_cmpuint (pair_get_stat (pair->sender, "sink", "bytes-acknowledged"), ==, 500000);
}

/* A stream of nothing ends at both ends, too, and not before a receiver is there. */
static void
test_empty (gconstpointer data)
{
  gboolean dials = GPOINTER_TO_INT (data);
  const gchar *call = "uri=fasp://127.0.0.1:PORT " SECRET, *listen = "uri=fasp://:PORT " SECRET;
  g_autoptr (Pair) pair = dials ? pair_new (call, listen) : pair_new (listen, call);
  g_autoptr (GBytes) stream = pair_make_stream (0);
  g_autoptr (GstBus) bus = NULL;

  gst_element_set_state (pair->sender, GST_STATE_PLAYING);
  gst_app_src_end_of_stream (pair_get_in (pair));
  /* of 0.1 s: it would be there at once */
  bus = gst_element_get_bus (pair->sender);
  g_assert_null (gst_bus_timed_pop_filtered (bus, GST_SECOND / 10,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
  pair_finish (pair, stream);
}

/* Three receivers of one sink, one of which leaves. */
static void
test_receivers (void)
{
  guint port = pair_get_port ();
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://:%u", port);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://127.0.0.1:%u", port);
  g_autoptr (Pair) pair = pair_new (sink, source);
  g_autoptr (PairPipeline) leaves = pair_launch ("faspsrc %s ! fakesink", source);
  g_autoptr (PairPipeline) stays = pair_launch ("faspsrc name=source %s ! fakesink", source);
  g_autoptr (GBytes) stream = pair_make_stream (1000000);

  gst_element_set_state (leaves, GST_STATE_PLAYING);
  gst_element_set_state (stays, GST_STATE_PLAYING);
  pair_play (pair);
  pair_wait_for_least (pair->sender, "sink", "connected-callers", 3);
  pair_push (pair, stream, 0, 500000, 1316);
  pair_stop (leaves);
  pair_push (pair, stream, 500000, 1000000, 1316);
  pair_finish (pair, stream);
  gst_message_unref (pair_wait (stays, GST_MESSAGE_EOS));
  g_assert_cmpuint (pair_get_stat (stays, "source", "bytes-received-total"), ==, 1000000);
}

/* As a demuxer does that has found what there is. */
static GstPadProbeReturn
ask_anew (GstPad *pad, GstPadProbeInfo *info, gpointer seen)
{
  if (++*(guint *) seen > 2)
    return GST_PAD_PROBE_OK;
  gst_pad_push_event (pad, gst_event_new_reconfigure ());
  return GST_PAD_PROBE_DROP;
}

/* One sink waits for the other one's preroll, which needs more of the stream. */
static void
test_branches (void)
{
  guint port = pair_get_port (), seen = 0;
  g_autoptr (PairPipeline) sender = pair_launch (
      "audiotestsrc is-live=true num-buffers=10 ! faspsink uri=fasp://127.0.0.1:%u " SECRET, port);
  g_autoptr (PairPipeline) receiver =
      pair_launch ("faspsrc uri=fasp://:%u " SECRET
                   " ! tee name=t t. ! queue ! fakesink t. ! queue ! fakesink name=late",
          port);
  g_autoptr (GstElement) late = gst_bin_get_by_name (GST_BIN (receiver), "late");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (late, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, ask_anew, &seen, NULL);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  gst_message_unref (pair_wait (receiver, GST_MESSAGE_EOS));
}

/* Both ends in one pipeline: the source has nothing before the sink has sent something. */
static void
test_one_pipeline (void)
{
  guint port = pair_get_port ();
  g_autoptr (PairPipeline) pipeline =
      pair_launch ("audiotestsrc num-buffers=10 ! faspsink uri=fasp://127.0.0.1:%u " SECRET
                   " faspsrc uri=fasp://:%u " SECRET " ! fakesink",
          port, port);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_message_unref (pair_wait (pipeline, GST_MESSAGE_EOS));
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  vcases_add ("/pair/way", ways, sizeof *ways, G_N_ELEMENTS (ways), test_way);
  g_test_add_data_func ("/pair/called/any", "", test_called);
  g_test_add_data_func ("/pair/called/any-ipv4", "0.0.0.0", test_called);
  g_test_add_func ("/pair/packets", test_packets);
  g_test_add_data_func ("/pair/empty/dials", GINT_TO_POINTER (TRUE), test_empty);
  g_test_add_data_func ("/pair/empty/listens", GINT_TO_POINTER (FALSE), test_empty);
  g_test_add_data_func ("/pair/large/clear", "none", test_large);
  g_test_add_data_func ("/pair/large/aes", "aes-128-gcm", test_large);
  g_test_add_func ("/pair/shapes", test_shapes);
  g_test_add_func ("/pair/prompt", test_prompt);
  for (guint i = 0; i < G_N_ELEMENTS (middles); i++) {
    g_autofree gchar *path = g_strdup_printf ("/pair/in-the-middle/%u", i);

    g_test_add_data_func (path, &middles[i], test_in_the_middle);
  }
  g_test_add_func ("/pair/stats", test_stats);
  g_test_add_func ("/pair/receivers", test_receivers);
  g_test_add_func ("/pair/branches", test_branches);
  g_test_add_func ("/pair/one-pipeline", test_one_pipeline);
  return g_test_run ();
}
