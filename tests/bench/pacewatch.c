/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Takes UDP datagrams and says how they came: rate, gaps, bursts, by the
 * kernel's own receive timestamps (hardware's where there are some).
 *
 * A burst is a run of datagrams of which each came less than a quarter of its
 * own time at the rate after the one before, or less than --gap µs.
 *
 * With --pcr, also how far each PCR of a transport stream is from the clock that a slow decoder
 * recovers from those before it (tsclock.h): the overall jitter of TR 101 290.  A packet comes when
 * its datagram does, and later by those before it in the datagram at the rate, as from a receiver
 * that forwards packets evenly.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <glib-unix.h>
#include <glib.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "options.h"
#include "tsclock.h"
#include "tspacket.h"
#include "values.h"

#define BATCH 32
#define ROOM 65536

typedef struct
{
  gint64 ns;
  guint32 bytes; /* payload of all of them */
  guint32 datagrams;
} Arrival;

/* Of the first PID that has some. */
typedef struct
{
  gint64 ns;
  guint64 pcr;        /* 27 MHz */
  gboolean announced; /* another clock */
} Pcr;

static gint port = 5004, header = 28, seconds = 3600, idle_ms = 1500;
static gdouble bitrate, drain_factor = 1.25, gap_us = 0;
static gchar *csv_file;
static gboolean with_pcr;
static volatile sig_atomic_t stopped;

static GOptionEntry entries[] = {
  { "port", 0, 0, G_OPTION_ARG_INT, &port, "UDP port (5004)", "N" },
  { "bitrate", 0, 0, G_OPTION_ARG_DOUBLE, &bitrate, "rate it should have, bit/s, headers included",
      "N" },
  { "header", 0, 0, G_OPTION_ARG_INT, &header, "bytes on the wire around each payload (28)", "N" },
  { "gap", 0, 0, G_OPTION_ARG_DOUBLE, &gap_us,
      "µs that end a burst (a quarter of a datagram's time)", "N" },
  { "drain", 0, 0, G_OPTION_ARG_DOUBLE, &drain_factor,
      "times the rate at which a bottleneck drains, to tell the queue in front of it (1.25)", "N" },
  { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "at most so long", "N" },
  { "idle", 0, 0, G_OPTION_ARG_INT, &idle_ms, "ends after so many ms of silence (1500)", "N" },
  { "pcr", 0, 0, G_OPTION_ARG_NONE, &with_pcr, "the jitter of PCRs, too", NULL },
  { "csv", 0, 0, G_OPTION_ARG_FILENAME, &csv_file, "every arrival: ns, payload bytes, datagrams",
      "FILE" },
  { NULL },
};

static void
on_signal (int signal_number)
{
  stopped = TRUE;
}

static int
open_socket (void)
{
  struct sockaddr_in any = { 0 };
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), one = 1;
  int size = 512 << 20;
  int stamps = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE
      | SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE;

  any.sin_family = AF_INET;
  any.sin_port = htons (port);
  if (fd < 0 || bind (fd, (struct sockaddr *) &any, sizeof any) != 0)
    g_error ("cannot take port %d: %s", port, g_strerror (errno));
  if (setsockopt (fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
    setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  if (setsockopt (fd, SOL_SOCKET, SO_TIMESTAMPING, &stamps, sizeof stamps) != 0)
    g_error ("no receive timestamps: %s", g_strerror (errno));
  setsockopt (fd, IPPROTO_UDP, UDP_GRO, &one, sizeof one);
  setsockopt (fd, SOL_SOCKET, SO_RXQ_OVFL, &one, sizeof one);
  return fd;
}

static guint32 overflowed;

static Arrival
read_message (struct msghdr *message, guint bytes, guint *segment)
{
  Arrival arrival = { 0, bytes, 1 };

  *segment = bytes;

  for (struct cmsghdr *c = CMSG_FIRSTHDR (message); c != NULL; c = CMSG_NXTHDR (message, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING) {
      struct scm_timestamping t;
      const struct timespec *ts;

      memcpy (&t, CMSG_DATA (c), sizeof t);
      ts = t.ts[2].tv_sec != 0 ? &t.ts[2] : &t.ts[0];
      arrival.ns = ts->tv_sec * G_GINT64_CONSTANT (1000000000) + ts->tv_nsec;
    } else if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO) {
      guint16 size;

      memcpy (&size, CMSG_DATA (c), sizeof size);
      if (size > 0) {
        arrival.datagrams = (bytes + size - 1) / size;
        *segment = size;
      }
    } else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL) {
      memcpy (&overflowed, CMSG_DATA (c), sizeof overflowed);
    }
  }
  return arrival;
}

/* Datagrams of @segment bytes came at @ns. */
static void
read_pcrs (GArray *pcrs, const guint8 *data, gsize size, guint segment, gint64 ns)
{
  static gint pid = -1;

  for (gsize at = 0; at + TS_PACKET <= size; at += TS_PACKET) {
    TsPacket packet;
    Pcr pcr;

    if (data[at] != TS_SYNC)
      return;
    ts_packet_read (&packet, data + at, TS_PACKET);
    if (!packet.has_pcr || (pid >= 0 && packet.pid != pid))
      continue;
    pid = packet.pid;
    pcr = (Pcr) { ns + (gint64) (at % segment * 8e9 / bitrate), packet.pcr, packet.announced };
    g_array_append_val (pcrs, pcr);
  }
}

