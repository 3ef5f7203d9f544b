/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A peer that holds the key and does not play by the rules: what it can do to
 * others, to memory and to time.  Seeds of these came from a review.
 */
#include <string.h>
#include "faspbeginning.h"
#include "faspencoder.h"
#include "fasplifecycle.h"
#include "faspsessionprivate.h"
#include "fasptxprivate.h"
#include "vspy.h"

#define RTT (20 * FASP_MSEC)

typedef struct
{
  Vnet *net;
  FaspEndpoint *sides[2]; /* A sends and dials, B listens */
  VSpy spy;
  guint64 pns[2];
  guint64 token;  /* of the last PING that B has seen */
  gboolean blind; /* the next ones go elsewhere */
} Play;

static void
on_datagram (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  Play *play = data;
  guint8 frames[FASP_DATAGRAM_MAX];

  vspy_see (&play->spy, bytes, size);
  if (from == VNET_A && !play->blind && vspy_open (&play->spy, TRUE, bytes, size, frames) > 8
      && frames[0] == FASP_FRAME_PING) {
    FaspReader r = { frames + 1, 8 };

    play->token = fasp_read_uint (&r, 8);
  }
}

static Play *
play_new_rekeying (gsize buffer_size, FaspTime rekey_interval)
{
  Play *play = g_new0 (Play, 1);
  FaspAddress peer = vnet_get_address (VNET_B);

  play->net = vnet_new (1);
  vspy_init (&play->spy, play->net);
  for (guint i = 0; i < 2; i++) {
    FaspEndpointConfig config;

    fasp_endpoint_config_init (&config, i == VNET_A ? FASP_ROLE_SENDER : FASP_ROLE_RECEIVER,
        i == VNET_A ? FASP_MODE_CALLER : FASP_MODE_LISTENER);
    config.buffer_size = buffer_size;
    config.rekey_interval = rekey_interval;
    config.settings.max_bitrate = 100000000;
    play->sides[i] = i == VNET_A ? fasp_endpoint_new (&config, vspy_random, &play->spy) :
                                   fasp_endpoint_new (&config, vnet_random, play->net);
    vnet_attach (play->net, i, play->sides[i]);
    vnet_get_wire (play->net, i, !i)->delay = RTT / 2;
    play->pns[i] = 1000;
  }
  vnet_set_tap (play->net, on_datagram, play);
  fasp_endpoint_dial (play->sides[VNET_A], vnet_get_time (play->net), &peer);
  vnet_run_for (play->net, 2 * FASP_SEC);
  g_assert_true (play->spy.knows);
  return play;
}

static Play *
play_new (gsize buffer_size)
{
  return play_new_rekeying (buffer_size, 0);
}

static void
play_free (Play *play)
{
  for (guint i = 0; i < 2; i++) {
    vnet_attach (play->net, i, NULL);
    fasp_endpoint_free (play->sides[i]);
  }
  vnet_free (play->net);
  g_free (play);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Play, play_free)

static void
inject (Play *play, VnetSide to, VnetSide from, const FaspWriter *frames)
{
  FaspAddress address = vnet_get_address (from);
  guint8 data[4096];
  FaspWriter w = { data, sizeof data };

  vspy_seal (&play->spy, to == VNET_A, 0, play->pns[to]++, frames->data, frames->used, &w);
  g_assert_false (w.failed);
  vnet_inject (play->net, to, &address, data, w.used);
}

static void
inject_number (Play *play, VnetSide to, VnetSide from, FaspFrameType type, guint64 number)
{
  guint8 data[64];
  FaspWriter w = { data, sizeof data };

  fasp_wire_write_number (&w, type, number);
  inject (play, to, from, &w);
}

static void
inject_feedback (Play *play, FaspFeedback *feedback)
{
  static guint64 serial = 10000; /* above all that are honest */
  guint8 data[3000];
  FaspWriter w = { data, sizeof data };

  feedback->serial = serial++;
  fasp_wire_write_feedback (&w, feedback);
  inject (play, VNET_A, VNET_B, &w);
}

static FaspEndpointStats
stats_of (Play *play, VnetSide side)
{
  FaspEndpointStats stats;

  fasp_endpoint_get_stats (play->sides[side], &stats);
  return stats;
}

