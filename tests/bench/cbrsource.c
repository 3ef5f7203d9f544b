/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrsource: a stream of checkable records at a constant rate, or at given
 * times, to the standard output, as UDP datagrams or over TCP.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include <gio/gio.h>
#include "cbrrecord.h"
#include "options.h"

static gboolean
send_all (gint fd, const guint8 *data, gsize size)
{
  while (size > 0) {
    gssize n = write (fd, data, size);

    if (n < 0 && (errno == EINTR || errno == ECONNREFUSED))
      continue;
    if (n < 0)
      return FALSE;
    data += n;
    size -= n;
  }
  return TRUE;
}

static gint
dial (const gchar *where, gboolean tcp, const gchar *congestion, GError **error)
{
  g_autoptr (GSocketConnectable) host = g_network_address_parse (where, 0, error);
  g_autoptr (GSocketAddressEnumerator) enumerator = NULL;
  g_autoptr (GSocketAddress) address = NULL;
  g_autoptr (GSocket) socket = NULL;
  gint fd;

  if (host == NULL)
    return -1;
  enumerator = g_socket_connectable_enumerate (host);
  address = g_socket_address_enumerator_next (enumerator, NULL, error);
  if (address == NULL)
    return -1;
  socket = g_socket_new (g_socket_address_get_family (address),
      tcp ? G_SOCKET_TYPE_STREAM : G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_DEFAULT, error);
  if (socket == NULL)
    return -1;
  fd = g_socket_get_fd (socket);
  if (tcp
      && (setsockopt (fd, IPPROTO_TCP, TCP_CONGESTION, congestion, strlen (congestion)) < 0
          || setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &(int) { 1 }, sizeof (int)) < 0)) {
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "TCP %s: %s", congestion,
        g_strerror (errno));
    return -1;
  }
  if (!g_socket_connect (socket, address, NULL, error))
    return -1;
  fd = dup (fd);
  fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

/* When each record is due, ns from the start. */
static GArray *
read_schedule (const gchar *path, GError **error)
{
  g_autofree gchar *text = NULL;
  g_auto (GStrv) lines = NULL;
  GArray *times;

  if (!g_file_get_contents (path, &text, NULL, error))
    return NULL;
  times = g_array_new (FALSE, FALSE, sizeof (gint64));
  lines = g_strsplit (text, "\n", -1);
  for (gchar **line = lines; *line != NULL; line++) {
    gchar *records;
    gint64 time = g_ascii_strtoll (*line, &records, 10) * 1000;

    for (guint64 n = g_ascii_strtoull (records, NULL, 10); n > 0; n--)
      g_array_append_val (times, time);
  }
  return times;
}

gint
main (gint argc, gchar **argv)
{
  static gdouble mbit = 10, seconds = 10, lead, linger;
  static gint piece = CBR_RECORD;
  static gchar *udp, *tcp, *congestion, *schedule;
  static const GOptionEntry entries[] = {
    { "mbit", 0, 0, G_OPTION_ARG_DOUBLE, &mbit, "Rate of the stream", "MBIT" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "Length", "SECONDS" },
    { "lead", 0, 0, G_OPTION_ARG_DOUBLE, &lead,
        "Wait before the first record, for connections to be made", "SECONDS" },
    { "linger", 0, 0, G_OPTION_ARG_DOUBLE, &linger,
        "Wait after the last record, for those that drop what is under way "
        "when their input ends",
        "SECONDS" },
    { "write", 0, 0, G_OPTION_ARG_INT, &piece, "Bytes per write, whatever the records (1316)",
        "BYTES" },
    { "schedule", 0, 0, G_OPTION_ARG_FILENAME, &schedule,
        "Instead of a rate: lines of a time in µs and how many records are "
        "written then, at once",
        "FILE" },
    { "udp", 0, 0, G_OPTION_ARG_STRING, &udp, "Send there", "HOST:PORT" },
    { "tcp", 0, 0, G_OPTION_ARG_STRING, &tcp, "Send there", "HOST:PORT" },
    { "congestion", 0, 0, G_OPTION_ARG_STRING, &congestion, "TCP congestion control (bbr)",
        "NAME" },
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) pending = g_byte_array_new ();
  g_autoptr (GArray) times = NULL;
  guint8 record[CBR_RECORD];
  gint fd = STDOUT_FILENO;
  gint64 start;
  guint64 n;

  options_parse (&argc, &argv, entries, NULL);
  if (udp != NULL || tcp != NULL)
    fd = dial (udp ? udp : tcp, tcp != NULL, congestion ? congestion : "bbr", &error);
  if (error == NULL && schedule != NULL)
    times = read_schedule (schedule, &error);
  if (error != NULL)
    options_refuse ("%s", error->message);
  if (piece < 1)
    options_refuse ("--write must be at least 1");
  prctl (PR_SET_TIMERSLACK, 1);
  start = cbr_get_time_ns () + (gint64) (lead * 1e9);
  n = times ? times->len : seconds * mbit * 1e6 / 8 / CBR_RECORD;
  for (guint64 i = 0; i < n; i++) {
    gint64 due = start
        + (times ? g_array_index (times, gint64, i) : (gint64) (i * (CBR_RECORD * 8e3 / mbit)));
    gboolean ends = i == n - 1
        || (times && g_array_index (times, gint64, i + 1) != g_array_index (times, gint64, i));
    struct timespec ts = { .tv_sec = due / 1000000000, .tv_nsec = due % 1000000000 };

    clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
    /* the time at which it is due: a source that was held up is late, and
     * so is the picture */
    cbr_record_write (record, i, due / 1000);
    g_byte_array_append (pending, record, CBR_RECORD);
    while (pending->len >= (guint) piece || (ends && pending->len > 0)) {
      guint size = MIN (pending->len, (guint) piece);

      if (!send_all (fd, pending->data, size)) {
        fprintf (stderr, "cbrsource: %s\n", g_strerror (errno));
        return 1;
      }
      g_byte_array_remove_range (pending, 0, size);
    }
  }
  g_usleep (linger * G_USEC_PER_SEC);
  fprintf (stderr, "cbrsource: %" G_GUINT64_FORMAT " records\n", n);
  return 0;
}
