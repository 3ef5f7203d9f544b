/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Both elements against each other over the loopback interface: the rate of the channel, what
 * is left of it for an encoder, and the latency.
 */
#include "pair.h"

typedef struct
{
  gint key_frames, offers, notified; /* atomic */
  gint bitrate;                      /* kbit/s, of the last offer; atomic */
} Encoder;

/* What an encoder hears that stands before faspsink. */
static GstPadProbeReturn
on_upstream (GstPad *pad, GstPadProbeInfo *info, gpointer data)
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
on_notify (GObject *object, GParamSpec *pspec, gpointer data)
{
  g_atomic_int_inc (&((Encoder *) data)->notified);
}

/* A receiver that joins needs a key frame; of a channel of 10 Mbit/s some 9 are for
 * the stream, and of half of it half.  When it has left there is no rate, which is no news
 * for an encoder. */
static void
test_encoder (void)
{
  Encoder encoder = { 0 }; /* first, as events come until the pair is freed */
  g_autoptr (Pair) pair =
      pair_new ("uri=fasp://127.0.0.1:PORT max-bitrate=10000000", "uri=fasp://:PORT");
  g_autoptr (GBytes) stream = pair_make_stream (1000000);
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pair->sender), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
  guint64 bitrate;
  gint64 until;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, on_upstream, &encoder, NULL);
  g_signal_connect (element, "notify::available-bitrate", G_CALLBACK (on_notify), &encoder);
  g_object_get (element, "available-bitrate", &bitrate, NULL);
  g_assert_cmpuint (bitrate, ==, 0);
  pair_play (pair);
  pair_push (pair, stream, 0, 500000, 5000);
  do { /* less while so much waits */
    g_autoptr (GstMessage) message = pair_wait_element (pair->sender, "fasp-available-bitrate");

    g_assert_true (gst_structure_get_uint64 (gst_message_get_structure (message), "bitrate",
        &bitrate));
    g_assert_cmpuint (bitrate, <, 9500000);
  } while (bitrate < 8000000);
  /* it may be that the pad had to become active first */
  pair_wait_for_count (&encoder.key_frames, 1);
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
  g_assert_cmpint (g_atomic_int_get (&encoder.offers), <=, g_atomic_int_get (&encoder.notified));
  pair_finish (pair, stream);
  until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;
  while (bitrate > 0) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_thread_yield ();
    g_object_get (element, "available-bitrate", &bitrate, NULL);
  }
}

/* What the source, which is live, answers. */
static GstClockTime
get_latency (Pair *pair)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pair->receiver), "source");
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
  g_autoptr (Pair) pair =
      pair_new ("uri=fasp://127.0.0.1:PORT?latency=400", "uri=fasp://:PORT?latency=150");
  g_autoptr (GBytes) stream = pair_make_stream (10000);

  pair_play (pair);
  pair_push (pair, stream, 0, 10000, 1316);
  pair_wait_for_size (pair, 10000);
  g_assert_cmpuint (get_latency (pair), ==, 400 * GST_MSECOND); /* the larger one */
  pair_finish (pair, stream);
}

