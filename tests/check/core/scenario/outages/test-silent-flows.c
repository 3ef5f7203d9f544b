/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is told of flows that carry nothing: what lasts, once, with its times.
 */
#include "faspflow.h"
#include "vcases.h"
#include "vstream.h"

#define RTT (40 * FASP_MSEC)
#define SIDES 2 /* sender, receiver */
/* A sender misses two packets of a flow, which take 30 ms to leave at the rate of these tests, a
 * round trip and 20 ms (FASP_RTT_REPORT_MARGIN) later, with the next feedback, 20 ms. A receiver
 * looks for an answer to its PING. */
#define NOTICE (RTT + 70 * FASP_MSEC)
#define HEAR (FASP_FLOW_QUIET + 8 * RTT)

static Vstream *
start (Vnet *net, guint flows, guint64 bitrate)
{
  VstreamConfig config;

  vstream_config_init (&config);
  config.bitrate = bitrate;
  config.channel = 8000000;
  config.lead = FASP_SEC;
  config.duration = 30 * FASP_SEC;
  config.flows = flows;
  vnet_set_path (net, RTT, (gdouble[]) { 0, 0 }, (gdouble[]) { 0, 0 }, 0);
  return vstream_new (net, &config);
}

/* @link carries nothing @to that side from @from to @until, as number @n of its outages. */
static void
black_out (Vnet *net, guint link, guint to, guint n, FaspTime from, FaspTime until)
{
  ImpairConfig *wire = vnet_get_link_wire (net, !to, to, link);

  g_assert_cmpuint (n, <, G_N_ELEMENTS (wire->blackouts));
  wire->blackouts[n].start = vnet_get_time (net) + from;
  wire->blackouts[n].end = vnet_get_time (net) + until;
}

static void
assert_notified (const Vstream *stream, guint side, guint out, guint back)
{
  g_assert_cmpuint (stream->events[FASP_EVENT_FLOW_OUT][side], ==, out);
  g_assert_cmpuint (stream->events[FASP_EVENT_FLOW_BACK][side], ==, back);
}

/* Until @side was told of an outage, or its end, which is to be no sooner than @from and by
 * @until. */
static const FaspEvent *
await (Vstream *stream, guint side, FaspEventType type, FaspTime from, FaspTime until)
{
  vstream_run_until (stream, from);
  g_assert_cmpuint (stream->events[type][side], ==, 0);
  vstream_run_until (stream, until);
  g_assert_cmpuint (stream->events[type][side], ==, 1);
  g_assert_cmpint (stream->outage[side].type, ==, type);
  return &stream->outage[side];
}

static void
assert_near (FaspTime time, FaspTime from, FaspTime until)
{
  g_assert_cmpint (time, >=, from);
  g_assert_cmpint (time, <=, until);
}

typedef struct
{
  const gchar *name;
  guint64 bitrate;
  guint side;           /* that is told */
  gboolean forth, back; /* what is cut */
  FaspTime notice;
  const gchar *why;
} Case;

static const Case cases[] = {
  { "sender", 2000000, VNET_A, TRUE, TRUE, NOTICE, "does not arrive" },
  { "sender-forth", 2000000, VNET_A, TRUE, FALSE, NOTICE, "does not arrive" },
  { "receiver", 2000000, VNET_B, TRUE, TRUE, HEAR, "nothing is heard" },
  { "receiver-forth", 2000000, VNET_B, TRUE, FALSE, HEAR, "nothing is heard" },
  /* almost nothing to send: the sender, too, has only PINGs that are not answered */
  { "sender-idle", 8000, VNET_A, TRUE, TRUE, 3 * FASP_SEC, "does not arrive" },
  { "receiver-idle", 8000, VNET_B, TRUE, TRUE, HEAR, "nothing is heard" },
};

