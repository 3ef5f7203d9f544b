/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fanceiling: UDP without a protocol to many receivers of this machine: what nothing
 * that uses UDP can surpass.
 *
 *   fanceiling --receivers 1000 --mbit 5 --every 6 --seconds 10
 *
 * Every so many ms each gets as one message (UDP_SEGMENT) what its rate makes of that
 * time; two processes, one that sends and one that reads (UDP_GRO).  JSON at the end:
 * how late the sender's turns were, what arrived of what was sent, and the cores of both.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <glib.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "options.h"

#define PACKET 1400 /* UDP payload */
#define BATCH 32    /* messages in one call */
#define READY 256
#define LINGER 500000 /* µs that the reader stays for the last */

static gint receivers = 1000, seconds = 10;
static gdouble mbit = 5, every = 6;
static struct sockaddr_in *addresses;
static guint8 data[65536];

static gboolean
open_socket (gint *fd, struct sockaddr_in *address)
{
  socklen_t length = sizeof *address;
  gint on = 1;

  *address = (struct sockaddr_in) {
    .sin_family = AF_INET,
    .sin_addr.s_addr = htonl (INADDR_LOOPBACK),
  };
  *fd = socket (AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  return *fd >= 0 && bind (*fd, (struct sockaddr *) address, sizeof *address) == 0
      && getsockname (*fd, (struct sockaddr *) address, &length) == 0
      && setsockopt (*fd, IPPROTO_UDP, UDP_GRO, &on, sizeof on) == 0;
}

/* In the other process: tells by @report. */
static void
read_all (const gint *fds, gint report)
{
  gint poller = epoll_create1 (EPOLL_CLOEXEC);
  gint64 end = g_get_monotonic_time () + seconds * G_USEC_PER_SEC + LINGER;
  gdouble told[2] = { 0 }; /* bytes, s of CPU */

  for (gint i = 0; i < receivers; i++) {
    struct epoll_event event = { .events = EPOLLIN, .data.fd = fds[i] };

    epoll_ctl (poller, EPOLL_CTL_ADD, fds[i], &event);
  }
  while (g_get_monotonic_time () < end) {
    struct epoll_event events[READY];
    gint n = epoll_wait (poller, events, READY, 100);

    for (gint i = 0; i < n; i++) {
      gssize size = recv (events[i].data.fd, data, sizeof data, 0);

      told[0] += MAX (0, size);
    }
  }
  told[1] = (gdouble) clock () / CLOCKS_PER_SEC;
  if (write (report, told, sizeof told) != sizeof told)
    perror ("fanceiling");
  _exit (0);
}

/* One turn: a message to each. Returns bytes. */
static guint64
send_turn (gint fd, gsize size)
{
  struct iovec piece = { data, size };
  guint64 bytes = 0;

  for (gint i = 0; i < receivers; i += BATCH) {
    struct mmsghdr messages[BATCH] = { 0 };
    gint n = MIN (BATCH, receivers - i), sent;

    for (gint j = 0; j < n; j++)
      messages[j].msg_hdr = (struct msghdr) {
        .msg_name = &addresses[i + j],
        .msg_namelen = sizeof *addresses,
        .msg_iov = &piece,
        .msg_iovlen = 1,
      };
    sent = sendmmsg (fd, messages, n, 0);
    bytes += MAX (0, sent) * size;
  }
  return bytes;
}

static void
send_all (gint from)
{
  gint fd = socket (AF_INET, SOCK_DGRAM, 0);
  guint packets = MAX (1, mbit * every * 1e3 / 8 / PACKET + .5);
  /* what whole packets make of the rate */
  gdouble turn = packets * PACKET * 8 / mbit; /* µs */
  gint64 start = g_get_monotonic_time (), latest = 0;
  gdouble told[2] = { 0 }, cpu;
  guint64 bytes = 0;

  setsockopt (fd, IPPROTO_UDP, UDP_SEGMENT, &(gint) { PACKET }, sizeof (gint));
  prctl (PR_SET_TIMERSLACK, 1, 0, 0, 0);
  for (gint64 i = 0; i * turn < seconds * 1e6; i++) {
    gint64 late = g_get_monotonic_time () - start - i * turn;

    if (late < 0)
      g_usleep (-late);
    latest = MAX (latest, late);
    bytes += send_turn (fd, packets * PACKET);
  }
  cpu = (gdouble) clock () / CLOCKS_PER_SEC;
  if (read (from, told, sizeof told) != sizeof told)
    perror ("fanceiling");
  printf ("{\"receivers\": %d, \"mbit\": %g, \"packets\": %u, \"latest_ms\": "
          "%.1f, \"arrived\": %.5f, \"sender_cpu\": %.2f, \"swarm_cpu\": %.2f}\n",
      receivers, mbit, packets, latest / 1e3, told[0] / MAX (1, bytes), cpu / seconds,
      told[1] / seconds);
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "receivers", 0, 0, G_OPTION_ARG_INT, &receivers, "", "N" },
    { "mbit", 0, 0, G_OPTION_ARG_DOUBLE, &mbit, "To each", "MBIT" },
    { "every", 0, 0, G_OPTION_ARG_DOUBLE, &every, "About", "MS" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "", "SECONDS" },
    { NULL },
  };
  g_autofree gint *fds = NULL;
  gint report[2];
  pid_t reader;

  options_parse (&argc, &argv, entries, NULL);
  if (receivers < 1 || mbit <= 0 || every <= 0 || mbit * every > 400 || seconds < 1)
    options_refuse ("there have to be receivers, a rate, and no more than 50 kB in one turn");
  addresses = g_new (struct sockaddr_in, receivers);
  fds = g_new (gint, receivers);
  for (gint i = 0; i < receivers; i++)
    if (!open_socket (&fds[i], &addresses[i])) {
      fprintf (stderr, "fanceiling: receiver %d: %s\n", i, g_strerror (errno));
      return 1;
    }
  if (pipe (report) < 0 || (reader = fork ()) < 0) {
    perror ("fanceiling");
    return 1;
  }
  if (reader == 0)
    read_all (fds, report[1]);
  close (report[1]);
  send_all (report[0]);
  waitpid (reader, NULL, 0);
  g_free (addresses);
  return 0;
}