static GArray *
receive (int fd, GArray *pcrs)
{
  static guint8 data[BATCH][ROOM], control[BATCH][256];
  GArray *arrivals = g_array_sized_new (FALSE, FALSE, sizeof (Arrival), 1 << 20);
  gint64 end = 0;

  while (!stopped) {
    struct mmsghdr messages[BATCH];
    struct iovec pieces[BATCH];
    struct pollfd p = { fd, POLLIN, 0 };
    int n;

    n = poll (&p, 1, arrivals->len > 0 ? idle_ms : 1000);
    if ((n == 0 && arrivals->len > 0) || (end > 0 && g_get_monotonic_time () > end))
      break;
    if (n <= 0)
      continue;
    for (guint i = 0; i < BATCH; i++) {
      pieces[i] = (struct iovec) { data[i], ROOM };
      memset (&messages[i], 0, sizeof messages[i]);
      messages[i].msg_hdr.msg_iov = &pieces[i];
      messages[i].msg_hdr.msg_iovlen = 1;
      messages[i].msg_hdr.msg_control = control[i];
      messages[i].msg_hdr.msg_controllen = sizeof control[i];
    }
    /* the kernel has the times: wake seldom, to leave the machine alone */
    g_usleep (5000);
    n = recvmmsg (fd, messages, BATCH, MSG_DONTWAIT, NULL);
    while (n > 0) {
      for (int i = 0; i < n; i++) {
        guint segment;
        Arrival arrival = read_message (&messages[i].msg_hdr, messages[i].msg_len, &segment);

        g_array_append_val (arrivals, arrival);
        if (with_pcr)
          read_pcrs (pcrs, data[i], messages[i].msg_len, segment, arrival.ns);
        messages[i].msg_hdr.msg_controllen = sizeof control[i];
      }
      n = recvmmsg (fd, messages, BATCH, MSG_DONTWAIT, NULL);
    }
    if (end == 0 && arrivals->len > 0)
      end = g_get_monotonic_time () + (gint64) seconds * G_TIME_SPAN_SECOND;
  }
  return arrivals;
}

static guint64
wire (const Arrival *a)
{
  return a->bytes + (guint64) a->datagrams * header;
}

static void
print_percentiles (const gchar *name, GArray *values)
{
  static const struct
  {
    const gchar *name;
    gdouble fraction;
  } points[] = {
    { "p50", .5 },
    { "p90", .9 },
    { "p99", .99 },
    { "p99.9", .999 },
    { "max", 1 },
  };

  printf ("\"%s\": {", name);
  for (guint i = 0; i < G_N_ELEMENTS (points); i++)
    printf ("%s\"%s\": %.3f", i ? ", " : "", points[i].name,
        values_percentile (values, points[i].fraction));
  printf ("}");
}

/* Most bytes in any window of @ns. */
static guint64
find_peak (GArray *arrivals, gint64 ns)
{
  guint64 sum = 0, most = 0;
  guint from = 0;

  for (guint i = 0; i < arrivals->len; i++) {
    const Arrival *a = &g_array_index (arrivals, Arrival, i);

    sum += wire (a);
    while (g_array_index (arrivals, Arrival, from).ns <= a->ns - ns)
      sum -= wire (&g_array_index (arrivals, Arrival, from++));
    most = MAX (most, sum);
  }
  return most;
}

/* The queue in front of a bottleneck of @rate bit/s, bytes. */
static gdouble
find_queue (GArray *arrivals, gdouble rate)
{
  gdouble queue = 0, most = 0;
  gint64 last = 0;

  for (guint i = 0; i < arrivals->len; i++) {
    const Arrival *a = &g_array_index (arrivals, Arrival, i);

    if (i > 0)
      queue = MAX (0, queue - (a->ns - last) * rate / 8e9);
    queue += wire (a);
    most = MAX (most, queue);
    last = a->ns;
  }
  return most;
}

/* The rate of a straight line through all arrivals, bit/s: one datagram that is late moves it less
 * than it moves the time from the first to the last. */
static gdouble
fit_rate (GArray *arrivals)
{
  gdouble mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  guint64 total = 0;

  /* each value changes the means of those before it */
  for (guint i = 0; i < arrivals->len; i++) {
    const Arrival *a = &g_array_index (arrivals, Arrival, i);
    gdouble x = a->ns - g_array_index (arrivals, Arrival, 0).ns - mean_x, y = total - mean_y;

    mean_x += x / (i + 1);
    mean_y += y / (i + 1);
    xx += x * x * i / (i + 1);
    xy += x * y * i / (i + 1);
    total += wire (a);
  }
  return xx > 0 ? xy / xx * 8e9 : 0;
}

#define SETTLE 10e9 /* ns, in which the clock is found */

