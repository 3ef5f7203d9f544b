/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Strangers whom a listener without keys lets in, and who acknowledge nothing: what the sender
 * decides is the same as without them. The encoder is offered as much, a full store waits for none
 * of them, what they draw is bounded, and they keep no place.
 */
#include "vplay.h"

#define BITRATE 10000000

/* What a stranger says again and again. */
typedef enum
{
  NOBODY,  /* there is none */
  PING,    /* PING */
  NOTHING, /* FEEDBACK that acknowledges nothing */
  MISSING, /* FEEDBACK that packets arrive, but none with a block */
  BLIND,   /* FEEDBACK that acknowledges blocks, as time passes, but no packet */
  ONCE,    /* it acknowledges everything at first, then only PING */
  FULL,    /* it acknowledges everything at first, and then takes no more */
  WHAT_COUNT,
} What;

static void
say_missing (VPlay *play, VStranger *stranger)
{
  const FaspSession *session = vplay_get_session (play, stranger);
  FaspFeedback f = vplay_make_feedback (1 + stranger->pn, stranger->agreement.hello.start);

  if (session == NULL || session->flows[0].next_pn == 0) { /* nothing has been sent to it */
    vplay_say_feedback (play, stranger, &f);
    return;
  }
  f.end = fasp_tx_view (session->tx)->cursor;
  f.n_ranges = f.end > f.from;
  f.ranges[0] = (FaspRange) { f.from, f.end };
  f.n_flows = 1;
  f.flows[0] = (FaspFeedbackFlow) {
    .largest = session->flows[0].next_pn - 1,
    .received = MIN (1 + stranger->pn, session->flows[0].next_pn),
    .holes = 1,
  };
  vplay_say_feedback (play, stranger, &f);
}

static void
say_what (VPlay *play, VStranger *stranger, What what, guint times)
{
  FaspFeedback f = vplay_make_feedback (1 + stranger->pn, stranger->agreement.hello.start);

  switch (what) {
    case PING:
      vplay_say_ping (play, stranger, &stranger->at);
      break;
    case NOTHING:
      vplay_say_feedback (play, stranger, &f);
      break;
    case MISSING:
      say_missing (play, stranger);
      break;
    case BLIND:
      f.ack = f.from = f.end = f.ack + times;
      vplay_say_feedback (play, stranger, &f);
      break;
    case ONCE:
    case FULL:
      if (times < 20)
        vplay_say_acknowledged (play, stranger);
      else
        vplay_say_ping (play, stranger, &stranger->at);
      break;
    default:
      break;
  }
}

/* Its session has ended: it calls anew, in the same place, and counts what it has got so far. */
static void
call_again (VPlay *play, guint i)
{
  VStranger *old = g_ptr_array_index (play->strangers, i);
  VStranger *again = vplay_add_stranger (play, &old->at, FASP_ROLE_RECEIVER);

  again->got = old->got;
  old->got = 0;
  g_ptr_array_index (play->strangers, play->strangers->len - 1) = old;
  g_ptr_array_index (play->strangers, i) = again;
}

/* As long as @time: the stream flows, and each stranger says what it says, @every so often.  One
 * that was sent away calls again. */
static void
besiege (VPlay *play, What what, guint n, FaspTime time, FaspTime every)
{
  const FaspTime step = 10 * FASP_MSEC;

  for (FaspTime t = 0; t < time; t += step) {
    for (guint i = 0; what != NOBODY && i < n; i++) {
      VStranger *stranger;

      if (i >= play->strangers->len)
        vplay_add_stranger (play, &(FaspAddress) { 0 }, FASP_ROLE_RECEIVER)->at =
            vplay_get_address (i % 4);
      stranger = g_ptr_array_index (play->strangers, i);
      if (stranger->let_in && vplay_get_session (play, stranger) == NULL)
        call_again (play, i);
      stranger = g_ptr_array_index (play->strangers, i);
      vplay_call (play, stranger);
      if (stranger->let_in && (t / step) % (every / step) == i % (every / step))
        say_what (play, stranger, what, t / every);
    }
    vplay_stream (play, step, BITRATE);
  }
}

/* What was written has had time to arrive. */
static void
settle (VPlay *play)
{
  vnet_run_for (play->net, FASP_SEC);
  vplay_stream (play, 10 * FASP_MSEC, 0);
}

