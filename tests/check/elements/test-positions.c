/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Streams through relays, from one to another, and joined in the past, over the
 * loopback interface.
 */
#include <string.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gio/gio.h>
#include "pair.h"

#define SIZE 600000
#define CHUNK 10000

/* What came out of a pad. */
typedef struct
{
  GMutex lock;
  GByteArray *got;
  GByteArray *header;           /* what came before anything else and counts no bytes */
  guint64 first, next;          /* offsets; NONE before anything */
  guint64 missing;              /* bytes between offsets */
  guint discont, unmarked;      /* DISCONT where nothing is missing, and the other way */
  guint keys;                   /* buffers without DELTA_UNIT at a key frame's offset */
  guint unknown;                /* buffers without an offset */
  GHashTable *media;            /* offset -> media time + 1 */
  gchar *origin;
  guint origins;
  GstElement *pipeline;
} Tap;

static void
note_media (Tap * tap, GstBuffer * buffer)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string ("timestamp/x-fasp");
  GstReferenceTimestampMeta *meta =
      gst_buffer_get_reference_timestamp_meta (buffer, caps);

  g_assert_nonnull (meta);
  g_hash_table_insert (tap->media,
      GSIZE_TO_POINTER (GST_BUFFER_OFFSET (buffer)),
      GSIZE_TO_POINTER (meta->timestamp + 1));
}

static void
note_buffer (Tap * tap, GstBuffer * buffer)
{
  gboolean discont = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gboolean known = GST_BUFFER_OFFSET_IS_VALID (buffer);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  if (!known && tap->got->len == 0
      && GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_HEADER))
    g_byte_array_append (tap->header, map.data, map.size);
  else
    tap->unknown += !known;
  if (!known) {
    gst_buffer_unmap (buffer, &map);
    return;
  }
  g_byte_array_append (tap->got, map.data, map.size);
  g_assert_cmpuint (GST_BUFFER_OFFSET_END (buffer), ==,
      GST_BUFFER_OFFSET (buffer) + map.size);
  gst_buffer_unmap (buffer, &map);
  if (tap->first == GST_BUFFER_OFFSET_NONE) {
    tap->first = GST_BUFFER_OFFSET (buffer);
  } else {
    gboolean gap = GST_BUFFER_OFFSET (buffer) != tap->next;

    tap->discont += discont;
    tap->unmarked += gap != discont;
    tap->missing += GST_BUFFER_OFFSET (buffer) - tap->next;
  }
  tap->keys += GST_BUFFER_OFFSET (buffer) > 0
      && GST_BUFFER_OFFSET (buffer) % 70000 == 0
      && !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  tap->next = GST_BUFFER_OFFSET_END (buffer);
  note_media (tap, buffer);
}

static void
note_event (Tap * tap, GstEvent * event)
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
on_tap (GstPad * pad, GstPadProbeInfo * info, gpointer data)
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

/* Of the faspsrc called `source' in @pipeline, which it starts. */
static Tap *
tap_new (GstElement * pipeline)
{
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");
  Tap *tap = g_new0 (Tap, 1);

  g_mutex_init (&tap->lock);
  tap->got = g_byte_array_new ();
  tap->header = g_byte_array_new ();
  tap->first = tap->next = GST_BUFFER_OFFSET_NONE;
  tap->media = g_hash_table_new (NULL, NULL);
  tap->pipeline = pipeline;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_tap, tap, NULL);
  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
  return tap;
}

/* Its pipeline, too. */
static void
tap_free (Tap * tap)
{
  pair_stop (tap->pipeline);
  gst_object_unref (tap->pipeline);
  g_byte_array_unref (tap->got);
  g_byte_array_unref (tap->header);
  g_hash_table_unref (tap->media);
  g_free (tap->origin);
  g_mutex_clear (&tap->lock);
  g_free (tap);
}

static guint64
get_next (Tap * tap)
{
  guint64 next;

  g_mutex_lock (&tap->lock);
  next = tap->next;
  g_mutex_unlock (&tap->lock);
  return next;
}

