/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Streams through relays, over the loopback interface: the positions and the headers at
 * their end, also if something between drops or changes them.
 */
#include <gst/app/gstappsrc.h>
#include "chain.h"
#include "pair.h"

static void
set_header (GstElement *sender, const gchar *header)
{
  g_autofree gchar *text = g_strdup_printf ("video/x-matroska,streamheader=(buffer)<%s>", header);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (sender), "in");

  gst_app_src_set_caps (GST_APP_SRC (in), caps);
}

/* A chain: the same bytes, offsets, origin, media times, and the end. */
static void
test_chain (void)
{
  guint ports[2] = { pair_get_port (), pair_get_port () };
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  g_autoptr (PairPipeline) sender = chain_make_sender (ports[0], "");
  g_autoptr (Tap) relay = tap_new_relay (ports[0], ports[1], "! queue ! tee", "");
  g_autoptr (Tap) last = tap_new_caller (ports[1], "");
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
}

/* A receiver that joins in the middle of a stream that needs its header gets that, and all from
 * a key frame on: a relay, and a receiver that joins the relay later still. */
static void
test_headers_in_chain (void)
{
  static const guint8 header[] = { 0x1a, 0x45, 0xdf, 0xa3 };
  guint ports[2] = { pair_get_port (), pair_get_port () };
  g_autoptr (GBytes) stream = pair_make_stream (420000);
  g_autoptr (GBytes) sent = NULL;
  GByteArray *whole;
  g_autoptr (PairPipeline) sender = chain_make_sender (ports[0], "wait-for-connection=false");
  g_autoptr (Tap) relay = NULL, last = NULL;

  set_header (sender, "1a45,dfa3");
  chain_push (sender, stream, 0, 140000, 70000);
  chain_wait_for_sink (sender, 140000);
  relay = tap_new_relay (ports[0], ports[1], "! queue ! tee", "wait-for-connection=false");
  chain_wait_for_callers (sender);
  chain_push (sender, stream, 140000, 280000, 70000);
  tap_wait_for (relay, sizeof header + 280000);
  last = tap_new_caller (ports[1], "");
  chain_wait_for_callers (relay->pipeline);
  chain_push (sender, stream, 280000, 420000, 70000);
  chain_end (sender);
  gst_message_unref (pair_wait (relay->pipeline, GST_MESSAGE_EOS));
  gst_message_unref (pair_wait (last->pipeline, GST_MESSAGE_EOS));
  /* which the sink has written first, as the application has not */
  whole = g_byte_array_append (g_byte_array_new (), header, sizeof header);
  g_byte_array_append (whole, g_bytes_get_data (stream, NULL), 420000);
  sent = g_byte_array_free_to_bytes (whole);
  tap_assert_got (relay, sent, sizeof header + 140000);
  tap_assert_got (last, sent, sizeof header + 280000);
  g_assert_cmpmem (relay->header->data, relay->header->len, header, sizeof header);
  g_assert_cmpmem (last->header->data, last->header->len, header, sizeof header);
}

