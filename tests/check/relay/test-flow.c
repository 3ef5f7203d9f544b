/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The one sender that a RIST input hears, whatever others send.
 */
#include <string.h>
#include <gio/gio.h>
#include "../elements/pair.h"
#include "relayprotocol.h"
#include "relayflow.h"

#define FLOW 0x1234567au
#define MP2T 33 /* a payload type (RFC 3551) */
#define SR 200  /* RFC 3550, 12.1 */
#define RR 201
#define SDES 202
#define BYE 203
#define RTPFB 205 /* RFC 4585, 6.1 */
#define PSFB 206
#define CNAME 1 /* RFC 3550, 12.2 */
#define PRIV 8
#define STRANGERS 200 /* each with another SSRC */
#define OWN 3         /* sources of a session: itself, the flow, and its retransmissions */

#define LONG (5 * G_TIME_SPAN_SECOND)

/* The first sender is heard with its retransmissions; another one when that has been silent, and
 * what then comes is left to a session that knows neither. */
static void
test_media (void)
{
  RelayFlow flow = { .silence = LONG };

  g_assert_cmpint (relay_flow_hear (&flow, 8, 0), ==, RELAY_FLOW_PASSES);
  g_assert_cmpint (relay_flow_hear (&flow, 9, 3 * LONG), ==, RELAY_FLOW_PASSES);
  g_assert_cmpint (relay_flow_hear (&flow, 10, 4 * LONG - 1), ==, RELAY_FLOW_REFUSED);
  g_assert_cmpint (relay_flow_hear (&flow, 10, 4 * LONG), ==, RELAY_FLOW_ENDS);
  g_assert_cmpint (relay_flow_hear (&flow, 10, 4 * LONG), ==, RELAY_FLOW_REFUSED);
  g_assert_cmpint (relay_flow_hear (&flow, 8, 4 * LONG), ==, RELAY_FLOW_REFUSED);
  g_assert_cmpint (relay_flow_hear_report (&flow, 8, TRUE, 4 * LONG), ==, RELAY_FLOW_REFUSED);
}

/* A session after another one: another sender has taken over when its media come, the same one has
 * not.  Reports tell nothing. */
static void
test_takeover (void)
{
  for (guint32 ssrc = 8; ssrc <= 10; ssrc++) {
    RelayFlow flow = { .silence = LONG, .known = TRUE, .ssrc = 8 };

    g_assert_cmpint (relay_flow_hear_report (&flow, 20, TRUE, 0), ==, RELAY_FLOW_PASSES);
    g_assert_cmpint (relay_flow_hear (&flow, ssrc, 0), ==,
        ssrc < 10 ? RELAY_FLOW_PASSES : RELAY_FLOW_TAKES_OVER);
    g_assert_cmpint (relay_flow_hear (&flow, ssrc, 1), ==, RELAY_FLOW_PASSES);
  }
}

/* There is a second sender if the first one still sends after it: it is not one that was started
 * anew.  That is said once. */
static void
test_second (void)
{
  RelayFlow flow = { .silence = LONG };

  g_assert_cmpint (relay_flow_hear (&flow, 8, 0), ==, RELAY_FLOW_PASSES);
  g_assert_cmpint (relay_flow_hear (&flow, 10, 1), ==, RELAY_FLOW_REFUSED);
  g_assert_cmpint (relay_flow_hear (&flow, 8, 2), ==, RELAY_FLOW_SECOND);
  g_assert_cmpint (relay_flow_hear (&flow, 10, 3), ==, RELAY_FLOW_REFUSED);
  g_assert_cmpint (relay_flow_hear (&flow, 8, 4), ==, RELAY_FLOW_PASSES);
}

/* Senders that report before they send are answered, a few of them, until there is media, and who
 * sends it reports. */
static void
test_reports (void)
{
  RelayFlow flow = { .silence = LONG };

  for (guint32 other = 0; other < RELAY_FLOW_REPORTERS; other++)
    g_assert_cmpint (relay_flow_hear_report (&flow, 20 + 2 * other, FALSE, 0), ==,
        RELAY_FLOW_PASSES);
  g_assert_cmpint (relay_flow_hear_report (&flow, 10, TRUE, LONG - 1), ==, RELAY_FLOW_REFUSED);
  g_assert_cmpint (relay_flow_hear_report (&flow, 20, FALSE, LONG - 1), ==, RELAY_FLOW_PASSES);
  g_assert_cmpint (relay_flow_hear (&flow, 8, LONG - 1), ==, RELAY_FLOW_PASSES);
  g_assert_cmpint (relay_flow_hear_report (&flow, 20, FALSE, LONG), ==, RELAY_FLOW_PASSES);
  g_assert_cmpint (relay_flow_hear_report (&flow, 8, TRUE, LONG), ==, RELAY_FLOW_PASSES);
  g_assert_cmpint (relay_flow_hear_report (&flow, 20, FALSE, LONG), ==, RELAY_FLOW_REFUSED);
}

