/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * max-total-bitrate: what a sink sends to all its receivers, and who has how much of it where that
 * is not enough for all.
 */
#include "vplay.h"

#define BITRATE 4000000
#define STEP (10 * FASP_MSEC)
/* The most that a record may be late beside 200 sessions: 10 ms for the turns of so many
 * (FASP_SCHEDULER_QUANTUM_MAX), two bursts of 8 kB at 12 Mbit/s, one that has left and one that
 * others may be ahead, and what is written in a step, at half of that rate. */
#define LATE (28 * FASP_MSEC)

/* What the strangers say. */
typedef enum
{
  TAKING,  /* each acknowledges all that was sent to it */
  NOTHING, /* FEEDBACK that acknowledges nothing */
} What;

static VPlay *
play_new (guint64 total, guint lanes)
{
  VPlay *play = vplay_new (FASP_ROLE_SENDER);

  play->config.settings.max_bitrate = 2 * BITRATE;
  play->config.settings.max_total_bitrate = total;
  play->config.buffer_size = 1 << 20; /* 2 s */
  play->config.lanes = lanes;
  vplay_begin (play);
  return play;
}

/* @n more strangers, in turn of so many @networks. */
static void
add_strangers (VPlay *play, guint n, guint networks)
{
  for (guint i = 0; i < n; i++) {
    FaspAddress at = vplay_get_address (1 + i % networks);

    g_assert_true (vplay_let_in (play, vplay_add_stranger (play, &at, FASP_ROLE_RECEIVER)));
  }
}

/* The stream flows, and each stranger speaks @every so often. */
static void
stream (VPlay *play, What what, FaspTime time, guint64 bitrate)
{
  const guint every = 5; /* steps */

  for (guint t = 0; t < time / STEP; t++) {
    for (guint i = t % every; i < play->strangers->len; i += every) {
      VStranger *stranger = g_ptr_array_index (play->strangers, i);
      FaspFeedback nothing =
          vplay_make_feedback (1 + stranger->pn, stranger->agreement.hello.start);

      if (what == TAKING)
        vplay_say_acknowledged (play, stranger);
      else
        vplay_say_feedback (play, stranger, &nothing);
    }
    vplay_stream (play, STEP, bitrate);
  }
}

/* All that the sink has sent so far, bytes with IP headers. */
static guint64
count_sent (VPlay *play)
{
  return vnet_get_counters (play->net, VNET_A, VNET_B)->bytes
      + vnet_get_counters (play->net, VNET_A, VNET_C)->bytes;
}

static guint64
get_got (const VPlay *play, guint i)
{
  return ((VStranger *) g_ptr_array_index (play->strangers, i))->got;
}

static guint64
sum_got (const VPlay *play)
{
  guint64 sum = 0;

  for (guint i = 0; i < play->strangers->len; i++)
    sum += get_got (play, i);
  return sum;
}

/* Twenty receivers want four times as much as there is: each second has that much, and no more. */
static void
test_held (gconstpointer data)
{
  const guint64 total = 20000000;
  g_autoptr (VPlay) play = play_new (total, GPOINTER_TO_UINT (data));

  add_strangers (play, 20, 20);
  stream (play, TAKING, 2 * FASP_SEC, BITRATE);
  for (guint i = 0; i < 10; i++) {
    guint64 before = count_sent (play);

    stream (play, TAKING, FASP_SEC, BITRATE);
    g_test_message ("%" G_GUINT64_FORMAT " bytes", count_sent (play) - before);
    g_assert_cmpuint (count_sent (play) - before, <=, total / 8 * 101 / 100);
    g_assert_cmpuint (count_sent (play) - before, >=, total / 8 * 99 / 100);
  }
}

/* A peer may ask for as many answers as it likes: they are its share of the total, and the stream
 * of the other one flows. */
