/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <string.h>
#include "faspecn.h"
#include "faspinterface.h"
#include "faspmembership.h"
#include "faspmessages.h"
#include "faspoptions.h"
#include "faspsocket.h"

struct _FaspSocket
{
  gint fd;
  gint family;
  gboolean maps; /* an IPv6 socket that reaches IPv4 addresses, too */
  gint port;     /* atomic */
  gsize buffer;
  gchar *interface;  /* NULL: any */
  gint early;        /* atomic: its address or interface was missing when it was opened, and still
                        is */
  gboolean any_port; /* the kernel has chosen the port */
};

/* --- opening ------------------------------------------------------------------- */

static void
fail (GError **error, const gchar *what, const gchar *hint)
{
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "%s: %s. %s", what,
      g_strerror (errno), hint);
}

static gboolean
set_int (FaspSocket *s, gint level, gint name, gint value)
{
  return fasp_net_set_int (s->fd, level, name, value);
}

static GSocketAddress *
local_address (const FaspSocketSettings *settings, gint family, GError **error)
{
  GSocketAddress *address;

  if (settings->local_address == NULL || settings->local_address[0] == '\0') {
    g_autoptr (GInetAddress) any =
        g_inet_address_new_any (family == AF_INET6 ? G_SOCKET_FAMILY_IPV6 : G_SOCKET_FAMILY_IPV4);

    return g_inet_socket_address_new (any, settings->local_port);
  }
  address = g_inet_socket_address_new_from_string (settings->local_address, settings->local_port);
  if (address == NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "localaddress \"%s\" is not an IP address. Give one of this "
        "machine's addresses (see `ip address'), or leave it out for all "
        "of them.",
        settings->local_address);
  return address;
}

gboolean
fasp_socket_check (const FaspSocketSettings *settings, GError **error)
{
  g_autoptr (GSocketAddress) address = local_address (settings, AF_INET6, error);

  return address != NULL;
}

/* A link-local group exists behind each interface. The address must say which one is
 * meant when the socket is bound. */
static void
set_scope (struct sockaddr_storage *native, const FaspMembership *joins)
{
  struct sockaddr_in6 *six = (struct sockaddr_in6 *) native;

  if (joins != NULL && joins->interface != NULL && native->ss_family == AF_INET6
      && (IN6_IS_ADDR_MC_LINKLOCAL (&six->sin6_addr) || IN6_IS_ADDR_MC_NODELOCAL (&six->sin6_addr)))
    six->sin6_scope_id = if_nametoindex (joins->interface);
}

/* Notes the interface of a link-local address, to which the kernel binds the socket, too. */
static void
note_socket (FaspSocket *s, const struct sockaddr_storage *native)
{
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *) native;
  gchar name[IF_NAMESIZE];

  if (s->interface == NULL && native->ss_family == AF_INET6
      && (IN6_IS_ADDR_LINKLOCAL (&six->sin6_addr) || IN6_IS_ADDR_MC_LINKLOCAL (&six->sin6_addr)
          || IN6_IS_ADDR_MC_NODELOCAL (&six->sin6_addr))
      && if_indextoname (six->sin6_scope_id, name) != NULL)
    s->interface = g_strdup (name);
}

static const gchar *
explain_bind (const FaspSocketSettings *settings, gint why)
{
  switch (why) {
    case EADDRINUSE:
      return "Another program has it, or an element that does not share its port "
             "(flowlets, bonding-addresses, multicast, rendezvous): choose another "
             "localport (if a URI listens, the port in it), or find out with "
             "`ss -ulpn' which program has it.";
    case EACCES:
      return "Ports below 1024 need privileges: choose a higher localport.";
    case EADDRNOTAVAIL:
      return "This machine has no such address: `ip address' lists those that it has.";
    case EINVAL:
      return settings->joins != NULL ?
          "A link-local group needs its interface: set multicast-iface." :
          "A link-local address needs its interface: "
          "write ADDRESS%eth0, in the host of a URI ADDRESS%25eth0.";
    default:
      return "Check localaddress and localport.";
  }
}

