/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <string.h>
#include "faspmembership.h"
#include "faspnet.h"
#include "faspoptions.h"

/* The number of the interface; 0: chosen by the routing table. */
static gboolean
find_interface (const FaspMembership *m, guint *index, GError **error)
{
  *index = 0;
  if (m->interface == NULL || m->interface[0] == '\0')
    return TRUE;
  *index = if_nametoindex (m->interface);
  if (*index == 0)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
        "There is no network interface \"%s\": `ip link' lists the interfaces of "
        "this machine. Set multicast-iface to one of them.",
        m->interface);
  return *index != 0;
}

static gboolean
to_native (const gchar *address, guint16 port, struct sockaddr_storage *native, GError **error)
{
  g_autoptr (GSocketAddress) a = g_inet_socket_address_new_from_string (address, port);

  memset (native, 0, sizeof *native);
  if (a == NULL) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "\"%s\" is not an IP address: write that of the sender in multicast-source.", address);
    return FALSE;
  }
  return g_socket_address_to_native (a, native, sizeof *native, error);
}

static gboolean
check_families (gint family, gint source, GError **error)
{
  if (source != family)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "multicast-source and the group have to be both IPv4 or both IPv6 addresses.");
  return source == family;
}

static gint
get_level (gint family)
{
  return family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
}

/* Joins the group at this interface. FALSE: *error or errno says why. */
static gboolean
enter (const FaspMembership *m, gint fd, gint family, guint index, GError **error)
{
  gint level = get_level (family);
  struct group_source_req one = { .gsr_interface = index };
  struct group_req any = { .gr_interface = index };

  if (!to_native (m->group, 0, &any.gr_group, error))
    return FALSE;
  if (m->source == NULL || m->source[0] == '\0')
    return fasp_net_set (fd, level, MCAST_JOIN_GROUP, &any, sizeof any);
  one.gsr_group = any.gr_group;
  return to_native (m->source, 0, &one.gsr_source, error)
      && check_families (family, one.gsr_source.ss_family, error)
      && fasp_net_set (fd, level, MCAST_JOIN_SOURCE_GROUP, &one, sizeof one);
}

/* Leaves the group with all its sources: a single source cannot be left where the
 * interface is gone. */
static void
leave (const FaspMembership *m, gint fd, gint family, guint index)
{
  struct group_req any = { .gr_interface = index };

  if (to_native (m->group, 0, &any.gr_group, NULL))
    fasp_net_set (fd, get_level (family), MCAST_LEAVE_GROUP, &any, sizeof any);
}

gboolean
fasp_membership_join (const FaspMembership *m, const FaspSocket *socket, GError **error)
{
  gint fd = fasp_socket_get_fd (socket);
  g_autoptr (GError) why = NULL;
  guint index;

  if (!find_interface (m, &index, error))
    return FALSE;
  fasp_options_hear_own_groups (fd);
  if (enter (m, fd, fasp_socket_get_family (socket), index, &why))
    return TRUE;
  if (why != NULL) {
    g_propagate_error (error, g_steal_pointer (&why));
    return FALSE;
  }
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "Cannot join the group %s: %s. %s",
      m->group, g_strerror (errno),
      errno == ENODEV || errno == EADDRNOTAVAIL ?
          "There is no route for it: set "
          "multicast-iface to the interface that the sender is behind." :
          errno == ENOBUFS ?
          "This machine is in too many groups: raise net.ipv4.igmp_max_memberships." :
          "Check multicast-iface and the address.");
  return FALSE;
}

gboolean
fasp_membership_prepare (const FaspMembership *m, const FaspSocket *socket, FaspAddress *group,
    GError **error)
{
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new_from_string (m->group, m->port);
  gint fd = fasp_socket_get_fd (socket);
  guint index;
  gboolean good;

  if (!find_interface (m, &index, error))
    return FALSE;
  if (address == NULL || !fasp_socket_convert (socket, address, group)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE,
        "The group %s cannot be reached from this socket: IPv4 and IPv6 do not "
        "mix. Change localaddress, or the group.",
        m->group);
    return FALSE;
  }
  if (g_socket_address_get_family (address) == G_SOCKET_FAMILY_IPV6)
    good = fasp_net_set_int (fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, index)
        && fasp_net_set_int (fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, m->ttl)
        && fasp_net_set_int (fd, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, m->loop);
  else
    good = fasp_net_set_interface4 (fd, index)
        && fasp_net_set_int (fd, IPPROTO_IP, IP_MULTICAST_TTL, m->ttl)
        && fasp_net_set_int (fd, IPPROTO_IP, IP_MULTICAST_LOOP, m->loop);
  if (!good)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
        "Cannot send to the group %s: %s. Check multicast-iface.", m->group, g_strerror (errno));
  return good;
}

gboolean
fasp_membership_move (const FaspMembership *m, const FaspSocket *socket, guint from, guint to)
{
  gint fd = fasp_socket_get_fd (socket);
  gint family = fasp_socket_get_family (socket);

  /* the old membership counts against the limit even if its interface is gone */
  leave (m, fd, family, from);
  return enter (m, fd, family, to, NULL);
}
