/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Timestamps of media that come while a pipeline starts to play, when a source has the clock
 * already, but not yet the base time.
 */
#include <dlfcn.h>
#include <gio/gio.h>
#include <gst/app/app.h>
#include "../elements/pair.h"
#include "openedend.h"

#define TIMEOUT 20 /* s, far above what a datagram takes */

static gint threads; /* that were started; atomic */

GThread *
g_thread_try_new (const gchar *name, GThreadFunc func, gpointer data, GError **error)
{
  GThread *(*real) (const gchar *, GThreadFunc, gpointer, GError **) =
      dlsym (RTLD_NEXT, "g_thread_try_new");

  g_atomic_int_inc (&threads);
  return real (name, func, data, error);
}

static gboolean (*set_clock) (GstElement *source, GstClock *clock);
static void (*on_clock) (GstElement *source); /* called when a source was given a clock */
static GSocket *network;
static GSocketAddress *port_of_input;
static OpenedEnd opened;

static gboolean
set_clock_and_call (GstElement *source, GstClock *clock)
{
  gboolean good = set_clock (source, clock);

  if (clock != NULL && source != opened.other)
    on_clock (source);
  return good;
}

static void
hook_sources (void (*func) (GstElement *source))
{
  GstElementClass *class = g_type_class_ref (GST_TYPE_APP_SRC);

  if (set_clock == NULL)
    set_clock = class->set_clock;
  class->set_clock = set_clock_and_call;
  on_clock = func;
  g_type_class_unref (class);
}

static GSocket *
open_socket (guint port)
{
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new_from_string ("127.0.0.1", port);
  g_autoptr (GError) error = NULL;
  GSocket *socket =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, &error);

  g_assert_no_error (error);
  g_socket_bind (socket, address, FALSE, &error);
  g_assert_no_error (error);
  g_socket_set_timeout (socket, TIMEOUT);
  return socket;
}

static void
send_to_input (void)
{
  guint8 datagram[PAYLOAD] = { SYNC };

  for (guint i = 0; i < sizeof datagram; i += PACKET)
    datagram[i] = SYNC;
  g_socket_send_to (network, port_of_input, (gchar *) datagram, sizeof datagram, NULL, NULL);
}

static void
give_media (GstElement *source)
{
  guint8 packets[PAYLOAD] = { SYNC };

  gst_app_src_push_buffer (GST_APP_SRC (source), gst_buffer_new_memdup (packets, sizeof packets));
}

/* An output of RIST, whose sink waits for a buffer's time, sends them at once. */
static void
test_output (void)
{
  guint port = pair_get_even_port ();
  g_autofree gchar *uri = g_strdup_printf ("rist://127.0.0.1:%u", port);
  g_autoptr (GError) error = NULL;
  gchar datagram[2048];

  network = open_socket (port);
  hook_sources (give_media);
  opened_end_init_output (&opened, uri);
  g_assert_cmpint (g_socket_receive (network, datagram, sizeof datagram, NULL, &error), ==,
      RTP_HEADER + PAYLOAD);
  g_assert_no_error (error);
  opened_end_clear (&opened);
  g_clear_object (&network);
}

/* Sends media until the input has them, if it has started. */
static void
feed_input (GstElement *source)
{
  while (g_atomic_int_get (&threads) > 0
      && get_figure (opened.end, "bytes-received-total") < PAYLOAD) {
    send_to_input ();
    g_usleep (1000);
  }
}

static void
check_time (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer buffers)
{
  g_autoptr (GstClock) clock = gst_element_get_clock (sink);

  g_assert_cmpuint (GST_BUFFER_PTS (buffer), <=,
      gst_clock_get_time (clock) - gst_element_get_base_time (sink));
  g_atomic_int_inc ((gint *) buffers);
}

/* The buffers of an input have the running time at which they came. */
static void
test_input (void)
{
  guint port = pair_get_port ();
  g_autofree gchar *uri = g_strdup_printf ("udp://127.0.0.1:%u", port);
  gint buffers = 0;

  g_atomic_int_set (&threads, 0);
  network = open_socket (0);
  port_of_input = g_inet_socket_address_new_from_string ("127.0.0.1", port);
  hook_sources (feed_input);
  opened_end_init_input (&opened, uri, G_CALLBACK (check_time), &buffers);
  while (g_atomic_int_get (&buffers) == 0) {
    send_to_input ();
    g_usleep (1000);
  }
  opened_end_clear (&opened);
  g_clear_object (&network);
  g_clear_object (&port_of_input);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/end-times/output", test_output);
  g_test_add_func ("/end-times/input", test_input);
  return g_test_run ();
}