static void
tap_wait_for (Tap * tap, guint64 next)
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

static void
tap_assert_got (Tap * tap, GBytes * stream, gsize from)
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

/* --- what is sent ---------------------------------------------------------------------- */

static GstElement *
chain_make_sender (guint port, const gchar * more)
{
  GstElement *sender = pair_launch ("appsrc name=in block=true max-bytes=50000 "
      "! faspsink name=sink uri=fasp://:%u?latency=50 " SECRET " %s", port,
      more);

  gst_element_set_state (sender, GST_STATE_PLAYING);
  return sender;
}

static void
chain_push (GstElement * sender, GBytes * stream, gsize from, gsize to,
    guint key)
{
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (sender), "in");

  for (gsize at = from; at < to; at += CHUNK) {
    g_autoptr (GBytes) part = g_bytes_new_from_bytes (stream, at, CHUNK);
    GstBuffer *buffer = gst_buffer_new_wrapped_bytes (part);

    if (key > 0 && at % key != 0)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    g_assert_cmpint (gst_app_src_push_buffer (GST_APP_SRC (in), buffer), ==,
        GST_FLOW_OK);
  }
}

static void
chain_end (GstElement * sender)
{
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (sender), "in");

  gst_app_src_end_of_stream (GST_APP_SRC (in));
  gst_message_unref (pair_wait (sender, GST_MESSAGE_EOS));
}

/* It was handed so much. */
static void
chain_wait_for_sink (GstElement * pipeline, guint64 size)
{
  gint64 until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;

  while (pair_get_stat (pipeline, "sink", "bytes-sent-total") < size) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_thread_yield ();
  }
}

static void
chain_stop (GstElement * pipeline)
{
  pair_stop (pipeline);
  gst_object_unref (pipeline);
}

/* --- tests -------------------------------------------------------------------------------- */

/* A chain: the same bytes, offsets, origin, media times, and the end. */
static void
test_chain (void)
{
  guint ports[2] = { pair_get_port (), pair_get_port () };
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  GstElement *sender = chain_make_sender (ports[0], "");
  Tap *relay = tap_new (pair_launch ("faspsrc name=source "
          "uri=fasp://127.0.0.1:%u " SECRET " ! queue ! tee ! faspsink "
          "uri=fasp://:%u?latency=50 " SECRET, ports[0], ports[1]));
  Tap *last =
      tap_new (pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u "
          SECRET " ! fakesink async=false", ports[1]));
  GHashTableIter iter;
  gpointer offset, media;
  guint same = 0;

  chain_push (sender, stream, 0, SIZE, 0);
  chain_end (sender);
  gst_message_unref (pair_wait (relay->pipeline, GST_MESSAGE_EOS));
  gst_message_unref (pair_wait (last->pipeline, GST_MESSAGE_EOS));
  tap_assert_got (relay, stream, 0);
  tap_assert_got (last, stream, 0);
  g_assert_cmpstr (relay->origin, ==, last->origin);
  g_hash_table_iter_init (&iter, last->media);
  while (g_hash_table_iter_next (&iter, &offset, &media))
    if (g_hash_table_contains (relay->media, offset)) {
      g_assert_true (g_hash_table_lookup (relay->media, offset) == media);
      same++;
    }
  g_assert_cmpuint (same, >, 0);
  tap_free (last);
  tap_free (relay);
  chain_stop (sender);
}

static void
chain_wait_for_callers (GstElement * pipeline)
{
  gint64 until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;

  while (pair_get_stat (pipeline, "sink", "connected-callers") < 1) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_thread_yield ();
  }
}

/* Who joins in the middle of a stream that is nothing without its header has that, and all from
 * a key frame on: a relay, and who joins that later still. */
