/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Batches of datagrams against a kernel of our own: one that cuts and joins, one
 * that does not, and one that refuses for every reason there is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "faspchunk.h"
#include "faspecn.h"
#include "faspmessages.h"
#include "faspreceivebatch.h"
#include "faspsendbatch.h"

/* --- a kernel ------------------------------------------------------------------- */

static struct
{
  gint cut_error; /* of a message that is to be cut; 0: it is */
  gsize largest;  /* datagrams above are EMSGSIZE, or in one */
  gint pending;   /* an error to be told once */
  guint room;     /* messages taken, then EAGAIN */
  gint full;      /* a socket that takes no more; -1: none */
  gint errors[2]; /* of sockets 0 and 1, which take nothing; 0: they do */
  guint calls, messages;
  gint absent;       /* error of a message that is to leave from an address; 0: it has it */
  guint8 source[16]; /* that the last one was to leave from */
  gint four, six;    /* type of service of the last message, by what
                        protocol; -1: the socket's */
  GPtrArray *sent;   /* GBytes: datagrams */
} kernel;

static gsize
get_segment (const struct msghdr *message)
{
  guint16 size = 0;

  kernel.four = kernel.six = -1;
  memset (kernel.source, 0, sizeof kernel.source);
  if (message->msg_controllen == 0)
    return 0;
  for (struct cmsghdr *c = CMSG_FIRSTHDR (message); c != NULL;
      c = CMSG_NXTHDR ((struct msghdr *) message, c)) {
    if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_SEGMENT)
      memcpy (&size, CMSG_DATA (c), sizeof size);
    else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS)
      memcpy (&kernel.four, CMSG_DATA (c), sizeof kernel.four);
    else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS)
      memcpy (&kernel.six, CMSG_DATA (c), sizeof kernel.six);
    else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO)
      memcpy (kernel.source, &((struct in_pktinfo *) CMSG_DATA (c))->ipi_spec_dst, 4);
    else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO)
      memcpy (kernel.source, &((struct in6_pktinfo *) CMSG_DATA (c))->ipi6_addr, 16);
    else
      g_assert_not_reached ();
  }
  return size;
}

/* errno, or 0 when it has left. */
static gint
take (const struct msghdr *message)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();
  gsize segment = get_segment (message);

  for (gsize i = 0; i < message->msg_iovlen; i++)
    g_byte_array_append (all, message->msg_iov[i].iov_base, message->msg_iov[i].iov_len);
  if (kernel.pending != 0) {
    gint error = kernel.pending;

    kernel.pending = 0;
    return error;
  }
  if (kernel.absent != 0 && kernel.source[0] != 0)
    return kernel.absent;
  if (segment > 0 && kernel.cut_error != 0)
    return kernel.cut_error;
  if (segment == 0)
    segment = MAX (all->len, 1);
  g_assert_cmpuint (all->len, <=, 65507);
  if (segment > kernel.largest)
    return EMSGSIZE;
  for (gsize at = 0; at < all->len; at += segment)
    g_ptr_array_add (kernel.sent, g_bytes_new (all->data + at, MIN (segment, all->len - at)));
  kernel.messages++;
  return 0;
}

int
sendmmsg (int fd, struct mmsghdr *messages, unsigned n, int flags)
{
  kernel.calls++;
  g_assert_cmpuint (kernel.calls, <, 1000);
  if (fd >= 0 && fd == kernel.full) {
    errno = EAGAIN;
    return -1;
  }
  if (fd >= 0 && fd < 2 && kernel.errors[fd] != 0) {
    errno = kernel.errors[fd];
    return -1;
  }
  for (guint i = 0; i < n; i++) {
    gint error = kernel.room-- == 0 ? EAGAIN : take (&messages[i].msg_hdr);

    if (error == EAGAIN)
      kernel.room = 0;
    if (error != 0 && i > 0)
      return i;
    if (error != 0) {
      errno = error;
      return -1;
    }
  }
  return n;
}

/* the call of a backend that has a datagram in each (-Dio) */
ssize_t
sendmsg (int fd, const struct msghdr *message, int flags)
{
  struct mmsghdr one = { .msg_hdr = *message };

  return sendmmsg (fd, &one, 1, flags) == 1 ? 0 : -1;
}

/* --- sending ---------------------------------------------------------------------- */

static guint blocks_alive;

