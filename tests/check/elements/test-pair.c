/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Both elements against each other over the loopback interface.
 */
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gio/gio.h>
#include "gstfaspcommon.h"
#include "pair.h"

/* ms. One second for a goodbye (asserted in virtual time), and what a busy
 * machine adds: beyond this it hangs. */
#define HANGS 4000

typedef struct
{
  GstElement *sender, *receiver;
  GByteArray *got;              /* what appsink saw */
  GstClockTime last_pts;
  guint buffers, backwards, discont, gaps;
  guint split;                  /* not of whole packets of MPEG-TS */
  GMutex lock;
  GCond more;                   /* of what appsink saw */
} Pair;

static GstFlowReturn
on_sample (GstAppSink * sink, gpointer data)
{
  Pair *pair = data;
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  GstMapInfo map;

  if (buffer == NULL)
    return GST_FLOW_OK;
  g_mutex_lock (&pair->lock);
  pair->buffers++;
  pair->split += gst_buffer_get_size (buffer) % 188 != 0;
  gst_buffer_map (buffer, &map, GST_MAP_READ);
  g_byte_array_append (pair->got, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  if (GST_CLOCK_TIME_IS_VALID (pair->last_pts)
      && GST_BUFFER_PTS (buffer) < pair->last_pts)
    pair->backwards++;
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT))
    pair->discont++;
  pair->last_pts = GST_BUFFER_PTS (buffer);
  g_cond_signal (&pair->more);
  g_mutex_unlock (&pair->lock);
  return GST_FLOW_OK;
}

/* @sink and @source: properties. Nothing is started. */
static Pair *
pair_new (const gchar * sink, const gchar * source)
{
  GstAppSinkCallbacks callbacks = {.new_sample = on_sample };
  Pair *pair = g_new0 (Pair, 1);
  g_autoptr (GstElement) out = NULL;

  g_mutex_init (&pair->lock);
  g_cond_init (&pair->more);
  pair->got = g_byte_array_new ();
  pair->last_pts = GST_CLOCK_TIME_NONE;
  pair->sender = pair_launch ("appsrc name=in block=true max-bytes=100000 ! "
      "faspsink name=sink %s", sink);
  pair->receiver = pair_launch ("faspsrc name=source %s ! appsink name=out "
      "sync=false async=false max-buffers=64 buffer-list=false", source);
  out = gst_bin_get_by_name (GST_BIN (pair->receiver), "out");
  gst_app_sink_set_callbacks (GST_APP_SINK (out), &callbacks, pair, NULL);
  return pair;
}

/* The sender dials the receiver on this machine. */
static Pair *
pair_new_default (void)
{
  guint port = pair_get_port ();
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u " SECRET,
      port);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u?latency=50&"
      SECRET, port);

  return pair_new (sink, source);
}

static void
pair_free (Pair * pair)
{
  g_assert_cmpuint (pair_stop (pair->sender), <, HANGS);
  g_assert_cmpuint (pair_stop (pair->receiver), <, HANGS);
  gst_object_unref (pair->sender);
  gst_object_unref (pair->receiver);
  g_byte_array_unref (pair->got);
  g_mutex_clear (&pair->lock);
  g_cond_clear (&pair->more);
  g_free (pair);
}

static void
pair_play (Pair * pair)
{
  gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
  gst_element_set_state (pair->sender, GST_STATE_PLAYING);
}

static GstAppSrc *
pair_get_in (Pair * pair)
{
  GstElement *in = gst_bin_get_by_name (GST_BIN (pair->sender), "in");

  gst_object_unref (in);        /* the pipeline holds it */
  return GST_APP_SRC (in);
}

static void
pair_push (Pair * pair, GBytes * stream, gsize from, gsize to, gsize chunk)
{
  for (gsize at = from; at < to; at += chunk) {
    GBytes *part = g_bytes_new_from_bytes (stream, at, MIN (chunk, to - at));

    g_assert_cmpint (gst_app_src_push_buffer (pair_get_in (pair),
            gst_buffer_new_wrapped_bytes (part)), ==, GST_FLOW_OK);
    g_bytes_unref (part);
  }
}

static gsize
get_size (Pair * pair)
{
  gsize size;

  g_mutex_lock (&pair->lock);
  size = pair->got->len;
  g_mutex_unlock (&pair->lock);
  return size;
}

/* Until so much has come; the time of the last buffer. */
static GstClockTime
pair_wait_for_size (Pair * pair, gsize size)
{
  gint64 until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;
  GstClockTime pts;

  g_mutex_lock (&pair->lock);
  while (pair->got->len < size)
    g_assert_true (g_cond_wait_until (&pair->more, &pair->lock, until));
  pts = pair->last_pts;
  g_mutex_unlock (&pair->lock);
  return pts;
}

static void
pair_finish (Pair * pair, GBytes * stream)
{
  gst_app_src_end_of_stream (pair_get_in (pair));
  gst_message_unref (pair_wait (pair->sender, GST_MESSAGE_EOS));
  gst_message_unref (pair_wait (pair->receiver, GST_MESSAGE_EOS));
  g_assert_cmpmem (pair->got->data, pair->got->len, g_bytes_get_data (stream,
          NULL), g_bytes_get_size (stream));
  g_assert_cmpuint (pair->backwards, ==, 0);
}

/* --- whole streams --------------------------------------------------------------- */

typedef struct
{
  const gchar *name, *sink, *source;    /* %u is the port */
  gboolean sender_first;
} Way;

static const Way ways[] = {
  {"sender-dials", "uri=fasp://127.0.0.1:%u", "uri=fasp://:%u", FALSE},
  {"receiver-dials", "uri=fasp://:%u", "uri=fasp://127.0.0.1:%u", FALSE},
  {"sender-first", "uri=fasp://127.0.0.1:%u", "uri=fasp://:%u", TRUE},
  {"receiver-first", "uri=fasp://:%u", "uri=fasp://127.0.0.1:%u", FALSE},
  {"ipv6", "uri=fasp://[::1]:%u", "uri=fasp://:%u", FALSE},
  {"name", "uri=fasp://localhost:%u", "uri=fasp://:%u", FALSE},
  {"any-address", "uri=fasp://127.0.0.1:%u", "uri=fasp://0.0.0.0:%u", FALSE},
  {"any-address-ipv6", "uri=fasp://[::]:%u", "uri=fasp://[::1]:%u", FALSE},
  {"local-address", "uri=fasp://127.0.0.1:%u",
      "mode=listener localaddress=127.0.0.1 localport=%u", FALSE},
  {"paced", "uri=fasp://127.0.0.1:%u max-bitrate=50000000", "uri=fasp://:%u",
      FALSE},
  {"dscp-ttl", "uri=fasp://127.0.0.1:%u?tos=184&ttl=5", "uri=fasp://:%u",
      FALSE},
  {"flowlets", "uri=fasp://127.0.0.1:%u?flowlets=4",
        "uri=fasp://:%u?flowlets=4",
      FALSE},
  {"flowlets-receiver-dials", "uri=fasp://:%u?flowlets=4",
      "uri=fasp://[::1]:%u?flowlets=3", FALSE},
  {"flowlets-double", "uri=fasp://127.0.0.1:%u?flowlets=2 "
        "flow-assignment=duplicate", "uri=fasp://:%u?flowlets=4", FALSE},
  {"flowlets-one", "uri=fasp://127.0.0.1:%u?flowlets=4", "uri=fasp://:%u",
      FALSE},
  {"flowlets-threads", "uri=fasp://127.0.0.1:%u?flowlets=4&threads=2",
      "uri=fasp://:%u?flowlets=4&threads=4", FALSE},
  {"flowlets-threads-dial", "uri=fasp://:%u?flowlets=4 threads=64",
      "uri=fasp://127.0.0.1:%u?flowlets=4 threads=3", FALSE},
  {"fec", "uri=fasp://127.0.0.1:%u?fec=20%%25&latency=20", "uri=fasp://:%u",
      FALSE},
  {"fec-auto", "uri=fasp://127.0.0.1:%u fec=auto", "uri=fasp://:%u fec=off",
      FALSE},
  {"loopback-device", "uri=fasp://127.0.0.1:%u interface=lo",
      "uri=fasp://:%u", FALSE},
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void
test_way (gconstpointer data)
{
  const Way *way = data;
  guint port = pair_get_ports (4);
  g_autofree gchar *sink = g_strdup_printf (way->sink, port);
  g_autofree gchar *source = g_strdup_printf (way->source, port);
  Pair *pair = pair_new (sink, source);
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
  pair_free (pair);
}

#pragma GCC diagnostic pop

/* A machine has several addresses: who calls one of them is answered from it, as its firewall or
 * NAT lets nothing else in. @data: the listener's. */
static void
test_called (gconstpointer data)
{
  guint port = pair_get_port ();
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://%s:%u", (gchar *) data,
      port);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://127.0.0.2:%u", port);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GstElement) caller = gst_bin_get_by_name (GST_BIN (pair->receiver),
      "source");
  g_autoptr (GBytes) stream = pair_make_stream (100000);
  g_autoptr (GSocketAddress) peer = NULL;
  g_autoptr (GstStructure) stats = NULL;
  g_autofree gchar *address = NULL;

  pair_play (pair);
  pair_push (pair, stream, 0, 100000, 1316);
  pair_finish (pair, stream);
  g_object_get (caller, "stats", &stats, NULL);
  g_assert_true (gst_structure_get (stats, "caller-address",
          G_TYPE_SOCKET_ADDRESS, &peer, NULL));
  address = g_inet_address_to_string (g_inet_socket_address_get_address
      (G_INET_SOCKET_ADDRESS (peer)));
  g_assert_cmpstr (address, ==, "127.0.0.2");
  pair_free (pair);
}