static void
test_headers_in_chain (void)
{
  static const guint8 header[] = { 0x1a, 0x45, 0xdf, 0xa3 };
  guint ports[2] = { pair_get_port (), pair_get_port () };
  g_autoptr (GBytes) stream = pair_make_stream (420000);
  g_autoptr (GBytes) sent = NULL;
  GByteArray *whole;
  g_autoptr (GstCaps) caps = gst_caps_from_string ("video/x-matroska,"
      "streamheader=(buffer)<1a45,dfa3>");
  GstElement *sender =
      chain_make_sender (ports[0], "wait-for-connection=false");
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (sender), "in");
  Tap *relay, *last;

  gst_app_src_set_caps (GST_APP_SRC (in), caps);
  chain_push (sender, stream, 0, 140000, 70000);
  chain_wait_for_sink (sender, 140000);
  relay = tap_new (pair_launch ("faspsrc name=source "
          "uri=fasp://127.0.0.1:%u " SECRET
          " ! queue ! tee ! faspsink name=sink "
          "uri=fasp://:%u?latency=50 wait-for-connection=false " SECRET,
          ports[0], ports[1]));
  chain_wait_for_callers (sender);
  chain_push (sender, stream, 140000, 280000, 70000);
  tap_wait_for (relay, sizeof header + 280000);
  last = tap_new (pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u "
          SECRET " ! fakesink async=false", ports[1]));
  chain_wait_for_callers (relay->pipeline);
  chain_push (sender, stream, 280000, 420000, 70000);
  chain_end (sender);
  gst_message_unref (pair_wait (relay->pipeline, GST_MESSAGE_EOS));
  gst_message_unref (pair_wait (last->pipeline, GST_MESSAGE_EOS));
  /* which the sink has written first, as nobody else has */
  whole = g_byte_array_append (g_byte_array_new (), header, sizeof header);
  g_byte_array_append (whole, g_bytes_get_data (stream, NULL), 420000);
  sent = g_byte_array_free_to_bytes (whole);
  tap_assert_got (relay, sent, sizeof header + 140000);
  tap_assert_got (last, sent, sizeof header + 280000);
  g_assert_cmpmem (relay->header->data, relay->header->len, header,
      sizeof header);
  g_assert_cmpmem (last->header->data, last->header->len, header,
      sizeof header);
  tap_free (last);
  tap_free (relay);
  chain_stop (sender);
}

/* A buffer is dropped in between: so many bytes are missing, and it is said. */
static GstPadProbeReturn
drop_one (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  gint *dropped = data;

  if (GST_BUFFER_OFFSET (buffer) < SIZE / 2 || *dropped > 0)
    return GST_PAD_PROBE_OK;
  *dropped = gst_buffer_get_size (buffer);
  return GST_PAD_PROBE_DROP;
}

/* The bytes of one are others: it is not that stream any more. */
static GstPadProbeReturn
change_all (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer =
      gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  GstMapInfo map;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READWRITE));
  for (gsize i = 0; i < map.size; i++)
    map.data[i] ^= 0xff;
  gst_buffer_unmap (buffer, &map);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

/* As a pacer, which cuts one and passes on the next as it is: the bytes are the same. */
static GstPadProbeReturn
copy_some (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  guint *n = data;

  if (++*n % 2 == 0) {
    GST_PAD_PROBE_INFO_DATA (info) = gst_buffer_copy_deep (buffer);
    gst_buffer_unref (buffer);
  }
  return GST_PAD_PROBE_OK;
}

/* A relay that changes what it passes on, and who hears it. */
static void
begin_changed (const guint * ports, GstPadProbeType type,
    GstPadProbeCallback callback, gpointer data, Tap ** relay, Tap ** last)
{
  GstElement *middle = pair_launch ("faspsrc name=source "
      "uri=fasp://127.0.0.1:%u " SECRET " ! queue name=queue ! faspsink "
      "uri=fasp://:%u?latency=50 " SECRET, ports[0], ports[1]);
  g_autoptr (GstElement) queue =
      gst_bin_get_by_name (GST_BIN (middle), "queue");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (queue, "src");

  gst_pad_add_probe (pad, type, callback, data, NULL);
  *relay = tap_new (middle);
  *last = tap_new (pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u "
          SECRET " ! fakesink async=false", ports[1]));
}

