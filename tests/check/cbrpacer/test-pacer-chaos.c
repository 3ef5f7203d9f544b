/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Real threads: whatever is set, flushed and stopped in whatever order, no
 * crash, nothing hangs, and no byte is lost that was not thrown away.
 * FASP_SEEDS sets how many orders are tried (default 10).
 */
#include <string.h>
#include <gio/gio.h>
#include "../../netsim/seeds.h"
#include "pacer.h"

#define STEPS 60
/* A step that takes longer hangs. */
#define HANGS (3 * G_TIME_SPAN_SECOND)

/* A clock of its own, which only the element holds; its time may be another one. */
static void
set_clock (GstElement *pacer, GRand *rand)
{
  GstClock *clock = g_object_new (GST_TYPE_SYSTEM_CLOCK, "clock-type",
      g_rand_boolean (rand) ? GST_CLOCK_TYPE_REALTIME : GST_CLOCK_TYPE_MONOTONIC, NULL);

  gst_object_ref_sink (clock);
  gst_element_set_clock (pacer, clock);
  gst_object_unref (clock);
}

static void
set_something (GstElement *pacer, GRand *rand, gboolean all)
{
  switch (g_rand_int_range (rand, 0, all ? 12 : 10)) {
    case 0:
      g_object_set (pacer, "bitrate", (guint64) 100000000 + g_rand_int (rand), NULL);
      break;
    case 1:
      g_object_set (pacer, "method", g_rand_int_range (rand, 0, 3), NULL);
      break;
    case 2:
      g_object_set (pacer, "payload-size", g_rand_int_range (rand, 0, 1500), NULL);
      break;
    case 3:
      g_object_set (pacer, "max-burst", g_rand_int_range (rand, 0, 100000), NULL);
      break;
    case 4:
      g_object_set (pacer, "header-size", g_rand_int_range (rand, 0, 100), NULL);
      break;
    case 5:
      g_object_set (pacer, "max-delay", (guint64) g_rand_int (rand), NULL);
      break;
    case 6:
      g_object_set (pacer, "spin", (guint64) g_rand_int_range (rand, 0, 100000), NULL);
      break;
    case 7:
      g_object_set (pacer, "max-period", (guint64) g_rand_int_range (rand, 1000, 10000000), NULL);
      break;
    case 8:
      g_object_set (pacer, "stats-interval", g_rand_int_range (rand, 0, 3), NULL);
      break;
    case 9:
      set_clock (pacer, rand);
      break;
    case 10:
      g_object_set (pacer, "overflow", g_rand_int_range (rand, 0, 2), NULL);
      break;
    default:
      g_object_set (pacer, "bitrate", (guint64) 0, "window",
          (guint64) g_rand_int_range (rand, 1, 50) * GST_MSECOND, NULL);
      break;
  }
}

typedef struct
{
  GstPad *pad; /* of the pacer, where it is fed */
  GRand *rand;
  guint64 bytes;
  guint8 next; /* byte */
} Feeder;

static GstBuffer *
make (Feeder *feeder)
{
  gsize size = g_rand_int_range (feeder->rand, 1, 4000);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < size; i++)
    map.data[i] = feeder->next++;
  gst_buffer_unmap (buffer, &map);
  feeder->bytes += size;
  return buffer;
}

static GstFlowReturn
feed (Feeder *feeder)
{
  GstBufferList *list;

  if (g_rand_boolean (feeder->rand))
    return gst_pad_push (feeder->pad, make (feeder));
  list = gst_buffer_list_new ();
  for (guint i = 0; i < 10; i++)
    gst_buffer_list_add (list, make (feeder));
  return gst_pad_push_list (feeder->pad, list);
}

typedef struct
{
  guint64 bytes;
  guint8 next;
  gboolean ended;
  GMutex lock;
  GCond cond;
} Taker;

