/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspnetwindows.c: Winsock. Sockets are small numbers on all versions of Windows, so that they fit
 * into an int, as in GLib.
 */
#include "faspnet.h"
#include <errno.h>
#include <gio/gnetworking.h>
#include <mmsystem.h>

/* The most pieces of a message: faspsendbatch.c has no more for one datagram. */
#define PIECES_MAX 4
#ifndef SIO_UDP_CONNRESET
#define SIO_UDP_CONNRESET _WSAIOW (IOC_VENDOR, 12)
#endif

static const struct
{
  gint code, posix;
} errors[] = {
  { WSAEWOULDBLOCK, EAGAIN },
  { WSAEINTR, EINTR },
  { WSAEACCES, EACCES },
  { WSAEFAULT, EFAULT },
  { WSAEINVAL, EINVAL },
  { WSAEMFILE, EMFILE },
  { WSAENOTSOCK, ENOTSOCK },
  { WSAEMSGSIZE, EMSGSIZE },
  { WSAENOPROTOOPT, ENOPROTOOPT },
  { WSAEPROTONOSUPPORT, EPROTONOSUPPORT },
  { WSAEOPNOTSUPP, EOPNOTSUPP },
  { WSAEAFNOSUPPORT, EAFNOSUPPORT },
  { WSAEADDRINUSE, EADDRINUSE },
  { WSAEADDRNOTAVAIL, EADDRNOTAVAIL },
  { WSAENETDOWN, ENETDOWN },
  { WSAENETUNREACH, ENETUNREACH },
  { WSAENETRESET, ENETRESET },
  { WSAECONNRESET, ECONNREFUSED }, /* an ICMP that came back */
  { WSAENOBUFS, ENOBUFS },
  { WSAECONNREFUSED, ECONNREFUSED },
  { WSAEHOSTUNREACH, EHOSTUNREACH },
};

/* Sets errno as the last call's error says. TRUE: it did not fail. */
static gboolean
note (gint result)
{
  gint code = result == 0 ? 0 : WSAGetLastError ();

  if (result == 0)
    return TRUE;
  errno = EIO;
  for (guint i = 0; i < G_N_ELEMENTS (errors); i++)
    if (errors[i].code == code)
      errno = errors[i].posix;
  return FALSE;
}

gint
fasp_net_open (gint family)
{
  DWORD off = FALSE, ignored;
  u_long on = 1;
  gint fd;

  g_networking_init ();
  fd = (gint) WSASocketW (family, SOCK_DGRAM, IPPROTO_UDP, NULL, 0,
      WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
  if (!note (fd < 0))
    return -1;
  ioctlsocket (fd, FIONBIO, &on);
  /* otherwise an ICMP that came back looks like a failure to receive */
  WSAIoctl (fd, SIO_UDP_CONNRESET, &off, sizeof off, NULL, 0, &ignored, NULL, NULL);
  return fd;
}

void
fasp_net_close (gint fd)
{
  closesocket (fd);
}

gboolean
fasp_net_bind (gint fd, gconstpointer address, gsize size)
{
  return note (bind (fd, address, size));
}

gboolean
fasp_net_connect (gint fd, gconstpointer address, gsize size)
{
  return note (connect (fd, address, size));
}

gboolean
fasp_net_get_bound (gint fd, struct sockaddr_storage *bound, gsize *size)
{
  socklen_t length = sizeof *bound;
  gboolean known = note (getsockname (fd, (struct sockaddr *) bound, &length));

  *size = length;
  return known;
}

gboolean
fasp_net_set (gint fd, gint level, gint name, gconstpointer value, gsize size)
{
  return note (setsockopt (fd, level, name, value, size));
}

gboolean
fasp_net_get_int (gint fd, gint level, gint name, gint *value)
{
  socklen_t size = sizeof *value;

  return note (getsockopt (fd, level, name, (gpointer) value, &size));
}

gboolean
fasp_net_set_interface4 (gint fd, guint index)
{
  return fasp_net_set_int (fd, IPPROTO_IP, IP_MULTICAST_IF, g_htonl (index));
}

/* Says the message in Winsock's words. @buffers: room for PIECES_MAX. */
static WSAMSG
translate (const struct msghdr *message, WSABUF *buffers)
{
  g_assert (message->msg_iovlen <= PIECES_MAX);
  for (gsize i = 0; i < message->msg_iovlen; i++)
    buffers[i] = (WSABUF) { message->msg_iov[i].iov_len, message->msg_iov[i].iov_base };
  return (WSAMSG) { message->msg_name, message->msg_namelen, buffers, message->msg_iovlen,
    { message->msg_controllen, message->msg_control }, 0 };
}

gssize
fasp_net_send (gint fd, const struct msghdr *message)
{
  WSABUF buffers[PIECES_MAX];
  WSAMSG translated = translate (message, buffers);
  DWORD sent = 0;
  gint failed;

  /* WSASendMsg() is for sockets that are not connected */
  if (message->msg_name == NULL)
    failed = WSASend (fd, buffers, translated.dwBufferCount, &sent, 0, NULL, NULL);
  else
    failed = WSASendMsg (fd, &translated, 0, &sent, NULL, NULL);
  return note (failed) ? (gssize) sent : -1;
}

static LPFN_WSARECVMSG
find_receive (gint fd)
{
  static gpointer found; /* atomic */
  GUID id = WSAID_WSARECVMSG;
  LPFN_WSARECVMSG receive = g_atomic_pointer_get (&found);
  DWORD size;

  if (receive == NULL
      && note (WSAIoctl (fd, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof id, &receive,
          sizeof receive, &size, NULL, NULL)))
    g_atomic_pointer_set (&found, (gpointer) receive);
  return receive;
}

gssize
fasp_net_receive (gint fd, struct msghdr *message)
{
  LPFN_WSARECVMSG receive = find_receive (fd);
  WSABUF buffers[PIECES_MAX];
  WSAMSG translated = translate (message, buffers);
  DWORD received = 0;

  if (receive == NULL || !note (receive (fd, &translated, &received, NULL, NULL)))
    return -1;
  message->msg_namelen = translated.namelen;
  message->msg_controllen = translated.Control.len;
  return received;
}

gint
fasp_net_poll (struct pollfd *fds, guint n, FaspTime timeout)
{
  struct pollfd used[FASP_FLOWS_MAX + 1];
  guint which[FASP_FLOWS_MAX + 1], count = 0;
  gint ready;

  /* WSAPoll() has no descriptor that is left out */
  for (guint i = 0; i < n; i++) {
    fds[i].revents = 0;
    if ((gssize) fds[i].fd >= 0) {
      which[count] = i;
      used[count++] = fds[i];
    }
  }
  ready = WSAPoll (used, count, fasp_net_to_milliseconds (timeout));
  note (ready < 0);
  for (guint i = 0; i < count; i++)
    fds[which[i]].revents = used[i].revents;
  return ready;
}

void
fasp_net_wait_precisely (void)
{
  static gsize once;

  /* of the whole process: the default is 15.6 ms */
  if (g_once_init_enter (&once)) {
    timeBeginPeriod (1);
    g_once_init_leave (&once, 1);
  }
}
