/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <time.h>
#include <linux/errqueue.h>
#include "faspoptions.h"

/* This many error reports of the network are read to find one about an unreachable port. */
#define REPORTS_MAX 64

/* A dual socket has the settings of both families; those of a family that it does not have may
 * fail. */
void
fasp_options_keep_whole (gint fd, gboolean six)
{
  fasp_net_set_int (fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE);
  if (six)
    fasp_net_set_int (fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE);
}

void
fasp_options_want_reports (gint fd, gboolean six)
{
  fasp_net_set_int (fd, IPPROTO_IP, IP_RECVERR, 1);
  if (six)
    fasp_net_set_int (fd, IPPROTO_IPV6, IPV6_RECVERR, 1);
}

gboolean
fasp_options_read_report (gint fd, struct sockaddr_storage *to)
{
  for (guint tries = 0; tries < REPORTS_MAX; tries++) {
    guint8 control[512];
    struct msghdr message = {
      .msg_name = to,
      .msg_namelen = sizeof *to,
      .msg_control = control,
      .msg_controllen = sizeof (control),
    };

    if (recvmsg (fd, &message, MSG_ERRQUEUE) < 0)
      return FALSE;
    for (struct cmsghdr *c = CMSG_FIRSTHDR (&message); c != NULL; c = CMSG_NXTHDR (&message, c)) {
      struct sock_extended_err *e = (struct sock_extended_err *) CMSG_DATA (c);

      if (((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR)
              || (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR))
          && e->ee_errno == ECONNREFUSED)
        return TRUE;
    }
  }
  return FALSE;
}

gboolean
fasp_options_bind_early (gint fd)
{
  return fasp_net_set_int (fd, IPPROTO_IP, IP_FREEBIND, 1); /* works for IPv6, too */
}

/* With privileges, the kernel's limit (net.core.rmem_max) can be exceeded. */
void
fasp_options_set_buffer (gint fd, gint name, gint size)
{
  if (!fasp_net_set_int (fd, SOL_SOCKET, name == SO_RCVBUF ? SO_RCVBUFFORCE : SO_SNDBUFFORCE, size))
    fasp_net_set_int (fd, SOL_SOCKET, name, size);
}

gsize
fasp_options_get_buffer (gint fd)
{
  gint granted;

  /* the kernel counts each byte twice */
  return fasp_net_get_int (fd, SOL_SOCKET, SO_RCVBUF, &granted) ? granted / 2 : 0;
}

void
fasp_options_hear_own_groups (gint fd)
{
  fasp_net_set_int (fd, IPPROTO_IP, IP_MULTICAST_ALL, 0);
}
