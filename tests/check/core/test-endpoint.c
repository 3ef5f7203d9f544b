/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Endpoints in virtual time: opening, refusing, coming back, being slow,
 * being lied to.  One sender at node A, receivers at the others.
 */
#include <string.h>
#include "faspseal.h"
#include "faspwire.h"
#include "vnet.h"

#define RTT (100 * FASP_MSEC)

/* --- a sender and its receivers --------------------------------------------- */

typedef struct
{
  FaspEndpoint *endpoint;       /* NULL: nobody there */
  guint64 read;                 /* bytes */
  gint64 origin;                /* offset in the stream of the first, -1 */
  gboolean wrong, eos, stopped;
  guint discontinuities;
  guint events[FASP_EVENT_REMOVED + 1];
  FaspEvent last[FASP_EVENT_REMOVED + 1];
  gsize max_buffer;
} Node;

typedef struct
{
  Vnet *net;
  Node nodes[VNET_NODES];
  guint64 bitrate, written, held;       /* held: bytes not taken */
  gboolean finish;
} Net;

static guint8
byte_at (guint64 offset)
{
  guint32 word = offset * 2654435761u;

  return (word ^ word >> 15) >> 7;
}

static Net *
net_new (guint32 seed)
{
  Net *n = g_new0 (Net, 1);

  n->net = vnet_new (seed);
  n->bitrate = 4000000;
  for (guint i = 1; i < VNET_NODES; i++) {
    vnet_get_wire (n->net, VNET_A, i)->delay = RTT / 2;
    vnet_get_wire (n->net, i, VNET_A)->delay = RTT / 2;
  }
  return n;
}

static void
leave (Net * n, VnetSide side)
{
  vnet_attach (n->net, side, NULL);
  fasp_endpoint_free (n->nodes[side].endpoint);
  n->nodes[side].endpoint = NULL;
}

static void
net_free (Net * n)
{
  for (guint i = 0; i < VNET_NODES; i++)
    leave (n, i);
  vnet_free (n->net);
  g_free (n);
}

/* The side of the stream follows from the node: A sends. */
static FaspEndpointConfig
config (VnetSide side, FaspMode mode)
{
  FaspEndpointConfig c;

  fasp_endpoint_config_init (&c, side == VNET_A ? FASP_ROLE_SENDER :
      FASP_ROLE_RECEIVER, mode);
  c.max_bitrate = side == VNET_A ? 10000000 : 0;
  return c;
}

static void
join (Net * n, VnetSide side, const FaspEndpointConfig * c, VnetSide dials)
{
  FaspAddress peer = vnet_get_address (dials);

  memset (&n->nodes[side], 0, sizeof n->nodes[side]);
  n->nodes[side].origin = -1;
  n->nodes[side].endpoint = fasp_endpoint_new (c, vnet_random, n->net);
  vnet_attach (n->net, side, n->nodes[side].endpoint);
  if (c->mode != FASP_MODE_LISTENER)
    fasp_endpoint_dial (n->nodes[side].endpoint, vnet_get_time (n->net), &peer);
}

/* A sender that listens and a receiver that calls, with default settings. */
static void
join_default (Net * n)
{
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = config (VNET_B, FASP_MODE_CALLER);

  join (n, VNET_A, &a, VNET_B);
  join (n, VNET_B, &b, VNET_A);
}

static void
read_node (Net * n, Node * node)
{
  FaspTime now = vnet_get_time (n->net);
  FaspBlock *block;

  while (!node->stopped
      && (block = fasp_endpoint_read (node->endpoint, now)) != NULL) {
    if (block->flags & FASP_BLOCK_EOS)
      node->eos = TRUE;
    if ((block->flags & FASP_BLOCK_DISCONT) && node->origin >= 0) {
      node->discontinuities++;
      node->origin = -1;
    }
    /* where in the stream are we? */
    for (guint64 o = node->read; node->origin < 0 && block->size > 0; o++) {
      guint i = 0;

      g_assert_cmpuint (o, <, node->read + (1 << 27));
      while (i < MIN (block->size, 64) && block->data[i] == byte_at (o + i))
        i++;
      if (i == MIN (block->size, 64))
        node->origin = o - node->read;
    }
    for (guint i = 0; i < block->size; i++)
      if (block->data[i] != byte_at (node->origin + node->read++))
        node->wrong = TRUE;
    fasp_block_unref (block);
  }
}

static void
step (Net * n)
{
  FaspEndpoint *a = n->nodes[VNET_A].endpoint;
  FaspTime now;

  vnet_run (n->net, vnet_get_time (n->net) + 5 * FASP_MSEC);
  now = vnet_get_time (n->net);
  for (guint i = 0; i < VNET_NODES; i++) {
    Node *node = &n->nodes[i];
    FaspEndpointStats stats;
    FaspEvent event;

    if (node->endpoint == NULL)
      continue;
    while (fasp_endpoint_poll_event (node->endpoint, &event)) {
      node->events[event.type]++;
      node->last[event.type] = event;
    }
    if (i != VNET_A)
      read_node (n, node);
    fasp_endpoint_get_stats (node->endpoint, now, &stats);
    node->max_buffer = MAX (node->max_buffer, stats.buffer_bytes);
  }
  if (a == NULL)
    return;
  n->held += n->bitrate / 8 * 5 / 1000;
  while (n->held > 0) {
    guint8 data[4096];
    gsize size = MIN (n->held, sizeof data), taken;

    for (guint i = 0; i < size; i++)
      data[i] = byte_at (n->written + i);
    taken = fasp_endpoint_write (a, now, now, data, size);
    n->written += taken;
    n->held -= taken;
    if (taken < size)
      break;
  }
  if (n->finish)
    fasp_endpoint_finish (a, now);
}