static guint
count_events (Play *play, VnetSide side, FaspEventType type, FaspEvent *last)
{
  FaspEvent event;
  guint n = 0;

  while (fasp_endpoint_poll_event (play->sides[side], &event))
    if (event.type == type) {
      *last = event;
      n++;
    }
  return n;
}

/* --- aiming the sender at somebody else --------------------------------------- */

/* The peer answers challenges that went to another address, with guesses and
 * with the tokens it has seen. */
static void
test_challenge (void)
{
  g_autoptr (Play) play = play_new (1 << 20);
  static const guint8 data[100000];
  FaspSessionStats stats;

  fasp_endpoint_write (play->sides[VNET_A], vnet_get_time (play->net), 0, data, sizeof data, NULL);
  play->blind = TRUE;
  inject_number (play, VNET_A, VNET_C, FASP_FRAME_TAIL, 0);
  for (guint round = 0; round < 20; round++) {
    guint64 key_token;
    FaspReader r = { play->spy.keys.caller, 8 };

    key_token = fasp_read_uint (&r, 8);
    for (guint i = 0; i < 100; i++) {
      inject_number (play, VNET_A, VNET_C, FASP_FRAME_PONG, key_token + i);
      inject_number (play, VNET_A, VNET_C, FASP_FRAME_PONG, play->token + i);
      inject_number (play, VNET_A, VNET_C, FASP_FRAME_PONG, GUINT64_SWAP_LE_BE (key_token) + i);
    }
    vnet_run_for (play->net, 50 * FASP_MSEC);
  }
  fasp_endpoint_get_sessions (play->sides[VNET_A], vnet_get_time (play->net), &(guint64) { 0 },
      &stats, 1);
  g_assert_cmpuint (stats.address.bytes[0], ==, VNET_B + 1);
  /* challenges, ten a second; nothing of the stream */
  g_assert_cmpuint (vnet_get_counters (play->net, VNET_A, VNET_C)->bytes, <, 2000);
}

/* As many questions as a datagram has room for, with somebody else's address: one answer. */
static void
test_questions (void)
{
  g_autoptr (Play) play = play_new (1 << 20);
  const ImpairCounters *there = vnet_get_counters (play->net, VNET_A, VNET_C);
  guint8 data[1000];
  FaspWriter w = { data, sizeof data };

  /* of one that was sent later: C is no candidate */
  inject_number (play, VNET_A, VNET_B, FASP_FRAME_TAIL, 0);
  play->pns[VNET_A] -= 100;
  for (guint i = 0; i < FASP_PONGS; i++)
    fasp_wire_write_number (&w, FASP_FRAME_PING, i);
  g_assert_false (w.failed);
  for (guint i = 1; i <= 10; i++) {
    inject (play, VNET_A, VNET_C, &w);
    vnet_run_for (play->net, 100 * FASP_MSEC);
    g_assert_cmpuint (there->packets, ==, i);
  }
}

/* One datagram with somebody else's address, and what is sent from one's own is older: who
 * is there is not asked for as long as the session lasts. */
static void
test_reflection (void)
{
  g_autoptr (Play) play = play_new (1 << 20);
  const ImpairCounters *there = vnet_get_counters (play->net, VNET_A, VNET_C);

  for (guint i = 1; i <= 3; i++) {
    inject_number (play, VNET_A, VNET_C, FASP_FRAME_TAIL, 0);
    vnet_run_for (play->net, 20 * FASP_SEC);
    g_assert_cmpuint (stats_of (play, VNET_A).sessions, ==, 1);
    g_assert_cmpuint (there->packets, ==, i * FASP_CHALLENGES);
  }
}

/* --- feedback ---------------------------------------------------------------------- */