static void
end_changed (GstElement * sender, Tap * relay, Tap * last)
{
  chain_end (sender);
  gst_message_unref (pair_wait (relay->pipeline, GST_MESSAGE_EOS));
  gst_message_unref (pair_wait (last->pipeline, GST_MESSAGE_EOS));
}

static void
run_changed (GstPadProbeCallback callback, gpointer data, Tap ** relay,
    Tap ** last)
{
  guint ports[2] = { pair_get_port (), pair_get_port () };
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  GstElement *sender = chain_make_sender (ports[0], "");

  begin_changed (ports, GST_PAD_PROBE_TYPE_BUFFER, callback, data, relay, last);
  chain_push (sender, stream, 0, SIZE, 0);
  end_changed (sender, *relay, *last);
  tap_assert_got (*relay, stream, 0);
  chain_stop (sender);
}

static void
test_dropped (void)
{
  gint dropped = 0;
  Tap *relay, *last;

  run_changed (drop_one, &dropped, &relay, &last);
  g_assert_cmpint (dropped, >, 0);
  g_assert_cmpuint (last->missing, ==, dropped);
  g_assert_cmpuint (last->discont, ==, 1);
  g_assert_cmpuint (last->unmarked, ==, 0);
  g_assert_cmpuint (last->next, ==, SIZE);
  g_assert_cmpstr (relay->origin, ==, last->origin);
  tap_free (last);
  tap_free (relay);
}

/* As a leaky queue behind a tee: one is dropped, and the next is a copy that is marked, as others have
 * the buffer, too. */
static GstPadProbeReturn
leak_one (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  gint *dropped = data;
  GstBuffer *copy;

  if (drop_one (pad, info, dropped) == GST_PAD_PROBE_DROP)
    return GST_PAD_PROBE_DROP;
  copy = gst_buffer_copy (buffer);
  if (*dropped > 0)
    GST_BUFFER_FLAG_SET (copy, GST_BUFFER_FLAG_DISCONT);
  gst_buffer_unref (buffer);
  GST_PAD_PROBE_INFO_DATA (info) = copy;
  return GST_PAD_PROBE_OK;
}

static void
test_leaked (void)
{
  gint dropped = 0;
  Tap *relay, *last;

  run_changed (leak_one, &dropped, &relay, &last);
  g_assert_cmpint (dropped, >, 0);
  g_assert_cmpstr (relay->origin, ==, last->origin);
  g_assert_cmpuint (last->missing, ==, dropped);
  g_assert_cmpuint (last->next, ==, SIZE);
  tap_free (last);
  tap_free (relay);
}

/* The bytes of a copy are others. */
static GstPadProbeReturn
change_copies (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  GST_PAD_PROBE_INFO_DATA (info) = gst_buffer_copy (buffer);
  gst_buffer_unref (buffer);
  return change_all (pad, info, data);
}

static void
test_changed_copies (void)
{
  Tap *relay, *last;

  run_changed (change_copies, NULL, &relay, &last);
  g_assert_cmpstr (relay->origin, !=, last->origin);
  for (guint i = 0; i < SIZE; i++)
    g_assert_cmpuint (last->got->data[i], ==, relay->got->data[i] ^ 0xff);
  tap_free (last);
  tap_free (relay);
}

static void
test_changed (void)
{
  Tap *relay, *last;

  run_changed (change_all, NULL, &relay, &last);
  g_assert_cmpstr (relay->origin, !=, last->origin);
  g_assert_cmpuint (last->got->len, ==, SIZE);
  for (guint i = 0; i < SIZE; i++)
    g_assert_cmpuint (last->got->data[i], ==, relay->got->data[i] ^ 0xff);
  tap_free (last);
  tap_free (relay);
}

/* It becomes another stream once, not with each buffer. */
static void
test_changed_in_part (void)
{
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  Tap *relay, *last;
  guint n = 0;

  run_changed (copy_some, &n, &relay, &last);
  g_assert_cmpuint (n, >, 10);
  g_assert_cmpuint (last->origins, <=, 2);
  g_assert_cmpstr (relay->origin, !=, last->origin);
  g_assert_cmpmem (last->got->data, last->got->len, g_bytes_get_data (stream,
          NULL), SIZE);
  tap_free (last);
  tap_free (relay);
}

