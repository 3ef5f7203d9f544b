/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasp-multiflow: measures what happens to a video's datagrams when they are spread
 * over many flows.
 *
 *   fasp-multiflow receive [--port P] [--flows N] [--db FILE]
 *   fasp-multiflow send HOST [--port P] [--flows N] [--rate BIT/S] [--size BYTES] ...
 *
 * The sender sends at a constant rate to ports P to P + N - 1 in turn. Every datagram
 * has a number in its flow and one among all. For each second and flow, the receiver
 * records what arrived and what did not, and every hole that is longer than chance
 * would make it. `fasp-multiflow-plot' shows which holes hit one flow and which hit
 * all. Clouds route flows differently, limit each, and lose one for a second now and
 * then.
 */
#define _GNU_SOURCE
#include "toolnet.h"
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>
#include "tooldb.h"

#define FLOWS_MAX 64
#define HEADER 32
#define ENDS 5              /* goodbye datagrams on each flow */
#define ARREARS .05         /* s that a sender makes up for */
#define ROUNDS 16           /* of receiving from one flow before the next gets its turn */
#define AHEAD_MAX 100000000 /* datagrams: no network loses more in a row */
/* After this silence of a run, another run is followed, if it has lasted as long. */
#define SILENT G_USEC_PER_SEC
#define SEEN 1024 /* datagrams of a flow: how far back late ones are discerned from copies */
#define TICK 1000 /* µs: datagrams that are due within a tick leave together */
/* From this many on, losses in a row are a hole. Fewer may be chance. */
#define HOLE_DATAGRAMS 8
#define HOLE_SLOW_DATAGRAMS 4 /* in a slow flow, if they take */
#define HOLE_TIME 10000       /* this long, in µs */

/* time: µs since the first datagram. dropped: datagrams that this host dropped because
 * it was too slow; they are among the lost ones. */
#define TABLES \
  "CREATE TABLE IF NOT EXISTS second (run INTEGER, time INTEGER, flow " \
  "INTEGER, received INTEGER, lost INTEGER, bursts INTEGER, longest " \
  "INTEGER, late INTEGER);" \
  "CREATE TABLE IF NOT EXISTS hole (run INTEGER, time INTEGER, flow INTEGER, " \
  "lost INTEGER, duration INTEGER);" \
  "CREATE TABLE IF NOT EXISTS whole (run INTEGER, time INTEGER, sent INTEGER, " \
  "received INTEGER);" \
  "CREATE TABLE IF NOT EXISTS host (run INTEGER, time INTEGER, dropped INTEGER);"

enum
{
  SECOND,
  HOLE,
  WHOLE,
  HOST,
};

static const gchar *const tables[] = { "second", "hole", "whole", "host" };

static gint port = 7020, flows = 8, size = 1400, seconds = 60, idle = 300;
static gint64 rate = 20000000;
static gchar *path = (gchar *) "multiflow.db";
static gboolean pays, quiet;

/* --- the datagrams -------------------------------------------------------------- */

/* "mflw" | flow 1 | flows 1 | end 1 | 0 | run 8 | number among all 8 | number in the
 * flow 8, big-endian. At the end of a run, the number among all is the total. */
typedef struct
{
  guint8 flow, flows;
  gboolean end;
  guint64 run, of_all, of_flow;
} Header;

static void
write_header (guint8 *data, const Header *h)
{
  guint64 words[] = { GUINT64_TO_BE (h->run), GUINT64_TO_BE (h->of_all),
    GUINT64_TO_BE (h->of_flow) };

  memcpy (data, "mflw\0\0\0", 8);
  data[4] = h->flow;
  data[5] = h->flows;
  data[6] = h->end;
  memcpy (data + 8, words, sizeof words);
}

static gboolean
parse_header (const guint8 *data, gsize n, Header *h)
{
  guint64 words[3];

  if (n < HEADER || memcmp (data, "mflw", 4) != 0 || data[5] > FLOWS_MAX || data[4] >= data[5])
    return FALSE;
  memcpy (words, data + 8, sizeof words);
  *h = (Header) { data[4], data[5], data[6] != 0, GUINT64_FROM_BE (words[0]),
    GUINT64_FROM_BE (words[1]), GUINT64_FROM_BE (words[2]) };
  return h->run != 0;
}

/* --- sending ----------------------------------------------------------------------- */

typedef struct
{
  int fds[FLOWS_MAX];
  guint64 run, sent, of_flow[FLOWS_MAX];
  gint64 refused; /* when a host last reported that no program listens there; 0: never */
} Sender;

/* A report this recent at the end counts. A network may pass on only one such report a second. */
#define REFUSED_LAST (2 * G_USEC_PER_SEC)

/* Sends the next @n datagrams, on the flows in turn. */
static void
send_some (Sender *s, guint n)
{
  static guint8 data[TOOL_BATCH][TOOL_SIZE_MAX];
  struct mmsghdr messages[TOOL_BATCH] = { 0 };
  struct iovec pieces[TOOL_BATCH];

  for (guint f = 0; f < MIN ((guint) flows, n); f++) {
    guint flow = (s->sent + f) % flows, k = 0;

    for (guint64 i = s->sent + f; i < s->sent + n && k < TOOL_BATCH; i += flows, k++) {
      Header h = { flow, flows, FALSE, s->run, i, s->of_flow[flow]++ };

      write_header (data[k], &h);
      pieces[k] = (struct iovec) { data[k], size };
      messages[k].msg_hdr.msg_iov = &pieces[k];
      messages[k].msg_hdr.msg_iovlen = 1;
    }
    if (tool_send (s->fds[flow], messages, k) > 0)
      s->refused = g_get_monotonic_time ();
  }
  s->sent += n;
}

/* Announces the end in several datagrams, as some may be lost. */
static void
send_end (Sender *s)
{
  for (guint i = 0; i < ENDS * (guint) flows; i++) {
    Header h = { i % flows, flows, TRUE, s->run, s->sent, s->of_flow[i % flows] };
    guint8 data[HEADER];

    write_header (data, &h);
    if (send (s->fds[i % flows], data, sizeof data, 0) < 0 || i % flows == 0)
      g_usleep (20000);
  }
}

static gboolean
check_settings (void)
{
  if (flows < 1 || flows > FLOWS_MAX || port < 1 || port + flows - 1 > G_MAXUINT16)
    return tool_complain ("--flows is 1 to %d, and the ports from --port on are at most 65535.",
        FLOWS_MAX);
  if (idle < 1)
    return tool_complain ("--idle is at least 1 s.");
  if (size < HEADER || size > TOOL_SIZE_MAX || seconds < 1 || rate < 1000)
    return tool_complain (
        "--size is %d to %d bytes, --seconds at least 1, --rate at least 1000 bit/s.", HEADER,
        TOOL_SIZE_MAX);
  if (rate > TOOL_FREE_RATE && !pays)
    return tool_complain ("%" G_GINT64_FORMAT " bit/s for %d s is %.1f GB, which "
                          "a cloud will bill. Say --i-pay-for-this, or a --rate of at most %d.",
        rate, seconds, rate / 8e9 * seconds, TOOL_FREE_RATE);
  return TRUE;
}

static gboolean
run_sender (const gchar *host)
{
  guint64 arrears = rate / 8. / size * ARREARS + flows;
  Sender s = { 0 };
  gint64 began, start, end, now;
  gdouble reached;

  if (!check_settings ())
    return FALSE;
  for (gint i = 0; i < flows; i++)
    if ((s.fds[i] = tool_open_udp (host, port + i)) < 0)
      return FALSE;
  if (getrandom (&s.run, sizeof s.run, 0) != sizeof s.run || s.run == 0)
    s.run = g_get_real_time ();
  prctl (PR_SET_TIMERSLACK, 1, 0, 0, 0);
  began = start = g_get_monotonic_time ();
  end = began + seconds * (gint64) G_USEC_PER_SEC;
  while (!tool_is_stopped () && (now = g_get_monotonic_time ()) < end) {
    guint64 due = (gdouble) (now - start) * rate / 8e6 / size;
    struct timespec wait = { 0, TICK * 1000 };

    /* longer delays than that are not made up for */
    if (due - s.sent > arrears) {
      start += (due - s.sent - arrears) * size * 8e6 / rate;
      due = s.sent + arrears;
    }
    /* also ends in time if the host does not reach the rate */
    while (s.sent < due && !tool_is_stopped () && g_get_monotonic_time () < end)
      send_some (&s, MIN (due - s.sent, (guint) flows * TOOL_BATCH));
    ppoll (NULL, 0, &wait, NULL);
  }
  reached = s.sent * size * 8e6 / MAX (g_get_monotonic_time () - began, 1);
  send_end (&s);
  for (gint i = 0; i < flows; i++)
    close (s.fds[i]);
  printf ("%" G_GUINT64_FORMAT " datagrams of %d bytes sent over %d flows.\n", s.sent, size, flows);
  if (s.refused > 0 && g_get_monotonic_time () - s.refused < REFUSED_LAST)
    return tool_complain ("no program listens at %s, ports %d to %d: start "
                          "`fasp-multiflow receive' there first, with the same --flows.",
        host, port, port + flows - 1);
  if (reached < rate * TOOL_SHORT && s.sent > arrears)
    tool_complain ("that was %.3g Mbit/s, not %.3g: this host is too slow, or was held up.",
        reached / 1e6, rate / 1e6);
  return TRUE;
}