static void
test_flow_twice (void)
{
  g_autoptr (Play) play = play_new (1 << 20);
  FaspFeedback f = { .window = 100, .n_flows = 2, .tail = TRUE };
  FaspSessionStats before, after;

  fasp_endpoint_get_sessions (play->sides[VNET_A], vnet_get_time (play->net), &(guint64) { 0 },
      &before, 1);
  inject_feedback (play, &f); /* flow 0 and flow 0 */
  vnet_run_for (play->net, FASP_MSEC);
  fasp_endpoint_get_sessions (play->sides[VNET_A], vnet_get_time (play->net), &(guint64) { 0 },
      &after, 1);
  g_assert_cmpuint (after.delivery.feedback, ==, before.delivery.feedback);
}

/* A receiver that pings without end and settles nothing. */
static void
test_never_settles (void)
{
  g_autoptr (Play) play = play_new (1 << 20);
  FaspEvent event;
  guint i;

  vnet_attach (play->net, VNET_B, NULL); /* the honest one is gone */
  fasp_endpoint_write (play->sides[VNET_A], vnet_get_time (play->net), 0, (const guint8 *) "x", 1,
      NULL); /* never acknowledged */
  for (i = 0; i < 40000 && stats_of (play, VNET_A).sessions > 0; i++) {
    FaspFeedback f = { .window = 100, .n_flows = 1, .tail = TRUE };

    f.flows[0].unsettled = 1;
    for (guint j = 0; j < 16; j++)
      inject_number (play, VNET_A, VNET_B, FASP_FRAME_PING, j);
    inject_feedback (play, &f);
    vnet_run_for (play->net, 5 * FASP_MSEC);
  }
  g_assert_cmpuint (i, <, 40000);
  g_assert_cmpuint (count_events (play, VNET_A, FASP_EVENT_REMOVED, &event), ==, 1);
}

/* A receiver whose count of key frames jumps, goes back and is huge: it gets what one that asks
 * all the time would get, and is served as before. */
static void
test_wants (void)
{
  static const guint64 counts[] = { 1, 0, FASP_VARINT_MAX, 5, G_MAXUINT32, FASP_VARINT_MAX - 1 };
  g_autoptr (Play) play = play_new (1 << 20);
  const guint seconds = 10;
  FaspEvent event;
  guint n;

  vnet_run_for (play->net, 2 * FASP_SEC);
  count_events (play, VNET_A, FASP_EVENT_KEY_FRAME, &event);
  for (guint i = 0; i < 50 * seconds; i++) {
    FaspFeedback f = { .window = 100, .n_flows = 1, .tail = TRUE };

    f.wanted = counts[i % G_N_ELEMENTS (counts)];
    f.skips = counts[i / 7 % G_N_ELEMENTS (counts)];
    inject_feedback (play, &f);
    vnet_run_for (play->net, 20 * FASP_MSEC);
  }
  n = count_events (play, VNET_A, FASP_EVENT_KEY_FRAME, &event);
  g_assert_cmpuint (n, >, 1);
  g_assert_cmpuint (n, <=, seconds + 1);
  g_assert_cmpuint (stats_of (play, VNET_A).sessions, ==, 1);
}

/* --- the receiver's memory, time, and reader ------------------------------------------- */

/* The first fragments of blocks that would be far too large. */
static void
test_fragments (void)
{
  const gsize limit = 2 << 20;
  g_autoptr (Play) play = play_new (limit);

  for (guint32 n = 0; n < 1000; n++) {
    static const guint8 payload[1460];
    guint8 data[1600];
    FaspWriter w = { data, sizeof data };

    fasp_write_uint (&w, FASP_FRAME_DATA | FASP_DATA_FRAGMENT, 1);
    fasp_write_uint (&w, n, 3);
    fasp_write_uint (&w, 0, 4);
    fasp_write_uint (&w, 15, 1); /* the first of 16 */
    fasp_write_uint (&w, 16 * sizeof payload, 2);
    fasp_write_bytes (&w, payload, sizeof payload);
    inject (play, VNET_B, VNET_A, &w);
    vnet_run_for (play->net, 100);
    g_assert_cmpuint (stats_of (play, VNET_B).buffer_bytes, <=, limit);
  }
  g_assert_cmpuint (stats_of (play, VNET_B).buffer_bytes, ==, 0);
}

/* Block numbers as far as a varint goes: no spin (vnet checks), and the
 * session can still be closed. */