/* Whole packets stay whole, however the muxer writes them. */
static void
test_packets (void)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string ("video/mpegts, "
      "systemstream=(boolean)true, packetsize=(int)188");
  g_autoptr (GBytes) stream = pair_make_stream (188 * 5000);
  Pair *pair = pair_new_default ();

  gst_app_src_set_caps (pair_get_in (pair), caps);
  pair_play (pair);
  pair_push (pair, stream, 0, 188 * 2500, 188 * 50);
  pair_push (pair, stream, 188 * 2500, 188 * 5000, 188 * 3);
  pair_finish (pair, stream);
  g_assert_cmpuint (pair->buffers, >, 10);
  g_assert_cmpuint (pair->split, ==, 0);
  pair_free (pair);
}

/* @data: flowlets. */
static void
test_rendezvous (gconstpointer data)
{
  guint flowlets = GPOINTER_TO_UINT (data), a = pair_get_ports (2 * flowlets);
  guint b = a + flowlets;
  g_autofree gchar *sink = g_strdup_printf
      ("uri=fasp://127.0.0.1:%u?mode=rendezvous&flowlets=%u localport=%u", b,
      flowlets, a);
  g_autofree gchar *source = g_strdup_printf
      ("uri=fasp://127.0.0.1:%u?mode=rendezvous&flowlets=%u localport=%u", a,
      flowlets, b);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (300000);

  pair_play (pair);
  pair_push (pair, stream, 0, 300000, 5000);
  pair_finish (pair, stream);
  pair_free (pair);
}

/* An end that has more than the other says so, and goes on. */
static void
test_less (void)
{
  static const gchar *const less[][2] = { {"flowlets=3", "fewer flows: 1 of 3"},
  {"fec=10%", "no repairs"}
  };

  for (guint i = 0; i < G_N_ELEMENTS (less); i++) {
    guint port = pair_get_ports (3);
    g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u " SECRET
        " %s", port, less[i][0]);
    g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u " SECRET
        " fec=off", port);
    g_autofree gchar *text = NULL;
    Pair *pair = pair_new (sink, source);
    g_autoptr (GBytes) stream = pair_make_stream (100000);

    pair_play (pair);
    text = pair_wait_text (pair->sender, GST_MESSAGE_WARNING);
    g_assert_nonnull (strstr (text, less[i][1]));
    pair_push (pair, stream, 0, 100000, 5000);
    pair_finish (pair, stream);
    pair_free (pair);
  }
}

typedef struct
{
  gint key_frames, offers, notified;    /* atomic */
  gint bitrate;                 /* kbit/s, of the last offer; atomic */
} Encoder;

/* What an encoder hears that stands before faspsink. */
static GstPadProbeReturn
on_upstream (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  const GstStructure *structure = gst_event_get_structure (event);
  Encoder *encoder = data;
  guint64 bitrate;

  if (structure == NULL)
    return GST_PAD_PROBE_OK;
  if (gst_structure_has_name (structure, "GstForceKeyUnit")) {
    g_atomic_int_inc (&encoder->key_frames);
  } else if (gst_structure_has_name (structure, "fasp-available-bitrate")) {
    g_assert_true (gst_structure_get_uint64 (structure, "bitrate", &bitrate));
    g_assert_cmpuint (bitrate, >, 0);
    g_atomic_int_set (&encoder->bitrate, bitrate / 1000);
    g_atomic_int_inc (&encoder->offers);
  }
  return GST_PAD_PROBE_OK;
}

static void
on_notify (GObject * object, GParamSpec * pspec, gpointer data)
{
  g_atomic_int_inc (&((Encoder *) data)->notified);
}

/* A receiver that joins needs a key frame; of a channel of 10 Mbit/s some 9 are for
 * the stream, and of half of it half.  When it has left there is no rate, which is no news
 * for an encoder. */
static void
test_encoder (void)
{
  guint port = pair_get_ports (1);
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u "
      "max-bitrate=10000000", port);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u", port);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (1000000);
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pair->sender),
      "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
  Encoder encoder = { 0 };
  guint64 bitrate;
  gint64 until;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, on_upstream,
      &encoder, NULL);
  g_signal_connect (element, "notify::available-bitrate",
      G_CALLBACK (on_notify), &encoder);
  g_object_get (element, "available-bitrate", &bitrate, NULL);
  g_assert_cmpuint (bitrate, ==, 0);
  pair_play (pair);
  pair_push (pair, stream, 0, 500000, 5000);
  do {                          /* less while so much waits */
    g_autoptr (GstMessage) message = pair_wait_element (pair->sender,
        "fasp-available-bitrate");

    g_assert_true (gst_structure_get_uint64 (gst_message_get_structure
            (message), "bitrate", &bitrate));
    g_assert_cmpuint (bitrate, <, 9500000);
  } while (bitrate < 8000000);
  /* it may be that the pad had to become active first */
  until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;
  while (g_atomic_int_get (&encoder.key_frames) == 0) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_thread_yield ();
  }
  g_assert_cmpint (g_atomic_int_get (&encoder.key_frames), ==, 1);
  g_object_set (element, "max-bitrate", G_GUINT64_CONSTANT (5000000), NULL);
  pair_push (pair, stream, 500000, 1000000, 5000);
  pair_wait_for_size (pair, 1000000);
  g_object_get (element, "available-bitrate", &bitrate, NULL);
  g_assert_cmpuint (bitrate, <, 4750000);
  until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;
  while (g_atomic_int_get (&encoder.bitrate) != (gint) (bitrate / 1000)) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_thread_yield ();
    g_object_get (element, "available-bitrate", &bitrate, NULL);
  }
  g_assert_cmpint (g_atomic_int_get (&encoder.offers), >=, 2);
  /* of several that came while one was being told, the last is */
  g_assert_cmpint (g_atomic_int_get (&encoder.offers), <=,
      g_atomic_int_get (&encoder.notified));
  pair_finish (pair, stream);
  until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;
  while (bitrate > 0) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_thread_yield ();
    g_object_get (element, "available-bitrate", &bitrate, NULL);
  }
  pair_free (pair);
}

