/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ends that are not of fasp, each part alone: their URIs, and whole packets.
 */
#include <dlfcn.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gst/app/app.h>
#include <malloc.h>
#include <string.h>
#include "../elements/pair.h"
#include "gstfaspcommon.h"
#include "relaydial.h"
#include "openedend.h"
#include "relayprotocolend.h"
#include "relaypackets.h"
#include "relayprotocol.h"
#include "relaysrtsocket.h"
#include "relaywatch.h"

/* No more threads can be made; atomic. */
static gint no_threads;

GThread *
g_thread_try_new (const gchar *name, GThreadFunc func, gpointer data, GError **error)
{
  GThread *(*real) (const gchar *, GThreadFunc, gpointer, GError **) =
      dlsym (RTLD_NEXT, "g_thread_try_new");

  if (!g_atomic_int_get (&no_threads))
    return real (name, func, data, error);
  g_set_error_literal (error, G_THREAD_ERROR, G_THREAD_ERROR_AGAIN, "no more threads");
  return NULL;
}

/* --- URIs --------------------------------------------------------------------------------- */

/* What is taken, and what is told of it. */
static const struct
{
  const gchar *uri, *told;
  gboolean sends, listens;
} good[] = {
  { "udp://239.1.2.3:5000?interface=eth0", "udp://239.1.2.3:5000?interface=eth0", FALSE, FALSE },
  { "udp://239.1.2.3:5000?interface=eth0&ttl=4&bitrate=8000000&stuffing=null-ts",
      "udp://239.1.2.3:5000?interface=eth0&ttl=4&bitrate=8000000&stuffing=null-ts", TRUE, FALSE },
  { "udp://192.0.2.1@232.1.2.3:5000", "udp://192.0.2.1@232.1.2.3:5000", FALSE, FALSE },
  { "rtp://2001:db8::1@[ff3e::1]:5000?latency=50", "rtp://2001:db8::1@[ff3e::1]:5000?latency=50",
      FALSE, FALSE },
  { "udp://:5000", "udp://:5000", FALSE, TRUE },
  { "rtp://[::1]:5000?latency=50", "rtp://[::1]:5000?latency=50", FALSE, TRUE },
  { "udp://h:5000?sync=true", "udp://h:5000?sync=true", TRUE, FALSE },
  { "rtp://h:5000?bitrate=0", "rtp://h:5000?bitrate=0", TRUE, FALSE },
  { "srt://:9000?passphrase=correct-horse&latency=300", "srt://:9000?latency=300", FALSE, TRUE },
  { "srt://0.0.0.0:9000", "srt://0.0.0.0:9000", TRUE, TRUE },
  { "srt://h:9000?streamid=a", "srt://h:9000?streamid=a", TRUE, FALSE },
  { "srt://h:9000?streamid=%23!::r=a,s=correct", "srt://h:9000?streamid=#!::r=a,s=*", TRUE, FALSE },
  { "srt://h:9000?mode=rendezvous&localport=9001&interface=lo&maxbw=9000000",
      "srt://h:9000?mode=rendezvous&localport=9001&interface=lo&maxbw=9000000", TRUE, FALSE },
  { "srt://h:9000?mode=listener&pbkeylen=32", "srt://h:9000?mode=listener&pbkeylen=32", FALSE,
      TRUE },
  { "rist://h:9000?latency=1000&buffer-size=65536", "rist://h:9000?latency=1000&buffer-size=65536",
      TRUE, FALSE },
  { "rist://:9000", "rist://:9000", FALSE, TRUE },
  { "file:///tmp/news-%F.ts?piece=60", "file:///tmp/news-%F.ts?piece=60", TRUE, FALSE },
  { "file:/tmp/a", "file:///tmp/a", TRUE, FALSE },
  { "hls:///tmp/live%F.m3u8?segment=2&keep=3", "hls:///tmp/live%F.m3u8?segment=2&keep=3", TRUE,
      FALSE },
};

static void
test_good (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (RelayProtocolUri) protocol_uri =
        relay_protocol_uri_parse (good[i].uri, good[i].sends, NULL, &error);
    g_autofree gchar *told = NULL;

    g_assert_no_error (error);
    told = relay_protocol_uri_describe (protocol_uri);
    g_assert_cmpstr (told, ==, good[i].told);
    g_assert_true (relay_protocol_uri_listens (protocol_uri) == good[i].listens);
  }
}

