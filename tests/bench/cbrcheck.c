/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrcheck: reads what cbrsource wrote, from the standard input, UDP or TCP,
 * and prints as JSON what was missing or damaged and how late it was.
 *
 * Late: over the one-way delay of the path where it is given, else over the
 * smallest delay of the run.  Skips: one-second chunks of the stream of which
 * something was missing or later than the buffer.
 */
#include <errno.h>
#include <stdio.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <string.h>
#include <unistd.h>
#include <gio/gio.h>
#include "cbrrecord.h"
#include "options.h"

#define INPUT (1 << 20)

typedef struct
{
  GArray *times; /* delay in µs by record number; -1: missing */
  guint64 records, duplicates, damaged_bytes, out_of_order, next;
  gint64 first;      /* when the first record came, µs */
  gint64 first_time; /* when it was written */
} Check;

static void
note (Check *check, guint64 number, gint64 time, gint64 now)
{
  const gint64 missing = -1;

  if (number > 100000000)
    return;
  while (check->times->len <= number)
    g_array_append_val (check->times, missing);
  if (g_array_index (check->times, gint64, number) >= 0) {
    check->duplicates++;
    return;
  }
  if (check->records++ == 0) {
    check->first = now;
    check->first_time = time;
  }
  if (number < check->next)
    check->out_of_order++;
  check->next = number + 1;
  g_array_index (check->times, gint64, number) = MAX (0, now - time);
}

/* Takes whole records off the front; returns the bytes used. */
static gsize
consume (Check *check, const guint8 *data, gsize size, gint64 now)
{
  gsize used = 0;

  while (size - used >= CBR_RECORD) {
    guint64 number;
    gint64 time;

    if (cbr_record_starts (data + used) && cbr_record_read (data + used, &number, &time)) {
      note (check, number, time, now);
      used += CBR_RECORD;
    } else {
      check->damaged_bytes++;
      used++;
    }
  }
  return used;
}

/* --- input -------------------------------------------------------------------- */

