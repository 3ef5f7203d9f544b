/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a session tells its controller: whether it had nothing to send, though the rate allowed it.
 */
#include "faspendpointbase.h"
#include "vcast.h"

#define RATE 8000000
#define FAST 100000000              /* new blocks wait for their turn at high rates only */
#define BURST (RATE / 8 / 1000 * 8) /* takes 8 ms, */
#define EVERY (10 * FASP_MSEC)
#define SELDOM (50 * FASP_MSEC)
#define ROUNDS 200

/* A controller that looks at that whenever it is asked for the rate. */
typedef struct
{
  FaspRateClass class;
  const FaspEndpoint *sender;
  FaspTime written; /* when the last burst was */
  guint looked, wrong;
} Probe;

static Probe probe;

static void
report (FaspRate *rate, const FaspRateFeedback *report)
{
}

static guint64
get (FaspRate *rate, FaspTime now, guint64 sent, FaspTime *until)
{
  /* all has left by then */
  if (now > probe.written + EVERY && now < probe.written + SELDOM) {
    probe.looked++;
    probe.wrong += !fasp_rate_was_dry (rate, now);
  }
  *until = now + FASP_MSEC / 2;
  return RATE;
}

/* A sender at A with so many receivers, all connected, at a constant rate. */
static VCast *
setup (guint receivers, guint64 rate)
{
  VCast *n = vcast_new (3);

  n->sender.rate_control = FASP_RATE_CONTROL_ADAPTIVE;
  n->sender.settings.min_bitrate = n->sender.settings.max_bitrate = rate;
  n->bitrate = rate / 10;
  vcast_join (n, VNET_A, VNET_B);
  for (guint i = 0; i < receivers; i++)
    vcast_join (n, VNET_B + i, VNET_A);
  vcast_run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].endpoint->sessions->len, ==, receivers);
  return n;
}

static FaspRate *
get_rate (VCast *n, guint i)
{
  return fasp_endpoint_nth (n->nodes[VNET_A].endpoint, i)->paths.list[0].rate;
}

static void
write_burst (VCast *n, gsize size)
{
  FaspTime now = vnet_get_time (n->net);
  g_autofree guint8 *data = g_malloc0 (size);

  g_assert_cmpuint (fasp_endpoint_write (n->nodes[VNET_A].endpoint, now, now, data, size, NULL), ==,
      size);
}

/* Runs for @time, and reads what comes. */
static void
run (VCast *n, FaspTime time)
{
  FaspRead read;

  vnet_run_for (n->net, time);
  for (guint i = VNET_B; i < VNET_NODES && n->nodes[i].endpoint != NULL; i++)
    while (fasp_endpoint_read (n->nodes[i].endpoint, vnet_get_time (n->net), &read))
      fasp_block_unref (read.block);
}

/* A source that writes less than the rate allows, and all of it at once.  Between what it writes
 * nothing wakes the session. */
static void
test_bursts (void)
{
  g_autoptr (VCast) n = setup (1, RATE);
  FaspRate *rate = get_rate (n, 0);

  for (guint i = 0; i < ROUNDS; i++) {
    FaspTime now = vnet_get_time (n->net);

    write_burst (n, BURST);
    run (n, 4 * FASP_MSEC);
    g_assert_true (fasp_rate_was_dry (rate, now));
    /* it has something then */
    g_assert_false (fasp_rate_was_dry (rate, now + 3 * FASP_MSEC));
    run (n, EVERY - 4 * FASP_MSEC);
  }
}

/* The controller asks at the end of a pulse. */
static void
test_asked (void)
{
  g_autoptr (VCast) n = setup (1, RATE);
  FaspRate *rate = get_rate (n, 0);

  probe = (Probe) { .class = *rate->class };
  probe.class.get = get;
  probe.class.feedback = report;
  rate->class = &probe.class;
  for (guint i = 0; i < ROUNDS; i++) {
    probe.written = vnet_get_time (n->net);
    write_burst (n, BURST);
    run (n, SELDOM);
  }
  g_test_message ("%u of %u wrong", probe.wrong, probe.looked);
  g_assert_cmpuint (probe.looked, >, ROUNDS / 2);
  g_assert_cmpuint (probe.wrong, ==, 0);
}

/* There is always something, but with several receivers new blocks wait for their turn. */
static void
test_turns (void)
{
  g_autoptr (VCast) n = setup (VNET_NODES - 1, FAST);
  FaspTime from;

  write_burst (n, FAST / 8 / 20);
  run (n, EVERY);
  from = vnet_get_time (n->net);
  for (guint i = 0; i < ROUNDS; i++) {
    write_burst (n, FAST / 8 / 100);
    run (n, EVERY);
  }
  for (guint i = 0; i < VNET_NODES - 1; i++)
    g_assert_false (fasp_rate_was_dry (get_rate (n, i), from));
}

/* What waits for the window, and not for the rate, is something to send. */
static void
test_window (void)
{
  g_autoptr (VCast) n = setup (1, FAST);
  FaspRate *rate = get_rate (n, 0);
  FaspTime from;

  probe = (Probe) { .class = *rate->class };
  probe.class.get = get;
  probe.class.feedback = report;
  rate->class = &probe.class;
  rate->window = 30000; /* in a round trip of 100 ms, that is 2.4 Mbit/s */
  write_burst (n, FAST / 8 / 20);
  run (n, EVERY);
  from = vnet_get_time (n->net);
  for (guint i = 0; i < ROUNDS; i++) {
    write_burst (n, RATE / 8 / 100);
    run (n, EVERY);
  }
  g_assert_false (fasp_rate_was_dry (rate, from));
}

/* A receiver that never says when packets arrived gets the first rate all the same. */
static void
test_no_timestamps (void)
{
  g_autoptr (VCast) n = vcast_new (3);

  n->sender.rate_control = FASP_RATE_CONTROL_ADAPTIVE;
  vcast_begin (n, VNET_B);
  while (n->nodes[VNET_B].endpoint->sessions->len == 0)
    vnet_run_for (n->net, FASP_MSEC);
  fasp_endpoint_nth (n->nodes[VNET_B].endpoint, 0)->terms.sends_timestamps = FALSE;
  n->bitrate = FASP_RATE_FIRST / 2;
  vcast_run (n, 10 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].read * 8, >, 9 * n->bitrate);
  g_assert_cmpuint (get_rate (n, 0)->rate, ==, FASP_RATE_FIRST);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dry/bursts", test_bursts);
  g_test_add_func ("/dry/asked", test_asked);
  g_test_add_func ("/dry/turns", test_turns);
  g_test_add_func ("/dry/window", test_window);
  g_test_add_func ("/dry/no-timestamps", test_no_timestamps);
  return g_test_run ();
}