/* A kernel that takes everything, and a batch for its sockets. */
static FaspSendBatch *
begin_at (const gint *fds, guint n, gboolean waits)
{
  memset (&kernel, 0, sizeof kernel);
  kernel.largest = 1472;
  kernel.room = G_MAXUINT;
  kernel.full = -1;
  kernel.sent = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  return fasp_send_batch_new (fds, n, waits);
}

/* Of one socket, whose batch waits. */
static FaspSendBatch *
begin (void)
{
  return begin_at ((const gint[]) { -1 }, 1, TRUE);
}

static void
end (FaspSendBatch *batch)
{
  fasp_send_batch_free (batch);
  g_assert_cmpuint (blocks_alive, ==, 0);
  g_ptr_array_unref (kernel.sent);
}

static void
memory_free (FaspMemory *memory)
{
  blocks_alive--;
  fasp_memory_clear (memory);
  g_free (memory);
}

static FaspDatagram *
get_next (FaspSendBatch *batch)
{
  guint room;

  return fasp_send_batch_next (batch, &room);
}

/* A datagram of @size, its number in every byte; half of them with a payload that
 * lies elsewhere. */
static void
put (FaspSendBatch *batch, guint number, gsize size, guint8 to)
{
  FaspDatagram *d = get_next (batch);

  g_assert_nonnull (d);
  memset (d, 0, sizeof *d);
  d->to.len = sizeof (struct sockaddr_in);
  d->to.bytes[4] = to;
  d->size = size;
  memset (d->data, number, sizeof d->data);
  if (number % 2 != 0 && size > 20) {
    static guint8 bytes[256][FASP_DATAGRAM_MAX];
    FaspMemory *memory = g_new (FaspMemory, 1);

    memset (bytes[number], number, size);
    fasp_memory_init (memory, memory_free);
    blocks_alive++;
    d->head = 16;
    d->payload = bytes[number];
    d->payload_size = size - 20;
    d->block = fasp_block_new_in (memory, d->payload, d->payload_size);
    fasp_memory_unref (memory);
  }
  fasp_send_batch_commit (batch, 1);
}

/* @n whole ones to the first address. */
static void
put_many (FaspSendBatch *batch, guint n)
{
  for (guint i = 0; i < n; i++)
    put (batch, i, 1400, 1);
}

/* Of the one that was put in last. */
static void
set_link (FaspSendBatch *batch, guint link)
{
  FaspDatagram *next = get_next (batch);

  next[-1].to.socket = link;
}

static void
assert_sent (guint i, guint number, gsize size)
{
  GBytes *bytes = g_ptr_array_index (kernel.sent, i);
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);

  g_assert_cmpuint (length, ==, size);
  for (gsize j = 0; j < length; j++)
    g_assert_cmpuint (data[j], ==, number);
}

/* How many messages that is: @joined, or where each datagram is one, @alone. */
static guint
count (guint joined, guint alone)
{
  return fasp_messages_joined_max > 1 ? joined : alone;
}

static gint
take_error (FaspSendBatch *batch)
{
  guint link = 0;
  gint error = fasp_send_batch_take_error (batch, &link);

  g_assert_cmpuint (link, ==, 0);
  return error;
}

static void
test_cut (void)
{
  FaspSendBatch *batch = begin ();

  for (guint i = 0; i < FASP_SEND_BATCH; i++)
    put (batch, i, i == 99 ? 700 : 1400, i < 120 ? 1 : 2);
  g_assert_null (get_next (batch));
  g_assert_true (fasp_send_batch_flush (batch));
  g_assert_cmpuint (kernel.sent->len, ==, FASP_SEND_BATCH);
  for (guint i = 0; i < FASP_SEND_BATCH; i++)
    assert_sent (i, i, i == 99 ? 700 : 1400);
  /* 46 of 1400 bytes in one; a short one ends one; another address */
  g_assert_cmpuint (kernel.messages, ==, 5);
  g_assert_cmpuint (kernel.calls, ==, 1);
  g_assert_cmpuint (blocks_alive, ==, 0);
  end (batch);
}

/* A kernel, or a device, that does not: found out once. */
static void
test_no_cut (gconstpointer error)
{
  FaspSendBatch *batch = begin ();

  kernel.cut_error = GPOINTER_TO_INT (error);
  for (guint round = 0; round < 2; round++) {
    put_many (batch, 10);
    g_assert_true (fasp_send_batch_flush (batch));
    g_assert_cmpuint (kernel.sent->len, ==, 10 * (round + 1));
  }
  for (guint i = 0; i < 20; i++)
    assert_sent (i, i % 10, 1400);
  g_assert_cmpuint (kernel.calls, ==, 3);
  g_assert_cmpint (take_error (batch), ==, 0);
  end (batch);
}