static const struct
{
  const gchar *uri, *what;
  gboolean sends;
} faults[] = {
  { "udp://h", "udp://HOST:PORT", TRUE },
  { "udp://h:5000/path", "udp://HOST:PORT", TRUE },
  { "srt://user@h:5000", "srt://HOST:PORT", TRUE },
  { "udp://192.0.2.1@232.1.2.3:5000", "inputs of udp:// and rtp://", TRUE },
  { "rist://192.0.2.1@232.1.2.3:5000", "inputs of udp:// and rtp://", FALSE },
  { "udp://192.0.2.1@192.0.2.2:5000", "SOURCE@GROUP", FALSE },
  { "udp://2001:db8::1@232.1.2.3:5000", "SOURCE@GROUP", FALSE },
  { "udp://user@232.1.2.3:5000", "SOURCE@GROUP", FALSE },
  { "udp://232.1.2.4@232.1.2.3:5000", "SOURCE@GROUP", FALSE },
  { "udp://:5000", "where it goes to", TRUE },
  { "udp://h:5000?ttl=256", "a number from 0 to 255", TRUE },
  { "udp://h:5000?ttl=", "a number from 0 to 255", TRUE },
  { "udp://h:5000?ttl", "a number from 0 to 255", TRUE },
  { "udp://:5000?ttl=4", "not a key of udp:// as an input", FALSE },
  { "udp://h:5000?interface=eth0", "multicast group", TRUE },
  { "udp://h:5000?stuffing=null-ts", "add bitrate", TRUE },
  { "udp://h:5000?bitrate=1&stuffing=all", "one of none, null-ts", TRUE },
  { "udp://h:5000?latency=5", "not a key of udp://", TRUE },
  { "udp://:5000?sync=true", "not a key of udp:// as an input", FALSE },
  { "rtp://h:5000?sync=1", "one of true, false", TRUE },
  { "rtp://h:5000?bitrate=8M", "a number from 0", TRUE },
  { "srt://:9000?mode=caller", "needs a host", TRUE },
  { "srt://h:9000?mode=meet", "one of caller, listener, rendezvous", TRUE },
  { "srt://:9000?mode=rendezvous", "needs a host", TRUE },
  { "srt://:9000?localport=9001", "for an end that dials", TRUE },
  { "srt://:9000?maxbw=1000000", "not a key of srt:// as an input", FALSE },
  { "srt://h:9000?passphrase=short", "10 to 79", TRUE },
  { "srt://h:9000?pbkeylen=17", "one of 16, 24, 32", TRUE },
  { "srt://h:9000?blocksize=5", "not a key of srt://", TRUE },
  { "rist://h:9001", "even", TRUE },
  { "rist://h:9000?ttl=4", "multicast group", TRUE },
  { "rist://h:9000?latency=60001", "a number from 0 to 60000", TRUE },
  { "file://relative.ts", "the whole path", TRUE },
  { "file:///", "the whole path", TRUE },
  { "file:///tmp/", "the whole path", TRUE },
  { "file:", "file:///PATH", TRUE },
  { "file:///nowhere/at/all.ts", "no folder /nowhere/at", TRUE },
  { "file:///nowhere/at/all.ts", "no file /nowhere/at/all.ts", FALSE },
  { "file:///tmp", "no file /tmp", FALSE },
  { "file:///tmp/a.ts?piece=60", "needs a date", TRUE },
  { "file:///tmp/%F.ts?keep-seconds=60", "write piece, too", TRUE },
  { "file:///tmp/%F/%H.ts?piece=60&keep-mbytes=1", "in digits", TRUE },
  { "file:///tmp/%c.ts?piece=60&keep-free-mbytes=1", "in digits", TRUE },
  { "file:///tmp/%Q.ts", "is no date", TRUE },
  { "file:///tmp/%F.ts?piece=0", "a number from 1", TRUE },
  { "hls:///tmp/live.m3u8", "only be an output", FALSE },
  { "hls:///tmp/live.ts", "the whole path of a list", TRUE },
  { "hls://live.m3u8", "the whole path of a list", TRUE },
  { "hls:///tmp/.m3u8", "the whole path of a list", TRUE },
  { "hls:///nowhere/at/all.m3u8", "no folder /nowhere/at", TRUE },
  { "hls:///tmp/live.m3u8?segment=31", "a number from 1 to 30", TRUE },
  { "hls:///tmp/live.m3u8?keep=2", "a number from 3 to 1000", TRUE },
  { "hls:///tmp/live.m3u8?piece=2", "not a key of hls://", TRUE },
};

static void
test_faults (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++) {
    g_autoptr (GError) error = NULL;
    RelayEnd end = { .uri = (gchar *) faults[i].uri, .sends = faults[i].sends };

    g_assert_false (relay_end_check (&end, &error));
    g_assert_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_REFERENCE);
    if (strstr (error->message, faults[i].what) == NULL)
      g_error ("%s: %s", faults[i].uri, error->message);
  }
}