static void
run (Net * n, FaspTime time)
{
  FaspTime until = vnet_get_time (n->net) + time;

  while (vnet_get_time (n->net) < until)
    step (n);
}

static void
end (Net * n)
{
  n->bitrate = n->held = 0;
  n->finish = TRUE;
  run (n, 5 * FASP_SEC);
}

static void
assert_whole (Net * n, VnetSide side)
{
  Node *node = &n->nodes[side];

  g_assert_false (node->wrong);
  g_assert_true (node->eos);
  g_assert_cmpuint (node->discontinuities, ==, 0);
  g_assert_cmpuint (node->origin + node->read, ==, n->written);
  g_assert_true (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
}

static FaspEndpointStats
stats_of (Net * n, VnetSide side)
{
  FaspEndpointStats stats;

  fasp_endpoint_get_stats (n->nodes[side].endpoint, vnet_get_time (n->net),
      &stats);
  return stats;
}

static FaspSessionStats
session_of (Net * n, VnetSide side)
{
  FaspSessionStats stats = { 0 };

  fasp_endpoint_get_sessions (n->nodes[side].endpoint,
      vnet_get_time (n->net), &stats, 1);
  return stats;
}

/* --- opening ------------------------------------------------------------------ */

static void
test_open (void)
{
  Net *n = net_new (1);

  join_default (n);
  run (n, RTT - 10 * FASP_MSEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 0);
  run (n, 20 * FASP_MSEC);      /* one round trip */
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  run (n, RTT);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
  run (n, FASP_SEC);
  end (n);
  assert_whole (n, VNET_B);
  g_assert_cmpint (n->nodes[VNET_B].origin, ==, 0);
  g_assert_cmpint (n->nodes[VNET_B].last[FASP_EVENT_REMOVED].reason, ==,
      FASP_REASON_FINISHED);
  net_free (n);
}

static void
test_cookie (void)
{
  Net *n = net_new (1);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = config (VNET_B, FASP_MODE_CALLER);

  a.half_open_max = 0;
  join (n, VNET_A, &a, VNET_B);
  join (n, VNET_B, &b, VNET_A);
  run (n, 2 * RTT + 10 * FASP_MSEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (stats_of (n, VNET_A).handshakes_retried, ==, 1);
  run (n, FASP_SEC);
  end (n);
  assert_whole (n, VNET_B);
  net_free (n);
}

static void
inject_open (Net * n, guint i, guint8 version, gsize size)
{
  guint8 data[FASP_OPEN_SIZE];
  FaspWriter w = { data, sizeof data };
  FaspHandshake open = {.type = FASP_HANDSHAKE_OPEN,.version = version,
    .from_cid = i + 1,.role = FASP_ROLE_RECEIVER,.window = 64
  };
  FaspAddress from = vnet_get_address (VNET_C);

  memcpy (open.nonce, &i, sizeof i);
  from.bytes[4] = i;
  from.bytes[5] = i >> 8;
  from.bytes[6] = i >> 16;
  fasp_wire_write_handshake (&w, &open);
  fasp_seal_close_handshake (&w, open.nonce);
  vnet_inject (n->net, VNET_A, &from, data, MIN (size, w.used));
}

/* A flood of OPENs from addresses that do not exist: bounded state, answers
 * no longer than the questions, and who is real gets in. */
static void
test_flood (void)
{
  Net *n = net_new (1);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = config (VNET_B, FASP_MODE_CALLER);
  const ImpairCounters *out;

  join (n, VNET_A, &a, VNET_B);
  for (guint i = 0; i < 20000; i++) {
    inject_open (n, i, FASP_VERSION, FASP_OPEN_SIZE);
    if (i % 100 == 99)
      run (n, 10 * FASP_MSEC);
    if (i == 10000)
      join (n, VNET_B, &b, VNET_A);
  }
  run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 1);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
  out = vnet_get_counters (n->net, VNET_A, VNET_C);
  g_assert_cmpuint (out->packets, >, 0);
  g_assert_cmpuint (out->bytes, <=, 20000 * (FASP_OPEN_SIZE + 28));
  g_assert_cmpuint (stats_of (n, VNET_A).handshakes_retried, >, 10000);
  end (n);
  assert_whole (n, VNET_B);
  net_free (n);
}

/* One that is too short to be answered, and one of another version. */
static void
test_versions (void)
{
  Net *n = net_new (1);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_LISTENER);

  join (n, VNET_A, &a, VNET_B);
  inject_open (n, 1, FASP_VERSION, FASP_OPEN_SIZE - 1);
  inject_open (n, 2, 9, 300);
  run (n, FASP_SEC);
  g_assert_cmpuint (vnet_get_counters (n->net, VNET_A, VNET_C)->packets, ==, 0);
  inject_open (n, 3, 9, FASP_OPEN_SIZE);
  run (n, FASP_SEC);
  g_assert_cmpuint (vnet_get_counters (n->net, VNET_A, VNET_C)->packets, ==, 1);
  g_assert_cmpuint (stats_of (n, VNET_A).datagrams_version, >=, 1);
  net_free (n);
}