/* One that did not do it for a moment, when the interface came: it is asked again some time. */
static void
test_no_cut_at_first (void)
{
  FaspSendBatch *batch = begin ();
  guint calls = 0;

  kernel.cut_error = EINVAL;
  do {
    guint before = kernel.messages;

    put_many (batch, 40);
    g_assert_true (fasp_send_batch_flush (batch));
    calls++;
    g_assert_cmpuint (kernel.sent->len, ==, 40 * calls);
    kernel.cut_error = 0;
    if (kernel.messages == before + 1)
      break;
  } while (calls < 500);
  g_assert_cmpuint (calls, >, 100);
  g_assert_cmpuint (calls, <, 500);
  g_assert_cmpuint (kernel.calls, ==, calls + 1);
  g_assert_cmpint (take_error (batch), ==, 0);
  end (batch);
}

/* A datagram that is too large for the path is lost, and no other one; the next ones go in one
 * message as before. */
static void
test_too_big (void)
{
  FaspSendBatch *batch = begin ();

  put (batch, 0, 8972, 1);
  put (batch, 1, 100, 1);
  put (batch, 2, 1473, 1);
  put (batch, 3, 1473, 1);
  put (batch, 4, 1400, 1);
  put (batch, 5, 1400, 1);
  put (batch, 6, 1400, 1);
  g_assert_true (fasp_send_batch_flush (batch));
  g_assert_cmpuint (kernel.sent->len, ==, 4);
  assert_sent (0, 1, 100);
  for (guint i = 1; i < 4; i++)
    assert_sent (i, i + 3, 1400);
  g_assert_cmpint (take_error (batch), ==, 0);
  kernel.calls = kernel.messages = 0;
  put_many (batch, 40);
  g_assert_true (fasp_send_batch_flush (batch));
  g_assert_cmpuint (kernel.messages, ==, count (1, 40));
  g_assert_cmpuint (blocks_alive, ==, 0);
  end (batch);
}

/* A path that refuses a datagram which each path has to take is told of, but not if the error was
 * that of a datagram before. */
static void
test_too_small_path (void)
{
  FaspSendBatch *batch = begin ();

  kernel.pending = EMSGSIZE;
  put (batch, 0, 1200, 1);
  g_assert_true (fasp_send_batch_flush (batch));
  g_assert_cmpuint (kernel.sent->len, ==, 1);
  g_assert_cmpint (take_error (batch), ==, 0);
  kernel.largest = 548;
  put (batch, 1, 1200, 1);
  put (batch, 2, 100, 1);
  g_assert_true (fasp_send_batch_flush (batch));
  g_assert_cmpuint (kernel.sent->len, ==, 2);
  g_assert_cmpint (take_error (batch), ==, EMSGSIZE);
  end (batch);
}

/* An ICMP that came back for another one is told in place of sending. */
static void
test_pending (gconstpointer error)
{
  FaspSendBatch *batch = begin ();

  kernel.pending = GPOINTER_TO_INT (error);
  put_many (batch, 30);
  g_assert_true (fasp_send_batch_flush (batch));
  g_assert_cmpuint (kernel.sent->len, ==, 30);
  g_assert_cmpint (take_error (batch), ==, 0);
  end (batch);
}

/* A datagram with a source address leaves from that, of either family, and from another one when
 * this machine has lost it. @error: of the kernel then. */
static void
test_source (gconstpointer error)
{
  FaspSendBatch *batch = begin ();
  const guint lengths[] = { sizeof (struct sockaddr_in), sizeof (struct sockaddr_in6) };

  for (guint round = 0; round < 2 * G_N_ELEMENTS (lengths); round++) {
    const guint from = round + 1, length = lengths[round / 2];

    kernel.absent = round % 2 == 0 ? 0 : GPOINTER_TO_INT (error);
    for (guint i = 0; i < 10; i++) {
      put (batch, i, 1400, 1);
      get_next (batch)[-1].to.len = length;
      memset (get_next (batch)[-1].to.local, from, 4);
    }
    g_assert_true (fasp_send_batch_flush (batch));
    g_assert_cmpuint (kernel.source[3], ==, kernel.absent == 0 ? from : 0);
    g_assert_cmpuint (kernel.sent->len, ==, 10 * (round + 1));
    for (guint i = 0; i < 10; i++)
      assert_sent (10 * round + i, i, 1400);
  }
  g_assert_cmpint (take_error (batch), ==, 0);
  /* those of different ones do not leave together */
  kernel.messages = 0;
  for (guint i = 0; i < 10; i++) {
    put (batch, i, 1400, 1);
    memset (get_next (batch)[-1].to.local, 1 + i / 5, 4);
  }
  kernel.absent = 0;
  g_assert_true (fasp_send_batch_flush (batch));
  g_assert_cmpuint (kernel.messages, ==, count (2, 10));
  end (batch);
}