/* As a pacer that cuts what is larger than a datagram: a header is not. */
static GstPadProbeReturn
copy_stream (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  if (GST_BUFFER_OFFSET_IS_VALID (buffer)) {
    GST_PAD_PROBE_INFO_DATA (info) = gst_buffer_copy_deep (buffer);
    gst_buffer_unref (buffer);
  }
  return GST_PAD_PROBE_OK;
}

/* What comes next when something is told of the stream is passed on, and the rest in part. */
static GstPadProbeReturn
copy_others (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  guint *n = data;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    return copy_some (pad, info, data);
  *n = 0;
  return GST_PAD_PROBE_OK;
}

static void
set_header (GstElement * sender, const gchar * header)
{
  g_autofree gchar *text = g_strdup_printf ("video/x-matroska,"
      "streamheader=(buffer)<%s>", header);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (sender), "in");

  gst_app_src_set_caps (GST_APP_SRC (in), caps);
}

static GstElement *
make_caller (guint port)
{
  GstElement *sender = pair_launch ("appsrc name=in block=true max-bytes=50000 "
      "! faspsink name=sink uri=fasp://127.0.0.1:%u?latency=50 " SECRET, port);

  gst_element_set_state (sender, GST_STATE_PLAYING);
  return sender;
}

/* A relay whose first sender's stream had a header, and whose second one's has none: who joins
 * in the middle of that waits for none. */
static void
test_header_gone (void)
{
  guint ports[2] = { pair_get_port (), pair_get_port () };
  g_autoptr (GBytes) stream = pair_make_stream (280000);
  GstElement *sender;
  Tap *relay, *last;

  relay = tap_new (pair_launch ("faspsrc name=source uri=fasp://:%u "
          "keep-listening=true " SECRET " ! faspsink name=sink "
          "uri=fasp://:%u?latency=50 wait-for-connection=false " SECRET,
          ports[0], ports[1]));
  sender = make_caller (ports[0]);
  set_header (sender, "1a45,dfa3");
  chain_push (sender, stream, 0, 140000, 70000);
  chain_end (sender);
  chain_stop (sender);
  chain_wait_for_sink (relay->pipeline, 140000);
  sender = make_caller (ports[0]);
  chain_push (sender, stream, 0, 140000, 0);
  chain_wait_for_sink (relay->pipeline, 280000);
  last = tap_new (pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u "
          SECRET " ! fakesink async=false", ports[1]));
  chain_wait_for_callers (relay->pipeline);
  chain_push (sender, stream, 140000, 280000, 0);
  tap_wait_for (last, 280000);
  g_assert_cmpuint (last->first, >, 0);
  g_assert_cmpuint (last->header->len, ==, 0);
  tap_assert_got (last, stream, last->first);
  tap_free (last);
  tap_free (relay);
  chain_stop (sender);
}

/* A stream that gets another header, which it has in itself, too, before its key frame: who joins there has
 * that once. */
static void
test_header_in_stream (void)
{
  static const guint8 header[] = { 0x1a, 0x45, 0xdf, 0xa4 };
  guint port = pair_get_port ();
  g_autoptr (GBytes) stream = pair_make_stream (280000);
  GstElement *sender = chain_make_sender (port, "wait-for-connection=false");
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (sender), "in");
  Tap *last;

  set_header (sender, "1a45,dfa3");
  chain_push (sender, stream, 0, 140000, 70000);
  chain_wait_for_sink (sender, 140000);
  last = tap_new (pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u "
          SECRET " ! fakesink async=false", port));
  chain_wait_for_callers (sender);
  set_header (sender, "1a45,dfa4");
  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = gst_buffer_new_memdup (header + 2 * i, 2);

    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_HEADER);
    g_assert_cmpint (gst_app_src_push_buffer (GST_APP_SRC (in), buffer), ==,
        GST_FLOW_OK);
  }
  chain_push (sender, stream, 140000, 280000, 70000);
  chain_end (sender);
  gst_message_unref (pair_wait (last->pipeline, GST_MESSAGE_EOS));
  g_assert_cmpmem (last->header->data, last->header->len, header,
      sizeof header);
  g_assert_cmpmem (last->got->data, last->got->len,
      (const guint8 *) g_bytes_get_data (stream, NULL) + 140000, 140000);
  tap_free (last);
  chain_stop (sender);
}

