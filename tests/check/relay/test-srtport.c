/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ports of SRT ends: closed while callers call, opened while libsrt fails, called by crowds.
 */
#include <string.h>
#include <time.h>
#include <netinet/in.h>
#include <gio/gio.h>
#include "../elements/pair.h"
#include "openedend.h"
#include "relayprotocol.h"
#include "relaysrtsocket.h"
#include "relaysrtthread.h"

#define ROUNDS 12
#define WORK_MAX 0.1   /* s in a second: ten times what it is */
#define SETTLED 100000 /* µs; an end is open, or has said that it is not */
#define MOMENT 3000    /* µs; at most, between the end of one and the next */
#define BURST 20       /* calls that a stranger makes at a time */
#define TICK 5000      /* µs, between two looks */
#define TICKS 200      /* looks until a thread counts as stuck */
#define CROWD 16       /* addresses of strangers */
#define EACH 8         /* places of 64 that one network has at most */
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

/* --- functions of libsrt that fail, or do not return ------------------------------------------- */

int __real_srt_listen (SRTSOCKET socket, int backlog);
int __wrap_srt_listen (SRTSOCKET socket, int backlog);
int __real_srt_bind_acquire (SRTSOCKET socket, int fd);
int __wrap_srt_bind_acquire (SRTSOCKET socket, int fd);
int __real_srt_close (SRTSOCKET socket);
int __wrap_srt_close (SRTSOCKET socket);

static struct
{
  gint listen, acquire; /* atomic: these fail */
  gint close;           /* atomic: this waits until it is FALSE */
  gint watched;         /* atomic: that sockets are closed without the work */
  gint worked;          /* atomic: the work was free */
} faulty;

int
__wrap_srt_bind_acquire (SRTSOCKET socket, int fd)
{
  return g_atomic_int_get (&faulty.acquire) ? -1 : __real_srt_bind_acquire (socket, fd);
}

int
__wrap_srt_listen (SRTSOCKET socket, int backlog)
{
  return g_atomic_int_get (&faulty.listen) ? -1 : __real_srt_listen (socket, backlog);
}

static gpointer
work (gpointer unused)
{
  relay_srt_begin_work ();
  g_atomic_int_set (&faulty.worked, TRUE);
  relay_srt_end_work ();
  return NULL;
}

int
__wrap_srt_close (SRTSOCKET socket)
{
  while (g_atomic_int_get (&faulty.close))
    g_usleep (TICK);
  if (g_atomic_int_compare_and_exchange (&faulty.watched, TRUE, FALSE)) {
    g_thread_unref (g_thread_new ("work", work, NULL));
    for (guint i = 0; i < TICKS && !g_atomic_int_get (&faulty.worked); i++)
      g_usleep (TICK);
    g_assert_true (g_atomic_int_get (&faulty.worked));
  }
  return __real_srt_close (socket);
}

/* Waits until the end has told that it cannot be opened. */
static void
wait_for_failure (const OpenedEnd *opened)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (opened->pipeline);

  while (!has_failed (bus))
    g_usleep (TICK);
}

/* An end whose port is not closed in time says so, and opens it later. */
static void
test_stuck (void)
{
  g_autofree gchar *uri = g_strdup_printf ("srt://:%u?streamid=live", pair_get_port ());
  OpenedEnd before, after;
  GThread *thread;

  opened_end_init_output (&before, uri);
  g_usleep (SETTLED);
  g_atomic_int_set (&faulty.close, TRUE);
  thread = g_thread_new ("close", close_end, &before);
  g_usleep (SETTLED);
  opened_end_init_output (&after, uri);
  wait_for_failure (&after);
  g_atomic_int_set (&faulty.close, FALSE);
  g_thread_join (thread);
  opened_end_clear (&after);
}

/* What cannot be opened is closed while others open and close their ends. */
static void
test_not_opened (void)
{
  g_autofree gchar *uri = g_strdup_printf ("srt://:%u?streamid=live", pair_get_port ());
  OpenedEnd opened;

  g_atomic_int_set (&faulty.listen, TRUE);
  g_atomic_int_set (&faulty.watched, TRUE);
  opened_end_init_output (&opened, uri);
  wait_for_failure (&opened);
  g_assert_true (g_atomic_int_get (&faulty.worked));
  g_atomic_int_set (&faulty.listen, FALSE);
  opened_end_clear (&opened);
}

/* A UDP socket that libsrt does not take is closed: its port is free. */
static void
test_not_taken (void)
{
  g_autoptr (GSocket) udp =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  guint port = pair_get_port ();
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new_from_string ("127.0.0.1", port);
  SRTSOCKET socket = srt_create_socket ();

  g_atomic_int_set (&faulty.acquire, TRUE);
  g_assert_cmpint (relay_srt_socket_bind_own (socket, "127.0.0.1", port), ==, -1);
  g_atomic_int_set (&faulty.acquire, FALSE);
  g_assert_true (g_socket_bind (udp, address, FALSE, NULL));
  srt_close (socket);
}

/* --- crowds ------------------------------------------------------------------------------------ */