/* If there are more, they get their turn, whatever the first ones go on to report. */
static void
test_turns (void)
{
  RelayFlow flow = { .silence = LONG };

  for (gint64 now = 0; now < LONG; now += LONG / 10)
    for (guint32 other = 0; other < RELAY_FLOW_REPORTERS; other++)
      g_assert_cmpint (relay_flow_hear_report (&flow, 20 + 2 * other, TRUE, now), ==,
          RELAY_FLOW_PASSES);
  g_assert_cmpint (relay_flow_hear_report (&flow, 10, TRUE, LONG), ==, RELAY_FLOW_ENDS);
}

/* A sender that waits for an answer ends a session whose sender only reports; a receiver, of a
 * group, does not. */
static void
test_waiting (void)
{
  RelayFlow flow = { .silence = LONG };

  g_assert_cmpint (relay_flow_hear (&flow, 8, 0), ==, RELAY_FLOW_PASSES);
  g_assert_cmpint (relay_flow_hear_report (&flow, 8, TRUE, LONG), ==, RELAY_FLOW_PASSES);
  g_assert_cmpint (relay_flow_hear_report (&flow, 10, FALSE, LONG), ==, RELAY_FLOW_REFUSED);
  g_assert_cmpint (relay_flow_hear_report (&flow, 10, TRUE, LONG), ==, RELAY_FLOW_ENDS);
}

/* An input, its sender, and a stranger that knows its address. */
typedef struct
{
  GstElement *pipeline, *ristsrc;
  RelayFlow flow;
  GSocket *sender, *stranger; /* for reports */
  GSocketAddress *media, *reports;
  guint refused, second, passed; /* atomic */
} Scene;

static void
on_flow (RelayFlowVerdict verdict, GSocketAddress *from, gpointer data)
{
  Scene *scene = data;

  g_assert_true (G_IS_INET_SOCKET_ADDRESS (from));
  g_atomic_int_inc (verdict == RELAY_FLOW_SECOND ? &scene->second : &scene->refused);
}

static GSocket *
open_socket (void)
{
  GSocket *socket =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);

  g_socket_set_blocking (socket, FALSE);
  return socket;
}

static GstPadProbeReturn
on_passed (GstPad *pad, GstPadProbeInfo *info, gpointer passed)
{
  g_atomic_int_inc ((guint *) passed);
  return GST_PAD_PROBE_OK;
}

/* @passed: is counted up for each datagram of reports that it gets; atomic. */
static void
count_reports (GstElement *end, guint *passed)
{
  g_autoptr (GstElement) udpsrc = gst_bin_get_by_name (GST_BIN (end), "rist_rtcp_udpsrc0");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (udpsrc, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_passed,
      passed, NULL);
}