/* A stream with a header whose relay changes it, and joins in the middle; the header is another
 * in the middle of that. */
static void
run_changed_headed (GstPadProbeType type, GstPadProbeCallback callback,
    gpointer data, Tap ** relay, Tap ** last, GBytes * stream)
{
  guint ports[2] = { pair_get_port (), pair_get_port () };
  GstElement *sender =
      chain_make_sender (ports[0], "wait-for-connection=false");

  set_header (sender, "1a45,dfa3");
  chain_push (sender, stream, 0, 140000, 0);
  chain_wait_for_sink (sender, 140000);
  begin_changed (ports, type, callback, data, relay, last);
  chain_wait_for_callers (sender);
  chain_push (sender, stream, 140000, 210000, 0);
  set_header (sender, "1a45,dfa4");
  chain_push (sender, stream, 210000, 280000, 0);
  end_changed (sender, *relay, *last);
  /* with one header, and the other */
  g_assert_cmpuint ((*relay)->origins, ==, 2);
  chain_stop (sender);
}

/* What it makes of that is another stream, once, whatever is told of the one before. */
static void
test_changed_headed (void)
{
  g_autoptr (GBytes) stream = pair_make_stream (280000);
  Tap *relay, *last;
  guint n = 0;

  run_changed_headed (GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, copy_others, &n, &relay, &last,
      stream);
  g_assert_cmpuint (last->origins, <=, 2);
  g_assert_cmpstr (relay->origin, !=, last->origin);
  tap_free (last);
  tap_free (relay);
}

/* And it begins with the header, which is no part of that before. */
static void
test_changed_behind_header (void)
{
  static const guint8 header[] = { 0x1a, 0x45, 0xdf, 0xa3 };
  g_autoptr (GBytes) stream = pair_make_stream (280000);
  Tap *relay, *last;

  run_changed_headed (GST_PAD_PROBE_TYPE_BUFFER, copy_stream, NULL, &relay,
      &last, stream);
  g_assert_cmpstr (relay->origin, !=, last->origin);
  g_assert_cmpuint (last->origins, ==, 1);
  g_assert_cmpuint (last->got->len, ==, sizeof header + 140000);
  g_assert_cmpmem (last->got->data, sizeof header, header, sizeof header);
  g_assert_cmpmem (last->got->data + sizeof header, 140000,
      (const guint8 *) g_bytes_get_data (stream, NULL) + 140000, 140000);
  tap_free (last);
  tap_free (relay);
}

static Tap *
make_relay (guint from, guint to)
{
  return tap_new (pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u "
          SECRET " ! faspsink uri=fasp://:%u?latency=50 " SECRET
          " wait-for-connection=false history=60000000000 join-at=back", from,
          to));
}

/* A relay goes away: the receiver goes on at another, at the byte where it stood. */
static void
test_move (void)
{
  guint ports[3] = { pair_get_port (), pair_get_port (), pair_get_port () };
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  GstElement *sender = chain_make_sender (ports[0],
      "history=60000000000 join-at=back");
  Tap *first = make_relay (ports[0], ports[1]);
  Tap *second = make_relay (ports[0], ports[2]);
  Tap *last =
      tap_new (pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u "
          "fallback-addresses=127.0.0.1:%u " SECRET " ! fakesink async=false",
          ports[1], ports[2]));
  g_autoptr (GstMessage) moved = NULL;
  guint64 missing = 1;

  chain_push (sender, stream, 0, SIZE / 2, 0);
  tap_wait_for (last, SIZE / 2);
  pair_stop (first->pipeline);
  chain_push (sender, stream, SIZE / 2, SIZE, 0);
  moved = pair_wait_element (last->pipeline, "stream-moved");
  g_assert_true (gst_structure_get_uint64 (gst_message_get_structure (moved),
          "bytes-missing", &missing));
  g_assert_cmpuint (missing, ==, 0);
  chain_end (sender);
  gst_message_unref (pair_wait (last->pipeline, GST_MESSAGE_EOS));
  tap_assert_got (last, stream, 0);
  tap_assert_got (second, stream, 0);
  tap_free (last);
  tap_free (second);
  tap_free (first);
  chain_stop (sender);
}