static void
test_far_numbers (void)
{
  static const guint64 numbers[] = { 1 << 22, G_MAXUINT32, FASP_BLOCK_MAX, FASP_BLOCK_MAX + 1,
    FASP_VARINT_MAX };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    g_autoptr (Play) play = play_new (1 << 20);
    guint8 data[64];
    FaspWriter w = { data, sizeof data };

    inject_number (play, VNET_B, VNET_A, FASP_FRAME_TAIL, numbers[i]);
    inject_number (play, VNET_B, VNET_A, FASP_FRAME_SKIP, numbers[i]);
    fasp_write_uint (&w, FASP_FRAME_DATA, 1);
    fasp_write_uint (&w, 0xffffff, 3);
    fasp_write_uint (&w, 0, 4);
    fasp_write_uint (&w, 1, 1);
    inject (play, VNET_B, VNET_A, &w);
    vnet_run_for (play->net, 5 * FASP_SEC);
    fasp_endpoint_close (play->sides[VNET_B], vnet_get_time (play->net), FASP_REASON_STOPPED);
    vnet_run_for (play->net, 2 * FASP_SEC);
    g_assert_true (fasp_endpoint_is_closed (play->sides[VNET_B]));
  }
}

/* A sender that says that all is acknowledged and never sent the end. */
static void
test_false_end (void)
{
  static const guint16 reasons[] = { FASP_REASON_FINISHED, FASP_REASON_REPLACED, 0, 999 };

  for (guint i = 0; i < G_N_ELEMENTS (reasons); i++) {
    g_autoptr (Play) play = play_new (1 << 20);
    FaspEvent event = { 0 };
    guint8 data[64];
    FaspWriter w = { data, sizeof data };

    fasp_wire_write_close (&w, reasons[i], NULL);
    inject (play, VNET_B, VNET_A, &w);
    vnet_run_for (play->net, 100 * FASP_MSEC);
    g_assert_cmpuint (count_events (play, VNET_B, FASP_EVENT_REMOVED, &event), ==, 1);
    g_assert_cmpint (event.reason, ==, FASP_REASON_STOPPED);
  }
}

/* Refused callers by the thousand must not push out what matters. */
static void
test_refusals (void)
{
  g_autoptr (Play) play = play_new (1 << 20);
  FaspEvent event = { 0 };
  guint refused = 0, removed = 0;

  for (guint i = 0; i < 5000; i++) {
    FaspHello hello = { .role = FASP_ROLE_SENDER };
    FaspAddress from = vnet_get_address (VNET_C);
    guint8 data[FASP_OPEN_SIZE], nonce[FASP_NONCE_SIZE] = { 0 };

    memcpy (nonce, &i, sizeof i);
    from.bytes[4] = i;
    vspy_make_open (play->net, i + 1, nonce, &hello, data);
    vnet_inject (play->net, VNET_B, &from, data, sizeof data);
    if (i == 1000)
      fasp_endpoint_close (play->sides[VNET_A], vnet_get_time (play->net), FASP_REASON_STOPPED);
    if (i % 250 == 0)
      vnet_run_for (play->net, FASP_MSEC);
  }
  vnet_run_for (play->net, FASP_SEC);
  while (fasp_endpoint_poll_event (play->sides[VNET_B], &event)) {
    refused += event.type == FASP_EVENT_REJECTED;
    removed += event.type == FASP_EVENT_REMOVED;
  }
  g_assert_cmpuint (refused, <=, 20);
  g_assert_cmpuint (removed, ==, 1);
  /* nobody of these has proved its address: few are worth the work */
  g_assert_cmpuint (stats_of (play, VNET_B).handshakes_refused, >, 20);
  g_assert_cmpuint (stats_of (play, VNET_B).handshakes_refused, <, 100);
  g_assert_cmpuint (stats_of (play, VNET_B).handshakes_retried, >, 4800);
}

/* --- many sessions ----------------------------------------------------- */

static FaspAddress
get_address (guint i)
{
  FaspAddress address = vnet_get_address (VNET_B);

  memcpy (address.bytes + 4, &i, sizeof i);
  return address;
}

