/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A failure is told once: by the element that failed, in a sentence that says what to do.
 * GStreamer's sources have another to say whenever something downstream has failed, "Internal data
 * stream error".
 */
#include <gio/gio.h>
#include "pair.h"
#include "vcases.h"

static GstPadProbeReturn
on_event (GstPad *pad, GstPadProbeInfo *info, gpointer ended)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    g_atomic_int_set ((gint *) ended, TRUE);
  return GST_PAD_PROBE_OK;
}

/* What the element called "first" streams ends when it is told of a failure downstream; what it has
 * to say, it has said before. */
static void
wait_for_end (GstElement *pipeline)
{
  g_autoptr (GstElement) first = gst_bin_get_by_name (GST_BIN (pipeline), "first");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (first, "src");
  gint ended = FALSE;
  gulong probe =
      gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event, &ended, NULL);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  pair_wait_for_count (&ended, TRUE);
  gst_element_set_state (pipeline, GST_STATE_READY); /* no thread streams any more */
  gst_pad_remove_probe (pad, probe);
}

/* The only error on the bus, of the element called "fasp". */
static gchar *
get_error (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_autoptr (GstMessage) second = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (message);
  g_assert_cmpstr (GST_MESSAGE_SRC_NAME (message), ==, "fasp");
  gst_message_parse_error (message, &error, NULL);
  g_assert_null (second);
  return g_strdup (error->message);
}

/* --- it cannot start ----------------------------------------------------------------------- */

/* @line: a pipeline; its element called @name has @host and @port, and a secret. */
static GstElement *
launch (const gchar *line, const gchar *name, const gchar *host, guint port)
{
  GstElement *pipeline = pair_launch ("%s", line);
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  g_autofree gchar *uri = g_strdup_printf ("fasp://%s:%u?" SECRET, host, port);

  g_object_set (element, "uri", uri, NULL);
  return pipeline;
}

static void
test_start (gconstpointer line)
{
  g_autoptr (PairPipeline) pipeline = launch (line, "fasp", "", pair_get_port ());
  g_autofree gchar *text = NULL;

  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING), ==,
      GST_STATE_CHANGE_FAILURE);
  text = get_error (pipeline);
  g_assert_nonnull (strstr (text, "no-such-directory"));
}

/* --- it fails while it plays ---------------------------------------------------------------- */

static gboolean
refuse (GstElement *element, GSocketAddress *address, const gchar *streamid, gpointer unused)
{
  return FALSE;
}

typedef struct
{
  const gchar *name;
  const gchar *listener, *caller;
} Pipelines;

static const Pipelines refused[] = {
  { "sink", "faspsrc name=listener ! fakesink",
      "audiotestsrc is-live=true name=first ! faspsink name=fasp" },
  { "sink-behind-queue", "faspsrc name=listener ! fakesink",
      "audiotestsrc is-live=true name=first ! queue ! faspsink name=fasp" },
  { "sink-behind-tee", "faspsrc name=listener ! fakesink",
      "audiotestsrc is-live=true name=first ! tee name=t ! queue ! "
      "faspsink name=fasp t. ! queue ! fakesink" },
  { "source", "audiotestsrc is-live=true ! faspsink name=listener",
      "faspsrc name=fasp ! identity name=first ! fakesink" },
};

static void
test_refused (gconstpointer data)
{
  const Pipelines *lines = data;
  guint port = pair_get_port ();
  g_autoptr (PairPipeline) listener = launch (lines->listener, "listener", "", port);
  g_autoptr (PairPipeline) caller = launch (lines->caller, "fasp", "127.0.0.1", port);
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (listener), "listener");
  g_autofree gchar *text = NULL;

  g_object_set (element, "authentication", TRUE, NULL);
  g_signal_connect (element, "caller-connecting", G_CALLBACK (refuse), NULL);
  gst_element_set_state (listener, GST_STATE_PLAYING);
  wait_for_end (caller);
  text = get_error (caller);
  g_assert_nonnull (strstr (text, "refused"));
}

/* --- at the wrong port ---------------------------------------------------------------- */

/* Until @text comes, in a message of @type. */
static void
await_text (GstElement *pipeline, GstMessageType type, const gchar *text)
{
  g_autofree gchar *said = NULL;

  do {
    g_free (said);
    said = pair_wait_text (pipeline, type);
  } while (strstr (said, text) == NULL);
}

/* MPEG-TS from a program that sends plain UDP; and no caller. @line: what listens at the port.
 */
static void
test_wrong_port (gconstpointer line)
{
  guint port = pair_get_port ();
  g_autoptr (GSocket) other =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new_from_string ("127.0.0.1", port);
  g_autofree gchar *all = g_strdup_printf ("UDP port %u of all addresses", port);
  g_autoptr (PairPipeline) pipeline = launch (line, "fasp", "", port);
  gchar packet[188] = { 0x47 };

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (g_socket_send_to (other, address, packet, sizeof packet, NULL, NULL), ==,
        sizeof packet);
  await_text (pipeline, GST_MESSAGE_WARNING, "sends MPEG-TS over UDP");
  pair_wait_for_stat (pipeline, "fasp", "datagrams-foreign", 3);
  await_text (pipeline, GST_MESSAGE_INFO, all);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/errors/start/sink",
      "audiotestsrc ! faspsink name=fasp record=/no-such-directory/a", test_start);
  g_test_add_data_func ("/errors/start/source",
      "faspsrc name=fasp record=/no-such-directory/a ! fakesink", test_start);
  g_test_add_data_func ("/errors/start/log",
      "faspsrc name=fasp log=/no-such-directory/a ! fakesink", test_start);
  g_test_add_data_func ("/errors/wrong-port/sink", "videotestsrc is-live=true ! faspsink name=fasp",
      test_wrong_port);
  g_test_add_data_func ("/errors/wrong-port/source", "faspsrc name=fasp ! fakesink",
      test_wrong_port);
  vcases_add ("/errors/refused", refused, sizeof *refused, G_N_ELEMENTS (refused), test_refused);
  return g_test_run ();
}
