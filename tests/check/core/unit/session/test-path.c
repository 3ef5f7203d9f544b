/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Flows between the same two addresses are of one path, and what the paths may send is shared out.
 */
#include "faspsessionprivate.h"
#include "vcases.h"

#define FLOWS 6
#define MBIT 1000000

typedef struct
{
  FaspStore *store;
  FaspSession *session;
} Fixture;

/* An IPv4 address, seen by our socket @link. */
static FaspAddress
address (guint8 host, guint16 port, guint8 link)
{
  FaspAddress a = { .len = 16, .overhead = 28, .socket = link };

  a.bytes[0] = 2;
  a.bytes[2] = port >> 8;
  a.bytes[3] = port;
  a.bytes[7] = host;
  return a;
}

static void
set_up (Fixture *f, guint flowlets, FaspRateControl control, guint64 min, guint64 max)
{
  static const guint8 secret[FASP_PING_SECRET] = { 1 };
  FaspAddress none = { 0 };
  FaspSession *s;

  f->store = fasp_store_new (1 << 20, 1200);
  s = f->session = fasp_session_new (FASP_ROLE_SENDER, 1, FASP_SEC, &none, FLOWS, secret, NULL);
  fasp_session_send (s, FASP_SEC, &(FaspTxConfig) { .store = f->store, .window = 1024 });
  fasp_multipath_init (&s->multipath, FASP_ASSIGNMENT_RANDOM, FLOWS, 1, FASP_SEC);
  fasp_pacer_init (&s->pacer, 0, 0);
  s->paths.flowlets = flowlets;
  fasp_session_control (s, FASP_SEC, control, min, max);
  fasp_session_open (s, FASP_SEC);
}

static void
tear_down (Fixture *f)
{
  fasp_session_free (f->session);
  fasp_store_free (f->store);
}

static guint
prove (Fixture *f, guint8 flow, guint8 host, guint16 port, guint8 link)
{
  FaspAddress a = address (host, port, link);

  fasp_session_set_address (f->session, flow, &a);
  fasp_session_trust (f->session, FASP_SEC, flow);
  return f->session->flows[flow].path;
}

/* --- which flow is of which path -------------------------------------------------------- */

typedef struct
{
  guint8 host;
  guint16 port;
  guint8 link;
  guint path;
} Flow;

typedef struct
{
  const gchar *name;
  guint flowlets;
  Flow flows[FLOWS];
  guint n_paths;
} Case;

static const Case cases[] = {
  { "flowlets", 6,
      { { 1, 7001, 0, 0 }, { 1, 7002, 1, 0 }, { 1, 7003, 2, 0 }, { 1, 7004, 3, 0 },
          { 1, 7005, 4, 0 }, { 1, 7006, 5, 0 } },
      1 },
  { "bonded", 1,
      { { 1, 7001, 0, 0 }, { 2, 7001, 1, 1 }, { 3, 7001, 2, 2 }, { 3, 7001, 3, 3 },
          { 3, 7001, 4, 4 }, { 3, 7001, 5, 5 } },
      6 },
  /* the call was answered by the second address */
  { "both", 3,
      { { 2, 7001, 3, 0 }, { 1, 7001, 0, 1 }, { 1, 7002, 1, 1 }, { 2, 7002, 4, 0 },
          { 1, 7003, 2, 1 }, { 2, 7003, 5, 0 } },
      2 },
  /* a listener with one address, whom somebody calls from two */
  { "two callers' addresses", 6,
      { { 1, 4001, 0, 0 }, { 2, 4002, 1, 1 }, { 1, 4003, 2, 0 }, { 2, 4004, 3, 1 },
          { 1, 4005, 4, 0 }, { 2, 4006, 5, 1 } },
      2 },
};