/* --- receiving ------------------------------------------------------------------------ */

typedef struct
{
  guint64 next;            /* number expected next */
  gint64 last;             /* arrival of the newest */
  guint64 seen[SEEN / 64]; /* a bit per number: it has arrived */
  /* in this second; a datagram that was counted as lost in an earlier one may still come */
  gint64 received, lost, bursts, longest, late;
} Flow;

typedef struct
{
  int fds[FLOWS_MAX];
  Flow flows[FLOWS_MAX];
  ToolDb *db;
  guint64 run;   /* of the sender; 0: none yet */
  guint runs;    /* runs followed so far */
  guint64 other; /* another run that is being sent */
  gint64 other_since, other_heard;
  guint64 all_next, all_before; /* one more than the newest number among all, now and at the
                                   start of this second */
  guint64 received, total;
  guint64 drops, dropped; /* datagrams dropped by the host: at all sockets so far; in this run */
  gint64 lost;
  gint64 start, second, heard;
  gboolean ended; /* the sender has said goodbye */
} Receiver;

static guint64
get_drops (const Receiver *r)
{
  guint64 drops = 0;

  for (gint i = 0; i < flows; i++)
    drops += tool_get_drops (r->fds[i]);
  return drops;
}

static void
end_second (Receiver *r)
{
  guint64 drops = get_drops (r);
  gint64 whole[] = { r->second, r->all_next - r->all_before, r->received };

  for (gint i = 0; i < flows; i++) {
    Flow *f = &r->flows[i];
    gint64 row[] = { r->second, i, f->received, f->lost, f->bursts, f->longest, f->late };

    r->total += f->received;
    r->lost += f->lost;
    tool_db_add (r->db, SECOND, row, G_N_ELEMENTS (row));
    f->received = f->lost = f->bursts = f->longest = f->late = 0;
  }
  tool_db_add (r->db, WHOLE, whole, G_N_ELEMENTS (whole));
  if (drops > r->drops) {
    gint64 host[] = { r->second, drops - r->drops };

    tool_db_add (r->db, HOST, host, G_N_ELEMENTS (host));
    r->dropped += drops - r->drops;
    r->drops = drops;
  }
  tool_db_complete (r->db);
  r->all_before = r->all_next;
  r->received = 0;
  r->second += G_USEC_PER_SEC;
}