static GstPadProbeReturn
take (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Taker *taker = data;

  if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS) {
      g_mutex_lock (&taker->lock);
      taker->ended = TRUE;
      g_cond_signal (&taker->cond);
      g_mutex_unlock (&taker->lock);
    }
    return GST_PAD_PROBE_OK;
  }
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
    GstMapInfo map;

    gst_buffer_map (buffer, &map, GST_MAP_READ);
    for (gsize i = 0; i < map.size; i++)
      g_assert_cmpuint (map.data[i], ==, taker->next++);
    taker->bytes += map.size;
    gst_buffer_unmap (buffer, &map);
  }
  return GST_PAD_PROBE_OK;
}

static gpointer
set_all_the_time (gpointer data)
{
  GstElement *pacer = data;
  GRand *rand = g_rand_new_with_seed (99);

  for (guint i = 0; i < 200; i++) {
    set_something (pacer, rand, FALSE);
    g_usleep (500);
  }
  g_rand_free (rand);
  return NULL;
}

/* Settings that change while playing lose and disorder nothing. */
static void
test_settings (void)
{
  for (guint seed = 0; seed < count_seeds (10); seed++) {
    Feeder feeder = { NULL, g_rand_new_with_seed (seed) };
    Taker taker = { 0 };
    GstHarness *h = gst_harness_new ("cbrpacer");
    GThread *thread;
    gint64 until;

    g_mutex_init (&taker.lock);
    g_cond_init (&taker.cond);
    g_object_set (h->element, "bitrate", G_GUINT64_CONSTANT (500000000), NULL);
    gst_harness_use_systemclock (h);
    gst_harness_set_drop_buffers (h, TRUE);
    gst_harness_set_src_caps_str (h, "application/x-test");
    /* a harness takes lists apart first */
    gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
        take, &taker, NULL);
    feeder.pad = h->srcpad;
    thread = g_thread_new ("set", set_all_the_time, h->element);
    for (guint i = 0; i < 300; i++)
      g_assert_cmpint (feed (&feeder), ==, GST_FLOW_OK);
    g_thread_join (thread);
    gst_harness_push_event (h, gst_event_new_eos ());
    until = g_get_monotonic_time () + 10 * HANGS;
    g_mutex_lock (&taker.lock);
    while (!taker.ended)
      g_assert_true (g_cond_wait_until (&taker.cond, &taker.lock, until));
    g_mutex_unlock (&taker.lock);
    g_assert_cmpuint (taker.bytes, ==, feeder.bytes);
    gst_harness_teardown (h);
    g_mutex_clear (&taker.lock);
    g_cond_clear (&taker.cond);
    g_rand_free (feeder.rand);
  }
}

/* A transport stream, in pieces of any size. */
typedef struct
{
  guint size; /* of a packet */
  GByteArray *stream;
  gsize out; /* bytes of it that came */
  gboolean nulls, ended;
  GMutex lock;
  GCond cond;
} Packets;

static GstPadProbeReturn
take_packets (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Packets *packets = data;
  GstMapInfo map;

  g_mutex_lock (&packets->lock);
  if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    packets->ended |= GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS;
    g_cond_signal (&packets->cond);
  } else if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    gst_buffer_map (GST_PAD_PROBE_INFO_BUFFER (info), &map, GST_MAP_READ);
    g_assert_cmpuint (map.size % packets->size, ==, 0);
    g_assert_cmpuint (map.size, <=, 7 * packets->size);
    for (gsize i = 0; i < map.size; i += packets->size) {
      if (packets->nulls && map.data[i + 1] == 0x1f && map.data[i + 2] == 0xff)
        continue;
      g_assert_cmpuint (packets->out + packets->size, <=, packets->stream->len);
      g_assert_cmpmem (map.data + i, packets->size, packets->stream->data + packets->out,
          packets->size);
      packets->out += packets->size;
    }
    gst_buffer_unmap (GST_PAD_PROBE_INFO_BUFFER (info), &map);
  }
  g_mutex_unlock (&packets->lock);
  return GST_PAD_PROBE_OK;
}

/* Random bytes, but for the sync bytes, and no null packets. */
static void
make_packets (Packets *packets, GRand *rand)
{
  guint front = packets->size == 192 ? 4 : 0;

  g_byte_array_set_size (packets->stream, 2000 * packets->size);
  for (guint i = 0; i < packets->stream->len; i++)
    packets->stream->data[i] = g_rand_int (rand);
  for (guint i = 0; i < packets->stream->len; i += packets->size) {
    packets->stream->data[i + front] = 0x47;
    packets->stream->data[i + front + 1] = 0x01;
  }
}