/* A buffer is dropped in between: so many bytes are missing, and it is said. */
static GstPadProbeReturn
drop_one (GstPad *pad, GstPadProbeInfo *info, gpointer data)
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
change_all (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
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
copy_some (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  guint *n = data;

  if (++*n % 2 == 0) {
    GST_PAD_PROBE_INFO_DATA (info) = gst_buffer_copy_deep (buffer);
    gst_buffer_unref (buffer);
  }
  return GST_PAD_PROBE_OK;
}

/* A relay that changes what it passes on, and its receiver. */
static void
begin_changed (const guint *ports, GstPadProbeType type, GstPadProbeCallback callback,
    gpointer data, Tap **relay, Tap **last)
{
  GstElement *middle =
      pair_launch ("faspsrc name=source uri=fasp://127.0.0.1:%u " SECRET
                   " ! queue name=queue ! faspsink uri=fasp://:%u?latency=50 " SECRET,
          ports[0], ports[1]);
  g_autoptr (GstElement) queue = gst_bin_get_by_name (GST_BIN (middle), "queue");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (queue, "src");

  gst_pad_add_probe (pad, type, callback, data, NULL);
  *relay = tap_new (middle);
  *last = tap_new_caller (ports[1], "");
}

static void
end_changed (GstElement *sender, Tap *relay, Tap *last)
{
  chain_end (sender);
  gst_message_unref (pair_wait (relay->pipeline, GST_MESSAGE_EOS));
  gst_message_unref (pair_wait (last->pipeline, GST_MESSAGE_EOS));
}

static void
run_changed (GstPadProbeCallback callback, gpointer data, Tap **relay, Tap **last)
{
  guint ports[2] = { pair_get_port (), pair_get_port () };
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  g_autoptr (PairPipeline) sender = chain_make_sender (ports[0], "");

  begin_changed (ports, GST_PAD_PROBE_TYPE_BUFFER, callback, data, relay, last);
  chain_push (sender, stream, 0, SIZE, 0);
  end_changed (sender, *relay, *last);
  tap_assert_got (*relay, stream, 0);
}

static void
test_dropped (void)
{
  gint dropped = 0;
  g_autoptr (Tap) relay = NULL, last = NULL;

  run_changed (drop_one, &dropped, &relay, &last);
  g_assert_cmpint (dropped, >, 0);
  g_assert_cmpuint (last->missing, ==, dropped);
  g_assert_cmpuint (last->discont, ==, 1);
  g_assert_cmpuint (last->unmarked, ==, 0);
  g_assert_cmpuint (last->next, ==, SIZE);
  g_assert_cmpstr (relay->origin, ==, last->origin);
}

/* As a leaky queue behind a tee: one is dropped, and the next is a copy that is marked, as others
 * have the buffer, too. */
static GstPadProbeReturn
leak_one (GstPad *pad, GstPadProbeInfo *info, gpointer data)
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
  g_autoptr (Tap) relay = NULL, last = NULL;

  run_changed (leak_one, &dropped, &relay, &last);
  g_assert_cmpint (dropped, >, 0);
  g_assert_cmpstr (relay->origin, ==, last->origin);
  g_assert_cmpuint (last->missing, ==, dropped);
  g_assert_cmpuint (last->next, ==, SIZE);
}

/* The bytes of a copy are others. */
static GstPadProbeReturn
change_copies (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  GST_PAD_PROBE_INFO_DATA (info) = gst_buffer_copy (buffer);
  gst_buffer_unref (buffer);
  return change_all (pad, info, data);
}

static void
test_changed_copies (void)
{
  g_autoptr (Tap) relay = NULL, last = NULL;

  run_changed (change_copies, NULL, &relay, &last);
  g_assert_cmpstr (relay->origin, !=, last->origin);
  for (guint i = 0; i < SIZE; i++)
    g_assert_cmpuint (last->got->data[i], ==, relay->got->data[i] ^ 0xff);
}

static void
test_changed (void)
{
  g_autoptr (Tap) relay = NULL, last = NULL;

  run_changed (change_all, NULL, &relay, &last);
  g_assert_cmpstr (relay->origin, !=, last->origin);
  g_assert_cmpuint (last->got->len, ==, SIZE);
  for (guint i = 0; i < SIZE; i++)
    g_assert_cmpuint (last->got->data[i], ==, relay->got->data[i] ^ 0xff);
}

/* It becomes another stream once, not with each buffer. */
static void
test_changed_in_part (void)
{
  g_autoptr (GBytes) stream = pair_make_stream (SIZE);
  g_autoptr (Tap) relay = NULL, last = NULL;
  guint n = 0;

  run_changed (copy_some, &n, &relay, &last);
  g_assert_cmpuint (n, >, 10);
  g_assert_cmpuint (last->origins, <=, 2);
  g_assert_cmpstr (relay->origin, !=, last->origin);
  g_assert_cmpmem (last->got->data, last->got->len, g_bytes_get_data (stream, NULL), SIZE);
}

/* As a pacer that cuts what is larger than a datagram: a header is not. */
static GstPadProbeReturn
copy_stream (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  if (GST_BUFFER_OFFSET_IS_VALID (buffer)) {
    GST_PAD_PROBE_INFO_DATA (info) = gst_buffer_copy_deep (buffer);
    gst_buffer_unref (buffer);
  }
  return GST_PAD_PROBE_OK;
}

/* The buffer behind each event is passed on, and of the others every other one is copied. */
static GstPadProbeReturn
copy_others (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  guint *n = data;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    return copy_some (pad, info, data);
  *n = 0;
  return GST_PAD_PROBE_OK;
}

