/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dup3() */
#endif
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <gio/gio.h>
#include <netinet/in.h>
#include <srt/access_control.h>
#include "relaydial.h"
#include "relaysrtname.h"
#include "relaysrtsocket.h"

#define LATENCY 125 /* ms: that of GStreamer's elements */
/* How often, and how many times at most, it is looked whether libsrt has read a datagram: µs. */
#define LOOK_EACH 1000
#define LOOKS 500

static gboolean
set_flag (SRTSOCKET socket, SRT_SOCKOPT option, gint value)
{
  return srt_setsockflag (socket, option, &value, sizeof value) == 0;
}

static gboolean
set_text (SRTSOCKET socket, SRT_SOCKOPT option, const gchar *text)
{
  return text == NULL || srt_setsockflag (socket, option, text, strlen (text)) == 0;
}

gboolean
relay_srt_socket_set (SRTSOCKET socket, const RelayProtocolUri *protocol_uri)
{
  gint64 most = relay_protocol_uri_get_uint (protocol_uri, "maxbw", 0);
  guint bytes = relay_protocol_uri_get_uint (protocol_uri, "pbkeylen", 0);
  guint latency = relay_protocol_uri_get_uint (protocol_uri, "latency", LATENCY);

  return set_flag (socket, SRTO_LATENCY, latency)
      && set_text (socket, SRTO_PASSPHRASE, relay_protocol_uri_get (protocol_uri, "passphrase"))
      && (bytes == 0 || set_flag (socket, SRTO_PBKEYLEN, bytes))
      && (most == 0 || srt_setsockflag (socket, SRTO_MAXBW, &most, sizeof most) == 0);
}

SRTSOCKET
relay_srt_socket_new (const RelayProtocolUri *protocol_uri)
{
  SRTSOCKET socket = srt_create_socket ();

  set_flag (socket, SRTO_SNDSYN, FALSE);
  set_flag (socket, SRTO_RCVSYN, FALSE);
  if (set_text (socket, SRTO_BINDTODEVICE, relay_protocol_uri_get (protocol_uri, "interface")))
    return socket;
  srt_close (socket);
  return SRT_INVALID_SOCK;
}

gboolean
relay_srt_socket_bind (SRTSOCKET socket, const gchar *host, guint port)
{
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new_from_string (host, port);
  struct sockaddr_storage native;

  if (address == NULL || !g_socket_address_to_native (address, &native, sizeof native, NULL))
    return FALSE;
  if (native.ss_family == AF_INET6)
    set_flag (socket, SRTO_IPV6ONLY, FALSE);
  return srt_bind (socket, (struct sockaddr *) &native, g_socket_address_get_native_size (address))
      == 0;
}

/* Closes @fd, unless libsrt has: then its number may be another file's. @same: its socket, too. */
static void
close_own (gint fd, gint same)
{
  struct stat one, other;

  if (fstat (fd, &one) == 0 && fstat (same, &other) == 0 && one.st_ino == other.st_ino)
    close (fd);
}

gint
relay_srt_socket_bind_own (SRTSOCKET socket, const gchar *host, guint port)
{
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new_from_string (host, port);
  g_autoptr (GSocket) udp = address == NULL ?
      NULL :
      g_socket_new (g_socket_address_get_family (address), G_SOCKET_TYPE_DATAGRAM,
          G_SOCKET_PROTOCOL_UDP, NULL);
  gint fd;

  if (udp == NULL || srt_getsockstate (socket) != SRTS_INIT)
    return -1;
  if (g_socket_get_family (udp) == G_SOCKET_FAMILY_IPV6) {
    set_flag (socket, SRTO_IPV6ONLY, FALSE);
    g_socket_set_option (udp, IPPROTO_IPV6, IPV6_V6ONLY, FALSE, NULL);
  }
  if (!g_socket_bind (udp, address, FALSE, NULL))
    return -1;
  fd = fcntl (g_socket_get_fd (udp), F_DUPFD_CLOEXEC, 0);
  fcntl (fd, F_SETFL, 0); /* libsrt waits in recvmsg(), and GLib's sockets never wait */
  if (srt_bind_acquire (socket, fd) == 0)
    return fd;
  close_own (fd, g_socket_get_fd (udp));
  return -1;
}

void
relay_srt_socket_cut_off (gint fd)
{
  struct pollfd unread = { fd, POLLIN };
  struct timeval wait = { 0 };
  socklen_t size = sizeof wait;
  gint pair[2];

  if (socketpair (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0)
    return;
  /* libsrt waits in recvmsg() for as long as it has chosen */
  getsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &wait, &size);
  setsockopt (pair[0], SOL_SOCKET, SO_RCVTIMEO, &wait, size);
  send (pair[1], "", 1, 0);
  dup3 (pair[0], fd, O_CLOEXEC);
  for (guint i = 0; i < LOOKS && poll (&unread, 1, 0) > 0; i++)
    g_usleep (LOOK_EACH);
  close (pair[0]);
  close (pair[1]);
}

static gboolean
is_rendezvous (const RelayProtocolUri *protocol_uri)
{
  return g_strcmp0 (relay_protocol_uri_get (protocol_uri, "mode"), "rendezvous") == 0;
}