static void
test_pings (void)
{
  const guint64 total = 3 * BITRATE;
  g_autoptr (VPlay) play = play_new (total, 1);
  guint64 read, before;

  vplay_add_good (play, 20 * FASP_MSEC, 300);
  vplay_stream (play, FASP_SEC, BITRATE);
  add_strangers (play, 6, 1);
  stream (play, TAKING, FASP_SEC, BITRATE);
  read = play->read;
  before = count_sent (play);
  for (guint t = 0; t < 5 * FASP_SEC / STEP; t++) {
    for (guint i = 0; i < 200 * play->strangers->len; i++) {
      guint8 ping[16];
      FaspWriter w = { ping, sizeof ping };

      fasp_wire_write_number (&w, FASP_FRAME_PING, i);
      vplay_say (play, g_ptr_array_index (play->strangers, i % play->strangers->len), &w);
    }
    stream (play, TAKING, STEP, BITRATE);
  }
  g_test_message ("%" G_GUINT64_FORMAT " bytes, the good one read %" G_GUINT64_FORMAT,
      count_sent (play) - before, play->read - read);
  g_assert_cmpuint (count_sent (play) - before, <=, 5 * total / 8 * 101 / 100);
  g_assert_cmpuint (play->read - read, >=, (guint64) 5 * BITRATE / 8 * 99 / 100);
}

/* It is changed while the stream flows, and taken back. */
static void
test_changed (void)
{
  g_autoptr (VPlay) play = play_new (0, 1);
  guint64 before;

  add_strangers (play, 10, 10);
  stream (play, TAKING, FASP_SEC, BITRATE);
  before = count_sent (play);
  stream (play, TAKING, FASP_SEC, BITRATE);
  g_assert_cmpuint (count_sent (play) - before, >, (guint64) 10 * BITRATE / 8);
  vnet_configure (play->sink, vnet_get_time (play->net), max_total_bitrate, 3 * BITRATE);
  stream (play, TAKING, FASP_SEC, BITRATE);
  before = count_sent (play);
  stream (play, TAKING, FASP_SEC, BITRATE);
  g_assert_cmpuint (count_sent (play) - before, <=, (guint64) 3 * BITRATE / 8 * 101 / 100);
  vnet_configure (play->sink, vnet_get_time (play->net), max_total_bitrate, 0);
  stream (play, TAKING, FASP_SEC, BITRATE);
  before = count_sent (play);
  stream (play, TAKING, FASP_SEC, BITRATE);
  g_assert_cmpuint (count_sent (play) - before, >, (guint64) 10 * BITRATE / 8);
}

/* Two hundred of one address, and an honest receiver of another one, where there is three times the
 * stream. */
static void
play_beside (What what, guint lanes)
{
  g_autoptr (VPlay) play = play_new (3 * BITRATE, lanes);
  const FaspSession *session;
  guint64 before;

  vplay_add_good (play, 20 * FASP_MSEC, 300);
  vplay_stream (play, FASP_SEC, BITRATE);
  vnet_run_for (play->net, FASP_SEC);
  vplay_stream (play, STEP, 0);
  play->written = play->read = 0; /* it joined in the middle */
  add_strangers (play, 200, 1);
  before = count_sent (play);
  stream (play, what, 10 * FASP_SEC, BITRATE);
  g_assert_cmpuint (count_sent (play) - before, <=, (guint64) 10 * 3 * BITRATE / 8 * 101 / 100);
  vnet_run_for (play->net, FASP_SEC);
  vplay_stream (play, STEP, 0);
  g_assert_cmpuint (play->good->sessions->len, ==, 1);
  session = fasp_endpoint_nth (play->good, 0);
  g_test_message ("latest %" G_GINT64_FORMAT " us; %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                  " bytes; the others %" G_GUINT64_FORMAT,
      fasp_rx_view (session->rx)->late.lateness.max, play->read, play->written, sum_got (play));
  g_assert_cmpuint (play->read, ==, play->written);
  g_assert_cmpint (fasp_rx_view (session->rx)->late.lateness.max, <, LATE);
  if (what == TAKING) /* nothing is left unused */
    g_assert_cmpuint (sum_got (play), >, (guint64) 10 * BITRATE / 8 * 3 / 2);
}

static void
test_beside (gconstpointer data)
{
  play_beside (GPOINTER_TO_INT (data), 1);
}

static void
test_beside_lanes (gconstpointer data)
{
  play_beside (GPOINTER_TO_INT (data), 4);
}

