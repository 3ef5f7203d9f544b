/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaygroup.h"
#include <netinet/in.h>
#include <gio/gio.h>

/* Without this, the kernel would also pass on what comes by interfaces at which another program has
 * joined the group, from any source. */
static void
take_own_only (GSocket *socket)
{
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6)
    g_socket_set_option (socket, IPPROTO_IPV6, IPV6_MULTICAST_ALL, FALSE, NULL);
  else
    g_socket_set_option (socket, IPPROTO_IP, IP_MULTICAST_ALL, FALSE, NULL);
}

static gboolean
join (GSocket *socket, const RelayPlace *place, GInetAddress *group, GError **error)
{
  g_autoptr (GInetAddress) source = g_inet_address_new_from_string (place->source);
  const gchar *interface = relay_place_get (place, "interface");
  g_auto (GStrv) interfaces = interface != NULL ? g_strsplit (interface, ",", -1) : NULL;

  if (interfaces == NULL)
    return g_socket_join_multicast_group_ssm (socket, group, source, NULL, error);
  for (guint i = 0; interfaces[i] != NULL; i++)
    if (!g_socket_join_multicast_group_ssm (socket, group, source, interfaces[i], error))
      return FALSE;
  return TRUE;
}

gboolean
relay_group_join (const RelayPlace *place, GstElement *udpsrc, GError **error)
{
  g_autoptr (GInetAddress) group = g_inet_address_new_from_string (place->host);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (group, place->port);
  g_autoptr (GSocket) socket = g_socket_new (g_inet_address_get_family (group),
      G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, error);

  if (socket == NULL || !g_socket_bind (socket, address, TRUE, error)
      || !join (socket, place, group, error)) {
    g_prefix_error (error,
        "cannot join the group %s for what %s sends; check both and interface: ", place->host,
        place->source);
    return FALSE;
  }
  take_own_only (socket);
  g_object_set (udpsrc, "socket", socket, "auto-multicast", FALSE, NULL);
  return TRUE;
}
