/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * strangers: callers of a faspsink of this machine that has no keys, who are no receivers:
 *
 *   silent     some hundred sessions of one address, which send one PING each
 *   lies       a session that confirms nothing, and sends FEEDBACK that cannot be true
 *   half-open  four addresses that open sessions, and never complete them
 *
 * A line of JSON at the end: what they sent and got.
 */
#include <errno.h>
#include <gio/gio.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "options.h"
#include "vstranger.h"

#define ADDRESSES 4
#define FIRST_ID 1000000
/* A network may call so often in a second. */
#define CALLS 128
/* A call that is not answered is made no more. */
#define CALLS_FOR (5 * FASP_SEC)

typedef struct
{
  VStranger stranger;
  guint socket;
  FaspTime since;
} Caller;

typedef struct
{
  Vnet *net; /* its dice */
  int sockets[ADDRESSES];
  guint n_sockets;
  GPtrArray *callers; /* Caller, in the order of their ids */
  guint first;        /* those before have given up */
  guint64 sent, got, let_in;
} Play;

static int
open_socket (guint host, guint16 port)
{
  struct sockaddr_in at = {
    .sin_family = AF_INET,
    .sin_addr.s_addr = htonl (INADDR_LOOPBACK + host),
  };
  struct sockaddr_in to = {
    .sin_family = AF_INET,
    .sin_port = htons (port),
    .sin_addr.s_addr = htonl (INADDR_LOOPBACK),
  };
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);

  if (fd < 0 || bind (fd, (struct sockaddr *) &at, sizeof at) != 0
      || connect (fd, (struct sockaddr *) &to, sizeof to) != 0) {
    fprintf (stderr, "strangers: no socket at 127.0.0.%u: %s\n", 1 + host, g_strerror (errno));
    exit (1);
  }
  return fd;
}

static void
add (Play *play, FaspTime now, guint at)
{
  Caller *caller = g_new0 (Caller, 1);
  const FaspAddress address = { .overhead = 28 };

  vstranger_init (&caller->stranger, play->net, &address, FIRST_ID + play->callers->len,
      FASP_ROLE_RECEIVER, 1 << 20);
  /* the net's clock is not ours */
  caller->stranger.caller.next_time = caller->since = now;
  caller->socket = at;
  g_ptr_array_add (play->callers, caller);
}

static void
transmit (Play *play, const Caller *caller, const guint8 *data, gsize size)
{
  play->sent += send (play->sockets[caller->socket], data, size, 0) > 0;
}

static void
say (Play *play, Caller *caller, const FaspWriter *frames)
{
  guint8 data[FASP_DATAGRAM_MAX];

  transmit (play, caller, data, vstranger_say (&caller->stranger, frames, data));
}

static void
say_ping (Play *play, Caller *caller)
{
  guint8 frames[64];
  FaspWriter w = { frames, sizeof frames };

  fasp_wire_write_number (&w, FASP_FRAME_PING, 1);
  say (play, caller, &w);
}

/* Nothing has come from @ack on. */
static void
say_feedback (Play *play, Caller *caller, guint64 serial, guint64 ack)
{
  guint8 frames[256];
  FaspWriter w = { frames, sizeof frames };
  FaspFeedback f = { .serial = serial, .ack = ack, .from = ack, .end = ack, .window = 1 << 20 };

  fasp_wire_write_feedback (&w, &f);
  say (play, caller, &w);
}

static void
hear (Play *play, FaspTime now, guint at)
{
  guint8 data[FASP_DATAGRAM_MAX];
  gssize size;

  while ((size = recv (play->sockets[at], data, sizeof data, 0)) > 0) {
    FaspSessionHeader header;
    FaspHandshake answer;
    guint32 id = 0;
    Caller *caller;
    gboolean was;

    if (fasp_wire_is_session (data, size))
      id = fasp_wire_parse_session (data, size, &header) ? header.cid : 0;
    else if (fasp_wire_parse_handshake (data, size, &answer))
      id = answer.to_cid;
    if (id < FIRST_ID || id - FIRST_ID >= play->callers->len)
      continue;
    caller = g_ptr_array_index (play->callers, id - FIRST_ID);
    was = caller->stranger.let_in;
    vstranger_hear (&caller->stranger, now, data, size);
    play->let_in += caller->stranger.let_in && !was;
    play->got += size + 28;
  }
}

