/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspnet.h: the calls of the system that sockets need, under POSIX's names.
 *
 * A call that fails sets errno, with POSIX's meaning, on Windows, too. meson chooses the files
 * that make them (-Dio): faspnetlinux.c or faspnetposix.c, with faspnetunix.c and faspnetppoll.c or
 * faspnetselect.c; or faspnetwindows.c alone.
 */
#pragma once

#ifdef __APPLE__
#define __APPLE_USE_RFC_3542 /* IPV6_RECVPKTINFO */
#endif
#include "fasptypes.h"
#include "faspwinsock.h"
#ifndef G_OS_WIN32
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
/* The member of struct in_pktinfo with the local address that a datagram came to or leaves from. */
#ifdef IP_PKTINFO
#define FASP_NET_LOCAL ipi_spec_dst
#else /* FreeBSD, OpenBSD: a control message of the address alone */
#define IP_PKTINFO IP_RECVDSTADDR
struct in_pktinfo
{
  struct in_addr ipi_addr;
};
#define FASP_NET_LOCAL ipi_addr
#endif
#if defined(__APPLE__) || defined(__FreeBSD__)
#define FASP_NET_RECEIVED_TOS IP_RECVTOS
#endif
#endif
/* The type of the control message with the type of service of a received datagram. */
#ifndef FASP_NET_RECEIVED_TOS
#define FASP_NET_RECEIVED_TOS IP_TOS
#endif

G_BEGIN_DECLS

/* Opens a UDP socket that does not block, and that programs which this one starts do not inherit.
 * -1: errno says why. */
gint fasp_net_open (gint family);
void fasp_net_close (gint fd);
gboolean fasp_net_bind (gint fd, gconstpointer address, gsize size);
gboolean fasp_net_connect (gint fd, gconstpointer address, gsize size);
/* Gets the address that the socket is bound to. */
gboolean fasp_net_get_bound (gint fd, struct sockaddr_storage *bound, gsize *size);
gboolean fasp_net_set (gint fd, gint level, gint name, gconstpointer value, gsize size);
gboolean fasp_net_get_int (gint fd, gint level, gint name, gint *value);
/* IP_MULTICAST_IF of an IPv4 socket. */
gboolean fasp_net_set_interface4 (gint fd, guint index);
/* sendmsg() and recvmsg(): a datagram. */
gssize fasp_net_send (gint fd, const struct msghdr *message);
gssize fasp_net_receive (gint fd, struct msghdr *message);
/* poll(). A descriptor of -1 is left out. */
gint fasp_net_poll (struct pollfd *fds, guint n, FaspTime timeout);
/* From now on, waits of this thread end on time: a late end would widen each gap between
 * datagrams. */
void fasp_net_wait_precisely (void);

static inline gboolean
fasp_net_set_int (gint fd, gint level, gint name, gint value)
{
  return fasp_net_set (fd, level, name, &value, sizeof value);
}

/* For a call that takes milliseconds: wakes late rather than too early. -1: never. */
static inline gint
fasp_net_to_milliseconds (FaspTime timeout)
{
  return timeout == FASP_NEVER ?
      -1 :
      (gint) MIN (timeout / FASP_MSEC + (timeout % FASP_MSEC > 0), G_MAXINT);
}

G_END_DECLS
