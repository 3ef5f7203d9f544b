/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmessagesportable.c: each datagram is a message and a call.
 */
#include "faspmessages.h"

const guint fasp_messages_joined_max = 1;

void
fasp_messages_join (gint fd)
{
}

gint
fasp_messages_send (gint fd, FaspMessage *messages, guint n)
{
  guint sent = 0;

  while (sent < n && fasp_net_send (fd, &messages[sent].msg_hdr) >= 0)
    sent++;
  return sent > 0 ? (gint) sent : -1;
}

gint
fasp_messages_receive (gint fd, FaspMessage *messages, guint n)
{
  guint received = 0;

  for (gssize size; received < n; received++) {
    size = fasp_net_receive (fd, &messages[received].msg_hdr);
    if (size < 0)
      break;
    messages[received].msg_len = size;
  }
  return received > 0 ? (gint) received : -1;
}