static void
call (Play *play, FaspTime now)
{
  guint8 data[FASP_OPEN_SIZE];

  for (guint i = play->first; i < play->callers->len; i++) {
    Caller *caller = g_ptr_array_index (play->callers, i);

    if (i == play->first && now - caller->since > CALLS_FOR)
      play->first++;
    else if (vstranger_call (&caller->stranger, now, data))
      transmit (play, caller, data, sizeof data);
  }
}

/* Those who are let in say one thing. */
static void
say_once (Play *play)
{
  for (guint i = 0; i < play->callers->len; i++) {
    Caller *caller = g_ptr_array_index (play->callers, i);

    if (caller->stranger.let_in && caller->stranger.pn == 0)
      say_ping (play, caller);
  }
}

/* @done: lies so far; @due: how many there should have been. */
static guint64
lie (Play *play, FaspTime now, guint64 done, guint64 due)
{
  static guint64 serial = 10;
  static FaspTime told = 0;
  Caller *caller = g_ptr_array_index (play->callers, 0);
  guint64 start = caller->stranger.agreement.hello.start;

  if (!caller->stranger.let_in)
    return due;
  if (now - told >= FASP_FEEDBACK_CLOCK_MAX) {
    say_feedback (play, caller, ++serial, start);
    told = now;
  }
  for (; done < due; done++)
    say_feedback (play, caller, 1, G_GUINT64_CONSTANT (1) << 60);
  return done;
}

static void
free_caller (gpointer data)
{
  Caller *caller = data;

  vstranger_clear (&caller->stranger);
  g_free (caller);
}

int
main (int argc, char **argv)
{
  static gint port = 0, rate = 10000, seconds = 10, n = 300;
  static gchar *attack = NULL;
  static const GOptionEntry entries[] = {
    { "port", 0, 0, G_OPTION_ARG_INT, &port, "Of the faspsink", "PORT" },
    { "attack", 0, 0, G_OPTION_ARG_STRING, &attack, "silent, lies or half-open", "NAME" },
    { "sessions", 0, 0, G_OPTION_ARG_INT, &n, "silent: how many", "N" },
    { "rate", 0, 0, G_OPTION_ARG_INT, &rate, "lies: how many a second", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "", "SECONDS" },
    { NULL },
  };
  gboolean silent, lies, half_open;
  guint64 done = 0;
  Play play = { 0 };
  FaspTime start;

  options_parse (&argc, &argv, entries, NULL);
  silent = g_strcmp0 (attack, "silent") == 0;
  lies = g_strcmp0 (attack, "lies") == 0;
  half_open = g_strcmp0 (attack, "half-open") == 0;
  if (port <= 0 || port > G_MAXUINT16 || n <= 0 || rate <= 0 || seconds <= 0
      || !(silent || lies || half_open))
    options_refuse (
        "--port and --attack=silent|lies|half-open are needed; the numbers are more than 0");
  play.net = vnet_new (g_random_int ());
  play.callers = g_ptr_array_new_with_free_func (free_caller);
  play.n_sockets = half_open ? ADDRESSES : 1;
  for (guint i = 0; i < play.n_sockets; i++)
    play.sockets[i] = open_socket (i + 1, port);
  start = g_get_monotonic_time ();
  for (gint i = 0; !half_open && i < (silent ? n : 1); i++)
    add (&play, start, 0);
  for (;;) {
    FaspTime now = g_get_monotonic_time ();
    guint64 due = (now - start) * (half_open ? CALLS : rate) / FASP_SEC;

    if (now - start >= seconds * FASP_SEC)
      break;
    for (guint i = 0; i < play.n_sockets; i++)
      hear (&play, now, i);
    for (; half_open && done < due; done++)
      for (guint i = 0; i < play.n_sockets; i++)
        add (&play, now, i);
    call (&play, now);
    if (silent)
      say_once (&play);
    if (lies)
      done = lie (&play, now, done, due);
    g_usleep (500);
  }
  printf ("{\"sent\": %" G_GUINT64_FORMAT ", \"let-in\": %" G_GUINT64_FORMAT
          ", \"got-bytes\": %" G_GUINT64_FORMAT "}\n",
      play.sent, play.let_in, play.got);
  for (guint i = 0; i < play.n_sockets; i++)
    close (play.sockets[i]);
  g_ptr_array_unref (play.callers);
  vnet_free (play.net);
  return 0;
}