/* Nobody listens at the first address. */
static void
test_first_absent (void)
{
  guint ports[2] = { pair_get_port (), pair_get_port () };
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  GstElement *sender = chain_make_sender (ports[0], "");
  Tap *last =
      tap_new (pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u "
          "fallback-addresses=\"[::ffff:127.0.0.1]:%u, localhost:%u\" " SECRET
          " ! fakesink async=false", ports[1], ports[1], ports[0]));

  chain_push (sender, stream, 0, SIZE, 0);
  chain_end (sender);
  gst_message_unref (pair_wait (last->pipeline, GST_MESSAGE_EOS));
  tap_assert_got (last, stream, 0);
  tap_free (last);
  chain_stop (sender);
}

/* At the newest key frame, whoever asks for it. */
static void
test_key_frame (gconstpointer data)
{
  const gchar *const *who = data;
  guint port = pair_get_port ();
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  GstElement *sender = chain_make_sender (port, who[0]);
  Tap *last;

  chain_push (sender, stream, 0, SIZE / 2, 70000);
  chain_wait_for_sink (sender, SIZE / 2);
  last = tap_new (pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u "
          SECRET " %s ! fakesink async=false", port, who[1]));
  tap_wait_for (last, SIZE / 2);
  chain_push (sender, stream, SIZE / 2, SIZE, 70000);
  chain_end (sender);
  gst_message_unref (pair_wait (last->pipeline, GST_MESSAGE_EOS));
  tap_assert_got (last, stream, SIZE / 2 / 70000 * 70000);
  tap_free (last);
  chain_stop (sender);
}

/* Buffers and memories of no bytes begin nothing: the key frame does that comes behind them. */
static void
test_key_frame_hollow (void)
{
  guint port = pair_get_port ();
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  GstElement *sender = chain_make_sender (port,
      "wait-for-connection=false join-at=keyframe");
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (sender), "in");
  g_autoptr (GBytes) part = g_bytes_new_from_bytes (stream, 140000, CHUNK);
  GstBuffer *buffer = gst_buffer_new ();
  Tap *last;

  chain_push (sender, stream, 0, 70000, 70000);
  gst_app_src_push_buffer (GST_APP_SRC (in), gst_buffer_new ());
  chain_push (sender, stream, 70000, 140000, 70000);
  chain_wait_for_sink (sender, 140000);
  last = tap_new (pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u "
          SECRET " ! fakesink async=false", port));
  tap_wait_for (last, 140000);
  gst_buffer_append_memory (buffer, gst_memory_new_wrapped
      (GST_MEMORY_FLAG_READONLY, (gpointer) "", 1, 0, 0, NULL, NULL));
  buffer = gst_buffer_append (buffer, gst_buffer_new_wrapped_bytes (part));
  g_assert_cmpuint (gst_buffer_n_memory (buffer), ==, 2);
  gst_app_src_push_buffer (GST_APP_SRC (in), buffer);
  chain_push (sender, stream, 140000 + CHUNK, SIZE, 70000);
  chain_end (sender);
  gst_message_unref (pair_wait (last->pipeline, GST_MESSAGE_EOS));
  tap_assert_got (last, stream, 70000);
  g_assert_cmpuint (last->keys, ==, (SIZE - 1) / 70000);
  tap_free (last);
  chain_stop (sender);
}