static void
test_same_role (void)
{
  Net *n = net_new (1);
  FaspEndpointConfig b = config (VNET_B, FASP_MODE_LISTENER);
  FaspEndpointConfig c = config (VNET_C, FASP_MODE_CALLER);

  vnet_get_wire (n->net, VNET_B, VNET_C)->delay = RTT / 2;
  join (n, VNET_B, &b, VNET_A);
  join (n, VNET_C, &c, VNET_B);
  run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_C].events[FASP_EVENT_REJECTED], ==, 1);
  g_assert_cmpint (n->nodes[VNET_C].last[FASP_EVENT_REJECTED].reason, ==,
      FASP_REASON_SAME_ROLE);
  g_assert_true (n->nodes[VNET_C].last[FASP_EVENT_REJECTED].final);
  net_free (n);
}

/* The application is asked, with the streamid, after a proof of address. */
static void
test_ask (gconstpointer data)
{
  gboolean accept = GPOINTER_TO_INT (data);
  Net *n = net_new (1);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = config (VNET_B, FASP_MODE_CALLER);
  FaspEvent *asked = &n->nodes[VNET_A].last[FASP_EVENT_CONNECTING];

  a.ask = TRUE;
  b.streamid = "studio 4";
  join (n, VNET_A, &a, VNET_B);
  join (n, VNET_B, &b, VNET_A);
  run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTING], ==, 1);
  g_assert_cmpstr (asked->streamid, ==, "studio 4");
  g_assert_cmpuint (stats_of (n, VNET_A).handshakes_retried, ==, 1);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 0);
  fasp_endpoint_decide (n->nodes[VNET_A].endpoint, vnet_get_time (n->net),
      asked->session, accept);
  run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==,
      accept ? 1 : 0);
  if (!accept)
    g_assert_cmpint (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].reason, ==,
        FASP_REASON_REFUSED);
  net_free (n);
}

static void
test_latency (void)
{
  Net *n = net_new (1);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = config (VNET_B, FASP_MODE_CALLER);

  a.latency_ms = 700;
  b.latency_ms = 300;
  join (n, VNET_A, &a, VNET_B);
  join (n, VNET_B, &b, VNET_A);
  run (n, FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++)
    g_assert_cmpuint (n->nodes[i].last[FASP_EVENT_CONNECTED].latency_ms, ==,
        700);
  net_free (n);
}

static void
test_rendezvous (void)
{
  Net *n = net_new (1);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_RENDEZVOUS);
  FaspEndpointConfig b = config (VNET_B, FASP_MODE_RENDEZVOUS);

  join (n, VNET_A, &a, VNET_B);
  run (n, 3 * FASP_SEC);        /* one comes later */
  join (n, VNET_B, &b, VNET_A);
  run (n, 3 * FASP_SEC);
  end (n);
  assert_whole (n, VNET_B);
  net_free (n);
}

/* Nobody answers: who must not redial gives up and says so. */
static void
test_unanswered (void)
{
  Net *n = net_new (1);
  FaspEndpointConfig b = config (VNET_B, FASP_MODE_CALLER);

  b.reconnect = FALSE;
  b.resume_timeout = 5 * FASP_SEC;
  join (n, VNET_B, &b, VNET_A);
  run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_UNANSWERED], ==, 1);
  run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_UNANSWERED], ==, 1);
  g_assert_true (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].final);
  g_assert_cmpint (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].reason, ==,
      FASP_REASON_SILENT);
  net_free (n);
}

/* One receiver takes one sender; the second is told and gets its turn. */
static void
test_busy (void)
{
  Net *n = net_new (1);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = config (VNET_B, FASP_MODE_LISTENER);
  FaspEndpoint *second;
  FaspAddress peer = vnet_get_address (VNET_B);
  FaspEvent event = { 0 };

  join (n, VNET_B, &b, VNET_A);
  join (n, VNET_A, &a, VNET_B);
  run (n, FASP_SEC);
  vnet_get_wire (n->net, VNET_B, VNET_C)->delay = RTT / 2;
  vnet_get_wire (n->net, VNET_C, VNET_B)->delay = RTT / 2;
  second = fasp_endpoint_new (&a, vnet_random, n->net);
  vnet_attach (n->net, VNET_C, second);
  fasp_endpoint_dial (second, vnet_get_time (n->net), &peer);
  run (n, 2 * FASP_SEC);
  g_assert_true (fasp_endpoint_poll_event (second, &event));
  g_assert_cmpint (event.type, ==, FASP_EVENT_REJECTED);
  g_assert_cmpint (event.reason, ==, FASP_REASON_BUSY);
  g_assert_false (event.final);
  end (n);
  assert_whole (n, VNET_B);
  run (n, 3 * FASP_SEC);
  g_assert_true (fasp_endpoint_poll_event (second, &event));
  g_assert_cmpint (event.type, ==, FASP_EVENT_CONNECTED);
  vnet_attach (n->net, VNET_C, NULL);
  fasp_endpoint_free (second);
  net_free (n);
}