/* Counts as lost the numbers of a flow from the next one up to @end. */
static void
miss (Receiver *r, gint64 now, guint flow, guint64 end)
{
  Flow *f = &r->flows[flow];
  gint64 lost = end - f->next;
  gint64 row[] = { f->last, flow, lost, now - f->last };

  if (lost <= 0)
    return;
  f->lost += lost;
  f->bursts++;
  f->longest = MAX (f->longest, lost);
  if (lost >= HOLE_DATAGRAMS || (lost >= HOLE_SLOW_DATAGRAMS && now - f->last >= HOLE_TIME))
    tool_db_add (r->db, HOLE, row, G_N_ELEMENTS (row));
  for (guint64 n = f->next; n < end && n < f->next + SEEN; n++)
    f->seen[n / 64 % (SEEN / 64)] &= ~(G_GUINT64_CONSTANT (1) << n % 64);
  f->next = end;
}

static void
take (Receiver *r, gint64 now, const Header *h)
{
  Flow *f = &r->flows[h->flow];
  guint64 *word = &f->seen[h->of_flow / 64 % (SEEN / 64)];
  guint64 bit = G_GUINT64_CONSTANT (1) << h->of_flow % 64;

  r->all_next = MAX (r->all_next, h->of_all + 1);
  if (h->of_flow < f->next) {
    f->late++;
    /* a copy, or so late that it cannot be told from one */
    if (f->next - h->of_flow > SEEN || (*word & bit))
      return;
    f->lost--; /* it had been counted as lost */
  } else {
    miss (r, now, h->flow, h->of_flow);
    f->next = h->of_flow + 1;
    f->last = now;
  }
  *word |= bit;
  r->received++;
  f->received++;
}