static VPlay *
play_new (FaspSlowPolicy policy)
{
  VPlay *play = vplay_new (FASP_ROLE_SENDER);

  play->config.settings.slow_policy = policy;
  play->config.settings.max_bitrate = 2 * BITRATE;
  play->config.buffer_size = 2 << 20; /* 1.6 s */
  vplay_begin (play);
  vplay_add_good (play, 20 * FASP_MSEC, 300);
  vplay_stream (play, FASP_SEC, BITRATE);
  settle (play);
  play->written = play->read = 0; /* it joined in the middle */
  return play;
}

static guint64
count_got (const VPlay *play)
{
  guint64 got = 0;

  for (guint i = 0; i < play->strangers->len; i++)
    got += ((VStranger *) g_ptr_array_index (play->strangers, i))->got;
  return got;
}

/* The good receiver has everything, and none of it late. */
static void
assert_whole (VPlay *play)
{
  const FaspSession *session;

  settle (play);
  g_assert_cmpuint (play->good->sessions->len, ==, 1);
  session = fasp_endpoint_nth (play->good, 0);
  g_test_message ("latest: %" G_GINT64_FORMAT " us", fasp_rx_view (session->rx)->late.lateness.max);
  g_assert_cmpuint (play->read, ==, play->written);
  g_assert_cmpint (fasp_rx_view (session->rx)->late.lateness.max, <, 20 * FASP_MSEC);
}

/* What the encoder is offered does not fall, whatever a stranger says that acknowledges nothing. */
static void
test_encoder (gconstpointer data)
{
  const What what = GPOINTER_TO_INT (data);
  g_autoptr (VPlay) play = play_new (FASP_SLOW_WAIT);
  guint64 offered = fasp_endpoint_get_available_bitrate (play->sink), least = offered;

  g_assert_cmpuint (offered, >, 3 * BITRATE / 2);
  for (guint i = 0; i < 160; i++) {
    besiege (play, what, 1, 50 * FASP_MSEC, 50 * FASP_MSEC);
    least = MIN (least, fasp_endpoint_get_available_bitrate (play->sink));
  }
  g_test_message ("%" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT " bit/s", offered, least);
  g_assert_cmpuint (least, >=, offered * 97 / 100);
  assert_whole (play);
}

/* With slow-policy=wait and a store of less than two seconds, each byte is taken at once. */
static void
test_wait (gconstpointer data)
{
  const What what = GPOINTER_TO_INT (data);
  g_autoptr (VPlay) play = play_new (FASP_SLOW_WAIT);
  guint64 before = play->written;

  besiege (play, what, 3, 20 * FASP_SEC, FASP_SEC);
  g_assert_cmpuint (play->written - before, ==, (guint64) BITRATE / 8 * 20);
  assert_whole (play);
}

/* One that took the stream, and does not any more, holds it up once, and not for good: it may be a
 * receiver that is back soon. */
static void
test_wait_stuck (gconstpointer data)
{
  const What what = GPOINTER_TO_INT (data);
  g_autoptr (VPlay) play = play_new (FASP_SLOW_WAIT);
  guint64 before;

  besiege (play, what, 1, 40 * FASP_SEC, 50 * FASP_MSEC);
  before = play->written;
  besiege (play, PING, 1, 20 * FASP_SEC, 50 * FASP_MSEC);
  g_assert_cmpuint (play->written - before, ==, (guint64) BITRATE / 8 * 20);
  settle (play);
  g_assert_cmpuint (play->read, ==, play->written);
}

/* Together they draw no more than one receiver does, though they call again and again. */
static void
test_draw (gconstpointer data)
{
  const What what = GPOINTER_TO_INT (data);
  g_autoptr (VPlay) play = play_new (FASP_SLOW_SKIP);

  besiege (play, what, 20, 25 * FASP_SEC, FASP_SEC);
  g_test_message ("%" G_GUINT64_FORMAT " bytes, of a stream of %" G_GUINT64_FORMAT,
      count_got (play), play->written);
  g_assert_cmpuint (count_got (play), <, play->written);
  assert_whole (play);
}

/* A thousand of one address, with one FEEDBACK each: as much as one receiver draws in the same
 * time. */