/* Pauses, events and queries in the middle of packets: each datagram begins and ends with a packet,
 * and no byte is lost. */
static void
test_packets (void)
{
  static const guint sizes[] = { 188, 192, 204, 208 };

  for (guint seed = 0; seed < 2 * count_seeds (10); seed++) {
    GRand *rand = g_rand_new_with_seed (seed);
    GstHarness *h = gst_harness_new ("cbrpacer");
    Packets packets = { .stream = g_byte_array_new (), .nulls = seed % 5 == 4 };
    GstQuery *query = gst_query_new_custom (GST_QUERY_CUSTOM | GST_QUERY_TYPE_SERIALIZED,
        gst_structure_new_empty ("x"));
    GstSegment segment;
    gint64 until;

    packets.size = packets.nulls ? 188 : sizes[seed % 4];
    g_mutex_init (&packets.lock);
    g_cond_init (&packets.cond);
    make_packets (&packets, rand);
    /* a datagram waits for a moment only */
    g_object_set (h->element, "bitrate", G_GUINT64_CONSTANT (200000000), "max-period",
        100 * GST_USECOND, "stuffing", packets.nulls, "restamp", FALSE, NULL);
    gst_harness_use_systemclock (h);
    gst_harness_set_drop_buffers (h, TRUE);
    if (seed % 2 == 0) {
      g_autofree gchar *caps = g_strdup_printf ("video/mpegts,packetsize=%u", packets.size);

      gst_harness_set_src_caps_str (h, caps);
    } else {
      /* none: the first buffer tells */
      gst_segment_init (&segment, GST_FORMAT_BYTES);
      gst_harness_play (h);
      gst_harness_push_event (h, gst_event_new_stream_start ("1"));
      gst_harness_push_event (h, gst_event_new_segment (&segment));
    }
    g_object_set (h->element, "payload-size",
        seed % 3 == 0 && !packets.nulls ? 7 * packets.size + seed % packets.size : 0, NULL);
    gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
        take_packets, &packets, NULL);
    for (gsize in = 0; in < packets.stream->len;) {
      gsize n = g_rand_int_range (rand, 1, 1 << g_rand_int_range (rand, 1, 13));

      n = in == 0 ? 1000 : MIN (n, packets.stream->len - in);
      g_assert_cmpint (gst_harness_push (h, gst_buffer_new_memdup (packets.stream->data + in, n)),
          ==, GST_FLOW_OK);
      in += n;
      switch (g_rand_int_range (rand, 0, 20)) {
        case 0:
          g_usleep (g_rand_int_range (rand, 0, 2000));
          break;
        case 1:
          gst_harness_push_event (h, gst_event_new_gap (0, 1));
          break;
        case 2:
          gst_pad_peer_query (h->srcpad, query);
          break;
        case 3:
          set_clock (h->element, rand);
          break;
      }
    }
    gst_harness_push_event (h, gst_event_new_eos ());
    until = g_get_monotonic_time () + 10 * HANGS;
    g_mutex_lock (&packets.lock);
    while (!packets.ended)
      g_assert_true (g_cond_wait_until (&packets.cond, &packets.lock, until));
    g_mutex_unlock (&packets.lock);
    g_assert_cmpuint (packets.out, ==, packets.stream->len);
    gst_harness_teardown (h);
    gst_query_unref (query);
    g_byte_array_unref (packets.stream);
    g_mutex_clear (&packets.lock);
    g_cond_clear (&packets.cond);
    g_rand_free (rand);
  }
}