#define HOUR (3600 * GST_SECOND)

/* Running time begins anew in the receiver's elements.  After a flush its pipeline does that, but GStreamer
 * 1.28.8 gives the new base time to the pipeline alone. */
static void
begin_anew (Pair * pair, GstClock * clock)
{
  static const gchar *const names[] = { "source", "out" };
  GstClockTime now = gst_clock_get_time (clock);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GstElement) element =
        gst_bin_get_by_name (GST_BIN (pair->receiver), names[i]);

    gst_element_set_base_time (element, now);
  }
}

/* A flush that lets running time begin anew, after an hour: so do the buffers. */
static void
test_new_time (void)
{
  Pair *pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (1500);
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pair->receiver), "source");
  g_autoptr (GstClock) clock = g_object_new (GST_TYPE_SYSTEM_CLOCK, NULL);

  /* the machine may not have been on for an hour */
  gst_clock_set_calibration (clock, 0, HOUR, 1, 1);
  gst_pipeline_use_clock (GST_PIPELINE (pair->receiver), clock);
  gst_element_set_state (pair->receiver, GST_STATE_PAUSED);
  gst_element_set_start_time (pair->receiver, HOUR);
  pair_play (pair);
  pair_push (pair, stream, 0, 500, 500);
  g_assert_cmpuint (pair_wait_for_size (pair, 500), >=, HOUR);
  pair_push (pair, stream, 500, 1000, 500);
  g_assert_cmpuint (pair_wait_for_size (pair, 1000), >=, HOUR);
  gst_element_send_event (source, gst_event_new_flush_start ());
  begin_anew (pair, clock);
  gst_element_send_event (source, gst_event_new_flush_stop (TRUE));
  pair_push (pair, stream, 1000, 1500, 500);
  g_assert_cmpuint (pair_wait_for_size (pair, 1500), <, HOUR);
  pair_free (pair);
}

/* Lets so many buffers through. */
typedef struct
{
  GMutex lock;
  GCond changed;
  guint came, let;
} Gate;

static GstPadProbeReturn
pass_gate (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Gate *gate = data;

  g_mutex_lock (&gate->lock);
  gate->came++;
  g_cond_broadcast (&gate->changed);
  while (gate->came > gate->let)
    g_cond_wait (&gate->changed, &gate->lock);
  g_mutex_unlock (&gate->lock);
  return GST_PAD_PROBE_OK;
}

/* And waits until the one behind them is there. */
static void
let_through (Gate * gate, guint n)
{
  g_mutex_lock (&gate->lock);
  gate->let = n;
  g_cond_broadcast (&gate->changed);
  while (gate->came <= n)
    g_cond_wait (&gate->changed, &gate->lock);
  g_mutex_unlock (&gate->lock);
}

static void
open_gate (Gate * gate)
{
  g_mutex_lock (&gate->lock);
  gate->let = G_MAXUINT;
  g_cond_broadcast (&gate->changed);
  g_mutex_unlock (&gate->lock);
}

/* So do those that were there before the flush, and wait for who is downstream. */
static void
test_new_time_held (void)
{
  Pair *pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (2500);
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pair->receiver), "source");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");
  g_autoptr (GstClock) clock = g_object_new (GST_TYPE_SYSTEM_CLOCK, NULL);
  Gate gate = {.let = 0 };

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, pass_gate, &gate, NULL);
  gst_clock_set_calibration (clock, 0, HOUR, 1, 1);
  gst_pipeline_use_clock (GST_PIPELINE (pair->receiver), clock);
  gst_element_set_state (pair->receiver, GST_STATE_PAUSED);
  gst_element_set_start_time (pair->receiver, HOUR);
  pair_play (pair);
  pair_push (pair, stream, 0, 500, 500);
  let_through (&gate, 0);
  for (gsize at = 500; at < 2500; at += 500) {
    pair_push (pair, stream, at, at + 500, 500);
    while (pair_get_stat (pair->receiver, "source", "bytes-received") < at +
        500)
      g_thread_yield ();
  }
  /* the next is read with all that came meanwhile */
  let_through (&gate, 1);
  g_assert_cmpuint (pair_wait_for_size (pair, 500), >=, HOUR);
  gst_element_send_event (source, gst_event_new_flush_start ());
  begin_anew (pair, clock);
  open_gate (&gate);
  gst_element_send_event (source, gst_event_new_flush_stop (TRUE));
  /* but for one, which was flushed */
  g_assert_cmpuint (pair_wait_for_size (pair, 2000), <, HOUR);
  pair_free (pair);
}

static gboolean
ignore (GstClock * clock, GstClockTime time, GstClockID id, gpointer data)
{
  return TRUE;
}

/* The clock keeps what it was asked for until what comes earlier has been: it does not keep the
 * element. */
static void
test_stats_end (void)
{
  GstElement *sink = pair_launch ("fakesrc ! faspsink name=s "
      "uri=fasp://:%u stats-interval=3600000", pair_get_port ());
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();
  GstClockID earlier = gst_clock_new_single_shot_id (clock,
      gst_clock_get_time (clock) + 1000 * GST_SECOND);
  GstElement *element = gst_bin_get_by_name (GST_BIN (sink), "s");
  PairWatch *watch = pair_watch_new (element);

  gst_clock_id_wait_async (earlier, ignore, NULL, NULL);
  gst_object_unref (element);
  gst_element_set_state (sink, GST_STATE_PLAYING);
  pair_stop (sink);
  gst_object_unref (sink);
  pair_watch_end (watch);
  gst_clock_id_unschedule (earlier);
  gst_clock_id_unref (earlier);
}

static guint
get_flow_count (GstElement * pipeline, const gchar * name)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline),
      name);
  g_autoptr (GstStructure) stats = NULL;
  const GValueArray *list;

  g_object_get (element, "stats", &stats, NULL);
  list = gst_fasp_value_get_array (gst_structure_get_value (stats,
          "flow-list"));
  return list != NULL ? list->n_values : 0;
}

static guint64
get_flow_stat (GstElement * pipeline, const gchar * name, guint flow,
    const gchar * field)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline),
      name);
  g_autoptr (GstStructure) stats = NULL;
  const GValueArray *list;
  guint64 value = 0;

  g_object_get (element, "stats", &stats, NULL);
  list = gst_fasp_value_get_array (gst_structure_get_value (stats,
          "flow-list"));
  g_assert_true (gst_structure_get_uint64 (gst_value_get_structure
          (&list->values[flow]), field, &value));
  return value;
}

/* Two addresses at each end, two flows to each. */
static void
test_bonding (void)
{
  guint a = pair_get_ports (4), b = a + 2;
  g_autofree gchar *sink =
      g_strdup_printf ("uri=fasp://127.0.0.1:%u?flowlets=2 "
      "bonding-addresses=\"127.0.0.2:%u@127.0.0.3\" max-bitrate=20000000", a,
      b);
  g_autofree gchar *source = g_strdup_printf
      ("uri=fasp://127.0.0.1:%u?mode=listener&flowlets=2 "
      "bonding-addresses=127.0.0.2:%u", a, b);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (2000000);

  pair_play (pair);
  pair_push (pair, stream, 0, 2000000, 5000);
  pair_finish (pair, stream);
  g_assert_cmpuint (get_flow_count (pair->sender, "sink"), ==, 4);
  g_assert_cmpuint (get_flow_count (pair->receiver, "source"), ==, 4);
  g_assert_cmpuint (get_flow_stat (pair->sender, "sink", 3, "packets-sent"), >,
      50);
  pair_free (pair);
}

