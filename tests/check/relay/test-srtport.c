/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ports of SRT ends, which are closed while callers call.
 */
#include <string.h>
#include <time.h>
#include <gio/gio.h>
#include "../elements/pair.h"
#include "openedend.h"

#define ROUNDS 12
#define WORK_MAX 0.1   /* s in a second: ten times what it is */
#define SETTLED 100000 /* µs; an end is open, or has said that it is not */
#define MOMENT 3000    /* µs; at most, between the end of one and the next */
#define BURST 20       /* calls that a stranger makes at a time */
#define ANSWERED (50 * G_TIME_SPAN_MILLISECOND)

/* A handshake (draft-sharabayko-srt-01, 3.2.1): a header of 16 bytes, and these fields. */
#define HANDSHAKE 64
#define VERSION 16
#define TYPE 20 /* of the socket: datagrams */
#define MTU 28
#define WINDOW 32
#define REQUEST 36
#define SOCKET 40
#define COOKIE 44
#define INDUCTION 1
#define CONCLUSION 0xffffffff

typedef struct
{
  guint port;
  gint answers; /* atomic: inductions that were answered */
  gint over;    /* atomic */
} Stranger;

static void
write_handshake (guint8 *datagram, guint32 request, guint32 socket, guint32 cookie)
{
  memset (datagram, 0, HANDSHAKE);
  GST_WRITE_UINT32_BE (datagram, 0x80000000);
  GST_WRITE_UINT32_BE (datagram + VERSION, 4);
  GST_WRITE_UINT32_BE (datagram + TYPE, 2);
  GST_WRITE_UINT32_BE (datagram + MTU, 1500);
  GST_WRITE_UINT32_BE (datagram + WINDOW, 8192);
  GST_WRITE_UINT32_BE (datagram + REQUEST, request);
  GST_WRITE_UINT32_BE (datagram + SOCKET, socket);
  GST_WRITE_UINT32_BE (datagram + COOKIE, cookie);
}

/* Waits for the cookie that proves the stranger's address.  FALSE: none comes: nothing listens. */
static gboolean
get_cookie (GSocket *socket, guint32 *cookie)
{
  gssize size;
  guint8 answer[1500];

  while (g_socket_condition_timed_wait (socket, G_IO_IN, ANSWERED, NULL, NULL)) {
    size = g_socket_receive (socket, (gchar *) answer, sizeof answer, NULL, NULL);
    if (size < 0)
      return FALSE;
    *cookie = GST_READ_UINT32_BE (answer + COOKIE);
    if (size >= HANDSHAKE && GST_READ_UINT32_BE (answer + REQUEST) == INDUCTION)
      return TRUE;
  }
  return FALSE;
}

/* Calls without end: proves its address, and goes on with the handshakes of many sockets. */
static gpointer
call (gpointer data)
{
  Stranger *stranger = data;
  g_autoptr (GSocket) socket =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  g_autoptr (GSocketAddress) to =
      g_inet_socket_address_new_from_string ("127.0.0.1", stranger->port);
  guint8 datagram[HANDSHAKE];
  guint32 number = 0, cookie;

  g_assert_true (g_socket_connect (socket, to, NULL, NULL));
  while (!g_atomic_int_get (&stranger->over)) {
    write_handshake (datagram, INDUCTION, ++number, 0);
    g_socket_send (socket, (gchar *) datagram, HANDSHAKE, NULL, NULL);
    if (!get_cookie (socket, &cookie))
      continue;
    g_atomic_int_inc (&stranger->answers);
    for (guint i = 0; i < BURST; i++) {
      write_handshake (datagram, CONCLUSION, ++number, cookie);
      g_socket_send (socket, (gchar *) datagram, HANDSHAKE, NULL, NULL);
    }
  }
  return NULL;
}

/* A port is closed and opened again, while a stranger calls it all the time. With libsrt 1.5.4, a
 * close could wait for ever, and nothing was opened any more. */
static void
test_called (void)
{
  Stranger stranger = { .port = pair_get_port () };
  g_autofree gchar *uri = g_strdup_printf ("srt://:%u?streamid=live", stranger.port);
  GThread *thread = g_thread_new ("stranger", call, &stranger);

  for (guint i = 0; i < ROUNDS; i++) {
    gint before = g_atomic_int_get (&stranger.answers);
    OpenedEnd opened;

    opened_end_init_output (&opened, uri);
    pair_wait_for_count (&stranger.answers, before + 2);
    g_usleep (g_random_int_range (0, 1000));
    opened_end_clear (&opened);
  }
  g_atomic_int_set (&stranger.over, TRUE);
  g_thread_join (thread);
}

/* How long the process computes in a second: s. */
static gdouble
work_for_a_second (void)
{
  clock_t before = clock ();

  g_usleep (G_USEC_PER_SEC);
  return (gdouble) (clock () - before) / CLOCKS_PER_SEC;
}

/* libsrt's threads sleep while nothing calls, and when a port was closed. */
static void
test_quiet (void)
{
  g_autofree gchar *uri = g_strdup_printf ("srt://:%u?streamid=live", pair_get_port ());
  OpenedEnd opened;

  opened_end_init_output (&opened, uri);
  work_for_a_second ();
  g_assert_cmpfloat (work_for_a_second (), <, WORK_MAX);
  opened_end_clear (&opened);
  g_assert_cmpfloat (work_for_a_second (), <, WORK_MAX);
}

/* Has the end told that it cannot be opened? */
static gboolean
has_failed (GstBus *bus)
{
  GstMessage *message;
  gboolean failed = FALSE;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING)) != NULL) {
    const GstStructure *details = NULL;

    gst_message_parse_warning_details (message, &details);
    failed |= details != NULL && gst_structure_has_name (details, "end-failed");
    gst_message_unref (message);
  }
  return failed;
}

static gpointer
close_end (gpointer data)
{
  opened_end_clear (data);
  return NULL;
}

/* An end opens a port while the last other one there closes it, which takes 10 ms. */
static void
test_taken_over (void)
{
  g_autofree gchar *uri = g_strdup_printf ("srt://:%u?streamid=live", pair_get_port ());
  OpenedEnd before, after;

  opened_end_init_output (&before, uri);
  for (guint i = 0; i < ROUNDS; i++) {
    g_autoptr (GstBus) bus = NULL;
    GThread *thread;

    g_usleep (SETTLED);
    thread = g_thread_new ("close", close_end, &before);
    g_usleep (g_random_int_range (0, MOMENT));
    opened_end_init_output (&after, uri);
    g_thread_join (thread);
    before = after;
    bus = gst_element_get_bus (before.pipeline);
    g_usleep (SETTLED);
    g_assert_false (has_failed (bus));
  }
  opened_end_clear (&before);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/srtport/called", test_called);
  g_test_add_func ("/srtport/quiet", test_quiet);
  g_test_add_func ("/srtport/taken-over", test_taken_over);
  return g_test_run ();
}