/* An interface whose queue is full drops what it is given, like any other queue on the way:
 * that is a loss, not given to it once more, and nothing to be told of. */
static void
test_queue (void)
{
  FaspSendBatch *batch = begin ();

  kernel.pending = ENOBUFS;
  put (batch, 0, 1200, 1);
  put (batch, 1, 1300, 1);
  g_assert_true (fasp_send_batch_flush (batch));
  g_assert_cmpuint (kernel.sent->len, ==, 1);
  assert_sent (0, 1, 1300);
  g_assert_cmpint (take_error (batch), ==, 0);
  end (batch);
}

/* A full socket: the rest leaves later, in order, once; or is let go of. */
static void
test_full (void)
{
  FaspSendBatch *batch = begin ();

  kernel.room = count (2, 92);
  put_many (batch, 100);
  g_assert_false (fasp_send_batch_flush (batch));
  g_assert_cmpuint (kernel.sent->len, ==, 92);
  g_assert_false (fasp_send_batch_flush (batch));
  kernel.room = G_MAXUINT;
  g_assert_true (fasp_send_batch_flush (batch));
  g_assert_cmpuint (kernel.sent->len, ==, 100);
  for (guint i = 0; i < 100; i++)
    assert_sent (i, i, 1400);
  kernel.room = 0;
  put (batch, 1, 1400, 1);
  g_assert_false (fasp_send_batch_flush (batch));
  g_assert_cmpuint (blocks_alive, ==, 1);
  end (batch);
}

/* How often in a row nothing could leave. */
static void
test_futile (void)
{
  FaspSendBatch *batch = begin ();

  put (batch, 0, 1400, 1);
  g_assert_true (fasp_send_batch_flush (batch));
  g_assert_cmpuint (fasp_send_batch_get_futile (batch), ==, 0);
  put_many (batch, 100);
  for (guint i = 1; i <= 10; i++) {
    kernel.room = 0;
    g_assert_false (fasp_send_batch_flush (batch));
    g_assert_cmpuint (fasp_send_batch_get_futile (batch), ==, i);
  }
  /* months of that are counted no further */
  for (guint i = 0; i < 3000; i++) {
    kernel.room = kernel.calls = 0;
    g_assert_false (fasp_send_batch_flush (batch));
  }
  g_assert_cmpuint (fasp_send_batch_get_futile (batch), ==, 1000);
  kernel.room = 1;
  g_assert_false (fasp_send_batch_flush (batch));
  g_assert_cmpuint (fasp_send_batch_get_futile (batch), ==, 0);
  end (batch);
}

/* Several links: each has its own in order, as few messages as may be, and their
 * mix in the batch does not matter. One that takes no more is waited for, or loses
 * what it has and holds no other link up. @data: TRUE or FALSE. */
