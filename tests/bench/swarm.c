/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * swarm: many receivers of one stream of cbrsource's records, in one process.
 *
 *   swarm --to 127.0.0.1:7001 --receivers 1000 --lossy 100 --loss 1 --stall 10 --vanish 10
 *   swarm --tcp --to 127.0.0.1:7001 --receivers 1000
 *   swarm --srt --to 127.0.0.1:7001 --receivers 100
 *
 * With the core's own endpoint, a socket and a port each, and the kernel's time of each arrival.
 * The first ones lose packets at random, both ways; the next do not read their sockets any more
 * from half of the time on; the next are gone then without a word.  All others are the good ones.
 * --times has a line for each record of each receiver: which receiver, which record, how many µs
 * after it was made.  JSON at the end: what each kind got, how late it was after it had been made,
 * how far a receiver was ever sent ahead of --rate (a burst), and the time between two messages to
 * it (what the kernel has joined, or not cut, is one).
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "faspcredentials.h"
#include "options.h"
#include "swarm.h"
#include "vflat.h"

#define JOINED_MAX 65536 /* bytes of one message */
#define MESSAGES 8       /* read at once */
#define HEADERS 28       /* IPv4, UDP */
#define ROUND 256        /* events looked at in one turn */
#define DIAL_APART 2000  /* µs between the first calls */
#define WAIT 10000       /* µs at most */

static const gchar *const kind_names[] = { "good", "lossy", "stalled", "vanished" };

static gchar *to = NULL;
static gint receivers = 10, lossy, stalled, vanished, seconds = 20, settle;
static gint checked_every = 16; /* records of which all bytes are compared */
static gdouble loss = 1, rate_mbit;
static gboolean tcp, srt;
static gchar *passphrase, *streamid, *times_path;
static FILE *times;

static GRand *dice;
static FaspHeap dues;
static FaspHist latency[KINDS], gaps, bursts;
static struct sockaddr_in where;
static FaspAddress peer = { .len = sizeof where, .overhead = HEADERS }; /* the same */

static gint64 count_from;

static void
random_bytes (gpointer unused, guint8 *data, gsize size)
{
  while (size > 0) {
    gssize n = getrandom (data, MIN (size, 256), 0);

    if (n > 0) {
      data += n;
      size -= n;
    }
  }
}

/* --- what came ---------------------------------------------------------------------- */

static void
check (Receiver *r, gint64 now)
{
  guint64 number;
  gint64 time;

  memcpy (&number, r->part + 8, sizeof number);
  memcpy (&time, r->part + 16, sizeof time);
  if (!cbr_record_starts (r->part)
      || (number % checked_every == 0 && !cbr_record_read (r->part, &number, &time))) {
    r->damaged++;
    return;
  }
  if (r->records > 0 && number > r->next)
    r->missing += number - r->next;
  r->next = number + 1;
  r->records++;
  if (time >= count_from)
    fasp_hist_add (&latency[r->kind], now - time);
  if (times != NULL)
    fprintf (times, "%d %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT "\n", r->number, number,
        now - time);
}

void
swarm_take (Receiver *r, const guint8 *data, gsize size, gint64 now)
{
  while (size > 0) {
    gsize n = MIN (size, sizeof r->part - r->have);

    memcpy (r->part + r->have, data, n);
    r->have += n;
    data += n;
    size -= n;
    /* who joins a stream is somewhere in a record */
    while (!r->found && r->have >= 8) {
      r->found = cbr_record_starts (r->part);
      if (!r->found)
        memmove (r->part, r->part + 1, --r->have);
    }
    if (r->have == sizeof r->part) {
      check (r, now);
      r->have = 0;
    }
  }
}

