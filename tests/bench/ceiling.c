/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ceiling: UDP without a protocol, as fast as this machine does it: what nothing
 * that uses UDP can surpass.
 *
 *   ceiling receive --port P [--gro]
 *   ceiling send --to ADDRESS --port P --payload BYTES --seconds S [--gso] [--zerocopy]
 *
 * Without --gso, --gro: sendmmsg and recvmmsg.  --zerocopy: with MSG_ZEROCOPY, and `copied' counts
 * the calls whose bytes the kernel copied nevertheless.  JSON at the end.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <glib.h>
#include <linux/errqueue.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include "options.h"
#include "ratereport.h"

#define BATCH 64
#define BIG 65535

static gint port = 5000, payload = 1400, seconds = 10;
static gboolean gso, gro, zerocopy;
static gchar *to;
static guint64 bytes, calls, copied;
static gint64 first, last;
static guint8 data[BATCH][BIG];

/* Takes what the kernel reports about calls with MSG_ZEROCOPY: one report for several calls. */
static void
take_reports (int fd)
{
  for (;;) {
    guint8 control[256];
    struct msghdr header = { .msg_control = control, .msg_controllen = sizeof control };
    struct sock_extended_err report;
    struct cmsghdr *c;

    if (recvmsg (fd, &header, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
      return;
    c = CMSG_FIRSTHDR (&header);
    if (c == NULL || c->cmsg_len < CMSG_LEN (sizeof report))
      continue;
    memcpy (&report, CMSG_DATA (c), sizeof report);
    if (report.ee_origin == SO_EE_ORIGIN_ZEROCOPY && report.ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
      copied += report.ee_data - report.ee_info + 1;
  }
}

static gboolean
send_all (int fd)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons (port) };
  struct mmsghdr messages[BATCH] = { 0 };
  struct iovec pieces[BATCH];
  gint segment = payload, on = 1;
  guint each = gso ? MIN (BIG - 28, 64 * payload) / payload * payload : payload;

  if (inet_pton (AF_INET, to, &address.sin_addr) != 1
      || connect (fd, (struct sockaddr *) &address, sizeof address) != 0
      || (gso && setsockopt (fd, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof segment) != 0)
      || (zerocopy && setsockopt (fd, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof on) != 0)) {
    fprintf (stderr, "ceiling: %s: %s\n", to, g_strerror (errno));
    return FALSE;
  }
  for (guint i = 0; i < BATCH; i++) {
    pieces[i] = (struct iovec) { data[i], each };
    messages[i].msg_hdr.msg_iov = &pieces[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  first = g_get_monotonic_time ();
  do {
    gint n = sendmmsg (fd, messages, gso ? 1 : BATCH, zerocopy ? MSG_ZEROCOPY : 0);

    if (zerocopy)
      take_reports (fd);
    calls++;
    bytes += (guint64) MAX (n, 0) * each;
    last = g_get_monotonic_time ();
  } while (last - first < seconds * G_USEC_PER_SEC);
  return TRUE;
}

/* Until a second of silence. */
static gboolean
receive_all (int fd)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons (port) };
  struct mmsghdr messages[BATCH] = { 0 };
  struct iovec pieces[BATCH];
  gint on = 1, room = 16 << 20;

  setsockopt (fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
  if (bind (fd, (struct sockaddr *) &address, sizeof address) != 0
      || (gro && setsockopt (fd, IPPROTO_UDP, UDP_GRO, &on, sizeof on) != 0)) {
    fprintf (stderr, "ceiling: port %d: %s\n", port, g_strerror (errno));
    return FALSE;
  }
  for (guint i = 0; i < BATCH; i++) {
    pieces[i] = (struct iovec) { data[i], BIG };
    messages[i].msg_hdr.msg_iov = &pieces[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  for (;;) {
    struct pollfd p = { fd, POLLIN, 0 };
    gint n = recvmmsg (fd, messages, BATCH, MSG_DONTWAIT, NULL);

    if (n <= 0) {
      if (poll (&p, 1, bytes > 0 ? 1000 : 30000) <= 0)
        return TRUE;
      continue;
    }
    calls++;
    last = g_get_monotonic_time ();
    if (first == 0)
      first = last;
    for (gint i = 0; i < n; i++)
      bytes += messages[i].msg_len;
  }
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "port", 0, 0, G_OPTION_ARG_INT, &port, "", "PORT" },
    { "to", 0, 0, G_OPTION_ARG_STRING, &to, "", "ADDRESS" },
    { "payload", 0, 0, G_OPTION_ARG_INT, &payload, "UDP payload", "BYTES" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "", "SECONDS" },
    { "gso", 0, 0, G_OPTION_ARG_NONE, &gso, "", NULL },
    { "gro", 0, 0, G_OPTION_ARG_NONE, &gro, "", NULL },
    { "zerocopy", 0, 0, G_OPTION_ARG_NONE, &zerocopy, "", NULL },
    { NULL },
  };
  gboolean good, sends;
  int fd;

  options_parse (&argc, &argv, entries, "send|receive");
  if (argc != 2 || payload < 1 || payload > 9000
      || ((sends = strcmp (argv[1], "send") == 0) && to == NULL))
    options_refuse ("say send --to ADDRESS, or receive");
  fd = socket (AF_INET, SOCK_DGRAM, 0);
  good = sends ? send_all (fd) : receive_all (fd);
  rate_report (bytes, first, last, "calls", calls, "copied", copied, NULL);
  return good ? 0 : 1;
}
