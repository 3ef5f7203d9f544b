/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * flood: hostile datagrams, many a second, to a port of this machine, from all
 * addresses of 127.0.0.0/8, a quarter each: noise; OPENs that look like a caller's;
 * session datagrams with ids that do not exist; and what others have sent to that
 * port, once more (which needs root: it listens to the loopback interface).
 *
 * A line of JSON at the end: how many of which.
 */
#define _GNU_SOURCE /* sendmmsg */
#include <errno.h>
#include <gio/gio.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include "options.h"

#define BATCH 64
#define SIZE 1500
#define KEPT 4096 /* datagrams to be replayed */
#define OPEN_SIZE 1200

enum
{
  NOISE,
  OPENS,
  SESSIONS,
  REPLAYS,
  KINDS,
};

static const gchar *names[] = { "noise", "opens", "sessions", "replays" };

typedef struct
{
  struct mmsghdr messages[BATCH];
  struct iovec pieces[BATCH];
  guint8 data[BATCH][SIZE];
  struct sockaddr_in to;
  /* each from another address */
  union
  {
    struct cmsghdr align;
    guint8 bytes[CMSG_SPACE (sizeof (struct in_pktinfo))];
  } control[BATCH];
} Batch;

typedef struct
{
  guint8 data[KEPT][SIZE];
  guint16 size[KEPT];
  guint n, next;
} Tape;

static int
listen_to_loopback (void)
{
  return socket (AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK, htons (ETH_P_IP));
}

/* What others send to the port. */
static void
record (int fd, guint16 port, Tape *tape)
{
  guint8 packet[2048];

  for (guint i = 0; i < BATCH; i++) {
    gssize size = recv (fd, packet, sizeof packet, 0);
    const struct iphdr *ip = (const struct iphdr *) packet;
    const struct udphdr *udp;
    gsize header;

    if (size < (gssize) (sizeof *ip + sizeof *udp))
      return;
    header = ip->ihl * 4 + sizeof *udp;
    udp = (const struct udphdr *) (packet + ip->ihl * 4);
    /* ours come from everywhere in 127/8, theirs from 127.0.0.1 */
    if (ip->protocol != IPPROTO_UDP || udp->dest != htons (port)
        || ip->saddr != htonl (INADDR_LOOPBACK) || (gsize) size < header + 8
        || size - header > SIZE)
      continue;
    memcpy (tape->data[tape->next], packet + header, size - header);
    tape->size[tape->next] = size - header;
    tape->next = (tape->next + 1) % KEPT;
    tape->n = MAX (tape->n, tape->next);
  }
}

static void
fill (guint8 *data, gsize size, GRand *rand)
{
  for (gsize i = 0; i + 4 <= size; i += 4) {
    guint32 word = g_rand_int (rand);

    memcpy (data + i, &word, 4);
  }
}

static gsize
make (guint kind, guint8 *data, const Tape *tape, GRand *rand)
{
  guint which;

  switch (kind) {
    case NOISE:
      fill (data, 400, rand);
      return 30 + data[0];
    case OPENS:
      memset (data, 0, OPEN_SIZE);
      fill (data, 148, rand);
      data[0] = 0x41;              /* OPEN */
      data[1] = 2;                 /* version */
      memset (data + 2, 0, 4);     /* to nobody yet */
      data[26] = 0;                /* no cookie */
      data[27] = 1 + data[27] % 4; /* pattern */
      data[28] = 0;
      data[29] = 96; /* message */
      return OPEN_SIZE;
    case SESSIONS:
      fill (data, 200, rand);
      data[0] = 0x80;
      return 200;
    default:
      if (tape->n == 0)
        return 0;
      which = g_rand_int_range (rand, 0, tape->n);
      memcpy (data, tape->data[which], tape->size[which]);
      return tape->size[which];
  }
}

