/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * treeceiling: a tree of relays with UDP alone, neither a protocol nor GStreamer: what the
 * processor takes to wake up as many processes, and to pass as many datagrams on, which no relay
 * can surpass.
 *
 *   treeceiling --relays 10 --receivers 10 --mbit 1 --seconds 20
 *
 * An origin sends each record to every relay and to one receiver of its own.  A relay, a process,
 * sends what comes to each of its receivers, which are one process for each relay, with a socket
 * for each receiver.  JSON at the end: how late records were, and how much later they came behind a
 * relay than to the origin's receiver.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "options.h"
#include "values.h"

#define RECORD 1316
#define LEAD 200000   /* µs until the first record: all are there */
#define LINGER 500000 /* µs that everybody stays for the last one */

typedef struct
{
  guint64 number;
  gint64 made; /* monotonic, µs */
  guint8 rest[RECORD - 16];
} Record;

typedef struct
{
  gint fd;
  struct sockaddr_in address;
} Socket;

static gint relays = 10, receivers = 10, seconds = 20;
static gdouble mbit = 1;
static gint64 end;
static guint records;
static gint32 *late; /* µs of each record at each receiver, shared; -1: it did not come */

static gboolean
open_socket (Socket *self)
{
  socklen_t length = sizeof self->address;

  self->address = (struct sockaddr_in) {
    .sin_family = AF_INET,
    .sin_addr.s_addr = htonl (INADDR_LOOPBACK),
  };
  self->fd = socket (AF_INET, SOCK_DGRAM, 0);
  return self->fd >= 0 && bind (self->fd, (struct sockaddr *) &self->address, length) == 0
      && getsockname (self->fd, (struct sockaddr *) &self->address, &length) == 0;
}

static void
send_record (gint fd, const Record *record, const Socket *to)
{
  if (sendto (fd, record, sizeof *record, 0, (struct sockaddr *) &to->address, sizeof to->address)
      != sizeof *record)
    perror ("treeceiling");
}

/* TRUE: in a process of its own, which ends with the one that made it. */
static gboolean
become_child (void)
{
  if (fork () != 0)
    return FALSE;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  return TRUE;
}

/* Calls take() whenever there is a record, until the end. */
static void
take_all (const Socket *sockets, guint n,
    void (*take) (guint index, const Record *record, gpointer data), gpointer data)
{
  gint poller = epoll_create1 (EPOLL_CLOEXEC);
  struct epoll_event *events = g_new0 (struct epoll_event, n);

  for (guint i = 0; i < n; i++) {
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = i };

    epoll_ctl (poller, EPOLL_CTL_ADD, sockets[i].fd, &event);
  }
  while (g_get_monotonic_time () < end) {
    gint ready = epoll_wait (poller, events, n, 100);

    for (gint i = 0; i < ready; i++) {
      Record record;

      if (recv (sockets[events[i].data.u32].fd, &record, sizeof record, 0) == sizeof record
          && record.number < records)
        take (events[i].data.u32, &record, data);
    }
  }
  _exit (0);
}

static void
pass_on (guint index, const Record *record, gpointer data)
{
  const Socket *to = data;

  for (gint i = 0; i < receivers; i++)
    send_record (to[i].fd, record, &to[i]);
}

static void
note (guint index, const Record *record, gpointer data)
{
  const gint32 *first = data;

  late[(first - late) + index * records + record->number] = g_get_monotonic_time () - record->made;
}

static void
send_all (const Socket *relay_sockets, const Socket *own)
{
  gdouble period = RECORD * 8 / mbit; /* µs */
  gint64 start = g_get_monotonic_time () + LEAD;
  static Record record;

  for (record.number = 0; record.number < records; record.number++) {
    gint64 due = start + record.number * period;
    struct timespec until = { due / G_USEC_PER_SEC, due % G_USEC_PER_SEC * 1000 };

    clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    record.made = g_get_monotonic_time ();
    send_record (own->fd, &record, own);
    for (gint i = 0; i < relays; i++)
      send_record (own->fd, &record, &relay_sockets[i]);
  }
}

static void
print (const gchar *name, GArray *values)
{
  static const gdouble shares[] = { .5, .9, .99, .999 };

  printf ("\"%s\": {", name);
  for (guint i = 0; i < G_N_ELEMENTS (shares) && values->len > 0; i++)
    printf ("%s\"%g\": %.3f", i ? ", " : "", shares[i],
        values_percentile (values, shares[i]) / 1e3);
  printf ("}");
}

static void
tell (void)
{
  g_autoptr (GArray) all = values_new (), added = values_new ();
  guint missing = 0;

  for (gint r = 0; r < relays * receivers; r++)
    for (guint i = 0; i < records; i++) {
      gint32 here = late[(r + 1) * records + i];

      if (here < 0 || late[i] < 0) {
        missing++;
        continue;
      }
      values_add (all, here);
      values_add (added, here - late[i]);
    }
  printf ("{\"missing\": %u, ", missing);
  print ("late_ms", all);
  printf (", ");
  print ("added_ms", added);
  printf ("}\n");
}

gint
main (gint argc, gchar **argv)
{
  const GOptionEntry entries[] = {
    { "relays", 0, 0, G_OPTION_ARG_INT, &relays, "Processes that pass on", "N" },
    { "receivers", 0, 0, G_OPTION_ARG_INT, &receivers, "Of each of them", "N" },
    { "mbit", 0, 0, G_OPTION_ARG_DOUBLE, &mbit, "Rate of the stream", "MBIT" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, NULL, "SECONDS" },
    { NULL },
  };
  g_autofree Socket *relay_sockets = NULL, *sockets = NULL;
  guint n;

  options_parse (&argc, &argv, entries, NULL);
  if (relays < 1 || receivers < 1 || relays * receivers > 1000 || mbit <= 0 || seconds < 1)
    options_refuse ("from 1 to 1000 receivers in all, at a rate and for a time above 0");
  records = seconds * mbit * 1e6 / 8 / RECORD;
  n = 1 + relays * receivers; /* the first is the origin's */
  late = mmap (NULL, n * records * sizeof *late, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
      -1, 0);
  if (late == MAP_FAILED) {
    perror ("treeceiling");
    return 1;
  }
  memset (late, 0xff, n * records * sizeof *late);
  relay_sockets = g_new0 (Socket, relays);
  sockets = g_new0 (Socket, n);
  for (gint i = 0; i < relays + (gint) n; i++)
    if (!open_socket (i < relays ? &relay_sockets[i] : &sockets[i - relays])) {
      perror ("treeceiling");
      return 1;
    }
  end = g_get_monotonic_time () + LEAD + seconds * G_USEC_PER_SEC + LINGER;
  for (gint i = 0; i < relays; i++) {
    if (become_child ())
      take_all (&relay_sockets[i], 1, pass_on, &sockets[1 + i * receivers]);
    if (become_child ())
      take_all (&sockets[1 + i * receivers], receivers, note, late + (1 + i * receivers) * records);
  }
  if (become_child ())
    take_all (sockets, 1, note, late);
  send_all (relay_sockets, sockets);
  while (wait (NULL) > 0)
    ;
  tell ();
  return 0;
}