static void
do_something (GstElement *pipeline, GstElement *pacer, GRand *rand)
{
  static const GstState states[] = { GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED,
    GST_STATE_PLAYING, GST_STATE_PLAYING, GST_STATE_PLAYING };
  GstStructure *stats;

  switch (g_rand_int_range (rand, 0, 6)) {
    case 0:
      gst_element_seek_simple (pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
          g_rand_int_range (rand, 0, 100) * GST_SECOND);
      break;
    case 1:
    case 2:
      gst_element_set_state (pipeline, states[g_rand_int_range (rand, 0, G_N_ELEMENTS (states))]);
      break;
    case 3:
      g_object_get (pacer, "stats", &stats, NULL);
      gst_structure_free (stats);
      break;
    case 4:
      g_usleep (g_rand_int_range (rand, 0, 10000));
      break;
    default:
      set_something (pacer, rand, TRUE);
      break;
  }
}

static void
test_chaos (void)
{
  for (guint seed = 0; seed < count_seeds (10); seed++) {
    g_autoptr (GstElement) pipeline = gst_object_ref_sink (gst_parse_launch (
        "audiotestsrc num-buffers=500 ! cbrpacer name=p bitrate=100000000 ! fakesink name=s",
        NULL));
    g_autoptr (GstElement) pacer = gst_bin_get_by_name (GST_BIN (pipeline), "p");
    g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
    GRand *rand = g_rand_new_with_seed (seed);
    GstSample *sample;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    /* the sink has something: it is chaos of a stream */
    g_assert_cmpint (gst_element_get_state (pipeline, NULL, NULL, 10 * HANGS * GST_USECOND), ==,
        GST_STATE_CHANGE_SUCCESS);
    g_object_get (sink, "last-sample", &sample, NULL);
    g_assert_nonnull (sample);
    gst_sample_unref (sample);
    for (guint i = 0; i < STEPS; i++) {
      gint64 before = g_get_monotonic_time ();

      do_something (pipeline, pacer, rand);
      g_assert_cmpint (g_get_monotonic_time () - before, <, HANGS);
    }
    gst_element_set_state (pipeline, GST_STATE_NULL);
    g_rand_free (rand);
  }
}

/* The kernel cuts what leaves as one buffer; what arrives is what datagram by
 * datagram would. */
static void
test_offload (void)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) any = g_inet_socket_address_new (loopback, 0);
  g_autoptr (GSocketAddress) bound = NULL;
  g_autoptr (GSocket) socket =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  g_autofree gchar *line = NULL;
  g_autoptr (GstElement) pipeline = NULL, pacer = NULL;
  g_autoptr (GstBus) bus = NULL;
  gboolean offloaded = FALSE;
  GstStructure *stats;
  GstMessage *message;
  gchar bytes[2000];

  g_assert_true (g_socket_bind (socket, any, FALSE, NULL));
  g_socket_set_timeout (socket, 10);
  bound = g_socket_get_local_address (socket, NULL);
  line = g_strdup_printf ("fakesrc num-buffers=3 sizetype=fixed sizemax=10000 "
                          "filltype=pattern-span ! queue ! cbrpacer name=p bitrate=100000000 "
                          "payload-size=700 max-burst=7280 segmentation-offload=true ! identity ! "
                          "udpsink host=127.0.0.1 port=%u sync=false",
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound)));
  pipeline = gst_object_ref_sink (gst_parse_launch (line, NULL));
  pacer = gst_bin_get_by_name (GST_BIN (pipeline), "p");
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  /* 30000 = 42 * 700 + 600 */
  for (guint i = 0; i < 43; i++) {
    gssize size = g_socket_receive (socket, bytes, sizeof bytes, NULL, NULL);

    g_assert_cmpint (size, ==, i < 42 ? 700 : 600);
    for (gssize j = 0; j < size; j++)
      g_assert_cmpuint ((guint8) bytes[j], ==, (guint8) (i * 700 + j));
  }
  message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
  gst_message_unref (message);
  g_object_get (pacer, "stats", &stats, NULL);
  gst_structure_get_boolean (stats, "segmentation-offload", &offloaded);
  gst_structure_free (stats);
  if (!offloaded)
    g_test_skip ("this kernel has no UDP_SEGMENT");
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* A port of the loopback, and a udpsink that sends there, in PLAYING. */
static GSocket *
open_port (GstElement **sink)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) any = g_inet_socket_address_new (loopback, 0);
  g_autoptr (GSocketAddress) bound = NULL;
  GSocket *socket =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);

  g_assert_true (g_socket_bind (socket, any, FALSE, NULL));
  g_socket_set_blocking (socket, FALSE);
  bound = g_socket_get_local_address (socket, NULL);
  *sink = gst_object_ref_sink (gst_element_factory_make ("udpsink", NULL));
  g_object_set (*sink, "host", "127.0.0.1", "port",
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound)), "sync", FALSE, "async", FALSE,
      NULL);
  gst_element_set_state (*sink, GST_STATE_PLAYING);
  return socket;
}

