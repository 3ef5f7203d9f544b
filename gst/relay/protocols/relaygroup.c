/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <gio/gio.h>
#include "relaygroup.h"
#include "relayprotocol.h"

/* Is the source an address of the same family as the group? */
static gboolean
has_good_source (const RelayProtocolUri *protocol_uri)
{
  g_autoptr (GInetAddress) source = g_inet_address_new_from_string (protocol_uri->source);
  g_autoptr (GInetAddress) group = NULL;

  if (!relay_host_is_group (protocol_uri->host))
    return FALSE;
  group = g_inet_address_new_from_string (protocol_uri->host);
  return source != NULL && !g_inet_address_get_is_multicast (source)
      && g_inet_address_get_family (source) == g_inet_address_get_family (group);
}

gboolean
relay_group_check (const RelayProtocolUri *protocol_uri, gboolean takes_source, GError **error)
{
  if (protocol_uri->source != NULL && !(takes_source && has_good_source (protocol_uri)))
    RELAY_BAD (error,
        "what is before @ is the address of a source that sends to a multicast group, which inputs "
        "of udp:// and rtp:// can choose: write udp://SOURCE@GROUP:PORT, or leave it out.");
  else if (protocol_uri->sends && protocol_uri->host == NULL)
    RELAY_BAD (error, "write where it goes to: %s://HOST:PORT, or a multicast group and its port.",
        protocol_uri->protocol->scheme);
  else if (relay_protocol_uri_get (protocol_uri, "interface") != NULL
      && !relay_host_is_group (protocol_uri->host))
    RELAY_BAD (error,
        "interface is for a multicast group: leave it out, or write the group's address.");
  else
    return TRUE;
  return FALSE;
}

gboolean
relay_group_is_heard (const RelayProtocolUri *protocol_uri)
{
  return relay_host_is_group (protocol_uri->host) && protocol_uri->protocol->receivers[0] != NULL
      && relay_protocol_uri_count_ports (protocol_uri) > 0;
}

/* Makes the kernel deliver only datagrams of the socket's own memberships. By default it also
 * delivers those that come by interfaces at which another program has joined the group, from any
 * source. For IPv6, the socket must be bound to its interface for that, which Linux before 5.7
 * allows only with CAP_NET_RAW; without, everything is delivered. */
static void
take_own_only (GSocket *socket, const gchar *interface)
{
  gint fd = g_socket_get_fd (socket);

  if (g_socket_get_family (socket) != G_SOCKET_FAMILY_IPV6) {
    g_socket_set_option (socket, IPPROTO_IP, IP_MULTICAST_ALL, FALSE, NULL);
    return;
  }
  g_socket_set_option (socket, IPPROTO_IPV6, IPV6_MULTICAST_ALL, FALSE, NULL);
  if (interface != NULL)
    (void) !setsockopt (fd, SOL_SOCKET, SO_BINDTODEVICE, interface, strlen (interface));
}

/* Binds the socket with SO_REUSEADDR. g_socket_bind() would also set SO_REUSEPORT. */
static gboolean
bind_to (GSocket *socket, GInetAddress *group, guint port, const gchar *interface, GError **error)
{
  g_autoptr (GSocketAddress) address = g_object_new (G_TYPE_INET_SOCKET_ADDRESS, "address", group,
      "port", port, "scope-id", interface != NULL ? if_nametoindex (interface) : 0, NULL);
  struct sockaddr_storage native;
  gssize size = g_socket_address_get_native_size (address);

  if (!g_socket_set_option (socket, SOL_SOCKET, SO_REUSEADDR, TRUE, error)
      || !g_socket_address_to_native (address, &native, sizeof native, error))
    return FALSE;
  if (bind (g_socket_get_fd (socket), (struct sockaddr *) &native, size) == 0)
    return TRUE;
  g_set_error_literal (error, G_IO_ERROR, g_io_error_from_errno (errno), g_strerror (errno));
  return FALSE;
}

/* Key of a receiving element's data: why it is in no group (relay_group_get_error). */
#define ERROR "relay-group-error"

/* Joins a named interface, or else that of the routing table. */
static gboolean
join (GSocket *socket, const RelayProtocolUri *protocol_uri, GInetAddress *group, GError **error)
{
  const gchar *interface = relay_protocol_uri_get (protocol_uri, "interface");
  g_autoptr (GInetAddress) source =
      protocol_uri->source != NULL ? g_inet_address_new_from_string (protocol_uri->source) : NULL;

  if (interface != NULL && if_nametoindex (interface) == 0) {
    /* the kernel would take the number 0 for its own choice */
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "there is no network interface %s",
        interface);
    return FALSE;
  }
  if (source != NULL)
    return g_socket_join_multicast_group_ssm (socket, group, source, interface, error);
  return g_socket_join_multicast_group (socket, group, FALSE, interface, error);
}

