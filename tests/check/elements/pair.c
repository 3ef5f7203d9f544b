/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pair.h"
#include <gio/gio.h>
#include <gst/app/gstappsink.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define WAIT (20 * GST_SECOND)
/* Ports that a program of tests takes at a time. */
#define BLOCK 512

static GSocket *
bind_to (guint port)
{
  g_autoptr (GInetAddress) any = g_inet_address_new_any (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (any, port);
  GSocket *socket =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);

  g_assert_nonnull (socket);
  if (!g_socket_bind (socket, address, FALSE, NULL))
    g_clear_object (&socket);
  return socket;
}

/* The first of a block of ports that no other test of this machine is given while this process
 * lives.  A port is free from when it is chosen until a pipeline binds it: one that the kernel
 * chooses could be given meanwhile to a program that runs beside this one.  The lower half of the
 * numbers is left alone by sockets that only dial (ip_local_port_range).  tests/bench/benchlib.py
 * reserves them by the same names. */
static guint
reserve_block (void)
{
  int held = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct sockaddr_un name = { .sun_family = AF_UNIX };

  g_assert_cmpint (held, >=, 0);
  for (guint first = 10240; first < 32768; first += BLOCK) {
    /* an abstract name, which is gone with the process */
    int length =
        g_snprintf (name.sun_path + 1, sizeof name.sun_path - 1, "gst-fasp-tests-ports-%u", first);

    if (bind (held, (struct sockaddr *) &name, offsetof (struct sockaddr_un, sun_path) + 1 + length)
        == 0)
      return first;
  }
  g_assert_not_reached ();
}

guint
pair_get_ports (guint n)
{
  static guint next, end;
  guint found = 0;

  g_assert_cmpuint (n, <=, BLOCK);
  while (found < n) {
    if (next == end) {
      next = reserve_block ();
      end = next + BLOCK;
      found = 0;
    }
    g_autoptr (GSocket) free_now = bind_to (next++);

    found = free_now ? found + 1 : 0;
  }
  return next - n;
}

guint
pair_get_even_port (void)
{
  return (pair_get_ports (3) + 1) & ~1u;
}

guint
pair_get_port (void)
{
  return pair_get_ports (1);
}

static GstElement *keeper;

static void
release_key (void)
{
  gst_element_set_state (keeper, GST_STATE_NULL);
  gst_clear_object (&keeper);
}

/* scrypt takes a third of a second for a key, which all elements of a process with the same
 * passphrase share while one of them has it.  An element has it from now on, so that it is not made
 * for each pipeline anew. */
static void
keep_key (void)
{
  if (keeper != NULL)
    return;
  keeper = gst_parse_launch ("faspsrc " SECRET, NULL);
  gst_element_set_state (keeper, GST_STATE_READY);
  atexit (release_key);
}

GstElement *
pair_launch (const gchar *format, ...)
{
  g_autofree gchar *line = NULL;
  g_autoptr (GError) error = NULL;
  GstElement *pipeline;
  va_list args;

  va_start (args, format);
  line = g_strdup_vprintf (format, args);
  va_end (args);
  if (strstr (line, SECRET) != NULL)
    keep_key ();
  pipeline = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  return pipeline;
}

void
pair_end (PairPipeline *pipeline)
{
  pair_stop (pipeline);
  gst_object_unref (pipeline);
}

GstMessage *
pair_wait (GstElement *pipeline, GstMessageType types)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, WAIT, types | GST_MESSAGE_ERROR);

  g_assert_nonnull (message);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR && !(types & GST_MESSAGE_ERROR)) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_error (message, &error, NULL);
    g_assert_no_error (error);
  }
  return message;
}

GstMessage *
pair_wait_element (GstElement *pipeline, const gchar *name)
{
  for (;;) {
    GstMessage *message = pair_wait (pipeline, GST_MESSAGE_ELEMENT);

    if (gst_message_has_name (message, name))
      return message;
    gst_message_unref (message);
  }
}

void
pair_drop_caller (GstElement *pipeline)
{
  gboolean was_there = FALSE;

  while (!was_there) {
    g_autoptr (GstMessage) added = pair_wait_element (pipeline, "connection-added");

    /* a relay has a source, too */
    if (g_signal_lookup ("drop-caller", G_OBJECT_TYPE (GST_MESSAGE_SRC (added))) == 0)
      continue;
    g_signal_emit_by_name (GST_MESSAGE_SRC (added), "drop-caller",
        gst_structure_get_string (gst_message_get_structure (added), "address-string"), &was_there);
    g_assert_true (was_there);
  }
}