/* A line that is not there yet, of either end, is told of and holds up no other. @data: of the
 * sender, as it is to leave by. */
static void
test_early (gconstpointer data)
{
  guint a = pair_get_ports (2), b = a + 1;
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u " SECRET
      " bonding-addresses=\"127.0.0.2:%u@%s\"", a, b, (gchar *) data);
  g_autofree gchar *source = g_strdup_printf
      ("uri=fasp://127.0.0.1:%u?mode=listener " SECRET
      " bonding-addresses=203.0.113.8:%u", a, b);
  g_autofree gchar *sent = NULL, *received = NULL;
  Pair *pair = pair_new (sink, source);
  g_autoptr (GstBus) bus = gst_element_get_bus (pair->sender);
  g_autoptr (GBytes) stream = pair_make_stream (100000);
  g_autoptr (GstMessage) again = NULL;

  pair_play (pair);
  pair_push (pair, stream, 0, 100000, 5000);
  sent = pair_wait_text (pair->sender, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (sent, data));
  received = pair_wait_text (pair->receiver, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (received, "no address \"203.0.113.8\" yet"));
  /* once, though what leaves there is refused */
  while (pair_get_stat (pair->sender, "sink", "connected-callers") < 1
      || get_flow_stat (pair->sender, "sink", 1, "packets-sent") < 3)
    g_thread_yield ();
  again = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  g_assert_null (again);
  pair_finish (pair, stream);
  pair_free (pair);
}

/* Buffers that are thousands of blocks, which stay in them; what the sender
 * cut comes out in one piece where it is there at once. */
static void
test_large (gconstpointer encryption)
{
  guint port = pair_get_port ();
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u "
      "max-bitrate=2000000000 encryption=%s", port, (const gchar *) encryption);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u encryption=%s",
      port, (const gchar *) encryption);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (30000000);

  pair_play (pair);
  for (gsize at = 0; at < 30000000; at += 1 << 20) {
    gsize size = MIN (1 << 20, 30000000 - at);
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

    gst_buffer_fill (buffer, 0, (const guint8 *) g_bytes_get_data (stream,
            NULL) + at, size);
    g_assert_cmpint (gst_app_src_push_buffer (pair_get_in (pair), buffer), ==,
        GST_FLOW_OK);
  }
  pair_finish (pair, stream);
  g_assert_cmpuint (pair->buffers, <, 30000000 / 1500 / 2);
  pair_free (pair);
}

/* Sizes from a byte to many datagrams, empty ones, lists, several memories. */
static void
test_shapes (void)
{
  Pair *pair = pair_new_default ();
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
        g_autoptr (GBytes) bytes = g_bytes_new_from_bytes (stream, at + done,
            part);
        GstBuffer *one = gst_buffer_new_wrapped_bytes (bytes);

        if (done % 2 == 0) {
          gst_buffer_list_add (list, one);
        } else {
          gst_buffer_list_add (list, gst_buffer_append (buffer, one));
          buffer = gst_buffer_new ();
        }
        done += part;
      }
      gst_buffer_list_add (list, buffer);       /* empty */
      gst_app_src_push_buffer_list (pair_get_in (pair), list);
    } else {
      pair_push (pair, stream, at, at + n, n);
    }
    at += n;
    i++;
  }
  pair_finish (pair, stream);
  pair_free (pair);
}

/* What was pushed arrives without anything pushed after it. */
static void
test_prompt (void)
{
  Pair *pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (5000);

  pair_play (pair);
  for (gsize at = 0; at < 5000; at += 100) {
    pair_push (pair, stream, at, at + 100, 100);
    pair_wait_for_size (pair, at + 100);
  }
  pair_finish (pair, stream);
  pair_free (pair);
}

/* --- states --------------------------------------------------------------------------- */

static void
test_pause (void)
{
  Pair *pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (3000000);

  pair_play (pair);
  for (gsize at = 0; at < 3000000; at += 300000) {
    GstElement *which = at / 300000 % 2 ? pair->sender : pair->receiver;

    pair_push (pair, stream, at, at + 300000, 1316);
    gst_element_set_state (which, GST_STATE_PAUSED);
    gst_element_set_state (which, GST_STATE_PLAYING);
  }
  pair_finish (pair, stream);
  pair_free (pair);
}

/* Nobody at the other end: it starts, it stops, in every mode. */
static void
test_absent (void)
{
  static const gchar *const lines[] = {
    "appsrc name=in ! faspsink uri=fasp://127.0.0.1:%u",
    "appsrc name=in ! faspsink uri=fasp://:%u",
    "appsrc name=in ! faspsink uri=fasp://no.such.host.invalid:%u",
    "audiotestsrc is-live=true ! faspsink uri=fasp://127.0.0.1:%u",
    ("audiotestsrc is-live=true ! faspsink uri=fasp://127.0.0.1:%u?"
        "wait-for-connection=false"),
    "faspsrc uri=fasp://127.0.0.1:%u ! fakesink",
    "faspsrc uri=fasp://:%u ! fakesink",
    "faspsrc uri=fasp://no.such.host.invalid:%u ! fakesink",
  };
  static const GstState states[] = { GST_STATE_READY, GST_STATE_PAUSED,
    GST_STATE_PLAYING
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    for (guint j = 0; j < G_N_ELEMENTS (states); j++) {
      gint64 before = g_get_monotonic_time ();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
      GstElement *pipeline = pair_launch (lines[i], pair_get_port ());
#pragma GCC diagnostic pop

      g_assert_cmpint (gst_element_set_state (pipeline, states[j]), !=,
          GST_STATE_CHANGE_FAILURE);
      g_assert_cmpint (g_get_monotonic_time () - before, <, G_TIME_SPAN_SECOND);
      g_assert_cmpuint (pair_stop (pipeline), <, HANGS);
      gst_object_unref (pipeline);
    }
}

typedef struct
{
  const gchar *caps;
  gboolean late;                /* who joins late; */
  const gchar *told;            /* is that warned of? */
  gsize header;                 /* bytes of 1a45dfa3a3 that it gets first */
} Middle;

static const Middle middles[] = {
  {"video/x-matroska,streamheader=(buffer)<1a45,dfa3a3>", TRUE, NULL, 5},
  {"video/quicktime,variant=iso", TRUE, "middle of video/quicktime", 0},
  /* nobody has written it: it is before the first byte */
  {"video/x-matroska,streamheader=(buffer)<1a45dfa3>", FALSE, NULL, 4},
  {"video/mpegts,systemstream=true,streamheader=(buffer)<47400010>", TRUE,
      NULL, 0},
};

/* Who has not heard the beginning of a stream that is nothing without it. */
static void
test_in_the_middle (gconstpointer data)
{
  static const guint8 begin[] = { 0x1a, 0x45, 0xdf, 0xa3, 0xa3 };
  const Middle *middle = data;
  gsize from = middle->late ? 100000 : 0;
  guint port = pair_get_port ();
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://:%u "
      "wait-for-connection=%s " SECRET, port, middle->late ? "false" : "true");
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://127.0.0.1:%u "
      SECRET, port);
  g_autoptr (GstCaps) caps = gst_caps_from_string (middle->caps);
  g_autoptr (GBytes) stream = pair_make_stream (200000);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_app_src_set_caps (pair_get_in (pair), caps);
  gst_element_set_state (pair->sender, GST_STATE_PLAYING);
  pair_push (pair, stream, 0, 100000, 1316);
  while (middle->late
      && pair_get_stat (pair->sender, "sink", "bytes-sent-total") < 100000)
    g_thread_yield ();
  gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
  while (pair_get_stat (pair->sender, "sink", "connected-callers") < 1)
    g_thread_yield ();
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
          (const guint8 *) g_bytes_get_data (stream, NULL) + from,
          200000 - from), ==, 0);
  pair_free (pair);
}

