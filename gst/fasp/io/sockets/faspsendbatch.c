/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include "faspecn.h"
#include "faspmessages.h"
#include "fasppmtu.h"
#include "faspsendbatch.h"

/* The most bytes of a message that the kernel segments: the largest UDP payload of IPv4 (RFC 768,
 * RFC 791) less the larger header of IPv6. */
#define MESSAGE_MAX (65507 - 20)
/* If the kernel has refused to segment, it is tried again after this many datagrams, as the
 * interface may have changed. A further refusal costs one call. */
#define ASK_AGAIN_AFTER (1 << 14)
/* Flushes without effect are counted up to this. */
#define FUTILE_MOST 1000
/* Pieces of a datagram: header, payload, tag. */
#define PIECES 3

typedef union
{
  struct cmsghdr align;
  guint8 bytes[CMSG_SPACE (sizeof (guint16)) + CMSG_SPACE (sizeof (gint))
      + CMSG_SPACE (sizeof (struct in6_pktinfo))];
} Control;

struct _FaspSendBatch
{
  gint fds[FASP_FLOWS_MAX];      /* descriptors, by socket number */
  gint services[FASP_FLOWS_MAX]; /* the type of service of each socket */
  guint n_sockets;
  gboolean waits;
  guint uncut;      /* datagrams until segmentation is tried again; 0: the kernel
                       segments, as far as is known */
  gboolean has_cut; /* the kernel has segmented before */
  guint singly;     /* the next datagrams, this many, must be sent one by one */
  gboolean doubted; /* they are sent one by one to find out whether the kernel cannot segment */
  gboolean retried; /* the first message was refused once */
  gint errors[FASP_FLOWS_MAX]; /* errno of the last error, by socket */
  guint64 refused;             /* sockets with an unreported error, a bit each */
  guint first, used;           /* datagrams [first, used) of `order' wait */
  guint8 order[FASP_SEND_BATCH];
  FaspDatagram datagrams[FASP_SEND_BATCH];
  guint socket, end; /* datagrams [first, end) of `order' leave by this socket */
  gint blocked;
  guint futile; /* flushes in a row in which nothing left */

  guint n; /* messages made of [first, end) */
  FaspMessage messages[FASP_SEND_BATCH];
  guint counts[FASP_SEND_BATCH]; /* datagrams in each message */
  struct iovec pieces[FASP_SEND_BATCH * PIECES];
  Control controls[FASP_SEND_BATCH];
};

FaspSendBatch *
fasp_send_batch_new (const gint *fds, guint n, gboolean waits)
{
  FaspSendBatch *b = g_new0 (FaspSendBatch, 1);

  g_return_val_if_fail (n > 0 && n <= FASP_FLOWS_MAX, NULL);
  memcpy (b->fds, fds, n * sizeof *fds);
  for (guint i = 0; i < n; i++) {
    if (!fasp_net_get_int (fds[i], IPPROTO_IP, IP_TOS, &b->services[i]))
      b->services[i] = 0;
    b->services[i] &= ~FASP_ECN_MASK;
  }
  b->n_sockets = n;
  b->waits = waits;
  b->blocked = -1;
  return b;
}

/* The datagram at place @i of `order'. */
static FaspDatagram *
nth (const FaspSendBatch *b, guint i)
{
  return (FaspDatagram *) &b->datagrams[b->order[i]];
}

void
fasp_send_batch_free (FaspSendBatch *b)
{
  for (guint i = b->first; i < b->used; i++)
    fasp_datagram_release (nth (b, i));
  g_free (b);
}

FaspDatagram *
fasp_send_batch_next (FaspSendBatch *b, guint *room)
{
  *room = FASP_SEND_BATCH - b->used;
  return *room > 0 ? &b->datagrams[b->used] : NULL;
}

void
fasp_send_batch_commit (FaspSendBatch *b, guint n)
{
  g_return_if_fail (n <= FASP_SEND_BATCH - b->used);
  for (; n > 0; n--, b->used++) {
    g_return_if_fail (b->datagrams[b->used].to.socket < b->n_sockets);
    b->order[b->used] = b->used;
  }
}

gint
fasp_send_batch_get_blocked (const FaspSendBatch *b)
{
  return b->blocked;
}

guint
fasp_send_batch_get_futile (const FaspSendBatch *b)
{
  return b->futile;
}

gint
fasp_send_batch_take_error (FaspSendBatch *b, guint *number)
{
  if (b->refused == 0)
    return 0;
  *number = __builtin_ctzll (b->refused);
  b->refused &= b->refused - 1;
  return b->errors[*number];
}