/* A receiver that dials and is to go on after the end gets the next stream,
 * and waits while the last one is still being drained. */
static void
test_keep_calling (void)
{
  Net *n = net_new (17);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = config (VNET_B, FASP_MODE_CALLER);

  b.keep_calling = TRUE;
  join (n, VNET_A, &a, VNET_B);
  join (n, VNET_B, &b, VNET_A);
  run (n, FASP_SEC);
  end (n);
  g_assert_true (n->nodes[VNET_B].eos);
  g_assert_false (n->nodes[VNET_B].last[FASP_EVENT_REMOVED].final);
  leave (n, VNET_A);
  run (n, 3 * FASP_SEC);
  n->finish = FALSE;
  join (n, VNET_A, &a, VNET_B);
  run (n, 3 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_CONNECTED], ==, 2);
  if (n->nodes[VNET_B].events[FASP_EVENT_REJECTED] > 0)
    g_assert_false (n->nodes[VNET_B].last[FASP_EVENT_REJECTED].final);
  net_free (n);
}

/* --- many receivers ------------------------------------------------------------- */

/* Three receivers on unlike paths; the third joins late, at the live edge. */
static void
test_receivers (void)
{
  Net *n = net_new (3);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = config (VNET_B, FASP_MODE_CALLER);
  guint64 then;

  vnet_get_wire (n->net, VNET_A, VNET_C)->loss = .1;
  vnet_get_wire (n->net, VNET_A, VNET_D)->delay = 300 * FASP_MSEC;
  join (n, VNET_A, &a, VNET_B);
  join (n, VNET_B, &r, VNET_A);
  join (n, VNET_C, &r, VNET_A);
  run (n, 5 * FASP_SEC);
  then = n->written;
  join (n, VNET_D, &r, VNET_A);
  run (n, 5 * FASP_SEC);
  g_assert_cmpuint (stats_of (n, VNET_A).sessions, ==, 3);
  end (n);
  assert_whole (n, VNET_B);
  assert_whole (n, VNET_C);
  assert_whole (n, VNET_D);
  g_assert_cmpint (n->nodes[VNET_B].origin, ==, 0);
  g_assert_cmpint (n->nodes[VNET_D].origin, >=, then);
  net_free (n);
}

/* One receiver stops reading.  What becomes of it is the policy's; the other
 * one must not notice, unless the policy is to wait. */
static void
test_slow (gconstpointer data)
{
  FaspSlowPolicy policy = GPOINTER_TO_INT (data);
  Net *n = net_new (4);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = config (VNET_B, FASP_MODE_CALLER);

  a.slow_policy = policy;
  a.buffer_size = r.buffer_size = 1 << 20;
  join (n, VNET_A, &a, VNET_B);
  join (n, VNET_B, &r, VNET_A);
  join (n, VNET_C, &r, VNET_A);
  run (n, 2 * FASP_SEC);
  n->nodes[VNET_C].stopped = TRUE;
  run (n, 20 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].max_buffer, <=, 1 << 20);
  g_assert_cmpuint (n->nodes[VNET_C].max_buffer, <=, 1 << 20);
  if (policy == FASP_SLOW_WAIT)
    g_assert_cmpuint (n->held, >, n->bitrate / 8 * 10); /* back-pressure */
  else
    g_assert_cmpuint (n->held, ==, 0);
  if (policy == FASP_SLOW_DROP_RECEIVER) {
    g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_REMOVED], ==, 1);
    g_assert_cmpint (n->nodes[VNET_A].last[FASP_EVENT_REMOVED].reason, ==,
        FASP_REASON_TOO_SLOW);
  } else {
    g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_REMOVED], ==, 0);
  }
  n->nodes[VNET_C].stopped = FALSE;
  run (n, 20 * FASP_SEC);
  end (n);
  assert_whole (n, VNET_B);
  g_assert_false (n->nodes[VNET_C].wrong);
  if (policy == FASP_SLOW_WAIT)
    assert_whole (n, VNET_C);
  if (policy == FASP_SLOW_SKIP) {
    g_assert_true (n->nodes[VNET_C].eos);
    g_assert_cmpuint (n->nodes[VNET_C].discontinuities, >=, 1);
  }
  net_free (n);
}

/* slow-policy=wait, and one of two receivers dies without a word: the other
 * one is not held up once it is clear that nothing is heard of the first. */
static void
test_dead_one (void)
{
  Net *n = net_new (4);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = config (VNET_B, FASP_MODE_CALLER);

  a.buffer_size = r.buffer_size = 1 << 20;
  join (n, VNET_A, &a, VNET_B);
  join (n, VNET_B, &r, VNET_A);
  join (n, VNET_C, &r, VNET_A);
  run (n, 2 * FASP_SEC);
  leave (n, VNET_C);
  run (n, 20 * FASP_SEC);
  g_assert_cmpuint (n->held, ==, 0);
  g_assert_cmpuint (n->nodes[VNET_A].max_buffer, <=, 1 << 20);
  end (n);
  g_assert_false (n->nodes[VNET_B].wrong);
  g_assert_true (n->nodes[VNET_B].eos);
  g_assert_cmpuint (n->nodes[VNET_B].discontinuities, ==, 0);
  net_free (n);
}