guint
relay_srt_socket_get_local_port (const RelayProtocolUri *protocol_uri)
{
  return relay_protocol_uri_get_uint (protocol_uri, "localport",
      is_rendezvous (protocol_uri) ? protocol_uri->port : 0);
}

gboolean
relay_srt_socket_is_bound (const RelayProtocolUri *protocol_uri)
{
  return relay_srt_socket_get_local_port (protocol_uri) != 0
      || relay_protocol_uri_get (protocol_uri, "interface") != NULL;
}

gboolean
relay_srt_socket_bind_dialling (SRTSOCKET socket, const RelayProtocolUri *protocol_uri)
{
  static guint shared[2]; /* of IPv4, of IPv6; 0: none has dialled */
  gboolean six = relay_protocol_uri_is_ipv6 (protocol_uri);
  const gchar *any = six ? "::" : "0.0.0.0";
  struct sockaddr_storage native;
  int size = sizeof native;
  g_autoptr (GSocketAddress) bound = NULL;

  set_flag (socket, SRTO_RENDEZVOUS, is_rendezvous (protocol_uri));
  set_text (socket, SRTO_STREAMID, relay_protocol_uri_get (protocol_uri, "streamid"));
  if (relay_srt_socket_is_bound (protocol_uri))
    return relay_srt_socket_bind (socket, any, relay_srt_socket_get_local_port (protocol_uri));
  if (shared[six] != 0 && relay_srt_socket_bind (socket, any, shared[six]))
    return TRUE;
  if (!relay_srt_socket_bind (socket, any, 0)
      || srt_getsockname (socket, (struct sockaddr *) &native, &size) != 0)
    return FALSE;
  bound = g_socket_address_new_from_native (&native, size);
  shared[six] = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound));
  return TRUE;
}

gchar *
relay_srt_socket_explain (SRTSOCKET socket, GSocketAddress *peer)
{
  g_autofree gchar *place = g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (peer));
  int reason = srt_getrejectreason (socket);

  if (reason == SRT_REJ_BADSECRET || reason == SRT_REJ_UNSECURE)
    return g_strdup ("the other side answers, and could not authenticate this one: set the same "
                     "passphrase, or none, on both ends.");
  if (reason == SRT_REJX_NOTFOUND || reason == SRT_REJX_BAD_MODE)
    return g_strdup_printf ("the other side refuses the streamid (code %d of SRT): set the one "
                            "that it has.",
        reason);
  if (reason == SRT_REJX_CONFLICT)
    return g_strdup ("the other side has another sender: stop that one.");
  if (reason != SRT_REJ_UNKNOWN && reason != SRT_REJ_TIMEOUT)
    return g_strdup_printf ("the other side refuses the call (code %d of SRT): look at its log.",
        reason);
  return relay_dial_describe_silence (place);
}

void
relay_srt_socket_add_figures (SRTSOCKET socket, gboolean sends, GstStructure *peer)
{
  SRT_TRACEBSTATS s;
  gint latency = 0;
  int size = sizeof latency;

  srt_getsockflag (socket, sends ? SRTO_PEERLATENCY : SRTO_RCVLATENCY, &latency, &size);
  if (srt_bistats (socket, &s, FALSE, TRUE) != 0)
    return;
  gst_structure_set (peer, "rtt-ms", G_TYPE_DOUBLE, s.msRTT, "negotiated-latency-ms", G_TYPE_UINT64,
      (guint64) latency, NULL);
  if (sends)
    gst_structure_set (peer, "packets-sent", G_TYPE_UINT64, (guint64) s.pktSentTotal,
        "packets-sent-lost", G_TYPE_UINT64, (guint64) s.pktSndLossTotal, "packets-sent-dropped",
        G_TYPE_UINT64, (guint64) s.pktSndDropTotal, "packets-retransmitted", G_TYPE_UINT64,
        (guint64) s.pktRetransTotal, "bytes-sent", G_TYPE_UINT64, s.byteSentTotal,
        "bytes-retransmitted", G_TYPE_UINT64, s.byteRetransTotal, "send-rate-mbps", G_TYPE_DOUBLE,
        s.mbpsSendRate, NULL);
  else
    gst_structure_set (peer, "packets-received", G_TYPE_UINT64, (guint64) s.pktRecvTotal,
        "packets-received-lost", G_TYPE_UINT64, (guint64) s.pktRcvLossTotal, "packets-missing",
        G_TYPE_UINT64, (guint64) s.pktRcvDropTotal, "bytes-received", G_TYPE_UINT64,
        s.byteRecvTotal, "receive-rate-mbps", G_TYPE_DOUBLE, s.mbpsRecvRate, NULL);
}

gchar *
relay_srt_socket_get_streamid (SRTSOCKET socket)
{
  gchar text[RELAY_SRT_STREAMID_MAX + 1] = "";
  int size = sizeof text; /* libsrt wants room for the end of the string, too */

  srt_getsockflag (socket, SRTO_STREAMID, text, &size);
  return g_strndup (text, MAX (size, 0));
}
