/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pair.h"
#include <gio/gio.h>

#define WAIT (20 * GST_SECOND)

static GSocket *
bind_to (guint port)
{
  g_autoptr (GInetAddress) any = g_inet_address_new_any (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (any, port);
  GSocket *socket = g_socket_new (G_SOCKET_FAMILY_IPV4,
      G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);

  g_assert_nonnull (socket);
  if (!g_socket_bind (socket, address, FALSE, NULL))
    g_clear_object (&socket);
  return socket;
}

guint
pair_get_ports (guint n)
{
  for (guint tries = 0; tries < 100; tries++) {
    g_autoptr (GSocket) first = bind_to (0);
    g_autoptr (GSocketAddress) bound = g_socket_get_local_address (first, NULL);
    guint port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound));
    gboolean all = port + n - 1 <= G_MAXUINT16;

    for (guint i = 1; all && i < n; i++) {
      g_autoptr (GSocket) next = bind_to (port + i);

      all = next != NULL;
    }
    if (all)
      return port;
  }
  g_assert_not_reached ();
}

guint
pair_get_port (void)
{
  return pair_get_ports (1);
}

GstElement *
pair_launch (const gchar * format, ...)
{
  g_autofree gchar *line = NULL;
  g_autoptr (GError) error = NULL;
  GstElement *pipeline;
  va_list args;

  va_start (args, format);
  line = g_strdup_vprintf (format, args);
  va_end (args);
  pipeline = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  return pipeline;
}

GstMessage *
pair_wait (GstElement * pipeline, GstMessageType types)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, WAIT, types |
      GST_MESSAGE_ERROR);

  g_assert_nonnull (message);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR
      && !(types & GST_MESSAGE_ERROR)) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_error (message, &error, NULL);
    g_assert_no_error (error);
  }
  return message;
}

GstMessage *
pair_wait_element (GstElement * pipeline, const gchar * name)
{
  for (;;) {
    GstMessage *message = pair_wait (pipeline, GST_MESSAGE_ELEMENT);

    if (gst_message_has_name (message, name))
      return message;
    gst_message_unref (message);
  }
}

gchar *
pair_wait_text (GstElement * pipeline, GstMessageType type)
{
  g_autoptr (GstMessage) message = pair_wait (pipeline, type);
  g_autoptr (GError) error = NULL;

  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else if (type == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  else
    gst_message_parse_info (message, &error, NULL);
  return g_strdup (error->message);
}

guint
pair_stop (GstElement * pipeline)
{
  gint64 before = g_get_monotonic_time ();

  gst_element_set_state (pipeline, GST_STATE_NULL);
  return (g_get_monotonic_time () - before) / 1000;
}

guint64
pair_get_stat (GstElement * pipeline, const gchar * name, const gchar * field)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline),
      name);
  g_autoptr (GstStructure) stats = NULL;
  guint64 value = 0;
  guint small;

  g_object_get (element, "stats", &stats, NULL);
  if (!gst_structure_get_uint64 (stats, field, &value)
      && gst_structure_get_uint (stats, field, &small))
    value = small;
  return value;
}

GBytes *
pair_make_stream (gsize size)
{
  guint8 *data = g_malloc (size);
  guint32 word = 1;

  for (gsize i = 0; i < size; i++) {
    word = word * 1664525 + 1013904223;
    data[i] = word >> 24;
  }
  return g_bytes_new_take (data, size);
}