/* A flow ends at 5 s, and is back at 15 s. */
static void
test_notified (gconstpointer data)
{
  const Case *c = data;

  for (guint seed = 1; seed <= 6; seed++) {
    g_autoptr (Vnet) net = vnet_new (seed);
    g_autoptr (Vstream) stream = start (net, 3, c->bitrate);
    FaspTime begin = vnet_get_time (net);
    const FaspEvent *event;
    guint link = seed % 3;

    if (c->forth)
      black_out (net, link, VNET_B, 0, 5 * FASP_SEC, 15 * FASP_SEC);
    if (c->back)
      black_out (net, link, VNET_A, 0, 5 * FASP_SEC, 15 * FASP_SEC);
    event = await (stream, c->side, FASP_EVENT_FLOW_OUT, 5 * FASP_SEC + FASP_OUTAGE_DELAY - 1,
        5 * FASP_SEC + FASP_OUTAGE_DELAY + c->notice);
    g_assert_cmpuint (event->outage.flow, ==, event->address.socket);
    g_assert_cmpuint (event->outage.flow, ==, link);
    g_assert_cmpuint (event->address.len, >, 0);
    g_assert_nonnull (strstr (event->text, c->why));
    assert_near (event->outage.since - begin, 5 * FASP_SEC - FASP_FLOW_QUIET,
        5 * FASP_SEC + c->notice);
    event = await (stream, c->side, FASP_EVENT_FLOW_BACK, 15 * FASP_SEC + FASP_OUTAGE_DELAY - 1,
        15 * FASP_SEC + FASP_OUTAGE_DELAY + FASP_FLOW_AGAIN_MAX + 2 * RTT);
    g_assert_cmpuint (event->outage.flow, ==, link);
    assert_near (event->outage.since - begin, 15 * FASP_SEC,
        15 * FASP_SEC + FASP_FLOW_AGAIN_MAX + 2 * RTT);
    assert_near (event->outage.gone, 10 * FASP_SEC - c->notice,
        10 * FASP_SEC + FASP_FLOW_AGAIN_MAX + 2 * RTT + FASP_FLOW_QUIET);
    g_assert_true (vstream_run (stream));
    assert_notified (stream, c->side, 1, 1);
  }
}

/* What does not last, and what concerns all of them, is not told of one. */
static void
test_not_notified (gconstpointer data)
{
  gboolean all = data != NULL;

  for (guint seed = 1; seed <= 6; seed++) {
    g_autoptr (Vnet) net = vnet_new (seed);
    g_autoptr (Vstream) stream = start (net, 3, 2000000);

    for (guint side = 0; side < SIDES; side++) {
      for (guint link = 0; all && link < 3; link++)
        black_out (net, link, side, 0, 5 * FASP_SEC, 15 * FASP_SEC);
      for (guint n = 0; !all && n < 3; n++)
        black_out (net, 1, side, n, (5 + 3 * n) * FASP_SEC, (6 + 3 * n) * FASP_SEC);
    }
    g_assert_true (vstream_run (stream));
    for (guint side = 0; side < SIDES; side++) {
      assert_notified (stream, side, 0, 0);
      g_assert_cmpuint (stream->events[FASP_EVENT_INTERRUPTED][side], ==, all);
    }
  }
}

/* One that never carried is told of, too. */
static void
test_never (void)
{
  g_autoptr (Vnet) net = vnet_new (1);
  g_autoptr (Vstream) stream = start (net, 3, 2000000);

  black_out (net, 2, VNET_A, 0, 0, 100 * FASP_SEC);
  black_out (net, 2, VNET_B, 0, 0, 100 * FASP_SEC);
  vstream_run_until (stream, FASP_OUTAGE_DELAY + 2 * RTT + HEAR);
  for (guint side = 0; side < SIDES; side++) {
    assert_notified (stream, side, 1, 0);
    g_assert_cmpuint (stream->outage[side].outage.flow, ==, 2);
    g_assert_cmpuint (stream->outage[side].address.socket, ==, 2);
    g_assert_nonnull (strstr (stream->outage[side].text, "no peer"));
  }
  /* who was called does not know where the other end is */
  g_assert_cmpuint (stream->outage[VNET_B].address.len, ==, 0);
  g_assert_true (vstream_run (stream));
}

/* However many there are, and however often, the application is not flooded; and of what it hears
 * it hears the end. */
static void
test_many (void)
{
  g_autoptr (Vnet) net = vnet_new (1);
  g_autoptr (Vstream) stream = start (net, FASP_FLOWS_MAX, 2000000);
  guint out;

  for (guint side = 0; side < SIDES; side++)
    for (guint link = 1; link < FASP_FLOWS_MAX; link++)
      for (guint n = 0; n < 3; n++)
        black_out (net, link, side, n, (3 + 8 * n) * FASP_SEC, (7 + 8 * n) * FASP_SEC);
  g_assert_true (vstream_run (stream));
  for (guint side = 0; side < SIDES; side++) {
    out = stream->events[FASP_EVENT_FLOW_OUT][side];
    /* 63 at first, and then what 24 s allow */
    g_assert_cmpuint (out, >=, FASP_OUTAGE_BURST);
    g_assert_cmpuint (out, <=, FASP_OUTAGE_BURST + 24 * FASP_SEC / FASP_OUTAGE_EVERY);
    assert_notified (stream, side, out, out);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  vcases_add ("/outage/notified", cases, sizeof *cases, G_N_ELEMENTS (cases), test_notified);
  g_test_add_data_func ("/outage/not-notified/flicker", NULL, test_not_notified);
  g_test_add_data_func ("/outage/not-notified/all", "all", test_not_notified);
  g_test_add_func ("/outage/never", test_never);
  g_test_add_func ("/outage/many", test_many);
  return g_test_run ();
}