/* A sender with receivers 0 to @n - 1, who open nothing: it is about the list of them. */
static FaspEndpoint *
make_listener (Vnet *net, guint n)
{
  const FaspHello hello = { .flows = 1, .window = 64 };
  FaspEndpointConfig config;
  FaspEndpoint *endpoint;

  fasp_endpoint_config_init (&config, FASP_ROLE_SENDER, FASP_MODE_LISTENER);
  endpoint = fasp_endpoint_new (&config, vnet_random, net);
  for (guint i = 0; i < n; i++) {
    FaspAddress address = get_address (i);
    guint8 nonce[FASP_NONCE_SIZE] = { 0 };

    memcpy (nonce, &i, sizeof i);
    fasp_beginning_make (endpoint, 0, &address, &hello,
        &(FaspHello) { .cid = fasp_endpoint_new_id (endpoint) }, nonce);
  }
  return endpoint;
}

static guint
count_refused (FaspEndpoint *endpoint)
{
  guint n = 0;

  for (guint i = 0; i < endpoint->sessions->len; i++)
    n += fasp_endpoint_nth (endpoint, i)->flows[0].refusal.is_reported;
  return n;
}

/* That nobody listens somewhere can be said by anybody, as often as a line carries: it is not
 * looked through thousands of receivers each time. */
static void
test_reports (void)
{
  g_autoptr (Vnet) net = vnet_new (1);
  FaspEndpoint *many = make_listener (net, 3000);
  const FaspHello hello = { .flows = 1, .window = 64 };
  const guint8 nonce[FASP_NONCE_SIZE] = { 0 };
  FaspTime made = 0;
  FaspAddress address;
  guint n = 0;

  for (guint i = 0; i < 5000; i++) {
    address = get_address (1000000 + i);
    fasp_endpoint_unreachable (many, FASP_SEC + i, &address);
    n += many->address_index.made != made;
    made = many->address_index.made;
  }
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpuint (count_refused (many), ==, 0);
  /* of who is there it is heard, while others are spoken of, too: whoever was there before, */
  address = get_address (1234);
  fasp_endpoint_unreachable (many, FASP_SEC + 5000, &address);
  g_assert_cmpuint (count_refused (many), ==, 1);
  g_assert_true (fasp_endpoint_nth (many, 1234)->flows[0].refusal.is_reported);
  /* and soon who has come since */
  address = get_address (5000);
  fasp_beginning_make (many, FASP_SEC, &address, &hello,
      &(FaspHello) { .cid = fasp_endpoint_new_id (many) }, nonce);
  fasp_endpoint_unreachable (many, FASP_SEC + 100 * FASP_MSEC, &address);
  g_assert_cmpuint (count_refused (many), ==, 2);
  g_assert_true (fasp_endpoint_nth (many, 3000)->flows[0].refusal.is_reported);
  /* two at one address, and one that is gone */
  fasp_beginning_make (many, FASP_SEC, &address, &hello,
      &(FaspHello) { .cid = fasp_endpoint_new_id (many) }, nonce);
  fasp_endpoint_unreachable (many, FASP_SEC + 200 * FASP_MSEC, &address);
  g_assert_cmpuint (count_refused (many), ==, 3);
  fasp_lifecycle_remove (many, fasp_endpoint_nth (many, 3000));
  fasp_endpoint_unreachable (many, FASP_SEC + 200 * FASP_MSEC, &address);
  g_assert_cmpuint (count_refused (many), ==, 2);
  fasp_endpoint_free (many);
}

/* The OPEN of a caller at @from, who has shown that it is there. */
static gsize
make_proved_open (Vnet *net, FaspEndpoint *endpoint, const FaspAddress *from, guint32 cid,
    guint8 data[FASP_OPEN_SIZE])
{
  const FaspHello hello = { .role = FASP_ROLE_RECEIVER, .flows = 1 };
  FaspWriter w = { data, FASP_OPEN_SIZE };
  guint8 plain[FASP_OPEN_SIZE], nonce[FASP_NONCE_SIZE];
  FaspHandshake open;

  memset (nonce, cid, sizeof nonce);
  vspy_make_open (net, cid, nonce, &hello, plain);
  g_assert_true (fasp_wire_parse_handshake (plain, sizeof plain, &open));
  open.cookie_size = FASP_COOKIE_SIZE;
  fasp_cookie_make (endpoint->cookie_secret, FASP_SEC, from, open.nonce, open.cookie);
  fasp_wire_write_handshake (&w, &open);
  g_assert_false (w.failed);
  return w.used;
}