/* A secret in a wrong place, or behind a &, is told to nobody. */
static void
test_misplaced (void)
{
  static const gchar *const uris[][2] = {
    { "srt://h:9000?streamid=%23!::u=joe,s=correct&horse=battery", "%26" },
    { "srt://h:9000?passphrase=correct-one&horse", "%26" },
    { "fasp://h:9000?streamid=read:x:joe:correct&horse=battery", "%26" },
    { "fasp://h:9000?passphrase=correct-one&horse", "%26" },
    { "srt://h:9000?pasphrase=correct&horse=battery", "%26" },
    { "srt://h:9000?pasphrase=correct&horse", "%26" },
    { "srt://h:9000?correct", "passphrase" },
    { "srt://h:9000?correct2=horse", "passphrase" },
    { "srt://h:9000?latency=20?passphrase=correct-horse", "value of latency" },
    { "srt://h:9000?latency=20;key=correct-horse", "\"20\"" },
    { "srt://h:9000?mode=caller,passphrase=correct-horse", "value of mode" },
    { "srt://h:9000?passphrase=correct", "10 to 79" },
    { "srt://h:9000/correct-horse", "srt://HOST" },
    { "srt://joe:correct-horse@h:9000", "srt://HOST" },
    { "udp://joe:correct-horse@239.1.1.1:9000?ttl=5", "before @" },
    { "udp://239.1.1.1:9000?interface=eth0?passphrase=correct-horse", "value of interface" },
    { "file:///tmp/x?piece=5?passphrase=correct-horse", "value of piece" },
    { "correct-horse", "no URI" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (uris); i++) {
    g_autoptr (GError) error = NULL;
    RelayEnd end = { .uri = (gchar *) uris[i][0], .sends = TRUE };

    g_assert_false (relay_end_check (&end, &error));
    if (strstr (error->message, "correct") != NULL || strstr (error->message, "horse") != NULL
        || strstr (error->message, uris[i][1]) == NULL)
      g_error ("%s: %s", uris[i][0], error->message);
  }
}

/* The passphrase of a file takes precedence. */
static void
test_passphrase (void)
{
  static const gchar uri[] = "srt://h:1?passphrase=of-the-uri";
  g_autoptr (RelayProtocolUri) protocol_uri =
      relay_protocol_uri_parse (uri, TRUE, "of-the-file", NULL);
  g_autoptr (RelayProtocolUri) other =
      relay_protocol_uri_parse ("rist://h:2", TRUE, "of-the-file", NULL);
  g_autofree gchar *told = relay_protocol_uri_describe (protocol_uri);

  g_assert_cmpstr (relay_protocol_uri_get (protocol_uri, "passphrase"), ==, "of-the-file");
  g_assert_cmpstr (told, ==, "srt://h:1");
  g_assert_nonnull (other);
  g_assert_null (relay_protocol_uri_parse (uri, TRUE, "x", NULL));
}

/* Each scheme is made of elements that are there, and has what the relay asks of an end. */
static void
test_elements (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GstElement) end =
        relay_protocol_end_new (good[i].uri, good[i].sends, NULL, "output", &error);
    g_autofree gchar *why = NULL, *uri = NULL;
    g_autoptr (GstStructure) stats = NULL;
    guint64 bytes;

    g_assert_no_error (error);
    gst_object_ref_sink (end);
    g_signal_emit_by_name (end, "check-settings", &why);
    g_assert_cmpstr (why, ==, NULL);
    g_object_get (end, "uri", &uri, "stats", &stats, NULL);
    g_assert_cmpstr (uri, ==, good[i].told);
    g_assert_true (gst_structure_get_uint64 (stats,
        good[i].sends ? "bytes-sent-total" : "bytes-received-total", &bytes));
  }
}

/* A socket of SRT has what the keys of its URI say. */
static void
test_srt_keys (void)
{
  static const gchar uri[] = "srt://h:9000?maxbw=1000000&latency=300&pbkeylen=32&interface=lo&"
                             "passphrase=ten-or-more";
  g_autoptr (RelayProtocolUri) protocol_uri = relay_protocol_uri_parse (uri, TRUE, NULL, NULL);
  SRTSOCKET socket = relay_srt_socket_new (protocol_uri);
  gint64 most = 0;
  gint latency = 0, bytes = 0, size = sizeof most;
  gchar device[16] = "";

  g_assert_true (relay_srt_socket_set (socket, protocol_uri));
  g_assert_cmpint (srt_getsockflag (socket, SRTO_MAXBW, &most, &size), ==, 0);
  size = sizeof latency;
  g_assert_cmpint (srt_getsockflag (socket, SRTO_RCVLATENCY, &latency, &size), ==, 0);
  g_assert_cmpint (srt_getsockflag (socket, SRTO_PBKEYLEN, &bytes, &size), ==, 0);
  size = sizeof device;
  g_assert_cmpint (srt_getsockflag (socket, SRTO_BINDTODEVICE, device, &size), ==, 0);
  g_assert_cmpint (most, ==, 1000000);
  g_assert_cmpint (latency, ==, 300);
  g_assert_cmpint (bytes, ==, 32);
  g_assert_cmpstr (device, ==, "lo");
  srt_close (socket);
}

