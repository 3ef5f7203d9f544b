/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include "faspchunk.h"
#include "faspecn.h"
#include "faspmessages.h"
#include "faspreceivebatch.h"
#include "faspsocket.h"

/* The blocks of smaller messages are copied, as otherwise few bytes would occupy a whole chunk. */
#define SHARED_MIN (FASP_CHUNK_SIZE / 4)

/* After this many refused calls in a row, not due to an ICMP, pauses: poll() still says that there
 * is data, so the call would be repeated at once for ever. */
#define FAILED_MAX 64
#define FAILED_PAUSE 1000 /* µs */

typedef union
{
  struct cmsghdr align;
  guint8 bytes[2 * CMSG_SPACE (sizeof (gint)) + CMSG_SPACE (sizeof (struct in6_pktinfo))];
} Control;

struct _FaspReceiveBatch
{
  FaspChunkPool *pool;
  guint used;            /* messages in the batch */
  guint message;         /* index of the message being taken apart */
  gsize offset, segment; /* bytes of that message taken so far; bytes of each of its datagrams */
  gboolean marked;
  FaspAddress from;   /* sender of that message */
  FaspMemory *memory; /* memory of that message, if blocks may stay there, or NULL */
  FaspChunk *spare;   /* replaces the chunk if blocks stay in it */

  guint wanted; /* messages to ask for in the next fill */
  guint failed; /* failed fills in a row */
  gint error;   /* errno, once `failed' is FAILED_MAX */
  FaspMessage messages[FASP_RECEIVE_BATCH];
  struct iovec pieces[FASP_RECEIVE_BATCH];
  struct sockaddr_storage addresses[FASP_RECEIVE_BATCH];
  Control controls[FASP_RECEIVE_BATCH];
  FaspChunk *chunks[FASP_RECEIVE_BATCH];
};

FaspReceiveBatch *
fasp_receive_batch_new (gsize limit)
{
  FaspReceiveBatch *b = g_new0 (FaspReceiveBatch, 1);

  b->wanted = FASP_RECEIVE_BATCH;
  b->pool = fasp_chunk_pool_new (limit + FASP_RECEIVE_BATCH * FASP_CHUNK_SIZE);
  for (guint i = 0; i < FASP_RECEIVE_BATCH; i++) {
    struct msghdr *header = &b->messages[i].msg_hdr;

    b->chunks[i] = fasp_chunk_pool_take (b->pool);
    b->pieces[i] = (struct iovec) { b->chunks[i]->data, FASP_CHUNK_SIZE };
    header->msg_iov = &b->pieces[i];
    header->msg_iovlen = 1;
    header->msg_name = &b->addresses[i];
    header->msg_control = b->controls[i].bytes;
  }
  return b;
}

void
fasp_receive_batch_free (FaspReceiveBatch *b)
{
  if (b == NULL)
    return;
  for (guint i = 0; i < FASP_RECEIVE_BATCH; i++)
    fasp_memory_unref (&b->chunks[i]->memory);
  if (b->spare != NULL)
    fasp_memory_unref (&b->spare->memory);
  fasp_chunk_pool_free (b->pool);
  g_free (b);
}

/* Counts failures. @n: messages received, or -1. */
static void
note_result (FaspReceiveBatch *b, gint n)
{
  if (n >= 0 || errno == EAGAIN || errno == EINTR)
    b->failed = 0;
  else if (++b->failed == FAILED_MAX)
    b->error = errno;
  else if (b->failed > FAILED_MAX)
    g_usleep (FAILED_PAUSE);
}

gint
fasp_receive_batch_take_error (FaspReceiveBatch *b)
{
  gint error = b->error;

  b->error = 0;
  return error;
}

/* Linux reports an ICMP that came back in place of receiving. It does so once, and again with each
 * one that is taken from the error queue, as long as there are more. So receiving is repeated a few
 * times before the reports are read. */
static gint
receive (FaspReceiveBatch *b, gint fd)
{
  gint n = fasp_messages_receive (fd, b->messages, b->wanted);

  if (n < 0 && errno != EAGAIN)
    n = fasp_messages_receive (fd, b->messages, b->wanted);
  note_result (b, n);
  return n;
}

