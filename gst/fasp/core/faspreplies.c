/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspreplies.h"
#include "faspseal.h"

void
fasp_replies_init (FaspReplies * replies)
{
  replies->first = replies->used = 0;
}

void
fasp_replies_push_bytes (FaspReplies * replies, const FaspAddress * to,
    const guint8 * data, gsize size)
{
  guint i = (replies->first + replies->used) % FASP_REPLIES_MAX;

  g_return_if_fail (size <= FASP_REPLY_SIZE);
  if (replies->used == FASP_REPLIES_MAX)
    replies->first = (replies->first + 1) % FASP_REPLIES_MAX;
  else
    replies->used++;
  replies->ring[i].to = *to;
  replies->ring[i].size = size;
  memcpy (replies->ring[i].data, data, size);
}

void
fasp_replies_push (FaspReplies * replies, const FaspAddress * to,
    const FaspHandshake * handshake)
{
  guint8 data[FASP_REPLY_SIZE];
  FaspWriter w = { data, sizeof (data) };

  fasp_wire_write_handshake (&w, handshake);
  fasp_seal_close_handshake (&w, handshake->nonce);
  g_return_if_fail (!w.failed);
  fasp_replies_push_bytes (replies, to, data, w.used);
}

gboolean
fasp_replies_pop (FaspReplies * replies, FaspDatagram * datagram)
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
fasp_replies_is_empty (const FaspReplies * replies)
{
  return replies->used == 0;
}
