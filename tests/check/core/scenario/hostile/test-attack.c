/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Strangers whom a listener without keys lets in, beside a good receiver: what they cost it.
 * Virtual time shows what they draw from its line, and processor time how much work they cause.
 * Work is compared with that of the same datagrams where there is little to go through, so the
 * processor does not matter.
 */
#include "faspcallingprivate.h"
#include <string.h>
#include <time.h>
#include "faspbeginning.h"
#include "vplay.h"

/* How much more the same datagrams may cost where there is a thousand times as much to go through.
 * Without a bound it is hundreds. */
#define NOT_MORE 8

/* --- work ------------------------------------------------------------------------------ */

static gdouble
get_cpu_time (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

/* The least of several measurements: what else the processor does is no work of ours. */
typedef gdouble (*Measure) (VPlay *play, gpointer data);

static gdouble
measure (VPlay *play, Measure once, gpointer data)
{
  gdouble least = G_MAXDOUBLE;

  for (guint i = 0; i < 5; i++)
    least = MIN (least, once (play, data));
  return least;
}

/* --- feedback: a receiver that lies ----------------------------------------------------- */

typedef enum
{
  STALE,      /* a serial of long ago, */
  IMPOSSIBLE, /* or a new one; and what was never sent is acknowledged */
  EMPTY,      /* new, and says nothing */
  KINDS
} Kind;

typedef struct
{
  VStranger *stranger;
  Kind kind;
  guint64 serial;
} Lie;

/* The time that a thousand of them take. */
static gdouble
lie (VPlay *play, gpointer data)
{
  const guint n = 1000;
  Lie *l = data;
  g_autofree guint8 *datagrams = g_malloc (n * 256);
  g_autofree gsize *sizes = g_new (gsize, n);
  guint8 frames[128], one[FASP_DATAGRAM_MAX];
  gdouble start;

  for (guint i = 0; i < n; i++) {
    FaspWriter w = { frames, sizeof frames };
    FaspFeedback f = vplay_make_feedback (l->kind == STALE ? 1 : ++l->serial,
        l->kind == EMPTY ? 0 : G_GUINT64_CONSTANT (1) << 60);

    fasp_wire_write_feedback (&w, &f);
    sizes[i] = vstranger_say (l->stranger, &w, one);
    g_assert_cmpuint (sizes[i], <=, 256);
    memcpy (datagrams + 256 * i, one, sizes[i]);
  }
  start = get_cpu_time ();
  for (guint i = 0; i < n; i++)
    fasp_endpoint_receive (play->sink, vnet_get_time (play->net), &l->stranger->at,
        datagrams + 256 * i, sizes[i], NULL, FALSE);
  return get_cpu_time () - start;
}

/* Sends @n small blocks to a stranger that confirms only the first ones. */
static void
fill (VPlay *play, VStranger *stranger, guint n, guint64 *serial)
{
  static const guint8 data[188];

  for (guint i = 0; i < n; i++) {
    FaspTime now = vnet_get_time (play->net);
    FaspFeedback f = vplay_make_feedback (++*serial, 0);

    fasp_endpoint_write (play->sink, now, now, data, sizeof data, NULL);
    if (i > 0 && i < 10)
      vplay_say_acknowledged (play, stranger);
    else if (i % 100 == 0)
      vplay_say_feedback (play, stranger, &f);
    vnet_run_for (play->net, 200);
  }
  vnet_run_for (play->net, 100 * FASP_MSEC);
}

/* What a FEEDBACK says is looked at before anything is done for it, and costs the same however much
 * is under way. */
static void
test_feedback (void)
{
  static const guint under_way[] = { 20, 20000 };
  gdouble cost[2][KINDS];

  for (guint i = 0; i < 2; i++) {
    g_autoptr (VPlay) play = vplay_new (FASP_ROLE_SENDER);
    FaspAddress at = vplay_get_address (1);
    VStranger *stranger;
    Lie l = { .serial = 1 };

    /* each write is a block of its own */
    play->config.settings.max_bitrate = play->config.settings.latency_ms = 0;
    vplay_begin (play);
    stranger = l.stranger = vplay_add_stranger (play, &at, FASP_ROLE_RECEIVER);
    g_assert_true (vplay_let_in (play, stranger));
    fill (play, stranger, under_way[i], &l.serial);
    g_assert_cmpuint (fasp_tx_view (fasp_endpoint_nth (play->sink, 0)->tx)->cursor, >=,
        under_way[i] / 2);
    for (l.kind = 0; l.kind < KINDS; l.kind++)
      cost[i][l.kind] = measure (play, lie, &l);
  }
  for (guint k = 0; k < KINDS; k++) {
    g_test_message ("kind %u: %.2f and %.2f us", k, cost[0][k] * 1e3, cost[1][k] * 1e3);
    g_assert_cmpfloat (cost[1][k], <, NOT_MORE * cost[0][k]);
  }
}

/* Lies by the thousand in a second, and a good receiver beside: its lateness is the same, to the
 * microsecond, and nothing is kept for whoever lies. */
static void
test_beside (void)
{
  FaspHist lateness[2];

  for (guint lies = 0; lies < 2; lies++) {
    g_autoptr (VPlay) play = vplay_new (FASP_ROLE_SENDER);
    FaspAddress at = vplay_get_address (1);
    VStranger *stranger = vplay_add_stranger (play, &at, FASP_ROLE_RECEIVER);

    vplay_begin (play);
    vplay_add_good (play, 40 * FASP_MSEC, 200);
    g_assert_true (vplay_let_in (play, stranger));
    vplay_stream (play, FASP_SEC, 5000000);
    for (guint i = 0; i < 200; i++) {
      FaspFeedback f = vplay_make_feedback (2, G_GUINT64_CONSTANT (1) << 60);
      FaspFeedback stale = vplay_make_feedback (1, 0);

      for (guint n = 0; n < (lies ? 50 : 1); n++)
        vplay_say_feedback (play, stranger, n % 2 == 0 ? &stale : &f);
      vplay_stream (play, 10 * FASP_MSEC, 5000000);
    }
    lateness[lies] = fasp_rx_view (fasp_endpoint_nth (play->good, 0)->rx)->late.lateness;
    g_assert_cmpuint (lateness[lies].count, >, 500);
  }
  g_assert_cmpmem (&lateness[0], sizeof lateness[0], &lateness[1], sizeof lateness[1]);
}

/* --- callers --------------------------------------------------------------------------------- */

/* A call with the cookie of @endpoint, from a network of its own. */
static void
call_proved (VPlay *play, FaspEndpoint *endpoint, guint32 network)
{
  FaspAddress at = vplay_get_address (network);
  FaspTime now = vnet_get_time (play->net);
  VStranger *stranger = vplay_add_stranger (play, &at,
      play->config.role == FASP_ROLE_SENDER ? FASP_ROLE_RECEIVER : FASP_ROLE_SENDER);
  FaspHandshake *open = &stranger->caller.open;
  guint8 data[FASP_OPEN_SIZE];

  open->cookie_size = FASP_COOKIE_SIZE;
  fasp_cookie_make (endpoint->cookie_secret, now, &at, open->nonce, open->cookie);
  g_assert_true (vstranger_call (stranger, now, data));
  fasp_endpoint_receive (endpoint, now, &at, data, sizeof data, NULL, FALSE);
}

/* The time that a thousand forged datagrams for a half-open session take. */
static gdouble
forge (VPlay *play, gpointer data)
{
  const guint n = 1000;
  VStranger *stranger = data;
  FaspSessionHeader header = { .cid = stranger->agreement.hello.cid };
  guint8 datagram[100] = { 0 };
  FaspWriter w = { datagram, sizeof datagram };
  gdouble start = get_cpu_time ();

  fasp_wire_write_session (&w, &header);
  for (guint i = 0; i < n; i++)
    fasp_endpoint_receive (play->sink, vnet_get_time (play->net), &stranger->at, datagram,
        sizeof datagram, NULL, FALSE);
  return get_cpu_time () - start;
}

/* A datagram that nobody has sealed costs the same however many callers are half-open. Whether
 * there is room for them is looked at, which goes through all of them, when one has been opened. */
static void
test_forged (void)
{
  static const guint half_open[] = { 2, 1000 };
  gdouble cost[2];

  for (guint i = 0; i < 2; i++) {
    g_autoptr (VPlay) play = vplay_new (FASP_ROLE_RECEIVER);

    vplay_begin (play);
    for (guint n = 0; n < half_open[i]; n++) {
      call_proved (play, play->sink, n);
      vnet_run_for (play->net, FASP_SEC / FASP_LIMITER_RATE + 1);
    }
    g_assert_cmpuint (play->sink->sessions->len, ==, half_open[i]);
    for (guint n = 0; n < half_open[i]; n++)
      fasp_endpoint_nth (play->sink, n)->refused = TRUE;
    cost[i] = measure (play, forge, g_ptr_array_index (play->strangers, 0));
    for (guint n = 0; n < half_open[i]; n++)
      g_assert_true (fasp_endpoint_nth (play->sink, n)->refused);
  }
  g_test_message ("%.2f and %.2f us", cost[0] * 1e3, cost[1] * 1e3);
  g_assert_cmpfloat (cost[1], <, NOT_MORE * cost[0]);
}

#define NETWORKS 4

/* A few networks fill the half-open sessions and call on as fast as they may. Whoever calls from
 * elsewhere is connected after two round trips, as ever: one for the cookie, one for the call. */
static void
test_half_open (void)
{
  g_autoptr (VPlay) play = vplay_new (FASP_ROLE_SENDER);
  const FaspTime rtt = 20 * FASP_MSEC, step = FASP_SEC / 128;
  FaspTime called = FASP_NEVER, start;
  guint connected = 0, called_times = 0;
  FaspEvent event;

  vplay_begin (play);
  start = vnet_get_time (play->net);
  for (guint i = 0; i < 128 * 8; i++) {
    for (guint network = 0; network < NETWORKS; network++) {
      FaspAddress at = vplay_get_address (1 + network);

      /* in two seconds they fill all there are */
      for (guint k = 0; k < (i < 256 ? 2 : 1); k++)
        vplay_call (play, vplay_add_stranger (play, &at, FASP_ROLE_RECEIVER));
    }
    vnet_run_for (play->net, step / 2);
    for (guint n = play->strangers->len - MIN (16, play->strangers->len); n < play->strangers->len;
        n++)
      vplay_call (play, g_ptr_array_index (play->strangers, n));
    vnet_run_for (play->net, step / 2);
    if (i % 128 == 127 && i > 256) {
      if (play->good != NULL) {
        vnet_attach (play->net, VNET_B, NULL);
        g_clear_pointer (&play->good, fasp_endpoint_free);
      }
      called = vnet_get_time (play->net);
      called_times++;
      vplay_add_good (play, rtt, 100);
    }
    while (play->good != NULL && fasp_endpoint_poll_event (play->good, &event))
      if (event.type == FASP_EVENT_CONNECTED) {
        connected++;
        g_assert_cmpint (vnet_get_time (play->net) - called, <=, 2 * rtt + 2 * step);
      }
    g_assert_cmpuint (fasp_limiter_count_half (play->sink->calling->admitted.limiter), <=,
        FASP_LIMITER_BURST + FASP_LIMITER_RATE * FASP_HALF_TIMEOUT / FASP_SEC);
  }
  g_test_message ("%u half-open, %" G_GINT64_FORMAT " ms",
      fasp_limiter_count_half (play->sink->calling->admitted.limiter),
      (vnet_get_time (play->net) - start) / 1000);
  g_assert_cmpuint (fasp_limiter_count_half (play->sink->calling->admitted.limiter), >, 900);
  g_assert_cmpuint (called_times, >, 4);
  vnet_run_for (play->net, FASP_SEC);
  while (fasp_endpoint_poll_event (play->good, &event))
    connected += event.type == FASP_EVENT_CONNECTED;
  g_assert_cmpuint (connected, ==, called_times);
}

/* Two streams at a port: who calls the one all the time does not keep callers from the other, and
 * what both may cost is what one may. */
static void
test_half_open_port (void)
{
  static const guint8 secret[16] = { 1 };
  g_autofree FaspLimiter *limiter = g_new (FaspLimiter, 1);
  g_autoptr (VPlay) play = vplay_new (FASP_ROLE_SENDER); /* freed before what it uses */
  FaspEndpoint *other;
  guint called = 0;

  fasp_limiter_init (limiter, secret);
  play->config.limiter = limiter;
  vplay_begin (play);
  other = fasp_endpoint_new (&play->config, vnet_random, play->net);
  for (guint i = 0; i < 2500; i++) {
    call_proved (play, play->sink, i % 200);
    /* by then each of them has called */
    if (i >= 1000 && i % 15 == 0) {
      call_proved (play, other, 2000 + i);
      g_assert_cmpuint (other->sessions->len, ==, ++called);
    }
    vnet_run_for (play->net, FASP_MSEC);
  }
  g_assert_cmpuint (fasp_limiter_count_half (limiter), ==,
      play->sink->sessions->len + other->sessions->len);
  g_assert_cmpuint (fasp_limiter_count_half (limiter), <=,
      FASP_LIMITER_BURST + FASP_LIMITER_RATE * 5 / 2);
  fasp_endpoint_free (other);
  g_assert_cmpuint (fasp_limiter_count_half (limiter), ==, play->sink->sessions->len);
}

/* Where a nonce and a cookie are in an OPEN with a cookie. */
#define NONCE_AT 10
#define COOKIE_AT 27

/* Networks with proved addresses call the whole time, each time anew, far more often than there may
 * be handshakes. There are no more than that, and whoever else calls is let in within two seconds.
 */
static void
test_handshakes (gconstpointer data)
{
  const guint networks = GPOINTER_TO_UINT (data), a_second = networks == 30 ? 3000 : 10000;
  g_autoptr (VPlay) play = vplay_new (FASP_ROLE_SENDER);
  FaspAddress at = vplay_get_address (1);
  VStranger *stranger = vplay_add_stranger (play, &at, FASP_ROLE_RECEIVER);
  FaspTime start, called = FASP_NEVER;
  guint8 open[FASP_OPEN_SIZE];
  guint connected = 0;
  FaspEvent event;

  vplay_begin (play);
  stranger->caller.open.cookie_size = FASP_COOKIE_SIZE;
  g_assert_true (vstranger_call (stranger, vnet_get_time (play->net), open));
  start = vnet_get_time (play->net);
  for (guint i = 0; i < 8 * a_second; i++) {
    FaspTime now = vnet_get_time (play->net);

    at = vplay_get_address (1 + i % networks);
    memcpy (open + NONCE_AT, &i, sizeof i);
    fasp_cookie_make (play->sink->cookie_secret, now, &at, open + NONCE_AT, open + COOKIE_AT);
    fasp_endpoint_receive (play->sink, now, &at, open, sizeof open, NULL, FALSE);
    if (i % (2 * a_second) == a_second) {
      g_assert_cmpuint (connected, ==, i / (2 * a_second));
      if (play->good != NULL)
        vnet_attach (play->net, VNET_B, NULL);
      fasp_endpoint_free (play->good);
      called = now;
      vplay_add_good (play, 40 * FASP_MSEC, 100);
    }
    vnet_run_for (play->net, FASP_SEC / a_second);
    while (play->good != NULL && fasp_endpoint_poll_event (play->good, &event))
      if (event.type == FASP_EVENT_CONNECTED) {
        g_test_message ("after %" G_GINT64_FORMAT " ms", (now - called) / FASP_MSEC);
        connected++;
      }
    while (fasp_endpoint_poll_event (play->sink, &event))
      ;
  }
  vnet_run_for (play->net, FASP_SEC);
  while (fasp_endpoint_poll_event (play->good, &event))
    connected += event.type == FASP_EVENT_CONNECTED;
  g_test_message ("%" G_GUINT64_FORMAT " handshakes", play->sink->made);
  g_assert_cmpuint (connected, ==, 4);
  g_assert_cmpuint (play->sink->made, >, FASP_LIMITER_RATE);
  g_assert_cmpuint (play->sink->made, <=,
      FASP_LIMITER_BURST + (vnet_get_time (play->net) - start) * FASP_LIMITER_RATE / FASP_SEC);
}

/* Callers from everywhere are refused: the application hears of some of them, and how many there
 * were. */
static void
test_refusals (void)
{
  g_autoptr (VPlay) play = vplay_new (FASP_ROLE_SENDER);
  const guint n = 2000, seconds = 8;
  guint64 notified = 0, more = 0, refused = 0;
  FaspEndpointStats stats;
  FaspEvent event;

  play->config.settings.max_receivers = 1;
  vplay_begin (play);
  vplay_add_good (play, 20 * FASP_MSEC, 100);
  vnet_run_for (play->net, FASP_SEC);
  for (guint i = 0; i < n; i++) {
    if (i == n - 1)
      vnet_run_for (play->net, 2 * FASP_SEC);
    call_proved (play, play->sink, i);
    vnet_run_for (play->net, seconds * FASP_SEC / n);
    while (fasp_endpoint_poll_event (play->sink, &event))
      if (event.type == FASP_EVENT_REJECTED) {
        g_assert_cmpint (event.reason, ==, FASP_REASON_BUSY);
        notified++;
        more += event.refusal.more;
      }
  }
  g_assert_cmpuint (notified, >, seconds);
  g_assert_cmpuint (notified, <=, 16 + seconds + 3);
  g_assert_cmpuint (notified + more, ==, n);
  fasp_endpoint_get_stats (play->sink, &stats);
  refused = stats.handshakes_refused;
  g_assert_cmpuint (refused, ==, n);
}

/* That nobody listens at an address where a thousand sessions are is dealt with now and then, not
 * whenever somebody says so. */
static void
test_reports (void)
{
  g_autoptr (VPlay) play = vplay_new (FASP_ROLE_SENDER);
  const FaspHello hello = { .flows = 1, .window = 64 };
  FaspAddress at = vplay_get_address (1), elsewhere = vplay_get_address (2);
  FaspTime now = FASP_SEC;
  guint n = 0;

  vplay_begin (play);
  for (guint i = 0; i < 1000; i++) {
    guint8 nonce[FASP_NONCE_SIZE] = { 0 };

    memcpy (nonce, &i, sizeof i);
    fasp_beginning_make (play->sink, 0, i < 999 ? &at : &elsewhere, &hello,
        &(FaspHello) { .cid = fasp_endpoint_new_id (play->sink) }, nonce);
  }
  for (guint i = 0; i < 10000; i++, now += 100) {
    FaspFlow *flow = &fasp_endpoint_nth (play->sink, 0)->flows[0];

    fasp_endpoint_unreachable (play->sink, now, &at);
    n += flow->refusal.is_reported;
    flow->refusal.is_reported = FALSE;
  }
  g_assert_cmpuint (n, >, 10);
  g_assert_cmpuint (n, <=, FASP_SEC / (999 * 20) + 1);
  /* others are heard of meanwhile */
  fasp_endpoint_unreachable (play->sink, now + 20 * FASP_MSEC, &elsewhere);
  g_assert_true (fasp_endpoint_nth (play->sink, 999)->flows[0].refusal.is_reported);
}

/* --- receivers that are none ------------------------------------------------------------------ */

#define SILENT 300

typedef enum
{
  PING_ALONE,         /* one PING each */
  FEEDBACK_ONCE,      /* one FEEDBACK */
  PINGS_ALL_THE_TIME, /* a PING a second */
} Silence;

/* Sessions of one address say hardly anything, on the line of a good receiver. Until they report,
 * they draw no more than an initial window each, all of them at one modest pace; and whoever has
 * never confirmed a block gets no more than a second of the stream. The good receiver has no skip,
 * and is as little late as among good ones. */
static void
test_silent (gconstpointer data)
{
  const guint64 bitrate = 5000000;
  const Silence silence = GPOINTER_TO_INT (data);
  const guint strangers[] = { 0, silence == FEEDBACK_ONCE ? 1 : SILENT };
  FaspHist lateness[2];

  for (guint i = 0; i < 2; i++) {
    g_autoptr (VPlay) play = vplay_new (FASP_ROLE_SENDER);
    ImpairConfig *line = vnet_get_wire (play->net, VNET_A, VNET_B);
    guint64 got = 0, most = 0;

    play->config.settings.max_bitrate = 2 * bitrate;
    vplay_begin (play);
    vplay_add_good (play, 40 * FASP_MSEC, 200);
    line->rate = 12000000;
    vplay_stream (play, FASP_SEC, bitrate);
    for (guint n = 0; n < strangers[i]; n++) {
      FaspAddress at = vnet_get_address (VNET_B);

      at.bytes[3]++; /* another port, behind the same line */
      vplay_add_stranger (play, &at, FASP_ROLE_RECEIVER);
    }
    for (guint t = 0; t < 500; t++) {
      for (guint n = 0; n < play->strangers->len; n++) {
        VStranger *stranger = g_ptr_array_index (play->strangers, n);
        FaspFeedback f = vplay_make_feedback (1, 0);

        vplay_call (play, stranger);
        f.ack = f.from = f.end = stranger->agreement.hello.start;
        if (stranger->let_in
            && (stranger->pn == 0 || (silence == PINGS_ALL_THE_TIME && t % 100 == 0))) {
          if (silence == FEEDBACK_ONCE)
            vplay_say_feedback (play, stranger, &f);
          else
            vplay_say_ping (play, stranger, &stranger->at);
        }
      }
      vplay_stream (play, 10 * FASP_MSEC, bitrate);
    }
    for (guint n = 0; n < play->strangers->len; n++) {
      VStranger *stranger = g_ptr_array_index (play->strangers, n);

      g_assert_true (stranger->let_in);
      most = MAX (most, stranger->got);
      got += stranger->got;
    }
    g_test_message ("%u strangers got %" G_GUINT64_FORMAT " bytes, one of them %" G_GUINT64_FORMAT,
        strangers[i], got, most);
    if (silence == FEEDBACK_ONCE)
      g_assert_cmpuint (most, <, bitrate / 8 * 6 / 5);
    else
      g_assert_cmpuint (most, <, 2 * FASP_TX_UNHEARD_BYTES);
    g_assert_cmpuint (play->good->sessions->len, ==, 1);
    lateness[i] = fasp_rx_view (fasp_endpoint_nth (play->good, 0)->rx)->late.lateness;
    g_assert_cmpuint (play->read, >, play->written * 9 / 10);
    g_assert_cmpuint (vplay_get_stats (play->good, vnet_get_time (play->net)).latency.skips, ==, 0);
  }
  g_test_message ("latest: %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " us", lateness[0].max,
      lateness[1].max);
  /* as with as many good receivers: a turn among three hundred, and a few packets in front of it */
  g_assert_cmpint (lateness[0].max, <, 5 * FASP_MSEC);
  g_assert_cmpint (lateness[1].max, <, 40 * FASP_MSEC);
}

static gboolean
comes_in_from (VPlay *play, FaspAddress at)
{
  VStranger *stranger = vplay_add_stranger (play, &at, FASP_ROLE_RECEIVER);

  if (!vplay_let_in (play, stranger)) {
    g_assert_cmpint (stranger->refused, ==, FASP_REASON_BUSY);
    return FALSE;
  }
  /* it takes the stream: one that did not would give way */
  vplay_say_ping (play, stranger, &at);
  vplay_stream (play, 20 * FASP_MSEC, 500000);
  vplay_say_acknowledged (play, stranger);
  vnet_run_for (play->net, FASP_MSEC);
  g_assert_nonnull (vplay_get_session (play, stranger));
  g_assert_cmpint (fasp_tx_view (vplay_get_session (play, stranger)->tx)->peer, ==, FASP_TX_TAKES);
  return TRUE;
}

static gboolean
comes_in (VPlay *play, guint32 network)
{
  return comes_in_from (play, vplay_get_address (network));
}

/* The receiver that has been there for the longest time. */
static void
let_one_leave (VPlay *play)
{
  FaspSession *first = fasp_endpoint_nth (play->sink, 0);

  fasp_session_close (first, vnet_get_time (play->net), FASP_REASON_STOPPED, NULL);
  fasp_endpoint_wake (play->sink, first);
  vnet_run_for (play->net, 100 * FASP_MSEC);
}

/* So many receivers of a network, and so many in all. Others are told that there is no room now,
 * for which they call again, and are let in when somebody has left. */
static void
test_crowd (void)
{
  g_autoptr (VPlay) play = vplay_new (FASP_ROLE_SENDER);
  FaspEndpointStats stats;

  play->config.settings.max_receivers = 25;
  play->config.settings.max_receivers_per_network = 10;
  vplay_begin (play);
  for (guint network = 0; network < 3; network++)
    for (guint i = 0; i < 12; i++)
      g_assert_true (comes_in (play, network) == (i < 10 && network * 10 + i < 25));
  let_one_leave (play);
  g_assert_true (comes_in (play, 2));
  g_assert_false (comes_in (play, 0));
  fasp_endpoint_get_stats (play->sink, &stats);
  g_assert_cmpuint (stats.sessions, ==, 25);
}

/* Who leaves makes room in its network for one, and no more. */
static void
test_crowd_leaves (void)
{
  g_autoptr (VPlay) play = vplay_new (FASP_ROLE_SENDER);

  play->config.settings.max_receivers_per_network = 2;
  vplay_begin (play);
  for (guint i = 0; i < 3; i++)
    g_assert_true (comes_in (play, 0) == (i < 2));
  let_one_leave (play);
  g_assert_true (comes_in (play, 0));
  g_assert_false (comes_in (play, 0));
}

/* An IPv6 /32, which has many networks, has as many receivers as four of them. */
static void
test_crowd_wide (void)
{
  g_autoptr (VPlay) play = vplay_new (FASP_ROLE_SENDER);

  play->config.settings.max_receivers_per_network = 2;
  vplay_begin (play);
  for (guint wide = 0; wide < 2; wide++)
    for (guint i = 0; i < 10; i++) {
      FaspAddress at = vnet_get_address (VNET_C);

      at.len = 28;
      at.bytes[11] = wide;
      at.bytes[13] = i;
      g_assert_true (comes_in_from (play, at) == (i < 2 * FASP_LIMITER_WIDE - 1));
      if (i == 0)
        g_assert_true (comes_in_from (play, at)
            && !comes_in_from (play, at)); /* two of the same /48 */
    }
  let_one_leave (play);
  for (guint i = 0; i < 2; i++) {
    FaspAddress at = vnet_get_address (VNET_C);

    at.len = 28;
    at.bytes[13] = 100 + i;
    g_assert_true (comes_in_from (play, at) == (i == 0));
  }
}

/* --- a third party ---------------------------------------------------------------------------- */

/* PINGs that seem to come from somebody else: what goes there is bounded by time, whether they are
 * the newest datagrams, so that the peer may have moved there, or older ones. */
static void
test_pongs (void)
{
  const guint seconds = 6;

  for (guint older = 0; older < 2; older++) {
    g_autoptr (VPlay) play = vplay_new (FASP_ROLE_SENDER);
    const ImpairCounters *there = vnet_get_counters (play->net, VNET_A, VNET_D);
    FaspAddress at = vplay_get_address (1), other = vnet_get_address (VNET_D);
    VStranger *stranger;

    vplay_begin (play);
    stranger = vplay_add_stranger (play, &at, FASP_ROLE_RECEIVER);
    g_assert_true (vplay_let_in (play, stranger));
    vplay_say_ping (play, stranger, &at);
    vnet_run_for (play->net, 100 * FASP_MSEC);
    for (guint i = 0; i < 2000 * seconds; i++) {
      /* what is overtaken does not say that the peer has moved */
      if (older && i % 1000 == 0) {
        stranger->pn += 1001;
        vplay_say_ping (play, stranger, &at);
        vnet_run_for (play->net, 100);
        stranger->pn -= 1001;
      }
      vplay_say_ping (play, stranger, &other);
      vnet_run_for (play->net, 500);
    }
    g_assert_cmpuint (there->packets, >=, 3);
    g_assert_cmpuint (there->packets, <=, (older ? 1 : 2) * (3 + 10 * seconds));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/attack/feedback", test_feedback);
  g_test_add_func ("/attack/beside", test_beside);
  g_test_add_func ("/attack/forged", test_forged);
  g_test_add_func ("/attack/half-open", test_half_open);
  g_test_add_func ("/attack/half-open/port", test_half_open_port);
  g_test_add_data_func ("/attack/handshakes/30", GUINT_TO_POINTER (30), test_handshakes);
  g_test_add_data_func ("/attack/handshakes/200", GUINT_TO_POINTER (200), test_handshakes);
  g_test_add_func ("/attack/refusals", test_refusals);
  g_test_add_func ("/attack/reports", test_reports);
  g_test_add_data_func ("/attack/silent/ping", GINT_TO_POINTER (PING_ALONE), test_silent);
  g_test_add_data_func ("/attack/silent/pings", GINT_TO_POINTER (PINGS_ALL_THE_TIME), test_silent);
  g_test_add_data_func ("/attack/silent/feedback", GINT_TO_POINTER (FEEDBACK_ONCE), test_silent);
  g_test_add_func ("/attack/crowd", test_crowd);
  g_test_add_func ("/attack/crowd/leaves", test_crowd_leaves);
  g_test_add_func ("/attack/crowd/wide", test_crowd_wide);
  g_test_add_func ("/attack/pongs", test_pongs);
  return g_test_run ();
}
