/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/app/gstappsrc.h>
#include "chain.h"
#include "pair.h"

static void
note_media (Tap *tap, GstBuffer *buffer)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string ("timestamp/x-fasp");
  GstReferenceTimestampMeta *meta = gst_buffer_get_reference_timestamp_meta (buffer, caps);

  g_assert_nonnull (meta);
  g_hash_table_insert (tap->media, GSIZE_TO_POINTER (GST_BUFFER_OFFSET (buffer)),
      GSIZE_TO_POINTER (meta->timestamp + 1));
}

static void
note_buffer (Tap *tap, GstBuffer *buffer)
{
  gboolean discont = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gboolean known = GST_BUFFER_OFFSET_IS_VALID (buffer);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  if (!known && tap->got->len == 0 && GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_HEADER))
    g_byte_array_append (tap->header, map.data, map.size);
  else
    tap->unknown += !known;
  if (!known) {
    gst_buffer_unmap (buffer, &map);
    return;
  }
  g_byte_array_append (tap->got, map.data, map.size);
  g_assert_cmpuint (GST_BUFFER_OFFSET_END (buffer), ==, GST_BUFFER_OFFSET (buffer) + map.size);
  gst_buffer_unmap (buffer, &map);
  if (tap->first == GST_BUFFER_OFFSET_NONE) {
    tap->first = GST_BUFFER_OFFSET (buffer);
  } else {
    gboolean gap = GST_BUFFER_OFFSET (buffer) != tap->next;

    tap->discont += discont;
    tap->unmarked += gap != discont;
    tap->missing += GST_BUFFER_OFFSET (buffer) - tap->next;
  }
  tap->keys += GST_BUFFER_OFFSET (buffer) > 0 && GST_BUFFER_OFFSET (buffer) % 70000 == 0
      && !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  tap->next = GST_BUFFER_OFFSET_END (buffer);
  note_media (tap, buffer);
}

static void
note_event (Tap *tap, GstEvent *event)
{
  const GstStructure *s = gst_event_get_structure (event);

  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_DOWNSTREAM_STICKY
      || !gst_structure_has_name (s, "fasp-stream"))
    return;
  g_free (tap->origin);
  tap->origin = g_strdup (gst_structure_get_string (s, "origin"));
  tap->origins++;
}

static GstPadProbeReturn
on_tap (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Tap *tap = data;

  g_mutex_lock (&tap->lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    note_buffer (tap, GST_PAD_PROBE_INFO_BUFFER (info));
  else
    note_event (tap, GST_PAD_PROBE_INFO_EVENT (info));
  g_mutex_unlock (&tap->lock);
  return GST_PAD_PROBE_OK;
}

Tap *
tap_new (GstElement *pipeline)
{
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");
  Tap *tap = g_new0 (Tap, 1);

  g_mutex_init (&tap->lock);
  tap->got = g_byte_array_new ();
  tap->header = g_byte_array_new ();
  tap->first = tap->next = GST_BUFFER_OFFSET_NONE;
  tap->media = g_hash_table_new (NULL, NULL);
  tap->pipeline = pipeline;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_tap,
      tap, NULL);
  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
  return tap;
}

Tap *
tap_new_caller (guint port, const gchar *more)
{
  return tap_new (pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u " SECRET
                               " %s ! fakesink async=false",
      port, more));
}

Tap *
tap_new_relay (guint from, guint to, const gchar *between, const gchar *more)
{
  return tap_new (pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u " SECRET
                               " %s ! faspsink name=sink uri=fasp://:%u?latency=50 " SECRET " %s",
      from, between, to, more));
}

void
tap_free (Tap *tap)
{
  pair_end (tap->pipeline);
  g_byte_array_unref (tap->got);
  g_byte_array_unref (tap->header);
  g_hash_table_unref (tap->media);
  g_free (tap->origin);
  g_mutex_clear (&tap->lock);
  g_free (tap);
}

static guint64
get_next (Tap *tap)
{
  guint64 next;

  g_mutex_lock (&tap->lock);
  next = tap->next;
  g_mutex_unlock (&tap->lock);
  return next;
}

void
tap_wait_for (Tap *tap, guint64 next)
{
  gint64 until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;

  for (;;) {
    guint64 now = get_next (tap);

    if (now != GST_BUFFER_OFFSET_NONE && now >= next)
      return;
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_thread_yield ();
  }
}

void
tap_assert_got (Tap *tap, GBytes *stream, gsize from)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (stream, &size);

  g_mutex_lock (&tap->lock);
  g_assert_cmpuint (tap->first, ==, from);
  g_assert_cmpmem (tap->got->data, tap->got->len, data + from, size - from);
  g_assert_cmpuint (tap->missing, ==, 0);
  g_assert_cmpuint (tap->discont, ==, 0);
  g_assert_cmpuint (tap->unmarked, ==, 0);
  g_assert_cmpuint (tap->unknown, ==, 0);
  g_assert_cmpuint (tap->origins, ==, 1);
  g_mutex_unlock (&tap->lock);
}

GstElement *
chain_make_sender (guint port, const gchar *more)
{
  GstElement *sender = pair_launch ("appsrc name=in block=true max-bytes=50000 "
                                    "! faspsink name=sink uri=fasp://:%u?latency=50 " SECRET " %s",
      port, more);

  gst_element_set_state (sender, GST_STATE_PLAYING);
  return sender;
}

void
chain_push (GstElement *sender, GBytes *stream, gsize from, gsize to, guint key)
{
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (sender), "in");

  for (gsize at = from; at < to; at += CHUNK) {
    g_autoptr (GBytes) part = g_bytes_new_from_bytes (stream, at, CHUNK);
    GstBuffer *buffer = gst_buffer_new_wrapped_bytes (part);

    if (key > 0 && at % key != 0)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    g_assert_cmpint (gst_app_src_push_buffer (GST_APP_SRC (in), buffer), ==, GST_FLOW_OK);
  }
}

void
chain_end (GstElement *sender)
{
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (sender), "in");

  gst_app_src_end_of_stream (GST_APP_SRC (in));
  gst_message_unref (pair_wait (sender, GST_MESSAGE_EOS));
}

void
chain_finish (GstElement *sender, Tap *last, GBytes *stream, gsize from)
{
  chain_end (sender);
  gst_message_unref (pair_wait (last->pipeline, GST_MESSAGE_EOS));
  tap_assert_got (last, stream, from);
}

void
chain_wait_for_sink (GstElement *pipeline, guint64 size)
{
  pair_wait_for_least (pipeline, "sink", "bytes-sent-total", size);
}

void
chain_wait_for_callers (GstElement *pipeline)
{
  pair_wait_for_least (pipeline, "sink", "connected-callers", 1);
}