/* Returns how many of the first @n datagrams of all flows are of this one. */
static guint64
share (guint64 n, guint flow)
{
  return (n + flows - 1 - flow) / flows;
}

/* Begins a run with the first datagram that arrives. Earlier ones are not counted. */
static void
begin_run (Receiver *r, gint64 now, const Header *h)
{
  /* @now is the time of arrival by the monotonic clock */
  gint64 started = g_get_real_time () - (g_get_monotonic_time () - now);

  if (r->runs++ == 0)
    tool_db_start (r->db, started);
  else
    tool_db_start_another (r->db, started);
  r->run = h->run;
  r->start = now;
  r->second = r->received = r->total = r->lost = r->dropped = 0;
  r->drops = get_drops (r);
  r->ended = FALSE;
  r->all_next = r->all_before = h->of_all;
  for (gint i = 0; i < flows; i++) {
    r->flows[i].next = share (h->of_all, i);
    r->flows[i].last = 0;
    memset (r->flows[i].seen, 0xff, sizeof r->flows[i].seen);
  }
}

/* Datagrams that have not arrived by now count as lost. */
static void
end_run (Receiver *r)
{
  for (gint i = 0; i < flows; i++)
    miss (r, r->heard - r->start, i, share (r->all_next, i));
  end_second (r);
}

/* Is the datagram of a sender with as many flows as we have? */
static gboolean
is_ours (guint flow, const Header *h)
{
  static gboolean told;

  if (h->flows != flows && !told) {
    told = TRUE;
    tool_complain ("a sender has %d flows, not %d: give both the same --flows.", h->flows, flows);
  }
  return h->flows == flows && h->flow == flow;
}

/* Is the datagram possible from a sender that has reached number @next among all? */
static gboolean
is_near (guint64 next, const Header *h)
{
  return h->of_all < next + AHEAD_MAX && h->of_flow <= share (next + AHEAD_MAX, h->flow);
}

static gboolean
may_begin (const Header *h)
{
  return !h->end && h->of_all <= G_MAXINT64 && is_near (h->of_all, h);
}

/* Any host can forge a datagram that looks like the first one of a run. TRUE: the present run is
 * silent and this datagram's has lasted, so this one is followed. */
static gboolean
is_successor (Receiver *r, gint64 now, const Header *h)
{
  if (h->run == r->run || !may_begin (h))
    return FALSE;
  if (now - r->other_heard > SILENT) {
    r->other = h->run;
    r->other_since = now;
  }
  if (h->run != r->other)
    return FALSE;
  r->other_heard = now;
  return now - r->heard > SILENT && now - r->other_since > SILENT;
}

static void
change_over (Receiver *r)
{
  end_run (r);
  r->run = 0;
  tool_complain (
      "the sender is silent, and another one is heard: the other one gets a run of its own.");
}

static void
receive_all (Receiver *r, guint flow, ToolInbox *in)
{
  gint n;

  for (guint round = 0; round < ROUNDS && (n = tool_receive (r->fds[flow], in)) > 0; round++) {
    gint64 now = g_get_monotonic_time ();

    for (gint i = 0; i < n; i++) {
      Header h;

      if (!parse_header (in->data[i], in->messages[i].msg_len, &h) || !is_ours (flow, &h))
        continue;
      if (r->run != 0 && is_successor (r, now, &h))
        change_over (r);
      if (r->run == 0 ? !may_begin (&h) : h.run != r->run || !is_near (r->all_next, &h))
        continue;
      if (r->run == 0)
        begin_run (r, now, &h);
      if (h.end) {
        r->all_next = MAX (r->all_next, h.of_all);
        r->ended = TRUE;
        continue;
      }
      r->heard = now;
      while (now - r->start >= r->second + G_USEC_PER_SEC)
        end_second (r);
      take (r, now - r->start, &h);
    }
    if (n < TOOL_BATCH)
      break;
  }
}

/* TRUE: the run has ended, and there is no other run to follow. */
static gboolean
is_over (const Receiver *r, gint64 now)
{
  return r->run != 0 && now - r->other_heard > SILENT
      && now - r->heard > (r->ended ? 1 : idle) * (gint64) G_USEC_PER_SEC;
}