static void
test_flows (gconstpointer data)
{
  const Case *c = data;
  Fixture f;

  set_up (&f, c->flowlets, FASP_RATE_CONTROL_ADAPTIVE, 0, 0);
  for (guint i = 0; i < FLOWS; i++) {
    const Flow *flow = &c->flows[i];

    g_assert_cmpuint (prove (&f, i, flow->host, flow->port, flow->link), ==, flow->path);
  }
  g_assert_cmpuint (f.session->paths.n, ==, c->n_paths);
  for (guint i = 0; i < FLOWS; i++)
    g_assert_true (f.session->paths.list[c->flows[i].path].flows >> i & 1);
  tear_down (&f);
}

/* Wherever the peer moves, a flow stays with its path, and what is known of that. */
static void
test_moves (void)
{
  Fixture f;

  set_up (&f, 1, FASP_RATE_CONTROL_ADAPTIVE, 0, 0);
  g_assert_cmpuint (prove (&f, 0, 1, 7001, 0), ==, 0);
  g_assert_cmpuint (prove (&f, 1, 2, 7001, 1), ==, 1);
  g_assert_cmpuint (prove (&f, 1, 9, 7009, 1), ==, 1);
  g_assert_cmpuint (f.session->paths.n, ==, 2);
  g_assert_cmpuint (f.session->paths.list[1].address.bytes[7], ==, 9);
  tear_down (&f);
}

/* --- rates ----------------------------------------------------------------------------- */

/* What the paths find is added up, and max-bitrate bounds the sum. */
static void
test_sum (void)
{
  static const struct
  {
    guint64 max, first, second, sum;
  } table[] = {
    { 0, 5 * MBIT, 3 * MBIT, 8 * MBIT },
    { 10 * MBIT, 5 * MBIT, 3 * MBIT, 8 * MBIT },
    { 7 * MBIT, 5 * MBIT, 3 * MBIT, 7 * MBIT },
    { 4 * MBIT, 5 * MBIT, 3 * MBIT, 4 * MBIT },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    Fixture f;
    FaspPath *paths;

    set_up (&f, 1, FASP_RATE_CONTROL_ADAPTIVE, 0, table[i].max);
    prove (&f, 0, 1, 7001, 0);
    prove (&f, 1, 2, 7001, 1);
    paths = f.session->paths.list;
    paths[0].rate->rate = paths[0].rate->offer = table[i].first;
    paths[1].rate->rate = paths[1].rate->offer = table[i].second;
    g_assert_cmpuint (fasp_session_get_channel_rate (f.session), ==, table[i].sum);
    g_assert_cmpuint (fasp_session_get_offer (f.session), ==, table[i].sum);
    fasp_session_follow_rate (f.session, FASP_SEC);
    if (table[i].max > 0)
      g_assert_cmpuint (f.session->pacer.ready.rate, <=, table[i].max);
    g_assert_cmpuint (paths[0].pacer.ready.rate, ==, paths[0].pace);
    tear_down (&f);
  }
}

/* Together they never send less than min-bitrate; each only what the others lack of it. */
static void
test_least (void)
{
  Fixture f;
  FaspPath *paths;

  set_up (&f, 1, FASP_RATE_CONTROL_ADAPTIVE, 20 * MBIT, 50 * MBIT);
  prove (&f, 0, 1, 7001, 0);
  prove (&f, 1, 2, 7001, 1);
  paths = f.session->paths.list;
  fasp_session_follow_rate (f.session, FASP_SEC);
  g_assert_cmpuint (paths[0].pace + paths[1].pace, >=, 20 * MBIT);
  g_assert_cmpuint (f.session->pacer.ready.rate, >=, 20 * MBIT);
  g_assert_cmpuint (paths[1].pace, <, 10 * MBIT);
  tear_down (&f);
}

/* Several paths of a fixed rate have controllers while max-bitrate paces them: an equal part each
 * at first. A max-bitrate of 0 ends the pacing. */