static guint
get_promised_latency (GstElement *pipeline)
{
  g_autoptr (GstMessage) message = pair_wait_element (pipeline, "promise-changed");
  const GstStructure *s = gst_message_get_structure (message);
  guint64 promised, observed;
  guint latency;

  g_assert_true (gst_structure_get (s, "latency-ms", G_TYPE_UINT, &latency, "promised-interval",
      G_TYPE_UINT64, &promised, "observed-interval", G_TYPE_UINT64, &observed, NULL));
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
  g_autofree gchar *sink =
      g_strdup_printf ("uri=fasp://127.0.0.1:%u?latency=auto max-bitrate=10000000", port);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u?latency=20", port);
  g_autoptr (Pair) pair = pair_new (sink, source);
  g_autoptr (GBytes) stream = pair_make_stream (200000);

  pair_play (pair);
  pair_push (pair, stream, 0, 200000, 1316);
  told = get_promised_latency (pair->sender);
  g_assert_cmpuint (get_promised_latency (pair->receiver), ==, told);
  g_assert_cmpuint (told, >=, 20); /* what the other end asks for */
  g_assert_cmpuint (get_latency (pair), ==, told * GST_MSECOND);
  pair_finish (pair, stream);
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
    { "", 1000000, G_MAXUINT64 },
    { "max-bitrate=3000000", 3000000, 3000000 },
    { "rate-control=fixed", 0, 0 },
    { "rate-control=adaptive max-bitrate=1500000", 100000, 1500000 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    g_autofree gchar *sink = g_strdup_printf ("uri=fasp://127.0.0.1:PORT %s", rates[i].settings);
    g_autoptr (Pair) pair = pair_new (sink, "uri=fasp://:PORT");
    g_autoptr (GBytes) stream = pair_make_stream (100000);
    guint64 rate;

    pair_play (pair);
    pair_push (pair, stream, 0, 100000, 1316);
    pair_finish (pair, stream);
    rate = pair_get_stat (pair->sender, "sink", "channel-bitrate");
    g_assert_cmpuint (rate, >=, rates[i].least);
    g_assert_cmpuint (rate, <=, rates[i].most);
  }
}

/* A rate that is too low for what is live is told of, and what to do; a file may take its time. */
static void
test_behind (gconstpointer data)
{
  gboolean live = GPOINTER_TO_INT (data);
  g_autoptr (Pair) pair =
      pair_new ("uri=fasp://127.0.0.1:PORT max-bitrate=1000000 buffer-size=262144 " SECRET,
          "uri=fasp://:PORT " SECRET);
  g_autoptr (GBytes) stream = pair_make_stream (800000);
  g_autoptr (GstMessage) message = NULL;

  g_object_set (pair_get_in (pair), "is-live", live, "max-bytes", (guint64) 0, NULL);
  pair_play (pair);
  pair_push (pair, stream, 0, 800000, 1316);
  gst_app_src_end_of_stream (pair_get_in (pair));
  message = pair_wait (pair->sender, GST_MESSAGE_EOS | GST_MESSAGE_WARNING);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, live ? GST_MESSAGE_WARNING : GST_MESSAGE_EOS);
  if (live) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    g_assert_nonnull (strstr (error->message, "Raise max-bitrate"));
  }
}

/* A live stream of 64 kbit/s through a channel of a low rate. */
static GstMessage *
send_slowly (guint64 rate, gint buffers)
{
  guint port = pair_get_port ();
  g_autoptr (GstElement) receiver =
      pair_launch ("faspsrc uri=fasp://:%u " SECRET " ! fakesink sync=false async=false", port);
  g_autoptr (GstElement) sender =
      pair_launch ("audiotestsrc is-live=true "
                   "samplesperbuffer=800 num-buffers=%d ! audio/x-raw,format=S8,rate=8000,"
                   "channels=1 ! faspsink uri=fasp://127.0.0.1:%u max-bitrate=%" G_GUINT64_FORMAT
                   " " SECRET,
          buffers, port, rate);
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
  g_autoptr (PairWire) wire = pair_wire_new (port, &by);
  g_autofree gchar *sink =
      g_strdup_printf ("uri=fasp://127.0.0.1:%u max-bitrate=3000000 buffer-size=262144 " SECRET,
          by);
  g_autofree gchar *source = g_strdup_printf ("uri=fasp://:%u " SECRET, port);
  g_autoptr (Pair) pair = pair_new (sink, source);
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
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pair/encoder", test_encoder);
  g_test_add_func ("/pair/channel-rate", test_channel_rate);
  g_test_add_data_func ("/pair/behind/live", GINT_TO_POINTER (TRUE), test_behind);
  g_test_add_data_func ("/pair/behind/file", GINT_TO_POINTER (FALSE), test_behind);
  g_test_add_func ("/pair/behind/unit", test_unit);
  g_test_add_func ("/pair/lossy", test_lossy);
  g_test_add_func ("/pair/latency", test_latency);
  g_test_add_func ("/pair/latency-auto", test_latency_auto);
  return g_test_run ();
}