static void
test_draw_thousand (void)
{
  g_autoptr (VPlay) play = play_new (FASP_SLOW_SKIP);

  for (guint i = 0; i < 1000; i += 50) {
    for (guint n = i; n < i + 50; n++) {
      FaspAddress at = vplay_get_address (1);

      vplay_add_stranger (play, &at, FASP_ROLE_RECEIVER);
    }
    besiege (play, NOTHING, i + 50, 100 * FASP_MSEC, 100 * FASP_SEC);
    for (guint n = i; n < i + 50; n++) {
      VStranger *stranger = g_ptr_array_index (play->strangers, n);

      if (stranger->let_in)
        say_what (play, stranger, NOTHING, 0);
    }
  }
  besiege (play, PING, 1000, 6 * FASP_SEC, FASP_SEC);
  g_test_message ("%" G_GUINT64_FORMAT " bytes", count_got (play));
  g_assert_cmpuint (count_got (play), <, 8 * 2 * BITRATE / 8);
  assert_whole (play);
}

static gboolean
is_connected (VPlay *play)
{
  return play->good->sessions->len == 1
      && fasp_endpoint_nth (play->good, 0)->state == FASP_SESSION_OPEN
      && fasp_endpoint_nth (play->good, 0)->record->notified.connected;
}

/* Four addresses fill all places, again and again: an honest caller is in within two seconds, and
 * stays. */
static void
test_places (gconstpointer data)
{
  const What what = GPOINTER_TO_INT (data);
  g_autoptr (VPlay) play = vplay_new (FASP_ROLE_SENDER);
  FaspEndpointStats stats;

  play->config.settings.max_receivers = 40;
  vplay_begin (play);
  besiege (play, what, 60, 3 * FASP_SEC, FASP_SEC);
  fasp_endpoint_get_stats (play->sink, &stats);
  g_assert_cmpuint (stats.sessions, ==, 40);
  vplay_add_good (play, 20 * FASP_MSEC, 300);
  besiege (play, what, 60, 2 * FASP_SEC, FASP_SEC);
  g_assert_true (is_connected (play));
  besiege (play, what, 60, 10 * FASP_SEC, FASP_SEC);
  g_assert_true (is_connected (play));
}

/* It has received all that has left, at once: packets, blocks and times of arrival. */
static void
say_all_came (VPlay *play, VStranger *stranger)
{
  const FaspSession *session = vplay_get_session (play, stranger);
  guint64 sent = session->flows[0].next_pn;
  FaspFeedback f = vplay_make_feedback (1 + stranger->pn, fasp_tx_view (session->tx)->cursor);

  f.clock = vnet_get_time (play->net);
  f.has_timestamps = TRUE;
  f.n_flows = sent > 0;
  f.flows[0] = (FaspFeedbackFlow) {
    .largest = sent - 1,
    .received = sent,
    .n_timestamps = sent > 8 ? 8 : 0,
  };
  for (guint i = 0; i < f.flows[0].n_timestamps; i++)
    f.flows[0].timestamps[i] = (FaspFeedbackTimestamp) { 1, 10 };
  vplay_say_feedback (play, stranger, &f);
}

/* A receiver acknowledges blindly, over a line that carries a fifth of the stream: the controller
 * finds no bound, and the stream leaves as it is made, but no faster. */
static void
test_blind (void)
{
  g_autoptr (VPlay) play = vplay_new (FASP_ROLE_SENDER);
  const ImpairCounters *line = vnet_get_counters (play->net, VNET_A, VNET_C);
  FaspAddress at = vplay_get_address (1);
  VStranger *stranger = vplay_add_stranger (play, &at, FASP_ROLE_RECEIVER);
  guint64 before, sent, rate = 0;

  play->config.settings.max_bitrate = 0;
  play->config.rate_control = FASP_RATE_CONTROL_ADAPTIVE;
  vplay_begin (play);
  vplay_add_good (play, 20 * FASP_MSEC, 300);
  vnet_get_wire (play->net, VNET_A, VNET_C)->rate = BITRATE / 5;
  g_assert_true (vplay_let_in (play, stranger));
  vplay_stream (play, FASP_SEC, BITRATE);
  settle (play);
  play->written = play->read = 0;
  before = line->bytes;
  for (guint i = 0; i < 2000; i++) {
    say_all_came (play, stranger);
    vplay_stream (play, 10 * FASP_MSEC, BITRATE);
    rate = MAX (rate, vplay_get_session (play, stranger)->pacer.ready.rate);
  }
  sent = line->bytes - before;
  g_test_message ("%.1f Mbit/s at a rate of up to %.1f Mbit/s, over %.1f Mbit/s", sent * 8 / 20e6,
      rate / 1e6, BITRATE / 5e6);
  g_assert_cmpuint (rate, >, 2 * BITRATE);
  g_assert_cmpuint (sent, <, play->written * 11 / 10);
  settle (play);
  g_assert_cmpuint (play->read, ==, play->written);
  g_assert_cmpuint (fasp_rx_view (fasp_endpoint_nth (play->good, 0)->rx)->late.skips, ==, 0);
}