/* --- packets -------------------------------------------------------------------------------- */

/* Packets from number @first on, each filled with its number. */
static GByteArray *
make_packets (guint first, guint n)
{
  GByteArray *all = g_byte_array_new ();

  for (guint i = first; i < first + n; i++) {
    guint8 packet[PACKET];

    memset (packet, i % SYNC, sizeof packet);
    packet[0] = SYNC;
    g_byte_array_append (all, packet, sizeof packet);
  }
  return all;
}

static void
push (RelayPackets *packets, const guint8 *data, gsize size, gboolean discont)
{
  GstBuffer *buffer = gst_buffer_new_memdup (data, size);

  if (discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  relay_packets_push (packets, buffer, 0);
}

static guint
pop_all (RelayPackets *packets, gboolean last)
{
  guint n = 0;
  GstBuffer *buffer;

  while ((buffer = relay_packets_pop (packets, last)) != NULL) {
    gsize size = gst_buffer_get_size (buffer);
    guint8 first = 0;

    g_assert_cmpuint (size % PACKET, ==, 0);
    g_assert_cmpuint (size, <=, 7 * PACKET);
    gst_buffer_extract (buffer, 0, &first, 1);
    g_assert_cmpuint (first, ==, SYNC);
    n += size / PACKET;
    gst_buffer_unref (buffer);
  }
  return n;
}

/* However the bytes are cut, whole packets leave, seven at a time, and the rest at the end. */
static void
test_packets (void)
{
  static const gsize pieces[] = { 1, 100, 187, 188, 189, 1000, 1316, 4096, 30 * PACKET };
  g_autoptr (GByteArray) all = make_packets (0, 30);

  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++) {
    RelayPackets *packets = relay_packets_new ();
    guint n = 0;

    for (gsize at = 0; at < all->len; at += pieces[i]) {
      push (packets, all->data + at, MIN (pieces[i], all->len - at), FALSE);
      n += pop_all (packets, FALSE);
    }
    g_assert_cmpuint (n, ==, 28);
    g_assert_cmpuint (pop_all (packets, TRUE), ==, 2);
    g_assert_cmpuint (relay_packets_get_stray (packets), ==, 0);
    relay_packets_free (packets);
  }
}

/* Bytes before the first packet, and a packet that a gap has cut off, are left out and counted. */
static void
test_gaps (void)
{
  g_autoptr (GByteArray) all = make_packets (0, 30);
  RelayPackets *packets = relay_packets_new ();

  push (packets, all->data + 50, 10 * PACKET - 50 + 20, FALSE);
  push (packets, all->data + 20 * PACKET, 10 * PACKET, TRUE);
  g_assert_cmpuint (pop_all (packets, TRUE), ==, 9 + 10);
  g_assert_cmpuint (relay_packets_get_stray (packets), ==, PACKET - 50 + 20);
  relay_packets_free (packets);
}

#define DATAGRAM (RTP_HEADER + PAYLOAD)

/* An input of another protocol, and its sender. */
typedef struct
{
  GSocket *socket;
  GSocketAddress *to;
  OpenedEnd opened;
} Input;

static void
open_input (Input *input, const gchar *scheme)
{
  guint port = pair_get_even_port ();
  g_autofree gchar *uri = g_strdup_printf ("%s://127.0.0.1:%u", scheme, port);

  input->to = g_inet_socket_address_new_from_string ("127.0.0.1", port);
  input->socket =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  opened_end_init_input (&input->opened, uri, NULL, NULL);
}

static guint
count_senders (const Input *input)
{
  g_autoptr (GstStructure) stats = NULL;
  const GValueArray *senders;

  g_object_get (input->opened.end, "stats", &stats, NULL);
  senders = gst_fasp_value_get_array (gst_structure_get_value (stats, "callers"));
  return senders != NULL ? senders->n_values : 0;
}

static void
close_input (Input *input)
{
  opened_end_clear (&input->opened);
  g_object_unref (input->socket);
  g_object_unref (input->to);
}