/* An OPEN that is repeated is one session, and when that is gone a new call. */
static void
test_repetitions (void)
{
  g_autoptr (Vnet) net = vnet_new (1);
  FaspEndpoint *endpoint = make_listener (net, 30);
  FaspAddress from = get_address (1000000);
  guint8 data[FASP_OPEN_SIZE];
  gsize size = make_proved_open (net, endpoint, &from, 7, data);

  for (guint i = 0; i < 10; i++) {
    if (i == 5)
      fasp_lifecycle_remove (endpoint, fasp_endpoint_nth (endpoint, 30));
    fasp_endpoint_receive (endpoint, FASP_SEC, &from, data, size, NULL, FALSE);
    g_assert_cmpuint (endpoint->sessions->len, ==, 31);
    g_assert_cmpuint (endpoint->made, ==, i < 5 ? 31 : 32);
  }
  fasp_endpoint_free (endpoint);
}

/* A session that make_listener() has made is connected. */
static void
connect (FaspEndpoint *endpoint, FaspTime now, guint i)
{
  FaspSession *session = fasp_endpoint_nth (endpoint, i);

  fasp_session_open (session, now);
  fasp_session_trust (session, now, 0);
  fasp_beginning_opened (endpoint, now, session);
}

static guint
take_events (FaspEndpoint *endpoint, FaspEventType type)
{
  FaspEvent event;
  guint n = 0;

  while (fasp_endpoint_poll_event (endpoint, &event))
    n += event.type == type;
  return n;
}

/* Receivers that say that they skip all the time: a key frame a second is asked for, however
 * many they are, and nobody is reported as too slow, as that is only their own claim. */
static void
test_skips (void)
{
  g_autoptr (Vnet) net = vnet_new (1);
  FaspEndpoint *endpoint = make_listener (net, 10);
  FaspTime now = FASP_SEC, start = now;
  guint wanted = 0;
  FaspEvent event;

  for (guint i = 0; i < 10; i++)
    connect (endpoint, now, i);
  for (; now < start + 10 * FASP_SEC; now += 20 * FASP_MSEC) {
    for (guint i = 0; i < 5; i++) {
      FaspSession *session = fasp_endpoint_nth (endpoint, i);

      session->tx->view.counts.skips_reported++;
      fasp_encoder_follow (endpoint, now, session);
    }
    fasp_encoder_run_due (endpoint, now);
    while (fasp_endpoint_poll_event (endpoint, &event)) {
      wanted += event.type == FASP_EVENT_KEY_FRAME;
      g_assert_cmpint (event.type, !=, FASP_EVENT_SKIPPED);
    }
  }
  g_assert_cmpuint (wanted, ==, 10);
  fasp_endpoint_free (endpoint);
}

/* A thousand receivers join within a minute: each of them gets a key frame within a second, and the
 * encoder makes one a second. */
static void
test_joins (void)
{
  g_autoptr (Vnet) net = vnet_new (1);
  const guint n = 1000, seconds = 60;
  FaspEndpoint *endpoint = make_listener (net, n);
  FaspTime now = FASP_SEC;
  guint wanted = 0;

  for (guint i = 0; i < n; i++) {
    now = FASP_SEC + i * seconds * FASP_SEC / n;
    fasp_encoder_run_due (endpoint, now);
    connect (endpoint, now, i);
    wanted += take_events (endpoint, FASP_EVENT_KEY_FRAME);
  }
  fasp_encoder_run_due (endpoint, now + FASP_SEC);
  wanted += take_events (endpoint, FASP_EVENT_KEY_FRAME);
  g_assert_cmpuint (wanted, >=, seconds - 4); /* each waits for somebody who joins */
  g_assert_cmpuint (wanted, <=, seconds + 1);
  fasp_endpoint_free (endpoint);
}

/* --- a session that has leaked -------------------------------------------------- */