/* A relay knows where they begin, too, and says so on its buffers. */
static void
test_key_frame_relayed (void)
{
  guint ports[2] = { pair_get_port (), pair_get_port () };
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  GstElement *sender = chain_make_sender (ports[0], "join-at=keyframe");
  Tap *relay = tap_new (pair_launch ("faspsrc name=source "
          "uri=fasp://127.0.0.1:%u " SECRET " ! faspsink name=sink "
          "uri=fasp://:%u?latency=50 " SECRET
          " wait-for-connection=false join-at=keyframe", ports[0], ports[1]));
  Tap *last;

  chain_push (sender, stream, 0, SIZE / 2, 70000);
  chain_wait_for_sink (relay->pipeline, SIZE / 2);
  last = tap_new (pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u "
          SECRET " ! fakesink async=false", ports[1]));
  tap_wait_for (last, SIZE / 2);
  chain_push (sender, stream, SIZE / 2, SIZE, 70000);
  chain_end (sender);
  gst_message_unref (pair_wait (last->pipeline, GST_MESSAGE_EOS));
  tap_assert_got (last, stream, SIZE / 2 / 70000 * 70000);
  /* from the first one that the relay was told of */
  g_assert_cmpuint (relay->keys, ==, (SIZE - 1) / 70000);
  g_assert_cmpuint (last->keys, ==, (SIZE - 1) / 70000 - SIZE / 2 / 70000 + 1);
  tap_free (last);
  tap_free (relay);
  chain_stop (sender);
}

static void
test_refused (gconstpointer value)
{
  g_autofree gchar *why = NULL;
  GstElement *source = pair_launch ("faspsrc uri=fasp://127.0.0.1:%u %s "
      SECRET " ! fakesink", pair_get_port (), (const gchar *) value);

  gst_element_set_state (source, GST_STATE_PLAYING);
  why = pair_wait_text (source, GST_MESSAGE_ERROR);
  g_assert_nonnull (strstr (why, "fallback-addresses"));
  chain_stop (source);
}

int
main (int argc, char **argv)
{
  static const gchar *const sink[] =
      { "wait-for-connection=false join-at=keyframe", "" };
  static const gchar *const source[] =
      { "wait-for-connection=false history=60000000000", "join-at=keyframe" };
  static const gchar *const bad[] = {
    "fallback-addresses=nowhere", "fallback-addresses=1.2.3.4:0",
    "fallback-addresses=fe80::1:7001", "fallback-addresses=,",
    "fallback-addresses=a:1,b:70000", "fallback-addresses=:7001",
    "fallback-addresses=[]:7001", "fallback-addresses=a:1 mode=listener",
    "fallback-addresses=a:1 bonding-addresses=127.0.0.1:9",
  };

  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/positions/chain", test_chain);
  g_test_add_func ("/positions/chain/headers", test_headers_in_chain);
  g_test_add_func ("/positions/chain/header-gone", test_header_gone);
  g_test_add_func ("/positions/header-in-stream", test_header_in_stream);
  g_test_add_func ("/positions/dropped", test_dropped);
  g_test_add_func ("/positions/leaked", test_leaked);
  g_test_add_func ("/positions/changed", test_changed);
  g_test_add_func ("/positions/changed/copies", test_changed_copies);
  g_test_add_func ("/positions/changed-in-part", test_changed_in_part);
  g_test_add_func ("/positions/changed/headed", test_changed_headed);
  g_test_add_func ("/positions/changed/behind-header",
      test_changed_behind_header);
  g_test_add_func ("/positions/move", test_move);
  g_test_add_func ("/positions/first-absent", test_first_absent);
  g_test_add_data_func ("/positions/key-frame/sink", sink, test_key_frame);
  g_test_add_data_func ("/positions/key-frame/source", source, test_key_frame);
  g_test_add_func ("/positions/key-frame/hollow", test_key_frame_hollow);
  g_test_add_func ("/positions/key-frame/relayed", test_key_frame_relayed);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree gchar *name = g_strdup_printf ("/positions/refused/%u", i);

    g_test_add_data_func (name, bad[i], test_refused);
  }
  return g_test_run ();
}