/* Sends seven packets behind a header of RTP. */
static void
send_rtp (const Input *input, guint16 number, guint32 timestamp, guint32 source)
{
  g_autoptr (GByteArray) packets = make_packets (0, 7);
  guint8 datagram[DATAGRAM] = { 0x80, 33 };

  GST_WRITE_UINT16_BE (datagram + 2, number);
  GST_WRITE_UINT32_BE (datagram + 4, timestamp);
  GST_WRITE_UINT32_BE (datagram + 8, source);
  memcpy (datagram + RTP_HEADER, packets->data, 7 * PACKET);
  g_socket_send_to (input->socket, input->to, (gchar *) datagram, sizeof datagram, NULL, NULL);
  g_usleep (10000);
}

/* An input of UDP gets headers of RTP: they are passed on, and counted as no packets. */
static void
test_input_not_ts (void)
{
  Input input;

  open_input (&input, "udp");
  /* the first may come too early for it */
  while (get_figure (input.opened.end, "bytes-received-total") < 10 * DATAGRAM)
    send_rtp (&input, 0, 0, 0);
  while (get_figure (input.opened.end, "bytes-not-ts") * DATAGRAM
      != get_figure (input.opened.end, "bytes-received-total") * RTP_HEADER)
    g_usleep (10000);
  close_input (&input);
}

/* A sender of RTP is heard after another one that claimed to be fast, and had higher numbers. */
static void
test_next_sender (void)
{
  guint64 before, received;
  guint n = 0;
  Input input;

  open_input (&input, "rtp");
  while ((before = get_figure (input.opened.end, "bytes-received-total")) < 10 * DATAGRAM)
    send_rtp (&input, 10000 + n, n, 1), n++;
  n = 0;
  do {
    send_rtp (&input, n, 900 * n, 2);
    received = get_figure (input.opened.end, "bytes-received-total") - before;
  } while (received < 100 * DATAGRAM && ++n < 1000);
  g_assert_cmpuint (received, >=, 100 * DATAGRAM);
  close_input (&input);
}

static void
wait_until_running (GstElement *end)
{
  while (relay_protocol_end_get_state (end) != RELAY_RUNNING)
    g_usleep (1000);
}

static void
wait_for_figure (GstElement *end, const gchar *name, guint64 least)
{
  while (get_figure (end, name) < least)
    g_usleep (1000);
}

/* Feeds an output with single packets, each when the one before has arrived. @key: of its URI. */
static void
check_rest (const gchar *key, const gchar *scheme, gsize header)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) any = g_inet_socket_address_new (loopback, 0), local = NULL;
  g_autoptr (GSocket) socket =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  g_autoptr (GByteArray) packet = make_packets (0, 1);
  g_autofree gchar *uri = NULL;
  OpenedEnd output;

  g_socket_bind (socket, any, FALSE, NULL);
  local = g_socket_get_local_address (socket, NULL);
  uri = g_strdup_printf ("%s://127.0.0.1:%u%s", scheme,
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (local)), key);
  opened_end_init_output (&output, uri);
  wait_until_running (output.end);
  for (guint i = 0; i < 3; i++) {
    guint8 datagram[DATAGRAM];

    gst_app_src_push_buffer (GST_APP_SRC (output.other),
        gst_buffer_new_memdup (packet->data, PACKET));
    g_assert_cmpint (g_socket_receive (socket, (gchar *) datagram, sizeof datagram, NULL, NULL), ==,
        header + PACKET);
    g_assert_cmpmem (datagram + header, PACKET, packet->data, PACKET);
  }
  opened_end_clear (&output);
}

/* A single packet leaves, though nothing follows it. */
static void
test_rest (void)
{
  check_rest ("", "udp", 0);
  check_rest ("?bitrate=1000000", "udp", 0);
  check_rest ("?sync=true", "udp", 0);
  check_rest ("", "rtp", RTP_HEADER);
}

/* An input has no senders until it receives something. */
static void
test_unheard (void)
{
  Input input;

  open_input (&input, "udp");
  g_assert_cmpuint (count_senders (&input), ==, 0);
  while (get_figure (input.opened.end, "bytes-received-total") == 0)
    send_rtp (&input, 0, 0, 0);
  g_assert_cmpuint (count_senders (&input), ==, 1);
  close_input (&input);
}

/* A second sender is counted; when the first one has ended, the next one is heard, and so on. */
static void
test_rist_next_sender (void)
{
  Input input;

  open_input (&input, "rist");
  for (guint32 sender = 2; sender < 8; sender += 2) {
    guint64 before = get_figure (input.opened.end, "bytes-received-total");
    guint64 refused = get_figure (input.opened.end, "datagrams-refused");

    for (guint n = 0; get_figure (input.opened.end, "bytes-received-total") < before + 10 * DATAGRAM
        || get_figure (input.opened.end, "datagrams-refused") < refused + 10;
        n++) {
      send_rtp (&input, n, 900 * n, sender);
      send_rtp (&input, n, 900 * n, sender + 2 * G_MAXUINT16);
    }
  }
  close_input (&input);
}

