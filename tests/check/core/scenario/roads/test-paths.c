/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two paths that differ in rate and delay: both are used, one that is dark costs nothing that was
 * in flight there, and is used again soon.
 */
#include "faspcredentials.h"
#include "roadfigures.h"
#include "vstream.h"
#include "vtraffic.h"

#define MBIT 1000000
#define QUEUE 150000
#define START FASP_SEC

/* --- a live stream -------------------------------------------------------------------- */

typedef struct
{
  Vtraffic *traffic;
  Vlive *live;
  Capacity *capacities[2];
  Bottleneck *links[2];
} Road;

/* @most: of the encoder, bit/s. */
static VliveConfig
configure (guint64 most, FaspTime seconds)
{
  VliveConfig c;

  vlive_config_init (&c);
  c.control = FASP_RATE_CONTROL_ADAPTIVE;
  c.seed = 1;
  c.latency_ms = 1000;
  c.start = START;
  c.end = START + seconds * FASP_SEC;
  c.most = most;
  c.n_paths = 2;
  c.paths[0].delay = 10 * FASP_MSEC;
  c.paths[1].delay = 40 * FASP_MSEC;
  return c;
}

/* Paths of 5 and 15 Mbit/s. */
static void
begin (Road *road, VliveConfig *c)
{
  static const guint64 rates[] = { 5 * MBIT, 15 * MBIT };

  road->traffic = vtraffic_new ();
  for (guint i = 0; i < 2; i++) {
    road->capacities[i] = capacity_new_rate (rates[i]);
    road->links[i] = bottleneck_new (road->capacities[i], QUEUE);
    vtraffic_add_bottleneck (road->traffic, road->links[i]);
    c->paths[i].there[0] = road->links[i];
  }
  road->live = vlive_new (c);
  vtraffic_add_live (road->traffic, road->live);
}

/* Round trips of 20 and 80 ms; the second path loses a share.  One of them is dark for a time. */
static void
set_up (Road *road, guint64 most, gdouble loss, FaspTime seconds, guint dark_path, FaspTime dark,
    FaspTime dark_end)
{
  VliveConfig c = configure (most, seconds);

  c.paths[1].loss = loss;
  c.paths[dark_path].dark = dark;
  c.paths[dark_path].dark_end = dark_end;
  begin (road, &c);
}

static guint64
get_bytes (const Road *road, guint path)
{
  return bottleneck_get_counters (road->links[path])->bytes;
}

/* At least four fifths of what both carry, once both rates are found. */
static void
test_both (void)
{
  RoadFigures figures;
  guint64 from[2];
  Road road;

  set_up (&road, 30 * MBIT, 0, 40, 0, 0, 0);
  vtraffic_run (road.traffic, START + 10 * FASP_SEC);
  for (guint i = 0; i < 2; i++)
    from[i] = get_bytes (&road, i);
  vtraffic_run (road.traffic, START + 40 * FASP_SEC);
  g_assert_cmpuint (get_bytes (&road, 0) - from[0], >, 5 * MBIT / 8 * 30 * 7 / 10);
  g_assert_cmpuint (get_bytes (&road, 1) - from[1], >, 15 * MBIT / 8 * 30 * 7 / 10);
  g_assert_cmpuint (get_bytes (&road, 0) - from[0] + get_bytes (&road, 1) - from[1], >,
      20 * MBIT / 8 * 30 * 8 / 10);
  vtraffic_run (road.traffic, START + 50 * FASP_SEC);
  road_figures (road.live, &figures);
  g_assert_cmpfloat (figures.lost, ==, 0);
  vtraffic_free (road.traffic);
}

/* Whichever is dark for 8 s: all arrives, and it carries again within 3 s. */
static void
test_dark (gconstpointer data)
{
  guint path = GPOINTER_TO_UINT (data);
  FaspTime dark = START + 15 * FASP_SEC, end = dark + 8 * FASP_SEC;
  RoadFigures figures;
  guint64 before;
  Road road;

  set_up (&road, 30 * MBIT, 0, 35, path, dark, end);
  vtraffic_run (road.traffic, end + 2 * FASP_SEC);
  before = get_bytes (&road, path);
  vtraffic_run (road.traffic, end + 3 * FASP_SEC);
  g_assert_cmpuint (get_bytes (&road, path) - before, >, (path == 0 ? 5 : 15) * MBIT / 8 / 10);
  vtraffic_run (road.traffic, START + 60 * FASP_SEC);
  road_figures (road.live, &figures);
  g_assert_cmpfloat (figures.lost, ==, 0);
  vtraffic_free (road.traffic);
}

/* The slower path is dark, and the other one stalls: it is all there is, so nothing is sent into
 * the dark, and the stall ends as it would with one path. */
