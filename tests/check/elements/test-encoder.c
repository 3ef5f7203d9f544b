/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * max-encoder-bitrate: which encoder upstream of faspsink is found, and what is set there. The rate
 * is that of a fixed max-bitrate, so what is to be set is known.  The encoders are made here, and
 * pass on what they get; they have names and properties of real ones.
 */
#include "pair.h"
#include "vcases.h"

#define KBIT 1000
#define MBIT (1000 * KBIT)

/* --- encoders ------------------------------------------------------------------------------ */

typedef struct
{
  GstElement parent;
  GstPad *src;
  guint bitrate, buffer;
} Encoder;

static const struct EncoderKind
{
  const gchar *name, *type;
  guint most;
  const gchar *buffer; /* the property; NULL: none */
} kinds[] = {
  { "nvh264enc", "Codec/Encoder/Video", 5000, "vbv-buffer-size" },
  { "nvv4l2h264enc", "Codec/Encoder/Video", G_MAXUINT, NULL },
  { "unknownenc", "Codec/Encoder/Video", G_MAXUINT, NULL },
  { "testaudioenc", "Codec/Encoder/Audio", G_MAXUINT, NULL },
};

static GstStaticPadTemplate templates[] = {
  GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY),
  GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY),
};

static GstFlowReturn
pass (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  return gst_pad_push (((Encoder *) parent)->src, buffer);
}

static void
encoder_init (GTypeInstance *instance, gpointer klass)
{
  Encoder *self = (Encoder *) instance;
  GstPad *sink = gst_pad_new_from_static_template (&templates[0], "sink");

  self->src = gst_pad_new_from_static_template (&templates[1], "src");
  gst_pad_set_chain_function (sink, pass);
  gst_element_add_pad (GST_ELEMENT (self), sink);
  gst_element_add_pad (GST_ELEMENT (self), self->src);
}

static guint *
get_member (GObject *object, guint id)
{
  return id == 1 ? &((Encoder *) object)->bitrate : &((Encoder *) object)->buffer;
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  g_atomic_int_set (get_member (object, id), g_value_get_uint (value));
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  g_value_set_uint (value, g_atomic_int_get (get_member (object, id)));
}

static void
encoder_class_init (gpointer klass, gpointer data)
{
  const struct EncoderKind *kind = data;

  G_OBJECT_CLASS (klass)->set_property = set_property;
  G_OBJECT_CLASS (klass)->get_property = get_property;
  for (guint i = 0; i < G_N_ELEMENTS (templates); i++)
    gst_element_class_add_static_pad_template (klass, &templates[i]);
  gst_element_class_set_static_metadata (klass, "encoder", kind->type, "-", "-");
  g_object_class_install_property (klass, 1,
      g_param_spec_uint ("bitrate", "-", "-", 0, kind->most, 0, G_PARAM_READWRITE));
  if (kind->buffer != NULL)
    g_object_class_install_property (klass, 2,
        g_param_spec_uint (kind->buffer, "-", "-", 0, G_MAXUINT, 0, G_PARAM_READWRITE));
}

static void
register_encoders (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    GTypeInfo info = { .class_size = sizeof (GstElementClass),
      .class_init = encoder_class_init,
      .class_data = &kinds[i],
      .instance_size = sizeof (Encoder),
      .instance_init = encoder_init };
    g_autofree gchar *name = g_strconcat ("Test", kinds[i].name, NULL);

    gst_element_register (NULL, kinds[i].name, GST_RANK_NONE,
        g_type_register_static (GST_TYPE_ELEMENT, name, &info, 0));
  }
}

/* --- streams ------------------------------------------------------------------------------- */

#define DATA "audiotestsrc is-live=true ! audio/x-raw,rate=8000,format=S8,channels=1 ! "

typedef struct
{
  PairPipeline *sender, *receiver;
  GstElement *sink, *encoder;
} Stream;

static void
stream_end (Stream *s)
{
  pair_end (s->sender);
  pair_end (s->receiver);
  gst_clear_object (&s->sink);
  gst_clear_object (&s->encoder);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Stream, stream_end)

/* @line ends in a faspsink, whose further properties it may have; its encoder is called `encoder'.
 */
static void
stream_begin (Stream *s, const gchar *line)
{
  guint port = pair_get_port ();

  s->receiver = pair_launch ("faspsrc uri=fasp://:%u " SECRET " ! fakesink", port);
  s->sender =
      pair_launch ("%s uri=fasp://127.0.0.1:%u name=sink max-bitrate=3000000 " SECRET, line, port);
  s->sink = gst_bin_get_by_name (GST_BIN (s->sender), "sink");
  s->encoder = gst_bin_get_by_name (GST_BIN (s->sender), "encoder");
  gst_element_set_state (s->receiver, GST_STATE_PLAYING);
  gst_element_set_state (s->sender, GST_STATE_PLAYING);
}