/* Live, without a receiver, and not asked to wait for one: it plays. */
static void
test_unheard (void)
{
  GstElement *pipeline = pair_launch ("audiotestsrc num-buffers=20 ! faspsink "
      "name=sink uri=fasp://127.0.0.1:%u wait-for-connection=false",
      pair_get_port ());

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_message_unref (pair_wait (pipeline, GST_MESSAGE_EOS));
  g_assert_cmpuint (pair_get_stat (pipeline, "sink", "bytes-dropped-unheard"),
      >, 0);
  pair_stop (pipeline);
  gst_object_unref (pipeline);
}

/* One end stops in the middle: the other one says so and can end. */
static void
test_receiver_stops (void)
{
  Pair *pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (200000);
  g_autoptr (GstMessage) added = NULL, removed = NULL;
  g_autofree gchar *text = NULL;
  const GstStructure *came, *went;
  guint64 bytes, duration;

  pair_play (pair);
  pair_push (pair, stream, 0, 100000, 1316);
  pair_wait_for_size (pair, 100000);
  pair_stop (pair->receiver);
  added = pair_wait_element (pair->sender, "connection-added");
  removed = pair_wait_element (pair->sender, "connection-removed");
  came = gst_message_get_structure (added);
  went = gst_message_get_structure (removed);
  g_assert_nonnull (strstr (gst_structure_get_string (went, "reason"),
          "stopped before the end"));
  g_assert_nonnull (gst_structure_get_string (came, "address-string"));
  g_assert_cmpstr (gst_structure_get_string (came, "address-string"), ==,
      gst_structure_get_string (went, "address-string"));
  g_assert_cmpstr (gst_structure_get_string (went, "streamid"), ==, "");
  g_assert_false (gst_structure_has_field (went, "peer-key"));
  g_assert_true (gst_structure_get_uint64 (went, "bytes", &bytes));
  g_assert_true (gst_structure_get_uint64 (went, "duration", &duration));
  /* what it had confirmed; test-endpoint counts them */
  g_assert_cmpuint (bytes, >, 0);
  g_assert_cmpuint (bytes, <=, 100000);
  g_assert_cmpuint (duration, >, 0);
  g_assert_cmpuint (duration, <, 60 * GST_SECOND);
  text = pair_wait_text (pair->sender, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (text, "The stream is held"));
  pair_free (pair);
}

static void
test_sender_stops (void)
{
  Pair *pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (200000);
  g_autofree gchar *text = NULL;

  pair_play (pair);
  pair_push (pair, stream, 0, 100000, 1316);
  pair_wait_for_size (pair, 100000);
  pair_stop (pair->sender);
  text = pair_wait_text (pair->receiver, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (text, "stopped before the end"));
  g_assert_nonnull (strstr (text, "keep-listening=true"));
  gst_message_unref (pair_wait (pair->receiver, GST_MESSAGE_EOS));
  g_assert_cmpmem (pair->got->data, pair->got->len, g_bytes_get_data (stream,
          NULL), 100000);
  pair_free (pair);
}

/* A receiver stops that a sink does not do without: the error says what to do. */
static void
test_receiver_lost (gconstpointer data)
{
  gboolean ends = GPOINTER_TO_INT (data);
  guint port = pair_get_port ();
  g_autoptr (GstElement) sender = pair_launch ("audiotestsrc %s ! faspsink "
      "uri=fasp://%s:%u auto-reconnect=false max-bitrate=100000 " SECRET,
      ends ? "num-buffers=40" : "is-live=true", ends ? "" : "127.0.0.1", port);
  g_autoptr (GstElement) receiver = pair_launch ("faspsrc name=source "
      "uri=fasp://%s:%u " SECRET " ! fakesink sync=false async=false",
      ends ? "127.0.0.1" : "", port);
  gint64 until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;
  g_autofree gchar *text = NULL;

  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  while (pair_get_stat (receiver, "source", "bytes-received-total") == 0) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_usleep (10000);
  }
  pair_stop (receiver);
  text = pair_wait_text (sender, GST_MESSAGE_ERROR);
  g_assert_nonnull (strstr (text, ends ? "send the stream again" :
          "With auto-reconnect=true"));
  pair_stop (sender);
}

static void
test_keep_listening (void)
{
  guint port = pair_get_port ();
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u", port);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u "
      "keep-listening=true", port);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (100000);

  gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
  for (guint round = 1; round <= 3; round++) {
    gst_element_set_state (pair->sender, GST_STATE_PLAYING);
    pair_push (pair, stream, 0, 100000, 1316);
    gst_app_src_end_of_stream (pair_get_in (pair));
    gst_message_unref (pair_wait (pair->sender, GST_MESSAGE_EOS));
    g_assert_cmpuint (pair_stop (pair->sender), <, HANGS);
    pair_wait_for_size (pair, round * 100000);
  }
  for (guint round = 0; round < 3; round++)
    g_assert_cmpmem (pair->got->data + round * 100000, 100000,
        g_bytes_get_data (stream, NULL), 100000);
  /* each new sender is told apart (the first buffer of all is, too) */
  g_assert_cmpuint (pair->discont, >=, 2);
  g_assert_cmpuint (pair->backwards, ==, 0);
  pair_free (pair);
}

/* A source that dials, and may not call again, waits for no other sender: none would come. */
static void
test_keep_listening_alone (gconstpointer data)
{
  guint port = pair_get_port ();
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://:%u " SECRET, port);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://127.0.0.1:%u "
      "keep-listening=true auto-reconnect=false " SECRET, port);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (100000);
  g_autofree gchar *text = NULL;

  pair_play (pair);
  pair_push (pair, stream, 0, 100000, 1316);
  pair_wait_for_size (pair, 100000);
  if (GPOINTER_TO_INT (data)) {
    gst_app_src_end_of_stream (pair_get_in (pair));
  } else {
    pair_stop (pair->sender);
    text = pair_wait_text (pair->receiver, GST_MESSAGE_WARNING);
    g_assert_nonnull (strstr (text, "With auto-reconnect=true"));
  }
  gst_message_unref (pair_wait (pair->receiver, GST_MESSAGE_EOS));
  pair_free (pair);
}

/* After the end that it was read to, a source takes what nobody would read no more. */
static void
test_no_other (void)
{
  guint port = pair_get_port ();
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u " SECRET,
      port);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u " SECRET, port);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (100000);
  g_autofree gchar *text = NULL;

  pair_play (pair);
  pair_push (pair, stream, 0, 100000, 1316);
  pair_finish (pair, stream);
  pair_stop (pair->sender);
  gst_element_set_state (pair->sender, GST_STATE_PLAYING);
  pair_push (pair, stream, 0, 1316, 1316);
  text = pair_wait_text (pair->sender, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (text, "keep-listening=true"));
  g_assert_nonnull (strstr (text, "dialling goes on"));
  /* started again it does */
  pair_stop (pair->receiver);
  g_byte_array_set_size (pair->got, 0);
  pair->last_pts = GST_CLOCK_TIME_NONE;
  gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
  pair_push (pair, stream, 1316, 100000, 1316);
  pair_finish (pair, stream);
  pair_free (pair);
}