static void
note_pace (Receiver *r, gint64 ns, gsize bytes)
{
  if (r->last > 0) {
    fasp_hist_add (&gaps, (ns - r->last) / 1000);
    r->ahead = MAX (0, r->ahead - rate_mbit / 8e3 * (ns - r->last));
  }
  r->ahead += bytes;
  r->burst = MAX (r->burst, r->ahead);
  r->last = ns;
}

/* --- fasp --------------------------------------------------------------------------- */

static gboolean
is_dropped (const Receiver *r)
{
  return r->kind == LOSSY && g_rand_double (dice) * 100 < loss;
}

static void
look (Receiver *r, gint64 now)
{
  FaspDatagram datagram;
  FaspEvent event;
  FaspRead read;

  while (fasp_endpoint_read (r->endpoint, now, &read)) {
    FaspBlock *block = read.block;

    if (block->flags & FASP_BLOCK_EOS)
      r->ended = TRUE;
    swarm_take (r, block->data, block->size, now);
    fasp_block_unref (block);
  }
  while (fasp_endpoint_poll (r->endpoint, now, &datagram)) {
    vflat_datagram (&datagram);
    if (!is_dropped (r))
      send (r->fd, datagram.data, datagram.size, 0);
    fasp_datagram_release (&datagram);
  }
  while (fasp_endpoint_poll_event (r->endpoint, &event))
    r->connected |= event.type == FASP_EVENT_CONNECTED;
  fasp_heap_set (&dues, &r->due, fasp_endpoint_get_timeout (r->endpoint));
}

/* The kernel's time of a message, and of how large parts it was joined. */
static gint64
read_control (struct msghdr *message, gsize *part)
{
  struct timespec ts = { 0 };

  for (struct cmsghdr *c = CMSG_FIRSTHDR (message); c != NULL; c = CMSG_NXTHDR (message, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS)
      memcpy (&ts, CMSG_DATA (c), sizeof ts);
    if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO) {
      gint value;

      memcpy (&value, CMSG_DATA (c), sizeof value);
      *part = MAX (value, 1);
    }
  }
  return ts.tv_sec * G_GINT64_CONSTANT (1000000000) + ts.tv_nsec;
}

static void
take_message (Receiver *r, gint64 now, struct msghdr *message, gssize size)
{
  const guint8 *data = message->msg_iov->iov_base;
  gsize part = size;
  gint64 ns = read_control (message, &part);

  if (now >= count_from)
    note_pace (r, ns, size + (size + part - 1) / part * HEADERS);
  for (gssize at = 0; at < size; at += part)
    if (!is_dropped (r))
      fasp_endpoint_receive (r->endpoint, now, &peer, data + at, MIN ((gssize) part, size - at),
          NULL, FALSE);
}

/* All that waits, as faspsrc does: who is behind answers once. */
static void
receive (Receiver *r)
{
  static guint8 data[MESSAGES][JOINED_MAX];
  union
  {
    struct cmsghdr align;
    guint8 bytes[128];
  } control[MESSAGES];
  struct iovec pieces[MESSAGES];
  struct mmsghdr messages[MESSAGES] = { 0 };
  gint64 now;
  gint n;

  for (guint i = 0; i < MESSAGES; i++) {
    pieces[i] = (struct iovec) { data[i], sizeof data[i] };
    messages[i].msg_hdr = (struct msghdr) {
      .msg_iov = &pieces[i],
      .msg_iovlen = 1,
      .msg_control = control[i].bytes,
      .msg_controllen = sizeof control[i].bytes,
    };
  }
  n = recvmmsg (r->fd, messages, MESSAGES, MSG_DONTWAIT, NULL);
  now = g_get_monotonic_time ();
  for (gint i = 0; i < n; i++)
    take_message (r, now, &messages[i].msg_hdr, messages[i].msg_len);
  if (n > 0)
    look (r, now);
}