/* Binds to an address that the machine does not have yet. */
static gboolean
bind_early (FaspSocket *s, const struct sockaddr_storage *native, gssize size)
{
  s->early = fasp_options_bind_early (s->fd);
  return s->early && fasp_net_bind (s->fd, native, size);
}

static gboolean
bind_socket (FaspSocket *s, const FaspSocketSettings *settings, GSocketAddress *address,
    GError **error)
{
  struct sockaddr_storage native;
  gssize size = g_socket_address_get_native_size (address);
  g_autofree gchar *what = g_strdup_printf ("Cannot use UDP port %u%s%s", settings->local_port,
      settings->local_address ? " of " : "",
      settings->local_address ? settings->local_address : "");

  if (!g_socket_address_to_native (address, &native, sizeof (native), error))
    return FALSE;
  set_scope (&native, settings->joins);
  if (fasp_net_bind (s->fd, &native, size)
      || (errno == EADDRNOTAVAIL && settings->may_come && bind_early (s, &native, size))) {
    note_socket (s, &native);
    return TRUE;
  }
  fail (error, what, explain_bind (settings, errno));
  return FALSE;
}

static gboolean
bind_to_interface (FaspSocket *s, gboolean may_come)
{
  if (fasp_interface_bind (s->fd, s->interface))
    return TRUE;
  s->early = errno == ENODEV && may_come;
  return s->early && fasp_interface_await (s->fd);
}

gsize
fasp_socket_set_buffer (FaspSocket *s, gsize wanted)
{
  gint size = MIN (wanted, G_MAXINT / 4);

  fasp_options_set_buffer (s->fd, SO_RCVBUF, size);
  fasp_options_set_buffer (s->fd, SO_SNDBUF, size);
  return fasp_options_get_buffer (s->fd);
}

