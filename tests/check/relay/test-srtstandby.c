/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two senders of an SRT input, of which one stands by, while SRT's thread is held up now and then.
 * The thread runs as in the relay, in virtual time: the test has its clock, and what it waits for.
 */
#include <gmodule.h>
#include <gst/gst.h>
#include "relayprotocol.h"
#include "relaysrtend.h"
#include "relaysrtthread.h"

#define ROUNDS 50 /* in each, the thread is held up, and later the sender falls silent */
#define MS ((gint32) G_TIME_SPAN_MILLISECOND)
#define EACH (40 * MS)     /* from one message of a sender to the next, at most */
#define SILENCE (500 * MS) /* after which the other sender is used */
#define STALL (5000 * MS)  /* at most */
#define QUIET (200 * MS)   /* between two stalls, at least */

/* Used in SRT's thread alone, when that has started. */
static struct
{
  GRand *rand;
  gint64 now;      /* µs */
  gint64 sends[2]; /* when the next message of each comes; G_MAXINT64: it is silent */
  gint64 stall;    /* when the thread is held up next */
  gint64 heard;    /* when the sender that is used was read last */
  guint used, stalls, rounds;
} world;

static RelaySrtEnd *end;
static RelaySrtPeer peers[] = { { .socket = 1 }, { .socket = 2 } };
static RelayProtocolUri *uri;
static gint over; /* atomic */

/* libraries have this one, too, so the linker wants it exported */
G_MODULE_EXPORT gint64 __wrap_g_get_monotonic_time (void);
int __wrap_srt_epoll_uwait (int epoll, SRT_EPOLL_EVENT *events, int size, int64_t wait);
const RelayProtocolUri *__wrap_relay_protocol_pipeline_get_uri (RelayProtocolPipeline *pipeline);

gint64
__wrap_g_get_monotonic_time (void)
{
  return world.now;
}

const RelayProtocolUri *
__wrap_relay_protocol_pipeline_get_uri (RelayProtocolPipeline *pipeline)
{
  return uri;
}

static gint64
draw (gint32 from, gint32 to)
{
  return g_rand_int_range (world.rand, from, to);
}

/* The thread is held up: both senders go on, and a third one calls. */
static void
hold_up (void)
{
  const gchar *reason;

  world.now += draw (SILENCE, STALL);
  world.stall = world.now + draw (QUIET, STALL);
  world.stalls++;
  g_assert_cmpint (relay_srt_end_look_for_room (end, &reason), !=, 0);
}

/* Gives one of the messages that wait: any sender's may be the first. */
int
__wrap_srt_epoll_uwait (int epoll, SRT_EPOLL_EVENT *events, int size, int64_t wait)
{
  gint64 next = MIN (world.sends[0], world.sends[1]);
  guint i = g_rand_boolean (world.rand);

  if (g_atomic_int_get (&over)) {
    g_usleep (MS);
    return 0;
  }
  if (world.now >= world.stall && world.sends[world.used] != G_MAXINT64)
    hold_up ();
  else
    world.now = CLAMP (next, world.now, world.now + wait * MS);
  if (world.sends[i] > world.now)
    i = !i;
  events[0] = (SRT_EPOLL_EVENT) { peers[i].socket, SRT_EPOLL_IN };
  return world.sends[i] <= world.now;
}

/* A sender is used only when the other one has been silent for half a second. */
static void
take_event (SRTSOCKET socket, int events)
{
  guint i = socket - 1;
  gboolean silent = world.sends[world.used] == G_MAXINT64;

  g_assert_cmpint (relay_srt_end_take (end, &peers[i], "", 1, FALSE), ==,
      silent && world.now - world.heard >= SILENCE);
  world.sends[i] += draw (1, EACH);
  if (i == world.used) {
    world.heard = world.now;
    if (world.stalls > world.rounds && draw (0, 100) == 0)
      world.sends[i] = G_MAXINT64;
  } else if (silent && world.now - world.heard >= SILENCE) {
    world.sends[world.used] = world.now + draw (1, EACH);
    world.stall = world.now + draw (QUIET, STALL);
    world.used = i;
    world.heard = world.now;
    g_atomic_int_set (&over, ++world.rounds == ROUNDS);
  }
}

static void
look (void)
{
}

/* What waits unread while the relay is held up is no silence of its sender, neither for one that
 * stands by, nor for one that calls. */
static void
test_stalls (void)
{
  world.rand = g_rand_new_with_seed (7);
  world.stall = QUIET;
  end = relay_srt_end_new (NULL);
  end->element = gst_object_ref_sink (gst_element_factory_make ("appsrc", NULL));
  for (guint i = 0; i < G_N_ELEMENTS (peers); i++)
    relay_srt_end_add (end, &peers[i]);
  g_assert_true (relay_srt_start_thread (take_event, look, NULL));
  while (!g_atomic_int_get (&over))
    g_usleep (MS);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  uri = relay_protocol_uri_parse ("srt://:5000?second-caller=standby", FALSE, NULL, NULL);
  g_test_add_func ("/srtstandby/stalls", test_stalls);
  return g_test_run ();
}