static gboolean
is_offloading (GstElement *pacer)
{
  GstStructure *stats;
  gboolean offloads = FALSE;

  g_object_get (pacer, "stats", &stats, NULL);
  gst_structure_get_boolean (stats, "segmentation-offload", &offloads);
  gst_structure_free (stats);
  return offloads;
}

/* Takes @n datagrams, of 700 bytes each, as the clock goes on. */
static void
take_datagrams (GstTestClock *clock, GSocket *socket, guint n)
{
  gint64 until = g_get_monotonic_time () + HANGS;
  gchar bytes[9000];

  while (n > 0) {
    gssize size = g_socket_receive (socket, bytes, sizeof bytes, NULL, NULL);

    g_assert_cmpint (g_get_monotonic_time (), <, until);
    if (size > 0) {
      g_assert_cmpint (size, ==, 700);
      n--;
    } else if (gst_test_clock_peek_id_count (clock) > 0) {
      gst_test_clock_crank (clock);
    }
  }
}

/* Another sink cuts datagrams from its first one on; and offload that is switched off as another
 * sink is linked is off. */
static void
test_offload_to_another (void)
{
  GstHarness *h = gst_harness_new_with_padnames ("cbrpacer", "sink", NULL);
  GstElement *pacer = h->element, *sinks[2];
  g_autoptr (GSocket) first = open_port (&sinks[0]);
  g_autoptr (GSocket) second = open_port (&sinks[1]);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (pacer, "src");
  g_autoptr (GstTestClock) clock = NULL;
  gint64 until = g_get_monotonic_time () + HANGS;

  gst_harness_use_testclock (h);
  clock = gst_harness_get_testclock (h);
  g_object_set (pacer, "bitrate", G_GUINT64_CONSTANT (8000000), "payload-size", 700, "max-burst",
      7280, "segmentation-offload", TRUE, NULL);
  g_assert_true (gst_element_link (pacer, sinks[0]));
  gst_harness_set_src_caps_str (h, "application/x-test");
  gst_harness_push (h, gst_buffer_new_allocate (NULL, 280000, NULL));
  take_datagrams (clock, first, 10);
  if (is_offloading (pacer)) {
    PacerGate *gate;

    gst_test_clock_wait_for_next_pending_id (clock, NULL);
    gst_element_unlink (pacer, sinks[0]);
    g_assert_true (gst_element_link (pacer, sinks[1]));
    take_datagrams (clock, second, 10);
    gate = pacer_gate_close (pad, GST_PAD_PROBE_TYPE_BUFFER);
    pacer_gate_reach (gate, clock);
    g_object_set (pacer, "segmentation-offload", FALSE, NULL);
    gst_pad_send_event (pad, gst_event_new_reconfigure ());
    pacer_gate_open (gate);
    while (is_offloading (pacer))
      g_assert_cmpint (g_get_monotonic_time (), <, until);
    take_datagrams (clock, second, 20);
  } else {
    g_test_skip ("this kernel has no UDP_SEGMENT");
  }
  gst_harness_teardown (h);
  for (guint i = 0; i < 2; i++) {
    gst_element_set_state (sinks[i], GST_STATE_NULL);
    gst_object_unref (sinks[i]);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pacer-chaos/settings", test_settings);
  g_test_add_func ("/pacer-chaos/packets", test_packets);
  g_test_add_func ("/pacer-chaos/everything", test_chaos);
  g_test_add_func ("/pacer-chaos/offload", test_offload);
  g_test_add_func ("/pacer-chaos/offload-to-another", test_offload_to_another);
  return g_test_run ();
}