/* An attacker who has both keys of a session, and listens. */
typedef struct
{
  FaspOpener *openers[2];       /* of what A and B say */
  guint read[2], unreadable[2]; /* datagrams */
} Leak;

static void
listen (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  guint8 copy[FASP_DATAGRAM_MAX], scratch[FASP_DATAGRAM_MAX];
  Leak *leak = data;
  FaspSessionHeader header;
  gsize frames;

  if (!fasp_wire_is_session (bytes, size) || !fasp_wire_parse_session (bytes, size, &header))
    return;
  memcpy (copy, bytes, size);
  /* no packet number is above 24 bits */
  if (fasp_opener_open (leak->openers[from], &header, header.pn, copy, size, scratch, &frames)
      != NULL)
    leak->read[from]++;
  else
    leak->unreadable[from]++;
}

/* Who has the keys of a session can read all that is said with keys that are made of them, and
 * nothing after a new key agreement. */
static void
test_leak (void)
{
  const FaspTime interval = 5 * FASP_SEC;
  g_autoptr (Play) play = play_new_rekeying (1 << 20, interval);
  Leak leak = { 0 };

  leak.openers[VNET_A] = fasp_opener_new (play->spy.keys.cipher, play->spy.keys.caller);
  leak.openers[VNET_B] = fasp_opener_new (play->spy.keys.cipher, play->spy.keys.listener);
  vnet_set_tap (play->net, listen, &leak);
  for (guint side = 0; side < 2; side++)
    vnet_get_wire (play->net, side, !side)->loss = .1;
  vnet_run_for (play->net, (FASP_AGREE_EVERY - 2) * interval);
  for (guint side = 0; side < 2; side++) {
    g_assert_cmpuint (leak.read[side], >, 500);
    g_assert_cmpuint (leak.unreadable[side], ==, 0);
  }
  vnet_run_for (play->net, 20 * interval);
  memset (leak.read, 0, sizeof leak.read);
  vnet_run_for (play->net, 100 * interval);
  for (guint side = 0; side < 2; side++) {
    FaspEndpointStats stats = stats_of (play, side);

    g_assert_cmpuint (leak.read[side], ==, 0);
    g_assert_cmpuint (leak.unreadable[side], >, 500);
    g_assert_cmpuint (stats.datagrams_forged, ==, 0);
    g_assert_cmpuint (stats.sessions, ==, 1);
    g_assert_cmpuint (fasp_endpoint_nth (play->sides[side], 0)->priv->rekeying.exchange.serial, ==,
        2);
    fasp_opener_free (leak.openers[side]);
  }
}

/* A peer that tells a new key all the time is answered once in the time of a key. */
static void
test_exchanges (void)
{
  g_autoptr (Play) play = play_new (1 << 20);
  FaspExchange *exchange = &fasp_endpoint_nth (play->sides[VNET_B], 0)->priv->rekeying.exchange;

  for (guint i = 1; i <= 1000; i++) {
    static const guint8 key[FASP_WIRE_KEY_SIZE] = { 9 };
    guint8 data[64];
    FaspWriter w = { data, sizeof data };

    fasp_wire_write_agree (&w, exchange->serial + 1, key);
    inject (play, VNET_B, VNET_A, &w);
    vnet_run_for (play->net, 10 * FASP_MSEC);
  }
  g_assert_cmpuint (exchange->serial, ==, 1);
}

static void
send_key (Play *play, VnetSide to, guint64 serial, guint8 first_byte)
{
  const guint8 key[FASP_WIRE_KEY_SIZE] = { first_byte };
  guint8 data[64];
  FaspWriter w = { data, sizeof data };

  fasp_wire_write_agree (&w, serial, key);
  inject (play, to, !to, &w);
  vnet_run_for (play->net, 10 * FASP_MSEC);
}

static void
count_random (gpointer data, guint8 *bytes, gsize size)
{
  ++*(guint *) data;
  memset (bytes, 1, size);
}

/* A public key that gives no secret costs as much as another one: of these, too, each end tries one
 * in the time of a key. */
