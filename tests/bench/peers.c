/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * peers: libsrt and librist without GStreamer, as fast as they take bytes or at a
 * rate.
 *
 *   peers receive srt|srt-live|rist --port P [--payload BYTES] [--at-most S]
 *   peers send srt|srt-live|rist --to ADDRESS --port P --payload BYTES --seconds S
 *       [--rate BIT/S]
 *
 * srt is libsrt's file mode with messages, its fastest that loses nothing;
 * srt-live is what srtsink uses, with nothing dropped; rist is the simple profile.
 * Each message begins with its number, so the receiver sees what is missing.
 * JSON at the end.
 */
#include <arpa/inet.h>
#include <librist/librist.h>
#include <srt/srt.h>
#include <stdio.h>
#include <string.h>
#include "options.h"
#include "ratereport.h"

#define SRT_HEADERS 44   /* IPv4, UDP, SRT */
#define SRT_MSS_MAX 1500 /* more is "MSS size exceeds MTU size" in 1.5.1 */
#define RIST_HEADERS 12  /* RTP */
#define LATENCY 20       /* ms, of libsrt's live mode */
#define ROOM (64 << 20)
#define RIST_BUFFER "100" /* ms */
#define END G_MAXUINT64   /* the number of the last message */
#define IDLE 3            /* s without anything: it has ended otherwise */

static gint port = 5000, payload = 1400, seconds = 10, at_most = G_MAXINT;
static gint64 rate;
static gchar *to;
static guint64 bytes, missing, next;
static gboolean ended; /* it was told that */
static gint64 first, last;
static guint8 data[65536];

/* --- both libraries -------------------------------------------------------------- */

/* @put sends so many bytes of data. */
static gboolean
send_all (gboolean (*put) (gpointer peer, gsize size), gpointer peer, gsize size)
{
  gint64 due;

  due = first = g_get_monotonic_time ();
  do {
    memcpy (data, &next, sizeof next);
    if (!put (peer, size))
      return FALSE;
    next++;
    bytes += size;
    last = g_get_monotonic_time ();
    if (rate > 0) {
      due = first + bytes * 8 * (G_USEC_PER_SEC / (gdouble) rate);
      if (due > last)
        g_usleep (due - last);
    }
  } while (last - first < seconds * G_USEC_PER_SEC);
  /* and how many there were */
  memcpy (data + sizeof next, &next, sizeof next);
  next = END;
  memcpy (data, &next, sizeof next);
  return put (peer, size);
}

/* FALSE: that was the last. */
static gboolean
take (const guint8 *message, gsize size)
{
  guint64 number;

  if (size < 2 * sizeof number)
    return TRUE;
  memcpy (&number, message, sizeof number);
  if (number == END) {
    memcpy (&number, message + sizeof number, sizeof number);
    missing += number > next ? number - next : 0;
    ended = TRUE;
    return FALSE;
  }
  last = g_get_monotonic_time ();
  if (first == 0) {
    first = last;
    next = number; /* librist is not sure to have the first ones */
  }
  bytes += size;
  missing += number > next ? number - next : 0;
  next = number + 1;
  return last - first < at_most * (gint64) G_USEC_PER_SEC;
}

static gboolean
complain (const gchar *what, const gchar *why)
{
  fprintf (stderr, "peers: %s: %s\n", what, why);
  return FALSE;
}

/* --- libsrt ------------------------------------------------------------------------ */

static gboolean
put_srt (gpointer peer, gsize size)
{
  return srt_sendmsg (GPOINTER_TO_INT (peer), (const char *) data, size, -1, TRUE) >= 0
      || complain ("sending", srt_getlasterror_str ());
}

static SRTSOCKET
make_srt (gboolean live)
{
  SRTSOCKET s = srt_create_socket ();
  SRT_TRANSTYPE type = live ? SRTT_LIVE : SRTT_FILE;
  gint mss = MIN (payload + 28, SRT_MSS_MAX), room = ROOM, window = ROOM / payload;
  gint size = mss - SRT_HEADERS, latency = LATENCY;
  gint64 unlimited = -1;
  bool on = true, off = false;
  const struct
  {
    SRT_SOCKOPT option;
    const void *value;
    int size;
    gboolean live; /* in the live mode alone */
  } options[] = {
    { SRTO_TRANSTYPE, &type, sizeof type, FALSE },
    { SRTO_MESSAGEAPI, &on, sizeof on, FALSE },
    { SRTO_MSS, &mss, sizeof mss, FALSE },
    { SRTO_FC, &window, sizeof window, FALSE },
    { SRTO_SNDBUF, &room, sizeof room, FALSE },
    { SRTO_RCVBUF, &room, sizeof room, FALSE },
    { SRTO_UDP_SNDBUF, &room, sizeof room, FALSE },
    { SRTO_UDP_RCVBUF, &room, sizeof room, FALSE },
    { SRTO_MAXBW, &unlimited, sizeof unlimited, FALSE },
    { SRTO_PAYLOADSIZE, &size, sizeof size, TRUE },
    { SRTO_LATENCY, &latency, sizeof latency, TRUE },
    { SRTO_TLPKTDROP, &off, sizeof off, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    if ((live || !options[i].live)
        && srt_setsockflag (s, options[i].option, options[i].value, options[i].size) < 0)
      complain ("an option of SRT", srt_getlasterror_str ());
  return s;
}

static gboolean
run_srt (gboolean sends, gboolean live)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons (port) };
  SRTSOCKET s = make_srt (live), accepted;
  gint n, left, size = sizeof left, wait = IDLE * 1000;

  if (sends) {
    inet_pton (AF_INET, to, &address.sin_addr);
    if (srt_connect (s, (struct sockaddr *) &address, sizeof address) < 0)
      return complain (to, srt_getlasterror_str ());
    if (!send_all (put_srt, GINT_TO_POINTER (s), MIN (payload + 28, SRT_MSS_MAX) - SRT_HEADERS))
      return FALSE;
    while (srt_getsockflag (s, SRTO_SNDDATA, &left, &size) == 0 && left > 0)
      g_usleep (10000);
    if (live)
      g_usleep (10 * LATENCY * 1000); /* the receiver forgets it otherwise */
    return srt_close (s) == 0;
  }
  if (srt_bind (s, (struct sockaddr *) &address, sizeof address) < 0 || srt_listen (s, 1) < 0
      || (accepted = srt_accept (s, NULL, NULL)) == SRT_INVALID_SOCK)
    return complain ("listening", srt_getlasterror_str ());
  srt_setsockflag (accepted, SRTO_RCVTIMEO, &wait, sizeof wait);
  while ((n = srt_recvmsg (accepted, (char *) data, sizeof data)) > 0 && take (data, n))
    ;
  return srt_close (accepted) == 0;
}

