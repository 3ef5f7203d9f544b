/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Many receivers by libsrt, as its live mode has it by default (but for the latency,
 * which is the sender's); all on one UDP port, so that they have its threads for that
 * once.
 */
#include <arpa/inet.h>
#include <srt/srt.h>
#include <stdbool.h>
#include <stdio.h>
#include "swarm.h"

#define READY 256    /* sockets looked at in one turn */
#define WAIT 10      /* ms */
#define CONNECT 2000 /* ms */
#define TRIES 20     /* a listener accepts some at a time */
#define MESSAGE 1500

static gboolean
complain (void)
{
  fprintf (stderr, "swarm: SRT: %s\n", srt_getlasterror_str ());
  return FALSE;
}

/* Connected: a socket that was rejected cannot be used again. */
static SRTSOCKET
connect_one (const struct sockaddr_in *where)
{
  static struct sockaddr_in here = { .sin_family = AF_INET };
  int timeout = CONNECT, size = sizeof here;

  for (guint i = 0; i < TRIES; i++) {
    SRTSOCKET s = srt_create_socket ();

    if (s == SRT_INVALID_SOCK || srt_setsockflag (s, SRTO_CONNTIMEO, &timeout, sizeof timeout) < 0
        || srt_bind (s, (struct sockaddr *) &here, sizeof here) < 0
        || srt_getsockname (s, (struct sockaddr *) &here, &size) < 0)
      return SRT_INVALID_SOCK;
    if (srt_connect (s, (const struct sockaddr *) where, sizeof *where) >= 0)
      return s;
    srt_close (s);
    g_usleep (CONNECT * 1000 / TRIES);
  }
  return SRT_INVALID_SOCK;
}

static gboolean
open_all (Receiver *all, gint n, const struct sockaddr_in *where, gint poller)
{
  bool no = false;
  int events = SRT_EPOLL_IN | SRT_EPOLL_ERR;

  for (gint i = 0; i < n; i++) {
    Receiver *r = &all[i];

    r->fd = connect_one (where);
    if (r->fd == SRT_INVALID_SOCK || srt_setsockflag (r->fd, SRTO_RCVSYN, &no, sizeof no) < 0
        || srt_epoll_add_usock (poller, r->fd, &events) < 0)
      return complain ();
    r->connected = TRUE;
  }
  return TRUE;
}

/* All that is to be read. */
static void
receive (Receiver *r, gint poller)
{
  guint8 data[MESSAGE];
  gint size;

  while ((size = srt_recvmsg (r->fd, (char *) data, sizeof data)) > 0)
    swarm_take (r, data, size, g_get_monotonic_time ());
  if (size == 0 || srt_getsockstate (r->fd) != SRTS_CONNECTED) {
    r->ended = TRUE;
    srt_epoll_remove_usock (poller, r->fd);
  }
}

gboolean
swarm_srt (Receiver *all, gint n, const gchar *host, gint port, gint64 end)
{
  struct sockaddr_in where = { .sin_family = AF_INET, .sin_port = htons (port) };
  g_autoptr (GHashTable) by_socket = g_hash_table_new (NULL, NULL);
  gint poller;
  gboolean good;

  inet_pton (AF_INET, host, &where.sin_addr);
  srt_startup ();
  srt_setloglevel (0); /* LOG_EMERG; it says much when it is late */
  poller = srt_epoll_create ();
  good = open_all (all, n, &where, poller);
  for (gint i = 0; i < n; i++)
    g_hash_table_insert (by_socket, GINT_TO_POINTER (all[i].fd), &all[i]);
  while (good && g_get_monotonic_time () < end) {
    SRT_EPOLL_EVENT events[READY];
    gint ready = srt_epoll_uwait (poller, events, READY, WAIT);

    for (gint i = 0; i < MIN (ready, READY); i++)
      receive (g_hash_table_lookup (by_socket, GINT_TO_POINTER (events[i].fd)), poller);
  }
  for (gint i = 0; i < n; i++) {
    if (all[i].fd > 0)
      srt_close (all[i].fd);
    all[i].fd = -1;
  }
  srt_epoll_release (poller);
  srt_cleanup ();
  return good;
}