/* The number of datagrams from @i on that may be one message: all of one size, though the last may
 * be shorter. A single large datagram starts no such message: it may be an MTU probe too large for
 * the path, and the shorter one would be refused together with it. */
static guint
count_alike (const FaspSendBatch *b, guint i)
{
  const FaspDatagram *first = nth (b, i);
  gsize size = first->size;
  guint n = 1;

  if (i < b->first + MAX (b->singly, b->uncut))
    return 1;
  while (i + n < b->end && n < fasp_messages_joined_max) {
    const FaspDatagram *d = nth (b, i + n);

    if (d->size > first->size || (d->size < first->size && n < 2) || size + d->size > MESSAGE_MAX
        || d->ecn != first->ecn || !fasp_address_equal (&d->to, &first->to))
      break;
    size += d->size;
    n++;
    if (d->size < first->size)
      break;
  }
  return n;
}

static void
add_control (Control *control, struct msghdr *message, gint level, gint type, gconstpointer value,
    gsize size)
{
  struct cmsghdr *header = (gpointer) (control->bytes + message->msg_controllen);

  message->msg_control = control->bytes;
  message->msg_controllen += CMSG_SPACE (size);
  header->cmsg_level = level;
  header->cmsg_type = type;
  header->cmsg_len = CMSG_LEN (size);
  memcpy (CMSG_DATA (header), value, size);
}

/* Adds the type of service to the message if it differs from the socket's, because of ECN. */
static void
say_ecn (FaspSendBatch *b, Control *control, struct msghdr *message, guint8 ecn)
{
  gint service = b->services[b->socket] | ecn;
  struct sockaddr_in6 to = { 0 };

  memcpy (&to, message->msg_name, MIN (message->msg_namelen, sizeof to));
  if (to.sin6_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED (&to.sin6_addr))
    add_control (control, message, IPPROTO_IPV6, IPV6_TCLASS, &service, sizeof service);
  else
    add_control (control, message, IPPROTO_IP, IP_TOS, &service, sizeof service);
}

static gboolean
has_source (const FaspDatagram *d)
{
  static const guint8 any[sizeof d->to.local];

  return memcmp (d->to.local, any, sizeof any) != 0;
}

/* Adds the local address that the datagram leaves from. */
static void
say_source (const FaspDatagram *d, Control *control, struct msghdr *message)
{
  struct in_pktinfo four = { 0 };
  struct in6_pktinfo six = { 0 };

  if (d->to.len == sizeof (struct sockaddr_in)) {
    memcpy (&four.FASP_NET_LOCAL, d->to.local, sizeof four.FASP_NET_LOCAL);
    add_control (control, message, IPPROTO_IP, IP_PKTINFO, &four, sizeof four);
  } else {
    memcpy (&six.ipi6_addr, d->to.local, sizeof six.ipi6_addr);
    add_control (control, message, IPPROTO_IPV6, IPV6_PKTINFO, &six, sizeof six);
  }
}

/* Fills in the pieces of a datagram; returns their number. */
static guint
take_apart (FaspDatagram *d, struct iovec *pieces)
{
  gsize tail = d->size - d->head - d->payload_size;

  if (d->block == NULL) {
    *pieces = (struct iovec) { d->data, d->size };
    return 1;
  }
  pieces[0] = (struct iovec) { d->data, d->head };
  pieces[1] = (struct iovec) { (gpointer) d->payload, d->payload_size };
  pieces[2] = (struct iovec) { d->data + d->head, tail };
  return tail > 0 ? 3 : 2;
}

/* Sorts the waiting datagrams by socket, and by age on each socket. */
static void
sort (FaspSendBatch *b)
{
  guint8 order[FASP_SEND_BATCH];
  guint n = b->first;

  if (b->n_sockets == 1)
    return;
  for (guint number = 0; number < b->n_sockets && n < b->used; number++)
    for (guint i = b->first; i < b->used; i++)
      if (nth (b, i)->to.socket == number)
        order[n++] = b->order[i];
  memcpy (b->order + b->first, order + b->first, b->used - b->first);
}