static void
open_scene (Scene *scene)
{
  guint port = pair_get_even_port ();
  g_autofree gchar *uri = g_strdup_printf ("rist://127.0.0.1:%u", port);
  g_autoptr (RelayProtocolUri) protocol_uri = relay_protocol_uri_parse (uri, FALSE, NULL, NULL);
  GstElement *chain = relay_chain_make (protocol_uri, &scene->ristsrc, NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);

  scene->refused = scene->second = scene->passed = 0;
  scene->sender = open_socket ();
  scene->stranger = open_socket ();
  scene->media = g_inet_socket_address_new_from_string ("127.0.0.1", port);
  scene->reports = g_inet_socket_address_new_from_string ("127.0.0.1", port + 1);
  scene->flow = (RelayFlow) { 0 };
  relay_flow_watch (scene->ristsrc, &scene->flow, LONG, on_flow, scene);
  count_reports (scene->ristsrc, &scene->passed);
  scene->pipeline = gst_pipeline_new (NULL);
  g_object_set (sink, "async", FALSE, "sync", FALSE, NULL);
  gst_bin_add_many (GST_BIN (scene->pipeline), chain, sink, NULL);
  g_assert_true (gst_element_link (chain, sink));
  g_assert_cmpint (gst_element_set_state (scene->pipeline, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
}

static void
close_scene (Scene *scene)
{
  gst_element_set_state (scene->pipeline, GST_STATE_NULL);
  gst_object_unref (scene->ristsrc);
  gst_object_unref (scene->pipeline);
  g_object_unref (scene->sender);
  g_object_unref (scene->stranger);
  g_object_unref (scene->media);
  g_object_unref (scene->reports);
}

static guint
count_sources (const Scene *scene)
{
  g_autoptr (GstElement) rtpbin =
      gst_bin_get_by_name (GST_BIN (scene->ristsrc), "rist_recv_rtpbin");
  g_autoptr (GObject) session = NULL;
  guint n = 0;

  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &session);
  if (session != NULL)
    g_object_get (session, "num-sources", &n, NULL);
  return n;
}

static void
send_words (GSocket *socket, GSocketAddress *to, const guint32 *words, guint n)
{
  guint32 datagram[16];

  for (guint i = 0; i < n; i++)
    datagram[i] = GUINT32_TO_BE (words[i]);
  g_socket_send_to (socket, to, (gchar *) datagram, n * sizeof *words, NULL, NULL);
}

/* RTP of @ssrc; @csrc: a contributing source; 0: none. */
static void
send_media (const Scene *scene, GSocket *socket, guint type, guint32 number, guint32 ssrc,
    guint32 csrc)
{
  const guint32 words[] = { (csrc != 0 ? 0x81u : 0x80u) << 24 | type << 16 | (number & 0xffff),
    number * 900, ssrc, csrc, 0 };

  send_words (socket, scene->media, words, G_N_ELEMENTS (words));
}

/* A report of a receiver, and what follows in the same datagram. */
static void
send_report (const Scene *scene, GSocket *socket, guint32 ssrc, const guint32 *more, guint n)
{
  guint32 words[16] = { 0x80u << 24 | RR << 16 | 1, ssrc };

  memcpy (words + 2, more, n * sizeof *more);
  send_words (socket, scene->reports, words, 2 + n);
}

static void
send_description (const Scene *scene, GSocket *socket, guint32 ssrc, guint32 described, guint entry)
{
  const guint32 words[] = { 0x81u << 24 | SDES << 16 | 3, described,
    entry << 24 | 4 << 16 | 1 << 8 | 'a', 'b' << 24 | 'c' << 16 };

  send_report (scene, socket, ssrc, words, G_N_ELEMENTS (words));
}

static void
send_sender_report (const Scene *scene, GSocket *socket, guint32 ssrc)
{
  const guint32 words[] = { 0x80u << 24 | SR << 16 | 6, ssrc, 0, 0, 0, 0, 0 };

  send_words (socket, scene->reports, words, G_N_ELEMENTS (words));
}

/* Of what the session would keep for good: feedback, a goodbye, another's report. */
static void
send_harm (const Scene *scene, GSocket *socket, guint32 other)
{
  const guint32 feedback[] = { 0x81u << 24 | PSFB << 16 | 2, FLOW, FLOW };
  const guint32 congestion[] = { 0x8fu << 24 | RTPFB << 16 | 5, FLOW, FLOW, 0x0000ffffu, 0,
    0x20010000u };
  const guint32 goodbye[] = { 0x81u << 24 | BYE << 16 | 1, FLOW };
  const guint32 report[] = { 0x80u << 24 | RR << 16 | 1, other };

  send_report (scene, socket, FLOW, feedback, G_N_ELEMENTS (feedback));
  send_report (scene, socket, FLOW, congestion, G_N_ELEMENTS (congestion));
  send_report (scene, socket, FLOW, goodbye, G_N_ELEMENTS (goodbye));
  send_report (scene, socket, FLOW, report, G_N_ELEMENTS (report));
  send_description (scene, socket, FLOW, other, CNAME);
  send_description (scene, socket, FLOW, FLOW, PRIV);
}

static gboolean
has_come (GSocket *socket)
{
  gchar datagram[1500];

  return g_socket_receive (socket, datagram, sizeof datagram, NULL, NULL) > 0;
}

/* Until the session has its sender's media, with retransmissions, and then a report. */
static void
send_first (Scene *scene)
{
  for (guint32 n = 0; count_sources (scene) < OWN; n++) {
    send_media (scene, scene->sender, MP2T, n, FLOW, 0);
    send_media (scene, scene->sender, MP2T, n, FLOW | 1, 0);
    g_usleep (1000);
  }
  send_sender_report (scene, scene->sender, FLOW);
  while (g_atomic_int_get (&scene->passed) == 0)
    g_usleep (1000);
}

/* The session knows its sender alone, and sends its reports to that, whatever strangers send. */
static void
test_strangers (void)
{
  gboolean reported = FALSE;
  Scene scene;

  open_scene (&scene);
  send_first (&scene);
  for (guint32 n = 0; n < STRANGERS || !reported; n++) {
    guint32 other = FLOW + 2 * (n + 1);

    send_media (&scene, scene.sender, MP2T, n, FLOW, 0);
    send_media (&scene, scene.sender, MP2T, n, FLOW | 1, 0);
    send_sender_report (&scene, scene.sender, FLOW);
    send_media (&scene, scene.stranger, MP2T, n, other, 0);
    send_sender_report (&scene, scene.stranger, other);
    send_description (&scene, scene.stranger, other, other, CNAME);
    send_harm (&scene, scene.stranger, other);
    /* from the same place, so that the session takes it for the sender's */
    send_media (&scene, scene.sender, MP2T, n, FLOW, other);
    send_media (&scene, scene.sender, MP2T + 1, n, FLOW, 0);
    reported |= has_come (scene.sender);
    g_assert_false (has_come (scene.stranger));
    g_usleep (2000);
  }
  g_assert_cmpuint (count_sources (&scene), ==, OWN);
  g_assert_cmpuint (g_atomic_int_get (&scene.second), ==, 1);
  g_assert_cmpuint (g_atomic_int_get (&scene.refused), >, STRANGERS);
  close_scene (&scene);
}

static void
on_heard (gpointer heard)
{
  g_atomic_int_inc ((guint *) heard);
}

/* Opens an output, and returns where it takes reports.  @passed: how many it got; @heard: of how
 * many it was told; atomic. */
static GSocketAddress *
open_output (GstElement **pipeline, guint *passed, guint *heard)
{
  g_autofree gchar *uri = g_strdup_printf ("rist://127.0.0.1:%u", pair_get_even_port ());
  g_autoptr (RelayProtocolUri) protocol_uri = relay_protocol_uri_parse (uri, TRUE, NULL, NULL);
  g_autoptr (GstElement) ristsink = NULL;
  g_autoptr (GstElement) udpsrc = NULL;
  g_autoptr (GSocketAddress) local = NULL;
  g_autoptr (GSocket) socket = NULL;

  *pipeline = gst_pipeline_new (NULL);
  gst_bin_add (GST_BIN (*pipeline), relay_chain_make (protocol_uri, &ristsink, NULL));
  relay_flow_guard (ristsink, on_heard, heard);
  udpsrc = gst_bin_get_by_name (GST_BIN (ristsink), "rist_rtcp_udpsrc0");
  count_reports (ristsink, passed);
  gst_element_set_state (*pipeline, GST_STATE_PLAYING);
  g_object_get (udpsrc, "used-socket", &socket, NULL);
  local = g_socket_get_local_address (socket, NULL);
  return g_inet_socket_address_new_from_string ("127.0.0.1",
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (local)));
}