static void
test_links (gconstpointer data)
{
  gboolean waits = GPOINTER_TO_INT (data);
  FaspSendBatch *batch = begin_at ((const gint[]) { 10, 11, 12 }, 3, waits);

  for (guint i = 0; i < 90; i++) {
    put (batch, i, 1400, 1);
    set_link (batch, i % 3);
  }
  g_assert_true (fasp_send_batch_flush (batch));
  g_assert_cmpint (fasp_send_batch_get_blocked (batch), ==, -1);
  g_assert_cmpuint (kernel.messages, ==, count (3, 90));
  for (guint i = 0; i < 90; i++)
    assert_sent (i, i / 30 + i % 30 * 3, 1400);

  kernel.full = 11;
  for (guint i = 0; i < 30; i++) {
    put (batch, i, 1400, 1);
    set_link (batch, i % 3);
  }
  g_assert_true (fasp_send_batch_flush (batch) != waits);
  if (waits) {
    g_assert_cmpint (fasp_send_batch_get_blocked (batch), ==, 1);
    g_assert_cmpuint (kernel.sent->len, ==, 100);
    put (batch, 30, 1400, 1); /* one more for the first: before the others */
    set_link (batch, 0);
    kernel.full = -1;
    g_assert_true (fasp_send_batch_flush (batch));
    g_assert_cmpuint (kernel.sent->len, ==, 121);
    assert_sent (100, 30, 1400);
    for (guint i = 0; i < 20; i++)
      assert_sent (101 + i, 1 + i / 10 + i % 10 * 3, 1400);
  } else {
    g_assert_cmpuint (kernel.sent->len, ==, 110);
    for (guint i = 0; i < 10; i++)
      assert_sent (100 + i, 2 + i * 3, 1400);
  }
  g_assert_cmpuint (blocks_alive, ==, 0);
  end (batch);
}

/* Each link's is told of, once, until there is another one. */
static void
test_errors (void)
{
  FaspSendBatch *batch = begin_at ((const gint[]) { 0, 1 }, 2, TRUE);
  guint link;

  kernel.errors[0] = EPERM;
  kernel.errors[1] = ENETUNREACH;
  for (guint round = 0; round < 2; round++) {
    for (guint i = 0; i < 4; i++) {
      put (batch, i, 1400, 1);
      set_link (batch, i % 2);
    }
    g_assert_true (fasp_send_batch_flush (batch));
    g_assert_cmpint (fasp_send_batch_take_error (batch, &link), ==, EPERM);
    g_assert_cmpuint (link, ==, 0);
    g_assert_cmpint (fasp_send_batch_take_error (batch, &link), ==, ENETUNREACH);
    g_assert_cmpuint (link, ==, 1);
    g_assert_cmpint (fasp_send_batch_take_error (batch, &link), ==, 0);
  }
  g_assert_cmpuint (blocks_alive, ==, 0);
  end (batch);
}

/* Where the kernel says what type of service sockets have. */
int
getsockopt (int fd, int level, int option, void *value, socklen_t *length)
{
  g_assert_true (level == IPPROTO_IP && option == IP_TOS);
  *(gint *) value = 0xbb; /* with bits that are not the socket's to say */
  return 0;
}

/* ECT is said with the socket's own type of service, by the protocol that the address
 * is of; those with and without are not one message. */
static void
test_ecn (void)
{
  static const gint fd = 0;
  static const struct
  {
    guint16 family;
    gboolean mapped;
    gint four, six;
  } addresses[] = {
    { AF_INET, FALSE, 0xb9, -1 },
    { AF_INET6, FALSE, -1, 0xb9 },
    { AF_INET6, TRUE, 0xb9, -1 },
  };
  FaspSendBatch *batch = begin_at (&fd, 1, TRUE);

  for (guint i = 0; i < G_N_ELEMENTS (addresses) * 2; i++) {
    struct sockaddr_in6 to = { .sin6_family = addresses[i / 2].family };
    guint before = kernel.messages;

    if (addresses[i / 2].mapped)
      to.sin6_addr.s6_addr[10] = to.sin6_addr.s6_addr[11] = 0xff;
    else
      to.sin6_addr.s6_addr[0] = 0x20;
    for (guint n = 0; n < 4; n++) {
      FaspDatagram *d = get_next (batch);

      memset (d, 0, sizeof *d);
      d->to.len = sizeof to;
      memcpy (d->to.bytes, &to, sizeof to);
      d->size = 1000;
      d->ecn = i % 2 == 0 || n >= 2 ? FASP_ECN_ECT1 : FASP_ECN_NOT_ECT;
      fasp_send_batch_commit (batch, 1);
    }
    g_assert_true (fasp_send_batch_flush (batch));
    g_assert_cmpuint (kernel.messages - before, ==, count (1 + i % 2, 4));
    g_assert_cmpint (kernel.four, ==, addresses[i / 2].four);
    g_assert_cmpint (kernel.six, ==, addresses[i / 2].six);
  }
  end (batch);
}

/* --- receiving ------------------------------------------------------------------------ */

/* What comes in: datagrams of @segment bytes, joined. */
typedef struct
{
  gsize size, segment;
  guint8 service;
} Joined;

static const Joined *incoming;
static guint n_incoming;
static guint refused; /* receiving is, so often */
static guint pauses;