gchar *
pair_wait_text (GstElement *pipeline, GstMessageType type)
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

void
pair_expect (GstElement *pipeline, GstMessageType type, const gchar *part)
{
  g_autofree gchar *text = pair_wait_text (pipeline, type);

  if (strstr (text, part) == NULL)
    g_error ("\"%s\" does not speak of %s", text, part);
}

guint
pair_stop (GstElement *pipeline)
{
  gint64 before = g_get_monotonic_time ();

  gst_element_set_state (pipeline, GST_STATE_NULL);
  return (g_get_monotonic_time () - before) / 1000;
}

guint64
pair_get_stat (GstElement *pipeline, const gchar *name, const gchar *field)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  g_autoptr (GstStructure) stats = NULL;
  guint64 value = 0;
  guint small;

  g_object_get (element, "stats", &stats, NULL);
  if (!gst_structure_get_uint64 (stats, field, &value)
      && gst_structure_get_uint (stats, field, &small))
    value = small;
  return value;
}

static void
wait_between (GstElement *pipeline, const gchar *name, const gchar *field, guint64 least,
    guint64 most)
{
  gint64 until = g_get_monotonic_time () + WAIT / GST_USECOND;

  for (;;) {
    guint64 now = pair_get_stat (pipeline, name, field);

    if (now >= least && now <= most)
      return;
    if (g_get_monotonic_time () >= until)
      g_error ("%s is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT, field, now, least);
    g_usleep (1000);
  }
}

void
pair_wait_for_stat (GstElement *pipeline, const gchar *name, const gchar *field, guint64 value)
{
  wait_between (pipeline, name, field, value, value);
}

void
pair_wait_for_least (GstElement *pipeline, const gchar *name, const gchar *field, guint64 least)
{
  wait_between (pipeline, name, field, least, G_MAXUINT64);
}

void
pair_wait_for_count (gint *count, gint least)
{
  gint64 until = g_get_monotonic_time () + WAIT / GST_USECOND;

  while (g_atomic_int_get (count) < least) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_usleep (1000);
  }
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

struct _PairWatch
{
  GMutex lock;
  GCond changed;
  gboolean gone;
};

static void
note_gone (gpointer data, GObject *element)
{
  PairWatch *watch = data;

  g_mutex_lock (&watch->lock);
  watch->gone = TRUE;
  g_cond_signal (&watch->changed);
  g_mutex_unlock (&watch->lock);
}

PairWatch *
pair_watch_new (GstElement *element)
{
  PairWatch *watch = g_new0 (PairWatch, 1);

  g_mutex_init (&watch->lock);
  g_cond_init (&watch->changed);
  g_object_weak_ref (G_OBJECT (element), note_gone, watch);
  return watch;
}

void
pair_watch_end (PairWatch *watch)
{
  gint64 until = g_get_monotonic_time () + WAIT / GST_USECOND;

  g_mutex_lock (&watch->lock);
  while (!watch->gone)
    g_assert_true (g_cond_wait_until (&watch->changed, &watch->lock, until));
  g_mutex_unlock (&watch->lock);
  g_mutex_clear (&watch->lock);
  g_cond_clear (&watch->changed);
  g_free (watch);
}

struct _PairWire
{
  GSocket *socket;
  GSocketAddress *to;
  GThread *thread;
  GCancellable *end;
  gint lost; /* of five larger ones; atomic */
  gint off;  /* atomic: nothing passes, either way */
};

#define LARGE 500 /* bytes; a call or an answer is less */

static gpointer
carry (gpointer data)
{
  PairWire *wire = data;
  g_autoptr (GSocketAddress) caller = NULL;
  guint to = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (wire->to));
  guint n = 0;

  for (;;) {
    g_autoptr (GSocketAddress) from = NULL;
    gchar bytes[65536];
    gssize size = g_socket_receive_from (wire->socket, &from, bytes, sizeof bytes, wire->end, NULL);
    gboolean back;

    if (g_cancellable_is_cancelled (wire->end))
      return NULL;
    if (size < 0) /* a port that is closed */
      continue;
    back = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (from)) == to;
    if (!back)
      g_set_object (&caller, from);
    if (g_atomic_int_get (&wire->off))
      continue;
    if (!back && size > LARGE && n++ % 5 < (guint) g_atomic_int_get (&wire->lost))
      continue;
    if (caller != NULL)
      g_socket_send_to (wire->socket, back ? caller : wire->to, bytes, size, NULL, NULL);
  }
}