/* A flush in front of the sink: it goes on. */
static void
test_flush (void)
{
  Pair *pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (100000);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pair->sender),
      "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  G_GNUC_UNUSED g_autoptr (GstPad) peer = gst_pad_get_peer (pad);

  pair_play (pair);
  pair_push (pair, stream, 0, 50000, 1316);
  pair_wait_for_size (pair, 50000);
  gst_element_send_event (GST_ELEMENT (pair_get_in (pair)),
      gst_event_new_flush_start ());
  gst_element_send_event (GST_ELEMENT (pair_get_in (pair)),
      gst_event_new_flush_stop (TRUE));
  pair_push (pair, stream, 50000, 100000, 1316);
  pair_finish (pair, stream);
  pair_free (pair);
}

/* --- what is told ----------------------------------------------------------------------- */

/* What the source, which is live, answers. */
static GstClockTime
get_latency (Pair * pair)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN
      (pair->receiver), "source");
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime least, most;
  gboolean live;

  g_assert_true (gst_element_query (element, query));
  gst_query_parse_latency (query, &live, &least, &most);
  g_assert_true (live);
  return least;
}

static void
test_latency (void)
{
  guint port = pair_get_port ();
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u?"
      "latency=400", port);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u?latency=150",
      port);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (10000);

  pair_play (pair);
  pair_push (pair, stream, 0, 10000, 1316);
  pair_wait_for_size (pair, 10000);
  g_assert_cmpuint (get_latency (pair), ==, 400 * GST_MSECOND); /* the larger one */
  pair_finish (pair, stream);
  pair_free (pair);
}

static guint
get_promised_latency (GstElement * pipeline)
{
  g_autoptr (GstMessage) message = pair_wait_element (pipeline,
      "promise-changed");
  const GstStructure *s = gst_message_get_structure (message);
  guint64 promised, observed;
  guint latency;

  g_assert_true (gst_structure_get (s, "latency-ms", G_TYPE_UINT, &latency,
          "promised-interval", G_TYPE_UINT64, &promised, "observed-interval",
          G_TYPE_UINT64, &observed, NULL));
  g_assert_cmpuint (promised, >, 0);
  g_assert_cmpuint (observed, ==, GST_CLOCK_TIME_NONE);
  return latency;
}

/* The sink finds the latency, the source answers it; the stream is held until
 * then, and is whole. */
static void
test_latency_auto (void)
{
  guint port = pair_get_port (), told;
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u?"
      "latency=auto max-bitrate=10000000", port);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u?latency=20",
      port);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (200000);

  pair_play (pair);
  pair_push (pair, stream, 0, 200000, 1316);
  told = get_promised_latency (pair->sender);
  g_assert_cmpuint (get_promised_latency (pair->receiver), ==, told);
  g_assert_cmpuint (told, >=, 20);      /* what the other end asks for */
  g_assert_cmpuint (get_latency (pair), ==, told * GST_MSECOND);
  pair_finish (pair, stream);
  pair_free (pair);
}

static void
test_stats (void)
{
  Pair *pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (500000);

  pair_play (pair);
  pair_push (pair, stream, 0, 500000, 1316);
  pair_wait_for_size (pair, 500000);
  g_assert_cmpuint (pair_get_stat (pair->sender, "sink", "connected-callers"),
      ==, 1);
  g_assert_cmpuint (pair_get_stat (pair->sender, "sink", "bytes-sent"), ==,
      500000);
  g_assert_cmpuint (pair_get_stat (pair->receiver, "source",
          "bytes-received"), ==, 500000);
  pair_finish (pair, stream);
  /* and after the end */
  g_assert_cmpuint (pair_get_stat (pair->sender, "sink",
          "bytes-acknowledged"), ==, 500000);
  pair_free (pair);
}

/* Without a rate one is found; with one, or if nothing else is asked for, it is what
 * is said. */
static void
test_channel_rate (void)
{
  static const struct
  {
    const gchar *settings;
    guint64 least, most;
  } rates[] = {
    {"", 1000000, G_MAXUINT64},
    {"max-bitrate=3000000", 3000000, 3000000},
    {"rate-control=fixed", 0, 0},
    {"rate-control=adaptive max-bitrate=1500000", 100000, 1500000},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    guint port = pair_get_port ();
    g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u %s",
        port, rates[i].settings);
    g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u", port);
    Pair *pair = pair_new (sink, source);
    g_autoptr (GBytes) stream = pair_make_stream (100000);
    guint64 rate;

    pair_play (pair);
    pair_push (pair, stream, 0, 100000, 1316);
    pair_finish (pair, stream);
    rate = pair_get_stat (pair->sender, "sink", "channel-bitrate");
    g_assert_cmpuint (rate, >=, rates[i].least);
    g_assert_cmpuint (rate, <=, rates[i].most);
    pair_free (pair);
  }
}

/* A rate that is too low for what is live is told of, and what to do; a file may take its time. */
static void
test_behind (gconstpointer data)
{
  gboolean live = GPOINTER_TO_INT (data);
  guint port = pair_get_port ();
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u "
      "max-bitrate=1000000 buffer-size=262144 " SECRET, port);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u " SECRET, port);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (800000);
  g_autoptr (GstMessage) message = NULL;

  g_object_set (pair_get_in (pair), "is-live", live, "max-bytes", (guint64) 0,
      NULL);
  pair_play (pair);
  pair_push (pair, stream, 0, 800000, 1316);
  gst_app_src_end_of_stream (pair_get_in (pair));
  message = pair_wait (pair->sender, GST_MESSAGE_EOS | GST_MESSAGE_WARNING);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, live ? GST_MESSAGE_WARNING :
      GST_MESSAGE_EOS);
  if (live) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    g_assert_nonnull (strstr (error->message, "Raise max-bitrate"));
  }
  pair_free (pair);
}

/* A live stream of 64 kbit/s through a channel of a low rate. */
static GstMessage *
send_slowly (guint64 rate, gint buffers)
{
  guint port = pair_get_port ();
  g_autoptr (GstElement) receiver = pair_launch ("faspsrc uri=fasp://:%u "
      SECRET " ! fakesink sync=false async=false", port);
  g_autoptr (GstElement) sender = pair_launch ("audiotestsrc is-live=true "
      "samplesperbuffer=800 num-buffers=%d ! audio/x-raw,format=S8,rate=8000,"
      "channels=1 ! faspsink uri=fasp://127.0.0.1:%u max-bitrate=%"
      G_GUINT64_FORMAT " " SECRET, buffers, port, rate);
  GstMessage *message;

  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  message = pair_wait (sender, GST_MESSAGE_EOS | GST_MESSAGE_WARNING);
  pair_stop (sender);
  pair_stop (receiver);
  return message;
}

/* A max-bitrate that was meant in kbit/s is told of; a low one that is enough is not. */
static void
test_unit (void)
{
  g_autoptr (GstMessage) warning = send_slowly (8000, -1);
  g_autoptr (GstMessage) end = send_slowly (90000, 60);
  g_autoptr (GError) error = NULL;
  const gchar *stream;

  g_assert_cmpint (GST_MESSAGE_TYPE (end), ==, GST_MESSAGE_EOS);
  g_assert_cmpint (GST_MESSAGE_TYPE (warning), ==, GST_MESSAGE_WARNING);
  gst_message_parse_warning (warning, &error, NULL);
  g_assert_nonnull (strstr (error->message, "set max-bitrate=8000000;"));
  stream = strstr (error->message, "this stream of ");
  g_assert_nonnull (stream);
  stream += strlen ("this stream of ");
  g_assert_cmpuint (g_ascii_strtoull (stream, NULL, 10), >, 40);
  g_assert_cmpuint (g_ascii_strtoull (stream, NULL, 10), <, 90);
}