void
g_usleep (gulong time)
{
  pauses++;
}

int
recvmmsg (int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *timeout)
{
  guint i;

  if (refused > 0) {
    refused--;
    errno = ECONNREFUSED;
    return -1;
  }
  for (i = 0; i < n && i < n_incoming; i++) {
    struct msghdr *header = &messages[i].msg_hdr;
    struct sockaddr_in *from = header->msg_name;
    guint8 *data = header->msg_iov[0].iov_base;
    gint segment = incoming[i].segment;
    struct cmsghdr *c;
    gsize room;

    *from = (struct sockaddr_in) { .sin_family = AF_INET, .sin_port = htons (1000 + i) };
    for (gsize at = 0; at < incoming[i].size; at++)
      data[at] = at / segment;
    messages[i].msg_len = incoming[i].size;
    c = CMSG_FIRSTHDR (header);
    room = header->msg_controllen;
    c->cmsg_level = IPPROTO_IP;
    c->cmsg_type = IP_TOS;
    c->cmsg_len = CMSG_LEN (1);
    *CMSG_DATA (c) = incoming[i].service;
    header->msg_controllen = CMSG_SPACE (1);
    if (incoming[i].size > (gsize) segment) {
      c = (gpointer) ((guint8 *) c + CMSG_SPACE (1));
      c->cmsg_level = IPPROTO_UDP;
      c->cmsg_type = UDP_GRO;
      c->cmsg_len = CMSG_LEN (sizeof segment);
      memcpy (CMSG_DATA (c), &segment, sizeof segment);
      header->msg_controllen += CMSG_SPACE (sizeof segment);
    }
    g_assert_cmpuint (header->msg_controllen, <=, room);
  }
  n_incoming -= i;
  incoming += i;
  return i;
}

ssize_t
recvmsg (int fd, struct msghdr *message, int flags)
{
  struct mmsghdr one = { .msg_hdr = *message };
  gint received = recvmmsg (fd, &one, 1, flags, NULL);

  *message = one.msg_hdr;
  if (received == 0)
    errno = EAGAIN;
  return received == 1 ? (gssize) one.msg_len : -1;
}

static void
test_joined (void)
{
  static const Joined joined[] = {
    { 1400, 1400, 0 },
    { 0, 1400, 3 },
    { 3000, 1400, 0xbb },
    { 46 * 1400, 1400, 2 },
    { 20, 1400, 1 },
  };
  FaspReceiveBatch *batch = fasp_receive_batch_new (1 << 20);
  FaspBlock *kept = NULL;
  FaspMemory *memory;
  FaspAddress from;
  const guint8 *data;
  gboolean marked;
  gsize size;

  incoming = joined;
  n_incoming = G_N_ELEMENTS (joined);
  g_assert_true (fasp_receive_batch_fill (batch, -1));
  for (guint i = 0; i < G_N_ELEMENTS (joined); i++) {
    gsize at = 0;

    do {
      data = fasp_receive_batch_next (batch, &size, &from, &memory, &marked);
      g_assert_nonnull (data);
      g_assert_cmpuint (size, ==, MIN (1400, joined[i].size - at));
      g_assert_true (size == 0 || data[0] == at / 1400);
      g_assert_true (marked == ((joined[i].service & 3) == 3));
      /* a few are copied rather than hold all of a chunk */
      g_assert_true ((memory != NULL) == (joined[i].size > 16384));
      if (memory != NULL && at == 1400)
        kept = fasp_block_new_in (memory, data, size);
      at += size;
    } while (at < joined[i].size);
  }
  g_assert_null (fasp_receive_batch_next (batch, &size, &from, &memory, &marked));
  /* what is kept is not written over, and outlives the batch */
  incoming = joined;
  n_incoming = G_N_ELEMENTS (joined);
  g_assert_true (fasp_receive_batch_fill (batch, -1));
  while (fasp_receive_batch_next (batch, &size, &from, &memory, &marked) != NULL)
    ;
  fasp_receive_batch_free (batch);
  for (guint i = 0; i < kept->size; i++)
    g_assert_cmpuint (kept->data[i], ==, 1);
  fasp_block_unref (kept);
}

static guint
count_received (FaspReceiveBatch *batch)
{
  FaspMemory *memory;
  FaspAddress from;
  gboolean marked;
  gsize size;
  guint n = 0;

  while (fasp_receive_batch_next (batch, &size, &from, &memory, &marked) != NULL)
    n++;
  return n;
}

