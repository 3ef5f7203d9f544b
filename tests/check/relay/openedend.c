/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "openedend.h"
#include "relayprotocolend.h"

static void
play (OpenedEnd *opened, const gchar *uri, gboolean sends)
{
  g_autoptr (GError) error = NULL;

  opened->pipeline = gst_pipeline_new (NULL);
  opened->end = relay_protocol_end_new (uri, sends, NULL, NULL, &error);
  g_assert_no_error (error);
  gst_bin_add_many (GST_BIN (opened->pipeline), opened->end, opened->other, NULL);
  g_assert_true (sends ? gst_element_link (opened->other, opened->end) :
                         gst_element_link (opened->end, opened->other));
  gst_element_set_state (opened->pipeline, GST_STATE_PLAYING);
}

void
opened_end_init_input (OpenedEnd *opened, const gchar *uri, GCallback on_buffer, gpointer data)
{
  opened->other = gst_element_factory_make ("fakesink", NULL);
  g_object_set (opened->other, "async", FALSE, "sync", FALSE, "signal-handoffs", on_buffer != NULL,
      NULL);
  if (on_buffer != NULL)
    g_signal_connect (opened->other, "handoff", on_buffer, data);
  play (opened, uri, FALSE);
}

void
opened_end_init_output (OpenedEnd *opened, const gchar *uri)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string ("video/mpegts, systemstream=true");

  opened->other = gst_element_factory_make ("appsrc", NULL);
  g_object_set (opened->other, "caps", caps, "format", GST_FORMAT_TIME, "is-live", TRUE,
      "do-timestamp", TRUE, NULL);
  play (opened, uri, TRUE);
}

void
opened_end_clear (OpenedEnd *opened)
{
  gst_element_set_state (opened->pipeline, GST_STATE_NULL);
  gst_object_unref (opened->pipeline);
}

guint64
get_figure (GstElement *end, const gchar *name)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 figure = 0;

  g_object_get (end, "stats", &stats, NULL);
  g_assert_true (gst_structure_get_uint64 (stats, name, &figure));
  return figure;
}