gboolean
fasp_receive_batch_fill (FaspReceiveBatch *b, gint fd)
{
  gsize bytes = 0;
  gint n;

  for (guint i = 0; i < b->wanted; i++) {
    b->messages[i].msg_hdr.msg_namelen = sizeof b->addresses[i];
    b->messages[i].msg_hdr.msg_controllen = sizeof b->controls[i].bytes;
  }
  n = receive (b, fd);
  b->used = MAX (n, 0);
  b->message = 0;
  b->offset = b->segment = 0;
  if (b->used < b->wanted)
    return TRUE;
  /* the next messages are expected to be as large */
  for (guint i = 0; i < b->used; i++)
    bytes += b->messages[i].msg_len;
  b->wanted = CLAMP (FASP_RECEIVE_BYTES * b->used / MAX (bytes, 1), 1, FASP_RECEIVE_BATCH);
  return FALSE;
}

/* Notes the local address that the message came to. */
static void
read_local (FaspReceiveBatch *b, struct cmsghdr *c)
{
  struct in_pktinfo four;
  struct in6_pktinfo six;

  if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
    memcpy (&four, CMSG_DATA (c), sizeof four);
    memcpy (b->from.local, &four.FASP_NET_LOCAL, sizeof four.FASP_NET_LOCAL);
  } else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
    memcpy (&six, CMSG_DATA (c), sizeof six);
    memcpy (b->from.local, &six.ipi6_addr, sizeof six.ipi6_addr);
  }
}

/* Reads what the kernel says about a message: the size of the datagrams that it was
 * joined of, the address that they came to, and their ECN mark. These are the same for
 * all of them. */
static void
read_control (FaspReceiveBatch *b, FaspMessage *message)
{
  b->segment = message->msg_len;
  b->marked = FALSE;
  for (struct cmsghdr *c = CMSG_FIRSTHDR (&message->msg_hdr); c != NULL;
      c = CMSG_NXTHDR (&message->msg_hdr, c)) {
    gint value = 0;

    if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == FASP_NET_RECEIVED_TOS)
      value = *CMSG_DATA (c); /* one byte in IPv4; the other values are an int */
    else if (c->cmsg_len >= CMSG_LEN (sizeof value))
      memcpy (&value, CMSG_DATA (c), sizeof value);
    if (c->cmsg_level == FASP_MESSAGES_LEVEL && c->cmsg_type == FASP_MESSAGES_JOINED && value > 0)
      b->segment = value;
    else if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == FASP_NET_RECEIVED_TOS)
        || (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS))
      b->marked = (value & FASP_ECN_MASK) == FASP_ECN_CE;
    else
      read_local (b, c);
  }
  b->segment = MAX (b->segment, 1);
}

static void
begin_message (FaspReceiveBatch *b)
{
  FaspMessage *message = &b->messages[b->message];

  fasp_socket_address_from_native (&b->addresses[b->message], &b->from);
  read_control (b, message);
  if (message->msg_len >= SHARED_MIN && b->spare == NULL)
    b->spare = fasp_chunk_pool_take (b->pool);
  b->memory =
      message->msg_len >= SHARED_MIN && b->spare != NULL ? &b->chunks[b->message]->memory : NULL;
}

static void
end_message (FaspReceiveBatch *b)
{
  guint i = b->message++;

  b->offset = b->segment = 0;
  if (b->memory == NULL)
    return;
  if (g_atomic_int_get (&b->memory->refs) == 1) {
    fasp_memory_reuse (b->memory);
    return;
  }
  /* blocks stay in the chunk, so the next message gets another one */
  fasp_memory_unref (b->memory);
  b->chunks[i] = b->spare;
  b->pieces[i].iov_base = b->spare->data;
  b->spare = NULL;
}

const guint8 *
fasp_receive_batch_next (FaspReceiveBatch *b, gsize *size, FaspAddress *from, FaspMemory **memory,
    gboolean *marked)
{
  const guint8 *data;

  /* a datagram may have no bytes */
  if (b->segment > 0 && b->offset >= b->messages[b->message].msg_len)
    end_message (b);
  if (b->message >= b->used)
    return NULL;
  if (b->segment == 0)
    begin_message (b);
  data = b->chunks[b->message]->data + b->offset;
  *size = MIN (b->segment, b->messages[b->message].msg_len - b->offset);
  *from = b->from;
  *memory = b->memory;
  *marked = b->marked;
  b->offset += b->segment;
  return data;
}