/* Nobody listens: hold the stream, or let it pass. */
static void
test_wait (gconstpointer data)
{
  gboolean wait = GPOINTER_TO_INT (data);
  Net *n = net_new (4);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = config (VNET_B, FASP_MODE_CALLER);

  a.wait_for_connection = wait;
  join (n, VNET_A, &a, VNET_B);
  run (n, 3 * FASP_SEC);
  g_assert_true ((n->written == 0) == wait);
  g_assert_cmpuint (stats_of (n, VNET_A).bytes_dropped, ==, n->written);
  join (n, VNET_B, &r, VNET_A);
  run (n, 3 * FASP_SEC);
  end (n);
  assert_whole (n, VNET_B);
  g_assert_true ((n->nodes[VNET_B].origin == 0) == wait);
  net_free (n);
}

/* --- outages ----------------------------------------------------------------------- */

/* The NAT of one side gives it another port, again and again. */
static void
test_rebind (gconstpointer data)
{
  VnetSide side = GPOINTER_TO_INT (data);
  Net *n = net_new (5);
  FaspEndpointConfig a = config (VNET_A, side == VNET_A ? FASP_MODE_CALLER :
      FASP_MODE_LISTENER);
  FaspEndpointConfig b = config (VNET_B, side == VNET_A ? FASP_MODE_LISTENER :
      FASP_MODE_CALLER);

  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = .02;
  vnet_get_wire (n->net, VNET_B, VNET_A)->loss = .02;
  join (n, VNET_A, &a, VNET_B);
  join (n, VNET_B, &b, VNET_A);
  for (guint i = 1; i <= 5; i++) {
    run (n, 2 * FASP_SEC);
    vnet_rebind (n->net, side, 8000 + i);
  }
  run (n, 2 * FASP_SEC);
  end (n);
  assert_whole (n, VNET_B);
  for (guint i = VNET_A; i <= VNET_B; i++) {
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_CONNECTED], ==, 1);
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_REMOVED], ==, 1);
  }
  net_free (n);
}

/* 20 s of nothing: said, and then it goes on where it stood. */
static void
test_outage (void)
{
  Net *n = net_new (6);

  join_default (n);
  run (n, 2 * FASP_SEC);
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 1;
  vnet_get_wire (n->net, VNET_B, VNET_A)->loss = 1;
  run (n, 20 * FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++)
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_INTERRUPTED], ==, 1);
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 0;
  vnet_get_wire (n->net, VNET_B, VNET_A)->loss = 0;
  run (n, 20 * FASP_SEC);
  for (guint i = VNET_A; i <= VNET_B; i++) {
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_RESUMED], ==, 1);
    g_assert_cmpuint (n->nodes[i].events[FASP_EVENT_CONNECTED], ==, 1);
  }
  end (n);
  assert_whole (n, VNET_B);
  net_free (n);
}

/* Dead for longer than the resume timeout: both say so; the memory of the
 * session goes. */
static void
test_death (void)
{
  Net *n = net_new (6);

  join_default (n);
  run (n, 2 * FASP_SEC);
  leave (n, VNET_B);            /* as by kill -9 */
  run (n, 40 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_REMOVED], ==, 1);
  g_assert_cmpint (n->nodes[VNET_A].last[FASP_EVENT_REMOVED].reason, ==,
      FASP_REASON_SILENT);
  g_assert_cmpuint (stats_of (n, VNET_A).sessions, ==, 0);
  net_free (n);
}

/* The listening receiver is killed and started anew: the sender, who calls,
 * finds out and goes on with the first byte that was not acknowledged. */
static void
test_restart (void)
{
  Net *n = net_new (7);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = config (VNET_B, FASP_MODE_LISTENER);
  guint64 read;

  join (n, VNET_B, &b, VNET_A);
  join (n, VNET_A, &a, VNET_B);
  run (n, 3 * FASP_SEC);
  read = n->nodes[VNET_B].read;
  leave (n, VNET_B);
  join (n, VNET_B, &b, VNET_A);
  run (n, 10 * FASP_SEC);
  end (n);
  assert_whole (n, VNET_B);
  /* nothing is missing between the two; what was under way may come twice */
  g_assert_cmpint (n->nodes[VNET_B].origin, <=, read);
  g_assert_cmpint (n->nodes[VNET_B].origin, >, read - n->written / 10);
  net_free (n);
}

/* Goodbye in the middle: the other side gets what was sent, and is told. */
static void
test_stop (gconstpointer data)
{
  VnetSide side = GPOINTER_TO_INT (data), other = !side;
  Net *n = net_new (8);
  FaspTime before;

  join_default (n);
  run (n, 3 * FASP_SEC);
  fasp_endpoint_close (n->nodes[side].endpoint, vnet_get_time (n->net),
      FASP_REASON_STOPPED);
  before = vnet_get_time (n->net);
  n->bitrate = n->held = 0;
  while (!fasp_endpoint_is_closed (n->nodes[side].endpoint)
      && vnet_get_time (n->net) < before + FASP_SEC)
    step (n);
  g_assert_cmpint (vnet_get_time (n->net) - before, <=, 2 * RTT);
  run (n, FASP_SEC);
  g_assert_cmpuint (n->nodes[other].events[FASP_EVENT_REMOVED], ==, 1);
  g_assert_cmpint (n->nodes[other].last[FASP_EVENT_REMOVED].reason, ==,
      FASP_REASON_STOPPED);
  g_assert_false (n->nodes[VNET_B].wrong);
  net_free (n);
}