static guint
get (GstElement *element, const gchar *property)
{
  guint value;

  g_object_get (element, property, &value, NULL);
  return value;
}

/* Until @element has what faspsink leaves to it, with @audio bit/s beside it. */
static void
wait_for_rate (Stream *s, GstElement *element, guint unit, guint audio, guint most)
{
  gint64 until = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;
  guint64 available, rate;

  do {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_usleep (10000);
    g_object_get (s->sink, "available-bitrate", &available, NULL);
    rate = MIN (MAX (available * (31 / 32.) - audio, available * .5), most);
  } while (available == 0 || get (element, "bitrate") != rate / unit);
}

/* --- tests --------------------------------------------------------------------------------- */

/* Encoders behind what may be between them and the sink. */
static const struct Found
{
  const gchar *name, *line;
  guint unit, audio, most;
} found[] = {
  { "kbit", DATA "nvh264enc name=encoder ! faspsink max-encoder-bitrate=9000000", KBIT, 0,
      5 * MBIT },
  { "bit",
      DATA "nvv4l2h264enc name=encoder ! queue ! identity ! faspsink "
           "max-encoder-bitrate=9000000",
      1, 0, 9 * MBIT },
  { "at-most", DATA "nvh264enc name=encoder ! queue ! faspsink max-encoder-bitrate=1500000", KBIT,
      0, 1500 * KBIT },
  { "audio",
      DATA "nvh264enc name=encoder ! f. " DATA "testaudioenc bitrate=320000 ! queue ! f. " DATA
           "testaudioenc bitrate=64 ! f. funnel name=f ! faspsink max-encoder-bitrate=9000000",
      KBIT, 384 * KBIT, 5 * MBIT },
  { "much-audio",
      DATA "nvh264enc name=encoder ! f. " DATA "testaudioenc bitrate=4000000 ! f. "
           "funnel name=f ! faspsink max-encoder-bitrate=9000000",
      KBIT, 4 * MBIT, 5 * MBIT },
};

static void
test_found (gconstpointer data)
{
  const struct Found *c = data;
  g_auto (Stream) s = { 0 };

  stream_begin (&s, c->line);
  for (guint mbit = 8; mbit > 0; mbit /= 8) {
    g_object_set (s.sink, "max-bitrate", (guint64) mbit * MBIT, NULL);
    wait_for_rate (&s, s.encoder, c->unit, c->audio, c->most);
  }
}

/* The buffer of the rate control follows the rate, unless it was set. */
static void
test_buffer (void)
{
  g_auto (Stream) s = { 0 }, set = { 0 };

  stream_begin (&s, DATA "nvh264enc name=encoder ! faspsink max-encoder-bitrate=9000000");
  stream_begin (&set,
      DATA "nvh264enc name=encoder vbv-buffer-size=77 ! faspsink max-encoder-bitrate=9000000");
  for (guint mbit = 3; mbit > 0; mbit--) {
    g_object_set (s.sink, "max-bitrate", (guint64) mbit * MBIT, NULL);
    wait_for_rate (&s, s.encoder, KBIT, 0, 9 * MBIT);
    g_assert_cmpuint (get (s.encoder, "vbv-buffer-size"), ==, get (s.encoder, "bitrate") / 10);
  }
  wait_for_rate (&set, set.encoder, KBIT, 0, 9 * MBIT);
  g_assert_cmpuint (get (set.encoder, "vbv-buffer-size"), ==, 77);
}

/* Where the rate of no encoder can be set, a warning says why, once for each start. */
static const struct Advice
{
  const gchar *name, *line, *text;
} advice[] = {
  { "none", DATA "queue ! faspsink", "no video encoder upstream" },
  { "several", DATA "nvh264enc name=encoder ! f. " DATA "nvh264enc ! f. funnel name=f ! faspsink",
      "several video encoders" },
  { "unknown", DATA "unknownenc name=encoder ! faspsink", "The rate of this video encoder" },
};