#define GOOD 4 /* of the eight: what is missing, and reports of this one and another */

/* An output gets reports of receivers, and what they miss; nothing that its session keeps. */
static void
test_output (void)
{
  const guint32 missing[] = { 0x81u << 24 | RTPFB << 16 | 3, FLOW, FLOW, 1u << 16 };
  guint passed = 0, heard = 0, n;
  GstElement *pipeline;
  Scene scene = { .reports = open_output (&pipeline, &passed, &heard), .sender = open_socket () };

  for (n = GOOD; n <= 10 * GOOD; n += GOOD) {
    send_harm (&scene, scene.sender, FLOW + 2);
    send_report (&scene, scene.sender, FLOW, missing, G_N_ELEMENTS (missing));
    send_description (&scene, scene.sender, FLOW, FLOW, CNAME);
    while ((guint) g_atomic_int_get (&passed) < n)
      g_usleep (1000);
    g_assert_cmpuint (g_atomic_int_get (&passed), ==, n);
    g_assert_cmpuint (g_atomic_int_get (&heard), ==, n);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_object_unref (scene.sender);
  g_object_unref (scene.reports);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/flow/media", test_media);
  g_test_add_func ("/flow/takeover", test_takeover);
  g_test_add_func ("/flow/second", test_second);
  g_test_add_func ("/flow/reports", test_reports);
  g_test_add_func ("/flow/turns", test_turns);
  g_test_add_func ("/flow/waiting", test_waiting);
  g_test_add_func ("/flow/strangers", test_strangers);
  g_test_add_func ("/flow/output", test_output);
  return g_test_run ();
}
