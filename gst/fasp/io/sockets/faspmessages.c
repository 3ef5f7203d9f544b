/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <netinet/udp.h>
#include "faspmessages.h"

const guint fasp_messages_joined_max = 64; /* UDP_MAX_SEGMENTS of Linux */

G_STATIC_ASSERT (sizeof (FaspMessage) == sizeof (struct mmsghdr));
G_STATIC_ASSERT (FASP_MESSAGES_LEVEL == IPPROTO_UDP && FASP_MESSAGES_CUT == UDP_SEGMENT
    && FASP_MESSAGES_JOINED == UDP_GRO);

void
fasp_messages_join (gint fd)
{
  /* an older kernel does not join what arrives; nothing else changes */
  fasp_net_set_int (fd, FASP_MESSAGES_LEVEL, UDP_GRO, 1);
}

gint
fasp_messages_send (gint fd, FaspMessage *messages, guint n)
{
  return sendmmsg (fd, (struct mmsghdr *) messages, n, 0);
}

gint
fasp_messages_receive (gint fd, FaspMessage *messages, guint n)
{
  return recvmmsg (fd, (struct mmsghdr *) messages, n, 0, NULL);
}