PairWire *
pair_wire_new (guint to, guint *port)
{
  PairWire *wire = g_new0 (PairWire, 1);
  g_autoptr (GSocketAddress) bound = NULL;

  wire->socket = bind_to (0);
  wire->to = g_inet_socket_address_new_from_string ("127.0.0.1", to);
  wire->end = g_cancellable_new ();
  wire->lost = 2;
  bound = g_socket_get_local_address (wire->socket, NULL);
  *port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound));
  wire->thread = g_thread_new ("wire", carry, wire);
  return wire;
}

void
pair_wire_cut (PairWire *wire)
{
  g_atomic_int_set (&wire->lost, 5);
}

void
pair_wire_switch (PairWire *wire, gboolean on)
{
  g_atomic_int_set (&wire->off, !on);
}

void
pair_wire_free (PairWire *wire)
{
  g_cancellable_cancel (wire->end);
  g_thread_join (wire->thread);
  g_object_unref (wire->socket);
  g_object_unref (wire->to);
  g_object_unref (wire->end);
  g_free (wire);
}

/* --- both ends ------------------------------------------------------------------------- */

static GstFlowReturn
on_sample (GstAppSink *sink, gpointer data)
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
  if (GST_CLOCK_TIME_IS_VALID (pair->last_pts) && GST_BUFFER_PTS (buffer) < pair->last_pts)
    pair->backwards++;
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT))
    pair->discont++;
  pair->last_pts = GST_BUFFER_PTS (buffer);
  g_cond_signal (&pair->more);
  g_mutex_unlock (&pair->lock);
  return GST_FLOW_OK;
}

/* PORT in @properties is a number. */
static gchar *
fill_in_port (const gchar *properties, guint port)
{
  g_autofree gchar *number = g_strdup_printf ("%u", port);
  g_auto (GStrv) parts = g_strsplit (properties, "PORT", -1);

  return g_strjoinv (number, parts);
}

Pair *
pair_new (const gchar *sink, const gchar *source)
{
  guint port = pair_get_ports (4);
  g_autofree gchar *sends = fill_in_port (sink, port);
  g_autofree gchar *receives = fill_in_port (source, port);
  GstAppSinkCallbacks callbacks = { .new_sample = on_sample };
  Pair *pair = g_new0 (Pair, 1);
  g_autoptr (GstElement) out = NULL;

  g_mutex_init (&pair->lock);
  g_cond_init (&pair->more);
  pair->got = g_byte_array_new ();
  pair->last_pts = GST_CLOCK_TIME_NONE;
  pair->sender =
      pair_launch ("appsrc name=in block=true max-bytes=100000 ! faspsink name=sink %s", sends);
  pair->receiver = pair_launch ("faspsrc name=source %s ! appsink name=out "
                                "sync=false async=false max-buffers=64 buffer-list=false",
      receives);
  out = gst_bin_get_by_name (GST_BIN (pair->receiver), "out");
  gst_app_sink_set_callbacks (GST_APP_SINK (out), &callbacks, pair, NULL);
  return pair;
}

Pair *
pair_new_default (void)
{
  return pair_new ("uri=fasp://127.0.0.1:PORT " SECRET, "uri=fasp://:PORT?latency=50&" SECRET);
}

void
pair_free (Pair *pair)
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

void
pair_play (Pair *pair)
{
  gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
  gst_element_set_state (pair->sender, GST_STATE_PLAYING);
}

GstAppSrc *
pair_get_in (Pair *pair)
{
  GstElement *in = gst_bin_get_by_name (GST_BIN (pair->sender), "in");

  gst_object_unref (in); /* the pipeline holds it */
  return GST_APP_SRC (in);
}

void
pair_push (Pair *pair, GBytes *stream, gsize from, gsize to, gsize chunk)
{
  for (gsize at = from; at < to; at += chunk) {
    GBytes *part = g_bytes_new_from_bytes (stream, at, MIN (chunk, to - at));

    g_assert_cmpint (gst_app_src_push_buffer (pair_get_in (pair),
                         gst_buffer_new_wrapped_bytes (part)),
        ==, GST_FLOW_OK);
    g_bytes_unref (part);
  }
}

GstClockTime
pair_wait_for_size (Pair *pair, gsize size)
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

void
pair_finish (Pair *pair, GBytes *stream)
{
  gst_app_src_end_of_stream (pair_get_in (pair));
  gst_message_unref (pair_wait (pair->sender, GST_MESSAGE_EOS));
  gst_message_unref (pair_wait (pair->receiver, GST_MESSAGE_EOS));
  g_assert_cmpmem (pair->got->data, pair->got->len, g_bytes_get_data (stream, NULL),
      g_bytes_get_size (stream));
  g_assert_cmpuint (pair->backwards, ==, 0);
}