static void
test_last (void)
{
  FaspTime dark = START + 10 * FASP_SEC, end = dark + 10 * FASP_SEC, stall = dark + 4 * FASP_SEC;
  guint64 before;
  Road road;

  set_up (&road, 2 * MBIT, 0, 30, 1, dark, end);
  capacity_add_step (road.capacities[0], stall, 1);
  capacity_add_step (road.capacities[0], stall + 500 * FASP_MSEC, 5 * MBIT);
  vtraffic_run (road.traffic, stall);
  before = get_bytes (&road, 1);
  vtraffic_run (road.traffic, end);
  g_assert_cmpuint (get_bytes (&road, 1) - before, <, 5000);
  vtraffic_free (road.traffic);
}

/* The quicker path carries all of it, and the other one, lossy, next to nothing; when the quicker
 * one is dark the other one takes over at once. */
static void
test_turns (void)
{
  FaspTime dark = START + 15 * FASP_SEC, end = dark + 8 * FASP_SEC;
  RoadFigures figures;
  guint64 before;
  Road road;

  set_up (&road, 2 * MBIT, .05, 30, 0, dark, end);
  vtraffic_run (road.traffic, dark);
  before = get_bytes (&road, 1);
  vtraffic_run (road.traffic, end);
  g_assert_cmpuint (get_bytes (&road, 1) - before, >, 8 * MBIT / 8);
  vtraffic_run (road.traffic, START + 60 * FASP_SEC);
  road_figures (road.live, &figures);
  g_assert_cmpfloat (figures.lost, ==, 0);
  g_assert_cmpfloat (figures.most, <, .4);
  vtraffic_free (road.traffic);
}

/* Both pause for 0.1 s now and then, as mobile links do: neither is taken for dead, so both are
 * used. */
static void
test_pauses (void)
{
  FaspTime end = START + 40 * FASP_SEC;
  RoadFigures figures;
  Road road;

  set_up (&road, 30 * MBIT, 0, 40, 0, 0, 0);
  for (guint i = 0; i < 2; i++)
    for (FaspTime at = START + (2 + i) * FASP_SEC; at < end; at += (7 + 4 * i) * FASP_SEC / 10) {
      capacity_add_step (road.capacities[i], at, 1);
      capacity_add_step (road.capacities[i], at + 110 * FASP_MSEC, (i == 0 ? 5 : 15) * MBIT);
    }
  vtraffic_run (road.traffic, end + 10 * FASP_SEC);
  road_figures (road.live, &figures);
  g_assert_cmpfloat (figures.used, >, .65);
  g_assert_cmpfloat (figures.late04, <, .01);
  vtraffic_free (road.traffic);
}

/* A report on the slower path takes longer than half of the latency: what is under way there is
 * awaited, and not sent again on the other path, which is narrow. */
static void
test_far (void)
{
  VliveConfig c = configure (15 * MBIT, 40);
  RoadFigures figures;
  Road road;

  c.latency_ms = 200;
  c.paths[1].delay = 120 * FASP_MSEC;
  begin (&road, &c);
  vtraffic_run (road.traffic, c.end + 10 * FASP_SEC);
  road_figures (road.live, &figures);
  g_assert_cmpfloat (figures.used, >, .5);
  g_assert_cmpfloat (figures.late04, <, .01);
  vtraffic_free (road.traffic);
}

/* The slow path stalls for a moment, while a queue stands on the other one, which has next to no
 * capacity: once the slow path is back, that queue holds up nothing. */
static void
test_excess (void)
{
  FaspTime fade = START + 10 * FASP_SEC, back = fade + 1500 * FASP_MSEC;
  Road road;

  set_up (&road, 30 * MBIT, 0, 30, 0, 0, 0);
  capacity_add_step (road.capacities[0], fade, 1);
  capacity_add_step (road.capacities[0], back, 5 * MBIT);
  capacity_add_step (road.capacities[1], fade, MBIT / 5);
  vtraffic_run (road.traffic, back + FASP_SEC);
  g_assert_cmpuint (vlive_get_announced (road.live), >, 5 * MBIT / 2);
  vtraffic_free (road.traffic);
}

/* --- a stream of a given rate ---------------------------------------------------------- */

typedef struct
{
  guint rtx[2];  /* datagrams with a retransmission, by path */
  guint left[2]; /* all datagrams */
} Tally;

