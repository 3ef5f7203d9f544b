/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspwinsock.h: Winsock's types under POSIX's names, on Windows (faspnet.h).
 */
#pragma once

#include <glib.h>

#ifdef G_OS_WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
#include <mswsock.h>
#include <iphlpapi.h>
/* COM's word for a struct */
#undef interface

/* Constants that older headers lack, from Microsoft's ws2ipdef.h. */
#ifndef IP_RECVTOS
#define IP_RECVTOS 40
#endif
#ifndef IPV6_TCLASS
#define IPV6_TCLASS 39
#endif
#ifndef IPV6_RECVTCLASS
#define IPV6_RECVTCLASS 40
#endif
#ifndef IPV6_RECVPKTINFO
#define IPV6_RECVPKTINFO IPV6_PKTINFO
#endif
#ifndef IF_NAMESIZE
#define IF_NAMESIZE 256
#endif

#define FASP_NET_LOCAL ipi_addr

struct iovec
{
  void *iov_base;
  size_t iov_len;
};

struct msghdr
{
  void *msg_name;
  socklen_t msg_namelen;
  struct iovec *msg_iov;
  size_t msg_iovlen;
  void *msg_control;
  size_t msg_controllen;
};

#define cmsghdr _WSACMSGHDR
#define CMSG_SPACE(size) WSA_CMSG_SPACE (size)
#define CMSG_LEN(size) WSA_CMSG_LEN (size)
#undef CMSG_DATA
#define CMSG_DATA(header) WSA_CMSG_DATA (header)
#define CMSG_FIRSTHDR(message) \
  ((message)->msg_controllen >= sizeof (struct cmsghdr) ? \
          (struct cmsghdr *) (message)->msg_control : \
          NULL)
#define CMSG_NXTHDR(message, header) fasp_winsock_next (message, header)

static inline struct cmsghdr *
fasp_winsock_next (const struct msghdr *message, const struct cmsghdr *header)
{
  guint8 *next = (guint8 *) header + WSA_CMSGHDR_ALIGN (header->cmsg_len);
  guint8 *end = (guint8 *) message->msg_control + message->msg_controllen;

  return header->cmsg_len < sizeof *header || (gsize) (end - next) < sizeof *header || next > end ?
      NULL :
      (struct cmsghdr *) next;
}
#endif