/* Who leaves before the end has not confirmed it; as long as another one
 * does, that is its own affair. */
static void
test_unconfirmed (void)
{
  Net *n = net_new (12);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = config (VNET_B, FASP_MODE_CALLER);

  join (n, VNET_A, &a, VNET_B);
  join (n, VNET_B, &r, VNET_A);
  join (n, VNET_C, &r, VNET_A);
  run (n, 2 * FASP_SEC);
  fasp_endpoint_close (n->nodes[VNET_C].endpoint, vnet_get_time (n->net),
      FASP_REASON_STOPPED);
  run (n, 2 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_REMOVED], ==, 1);
  g_assert_cmpuint (stats_of (n, VNET_A).bytes_unconfirmed, ==, 0);
  n->bitrate = 0;
  run (n, FASP_SEC);
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = 1;
  fasp_endpoint_write (n->nodes[VNET_A].endpoint, vnet_get_time (n->net), 0,
      (const guint8 *) "the end", 7);
  run (n, 100 * FASP_MSEC);
  fasp_endpoint_close (n->nodes[VNET_B].endpoint, vnet_get_time (n->net),
      FASP_REASON_STOPPED);
  run (n, FASP_SEC);
  fasp_endpoint_finish (n->nodes[VNET_A].endpoint, vnet_get_time (n->net));
  run (n, FASP_SEC);
  g_assert_true (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
  g_assert_cmpuint (stats_of (n, VNET_A).bytes_unconfirmed, ==, 7);
  net_free (n);
}

/* A receiver that leaves and does not come back in time: what it lacked is not
 * passed off as delivered; one that comes back in time lacks nothing. */