static void
test_no_secret (void)
{
  g_autoptr (Play) play = play_new (1 << 20);
  FaspSession *caller = fasp_endpoint_nth (play->sides[VNET_A], 0);
  FaspSession *listener = fasp_endpoint_nth (play->sides[VNET_B], 0);
  guint tried = 0;

  /* the listener draws a key of its own for each try */
  listener->priv->keys.random = count_random;
  listener->priv->keys.random_data = &tried;
  for (guint i = 0; i < 100; i++)
    send_key (play, VNET_B, 1, 0);
  g_assert_cmpuint (tried, ==, 1);
  g_assert_cmpuint (listener->priv->rekeying.exchange.serial, ==, 0);

  /* the caller does not hear the listener's own answer */
  vnet_get_wire (play->net, VNET_A, VNET_B)->loss = 1;
  caller->priv->rekeying.keys = FASP_AGREE_EVERY;
  send_key (play, VNET_A, 1, 0);
  g_assert_true (caller->priv->rekeying.exchange.awaits);
  send_key (play, VNET_A, 1, 0);
  send_key (play, VNET_A, 1, 9);
  g_assert_true (caller->priv->rekeying.exchange.awaits);
  /* later, it is answered all the same */
  vnet_get_wire (play->net, VNET_A, VNET_B)->loss = 0;
  vnet_run_for (play->net, 2 * FASP_REKEY_INTERVAL);
  g_assert_false (caller->priv->rekeying.exchange.awaits);
  g_assert_cmpuint (listener->priv->rekeying.exchange.serial, ==, 1);
}

/* A peer that is heard from two addresses in turn, many times in a round trip: it is challenged as
 * often as one that has moved, so an answer finds its challenge, and is not the cause of another
 * one at once. */
static void
test_two_addresses (void)
{
  FaspAddress at = vnet_get_address (VNET_A), other = vnet_get_address (VNET_B);
  FaspTokens tokens = { { 0 } };
  FaspTime now = FASP_SEC;
  FaspFlow flow;
  FaspPing ping;
  guint64 token = 0;
  guint sent = 0;

  fasp_flow_init (&flow, now, TRUE);
  flow.address = at;
  flow.proved = TRUE;
  for (guint i = 0; i < 2000; i++) {
    fasp_flow_heard (&flow, now, i % 2 == 0 ? &other : &at, TRUE);
    if (now >= fasp_flow_get_challenge_time (&flow)) {
      guint64 more = fasp_flow_ping (&flow, now, &tokens, 0, FALSE, &flow.challenge.candidate);

      token = sent++ == 0 ? more : token;
      fasp_flow_challenged (&flow, now, FASP_SEC);
    }
    /* a round trip of a second */
    if (i == 1000)
      g_assert_true (fasp_flow_pong (&flow, &other, token, &ping));
    now += FASP_MSEC;
  }
  g_assert_cmpuint (sent, >, 1);
  g_assert_cmpuint (sent, <=, 2000 * FASP_MSEC / FASP_CHALLENGE_INTERVAL + 1);
  fasp_flow_clear (&flow);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hostile/challenge", test_challenge);
  g_test_add_func ("/hostile/leak", test_leak);
  g_test_add_func ("/hostile/exchanges", test_exchanges);
  g_test_add_func ("/hostile/no-secret", test_no_secret);
  g_test_add_func ("/hostile/questions", test_questions);
  g_test_add_func ("/hostile/reflection", test_reflection);
  g_test_add_func ("/hostile/flow-twice", test_flow_twice);
  g_test_add_func ("/hostile/never-settles", test_never_settles);
  g_test_add_func ("/hostile/wants", test_wants);
  g_test_add_func ("/hostile/fragments", test_fragments);
  g_test_add_func ("/hostile/far-numbers", test_far_numbers);
  g_test_add_func ("/hostile/false-end", test_false_end);
  g_test_add_func ("/hostile/refusals", test_refusals);
  g_test_add_func ("/hostile/reports", test_reports);
  g_test_add_func ("/hostile/repetitions", test_repetitions);
  g_test_add_func ("/hostile/skips", test_skips);
  g_test_add_func ("/hostile/joins", test_joins);
  g_test_add_func ("/hostile/two-addresses", test_two_addresses);
  return g_test_run ();
}