static void
prepare (Batch *batch, guint16 port)
{
  memset (batch, 0, sizeof *batch);
  batch->to = (struct sockaddr_in) {
    .sin_family = AF_INET,
    .sin_port = htons (port),
    .sin_addr.s_addr = htonl (INADDR_LOOPBACK),
  };
  for (guint i = 0; i < BATCH; i++) {
    struct msghdr *header = &batch->messages[i].msg_hdr;
    struct cmsghdr *control;

    batch->pieces[i].iov_base = batch->data[i];
    header->msg_name = &batch->to;
    header->msg_namelen = sizeof batch->to;
    header->msg_iov = &batch->pieces[i];
    header->msg_iovlen = 1;
    header->msg_control = batch->control[i].bytes;
    header->msg_controllen = sizeof batch->control[i].bytes;
    control = CMSG_FIRSTHDR (header);
    control->cmsg_level = IPPROTO_IP;
    control->cmsg_type = IP_PKTINFO;
    control->cmsg_len = CMSG_LEN (sizeof (struct in_pktinfo));
  }
}

static void
send_from_anywhere (Batch *batch, guint i, GRand *rand)
{
  struct in_pktinfo info = { 0 };

  info.ipi_spec_dst.s_addr = htonl (0x7f000000 | g_rand_int_range (rand, 2, 0xfffffe));
  memcpy (CMSG_DATA (CMSG_FIRSTHDR (&batch->messages[i].msg_hdr)), &info, sizeof info);
}

int
main (int argc, char **argv)
{
  static gint port = 0, rate = 200000, seconds = 60;
  static const GOptionEntry entries[] = {
    { "port", 0, 0, G_OPTION_ARG_INT, &port, "To be flooded", "PORT" },
    { "rate", 0, 0, G_OPTION_ARG_INT, &rate, "Datagrams a second", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "", "SECONDS" },
    { NULL },
  };
  static Batch batch;
  static Tape tape;
  guint64 sent[KINDS] = { 0 }, all = 0;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  int fd = socket (AF_INET, SOCK_DGRAM, 0), tap = listen_to_loopback ();
  gint64 start = g_get_monotonic_time ();

  options_parse (&argc, &argv, entries, NULL);
  if (port <= 0 || port > G_MAXUINT16 || rate <= 0 || seconds <= 0)
    options_refuse ("--port is needed; rate and seconds are more than 0");
  if (tap < 0) {
    fprintf (stderr, "flood: cannot listen to the loopback interface: %s. Run it as root.\n",
        g_strerror (errno));
    return 1;
  }
  prepare (&batch, port);
  for (;;) {
    gint64 elapsed = g_get_monotonic_time () - start;
    guint kinds[BATCH], n = 0;
    int done;

    if (elapsed > seconds * G_USEC_PER_SEC)
      break;
    record (tap, port, &tape);
    if (all >= (guint64) elapsed * rate / G_USEC_PER_SEC) {
      g_usleep (200);
      continue;
    }
    while (n < BATCH) {
      gsize size;

      kinds[n] = g_rand_int_range (rand, 0, KINDS);
      size = make (kinds[n], batch.data[n], &tape, rand);
      if (size == 0 && g_get_monotonic_time () - start > seconds * G_USEC_PER_SEC)
        break; /* nobody has sent anything to be repeated */
      if (size == 0) {
        g_usleep (100);
        record (tap, port, &tape);
        continue;
      }
      batch.pieces[n].iov_len = size;
      send_from_anywhere (&batch, n++, rand);
    }
    done = sendmmsg (fd, batch.messages, n, 0);
    for (gint i = 0; i < done; i++)
      sent[kinds[i]]++;
    all += n; /* what the socket does not take is gone */
  }
  printf ("{");
  for (guint i = 0; i < KINDS; i++)
    printf ("%s\"%s\": %" G_GUINT64_FORMAT, i > 0 ? ", " : "", names[i], sent[i]);
  printf ("}\n");
  return 0;
}