/* So is a rate that is too high for the line. */
static void
test_lossy (void)
{
  guint port = pair_get_port (), by;
  PairWire *wire = pair_wire_new (port, &by);
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u "
      "max-bitrate=3000000 buffer-size=262144 " SECRET, by);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u " SECRET, port);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (1500000);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  g_object_set (pair_get_in (pair), "max-bytes", (guint64) 0, NULL);
  pair_play (pair);
  pair_push (pair, stream, 0, 1500000, 1316);
  gst_app_src_end_of_stream (pair_get_in (pair));
  message = pair_wait (pair->sender, GST_MESSAGE_EOS | GST_MESSAGE_WARNING);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &error, NULL);
  g_assert_nonnull (strstr (error->message, "is lost on the way"));
  pair_free (pair);
  pair_wire_free (wire);
}

/* Nothing of a file arrives at a peer that is heard, and so its thread waits for it: for room in the
 * buffer, or at the end for all that is in it. That is told of all the same. */
static void
test_stuck (gconstpointer data)
{
  gboolean ends = GPOINTER_TO_INT (data);
  guint port = pair_get_port (), by;
  PairWire *wire = pair_wire_new (port, &by);
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u "
      "buffer-size=262144 " SECRET, by);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u " SECRET, port);
  Pair *pair = pair_new (sink, source);
  gsize size = ends ? 100000 : 500000;
  g_autoptr (GBytes) stream = pair_make_stream (size);
  g_autofree gchar *text = NULL;

  g_object_set (pair_get_in (pair), "max-bytes", (guint64) 0, NULL);
  pair_play (pair);
  while (pair_get_stat (pair->sender, "sink", "connected-callers") == 0)
    g_thread_yield ();
  pair_wire_cut (wire);
  pair_push (pair, stream, 0, size, 50000);
  if (ends)
    gst_app_src_end_of_stream (pair_get_in (pair));
  text = pair_wait_text (pair->sender, GST_MESSAGE_WARNING);
  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, "Nothing of the stream arrives"));
  pair_free (pair);
  pair_wire_free (wire);
}

/* A stream of nothing ends at both ends, too, and not before somebody has heard of it. */
static void
test_empty (gconstpointer data)
{
  gboolean dials = GPOINTER_TO_INT (data);
  guint port = pair_get_port ();
  g_autofree gchar *call = g_strdup_printf ("uri=fasp://127.0.0.1:%u " SECRET,
      port);
  g_autofree gchar *listen = g_strdup_printf ("uri=fasp://:%u " SECRET, port);
  Pair *pair = dials ? pair_new (call, listen) : pair_new (listen, call);
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
  pair_free (pair);
}

/* Who stands still is not waited for: both ends are told, and the receiver how much it lacks. */
static void
test_left_behind (void)
{
  guint port = pair_get_port ();
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u "
      "slow-policy=skip buffer-size=262144 " SECRET, port);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u "
      "buffer-size=262144 " SECRET, port);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (3000000);
  g_autofree gchar *told = NULL, *heard = NULL;

  pair_play (pair);
  pair_push (pair, stream, 0, 20000, 1000);
  pair_wait_for_size (pair, 20000);
  gst_element_set_state (pair->receiver, GST_STATE_PAUSED);
  pair_push (pair, stream, 20000, 3000000, 1000);
  gst_app_src_end_of_stream (pair_get_in (pair));
  told = pair_wait_text (pair->sender, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (told, "slow-policy=skip"));
  gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
  heard = pair_wait_text (pair->receiver, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (heard, "A part of the stream is missing"));
  gst_message_unref (pair_wait (pair->sender, GST_MESSAGE_EOS));
  gst_message_unref (pair_wait (pair->receiver, GST_MESSAGE_EOS));
  g_assert_cmpuint (pair->got->len, <, 3000000);
  g_assert_cmpuint (pair_get_stat (pair->receiver, "source",
          "bytes-missing-total"), ==, 3000000 - pair->got->len);
  pair_free (pair);
}

static gboolean
on_connecting (GstElement * element, GSocketAddress * address,
    const gchar * streamid, gpointer data)
{
  g_atomic_int_inc ((gint *) data);
  return g_strcmp0 (streamid, "let me in") == 0;
}

/* With a secret and `authentication', or with neither: who has a handler is asked. */
static void
test_asked (const gchar * streamid, gboolean open)
{
  gboolean welcome = g_str_equal (streamid, "let me in");
  guint port = pair_get_port ();
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u "
      "streamid=\"%s\" %s", port, streamid, open ? "" : SECRET);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u %s", port,
      open ? "" : "authentication=true " SECRET);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (10000);
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN
      (pair->receiver), "source");
  gint asked = 0;

  g_signal_connect (element, "caller-connecting", G_CALLBACK (on_connecting),
      &asked);
  pair_play (pair);
  if (welcome) {
    pair_push (pair, stream, 0, 10000, 1316);
    pair_finish (pair, stream);
  } else {
    g_autofree gchar *text = NULL;
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 1000, NULL);

    gst_buffer_memset (buffer, 0, 0, 1000);
    gst_app_src_push_buffer (pair_get_in (pair), buffer);
    text = pair_wait_text (pair->sender, GST_MESSAGE_ERROR);
    g_assert_nonnull (strstr (text, "refused"));
    g_assert_nonnull (strstr (text, "has to let this one in"));
    g_assert_cmpuint (get_size (pair), ==, 0);
  }
  g_assert_cmpint (g_atomic_int_get (&asked), ==, 1);
  pair_free (pair);
}

static void
test_authentication (gconstpointer data)
{
  test_asked (data, FALSE);
}

static void
test_judge (gconstpointer data)
{
  test_asked (data, TRUE);
}

/* Nobody answers for the application: nobody is refused. */
static void
test_no_handler (void)
{
  guint port = pair_get_port ();
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:%u " SECRET,
      port);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u "
      "authentication=true " SECRET, port);
  Pair *pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (10000);

  pair_play (pair);
  pair_push (pair, stream, 0, 10000, 1316);
  pair_finish (pair, stream);
  pair_free (pair);
}

/* Two senders dial each other's kind: an error that says it. */
static void
test_same_role (void)
{
  guint port = pair_get_port ();
  GstElement *one = pair_launch ("audiotestsrc is-live=true ! faspsink "
      "uri=fasp://:%u", port);
  GstElement *two = pair_launch ("audiotestsrc is-live=true ! faspsink "
      "uri=fasp://127.0.0.1:%u", port);
  g_autofree gchar *text = NULL;

  gst_element_set_state (one, GST_STATE_PLAYING);
  gst_element_set_state (two, GST_STATE_PLAYING);
  text = pair_wait_text (two, GST_MESSAGE_ERROR);
  g_assert_nonnull (strstr (text, "send"));
  pair_stop (one);
  pair_stop (two);
  gst_object_unref (one);
  gst_object_unref (two);
}

/* Three receivers of one sink, one of which leaves. */
static void
test_receivers (void)
{
  guint port = pair_get_port ();
  g_autofree gchar *sink = g_strdup_printf ("uri=fasp://:%u", port);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://127.0.0.1:%u", port);
  Pair *pair = pair_new (sink, source);
  GstElement *others[2];
  g_autoptr (GBytes) stream = pair_make_stream (1000000);

  for (guint i = 0; i < 2; i++) {
    others[i] = pair_launch ("faspsrc name=source %s ! fakesink", source);
    gst_element_set_state (others[i], GST_STATE_PLAYING);
  }
  pair_play (pair);
  while (pair_get_stat (pair->sender, "sink", "connected-callers") < 3)
    g_thread_yield ();
  pair_push (pair, stream, 0, 500000, 1316);
  pair_stop (others[0]);
  pair_push (pair, stream, 500000, 1000000, 1316);
  pair_finish (pair, stream);
  gst_message_unref (pair_wait (others[1], GST_MESSAGE_EOS));
  g_assert_cmpuint (pair_get_stat (others[1], "source",
          "bytes-received-total"), ==, 1000000);
  for (guint i = 0; i < 2; i++) {
    pair_stop (others[i]);
    gst_object_unref (others[i]);
  }
  pair_free (pair);
}