/* Joins, and keeps the error with the element. */
static gboolean
enter (GstElement *udpsrc, GSocket *socket, const RelayProtocolUri *protocol_uri,
    GInetAddress *group, GError **error)
{
  g_autoptr (GError) why = NULL;
  gboolean good = join (socket, protocol_uri, group, &why);

  g_object_set_data_full (G_OBJECT (udpsrc), ERROR, good ? NULL : g_strdup (why->message), g_free);
  if (!good)
    g_propagate_error (error, g_steal_pointer (&why));
  return good;
}

/* @must: it is the only leg; another one joins its group later if it cannot yet. */
static gboolean
give_socket (const RelayProtocolUri *protocol_uri, GstElement *udpsrc, guint port, gboolean must,
    GError **error)
{
  const gchar *interface = relay_protocol_uri_get (protocol_uri, "interface");
  g_autoptr (GInetAddress) group = g_inet_address_new_from_string (protocol_uri->host);
  g_autoptr (GSocket) socket = g_socket_new (g_inet_address_get_family (group),
      G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, error);

  if (socket == NULL || !bind_to (socket, group, port, interface, error)
      || (!enter (udpsrc, socket, protocol_uri, group, must ? error : NULL) && must)) {
    g_prefix_error (error,
        "cannot join the group %s%s%s; check the address%s and interface: ", protocol_uri->host,
        protocol_uri->source != NULL ? " for what is sent by " : "",
        protocol_uri->source != NULL ? protocol_uri->source : "",
        protocol_uri->source != NULL ? "es" : "");
    return FALSE;
  }
  take_own_only (socket, interface);
  g_object_set (udpsrc, "socket", socket, "auto-multicast", FALSE, NULL);
  return TRUE;
}

gboolean
relay_group_join (const RelayProtocolUri *protocol_uri, GstElement *end, GError **error)
{
  gboolean good = TRUE;

  for (guint i = 0; good && i < G_N_ELEMENTS (protocol_uri->protocol->receivers); i++) {
    g_autoptr (GstElement) udpsrc = relay_chain_get_receiver (protocol_uri, end, i);

    good = udpsrc == NULL
        || give_socket (protocol_uri, udpsrc,
            protocol_uri->port + i * MAX (protocol_uri->protocol->port_step, 1),
            protocol_uri->second == NULL && !protocol_uri->is_second, error);
  }
  return good;
}

static gpointer
copy_text (gpointer text, gpointer unused)
{
  return g_strdup (text);
}

gchar *
relay_group_get_error (const RelayProtocolUri *protocol_uri, GstElement *end)
{
  g_autoptr (GstElement) udpsrc = relay_chain_get_receiver (protocol_uri, end, 0);

  return g_object_dup_data (G_OBJECT (udpsrc), ERROR, copy_text, NULL);
}

static GSocket *
get_socket (GstElement *udpsrc)
{
  GSocket *socket = NULL;

  g_object_get (udpsrc, "socket", &socket, NULL);
  return socket;
}

void
relay_group_join_again (const RelayProtocolUri *protocol_uri, GstElement *end)
{
  const gchar *interface = relay_protocol_uri_get (protocol_uri, "interface");
  g_autoptr (GInetAddress) group = g_inet_address_new_from_string (protocol_uri->host);
  GstElement *udpsrc;

  /* leaves the group with all its sources, as a single source cannot be left at an interface that
   * is gone. The system fails if the socket was not in the group */
  for (guint i = 0; (udpsrc = relay_chain_get_receiver (protocol_uri, end, i)) != NULL; i++) {
    g_autoptr (GSocket) socket = get_socket (udpsrc);

    if (socket != NULL)
      g_socket_leave_multicast_group (socket, group, FALSE, interface, NULL);
    gst_object_unref (udpsrc);
  }
  for (guint i = 0; (udpsrc = relay_chain_get_receiver (protocol_uri, end, i)) != NULL; i++) {
    g_autoptr (GSocket) socket = get_socket (udpsrc);

    if (socket != NULL)
      enter (udpsrc, socket, protocol_uri, group, NULL);
    gst_object_unref (udpsrc);
  }
}