/* Ten of one network and two of others, each alone: it goes by network first, then by session. */
static void
test_shares (void)
{
  const guint64 total = 6000000;
  g_autoptr (VPlay) play = play_new (total, 1);
  guint64 before[12], third = total / 8 * 10 / 3;

  for (guint i = 0; i < 12; i++) {
    FaspAddress at = vplay_get_address (i < 10 ? 1 : i);

    g_assert_true (vplay_let_in (play, vplay_add_stranger (play, &at, FASP_ROLE_RECEIVER)));
  }
  stream (play, TAKING, 2 * FASP_SEC, BITRATE);
  for (guint i = 0; i < 12; i++)
    before[i] = get_got (play, i);
  stream (play, TAKING, 10 * FASP_SEC, BITRATE);
  for (guint i = 0; i < 12; i++) {
    guint64 got = get_got (play, i) - before[i], fair = i < 10 ? third / 10 : third;

    g_test_message ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, got, fair);
    g_assert_cmpuint (got, >, fair * 95 / 100);
    g_assert_cmpuint (got, <, fair * 105 / 100);
  }
}

/* An encoder is offered what the total has for each that takes the stream. */
static void
test_encoder (void)
{
  g_autoptr (VPlay) play = play_new (10 * BITRATE, 1);
  guint64 alone, many;

  add_strangers (play, 1, 1);
  stream (play, TAKING, FASP_SEC, BITRATE);
  alone = fasp_endpoint_get_available_bitrate (play->sink);
  g_assert_cmpuint (alone, >, BITRATE * 3 / 2);
  add_strangers (play, 19, 19);
  stream (play, TAKING, 3 * FASP_SEC, BITRATE / 4);
  many = fasp_endpoint_get_available_bitrate (play->sink);
  g_test_message ("%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT, alone, many);
  g_assert_cmpuint (many, <, BITRATE / 2);
  g_assert_cmpuint (many, >, BITRATE * 2 / 5);
  /* those that acknowledge nothing do not count */
  add_strangers (play, 100, 1);
  for (guint i = 0; i < 200; i++) {
    for (guint n = i % 5; n < 20; n += 5)
      vplay_say_acknowledged (play, g_ptr_array_index (play->strangers, n));
    vplay_stream (play, STEP, BITRATE / 4);
  }
  g_assert_cmpuint (fasp_endpoint_get_available_bitrate (play->sink), >, BITRATE * 2 / 5);
}

/* A rate controller does not take the wait for the total for what the path carries. */
static void
test_controller (void)
{
  g_autoptr (VPlay) play = vplay_new (FASP_ROLE_SENDER);
  ImpairConfig *wire = vnet_get_wire (play->net, VNET_A, VNET_B);
  FaspSession *session;
  guint64 before, least, most;

  play->config.settings.max_bitrate = 0;
  play->config.rate_control = FASP_RATE_CONTROL_ADAPTIVE;
  play->config.buffer_size = 1 << 20;
  vplay_begin (play);
  wire->rate = BITRATE;
  vplay_add_good (play, 40 * FASP_MSEC, 300);
  vplay_stream (play, 3 * FASP_SEC, 5 * BITRATE);
  session = fasp_endpoint_nth (play->sink, 0);
  before = least = most = fasp_session_get_channel_rate (session);
  vnet_configure (play->sink, vnet_get_time (play->net), max_total_bitrate, BITRATE / 3);
  for (guint i = 0; i < 200; i++) {
    vplay_stream (play, 5 * STEP, 5 * BITRATE);
    least = MIN (least, fasp_session_get_channel_rate (session));
    most = MAX (most, fasp_session_get_channel_rate (session));
  }
  g_test_message ("%" G_GUINT64_FORMAT " bit/s, then %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
      before, least, most);
  g_assert_cmpuint (least, >=, before * 9 / 10);
  g_assert_cmpuint (most, <=, before * 11 / 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/total/held", GUINT_TO_POINTER (1), test_held);
  g_test_add_data_func ("/total/held/lanes", GUINT_TO_POINTER (4), test_held);
  g_test_add_func ("/total/changed", test_changed);
  g_test_add_data_func ("/total/beside/taking", GINT_TO_POINTER (TAKING), test_beside);
  g_test_add_data_func ("/total/beside/nothing", GINT_TO_POINTER (NOTHING), test_beside);
  g_test_add_data_func ("/total/beside/lanes", GINT_TO_POINTER (TAKING), test_beside_lanes);
  g_test_add_func ("/total/pings", test_pings);
  g_test_add_func ("/total/shares", test_shares);
  g_test_add_func ("/total/encoder", test_encoder);
  g_test_add_func ("/total/controller", test_controller);
  return g_test_run ();
}
