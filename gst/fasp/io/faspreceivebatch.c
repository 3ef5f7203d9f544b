/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include "faspreceivebatch.h"
#include "faspsocket.h"

#ifndef UDP_GRO
#define UDP_GRO 104             /* linux/udp.h */
#endif

#define MESSAGE_MAX 65536       /* what the kernel joins, at most */

typedef union
{
  struct cmsghdr align;
  guint8 bytes[CMSG_SPACE (sizeof (gint))];
}
Control;

struct _FaspReceiveBatch
{
  gint fd;
  guint used;                   /* messages */
  guint message;                /* the one being taken apart, */
  gsize offset, segment;        /* from here on, in pieces of this size */
  FaspAddress from;             /* its address */

  struct mmsghdr messages[FASP_RECEIVE_BATCH];
  struct iovec pieces[FASP_RECEIVE_BATCH];
  struct sockaddr_storage addresses[FASP_RECEIVE_BATCH];
  Control controls[FASP_RECEIVE_BATCH];
  guint8 data[FASP_RECEIVE_BATCH][MESSAGE_MAX];
};

FaspReceiveBatch *
fasp_receive_batch_new (gint fd)
{
  FaspReceiveBatch *b = g_new0 (FaspReceiveBatch, 1);
  gint on = 1;

  b->fd = fd;
  /* an older kernel does not join them, and nothing else changes */
  setsockopt (fd, IPPROTO_UDP, UDP_GRO, &on, sizeof on);
  for (guint i = 0; i < FASP_RECEIVE_BATCH; i++) {
    struct msghdr *header = &b->messages[i].msg_hdr;

    b->pieces[i] = (struct iovec) {
      b->data[i], MESSAGE_MAX
    };
    header->msg_iov = &b->pieces[i];
    header->msg_iovlen = 1;
    header->msg_name = &b->addresses[i];
    header->msg_control = b->controls[i].bytes;
  }
  return b;
}

void
fasp_receive_batch_free (FaspReceiveBatch * b)
{
  g_free (b);
}

gboolean
fasp_receive_batch_fill (FaspReceiveBatch * b)
{
  gint n;

  for (guint i = 0; i < FASP_RECEIVE_BATCH; i++) {
    b->messages[i].msg_hdr.msg_namelen = sizeof b->addresses[i];
    b->messages[i].msg_hdr.msg_controllen = sizeof b->controls[i].bytes;
  }
  n = recvmmsg (b->fd, b->messages, FASP_RECEIVE_BATCH, 0, NULL);
  b->used = MAX (n, 0);
  b->message = 0;
  b->offset = b->segment = 0;
  return b->used < FASP_RECEIVE_BATCH;
}

/* Size of the datagrams that a message was joined of. */
static gsize
get_segment (struct mmsghdr *message)
{
  for (struct cmsghdr * c = CMSG_FIRSTHDR (&message->msg_hdr); c != NULL;
      c = CMSG_NXTHDR (&message->msg_hdr, c)) {
    gint size;

    if (c->cmsg_level != IPPROTO_UDP || c->cmsg_type != UDP_GRO)
      continue;
    memcpy (&size, CMSG_DATA (c), sizeof size);
    if (size > 0)
      return size;
  }
  return message->msg_len;
}

const guint8 *
fasp_receive_batch_next (FaspReceiveBatch * b, gsize * size, FaspAddress * from)
{
  const guint8 *data;

  /* a datagram of no bytes is one, too */
  if (b->segment > 0 && b->offset >= b->messages[b->message].msg_len) {
    b->message++;
    b->offset = b->segment = 0;
  }
  if (b->message >= b->used)
    return NULL;
  if (b->segment == 0) {
    b->segment = MAX (get_segment (&b->messages[b->message]), 1);
    fasp_socket_address_from_native (&b->addresses[b->message], &b->from);
  }
  data = b->data[b->message] + b->offset;
  *size = MIN (b->segment, b->messages[b->message].msg_len - b->offset);
  *from = b->from;
  b->offset += b->segment;
  return data;
}