/* Calls the port from 127.0.0.@host.  @keys: of the URI. */
static SRTSOCKET
call_from (guint host, guint port, const gchar *keys)
{
  g_autofree gchar *uri = g_strdup_printf ("srt://127.0.0.1:%u%s", port, keys);
  g_autofree gchar *from = g_strdup_printf ("127.0.0.%u", host);
  g_autoptr (RelayProtocolUri) dialled = relay_protocol_uri_parse (uri, FALSE, NULL, NULL);
  struct sockaddr_in to = { .sin_family = AF_INET,
    .sin_port = g_htons (port),
    .sin_addr.s_addr = g_htonl (INADDR_LOOPBACK) };
  static guint ports[CROWD + 2]; /* from which the hosts call */
  SRTSOCKET socket = relay_srt_socket_new (dialled);

  if (ports[host] == 0)
    ports[host] = pair_get_port ();
  g_assert_true (relay_srt_socket_set (socket, dialled));
  g_assert_true (relay_srt_socket_bind (socket, from, ports[host]));
  g_assert_cmpint (srt_connect (socket, (struct sockaddr *) &to, sizeof to), ==, 0);
  return socket;
}

static SRT_SOCKSTATUS
wait_for_answer (SRTSOCKET socket)
{
  while (srt_getsockstate (socket) < SRTS_CONNECTED)
    g_usleep (TICK);
  return srt_getsockstate (socket);
}

/* Strangers at 16 addresses have wrong passphrases: one of another address comes in. */
static void
test_crowd (void)
{
  guint port = pair_get_port ();
  g_autofree gchar *uri = g_strdup_printf ("srt://:%u?" SECRET, port);
  SRTSOCKET callers[CROWD * EACH], friend;
  OpenedEnd opened;

  opened_end_init_output (&opened, uri);
  g_usleep (SETTLED);
  for (guint i = 0; i < CROWD * EACH; i++)
    callers[i] = call_from (2 + i % CROWD, port, "");
  for (guint i = 0; i < CROWD * EACH; i++)
    wait_for_answer (callers[i]);
  friend = call_from (1, port, "?" SECRET);
  g_assert_cmpint (wait_for_answer (friend), ==, SRTS_CONNECTED);
  for (guint i = 0; i < CROWD * EACH; i++)
    srt_close (callers[i]);
  srt_close (friend);
  opened_end_clear (&opened);
}

static guint
count_connected (const SRTSOCKET *callers, guint n)
{
  guint connected = 0;

  for (guint i = 0; i < n; i++)
    connected += srt_getsockstate (callers[i]) == SRTS_CONNECTED;
  return connected;
}

/* Senders whose handshakes succeed before SRT's thread looks: one comes in, and the others are
 * refused, none of which has ended the call of another one. */
static void
test_burst (void)
{
  guint port = pair_get_port ();
  g_autofree gchar *uri = g_strdup_printf ("srt://:%u?second-caller=refuse", port);
  SRTSOCKET callers[EACH];
  OpenedEnd opened;

  opened_end_init_input (&opened, uri, NULL, NULL);
  g_usleep (SETTLED);
  relay_srt_begin_work ();
  for (guint i = 0; i < EACH; i++)
    callers[i] = call_from (1, port, "");
  for (guint i = 0; i < EACH; i++)
    g_assert_cmpint (wait_for_answer (callers[i]), ==, SRTS_CONNECTED);
  relay_srt_end_work ();
  while (count_connected (callers, EACH) > 1)
    g_usleep (TICK);
  relay_srt_begin_work (); /* what has ended a call has been counted */
  relay_srt_end_work ();
  g_assert_cmpuint (get_figure (opened.end, "callers-misdirected"), ==, EACH - 1);
  g_assert_cmpuint (count_connected (callers, EACH), ==, 1);
  for (guint i = 0; i < EACH; i++)
    srt_close (callers[i]);
  opened_end_clear (&opened);
}

static gboolean
refuse (GstElement *end, const gchar *address, const gchar *streamid, const gchar *key,
    const gchar *name, const gchar *ticket, gint *asked)
{
  gboolean known;

  g_atomic_int_inc (asked);
  g_signal_emit_by_name (end, "decide-caller", ticket, FALSE, "no", NULL, FALSE, &known);
  return TRUE;
}

/* Callers that are refused when their passphrase was right keep their places until libsrt has freed
 * their buffers, a second later. */
static void
test_denied (void)
{
  guint port = pair_get_port ();
  g_autofree gchar *uri = g_strdup_printf ("srt://:%u", port);
  gint64 begun;
  gint asked = 0;
  OpenedEnd opened;

  opened_end_init_output (&opened, uri);
  g_signal_connect (opened.end, "caller-asked", G_CALLBACK (refuse), &asked);
  g_usleep (SETTLED);
  begun = g_get_monotonic_time ();
  for (guint i = 0; i < CROWD * EACH; i++) {
    SRTSOCKET caller = call_from (1, port, "");

    wait_for_answer (caller);
    g_usleep (TICK);
    srt_close (caller);
  }
  g_assert_cmpint (g_atomic_int_get (&asked), >, 0);
  g_assert_cmpint (g_atomic_int_get (&asked), <=,
      EACH * (1 + (g_get_monotonic_time () - begun) / G_USEC_PER_SEC));
  opened_end_clear (&opened);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/srtport/called", test_called);
  g_test_add_func ("/srtport/quiet", test_quiet);
  g_test_add_func ("/srtport/taken-over", test_taken_over);
  g_test_add_func ("/srtport/stuck", test_stuck);
  g_test_add_func ("/srtport/not-opened", test_not_opened);
  g_test_add_func ("/srtport/not-taken", test_not_taken);
  g_test_add_func ("/srtport/crowd", test_crowd);
  g_test_add_func ("/srtport/burst", test_burst);
  g_test_add_func ("/srtport/denied", test_denied);
  return g_test_run ();
}