/* What goes from A to B, in the clear. */
static void
on_datagram (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  Tally *tally = data;
  FaspSessionHeader header;
  FaspFeedback feedback;
  gchar text[FASP_TEXT_MAX + 1];
  FaspFrame frame = { .feedback = &feedback, .text = text };
  FaspReader r = { 0 };

  if (from != VNET_A || !fasp_wire_parse_session (bytes, size, &header) || header.flow > 1)
    return;
  tally->left[header.flow]++;
  r.data = bytes + FASP_SESSION_HEADER;
  r.left = size - FASP_SESSION_HEADER - fasp_cipher_get_tag_size (FASP_CIPHER_NONE);
  while (fasp_wire_next_frame (&r, &frame))
    if (frame.type == FASP_FRAME_DATA)
      tally->rtx[header.flow] += frame.data.round > 0 && frame.data.copy == 0;
}

static Vstream *
start (Vnet *net, guint64 bitrate, guint64 max, const FaspAddress *other, FaspAssignment assignment)
{
  FaspCredentials *clear = fasp_credentials_new ();
  VstreamConfig config;
  Vstream *stream;

  vstream_config_init (&config);
  config.bitrate = bitrate;
  config.channel = max;
  config.lead = FASP_SEC;
  config.duration = 20 * FASP_SEC;
  fasp_credentials_set_cipher (clear, FASP_CIPHER_NONE);
  config.sender.flows = config.receiver.flows = 2;
  config.sender.flowlets = config.receiver.flowlets = 1;
  config.sender.credentials = config.receiver.credentials = clear;
  config.sender.others = other;
  config.sender.rate_control = FASP_RATE_CONTROL_ADAPTIVE;
  config.sender.assignment = assignment;
  stream = vstream_new (net, &config);
  fasp_credentials_unref (clear);
  return stream;
}

/* Both carry the stream, whatever is lost; what is lost goes again on the quicker one. */
static void
test_retransmissions (void)
{
  g_autoptr (Vnet) net = vnet_new (1);
  FaspAddress other = vnet_get_address (VNET_B);
  Tally tally = { 0 };
  g_autoptr (Vstream) stream = NULL;

  fasp_address_add_port (&other, 1);
  vnet_set_path (net, 20 * FASP_MSEC, (gdouble[]) { .01, 0 }, (gdouble[]) { 0, 0 }, 5 * MBIT);
  for (guint side = 0; side < 2; side++)
    vnet_get_link_wire (net, side, !side, 1)->delay = 40 * FASP_MSEC;
  vnet_set_tap (net, on_datagram, &tally);
  stream = start (net, 6 * MBIT, 0, &other, FASP_ASSIGNMENT_RANDOM);
  g_assert_true (vstream_run (stream));
  g_assert_cmpuint (tally.left[1], >, 1000);
  g_assert_cmpuint (tally.rtx[0], >, 50);
  g_assert_cmpuint (tally.rtx[0], >, 9 * tally.rtx[1]);
}

/* Nothing comes back on the quicker path: what is told on the other one is enough. */
static void
test_back (void)
{
  g_autoptr (Vnet) net = vnet_new (1);
  FaspAddress other = vnet_get_address (VNET_B);
  ImpairConfig *back;
  g_autoptr (Vstream) stream = NULL;

  fasp_address_add_port (&other, 1);
  vnet_set_path (net, 20 * FASP_MSEC, (gdouble[]) { .01, 0 }, (gdouble[]) { 0, 0 }, 8 * MBIT);
  vnet_get_link_wire (net, VNET_A, VNET_B, 1)->delay = 40 * FASP_MSEC;
  back = vnet_get_link_wire (net, VNET_B, VNET_A, 0);
  impair_black_out (back, vnet_get_time (net) + 8 * FASP_SEC, 8 * FASP_SEC);
  stream = start (net, 4 * MBIT, 0, &other, FASP_ASSIGNMENT_RANDOM);
  g_assert_true (vstream_run (stream));
  g_assert_cmpint (fasp_hist_percentile (fasp_endpoint_get_lateness (stream->receiver, TRUE), 1), <,
      250 * FASP_MSEC);
}

/* In no second does more leave than max-bitrate allows, on both together, though each could carry
 * all of it. */
static void
test_most (void)
{
  g_autoptr (Vnet) net = vnet_new (1);
  FaspAddress other = vnet_get_address (VNET_B);
  guint64 before = 0;
  g_autoptr (Vstream) stream = NULL;

  fasp_address_add_port (&other, 1);
  vnet_set_path (net, 20 * FASP_MSEC, (gdouble[]) { 0, 0 }, (gdouble[]) { 0, 0 }, 40 * MBIT);
  vnet_get_link_wire (net, VNET_A, VNET_B, 1)->delay = 40 * FASP_MSEC;
  stream = start (net, 30 * MBIT, 12 * MBIT, &other, FASP_ASSIGNMENT_RANDOM);
  for (FaspTime now = 2 * FASP_SEC; now < 12 * FASP_SEC; now += FASP_SEC) {
    guint64 bytes;

    vstream_run_until (stream, now);
    bytes = stream->sender_stats.sent.wire_bytes;
    if (before > 0)
      g_assert_cmpuint (bytes - before, <=, 12 * MBIT / 8 + 8192);
    if (now > 6 * FASP_SEC)
      g_assert_cmpuint (bytes - before, >, 12 * MBIT / 8 * 9 / 10);
    before = bytes;
  }
}