/* An end that gets no thread does not start, and ends nothing else; later it does. */
static void
test_no_threads (void)
{
  for (gint sends = 0; sends < 2; sends++) {
    GstElement *end = gst_object_ref_sink (relay_protocol_end_new (sends ? "udp://127.0.0.1:9" :
                                                                           "srt://127.0.0.1:9",
        sends, NULL, NULL, NULL));

    g_atomic_int_set (&no_threads, TRUE);
    g_assert_cmpint (gst_element_set_state (end, GST_STATE_PLAYING), ==, GST_STATE_CHANGE_FAILURE);
    g_atomic_int_set (&no_threads, FALSE);
    gst_element_set_state (end, GST_STATE_NULL);
    g_assert_cmpint (gst_element_set_state (end, GST_STATE_PLAYING), !=, GST_STATE_CHANGE_FAILURE);
    gst_element_set_state (end, GST_STATE_NULL);
    gst_object_unref (end);
  }
}

/* The element that GStreamer has not; NULL: all are there.  Atomic. */
static const gchar *lacking;
/* Watches that are not freed; atomic. */
static gint watches;

GstElement *
gst_element_factory_make (const gchar *factory, const gchar *name)
{
  GstElement *(*real) (const gchar *, const gchar *) =
      dlsym (RTLD_NEXT, "gst_element_factory_make");

  return g_strcmp0 (factory, g_atomic_pointer_get (&lacking)) == 0 ? NULL : real (factory, name);
}

/* The linker gives us these calls (--wrap). */
RelayWatch *__real_relay_watch_new (const RelayProtocolUri *protocol_uri, const gchar *address,
    GstElement *end);
RelayWatch *__wrap_relay_watch_new (const RelayProtocolUri *protocol_uri, const gchar *address,
    GstElement *end);
void __real_relay_watch_free (RelayWatch *watch);
void __wrap_relay_watch_free (RelayWatch *watch);

/* TRUE: no pipeline of an end is built to its end; atomic. */
static gint held;

RelayWatch *
__wrap_relay_watch_new (const RelayProtocolUri *protocol_uri, const gchar *address, GstElement *end)
{
  while (g_atomic_int_get (&held))
    g_usleep (1000);
  g_atomic_int_inc (&watches);
  return __real_relay_watch_new (protocol_uri, address, end);
}

void
__wrap_relay_watch_free (RelayWatch *watch)
{
  g_atomic_int_add (&watches, -1);
  __real_relay_watch_free (watch);
}

/* Where datagrams go to a group, also by a name, no receiver has to report. */
static void
test_unreported (void)
{
  static const gchar *const addresses[] = { "127.0.0.1", "239.255.77.5" };
  g_autoptr (GstCaps) caps =
      gst_caps_from_string ("video/mpegts, systemstream=true, packetsize=188");

  for (guint group = 0; group < G_N_ELEMENTS (addresses); group++) {
    g_autofree gchar *text = g_strdup_printf ("rist://name.example:%u", pair_get_even_port ());
    g_autoptr (RelayProtocolUri) uri = relay_protocol_uri_parse (text, TRUE, NULL, NULL);
    RelayProtocolUri resolved = *uri;
    g_autoptr (GstElement) end = NULL;
    GstElement *pipeline = gst_pipeline_new (NULL);
    GstElement *feed = gst_element_factory_make ("appsrc", NULL), *chain;
    RelayWatch *watch;
    gboolean works;

    resolved.host = (gchar *) addresses[group];
    chain = relay_chain_make (&resolved, &end, NULL);
    g_object_set (feed, "caps", caps, "format", GST_FORMAT_TIME, "is-live", TRUE, "do-timestamp",
        TRUE, NULL);
    gst_bin_add_many (GST_BIN (pipeline), feed, chain, NULL);
    g_assert_true (gst_element_link (feed, chain));
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    watch = __real_relay_watch_new (uri, resolved.host, end);
    for (guint i = 0; i < 5; i++) {
      guint64 sent = relay_watch_get_sent (uri, end);

      while (relay_watch_get_sent (uri, end) == sent) {
        guint8 *data = g_malloc0 (PAYLOAD);

        for (guint k = 0; k < PAYLOAD; k += PACKET)
          data[k] = SYNC;
        gst_app_src_push_buffer (GST_APP_SRC (feed), gst_buffer_new_wrapped (data, PAYLOAD));
        g_usleep (1000);
      }
      g_assert_null (relay_watch_look (watch, &works));
      g_assert_true (works);
    }
    g_assert_true ((relay_watch_get_fault (watch) == NULL) == group);
    __real_relay_watch_free (watch);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (pipeline);
  }
}

