/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasp-wping: measures round trips of bursts, from application to application.
 *
 *   fasp-wping reflect [--port P]
 *   fasp-wping send HOST [--port P] [--sizes A:B] [--counts A:B] [--seconds S] ...
 *
 * The sender sends bursts of datagrams back to back. It draws size and count of each
 * burst from ranges that widen and narrow with time. The reflector sends every datagram
 * back (after M. Mathis' windowed ping, INET '94, which keeps a window in flight). The
 * times show what the path does to bursts of each size: `fasp-wping-plot' draws them by
 * size and count.
 */
#define _GNU_SOURCE
#include "toolnet.h"
#include <poll.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tooldb.h"
#include "wpingwire.h"

#define COUNT_MAX 256
#define LATE_MAX 4096 /* the most bursts that are kept for late answers */
#define ROUNDS 16     /* of receiving, before anything else gets its turn */
/* A sender that was held up makes up for at most this. */
#define ARREARS 10000 /* µs */
/* time: µs since the start. rtt: µs; NULL: no answer. hosts: µs of it that passed
 * between the kernels and the programs of both hosts, which mostly is the programs'
 * waking up. here, there: datagrams that the hosts dropped since the row before,
 * because the programs did not take them in time. late: datagrams whose answer came
 * after they were recorded as unanswered. */
#define TABLES \
  "CREATE TABLE IF NOT EXISTS packet (run INTEGER, time INTEGER, " \
  "burst INTEGER, size INTEGER, count INTEGER, idx INTEGER, rtt INTEGER, " \
  "hosts INTEGER);" \
  "CREATE TABLE IF NOT EXISTS host (run INTEGER, time INTEGER, here INTEGER, " \
  "there INTEGER);" \
  "CREATE TABLE IF NOT EXISTS late (run INTEGER, time INTEGER, burst INTEGER, " \
  "idx INTEGER, rtt INTEGER)"

enum
{
  PACKET,
  HOST,
  LATE,
};

static const gchar *const tables[] = { "packet", "host", "late" };

static gint port = 7010, seconds = 60, period = 60, timeout_ms = 1000, seed;
static gchar *sizes = (gchar *) "100:1400", *counts = (gchar *) "1:32";
static gchar *path = (gchar *) "wping.db";
static gint64 rate = 5000000;
static gboolean pays, quiet;

/* --- the reflector -------------------------------------------------------------- */

/* Sends each request back to where it came from, with the same length. */
static void
reflect (int fd, ToolInbox *in, guint64 *reflected)
{
  gint n;

  for (guint round = 0; round < ROUNDS && (n = tool_receive (fd, in)) > 0; round++)
    for (gint i = 0, drops = tool_get_drops (fd); i < n; i++) {
      struct msghdr *header = &in->messages[i].msg_hdr;
      WpingHeader h;

      if (!wping_parse (in->data[i], in->messages[i].msg_len, &h) || h.reply)
        continue;
      h.reply = TRUE;
      h.held = tool_get_age (in, i);
      h.drops = drops;
      tool_answer (in, i);
      wping_write (in->data[i], &h);
      in->pieces[i].iov_len = in->messages[i].msg_len;
      /* a datagram that the socket does not take counts as lost */
      *reflected += sendmsg (fd, header, 0) >= 0;
    }
}

static gboolean
run_reflector (void)
{
  int fd = tool_open_udp (NULL, port);
  guint64 reflected = 0, told = 0;
  ToolInbox *in;

  if (fd < 0)
    return FALSE;
  in = g_new (ToolInbox, 1);
  printf ("Reflecting what comes to UDP port %d. Ctrl-C ends it.\n", port);
  fflush (stdout);
  while (!tool_is_stopped ()) {
    struct pollfd p = { fd, POLLIN, 0 };

    if (poll (&p, 1, 1000) > 0)
      reflect (fd, in, &reflected);
    else if (reflected != told && !quiet)
      printf ("%" G_GUINT64_FORMAT " reflected\n", told = reflected);
    fflush (stdout);
  }
  g_free (in);
  close (fd);
  return TRUE;
}

/* --- the sender ------------------------------------------------------------------- */

typedef struct
{
  guint from, to;
} Range;

typedef struct
{
  gint64 rtt;   /* from when its burst was sent, µs; -1: the answer has not come */
  gint64 hosts; /* how much of it passed within the two hosts, µs; -1: the answer has not come, or
                   came too late */
} Reply;

/* The answers to a burst. */
typedef struct
{
  gint64 time; /* when it was sent, µs since the start */
  guint32 number;
  guint16 size, count;
  Reply replies[];
} Burst;

typedef struct
{
  int fd;
  guint64 run;
  ToolDb *db;
  GRand *rand;
  Range sizes, counts;
  gint64 start;
  GQueue bursts;      /* Burst, oldest first, not settled yet */
  GQueue given_up_on; /* Burst, settled, but answers are missing */
  guint32 next;
  guint64 sent, answered, given_up, late;
  guint32 here, there; /* datagrams dropped so far, as recorded */
  guint32 there_now;
  guint64 thrown; /* datagrams dropped at both ends, as recorded */
  gboolean heard; /* there_now is known */
  gint64 look;    /* when to look at the drops next */
  gint64 due;     /* when to send the next burst */
} Sender;

static gboolean
parse_range (const gchar *text, guint least, guint most, Range *range)
{
  gchar *end;
  guint64 from = g_ascii_strtoull (text, &end, 10), to = from;

  if (end != text && *end == ':')
    to = g_ascii_strtoull (end + 1, &end, 10);
  if (*end != '\0' || end == text || from < least || to > most || from > to)
    return FALSE;
  *range = (Range) { from, to };
  return TRUE;
}

/* Draws between the lower end of the range and its present upper end. */
static guint
draw (Sender *s, const Range *range, gint64 now)
{
  gint64 length = period * (gint64) G_USEC_PER_SEC;
  gdouble phase = length > 0 ? now % length / (gdouble) length : .5;
  gdouble open = phase < .5 ? 2 * phase : 2 - 2 * phase;
  guint top = range->from + (range->to - range->from) * open;

  return g_rand_int_range (s->rand, range->from, top + 1);
}

static void
send_burst (Sender *s, gint64 now)
{
  static guint8 data[COUNT_MAX][TOOL_SIZE_MAX];
  struct mmsghdr messages[COUNT_MAX] = { 0 };
  struct iovec pieces[COUNT_MAX];
  guint count = draw (s, &s->counts, now), size = draw (s, &s->sizes, now);
  Burst *burst = g_malloc (sizeof *burst + count * sizeof burst->replies[0]);

  *burst = (Burst) { .number = s->next++, .size = size, .count = count };
  for (guint i = 0; i < count; i++) {
    WpingHeader h = { FALSE, s->run, burst->number, i, count, 0, 0 };

    wping_write (data[i], &h);
    pieces[i] = (struct iovec) { data[i], size };
    messages[i].msg_hdr.msg_iov = &pieces[i];
    messages[i].msg_hdr.msg_iovlen = 1;
    burst->replies[i] = (Reply) { -1, -1 };
  }
  burst->time = g_get_monotonic_time () - s->start;
  tool_send (s->fd, messages, count);
  s->sent += count;
  g_queue_push_tail (&s->bursts, burst);
  s->due = MAX (s->due, now - ARREARS) + count * size * 8e6 / rate;
}

/* Searches from the end, where the newest are; few are under way. */
static Burst *
find_burst (GQueue *bursts, guint32 number)
{
  for (GList *l = bursts->tail; l != NULL; l = l->prev)
    if (((Burst *) l->data)->number == number)
      return l->data;
  return NULL;
}

static void
take_late (Sender *s, gint64 now, const WpingHeader *h)
{
  Burst *burst = find_burst (&s->given_up_on, h->burst);
  gint64 row[] = { 0, h->burst, h->index, now };

  if (burst == NULL || h->index >= burst->count || burst->replies[h->index].rtt >= 0)
    return;
  row[0] = burst->time;
  row[3] -= burst->time;
  burst->replies[h->index].rtt = row[3];
  tool_db_add (s->db, LATE, row, G_N_ELEMENTS (row));
  s->late++;
}

static void
take_reply (Sender *s, gint64 now, const WpingHeader *h, guint32 age)
{
  Burst *burst = find_burst (&s->bursts, h->burst);

  if (burst == NULL) {
    take_late (s, now, h);
  } else {
    if (h->index < burst->count && burst->replies[h->index].rtt < 0) {
      /* the kernels' clocks may have been set meanwhile */
      gint64 rtt = now - burst->time;
      gint64 hosts = ((guint64) h->held + age) / 1000;

      burst->replies[h->index] = (Reply) { rtt, MIN (hosts, rtt) };
      s->answered++;
    }
  }
}

/* Takes the reflector's count of dropped datagrams, which began before this run. A count may come
 * out of order. */
static void
take_drops (Sender *s, guint32 drops)
{
  if (!s->heard)
    s->there = drops;
  if (!s->heard || (drops - s->there_now) % WPING_DROPS < WPING_DROPS / 2)
    s->there_now = drops;
  s->heard = TRUE;
}

static void
look_at_hosts (Sender *s, gint64 now)
{
  guint32 here = tool_get_drops (s->fd);
  guint32 there = (s->there_now - s->there) % WPING_DROPS;
  gint64 row[] = { now, here - s->here, there };

  s->look = now + G_USEC_PER_SEC;
  if (here == s->here && there == 0)
    return;
  tool_db_add (s->db, HOST, row, G_N_ELEMENTS (row));
  s->here = here;
  s->there = s->there_now;
  s->thrown += row[1] + row[2];
}

static gboolean
is_whole (const Burst *burst)
{
  for (guint i = 0; i < burst->count; i++)
    if (burst->replies[i].rtt < 0)
      return FALSE;
  return TRUE;
}

static void
record (Sender *s, const Burst *burst)
{
  for (guint i = 0; i < burst->count; i++) {
    const Reply *reply = &burst->replies[i];
    gboolean lost = reply->rtt < 0;
    gint64 row[] = { burst->time, burst->number, burst->size, burst->count, i,
      lost ? TOOL_DB_NULL : reply->rtt, lost ? TOOL_DB_NULL : reply->hosts };

    s->given_up += lost;
    tool_db_add (s->db, PACKET, row, G_N_ELEMENTS (row));
  }
  tool_db_complete (s->db);
}

/* Settles bursts in order, so a late one holds up the others for a second at most. */
static void
settle (Sender *s, gint64 now)
{
  Burst *burst;

  while ((burst = g_queue_peek_head (&s->bursts)) != NULL
      && (is_whole (burst) || now - burst->time > timeout_ms * (gint64) 1000)) {
    record (s, burst);
    g_queue_pop_head (&s->bursts);
    if (is_whole (burst))
      g_free (burst);
    else
      g_queue_push_tail (&s->given_up_on, burst);
    if (g_queue_get_length (&s->given_up_on) > LATE_MAX)
      g_free (g_queue_pop_head (&s->given_up_on));
  }
}

static void
receive_replies (Sender *s, ToolInbox *in)
{
  gint n;

  for (guint round = 0; round < ROUNDS && (n = tool_receive (s->fd, in)) > 0; round++)
    for (gint i = 0; i < n; i++) {
      guint32 age = tool_get_age (in, i);
      gint64 now = g_get_monotonic_time () - s->start;
      WpingHeader h;

      if (wping_parse (in->data[i], in->messages[i].msg_len, &h) && h.reply && h.run == s->run) {
        take_drops (s, h.drops);
        take_reply (s, now, &h, age);
      }
    }
}

static void
show_progress (const Sender *s, gint64 now)
{
  static gint64 next;
  guint done = MIN (30 * now / (seconds * (gint64) G_USEC_PER_SEC), 30);

  if (quiet || now < next)
    return;
  next = now + G_USEC_PER_SEC;
  fprintf (stderr,
      "\r[%.*s%.*s] %d s left, %" G_GUINT64_FORMAT " sent, %" G_GUINT64_FORMAT " lost ", done,
      "##############################", 30 - done, "                              ",
      MAX (seconds - (gint) (now / G_USEC_PER_SEC), 0), s->sent, s->given_up);
}

static void
send_all (Sender *s, ToolInbox *in)
{
  gint64 end = seconds * (gint64) G_USEC_PER_SEC;

  for (;;) {
    gint64 now = g_get_monotonic_time () - s->start, until;
    struct pollfd p = { s->fd, POLLIN, 0 };
    struct timespec wait;

    /* answers under way are waited for; a second signal ends the program at once */
    if (tool_is_stopped () || tool_db_has_failed (s->db))
      end = MIN (end, now);
    if (now >= end && g_queue_is_empty (&s->bursts))
      break;
    if (now < end && now >= s->due)
      send_burst (s, now);
    until = MIN (now < end ? s->due : G_MAXINT64, now + 100000);
    wait = (struct timespec) { 0, MAX (until - now, 1) * 1000 };
    if (ppoll (&p, 1, &wait, NULL) > 0)
      receive_replies (s, in);
    settle (s, g_get_monotonic_time () - s->start);
    if (now >= s->look)
      look_at_hosts (s, now);
    show_progress (s, now);
  }
  look_at_hosts (s, g_get_monotonic_time () - s->start);
}

static gboolean
check_settings (Sender *s)
{
  if (!parse_range (sizes, WPING_HEADER, TOOL_SIZE_MAX, &s->sizes))
    return tool_complain ("--sizes \"%s\": say FROM:TO, %d to %d bytes of UDP payload.", sizes,
        WPING_HEADER, TOOL_SIZE_MAX);
  if (!parse_range (counts, 1, COUNT_MAX, &s->counts))
    return tool_complain ("--counts \"%s\": say FROM:TO, 1 to %d datagrams.", counts, COUNT_MAX);
  if (rate < 1000 || seconds < 1 || period < 0 || timeout_ms < 1)
    return tool_complain ("--rate is at least 1000 bit/s, --seconds and --timeout at "
                          "least 1, --period at least 0.");
  if (rate > TOOL_FREE_RATE && !pays)
    return tool_complain ("%" G_GINT64_FORMAT " bit/s there and as much back, for %d "
                          "s, is %.1f GB, which a cloud will bill. Say --i-pay-for-this, or a "
                          "--rate of at most %d.",
        rate, seconds, rate / 4e9 * seconds, TOOL_FREE_RATE);
  return TRUE;
}

static gboolean
run_sender (const gchar *host)
{
  Sender s = { .bursts = G_QUEUE_INIT, .given_up_on = G_QUEUE_INIT };
  g_autofree gchar *settings = NULL;
  gchar *error = NULL;
  gboolean good;
  ToolInbox *in;

  if (!check_settings (&s) || (s.fd = tool_open_udp (host, port)) < 0)
    return FALSE;
  settings = g_strdup_printf ("sizes %s, counts %s, period %d s", sizes, counts, period);
  s.db = tool_db_open (path, TABLES, tables, G_N_ELEMENTS (tables),
      &(ToolRun) { host, settings, rate }, &error);
  if (s.db == NULL) {
    tool_complain ("%s.", error);
    g_free (error);
    close (s.fd);
    return FALSE;
  }
  if (getrandom (&s.run, sizeof s.run, 0) != sizeof s.run)
    s.run = g_get_real_time ();
  s.rand = seed != 0 ? g_rand_new_with_seed (seed) : g_rand_new ();
  s.start = g_get_monotonic_time ();
  in = g_new (ToolInbox, 1);
  prctl (PR_SET_TIMERSLACK, 1, 0, 0, 0);
  send_all (&s, in);
  good = tool_db_close (s.db, &error);
  if (!good)
    tool_complain ("%s", error);
  g_free (error);
  printf ("%s%" G_GUINT64_FORMAT " sent, %" G_GUINT64_FORMAT
          " came back, %.3f %% did not. They are in %s; see them with: fasp-wping-plot %s\n",
      quiet ? "" : "\n", s.sent, s.answered, s.sent > 0 ? 100. * (s.sent - s.answered) / s.sent : 0,
      path, path);
  if (s.thrown > 0)
    tool_complain ("%" G_GUINT64_FORMAT " of them arrived, but the hosts dropped "
                   "them: they are too slow for this --rate, or were held up.",
        s.thrown);
  if (s.late > 0)
    tool_complain ("%" G_GUINT64_FORMAT
                   " of them came back later than the --timeout of %d ms: set a longer one.",
        s.late, timeout_ms);
  if (s.answered + s.late == 0)
    good = tool_complain ("nothing came back. Is `fasp-wping reflect --port %d' "
                          "running there, and the port open in the firewalls between?",
        port);
  g_queue_clear_full (&s.given_up_on, g_free);
  g_rand_free (s.rand);
  g_free (in);
  close (s.fd);
  return good;
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "port", 'p', 0, G_OPTION_ARG_INT, &port, "UDP port (7010)", "PORT" },
    { "sizes", 0, 0, G_OPTION_ARG_STRING, &sizes, "Bytes of UDP payload (100:1400)", "FROM:TO" },
    { "counts", 0, 0, G_OPTION_ARG_STRING, &counts, "Datagrams in a burst (1:32)", "FROM:TO" },
    { "period", 0, 0, G_OPTION_ARG_INT, &period,
        "The ranges open from their "
        "lower ends and close again within this time (60); 0: always open",
        "SECONDS" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "How long to send (60)", "SECONDS" },
    { "rate", 0, 0, G_OPTION_ARG_INT64, &rate, "Mean rate (5000000)", "BIT/S" },
    { "timeout", 0, 0, G_OPTION_ARG_INT, &timeout_ms,
        "Datagrams that are not back after this time are lost (1000)", "MS" },
    { "db", 0, 0, G_OPTION_ARG_FILENAME, &path, "SQLite file, appended to (wping.db)", "FILE" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "Seed of the random sizes and counts; 0: any", "N" },
    { "i-pay-for-this", 0, 0, G_OPTION_ARG_NONE, &pays, "Allows rates above 50 Mbit/s", NULL },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "No progress", NULL },
    { NULL },
  };

  if (!tool_begin ("reflect | send HOST",
          "Measures round trips of bursts of datagrams, from application to application.", entries,
          &argc, &argv))
    return 2;
  if (port < 1 || port > G_MAXUINT16) {
    tool_complain ("--port is 1 to 65535.");
    return 2;
  }
  if (argc == 2 && strcmp (argv[1], "reflect") == 0)
    return run_reflector () ? 0 : 1;
  if (argc == 3 && strcmp (argv[1], "send") == 0)
    return run_sender (argv[2]) ? 0 : 1;
  tool_complain ("say `reflect' on one machine and `send HOST' on the other. See --help.");
  return 2;
}