static gint
listen_at (guint port, gboolean tcp, GError **error)
{
  g_autoptr (GInetAddress) any = g_inet_address_new_any (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (any, port);
  g_autoptr (GSocket) socket = g_socket_new (G_SOCKET_FAMILY_IPV4,
      tcp ? G_SOCKET_TYPE_STREAM : G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_DEFAULT, error);
  g_autoptr (GSocket) peer = NULL;

  if (socket == NULL || !g_socket_bind (socket, address, TRUE, error))
    return -1;
  g_socket_set_option (socket, SOL_SOCKET, SO_RCVBUF, 8 << 20, NULL);
  if (!tcp)
    return dup (g_socket_get_fd (socket));
  if (!g_socket_listen (socket, error) || (peer = g_socket_accept (socket, NULL, error)) == NULL)
    return -1;
  return dup (g_socket_get_fd (peer));
}

static void
read_all (Check *check, gint fd, gint timeout, gint64 until, gboolean datagrams)
{
  g_autofree guint8 *data = g_malloc (INPUT);
  gsize held = 0;

  for (;;) {
    struct pollfd p = { .fd = fd, .events = POLLIN };
    gssize n;
    gsize used;

    if (poll (&p, 1, timeout) == 0 || cbr_get_time_ns () > until)
      return;
    n = read (fd, data + held, INPUT - held);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (n <= 0)
      return;
    held += n;
    used = consume (check, data, held, cbr_get_time_ns () / 1000);
    held -= used;
    memmove (data, data + used, held);
    if (datagrams)
      held = 0;
  }
}

/* --- figures ------------------------------------------------------------------- */

static gint
compare (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

static gint64
percentile (GArray *sorted, gdouble p)
{
  return sorted->len == 0 ?
      0 :
      g_array_index (sorted, gint64, MIN (sorted->len - 1, (guint) (p * sorted->len)));
}

static guint
count_skips (Check *check, guint64 expected, gdouble per_second, gint64 base, gint64 buffer)
{
  guint skips = 0;
  guint64 last = G_MAXUINT64;

  for (guint64 i = 0; i < expected; i++) {
    gint64 delay = i < check->times->len ? g_array_index (check->times, gint64, i) : -1;
    guint64 chunk = i / per_second;

    if (chunk != last && (delay < 0 || delay - base > buffer)) {
      skips++;
      last = chunk;
    }
  }
  return skips;
}

static void
print (Check *check, guint64 expected, gdouble per_second, gdouble path_ms)
{
  g_autoptr (GArray) late = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 base;

  for (guint i = 0; i < check->times->len; i++) {
    gint64 delay = g_array_index (check->times, gint64, i);

    if (delay >= 0)
      g_array_append_val (late, delay);
  }
  g_array_sort (late, compare);
  base = path_ms >= 0 ? path_ms * 1000 : percentile (late, 0);
  for (guint i = 0; i < late->len; i++)
    g_array_index (late, gint64, i) -= base;
  printf ("{\"records\": %" G_GUINT64_FORMAT ", \"expected\": %" G_GUINT64_FORMAT
          ", \"missing\": %" G_GUINT64_FORMAT ", \"duplicates\": %" G_GUINT64_FORMAT
          ", \"out_of_order\": %" G_GUINT64_FORMAT ", \"damaged_bytes\": %" G_GUINT64_FORMAT
          ", \"exact\": %s,\n \"first_us\": %" G_GINT64_FORMAT
          ", \"first_written_us\": %" G_GINT64_FORMAT ", \"late_us\": {",
      check->records, expected, expected - MIN (expected, check->records), check->duplicates,
      check->out_of_order, check->damaged_bytes,
      check->records == expected && check->duplicates == 0 && check->out_of_order == 0
              && check->damaged_bytes == 0 ?
          "true" :
          "false",
      check->first - check->first_time, check->first_time);
  printf ("\"min\": %" G_GINT64_FORMAT ", \"p50\": %" G_GINT64_FORMAT ", \"p90\": %" G_GINT64_FORMAT
          ", \"p99\": %" G_GINT64_FORMAT ", \"p999\": %" G_GINT64_FORMAT
          ", \"p9999\": %" G_GINT64_FORMAT ", \"max\": %" G_GINT64_FORMAT "},\n",
      percentile (late, 0), percentile (late, .5), percentile (late, .9), percentile (late, .99),
      percentile (late, .999), percentile (late, .9999), percentile (late, 1));
  printf (" \"incomplete\": %u,\n",
      count_skips (check, expected, per_second, base, G_MAXINT64 / 2));
  printf (" \"skips\": {\"1000\": %u, \"500\": %u, \"300\": %u}}\n",
      count_skips (check, expected, per_second, base, 1000000),
      count_skips (check, expected, per_second, base, 500000),
      count_skips (check, expected, per_second, base, 300000));
}

static gboolean
write_times (Check *check, const gchar *path, GError **error)
{
  g_autoptr (GString) out = g_string_new ("record,delay_us\n");

  for (guint i = 0; i < check->times->len; i++)
    g_string_append_printf (out, "%u,%" G_GINT64_FORMAT "\n", i,
        g_array_index (check->times, gint64, i));
  return g_file_set_contents (path, out->str, out->len, error);
}

gint
main (gint argc, gchar **argv)
{
  static gdouble mbit = 10, seconds = 10, idle = 10, limit = 1e9, delay = -1;
  static gint udp, tcp;
  static gint64 records = -1;
  static gchar *times;
  static const GOptionEntry entries[] = {
    { "mbit", 0, 0, G_OPTION_ARG_DOUBLE, &mbit, "Rate of the stream", "MBIT" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "Its length", "SECONDS" },
    { "records", 0, 0, G_OPTION_ARG_INT64, &records,
        "How many are expected, if not so much of that rate", "N" },
    { "udp", 0, 0, G_OPTION_ARG_INT, &udp, "Receive there", "PORT" },
    { "tcp", 0, 0, G_OPTION_ARG_INT, &tcp, "Listen there", "PORT" },
    { "idle", 0, 0, G_OPTION_ARG_DOUBLE, &idle, "End when nothing has come for so long",
        "SECONDS" },
    { "limit", 0, 0, G_OPTION_ARG_DOUBLE, &limit, "End after so long, whatever comes", "SECONDS" },
    { "delay", 0, 0, G_OPTION_ARG_DOUBLE, &delay, "One-way delay of the path", "MS" },
    { "times", 0, 0, G_OPTION_ARG_FILENAME, &times, "Write the delay of each record as CSV",
        "FILE" },
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  Check check = { 0 };
  gint fd = STDIN_FILENO;

  options_parse (&argc, &argv, entries, NULL);
  if (udp != 0 || tcp != 0)
    fd = listen_at (udp ? udp : tcp, tcp != 0, &error);
  check.times = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (error == NULL) {
    read_all (&check, fd, idle * 1000, cbr_get_time_ns () + limit * 1e9, udp != 0);
    print (&check, records >= 0 ? records : seconds * mbit * 1e6 / 8 / CBR_RECORD,
        mbit * 1e6 / 8 / CBR_RECORD, delay);
    if (times != NULL)
      write_times (&check, times, &error);
  }
  g_array_unref (check.times);
  if (error != NULL)
    options_refuse ("%s", error->message);
  return 0;
}