/* How long what is in flight on a path takes to leave at its rate, beyond a round trip; µs. */
static FaspTime
get_ahead (const Vstream *stream, FaspTime now, guint n)
{
  FaspPathStats paths[2];

  if (fasp_endpoint_get_paths (stream->sender, now, stream->sender_stats.session, paths, 2) < 2
      || paths[n].rate == 0)
    return 0;
  return paths[n].bytes_in_flight * 8. * FASP_SEC / paths[n].rate - paths[n].rtt_min;
}

/* Each block goes on both, and one of them carries a third of it, or is dark for a time: what has
 * no room there does not leave, and holds up nothing. */
static void
test_copies (gconstpointer dark)
{
  g_autoptr (Vnet) net = vnet_new (1);
  FaspAddress other = vnet_get_address (VNET_B);
  FaspTime most = 0;
  const FaspSentStats *sent;
  ImpairConfig *there;
  g_autoptr (Vstream) stream = NULL;

  fasp_address_add_port (&other, 1);
  vnet_set_path (net, 20 * FASP_MSEC, (gdouble[]) { 0, 0 }, (gdouble[]) { 0, 0 }, 10 * MBIT);
  there = vnet_get_link_wire (net, VNET_A, VNET_B, 1);
  if (dark != NULL) {
    impair_black_out (there, vnet_get_time (net) + 8 * FASP_SEC, 4 * FASP_SEC);
  } else {
    there->rate = MBIT;
  }
  stream = start (net, 3 * MBIT, 0, &other, FASP_ASSIGNMENT_DUPLICATE);
  for (FaspTime now = 4 * FASP_SEC; now < 20 * FASP_SEC; now += 50 * FASP_MSEC) {
    vstream_run_until (stream, now);
    most = MAX (most, get_ahead (stream, vnet_get_time (net), 1));
  }
  g_assert_true (vstream_run (stream));
  g_assert_cmpint (most, <, 150 * FASP_MSEC);
  g_assert_cmpint (fasp_hist_percentile (fasp_endpoint_get_lateness (stream->receiver, TRUE), 1), <,
      50 * FASP_MSEC);
  sent = &stream->sender_stats.sent;
  g_assert_cmpuint (sent->doubled, >, sent->blocks / 5);
  if (dark == NULL)
    g_assert_cmpuint (sent->not_doubled, >, sent->blocks / 2);
  else
    g_assert_cmpuint (sent->not_doubled, ==, 0);
}

/* A backlog that grew while the rates were being found drains, although it is soon so old that what
 * takes the slower path comes too late. */
static void
test_drains (void)
{
  VliveConfig c = configure (2670000, 40);
  RoadFigures figures;
  Road road;

  c.latency_ms = 400;
  c.max = 3 * MBIT;
  c.begin = c.most;
  c.steady = TRUE;
  c.paths[0].delay = 20 * FASP_MSEC;
  c.paths[1].delay = 120 * FASP_MSEC;
  begin (&road, &c);
  for (guint i = 0; i < 2; i++)
    capacity_add_step (road.capacities[i], START / 2, 2 * MBIT);
  vtraffic_run (road.traffic, START + 50 * FASP_SEC);
  road_figures (road.live, &figures);
  g_test_message ("%.4f later than 0.4 s", figures.late04);
  g_assert_cmpfloat (figures.lost, ==, 0);
  g_assert_cmpfloat (figures.late04, <, .05);
  vtraffic_free (road.traffic);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/paths/both", test_both);
  g_test_add_data_func ("/paths/dark/slow", GUINT_TO_POINTER (0), test_dark);
  g_test_add_data_func ("/paths/dark/fast", GUINT_TO_POINTER (1), test_dark);
  g_test_add_func ("/paths/drains", test_drains);
  g_test_add_func ("/paths/pauses", test_pauses);
  g_test_add_func ("/paths/far", test_far);
  g_test_add_func ("/paths/excess", test_excess);
  g_test_add_func ("/paths/turns", test_turns);
  g_test_add_func ("/paths/last", test_last);
  g_test_add_func ("/paths/retransmissions", test_retransmissions);
  g_test_add_func ("/paths/back", test_back);
  g_test_add_data_func ("/paths/copies/slow", NULL, test_copies);
  g_test_add_data_func ("/paths/copies/dark", "", test_copies);
  g_test_add_func ("/paths/most", test_most);
  return g_test_run ();
}