/* An ICMP that came back is told of in place of what has come in: no datagram waits for that. */
static void
test_reported (void)
{
  static const Joined joined[] = { { 1400, 1400, 0 }, { 100, 1400, 0 } };
  FaspReceiveBatch *batch = fasp_receive_batch_new (1 << 20);

  incoming = joined;
  n_incoming = G_N_ELEMENTS (joined);
  refused = 1;
  g_assert_true (fasp_receive_batch_fill (batch, -1));
  g_assert_cmpuint (count_received (batch), ==, 2);
  fasp_receive_batch_free (batch);
}

/* A kernel that refuses for ever is not asked all the time; one that receives again at once. */
static void
test_refused (void)
{
  static const Joined one = { 1400, 1400, 0 };
  FaspReceiveBatch *batch = fasp_receive_batch_new (1 << 20);

  refused = G_MAXUINT;
  pauses = 0;
  for (guint i = 0; i < 1000; i++)
    g_assert_true (fasp_receive_batch_fill (batch, -1));
  g_assert_cmpuint (pauses, >, 900);
  pauses = refused = 0;
  incoming = &one;
  n_incoming = 1;
  g_assert_true (fasp_receive_batch_fill (batch, -1));
  g_assert_cmpuint (count_received (batch), ==, 1);
  refused = 2; /* for once is nothing */
  g_assert_true (fasp_receive_batch_fill (batch, -1));
  g_assert_cmpuint (pauses, ==, 0);
  fasp_receive_batch_free (batch);
}

/* No more than the limit is out; beyond it blocks are copied. */
static void
test_limit (void)
{
  FaspReceiveBatch *batch = fasp_receive_batch_new (4 * FASP_CHUNK_SIZE);
  static const Joined large = { 46 * 1400, 1400 };
  FaspBlock *kept[20];
  guint n = 0;

  for (guint i = 0; i < 20; i++) {
    FaspMemory *memory;
    FaspAddress from;
    const guint8 *data;
    gboolean first = TRUE, marked;
    gsize size;

    incoming = &large;
    n_incoming = 1;
    g_assert_true (fasp_receive_batch_fill (batch, -1));
    while ((data = fasp_receive_batch_next (batch, &size, &from, &memory, &marked)) != NULL) {
      if (first && memory != NULL)
        kept[n++] = fasp_block_new_in (memory, data, size);
      first = FALSE;
    }
  }
  g_assert_cmpuint (n, ==, 4);
  while (n > 0)
    fasp_block_unref (kept[--n]);
  fasp_receive_batch_free (batch);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/batch/cut", test_cut);
  g_test_add_func ("/batch/no-cut/at-first", test_no_cut_at_first);
  g_test_add_data_func ("/batch/no-cut/kernel", GINT_TO_POINTER (EINVAL), test_no_cut);
  g_test_add_data_func ("/batch/no-cut/device", GINT_TO_POINTER (EIO), test_no_cut);
  g_test_add_func ("/batch/too-big", test_too_big);
  g_test_add_func ("/batch/too-small-path", test_too_small_path);
  g_test_add_data_func ("/batch/pending/refused", GINT_TO_POINTER (ECONNREFUSED), test_pending);
  g_test_add_data_func ("/batch/pending/unreachable", GINT_TO_POINTER (EHOSTUNREACH), test_pending);
  g_test_add_data_func ("/batch/source/four", GINT_TO_POINTER (ENETUNREACH), test_source);
  g_test_add_data_func ("/batch/source/six", GINT_TO_POINTER (EINVAL), test_source);
  g_test_add_func ("/batch/queue", test_queue);
  g_test_add_func ("/batch/full", test_full);
  g_test_add_func ("/batch/futile", test_futile);
  g_test_add_data_func ("/batch/links/wait", GINT_TO_POINTER (TRUE), test_links);
  g_test_add_data_func ("/batch/links/lose", GINT_TO_POINTER (FALSE), test_links);
  g_test_add_func ("/batch/errors", test_errors);
  g_test_add_func ("/batch/ecn", test_ecn);
  g_test_add_func ("/batch/joined", test_joined);
  g_test_add_func ("/batch/reported", test_reported);
  g_test_add_func ("/batch/refused", test_refused);
  g_test_add_func ("/batch/limit", test_limit);
  return g_test_run ();
}