/* --- librist ------------------------------------------------------------------------ */

static gboolean
put_rist (gpointer peer, gsize size)
{
  struct rist_data_block block = { .payload = data, .payload_len = size };

  return rist_sender_data_write (peer, &block) >= 0 || complain ("sending", "librist refuses it");
}

static gboolean
run_rist (gboolean sends)
{
  g_autofree gchar *url =
      g_strdup_printf ("rist://%s%s:%d?buffer=" RIST_BUFFER "&bandwidth=50000000", sends ? "" : "@",
          sends ? to : "0.0.0.0", port);
  struct rist_logging_settings *logging = NULL;
  struct rist_peer_config *config = NULL;
  struct rist_data_block *block;
  struct rist_peer *peer;
  struct rist_ctx *context;
  gboolean good = TRUE;

  rist_logging_set (&logging, RIST_LOG_ERROR, NULL, NULL, NULL, stderr);
  if ((sends ? rist_sender_create (&context, RIST_PROFILE_SIMPLE, 0, logging) :
               rist_receiver_create (&context, RIST_PROFILE_SIMPLE, logging))
          != 0
      || rist_parse_address2 (url, &config) != 0 || rist_peer_create (context, &peer, config) != 0)
    return complain (url, "librist cannot");
  if (!sends)
    rist_receiver_set_output_fifo_size (context, 1 << 16);
  if (rist_start (context) != 0)
    return complain (url, "librist does not start");
  if (sends) {
    g_usleep (G_USEC_PER_SEC); /* there is no way to ask whether it is connected */
    good = send_all (put_rist, context, payload - RIST_HEADERS);
    g_usleep (G_USEC_PER_SEC); /* nor whether all has arrived */
  } else {
    gint64 limit = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
    gboolean more = TRUE;

    while (more && g_get_monotonic_time () < limit) {
      if (rist_receiver_data_read2 (context, &block, 100) > 0) {
        more = take (block->payload, block->payload_len);
        rist_receiver_data_block_free2 (&block);
      } else if (last > 0 && g_get_monotonic_time () - last > IDLE * G_USEC_PER_SEC)
        more = FALSE;
    }
  }
  rist_peer_config_free2 (&config);
  rist_destroy (context);
  return good;
}

int
main (int argc, char **argv)
{
  static const GOptionEntry entries[] = {
    { "port", 0, 0, G_OPTION_ARG_INT, &port, "Even with rist", "PORT" },
    { "to", 0, 0, G_OPTION_ARG_STRING, &to, "", "ADDRESS" },
    { "payload", 0, 0, G_OPTION_ARG_INT, &payload, "UDP payload", "BYTES" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "That it sends", "SECONDS" },
    { "at-most", 0, 0, G_OPTION_ARG_INT, &at_most, "That it receives", "SECONDS" },
    { "rate", 0, 0, G_OPTION_ARG_INT64, &rate, "Of the messages; 0: as fast as it takes them",
        "BIT/S" },
    { NULL },
  };
  gboolean good, sends;

  options_parse (&argc, &argv, entries, "send|receive srt|srt-live|rist");
  if (argc != 3 || payload < 100 || payload > 9000
      || ((sends = strcmp (argv[1], "send") == 0) && to == NULL))
    options_refuse ("say send --to ADDRESS, or receive, and of what");
  srt_startup ();
  good = strcmp (argv[2], "rist") == 0 ? run_rist (sends) :
                                         run_srt (sends, strcmp (argv[2], "srt-live") == 0);
  srt_cleanup ();
  missing += !sends && !ended;
  rate_report (bytes, first, last, "wrong", missing, NULL);
  return good ? 0 : 1;
}