static void
report_pcrs (GArray *pcrs)
{
  g_autoptr (GArray) jitter = values_new ();
  TsClock clock = { 0 };
  gint64 begun = 0;
  guint clocks = 0;

  for (guint i = 0; i < pcrs->len; i++) {
    const Pcr *pcr = &g_array_index (pcrs, Pcr, i), *last = pcr - 1;
    gint64 step;
    gdouble distance;

    if (i == 0 || pcr->announced) {
      clock = (TsClock) { 0 };
      begun = pcr->ns;
      clocks++;
      continue;
    }
    step = ts_pcr_get_step (last->pcr, pcr->pcr);
    step -= step > (gint64) TS_PCR_WRAP / 2 ? (gint64) TS_PCR_WRAP : 0;
    distance = ts_clock_take (&clock, pcr->ns - last->ns, step);
    if (pcr->ns - begun > SETTLE)
      values_add (jitter, ABS (distance) / 27);
  }
  printf ("\"pcr_clocks\": %u, ", clocks);
  printf ("\"pcrs\": %u, ", pcrs->len);
  print_percentiles ("pcr_jitter_us", jitter);
  printf (", ");
}

static void
report (GArray *arrivals, GArray *pcrs)
{
  g_autoptr (GArray) bursts = values_new (), gaps = values_new ();
  guint64 datagrams = 0, payload = 0, total = 0, counted = 0;
  gint64 first = 0, last_burst = 0, previous = 0;
  gdouble mean, burst = 0;

  for (guint i = 0; i < arrivals->len; i++) {
    const Arrival *a = &g_array_index (arrivals, Arrival, i);

    datagrams += a->datagrams;
    payload += a->bytes;
    total += wire (a);
  }
  if (arrivals->len > 0)
    first = g_array_index (arrivals, Arrival, 0).ns;
  mean = bitrate;
  if (mean <= 0 && arrivals->len > 1)
    mean = total * 8e9 / MAX (1, g_array_index (arrivals, Arrival, arrivals->len - 1).ns - first);
  for (guint i = 0; i < arrivals->len; i++) {
    const Arrival *a = &g_array_index (arrivals, Arrival, i);
    gdouble limit = gap_us > 0 ? gap_us * 1000 : wire (a) / a->datagrams * 8e9 / mean / 4;

    if (i > 0 && a->ns - previous > limit) {
      /* a new one: the time since the last began is what that one takes */
      values_add (gaps, ABS ((a->ns - last_burst) - burst * 8e9 / mean) / 1000);
      values_add (bursts, burst);
      counted += (guint64) burst;
      burst = 0;
    }
    if (burst == 0)
      last_burst = a->ns;
    burst += wire (a);
    previous = a->ns;
  }
  if (burst > 0)
    values_add (bursts, burst);
  /* every burst but the last has its time between the beginnings */
  printf ("{\"datagrams\": %" G_GUINT64_FORMAT ", \"bytes\": %" G_GUINT64_FORMAT
          ", \"wire_bytes\": %" G_GUINT64_FORMAT ", \"overflowed\": %u, ",
      datagrams, payload, total, overflowed);
  printf ("\"seconds\": %.6f, \"bitrate\": %.3f, \"bursts\": %u, ", (last_burst - first) / 1e9,
      last_burst > first ? counted * 8e9 / (last_burst - first) : 0.0, bursts->len);
  printf ("\"fitted_bitrate\": %.3f, ", fit_rate (arrivals));
  printf ("\"peak_1ms_mbit\": %.3f, \"peak_10ms_mbit\": %.3f, \"queue_bytes\": %.0f, ",
      find_peak (arrivals, 1000000) * 8 / 1e3, find_peak (arrivals, 10000000) * 8 / 1e4,
      find_queue (arrivals, mean * drain_factor));
  if (with_pcr)
    report_pcrs (pcrs);
  print_percentiles ("gap_error_us", gaps);
  printf (", ");
  print_percentiles ("burst_bytes", bursts);
  printf ("}\n");
}

static void
write_csv (GArray *arrivals)
{
  FILE *file = fopen (csv_file, "w");

  if (file == NULL)
    g_error ("cannot write %s: %s", csv_file, g_strerror (errno));
  for (guint i = 0; i < arrivals->len; i++) {
    const Arrival *a = &g_array_index (arrivals, Arrival, i);

    fprintf (file, "%" G_GINT64_FORMAT ",%u,%u\n", a->ns - g_array_index (arrivals, Arrival, 0).ns,
        a->bytes, a->datagrams);
  }
  fclose (file);
}

int
main (int argc, char **argv)
{
  g_autoptr (GArray) arrivals = NULL, pcrs = g_array_new (FALSE, FALSE, sizeof (Pcr));
  struct sigaction action = { 0 };

  options_parse (&argc, &argv, entries, NULL);
  action.sa_handler = on_signal;
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  if (with_pcr && bitrate <= 0)
    g_error ("--pcr needs --bitrate");
  arrivals = receive (open_socket (), pcrs);
  report (arrivals, pcrs);
  if (csv_file != NULL)
    write_csv (arrivals);
  return arrivals->len > 0 ? 0 : 1;
}