/* A check of an end keeps no memory: each change of one stream checks the ends of all. */
static void
test_checks (void)
{
  static const struct
  {
    const gchar *uri;
    gboolean sends;
  } ends[] = { { "rist://127.0.0.1:9000", TRUE }, { "rist://:9000", FALSE },
    { "rtp://:9000", FALSE }, { "rtp://127.0.0.1:9000?bitrate=1000000", TRUE },
    { "rtp://:9000?leg2=:9002", FALSE }, { "rtp://127.0.0.1:9000?leg2=127.0.0.1:9002", TRUE },
    { "rtp://:9000?fec=5x10", FALSE }, { "rtp://127.0.0.1:9000?fec=5x10", TRUE },
    { "srt://:9000", FALSE }, { "file:///tmp/news-%F.ts?piece=60", TRUE },
    { "hls:///tmp/live.m3u8", TRUE } };

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    const RelayEnd end = { .uri = (gchar *) ends[i].uri, .sends = ends[i].sends };
    gsize before = 0;

    for (guint n = 0; n < 220; n++) {
      g_autoptr (GError) error = NULL;

      if (n == 20) /* what is made once is there */
        before = mallinfo2 ().uordblks;
      relay_end_check (&end, &error);
      g_assert_no_error (error);
    }
    /* bytes: 200 pad templates that stay are more */
    g_assert_cmpint (mallinfo2 ().uordblks, <, before + 16384);
  }
}

/* An end whose element is missing tries again, and keeps nothing of each try. */
static void
test_no_element (void)
{
  static const gchar *const ends[][2] = { { "file:///tmp/none-%F.ts", "appsink" },
    { "udp://127.0.0.1:9", "udpsink" }, { "rtp://127.0.0.1:9?fec=5x10", "rtpst2022-1-fecenc" } };

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    GstElement *end =
        gst_object_ref_sink (relay_protocol_end_new (ends[i][0], TRUE, NULL, NULL, NULL));

    g_atomic_pointer_set (&lacking, (gpointer) ends[i][1]);
    gst_element_set_state (end, GST_STATE_PLAYING);
    wait_for_figure (end, "end-restarts", 2);
    gst_element_set_state (end, GST_STATE_NULL);
    g_atomic_pointer_set (&lacking, NULL);
    gst_object_unref (end);
    g_assert_cmpint (g_atomic_int_get (&watches), ==, 0);
  }
}

/* A file's end can be made while its folder is away, as a disk that is not mounted, and begins when
 * the folder is there. */
static void
test_no_folder (void)
{
  g_autofree gchar *place = g_dir_make_tmp ("ends-XXXXXX", NULL);
  g_autofree gchar *folder = g_build_filename (place, "disk", NULL);
  g_autofree gchar *uri = g_strdup_printf ("file://%s/news.ts", folder);
  g_autoptr (GError) error = NULL;
  RelayEnd settings = { .uri = uri, .sends = TRUE };
  GstElement *end = relay_end_make (&settings, NULL, &error);

  g_assert_no_error (error);
  gst_object_ref_sink (end);
  gst_element_set_state (end, GST_STATE_PLAYING);
  wait_for_figure (end, "end-restarts", 1);
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  wait_until_running (end);
  gst_element_set_state (end, GST_STATE_NULL);
  gst_object_unref (end);
  g_rmdir (folder);
  g_rmdir (place);
}