static void
test_advice (gconstpointer data)
{
  const struct Advice *c = data;
  g_auto (Stream) s = { 0 };

  stream_begin (&s, c->line);
  gst_message_unref (pair_wait_element (s.sender, "fasp-available-bitrate"));
  /* off: nothing is looked for */
  g_object_set (s.sink, "max-encoder-bitrate", (guint64) 9 * MBIT, NULL);
  pair_expect (s.sender, GST_MESSAGE_WARNING, c->text);
  for (guint mbit = 1; mbit < 5; mbit++) {
    g_autoptr (GstMessage) message = NULL;

    g_object_set (s.sink, "max-bitrate", (guint64) mbit * MBIT, NULL);
    do {
      gst_clear_message (&message);
      message = pair_wait (s.sender, GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING | GST_MESSAGE_INFO);
      g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_ELEMENT);
    } while (!gst_message_has_name (message, "fasp-available-bitrate"));
  }
  if (s.encoder != NULL)
    g_assert_cmpuint (get (s.encoder, "bitrate"), ==, 0);
  gst_element_set_state (s.sender, GST_STATE_READY);
  gst_element_set_state (s.receiver, GST_STATE_READY);
  gst_element_set_state (s.receiver, GST_STATE_PLAYING);
  gst_element_set_state (s.sender, GST_STATE_PLAYING);
  pair_expect (s.sender, GST_MESSAGE_WARNING, c->text);
}

/* In a bin, another encoder takes the place of the first one, again and again, while the rate
 * changes. */
static GstPadProbeReturn
replace (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Stream *s = data;
  g_autoptr (GstElement) bin = gst_bin_get_by_name (GST_BIN (s->sender), "bin");
  g_autoptr (GstElement) before = gst_bin_get_by_name (GST_BIN (bin), "before");
  g_autoptr (GstElement) after = gst_bin_get_by_name (GST_BIN (bin), "after");
  GstElement *next = gst_element_factory_make ("nvh264enc", NULL);

  gst_element_set_state (s->encoder, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (bin), s->encoder);
  g_assert_true (gst_bin_add (GST_BIN (bin), next));
  g_assert_true (gst_element_link_many (before, next, after, NULL));
  gst_element_sync_state_with_parent (next);
  gst_object_unref (s->encoder);
  g_atomic_pointer_set (&s->encoder, gst_object_ref (next));
  return GST_PAD_PROBE_REMOVE;
}

static void
test_replaced (void)
{
  g_auto (Stream) s = { 0 };
  g_autoptr (GstElement) before = NULL;
  g_autoptr (GstPad) pad = NULL;

  stream_begin (&s,
      DATA "bin.( name=bin identity name=before ! nvh264enc name=encoder ! "
           "queue name=after ) ! faspsink max-encoder-bitrate=9000000");
  before = gst_bin_get_by_name (GST_BIN (s.sender), "before");
  pad = gst_element_get_static_pad (before, "src");
  wait_for_rate (&s, s.encoder, KBIT, 0, 9 * MBIT);
  for (guint i = 0; i < 20; i++) {
    GstElement *old = s.encoder;

    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, replace, &s, NULL);
    for (guint64 rate = 2 * MBIT; g_atomic_pointer_get (&s.encoder) == old;
        rate = 3 * MBIT - rate) {
      g_object_set (s.sink, "max-bitrate", rate, NULL);
      g_usleep (1000);
    }
    g_object_set (s.sink, "max-bitrate", (guint64) (4 + i % 2) * MBIT, NULL);
    wait_for_rate (&s, s.encoder, KBIT, 0, 9 * MBIT);
  }
}

/* A real one. */
static void
test_x264 (void)
{
  g_autoptr (GstElementFactory) x264enc = gst_element_factory_find ("x264enc");
  g_autoptr (GstElementFactory) mpegtsmux = gst_element_factory_find ("mpegtsmux");
  g_auto (Stream) s = { 0 };

  if (x264enc == NULL || mpegtsmux == NULL) {
    g_test_skip ("x264enc or mpegtsmux is not installed");
    return;
  }
  stream_begin (&s,
      "videotestsrc is-live=true ! video/x-raw,width=320,height=240 ! "
      "x264enc name=encoder tune=zerolatency bitrate=500 ! h264parse ! mpegtsmux ! "
      "faspsink max-encoder-bitrate=9000000");
  wait_for_rate (&s, s.encoder, KBIT, 0, 9 * MBIT);
  g_assert_cmpuint (get (s.encoder, "vbv-buf-capacity"), ==, 100);
  g_object_set (s.sink, "max-bitrate", (guint64) MBIT, NULL);
  wait_for_rate (&s, s.encoder, KBIT, 0, 9 * MBIT);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  register_encoders ();
  vcases_add ("/encoder/found", found, sizeof *found, G_N_ELEMENTS (found), test_found);
  vcases_add ("/encoder/advice", advice, sizeof *advice, G_N_ELEMENTS (advice), test_advice);
  g_test_add_func ("/encoder/buffer", test_buffer);
  g_test_add_func ("/encoder/replaced", test_replaced);
  g_test_add_func ("/encoder/x264", test_x264);
  return g_test_run ();
}