static void
test_hold (gconstpointer data)
{
  gboolean back = GPOINTER_TO_INT (data);
  Net *n = net_new (13);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = config (VNET_B, FASP_MODE_LISTENER);

  join (n, VNET_B, &b, VNET_A);
  join (n, VNET_A, &a, VNET_B);
  run (n, 2 * FASP_SEC);
  fasp_endpoint_close (n->nodes[VNET_B].endpoint, vnet_get_time (n->net),
      FASP_REASON_STOPPED);
  run (n, 200 * FASP_MSEC);
  leave (n, VNET_B);
  n->bitrate = n->held = 0;
  n->finish = TRUE;
  run (n, FASP_SEC);
  g_assert_false (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
  if (back)
    join (n, VNET_B, &b, VNET_A);
  run (n, 40 * FASP_SEC);
  g_assert_true (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
  if (back) {
    assert_whole (n, VNET_B);
    g_assert_cmpuint (stats_of (n, VNET_A).bytes_unconfirmed, ==, 0);
  } else {
    g_assert_cmpuint (stats_of (n, VNET_A).bytes_unconfirmed, >, 0);
  }
  net_free (n);
}

/* The listener is killed and started anew while the end is on its way. */
static void
test_restart_at_end (void)
{
  Net *n = net_new (14);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_CALLER);
  FaspEndpointConfig b = config (VNET_B, FASP_MODE_LISTENER);

  join (n, VNET_B, &b, VNET_A);
  join (n, VNET_A, &a, VNET_B);
  run (n, 2 * FASP_SEC);
  leave (n, VNET_B);
  n->bitrate = n->held = 0;
  n->finish = TRUE;
  run (n, FASP_SEC);
  join (n, VNET_B, &b, VNET_A);
  run (n, 10 * FASP_SEC);
  assert_whole (n, VNET_B);
  g_assert_cmpuint (stats_of (n, VNET_A).bytes_unconfirmed, ==, 0);
  net_free (n);
}

/* A receiver connects at the very moment at which the stream ends: it is told,
 * and does not wait for ever. */
static void
test_join_at_end (void)
{
  for (guint ms = 0; ms < 200; ms += 5) {
    Net *n = net_new (15);
    FaspEndpointConfig a = config (VNET_A, FASP_MODE_LISTENER);
    FaspEndpointConfig r = config (VNET_B, FASP_MODE_CALLER);

    r.reconnect = FALSE;
    join (n, VNET_A, &a, VNET_B);
    join (n, VNET_B, &r, VNET_A);
    run (n, FASP_SEC);
    join (n, VNET_C, &r, VNET_A);
    run (n, ms * FASP_MSEC);
    n->bitrate = n->held = 0;
    n->finish = TRUE;
    run (n, 8 * FASP_SEC);
    assert_whole (n, VNET_B);
    g_assert_true (n->nodes[VNET_C].eos
        || n->nodes[VNET_C].events[FASP_EVENT_REJECTED] > 0
        || (n->nodes[VNET_C].events[FASP_EVENT_REMOVED] > 0
            && n->nodes[VNET_C].last[FASP_EVENT_REMOVED].reason ==
            FASP_REASON_STOPPED));
    net_free (n);
  }
}

/* Unpaced, one receiver that loses everything must not starve the other. */
static void
test_turns (void)
{
  Net *n = net_new (16);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig r = config (VNET_B, FASP_MODE_CALLER);

  a.max_bitrate = 0;
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = .5;
  n->bitrate = 50000000;
  join (n, VNET_A, &a, VNET_B);
  join (n, VNET_B, &r, VNET_A);
  join (n, VNET_C, &r, VNET_A);
  run (n, 5 * FASP_SEC);
  g_assert_cmpuint (n->nodes[VNET_C].read, >, n->written * 8 / 10);
  end (n);
  assert_whole (n, VNET_B);
  assert_whole (n, VNET_C);
  net_free (n);
}

/* --- deadlines, paths ------------------------------------------------------------------ */

/* too-late=skip: what is not there in time is given up, told, counted, and
 * everything else is delivered. */
static void
test_too_late (void)
{
  Net *n = net_new (9);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = config (VNET_B, FASP_MODE_CALLER);
  ImpairConfig *wire = vnet_get_wire (n->net, VNET_A, VNET_B);
  FaspSessionStats stats;

  a.latency_ms = b.latency_ms = 300;
  b.too_late_skip = TRUE;
  join (n, VNET_A, &a, VNET_B);
  join (n, VNET_B, &b, VNET_A);
  run (n, 3 * FASP_SEC);
  wire->loss = 1;
  run (n, 600 * FASP_MSEC);
  wire->loss = 0;
  run (n, 5 * FASP_SEC);
  stats = session_of (n, VNET_B);
  g_assert_cmpuint (stats.blocks_too_late, >, 0);
  g_assert_cmpuint (n->nodes[VNET_B].discontinuities, >=, 1);
  end (n);
  g_assert_true (n->nodes[VNET_B].eos);
  g_assert_false (n->nodes[VNET_B].wrong);
  net_free (n);
}

/* The path narrows in the middle of the stream. */
static void
test_narrow (void)
{
  Net *n = net_new (10);

  join_default (n);
  vnet_get_wire (n->net, VNET_A, VNET_B)->mtu = 1500;
  run (n, 3 * FASP_SEC);
  g_assert_cmpuint (session_of (n, VNET_A).datagram_size, ==, 1472);
  vnet_get_wire (n->net, VNET_A, VNET_B)->mtu = 1300;
  run (n, 10 * FASP_SEC);
  g_assert_cmpuint (session_of (n, VNET_A).datagram_size, ==, 1252);
  end (n);
  assert_whole (n, VNET_B);
  net_free (n);
}

/* --- hostility --------------------------------------------------------------------------- */

typedef struct
{
  Net *n;
  GPtrArray *seen;              /* GBytes */
  GArray *sides;
} Tap;

static void
on_datagram (gpointer data, VnetSide from, FaspTime now, const guint8 * bytes,
    gsize size)
{
  Tap *tap = data;

  if (tap->seen->len >= 4000 || size == 0)
    return;
  g_ptr_array_add (tap->seen, g_bytes_new (bytes, size));
  g_array_append_val (tap->sides, from);
}

/* Everything that was ever on the wire comes again, from the right and from
 * wrong addresses, whole and damaged; and noise. */
static void
test_hostile (void)
{
  for (guint seed = 1; seed <= 5; seed++) {
    Net *n = net_new (seed);
    GRand *rand = g_rand_new_with_seed (seed);
    Tap tap = { n, g_ptr_array_new_with_free_func ((GDestroyNotify)
          g_bytes_unref), g_array_new (FALSE, FALSE, sizeof (VnetSide))
    };

    join_default (n);
    vnet_set_tap (n->net, on_datagram, &tap);
    for (guint i = 0; i < 400; i++) {
      run (n, 10 * FASP_MSEC);
      for (guint j = 0; j < 20 && tap.seen->len > 0; j++) {
        guint which = g_rand_int_range (rand, 0, tap.seen->len);
        VnetSide from = g_array_index (tap.sides, VnetSide, which);
        gsize size = 0;
        gconstpointer bytes = g_bytes_get_data (g_ptr_array_index (tap.seen,
                which), &size);
        g_autofree guint8 *copy = g_memdup2 (bytes, size);
        FaspAddress address = vnet_get_address (from);

        switch (j % 5) {
          case 0:              /* a replay */
            break;
          case 1:              /* from somewhere else */
            address = vnet_get_address (VNET_D);
            break;
          case 2:              /* damaged */
            copy[g_rand_int_range (rand, 0, size)] ^= 1 <<
                g_rand_int_range (rand, 0, 8);
            break;
          case 3:              /* cut */
            size = g_rand_int_range (rand, 0, size);
            break;
          case 4:              /* noise behind a good start, yet to come */
            if (size > 7)
              copy[6] += 128;   /* of the packet number */
            for (gsize k = 9; k < size; k++)
              copy[k] = g_rand_int (rand);
            break;
        }
        vnet_inject (n->net, from == VNET_A ? VNET_B : VNET_A, &address,
            copy, size);
      }
    }
    vnet_set_tap (n->net, NULL, NULL);
    run (n, 3 * FASP_SEC);
    g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_CONNECTED], ==, 1);
    g_assert_cmpuint (n->nodes[VNET_B].events[FASP_EVENT_REMOVED], ==, 0);
    g_assert_cmpuint (stats_of (n, VNET_B).datagrams_forged, >, 0);
    g_assert_cmpuint (stats_of (n, VNET_B).datagrams_malformed, >, 0);
    g_assert_cmpuint (session_of (n, VNET_B).datagrams_duplicate, >, 0);
    end (n);
    assert_whole (n, VNET_B);
    g_ptr_array_unref (tap.seen);
    g_array_unref (tap.sides);
    g_rand_free (rand);
    net_free (n);
  }
}