/* Makes messages of the datagrams for the first socket. */
static void
compose (FaspSendBatch *b)
{
  struct iovec *piece = b->pieces;

  b->socket = nth (b, b->first)->to.socket;
  for (b->end = b->first; b->end < b->used && nth (b, b->end)->to.socket == b->socket; b->end++)
    ;
  b->n = 0;
  for (guint i = b->first; i < b->end; b->n++) {
    FaspDatagram *first = nth (b, i);
    struct msghdr *message = &b->messages[b->n].msg_hdr;
    guint n = count_alike (b, i);

    memset (message, 0, sizeof *message);
    message->msg_name = first->to.bytes;
    message->msg_namelen = first->to.len;
    message->msg_iov = piece;
    b->counts[b->n] = n;
    if (n > 1)
      add_control (&b->controls[b->n], message, FASP_MESSAGES_LEVEL, FASP_MESSAGES_CUT,
          &(guint16) { first->size }, sizeof (guint16));
    if (first->ecn)
      say_ecn (b, &b->controls[b->n], message, first->ecn);
    if (has_source (first))
      say_source (first, &b->controls[b->n], message);
    for (; n > 0; n--)
      piece += take_apart (nth (b, i++), piece);
    message->msg_iovlen = piece - message->msg_iov;
  }
}

static void
drop_first (FaspSendBatch *b, guint n)
{
  b->singly -= MIN (b->singly, n);
  b->uncut -= MIN (b->uncut, n);
  b->retried = FALSE;
  for (; n > 0; n--)
    fasp_datagram_release (nth (b, b->first++));
}

/* Is the first datagram too large for the interface, as only a probe can be? An error for a size
 * that every path must take is reported, as no call could leave. */
static gboolean
is_too_big (const FaspSendBatch *b, gint error)
{
  return error == EMSGSIZE && nth (b, b->first)->size > FASP_PMTU_BASE;
}

/* Drops the first message, which was refused, and notes an error that must be reported. */
static void
lose_first (FaspSendBatch *b, gint error)
{
  gboolean reported = error != ECONNREFUSED && error != ENOBUFS && !is_too_big (b, error);

  /* Too large for the interface, no route, a pending ICMP, a full local queue: the message counts
   * as lost, which the protocol handles. Common errors are not reported. */
  drop_first (b, b->counts[0]);
  if (!reported)
    return;
  b->errors[b->socket] = error;
  b->refused |= FASP_BIT (b->socket);
}

/* The first message, of @n datagrams, left. */
static void
take_first (FaspSendBatch *b, guint n)
{
  if (n > 1)
    b->has_cut = TRUE;
  else if (b->singly > 0 && b->doubted && !b->has_cut)
    b->uncut = ASK_AGAIN_AFTER; /* the datagrams pass singly, and no segmented message has ever
                                   passed */
  drop_first (b, n);
}

/* The local address of the first message is gone: lets the kernel choose one, which the peer may
 * know, too. */
static void
forget_source (FaspSendBatch *b)
{
  for (guint i = 0; i < b->counts[0]; i++) {
    FaspAddress *to = &nth (b, b->first + i)->to;

    memset (to->local, 0, sizeof to->local);
  }
}

/* Linux reports an error of an earlier datagram (an ICMP that came back) in place of sending, once.
 * So the same message is tried again. ENOBUFS: the queue of the interface has dropped the message,
 * as any queue on the path might. EIO and EINVAL: the device, route or kernel does not segment.
 * EMSGSIZE may concern one datagram of several. In these cases the datagrams are sent one by
 * one. */
static void
refused (FaspSendBatch *b, gint error)
{
  if (b->counts[0] > 1
      && (error == EIO || error == EINVAL || error == EMSGSIZE || error == ENOPROTOOPT
          || error == EOPNOTSUPP)) {
    b->singly = b->counts[0];
    b->doubted = error != EMSGSIZE;
  } else if (!b->retried && error != ENOBUFS && !is_too_big (b, error)) {
    b->retried = TRUE;
  } else if ((error == EINVAL || error == ENETUNREACH) && has_source (nth (b, b->first))) {
    forget_source (b);
  } else {
    lose_first (b, error);
  }
}

gboolean
fasp_send_batch_flush (FaspSendBatch *b)
{
  for (guint i = b->first; i < b->used; i++)
    fasp_datagram_seal (nth (b, i));
  sort (b);
  b->blocked = -1;
  b->futile = MIN (b->futile + 1, FUTILE_MOST);
  while (b->first < b->used) {
    gint sent;

    compose (b);
    sent = fasp_messages_send (b->fds[b->socket], b->messages, b->n);
    if (sent > 0)
      b->futile = 0;
    for (gint i = 0; i < sent; i++)
      take_first (b, b->counts[i]);
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (b->waits) {
        b->blocked = b->socket;
        return FALSE;
      }
      drop_first (b, b->end - b->first);
    } else if (sent < 0 && errno != EINTR) {
      refused (b, errno);
    }
  }
  b->first = b->used = b->singly = b->futile = 0;
  b->retried = FALSE;
  return TRUE;
}
