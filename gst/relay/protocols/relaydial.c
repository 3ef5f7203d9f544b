/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaydial.h"
#include <string.h>
#include <gst/gst.h>
#include "relayprotocoluri.h"

/* So many requests are sent, at this interval, µs: altogether as long as SRT dials
 * (SRTO_CONNTIMEO). */
#define REQUESTS 6
#define REQUEST_EACH (G_USEC_PER_SEC / 2)

/* The induction request (draft-sharabayko-srt-01, 3.2.1 and 4.3.1.1): a header of 16 bytes, and the
 * handshake's 48. */
#define REQUEST_SIZE 64
#define CONTROL 0x80000000u /* a control packet, of the type HANDSHAKE (0) */
#define VERSION 4
#define EXTENSION 2
#define MTU 1500
#define WINDOW 8192
#define INDUCTION 1

static void
write_request (guint8 *request)
{
  memset (request, 0, REQUEST_SIZE);
  GST_WRITE_UINT32_BE (request, CONTROL);
  GST_WRITE_UINT32_BE (request + 16, VERSION);
  GST_WRITE_UINT32_BE (request + 20, EXTENSION);
  GST_WRITE_UINT32_BE (request + 24, g_random_int () >> 1); /* the first sequence number: 31 bits */
  GST_WRITE_UINT32_BE (request + 28, MTU);
  GST_WRITE_UINT32_BE (request + 32, WINDOW);
  GST_WRITE_UINT32_BE (request + 36, INDUCTION);
  GST_WRITE_UINT32_BE (request + 40, g_random_int () >> 2 | 1); /* the caller's socket: not 0 */
}

static GSocket *
open_socket (const gchar *host, guint port, GError **error)
{
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new_from_string (host, port);
  g_autoptr (GSocket) socket = NULL;

  if (address == NULL) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "%s is no address here: name an interface that \"ip link\" lists.", host);
    return NULL;
  }
  socket = g_socket_new (g_socket_address_get_family (address), G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, error);
  return socket != NULL && g_socket_connect (socket, address, NULL, error) ?
      g_steal_pointer (&socket) :
      NULL;
}

/* Sends requests until a datagram, or the system's word that there is none, comes. */
static gboolean
ask (GSocket *socket, GCancellable *cancellable)
{
  guint8 request[REQUEST_SIZE], answer[REQUEST_SIZE];

  /* what makes the socket readable may be no datagram: one with a wrong checksum */
  g_socket_set_blocking (socket, FALSE);
  write_request (request);
  for (guint i = 0; i < REQUESTS; i++) {
    g_socket_send (socket, (const gchar *) request, sizeof request, NULL, NULL);
    if (g_socket_condition_timed_wait (socket, G_IO_IN, REQUEST_EACH, cancellable, NULL))
      return g_socket_receive (socket, (gchar *) answer, sizeof answer, NULL, NULL) >= 0;
  }
  return FALSE;
}

gboolean
relay_dial_srt_answers (const gchar *host, guint port, GCancellable *cancellable, GError **error)
{
  g_autoptr (GSocket) socket = open_socket (host, port, error);
  g_autofree gchar *place = relay_host_with_port (host, port);
  g_autofree gchar *why = relay_dial_describe_silence (place);

  if (socket == NULL)
    return FALSE;
  if (ask (socket, cancellable))
    return TRUE;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, why);
  return FALSE;
}

gchar *
relay_dial_describe_silence (const gchar *place)
{
  return g_strdup_printf (
      "it is not connected, as nothing answers at %s: check that the other side "
      "runs and waits for calls, and the firewalls between.",
      place);
}