/* Half an hour at 10 % loss, the reader held up now and then: the buffers
 * keep below their limits and come back to nothing. */
static void
test_memory (void)
{
  Net *n = net_new (11);
  FaspEndpointConfig a = config (VNET_A, FASP_MODE_LISTENER);
  FaspEndpointConfig b = config (VNET_B, FASP_MODE_CALLER);

  a.buffer_size = b.buffer_size = 2 << 20;
  n->bitrate = 2000000;
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = .1;
  vnet_get_wire (n->net, VNET_B, VNET_A)->loss = .1;
  join (n, VNET_A, &a, VNET_B);
  join (n, VNET_B, &b, VNET_A);
  for (guint i = 0; i < 30; i++) {
    run (n, 40 * FASP_SEC);
    n->nodes[VNET_B].stopped = TRUE;
    run (n, (i % 4) * 10 * FASP_SEC);
    n->nodes[VNET_B].stopped = FALSE;
  }
  end (n);
  run (n, 30 * FASP_SEC);
  assert_whole (n, VNET_B);
  g_assert_cmpuint (n->nodes[VNET_A].max_buffer, <=, 2 << 20);
  g_assert_cmpuint (n->nodes[VNET_B].max_buffer, <=, 2 << 20);
  g_assert_cmpuint (stats_of (n, VNET_A).buffer_bytes, ==, 0);
  g_assert_cmpuint (stats_of (n, VNET_B).buffer_bytes, ==, 0);
  net_free (n);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/endpoint/open", test_open);
  g_test_add_func ("/endpoint/cookie", test_cookie);
  g_test_add_func ("/endpoint/flood", test_flood);
  g_test_add_func ("/endpoint/versions", test_versions);
  g_test_add_func ("/endpoint/same-role", test_same_role);
  g_test_add_data_func ("/endpoint/ask/accept", GINT_TO_POINTER (TRUE),
      test_ask);
  g_test_add_data_func ("/endpoint/ask/refuse", GINT_TO_POINTER (FALSE),
      test_ask);
  g_test_add_func ("/endpoint/latency", test_latency);
  g_test_add_func ("/endpoint/rendezvous", test_rendezvous);
  g_test_add_func ("/endpoint/unanswered", test_unanswered);
  g_test_add_func ("/endpoint/busy", test_busy);
  g_test_add_func ("/endpoint/keep-calling", test_keep_calling);
  g_test_add_func ("/endpoint/receivers", test_receivers);
  g_test_add_data_func ("/endpoint/slow/wait",
      GINT_TO_POINTER (FASP_SLOW_WAIT), test_slow);
  g_test_add_data_func ("/endpoint/slow/drop-receiver",
      GINT_TO_POINTER (FASP_SLOW_DROP_RECEIVER), test_slow);
  g_test_add_data_func ("/endpoint/slow/skip",
      GINT_TO_POINTER (FASP_SLOW_SKIP), test_slow);
  g_test_add_func ("/endpoint/slow/dead-one", test_dead_one);
  g_test_add_data_func ("/endpoint/wait-for-connection",
      GINT_TO_POINTER (TRUE), test_wait);
  g_test_add_data_func ("/endpoint/pass-unheard", GINT_TO_POINTER (FALSE),
      test_wait);
  g_test_add_data_func ("/endpoint/rebind/receiver",
      GINT_TO_POINTER (VNET_B), test_rebind);
  g_test_add_data_func ("/endpoint/rebind/sender", GINT_TO_POINTER (VNET_A),
      test_rebind);
  g_test_add_func ("/endpoint/outage", test_outage);
  g_test_add_func ("/endpoint/death", test_death);
  g_test_add_func ("/endpoint/restart", test_restart);
  g_test_add_data_func ("/endpoint/stop/sender", GINT_TO_POINTER (VNET_A),
      test_stop);
  g_test_add_data_func ("/endpoint/stop/receiver", GINT_TO_POINTER (VNET_B),
      test_stop);
  g_test_add_func ("/endpoint/unconfirmed", test_unconfirmed);
  g_test_add_data_func ("/endpoint/hold/back", GINT_TO_POINTER (TRUE),
      test_hold);
  g_test_add_data_func ("/endpoint/hold/gone", GINT_TO_POINTER (FALSE),
      test_hold);
  g_test_add_func ("/endpoint/restart-at-end", test_restart_at_end);
  g_test_add_func ("/endpoint/join-at-end", test_join_at_end);
  g_test_add_func ("/endpoint/turns", test_turns);
  g_test_add_func ("/endpoint/too-late", test_too_late);
  g_test_add_func ("/endpoint/narrow", test_narrow);
  g_test_add_func ("/endpoint/hostile", test_hostile);
  g_test_add_func ("/endpoint/memory", test_memory);
  return g_test_run ();
}
