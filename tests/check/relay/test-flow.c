/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The one sender that a RIST input hears, whatever others send.
 */
#include <gio/gio.h>
#include "../elements/pair.h"
#include "relaychain.h"
#include "relayflow.h"

#define FLOW 0x1234567au
#define RTP 33 /* the payload type of MPEG-TS (RFC 3551) */
#define SR 200 /* RFC 3550, 12.1 */
#define RR 201
#define SDES 202
#define CNAME 1 /* RFC 3550, 12.2 */
#define PRIV 8
#define STRANGERS 200 /* each with another SSRC */
#define OWN 2         /* sources of a session: itself, and the flow */

/* The first sender is heard with its retransmissions; another one when that has been silent, and
 * what then comes is left to a session that knows neither. */
static void
test_flow (void)
{
  static const gint64 then = 5 * RELAY_FLOW_SILENCE;
  RelayFlow flow = { FALSE };

  g_assert_cmpint (relay_flow_hear (&flow, 8, 0), ==, RELAY_FLOW_PASSES);
  g_assert_cmpint (relay_flow_hear (&flow, 9, then), ==, RELAY_FLOW_PASSES);
  g_assert_cmpint (relay_flow_hear (&flow, 10, then + RELAY_FLOW_SILENCE - 1), ==,
      RELAY_FLOW_REFUSED);
  g_assert_cmpint (relay_flow_hear (&flow, 10, then + RELAY_FLOW_SILENCE), ==, RELAY_FLOW_ENDS);
  g_assert_cmpint (relay_flow_hear (&flow, 10, then + RELAY_FLOW_SILENCE), ==, RELAY_FLOW_REFUSED);
  g_assert_cmpint (relay_flow_hear (&flow, 8, then + RELAY_FLOW_SILENCE), ==, RELAY_FLOW_REFUSED);
}

/* An input, its sender, and somebody else who knows where it is. */
typedef struct
{
  GstElement *pipeline, *ristsrc;
  GSocket *sender, *stranger; /* for reports */
  GSocketAddress *media, *reports;
  guint refused, rivals; /* atomic */
} Scene;

static void
on_refused (gboolean rival, gpointer data)
{
  Scene *scene = data;

  g_atomic_int_inc (&scene->refused);
  if (rival)
    g_atomic_int_inc (&scene->rivals);
}

static GSocket *
open_socket (void)
{
  GSocket *socket =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);

  g_socket_set_blocking (socket, FALSE);
  return socket;
}

static void
open_scene (Scene *scene)
{
  guint port = (pair_get_ports (3) + 1) & ~1u;
  g_autofree gchar *uri = g_strdup_printf ("rist://127.0.0.1:%u", port);
  g_autoptr (RelayPlace) place = relay_place_parse (uri, FALSE, NULL, NULL);
  GstElement *chain = relay_chain_make (place, &scene->ristsrc, NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);

  scene->refused = scene->rivals = 0;
  scene->sender = open_socket ();
  scene->stranger = open_socket ();
  scene->media = g_inet_socket_address_new_from_string ("127.0.0.1", port);
  scene->reports = g_inet_socket_address_new_from_string ("127.0.0.1", port + 1);
  relay_flow_watch (scene->ristsrc, on_refused, scene);
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

/* RTP of @ssrc; @csrc: who has contributed; 0: nobody. */
static void
send_media (const Scene *scene, GSocket *socket, guint32 number, guint32 ssrc, guint32 csrc)
{
  const guint32 words[] = { (csrc != 0 ? 0x81u : 0x80u) << 24 | RTP << 16 | (number & 0xffff),
    number * 900, ssrc, csrc, 0 };

  send_words (socket, scene->media, words, 5);
}

/* A report, and who it is from. */
static void
send_report (const Scene *scene, GSocket *socket, guint type, guint32 ssrc, guint32 described,
    guint entry)
{
  const guint32 sender[] = { 0x80u << 24 | SR << 16 | 6, ssrc, 0, 0, 0, 0, 0,
    0x81u << 24 | SDES << 16 | 3, described, entry << 24 | 4 << 16 | 1 << 8 | 'a',
    'b' << 24 | 'c' << 16 };
  const guint32 receiver[] = { 0x80u << 24 | RR << 16 | 1, ssrc, 0x81u << 24 | SDES << 16 | 3,
    described, entry << 24 | 4 << 16 | 1 << 8 | 'a', 'b' << 24 | 'c' << 16 };

  if (type == SR)
    send_words (socket, scene->reports, sender, G_N_ELEMENTS (sender));
  else
    send_words (socket, scene->reports, receiver, G_N_ELEMENTS (receiver));
}

static gboolean
has_come (GSocket *socket)
{
  gchar datagram[1500];

  return g_socket_receive (socket, datagram, sizeof datagram, NULL, NULL) > 0;
}

/* The session knows its sender alone, and sends its reports to that, whatever strangers send. */
static void
test_strangers (void)
{
  gboolean reported = FALSE;
  Scene scene;

  open_scene (&scene);
  for (guint32 n = 0; n < STRANGERS || !reported; n++) {
    guint32 other = FLOW + 2 * (n + 1);

    send_media (&scene, scene.sender, n, FLOW, 0);
    send_media (&scene, scene.sender, n, FLOW | 1, 0);
    send_report (&scene, scene.sender, n % 2 ? SR : RR, FLOW, FLOW, CNAME);
    send_media (&scene, scene.stranger, n, other, 0);
    send_media (&scene, scene.sender, n, FLOW, other);
    send_report (&scene, scene.stranger, SR, other, FLOW, CNAME);
    send_report (&scene, scene.stranger, RR, other, FLOW, CNAME);
    send_report (&scene, scene.stranger, RR, FLOW, other, CNAME);
    send_report (&scene, scene.stranger, RR, FLOW, FLOW, PRIV);
    reported |= has_come (scene.sender);
    g_assert_false (has_come (scene.stranger));
    g_usleep (2000);
  }
  /* the retransmissions are a source of their own */
  g_assert_cmpuint (count_sources (&scene), <=, OWN + 1);
  g_assert_cmpuint (g_atomic_int_get (&scene.rivals), >, 0);
  g_assert_cmpuint (g_atomic_int_get (&scene.refused), >=, 5 * g_atomic_int_get (&scene.rivals));
  close_scene (&scene);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/flow/next", test_flow);
  g_test_add_func ("/flow/strangers", test_strangers);
  return g_test_run ();
}