/* Media that come while an output is still built are written, too. */
static void
test_early (void)
{
  g_autofree gchar *folder = g_dir_make_tmp ("ends-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, "news.ts", NULL), *content = NULL;
  g_autofree gchar *uri = g_strdup_printf ("file://%s", path);
  g_autoptr (GByteArray) packets = make_packets (0, 7);
  OpenedEnd output;
  gsize size;

  g_atomic_int_set (&held, TRUE);
  opened_end_init_output (&output, uri);
  gst_app_src_push_buffer (GST_APP_SRC (output.other),
      gst_buffer_new_memdup (packets->data, packets->len));
  while (get_figure (output.end, "buffer-level") < packets->len)
    g_assert_cmpuint (get_figure (output.end, "bytes-dropped-total"), ==, 0);
  g_assert_cmpuint (get_figure (output.end, "bytes-sent-total"), ==, 0);
  g_atomic_int_set (&held, FALSE);
  wait_for_figure (output.end, "bytes-sent-total", packets->len);
  opened_end_clear (&output);
  g_assert_true (g_file_get_contents (path, &content, &size, NULL));
  g_assert_cmpmem (content, size, packets->data, packets->len);
  g_unlink (path);
  g_rmdir (folder);
}

/* --- names without an answer ------------------------------------------------------------------ */

/* 1: an end waits for an answer; 2: that was called off; atomic. */
static gint asked;

static GList *
look_up (GResolver *resolver, const gchar *name, GCancellable *cancellable, GError **error)
{
  g_atomic_int_set (&asked, 1);
  while (!g_cancellable_set_error_if_cancelled (cancellable, error))
    g_usleep (1000);
  g_atomic_int_set (&asked, 2);
  return NULL;
}

#define SLOW_TYPE_RESOLVER (slow_resolver_get_type ())
G_DECLARE_FINAL_TYPE (SlowResolver, slow_resolver, SLOW, RESOLVER, GResolver)

struct _SlowResolver
{
  GResolver parent;
};

G_DEFINE_TYPE (SlowResolver, slow_resolver, G_TYPE_RESOLVER)

static void
slow_resolver_init (SlowResolver *resolver)
{
}

static void
slow_resolver_class_init (SlowResolverClass *klass)
{
  G_RESOLVER_CLASS (klass)->lookup_by_name = look_up;
}

/* An end that looks up a name is called off when it is to end. */
static void
test_slow_name (void)
{
  static const gchar *const uris[] = { "udp://slow.example:9", "srt://slow.example:9",
    "rist://slow.example:10" };
  GResolver *resolver = g_resolver_get_default (), *slow = g_object_new (SLOW_TYPE_RESOLVER, NULL);

  g_resolver_set_default (slow);
  for (guint i = 0; i < G_N_ELEMENTS (uris); i++) {
    GstElement *end =
        gst_object_ref_sink (relay_protocol_end_new (uris[i], TRUE, NULL, NULL, NULL));

    g_atomic_int_set (&asked, 0);
    gst_element_set_state (end, GST_STATE_PLAYING);
    while (g_atomic_int_get (&asked) != 1)
      g_usleep (1000);
    g_assert_cmpint (relay_protocol_end_get_state (end), ==, RELAY_STARTING);
    gst_element_set_state (end, GST_STATE_NULL);
    while (g_atomic_int_get (&asked) != 2)
      g_usleep (1000);
    gst_object_unref (end);
  }
  g_resolver_set_default (resolver);
  g_object_unref (resolver);
  g_object_unref (slow);
}

/* Sockets are readable, and there is nothing to read; atomic. */
static gint phantoms;

gboolean
g_socket_condition_timed_wait (GSocket *socket, GIOCondition condition, gint64 timeout,
    GCancellable *cancellable, GError **error)
{
  gboolean (*real) (GSocket *, GIOCondition, gint64, GCancellable *, GError **) =
      dlsym (RTLD_NEXT, "g_socket_condition_timed_wait");

  return g_atomic_int_get (&phantoms) || real (socket, condition, timeout, cancellable, error);
}

/* An answer with a wrong checksum makes a socket readable, and is not received: no end waits for
 * it. */
static void
test_phantom (void)
{
  g_autoptr (GSocket) silent =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new_from_string ("127.0.0.1", 0);
  g_autoptr (GSocketAddress) bound = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_socket_bind (silent, address, FALSE, NULL));
  bound = g_socket_get_local_address (silent, NULL);
  g_atomic_int_set (&phantoms, TRUE);
  g_assert_false (relay_dial_srt_answers ("127.0.0.1",
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound)), NULL, &error));
  g_atomic_int_set (&phantoms, FALSE);
  g_assert_nonnull (strstr (error->message, "nothing answers"));
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ends/good", test_good);
  g_test_add_func ("/ends/faults", test_faults);
  g_test_add_func ("/ends/misplaced", test_misplaced);
  g_test_add_func ("/ends/passphrase", test_passphrase);
  g_test_add_func ("/ends/elements", test_elements);
  g_test_add_func ("/ends/srt-keys", test_srt_keys);
  g_test_add_func ("/ends/packets", test_packets);
  g_test_add_func ("/ends/gaps", test_gaps);
  g_test_add_func ("/ends/input-not-ts", test_input_not_ts);
  g_test_add_func ("/ends/next-sender", test_next_sender);
  g_test_add_func ("/ends/rest", test_rest);
  g_test_add_func ("/ends/rist-next-sender", test_rist_next_sender);
  g_test_add_func ("/ends/unheard", test_unheard);
  g_test_add_func ("/ends/no-threads", test_no_threads);
  g_test_add_func ("/ends/unreported", test_unreported);
  g_test_add_func ("/ends/checks", test_checks);
  g_test_add_func ("/ends/no-element", test_no_element);
  g_test_add_func ("/ends/no-folder", test_no_folder);
  g_test_add_func ("/ends/early", test_early);
  g_test_add_func ("/ends/slow-name", test_slow_name);
  g_test_add_func ("/ends/phantom", test_phantom);
  return g_test_run ();
}
