/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include "toolnet.h"
#include <errno.h>
#include <linux/sock_diag.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "toolstd.h"

#define BUFFER (16 << 20)

static gint stopped;

gboolean
tool_complain (const gchar *format, ...)
{
  va_list list;

  va_start (list, format);
  fprintf (stderr, "%s: ", g_get_prgname ());
  vfprintf (stderr, format, list);
  fprintf (stderr, "\n");
  va_end (list);
  return FALSE;
}

gboolean
tool_begin (const gchar *usage, const gchar *summary, const GOptionEntry *entries, int *argc,
    char ***argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new (usage);
  g_autoptr (GError) error = NULL;

  tool_begin_standard ();
  g_option_context_set_summary (context, summary);
  g_option_context_add_main_entries (context, entries, NULL);
  tool_add_version (context);
  if (!g_option_context_parse (context, argc, argv, &error))
    return tool_complain ("%s. See --help.", error->message);
  tool_catch_signals ();
  return TRUE;
}

/* -1: *error says why. */
static int
open_family (const gchar *host, int port, int family, gchar **error)
{
  struct addrinfo hints = {.ai_family = family,.ai_socktype = SOCK_DGRAM,
    .ai_flags = host == NULL ? AI_PASSIVE : 0,
  }, *found = NULL;
  g_autofree gchar *service = g_strdup_printf ("%d", port);
  int why = getaddrinfo (host, service, &hints, &found), fd, done = -1;
  gint room = BUFFER, on = TRUE;

  if (why != 0) {
    *error = g_strdup_printf ("%s: %s. Check the name.", host != NULL ? host : "this machine",
        gai_strerror (why));
    return -1;
  }
  fd = socket (found->ai_family, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  if (fd >= 0)
    done = host == NULL ? bind (fd, found->ai_addr, found->ai_addrlen) :
                          connect (fd, found->ai_addr, found->ai_addrlen);
  freeaddrinfo (found);
  if (done == 0) {
    if (setsockopt (fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0)
      setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    setsockopt (fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    setsockopt (fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    if (family == AF_INET6)
      setsockopt (fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
    else if (family == AF_INET)
      setsockopt (fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
    return fd;
  }
  *error = host == NULL ?
      g_strdup_printf ("UDP port %d: %s. Choose another --port.", port, g_strerror (errno)) :
      g_strdup_printf ("%s: %s. Check the route.", host, g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return -1;
}

int
tool_open_udp (const gchar *host, int port)
{
  gchar *error = NULL;
  int fd = open_family (host, port, host == NULL ? AF_INET6 : AF_UNSPEC, &error);

  /* the machine may have no IPv6 */
  if (fd < 0 && host == NULL) {
    g_clear_pointer (&error, g_free);
    fd = open_family (host, port, AF_INET, &error);
  }
  if (fd < 0)
    tool_complain ("%s", error);
  g_free (error);
  return fd;
}

gint
tool_receive (int fd, ToolInbox *in)
{
  memset (in->messages, 0, sizeof in->messages);
  for (guint i = 0; i < TOOL_BATCH; i++) {
    in->pieces[i] = (struct iovec) { in->data[i], TOOL_SIZE_MAX };
    in->messages[i].msg_hdr.msg_iov = &in->pieces[i];
    in->messages[i].msg_hdr.msg_iovlen = 1;
    in->messages[i].msg_hdr.msg_name = &in->from[i];
    in->messages[i].msg_hdr.msg_namelen = sizeof in->from[i];
    in->messages[i].msg_hdr.msg_control = &in->control[i];
    in->messages[i].msg_hdr.msg_controllen = sizeof in->control[i];
  }
  return recvmmsg (fd, in->messages, TOOL_BATCH, 0, NULL);
}

guint32
tool_get_age (const ToolInbox *in, guint i)
{
  struct msghdr *header = (struct msghdr *) &in->messages[i].msg_hdr;

  for (struct cmsghdr *c = CMSG_FIRSTHDR (header); c != NULL; c = CMSG_NXTHDR (header, c)) {
    struct timespec came, now;

    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS
        || c->cmsg_len < CMSG_LEN (sizeof came))
      continue;
    memcpy (&came, CMSG_DATA (c), sizeof came);
    /* the kernel gives the time of day, which may be set meanwhile */
    clock_gettime (CLOCK_REALTIME, &now);
    return CLAMP ((now.tv_sec - came.tv_sec) * G_GINT64_CONSTANT (1000000000) + now.tv_nsec
            - came.tv_nsec,
        0, G_MAXUINT32);
  }
  return 0;
}

guint32
tool_get_drops (int fd)
{
  guint32 figures[SK_MEMINFO_VARS] = { 0 };
  socklen_t size = sizeof figures;

  if (getsockopt (fd, SOL_SOCKET, SO_MEMINFO, figures, &size) != 0)
    return 0;
  return figures[SK_MEMINFO_DROPS];
}

void
tool_answer (ToolInbox *in, guint i)
{
  struct msghdr *header = &in->messages[i].msg_hdr;
  gsize room = 0;

  for (struct cmsghdr *c = CMSG_FIRSTHDR (header); c != NULL && room == 0;
      c = CMSG_NXTHDR (header, c)) {
    if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
      /* lets the routes choose the interface */
      ((struct in6_pktinfo *) CMSG_DATA (c))->ipi6_ifindex = 0;
      room = CMSG_SPACE (sizeof (struct in6_pktinfo));
    } else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
      ((struct in_pktinfo *) CMSG_DATA (c))->ipi_ifindex = 0;
      room = CMSG_SPACE (sizeof (struct in_pktinfo));
    }
    if (room > 0)
      memmove (header->msg_control, c, room);
  }
  header->msg_controllen = room;
}

guint
tool_send (int fd, struct mmsghdr *messages, guint n)
{
  guint refused = 0;

  for (guint done = 0; done < n;) {
    gint taken = sendmmsg (fd, messages + done, n - done, 0);
    struct pollfd p = { fd, POLLOUT, 0 };

    refused += taken < 0 && errno == ECONNREFUSED;
    if (taken < 0 && errno == EAGAIN)
      poll (&p, 1, 100);
    else
      done += MAX (taken, 1);
  }
  return refused;
}

static void
on_signal (int number)
{
  g_atomic_int_set (&stopped, TRUE);
}

void
tool_catch_signals (void)
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };

  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
}

gboolean
tool_is_stopped (void)
{
  return g_atomic_int_get (&stopped);
}