static void
test_divided (void)
{
  Fixture f;
  FaspSession *s;

  set_up (&f, 1, FASP_RATE_CONTROL_FIXED, 0, 8000000);
  s = f.session;
  s->paths.has_arrivals = TRUE;
  for (guint8 i = 0; i < 2; i++) {
    g_assert_false (fasp_session_is_controlled (s));
    prove (&f, i, 1 + i, 7001, i);
  }
  for (guint i = 0; i < 2; i++) {
    g_assert_true (fasp_session_is_controlled (s));
    g_assert_cmpuint (s->paths.list[0].rate->rate, ==, 4000000);
    g_assert_cmpuint (s->paths.list[1].rate->rate, ==, 4000000);
    fasp_session_set_bitrates (s, FASP_SEC, 0, 0);
    g_assert_false (fasp_session_is_controlled (s));
    g_assert_null (s->paths.list[1].rate);
    g_assert_cmpuint (fasp_session_get_channel_rate (s), ==, 0);
    g_assert_cmpint (fasp_path_get_time (&s->paths.list[1], FASP_SEC, 1500), <=, FASP_SEC);
    g_assert_cmpint (s->paths.until, ==, FASP_NEVER);
    fasp_session_set_bitrates (s, FASP_SEC, 0, 8000000);
  }
  tear_down (&f);
}

/* --- delays ---------------------------------------------------------------------------- */

/* The least of late is that of the last 15 to 30 s, whatever the clocks are apart. */
static void
test_delay (void)
{
  static const FaspTime apart[] = { 0, -5000 * FASP_SEC, 5000 * FASP_SEC };

  for (guint i = 0; i < G_N_ELEMENTS (apart); i++) {
    FaspTime now = FASP_SEC;
    FaspPath path;

    fasp_path_init (&path);
    fasp_path_delayed (&path, now, apart[i] + 20 * FASP_MSEC);
    g_assert_cmpint (fasp_path_get_queue (&path), ==, 0);
    for (guint j = 0; j < 50; j++)
      fasp_path_delayed (&path, now += 10 * FASP_MSEC, apart[i] + 80 * FASP_MSEC);
    g_assert_cmpint (fasp_path_get_least (&path), ==, apart[i] + 20 * FASP_MSEC);
    g_assert_cmpint (ABS (fasp_path_get_queue (&path) - 60 * FASP_MSEC), <, FASP_MSEC);
    fasp_path_delayed (&path, now += 15 * FASP_SEC, apart[i] + 80 * FASP_MSEC);
    g_assert_cmpint (fasp_path_get_least (&path), ==, apart[i] + 20 * FASP_MSEC);
    fasp_path_delayed (&path, now += 15 * FASP_SEC, apart[i] + 80 * FASP_MSEC);
    g_assert_cmpint (fasp_path_get_least (&path), ==, apart[i] + 80 * FASP_MSEC);
    g_assert_cmpint (fasp_path_get_queue (&path), <, FASP_MSEC);
  }
}

/* A report is overdue after a round trip and a margin. */
static void
test_silence (void)
{
  FaspPath path;

  fasp_path_init (&path);
  g_assert_cmpint (fasp_path_get_silence (&path, FASP_SEC, 0), ==, 0); /* nothing is known yet */
  fasp_rtt_sample (&path.rtt, 40 * FASP_MSEC, 0);
  g_assert_cmpint (fasp_path_get_silence (&path, FASP_SEC, FASP_NEVER), ==, 0);
  g_assert_cmpint (fasp_path_get_silence (&path, FASP_SEC, FASP_SEC - 50 * FASP_MSEC), ==, 0);
  g_assert_cmpint (fasp_path_get_silence (&path, FASP_SEC, FASP_SEC - 100 * FASP_MSEC), ==,
      45 * FASP_MSEC);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  vcases_add ("/path/flows", cases, sizeof *cases, G_N_ELEMENTS (cases), test_flows);
  g_test_add_func ("/path/moves", test_moves);
  g_test_add_func ("/path/sum", test_sum);
  g_test_add_func ("/path/least", test_least);
  g_test_add_func ("/path/divided", test_divided);
  g_test_add_func ("/path/delay", test_delay);
  g_test_add_func ("/path/silence", test_silence);
  return g_test_run ();
}