static gboolean
set_options (FaspSocket *s, const FaspSocketSettings *settings, GError **error)
{
  gboolean six = s->family == AF_INET6;

  fasp_options_keep_whole (s->fd, six);
  fasp_options_want_reports (s->fd, six);
  if (s->interface != NULL && !bind_to_interface (s, settings->may_come)) {
    g_autofree gchar *what = g_strdup_printf ("Cannot use interface \"%s\"", s->interface);

    fail (error, what,
        errno == ENOTSUP ?
            "This system cannot bind to one: set localaddress to its address instead." :
            errno == EPERM ? "Binding to an interface needs CAP_NET_RAW: set localaddress to its "
                             "address instead." :
                             "`ip link' lists the interfaces of this machine.");
    return FALSE;
  }
  if (settings->tos >= 0) {
    /* the last two bits are ECN's, and are set by us */
    set_int (s, IPPROTO_IP, IP_TOS, settings->tos & ~FASP_ECN_MASK);
    if (six)
      set_int (s, IPPROTO_IPV6, IPV6_TCLASS, settings->tos & ~FASP_ECN_MASK);
  }
  /* for the ECN marks of received datagrams */
  set_int (s, IPPROTO_IP, IP_RECVTOS, 1);
  if (six)
    set_int (s, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
  if (settings->answers && six)
    set_int (s, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
  else if (settings->answers)
    set_int (s, IPPROTO_IP, IP_PKTINFO, 1);
  if (settings->ttl > 0) {
    set_int (s, IPPROTO_IP, IP_TTL, settings->ttl);
    if (six)
      set_int (s, IPPROTO_IPV6, IPV6_UNICAST_HOPS, settings->ttl);
  }
  fasp_messages_join (s->fd);
  s->buffer = fasp_socket_set_buffer (s, settings->buffer);
  return TRUE;
}

static gboolean
get_bound (const FaspSocket *s, struct sockaddr_in6 *bound)
{
  struct sockaddr_storage native;
  gsize size;
  gboolean known = fasp_net_get_bound (s->fd, &native, &size);

  memcpy (bound, &native, sizeof *bound);
  return known;
}

static void
note_port (FaspSocket *s)
{
  struct sockaddr_in6 bound;

  /* the port is at the same place in both families */
  if (get_bound (s, &bound))
    g_atomic_int_set (&s->port, g_ntohs (bound.sin6_port));
}

/* Does the address that the IPv6 socket is bound to reach IPv4 addresses, too? */
static gboolean
reaches_ipv4 (const FaspSocket *s)
{
  struct sockaddr_in6 bound;

  return !get_bound (s, &bound) || IN6_IS_ADDR_UNSPECIFIED (&bound.sin6_addr)
      || IN6_IS_ADDR_V4MAPPED (&bound.sin6_addr);
}

static gboolean
open_family (FaspSocket *s, const FaspSocketSettings *settings, GSocketAddress *address,
    GError **error)
{
  s->fd = fasp_net_open (s->family);
  if (s->fd < 0) {
    fail (error, "Cannot open a UDP socket", "Check the limit of open files (`ulimit -n').");
    return FALSE;
  }
  if (s->family == AF_INET6)
    set_int (s, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (settings->joins != NULL) /* other sockets of this machine may listen to the same group */
    set_int (s, SOL_SOCKET, SO_REUSEADDR, 1);
  if (!set_options (s, settings, error) || !bind_socket (s, settings, address, error))
    return FALSE;
  note_port (s);
  s->maps = s->family == AF_INET6 && reaches_ipv4 (s);
  return TRUE;
}

FaspSocket *
fasp_socket_new (const FaspSocketSettings *settings, GError **error)
{
  FaspSocket *s = g_new0 (FaspSocket, 1);
  g_autoptr (GSocketAddress) address = NULL;
  g_autoptr (GError) why = NULL;
  gboolean any = settings->local_address == NULL || settings->local_address[0] == '\0';

  s->fd = -1;
  s->family = AF_INET6;
  s->any_port = settings->local_port == 0;
  if (settings->interface != NULL && settings->interface[0] != '\0')
    s->interface = g_strdup (settings->interface);
  address = local_address (settings, s->family, error);
  if (address == NULL)
    goto failed;
  if (!any)
    s->family = g_socket_address_get_family (address) == G_SOCKET_FAMILY_IPV6 ? AF_INET6 : AF_INET;
  if (open_family (s, settings, address, &why))
    return s;
  if (any && !g_error_matches (why, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE)) {
    /* A machine without IPv6. If only the port is taken, do not fall back to IPv4
     * alone. */
    if (s->fd >= 0)
      fasp_net_close (s->fd);
    s->family = AF_INET;
    g_clear_object (&address);
    address = local_address (settings, s->family, error);
    if (open_family (s, settings, address, error))
      return s;
  } else {
    g_propagate_error (error, g_steal_pointer (&why));
  }
failed:
  fasp_socket_free (s);
  return NULL;
}

void
fasp_socket_free (FaspSocket *s)
{
  if (s == NULL)
    return;
  if (s->fd >= 0)
    fasp_net_close (s->fd);
  g_free (s->interface);
  g_free (s);
}

gboolean
fasp_socket_is_early (const FaspSocket *s)
{
  return g_atomic_int_get (&s->early);
}

/* Could another socket be bound to its address? */
static gboolean
has_address (const FaspSocket *s)
{
  struct sockaddr_storage local;
  gsize size;
  gint fd = fasp_net_open (s->family);
  gboolean has = fd >= 0 && fasp_net_get_bound (s->fd, &local, &size);

  if (has) {
    /* the port is at the same place in both families */
    ((struct sockaddr_in *) &local)->sin_port = 0;
    has = fasp_net_bind (fd, &local, size);
  }
  if (fd >= 0)
    fasp_net_close (fd);
  return has;
}

gboolean
fasp_socket_has_come (FaspSocket *s)
{
  if (fasp_socket_is_early (s)
      && (s->interface == NULL || fasp_interface_is_bound (s->fd, s->interface)) && has_address (s))
    g_atomic_int_set (&s->early, FALSE);
  return !fasp_socket_is_early (s);
}

gboolean
fasp_socket_has_interface (const FaspSocket *s)
{
  return s->interface != NULL;
}

void
fasp_socket_follow_interface (FaspSocket *s)
{
  if (s->interface != NULL)
    fasp_interface_follow (s->fd, s->interface);
}

void
fasp_socket_change_port (FaspSocket *s)
{
  if (!s->any_port || fasp_socket_is_early (s))
    return;
  fasp_interface_bind_anew (s->fd, s->interface, FALSE);
  note_port (s); /* the address stays, and the thread that resolves names reads `maps' */
}

gint
fasp_socket_get_fd (const FaspSocket *s)
{
  return s->fd;
}

gint
fasp_socket_get_family (const FaspSocket *s)
{
  return s->family;
}

guint16
fasp_socket_get_port (const FaspSocket *s)
{
  return g_atomic_int_get (&s->port);
}

gsize
fasp_socket_get_buffer (const FaspSocket *s)
{
  return s->buffer;
}

/* --- addresses ---------------------------------------------------------------------- */

void
fasp_socket_address_from_native (const struct sockaddr_storage *native, FaspAddress *address)
{
  memset (address, 0, sizeof (*address));
  /* Addresses of one peer have the same bytes: without the flow label, the length that the kernels
   * of macOS and BSD write, and padding. */
  if (native->ss_family == AF_INET6) {
    const struct sockaddr_in6 *from = (const struct sockaddr_in6 *) native;
    struct sockaddr_in6 six = { .sin6_family = AF_INET6,
      .sin6_port = from->sin6_port,
      .sin6_addr = from->sin6_addr,
      .sin6_scope_id = from->sin6_scope_id };

    address->len = sizeof (six);
    address->overhead = IN6_IS_ADDR_V4MAPPED (&six.sin6_addr) ? 28 : 48;
    memcpy (address->bytes, &six, sizeof (six));
  } else {
    const struct sockaddr_in *from = (const struct sockaddr_in *) native;
    struct sockaddr_in four = { .sin_family = native->ss_family,
      .sin_port = from->sin_port,
      .sin_addr = from->sin_addr };

    address->len = sizeof (four);
    address->overhead = 28;
    memcpy (address->bytes, &four, sizeof (four));
  }
}

/* A link-local address exists behind each interface: the address or the socket says which. */
static gboolean
lacks_scope (const FaspSocket *s, const struct sockaddr_storage *native)
{
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *) native;

  return native->ss_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL (&six->sin6_addr)
      && six->sin6_scope_id == 0 && s->interface == NULL;
}

gboolean
fasp_socket_convert (const FaspSocket *s, GSocketAddress *address, FaspAddress *result)
{
  struct sockaddr_storage native = { 0 };

  if (!g_socket_address_to_native (address, &native, sizeof (native), NULL))
    return FALSE;
  if (s->maps && native.ss_family == AF_INET) {
    struct sockaddr_in four = *(struct sockaddr_in *) &native;
    struct sockaddr_in6 six = { .sin6_family = AF_INET6 };

    six.sin6_port = four.sin_port;
    six.sin6_addr.s6_addr[10] = six.sin6_addr.s6_addr[11] = 0xff;
    memcpy (&six.sin6_addr.s6_addr[12], &four.sin_addr, 4);
    memcpy (&native, &six, sizeof (six));
  } else if (s->family != native.ss_family || lacks_scope (s, &native)) {
    return FALSE;
  }
  fasp_socket_address_from_native (&native, result);
  return TRUE;
}

GSocketAddress *
fasp_socket_address_to_gio (const FaspAddress *address)
{
  struct sockaddr_in6 six;

  memcpy (&six, address->bytes, sizeof (six));
  if (six.sin6_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED (&six.sin6_addr)) {
    struct sockaddr_in four = { .sin_family = AF_INET };

    four.sin_port = six.sin6_port;
    memcpy (&four.sin_addr, &six.sin6_addr.s6_addr[12], 4);
    return g_socket_address_new_from_native (&four, sizeof (four));
  }
  return g_socket_address_new_from_native ((gpointer) address->bytes, address->len);
}

/* --- what the network reports ------------------------------------------------------- */

gboolean
fasp_socket_get_unreachable (FaspSocket *s, FaspAddress *to)
{
  struct sockaddr_storage native = { 0 };
  gboolean found = fasp_options_read_report (s->fd, &native);

  if (found)
    fasp_socket_address_from_native (&native, to);
  return found;
}