static GstElement *
make_caller (guint port)
{
  GstElement *sender =
      pair_launch ("appsrc name=in block=true max-bytes=50000 "
                   "! faspsink name=sink uri=fasp://127.0.0.1:%u?latency=50 " SECRET,
          port);

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
  g_autoptr (Tap) relay = NULL, last = NULL;

  relay = tap_new (pair_launch (
      "faspsrc name=source uri=fasp://:%u keep-listening=true " SECRET
      " ! faspsink name=sink uri=fasp://:%u?latency=50 wait-for-connection=false " SECRET,
      ports[0], ports[1]));
  sender = make_caller (ports[0]);
  set_header (sender, "1a45,dfa3");
  chain_push (sender, stream, 0, 140000, 70000);
  chain_end (sender);
  pair_end (sender);
  chain_wait_for_sink (relay->pipeline, 140000);
  sender = make_caller (ports[0]);
  chain_push (sender, stream, 0, 140000, 0);
  chain_wait_for_sink (relay->pipeline, 280000);
  last = tap_new_caller (ports[1], "");
  chain_wait_for_callers (relay->pipeline);
  chain_push (sender, stream, 140000, 280000, 0);
  tap_wait_for (last, 280000);
  g_assert_cmpuint (last->first, >, 0);
  g_assert_cmpuint (last->header->len, ==, 0);
  tap_assert_got (last, stream, last->first);
  pair_end (sender);
}

/* A stream that gets another header, which it has in itself, too, before its key frame: who joins
 * there has that once. */
static void
test_header_in_stream (void)
{
  static const guint8 header[] = { 0x1a, 0x45, 0xdf, 0xa4 };
  guint port = pair_get_port ();
  g_autoptr (GBytes) stream = pair_make_stream (280000);
  g_autoptr (PairPipeline) sender = chain_make_sender (port, "wait-for-connection=false");
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (sender), "in");
  g_autoptr (Tap) last = NULL;

  set_header (sender, "1a45,dfa3");
  chain_push (sender, stream, 0, 140000, 70000);
  chain_wait_for_sink (sender, 140000);
  last = tap_new_caller (port, "");
  chain_wait_for_callers (sender);
  set_header (sender, "1a45,dfa4");
  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = gst_buffer_new_memdup (header + 2 * i, 2);

    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_HEADER);
    g_assert_cmpint (gst_app_src_push_buffer (GST_APP_SRC (in), buffer), ==, GST_FLOW_OK);
  }
  chain_push (sender, stream, 140000, 280000, 70000);
  chain_end (sender);
  gst_message_unref (pair_wait (last->pipeline, GST_MESSAGE_EOS));
  g_assert_cmpmem (last->header->data, last->header->len, header, sizeof header);
  g_assert_cmpmem (last->got->data, last->got->len,
      (const guint8 *) g_bytes_get_data (stream, NULL) + 140000, 140000);
}

/* A stream with a header whose relay changes it, and joins in the middle; the header is another
 * in the middle of that. */
static void
run_changed_headed (GstPadProbeType type, GstPadProbeCallback callback, gpointer data, Tap **relay,
    Tap **last, GBytes *stream)
{
  guint ports[2] = { pair_get_port (), pair_get_port () };
  g_autoptr (PairPipeline) sender = chain_make_sender (ports[0], "wait-for-connection=false");

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
}

/* A changed stream gets an origin of its own once, also if the first one gets another header. */
static void
test_changed_headed (void)
{
  g_autoptr (GBytes) stream = pair_make_stream (280000);
  g_autoptr (Tap) relay = NULL, last = NULL;
  guint n = 0;

  run_changed_headed (GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, copy_others,
      &n, &relay, &last, stream);
  g_assert_cmpuint (last->origins, <=, 2);
  g_assert_cmpstr (relay->origin, !=, last->origin);
}

/* And it begins with the header, which is no part of that before. */
static void
test_changed_behind_header (void)
{
  static const guint8 header[] = { 0x1a, 0x45, 0xdf, 0xa3 };
  g_autoptr (GBytes) stream = pair_make_stream (280000);
  g_autoptr (Tap) relay = NULL, last = NULL;

  run_changed_headed (GST_PAD_PROBE_TYPE_BUFFER, copy_stream, NULL, &relay, &last, stream);
  g_assert_cmpstr (relay->origin, !=, last->origin);
  g_assert_cmpuint (last->origins, ==, 1);
  g_assert_cmpuint (last->got->len, ==, sizeof header + 140000);
  g_assert_cmpmem (last->got->data, sizeof header, header, sizeof header);
  g_assert_cmpmem (last->got->data + sizeof header, 140000,
      (const guint8 *) g_bytes_get_data (stream, NULL) + 140000, 140000);
}

int
main (int argc, char **argv)
{
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
  g_test_add_func ("/positions/changed/behind-header", test_changed_behind_header);
  return g_test_run ();
}