static gboolean
open_fasp (Receiver *r, struct _FaspCredentials *credentials, gint64 now)
{
  gint one = 1;
  FaspEndpointConfig config;

  r->fd = socket (AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  if (r->fd < 0 || connect (r->fd, (struct sockaddr *) &where, sizeof where) < 0)
    return FALSE;
  setsockopt (r->fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one);
  setsockopt (r->fd, IPPROTO_UDP, UDP_GRO, &one, sizeof one);
  fasp_endpoint_config_init (&config, FASP_ROLE_RECEIVER, FASP_MODE_CALLER);
  config.buffer_size = 4 << 20;
  config.credentials = credentials;
  config.streamid = streamid;
  r->endpoint = fasp_endpoint_new (&config, random_bytes, NULL);
  fasp_endpoint_dial (r->endpoint, now, &peer);
  return TRUE;
}

/* --- TCP ---------------------------------------------------------------------------- */

static gboolean
open_tcp (Receiver *r)
{
  r->fd = socket (AF_INET, SOCK_STREAM, 0);
  if (r->fd < 0 || connect (r->fd, (struct sockaddr *) &where, sizeof where) < 0)
    return FALSE;
  r->connected = TRUE;
  return TRUE;
}

static void
receive_tcp (Receiver *r)
{
  static guint8 data[JOINED_MAX];
  struct timespec ts;
  gssize size = recv (r->fd, data, sizeof data, MSG_DONTWAIT);
  gint64 now;

  if (size == 0)
    r->ended = TRUE;
  if (size <= 0)
    return;
  clock_gettime (CLOCK_REALTIME, &ts);
  now = g_get_monotonic_time ();
  if (now >= count_from)
    note_pace (r, ts.tv_sec * G_GINT64_CONSTANT (1000000000) + ts.tv_nsec, size);
  swarm_take (r, data, size, now);
}

/* --- all of them -------------------------------------------------------------------- */

/* Half of the time is over. */
static void
change (Receiver *all, gint poller)
{
  for (gint i = 0; i < receivers; i++) {
    Receiver *r = &all[i];

    if (r->kind < STALLED)
      continue;
    epoll_ctl (poller, EPOLL_CTL_DEL, r->fd, NULL);
    fasp_heap_remove (&dues, &r->due);
    if (r->kind == VANISHED) {
      close (r->fd);
      r->fd = -1;
    }
  }
}

static void
run (Receiver *all, gint poller)
{
  gint64 start = g_get_monotonic_time (), end = start + seconds * G_USEC_PER_SEC, now;
  gboolean changed = FALSE;
  gint open = 0;

  count_from = start + settle * G_USEC_PER_SEC;
  while ((now = g_get_monotonic_time ()) < end) {
    struct epoll_event events[ROUND];
    FaspHeapItem *first = fasp_heap_peek (&dues);
    gint64 wait = first != NULL ? CLAMP (first->key - now, 0, WAIT) : WAIT;
    gint n =
        epoll_pwait2 (poller, events, ROUND, &(struct timespec) { .tv_nsec = wait * 1000 }, NULL);

    for (gint i = 0; i < n; i++) {
      Receiver *r = events[i].data.ptr;

      if (tcp)
        receive_tcp (r);
      else
        receive (r);
      if (r->ended)
        epoll_ctl (poller, EPOLL_CTL_DEL, r->fd, NULL);
    }
    now = g_get_monotonic_time ();
    for (gint i = 0; i < ROUND && (first = fasp_heap_peek (&dues)) != NULL && first->key <= now;
        i++)
      look (first->owner, now);
    /* not all at the same time */
    for (; open < receivers && now >= start + open * DIAL_APART; open++) {
      Receiver *r = &all[open];
      struct epoll_event event = { .events = EPOLLIN, .data.ptr = r };

      if (tcp)
        continue;
      epoll_ctl (poller, EPOLL_CTL_ADD, r->fd, &event);
      look (r, now);
    }
    if (!changed && now >= start + (end - start) / 2) {
      change (all, poller);
      changed = TRUE;
    }
  }
}

static void
report (const Receiver *all)
{
  gint counts[KINDS] = { 0 }, connected[KINDS] = { 0 }, whole[KINDS] = { 0 };
  guint64 records[KINDS] = { 0 }, missing[KINDS] = { 0 };
  guint64 damaged = 0, least = G_MAXUINT64;
  struct rusage usage;

  for (gint i = 0; i < receivers; i++) {
    const Receiver *r = &all[i];

    counts[r->kind]++;
    connected[r->kind] += r->connected;
    records[r->kind] += r->records;
    missing[r->kind] += r->missing;
    whole[r->kind] += r->records > 0 && r->missing + r->damaged == 0;
    damaged += r->damaged;
    fasp_hist_add (&bursts, r->burst);
    if (r->kind == GOOD)
      least = MIN (least, r->records);
  }
  getrusage (RUSAGE_SELF, &usage);
  printf ("{\"receivers\": %d, \"seconds\": %d, \"damaged\": %" G_GUINT64_FORMAT
          ", \"least\": %" G_GUINT64_FORMAT ", \"cpu\": %.2f",
      receivers, seconds, damaged, least,
      usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
          + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
  for (guint k = 0; k < KINDS; k++)
    printf (
        ",\n \"%s\": {\"receivers\": %d, \"connected\": %d, \"whole\": %d, \"records\": %" G_GUINT64_FORMAT
        ", \"missing\": %" G_GUINT64_FORMAT ", \"late_us\": {\"p50\": %" G_GINT64_FORMAT
        ", \"p99\": %" G_GINT64_FORMAT ", \"max\": %" G_GINT64_FORMAT "}}",
        kind_names[k], counts[k], connected[k], whole[k], records[k], missing[k],
        fasp_hist_percentile (&latency[k], .5), fasp_hist_percentile (&latency[k], .99),
        latency[k].max);
  printf (",\n \"burst_bytes\": {\"p50\": %" G_GINT64_FORMAT ", \"p99\": %" G_GINT64_FORMAT
          ", \"max\": %" G_GINT64_FORMAT "}, \"gap_us\": {\"p50\": %" G_GINT64_FORMAT
          ", \"p99\": %" G_GINT64_FORMAT ", \"max\": %" G_GINT64_FORMAT "}}\n",
      fasp_hist_percentile (&bursts, .5), fasp_hist_percentile (&bursts, .99), bursts.max,
      fasp_hist_percentile (&gaps, .5), fasp_hist_percentile (&gaps, .99), gaps.max);
}

static gboolean
parse_address (gchar **host)
{
  g_auto (GStrv) parts = to != NULL ? g_strsplit (to, ":", 2) : NULL;

  if (parts == NULL || g_strv_length (parts) != 2)
    return FALSE;
  where.sin_family = AF_INET;
  where.sin_port = htons (atoi (parts[1]));
  if (inet_pton (AF_INET, parts[0], &where.sin_addr) != 1)
    return FALSE;
  memcpy (peer.bytes, &where, sizeof where);
  *host = g_strdup (parts[0]);
  return TRUE;
}

/* All the receivers' life. */
static gboolean
live (Receiver *all, struct _FaspCredentials *credentials)
{
  gint poller = epoll_create1 (EPOLL_CLOEXEC);

  for (gint i = 0; i < receivers; i++) {
    Receiver *r = &all[i];
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = r };

    if (!(tcp ? open_tcp (r) : open_fasp (r, credentials, g_get_monotonic_time ()))) {
      fprintf (stderr, "swarm: receiver %d: %s\n", i, g_strerror (errno));
      return FALSE;
    }
    if (tcp)
      epoll_ctl (poller, EPOLL_CTL_ADD, r->fd, &event);
  }
  run (all, poller);
  close (poller);
  return TRUE;
}

static gboolean
live_by_srt (Receiver *all, const gchar *host)
{
#ifdef HAVE_SRT
  gint64 now = g_get_monotonic_time ();

  count_from = now + settle * G_USEC_PER_SEC;
  return swarm_srt (all, receivers, host, ntohs (where.sin_port), now + seconds * G_USEC_PER_SEC);
#else
  return FALSE;
#endif
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "to", 0, 0, G_OPTION_ARG_STRING, &to, "Who sends the stream", "ADDRESS:PORT" },
    { "tcp", 0, 0, G_OPTION_ARG_NONE, &tcp, "By TCP", NULL },
#ifdef HAVE_SRT
    { "srt", 0, 0, G_OPTION_ARG_NONE, &srt, "By SRT", NULL },
#endif
    { "receivers", 0, 0, G_OPTION_ARG_INT, &receivers, "", "N" },
    { "lossy", 0, 0, G_OPTION_ARG_INT, &lossy, "Of these", "N" },
    { "loss", 0, 0, G_OPTION_ARG_DOUBLE, &loss, "Of their packets, both ways", "PERCENT" },
    { "stall", 0, 0, G_OPTION_ARG_INT, &stalled, "That stop to read", "N" },
    { "vanish", 0, 0, G_OPTION_ARG_INT, &vanished, "That go without a word", "N" },
    { "rate", 0, 0, G_OPTION_ARG_DOUBLE, &rate_mbit, "Of each one's channel, for bursts", "MBIT" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "", "SECONDS" },
    { "settle", 0, 0, G_OPTION_ARG_INT, &settle,
        "Not in what is said of delays and of the pace, at the begin", "SECONDS" },
    { "passphrase", 0, 0, G_OPTION_ARG_STRING, &passphrase, "", "TEXT" },
    { "streamid", 0, 0, G_OPTION_ARG_STRING, &streamid, "", "NAME" },
    { "checked-every", 0, 0, G_OPTION_ARG_INT, &checked_every,
        "Records of which all bytes are compared; of the others, where they begin (16)", "N" },
    { "times", 0, 0, G_OPTION_ARG_FILENAME, &times_path, "When each record came", "FILE" },
    { NULL },
  };
  struct _FaspCredentials *credentials = NULL;
  g_autofree gchar *host = NULL;
  gboolean good;
  Receiver *all;

  options_parse (&argc, &argv, entries, NULL);
  if (!parse_address (&host) || lossy + stalled + vanished > receivers || checked_every < 1)
    options_refuse ("--to is ADDRESS:PORT, and the special ones are among --receivers");
  if (passphrase != NULL) {
    guint8 psk[FASP_KEY_SIZE];

    credentials = fasp_credentials_new ();
    fasp_stretch (passphrase, psk);
    fasp_credentials_set_psk (credentials, psk);
  }
  if (times_path != NULL && (times = fopen (times_path, "w")) == NULL) {
    fprintf (stderr, "swarm: %s: %s\n", times_path, g_strerror (errno));
    return 1;
  }
  dice = g_rand_new_with_seed (1);
  all = g_new0 (Receiver, receivers);
  for (gint i = 0; i < receivers; i++) {
    Receiver *r = &all[i];

    r->fd = -1;
    r->due.owner = r;
    r->number = i;
    r->kind = i < lossy                ? LOSSY :
        i < lossy + stalled            ? STALLED :
        i < lossy + stalled + vanished ? VANISHED :
                                         GOOD;
  }
  good = srt ? live_by_srt (all, host) : live (all, credentials);
  if (good)
    report (all);
  if (times != NULL)
    fclose (times);
  for (gint i = 0; i < receivers; i++) {
    fasp_endpoint_free (all[i].endpoint);
    if (all[i].fd >= 0)
      close (all[i].fd);
  }
  g_clear_pointer (&credentials, fasp_credentials_unref);
  fasp_heap_clear (&dues);
  g_free (all);
  g_rand_free (dice);
  return good ? 0 : 1;
}
