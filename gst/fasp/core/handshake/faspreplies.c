/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspreplies.h"

void
fasp_replies_push (FaspReplies *replies, const FaspAddress *to, const FaspHandshake *handshake)
{
  guint i = (replies->first + replies->used) % FASP_REPLIES_MAX;
  FaspWriter w = { replies->ring[i].data, FASP_REPLY_SIZE };

  fasp_wire_write_handshake (&w, handshake);
  g_return_if_fail (!w.failed);
  replies->ring[i].to = *to;
  replies->ring[i].size = w.used;
  if (replies->used == FASP_REPLIES_MAX)
    replies->first = (replies->first + 1) % FASP_REPLIES_MAX;
  else
    replies->used++;
}

gboolean
fasp_replies_pop (FaspReplies *replies, FaspDatagram *datagram)
{
  guint i = replies->first;

  if (replies->used == 0)
    return FALSE;
  datagram->to = replies->ring[i].to;
  datagram->size = replies->ring[i].size;
  memcpy (datagram->data, replies->ring[i].data, datagram->size);
  replies->first = (i + 1) % FASP_REPLIES_MAX;
  replies->used--;
  return TRUE;
}

gboolean
fasp_replies_is_empty (const FaspReplies *replies)
{
  return replies->used == 0;
}