/* As a demuxer does that has found what there is. */
static GstPadProbeReturn
ask_anew (GstPad * pad, GstPadProbeInfo * info, gpointer seen)
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
  g_autoptr (GstElement) sender = pair_launch ("audiotestsrc is-live=true "
      "num-buffers=10 ! faspsink uri=fasp://127.0.0.1:%u " SECRET, port);
  g_autoptr (GstElement) receiver = pair_launch ("faspsrc uri=fasp://:%u "
      SECRET " ! tee name=t t. ! queue ! fakesink "
      "t. ! queue ! fakesink name=late", port);
  g_autoptr (GstElement) late = gst_bin_get_by_name (GST_BIN (receiver),
      "late");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (late, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, ask_anew, &seen, NULL);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  gst_message_unref (pair_wait (receiver, GST_MESSAGE_EOS));
  pair_stop (sender);
  pair_stop (receiver);
}

/* Both ends in one pipeline: the source has nothing before the sink has sent something. */
static void
test_one_pipeline (void)
{
  guint port = pair_get_port ();
  g_autoptr (GstElement) pipeline = pair_launch ("audiotestsrc num-buffers=10 "
      "! faspsink uri=fasp://127.0.0.1:%u " SECRET " faspsrc uri=fasp://:%u "
      SECRET " ! fakesink", port, port);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_message_unref (pair_wait (pipeline, GST_MESSAGE_EOS));
  pair_stop (pipeline);
}

/* Who waits for a preroll: who synchronises, and who is told to. */
static void
test_async (void)
{
  static const struct
  {
    const gchar *properties;
    gboolean waits;
  } cases[] = {
    {"", FALSE},
    {"sync=true", TRUE},
    {"sync=true async=false", FALSE},
    {"async=false sync=true", FALSE},
    {"async=true", TRUE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstElement) pipeline = pair_launch ("appsrc ! faspsink "
        "localport=0 %s", cases[i].properties);

    for (guint round = 0; round < 2; round++) {
      g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PAUSED), ==,
          cases[i].waits ? GST_STATE_CHANGE_ASYNC : GST_STATE_CHANGE_SUCCESS);
      g_assert_cmpuint (pair_stop (pipeline), <, HANGS);
    }
  }
}

/* All of the stream, and its end, before it plays. */
static void
test_end_in_pause (void)
{
  Pair *pair = pair_new_default ();
  g_autoptr (GBytes) stream = pair_make_stream (50000);

  gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
  gst_element_set_state (pair->sender, GST_STATE_PAUSED);
  pair_push (pair, stream, 0, 50000, 1316);
  gst_app_src_end_of_stream (pair_get_in (pair));
  gst_element_set_state (pair->sender, GST_STATE_PLAYING);
  pair_finish (pair, stream);
  pair_free (pair);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autofree gchar *path = g_strconcat ("/pair/way/", ways[i].name, NULL);

    g_test_add_data_func (path, &ways[i], test_way);
  }
  g_test_add_data_func ("/pair/rendezvous/one", GUINT_TO_POINTER (1),
      test_rendezvous);
  g_test_add_data_func ("/pair/called/any", "", test_called);
  g_test_add_data_func ("/pair/called/any-ipv4", "0.0.0.0", test_called);
  g_test_add_func ("/pair/packets", test_packets);
  g_test_add_func ("/pair/encoder", test_encoder);
  g_test_add_func ("/pair/channel-rate", test_channel_rate);
  g_test_add_data_func ("/pair/behind/live", GINT_TO_POINTER (TRUE),
      test_behind);
  g_test_add_data_func ("/pair/behind/file", GINT_TO_POINTER (FALSE),
      test_behind);
  g_test_add_func ("/pair/behind/unit", test_unit);
  g_test_add_func ("/pair/lossy", test_lossy);
  g_test_add_data_func ("/pair/stuck/writing", GINT_TO_POINTER (FALSE),
      test_stuck);
  g_test_add_data_func ("/pair/stuck/ending", GINT_TO_POINTER (TRUE),
      test_stuck);
  g_test_add_func ("/pair/left-behind", test_left_behind);
  g_test_add_data_func ("/pair/empty/dials", GINT_TO_POINTER (TRUE),
      test_empty);
  g_test_add_data_func ("/pair/empty/listens", GINT_TO_POINTER (FALSE),
      test_empty);
  g_test_add_data_func ("/pair/rendezvous/flowlets", GUINT_TO_POINTER (3),
      test_rendezvous);
  g_test_add_func ("/pair/bonding", test_bonding);
  g_test_add_data_func ("/pair/early/interface", "wwan77", test_early);
  g_test_add_data_func ("/pair/early/address", "203.0.113.9", test_early);
  g_test_add_func ("/pair/less", test_less);
  g_test_add_data_func ("/pair/large/clear", "none", test_large);
  g_test_add_data_func ("/pair/large/aes", "aes-128-gcm", test_large);
  g_test_add_func ("/pair/shapes", test_shapes);
  g_test_add_func ("/pair/prompt", test_prompt);
  g_test_add_func ("/pair/pause", test_pause);
  g_test_add_func ("/pair/absent", test_absent);
  g_test_add_func ("/pair/unheard", test_unheard);
  for (guint i = 0; i < G_N_ELEMENTS (middles); i++) {
    g_autofree gchar *path = g_strdup_printf ("/pair/in-the-middle/%u", i);

    g_test_add_data_func (path, &middles[i], test_in_the_middle);
  }
  g_test_add_func ("/pair/receiver-stops", test_receiver_stops);
  g_test_add_func ("/pair/sender-stops", test_sender_stops);
  g_test_add_data_func ("/pair/receiver-lost/playing",
      GINT_TO_POINTER (FALSE), test_receiver_lost);
  g_test_add_data_func ("/pair/receiver-lost/ending", GINT_TO_POINTER (TRUE),
      test_receiver_lost);
  g_test_add_func ("/pair/keep-listening", test_keep_listening);
  g_test_add_data_func ("/pair/keep-listening/alone/stops",
      GINT_TO_POINTER (FALSE), test_keep_listening_alone);
  g_test_add_data_func ("/pair/keep-listening/alone/ends",
      GINT_TO_POINTER (TRUE), test_keep_listening_alone);
  g_test_add_func ("/pair/no-other", test_no_other);
  g_test_add_func ("/pair/flush", test_flush);
  g_test_add_func ("/pair/latency", test_latency);
  g_test_add_func ("/pair/latency-auto", test_latency_auto);
  g_test_add_func ("/pair/stats", test_stats);
  g_test_add_data_func ("/pair/authentication/accept", "let me in",
      test_authentication);
  g_test_add_data_func ("/pair/authentication/refuse", "please",
      test_authentication);
  g_test_add_data_func ("/pair/judge/accept", "let me in", test_judge);
  g_test_add_data_func ("/pair/judge/refuse", "please", test_judge);
  g_test_add_func ("/pair/authentication/no-handler", test_no_handler);
  g_test_add_func ("/pair/same-role", test_same_role);
  g_test_add_func ("/pair/new-time", test_new_time);
  g_test_add_func ("/pair/new-time/held", test_new_time_held);
  g_test_add_func ("/pair/stats-end", test_stats_end);
  g_test_add_func ("/pair/receivers", test_receivers);
  g_test_add_func ("/pair/branches", test_branches);
  g_test_add_func ("/pair/one-pipeline", test_one_pipeline);
  g_test_add_func ("/pair/async", test_async);
  g_test_add_func ("/pair/end-in-pause", test_end_in_pause);
  return g_test_run ();
}