static void
show (const Receiver *r)
{
  static gint64 told = -1;

  if (quiet || r->second == told)
    return;
  told = r->second;
  fprintf (stderr,
      "\r%" G_GINT64_FORMAT " s: %" G_GUINT64_FORMAT " came, %" G_GINT64_FORMAT " did not ",
      told / G_USEC_PER_SEC, r->total, r->lost);
}

static gboolean
run_receiver (void)
{
  g_autofree gchar *settings = g_strdup_printf ("%d flows from port %d on", flows, port);
  Receiver r = { 0 };
  struct pollfd fds[FLOWS_MAX];
  gchar *error = NULL;
  gboolean good;
  ToolInbox *in;

  if (!check_settings ())
    return FALSE;
  for (gint i = 0; i < flows; i++) {
    if ((r.fds[i] = tool_open_udp (NULL, port + i)) < 0)
      return FALSE;
    fds[i] = (struct pollfd) { r.fds[i], POLLIN, 0 };
  }
  r.db = tool_db_open (path, TABLES, tables, G_N_ELEMENTS (tables),
      &(ToolRun) { "here", settings, 0 }, &error);
  if (r.db == NULL) {
    tool_complain ("%s.", error);
    g_free (error);
    return FALSE;
  }
  printf ("Waiting for %d flows on UDP ports %d to %d. Ctrl-C ends it.\n", flows, port,
      port + flows - 1);
  fflush (stdout);
  in = g_new (ToolInbox, 1);
  while (!tool_is_stopped () && !tool_db_has_failed (r.db)) {
    if (poll (fds, flows, 200) > 0)
      for (gint i = 0; i < flows; i++)
        if (fds[i].revents & POLLIN)
          receive_all (&r, i, in);
    if (is_over (&r, g_get_monotonic_time ()))
      break;
    show (&r);
  }
  if (r.run != 0)
    end_run (&r);
  good = tool_db_close (r.db, &error) || tool_complain ("%s", error);
  g_free (error);
  g_free (in);
  for (gint i = 0; i < flows; i++)
    close (r.fds[i]);
  printf ("%s%" G_GUINT64_FORMAT " came, %" G_GUINT64_FORMAT
          " did not. They are in %s; see them with: fasp-multiflow-plot %s\n",
      quiet ? "" : "\n", r.total, r.lost, path, path);
  if (r.dropped > 0)
    tool_complain ("%" G_GUINT64_FORMAT " of them came, but this host dropped them: "
                   "it is too slow for them, or was held up.",
        r.dropped);
  return r.run != 0 ?
      good :
      tool_complain ("nothing came. Is `fasp-multiflow "
                     "send' running, and are the UDP ports open in the firewalls between?");
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "port", 'p', 0, G_OPTION_ARG_INT, &port, "First UDP port (7020)", "PORT" },
    { "flows", 'n', 0, G_OPTION_ARG_INT, &flows,
        "Number of flows, with a port each (8); the same on both ends", "N" },
    { "rate", 0, 0, G_OPTION_ARG_INT64, &rate, "Rate of all flows together, UDP payload (20000000)",
        "BIT/S" },
    { "size", 0, 0, G_OPTION_ARG_INT, &size, "Size of a datagram's UDP payload (1400)", "BYTES" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "How long to send (60)", "SECONDS" },
    { "idle", 0, 0, G_OPTION_ARG_INT, &idle,
        "The receiver ends when nothing has "
        "come for this long (300), or when the sender has ended",
        "SECONDS" },
    { "db", 0, 0, G_OPTION_ARG_FILENAME, &path, "SQLite file, appended to (multiflow.db)", "FILE" },
    { "i-pay-for-this", 0, 0, G_OPTION_ARG_NONE, &pays, "Allows rates above 50 Mbit/s", NULL },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "No progress", NULL },
    { NULL },
  };

  if (!tool_begin ("receive | send HOST",
          "Measures losses at a constant rate that is spread over many flows.", entries, &argc,
          &argv))
    return 2;
  if (argc == 2 && strcmp (argv[1], "receive") == 0)
    return run_receiver () ? 0 : 1;
  if (argc == 3 && strcmp (argv[1], "send") == 0)
    return run_sender (argv[2]) ? 0 : 1;
  tool_complain ("say `receive' on one machine and `send HOST' on the other. See --help.");
  return 2;
}