/* A receiver that waits for a stream to begin keeps its place, as long as it likes. */
static void
test_honest_idle (void)
{
  g_autoptr (VPlay) play = vplay_new (FASP_ROLE_SENDER);
  FaspEndpointStats stats;

  play->config.settings.max_receivers = 1;
  vplay_begin (play);
  vplay_add_good (play, 20 * FASP_MSEC, 300);
  vnet_run_for (play->net, 60 * FASP_SEC);
  g_assert_true (is_connected (play));
  settle (play);
  play->written = play->read = 0;
  besiege (play, NOTHING, 4, 5 * FASP_SEC, 100 * FASP_SEC);
  g_assert_true (is_connected (play));
  vplay_stream (play, FASP_SEC, BITRATE);
  fasp_endpoint_get_stats (play->sink, &stats);
  g_assert_cmpuint (stats.sessions, ==, 1);
  assert_whole (play);
}

/* A receiver to which nothing comes through for a while, though it is heard, has everything
 * afterwards with slow-policy=wait, whatever strangers say meanwhile. */
static void
test_honest_outage (gconstpointer data)
{
  const What what = GPOINTER_TO_INT (data);
  g_autoptr (VPlay) play = play_new (FASP_SLOW_WAIT);
  ImpairConfig *wire = vnet_get_wire (play->net, VNET_A, VNET_B);

  besiege (play, what, 3, 2 * FASP_SEC, FASP_SEC);
  impair_black_out (wire, vnet_get_time (play->net), 8 * FASP_SEC);
  besiege (play, what, 3, 20 * FASP_SEC, FASP_SEC);
  settle (play);
  g_assert_cmpuint (play->good->sessions->len, ==, 1);
  g_assert_cmpuint (play->read, ==, play->written);
}

int
main (int argc, char **argv)
{
  static const gchar *const names[] = { "nobody", "ping", "nothing", "missing", "blind", "once",
    "full" };

  g_test_init (&argc, &argv, NULL);
  for (What what = NOBODY; what <= BLIND; what++) {
    g_autofree gchar *encoder = g_strconcat ("/unacknowledged/encoder/", names[what], NULL);
    g_autofree gchar *wait = g_strconcat ("/unacknowledged/wait/", names[what], NULL);
    g_autofree gchar *draw = g_strconcat ("/unacknowledged/draw/", names[what], NULL);
    g_autofree gchar *outage = g_strconcat ("/unacknowledged/outage/", names[what], NULL);

    g_test_add_data_func (encoder, GINT_TO_POINTER (what), test_encoder);
    g_test_add_data_func (wait, GINT_TO_POINTER (what), test_wait);
    g_test_add_data_func (draw, GINT_TO_POINTER (what), test_draw);
    g_test_add_data_func (outage, GINT_TO_POINTER (what), test_honest_outage);
  }
  g_test_add_data_func ("/unacknowledged/wait/once", GINT_TO_POINTER (ONCE), test_wait_stuck);
  g_test_add_data_func ("/unacknowledged/wait/full", GINT_TO_POINTER (FULL), test_wait_stuck);
  g_test_add_func ("/unacknowledged/draw/thousand", test_draw_thousand);
  g_test_add_func ("/unacknowledged/blind", test_blind);
  g_test_add_data_func ("/unacknowledged/places/ping", GINT_TO_POINTER (PING), test_places);
  g_test_add_data_func ("/unacknowledged/places/nothing", GINT_TO_POINTER (NOTHING), test_places);
  g_test_add_func ("/unacknowledged/idle", test_honest_idle);
  return g_test_run ();
}
