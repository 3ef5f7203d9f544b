/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Receivers that join a stream in its past, or at a key frame of it, in virtual time.
 */
#include <string.h>
#include "fasphistory.h"
#include "vcases.h"
#include "vcast.h"
#include "vchain.h"

typedef struct
{
  FaspJoin join, wish; /* the sender's and the receiver's */
  guint32 back_ms;     /* the receiver's */
  FaspTime history;
  gint64 first, slack; /* bytes before the live edge, to be expected */
} Join;

static void
test_join (gconstpointer data)
{
  const Join *j = data;
  g_autoptr (VChain) p = vchain_new (3);
  guint64 live, key;

  vchain_wire (p, VNET_A, VNET_H, 10 * FASP_MSEC, 0);
  p->sender.settings.wait_for_connection = FALSE;
  p->sender.join = j->join;
  p->sender.history = j->history;
  vchain_begin (p);
  for (guint i = 0; i < 5; i++) {
    vchain_run (p, FASP_SEC);
    fasp_endpoint_begin_key_frame (p->source, vnet_get_time (p->net),
        vchain_media_time_of (p, p->written), FALSE);
    key = p->written;
  }
  vchain_run (p, 500 * FASP_MSEC);
  p->receiver.join = j->wish;
  p->receiver.join_back_ms = j->back_ms;
  live = p->written;
  vchain_join (p, VNET_A);
  vchain_run (p, 3 * FASP_SEC);
  g_assert_true (p->first_seen);
  if (j->first < 0) {
    g_assert_cmpuint (p->first, ==, key);
    g_assert_cmpuint (p->last_key, ==, key);
  } else
    g_assert_cmpint (ABS ((gint64) (live - p->first) - j->first), <=, j->slack);
  vchain_run_to_end (p);
  g_assert_cmpuint (p->missing, ==, 0);
  g_assert_cmpuint (p->discontinuities, ==, 0);
}

/* A full store: the past goes, nobody waits, and nothing is held beyond the limit. */
static void
test_bounded (gconstpointer data)
{
  FaspSlowPolicy policy = GPOINTER_TO_UINT (data);
  g_autoptr (VChain) p = vchain_new (4);
  FaspEndpointStats stats;

  vchain_wire (p, VNET_A, VNET_H, 20 * FASP_MSEC, .01);
  p->sender.history = 1000 * FASP_SEC;
  p->sender.join = FASP_JOIN_KEY_FRAME;
  p->sender.buffer_size = 512 * 1024;
  p->sender.settings.slow_policy = policy;
  p->sender.settings.wait_for_connection = FALSE;
  vchain_begin (p);
  fasp_endpoint_begin_key_frame (p->source, vnet_get_time (p->net), p->media_base, FALSE);
  vchain_run (p, 10 * FASP_SEC); /* ten times what it holds */
  p->receiver.join = FASP_JOIN_BACK;
  vchain_join (p, VNET_A);
  for (guint i = 0; i < 5000; i++) {
    vchain_step (p);
    fasp_endpoint_get_stats (p->source, &stats);
    g_assert_cmpuint (stats.buffer_bytes, <=, p->sender.buffer_size);
  }
  g_assert_cmpuint (p->blocked, ==, 0);
  vchain_run_to_end (p);
  g_assert_cmpuint (p->blocked, ==, 0);
}

/* Who joins far back on a channel that hardly catches up does not hold the writer, whatever
 * the policy for the slow; it is moved ahead, and told of how much. */
static void
test_slow_past (void)
{
  g_autoptr (VChain) p = vchain_new (5);

  vchain_wire (p, VNET_A, VNET_H, 20 * FASP_MSEC, 0);
  p->sender.history = 1000 * FASP_SEC;
  p->sender.buffer_size = 1 << 20;
  p->sender.settings.max_bitrate = VCHAIN_BITRATE; /* less than it needs */
  p->sender.settings.wait_for_connection = FALSE;
  vchain_begin (p);
  vchain_run (p, 10 * FASP_SEC);
  p->receiver.join = FASP_JOIN_BACK;
  vchain_join (p, VNET_A);
  vchain_run (p, 1500 * FASP_MSEC);
  vnet_configure (p->source, vnet_get_time (p->net), max_bitrate, VCHAIN_CHANNEL);
  vchain_run (p, 10 * FASP_SEC);
  g_assert_cmpuint (p->blocked, ==, 0);
  g_assert_cmpuint (p->missing, >, 0);
  g_assert_cmpuint (p->discontinuities, >, 0);
  vchain_run_to_end (p);
}

/* The stream has ended, and is kept while somebody has not got all of it: who joins in the
 * past gets it to its end; others are turned away. */
static void
test_join_finished (gconstpointer data)
{
  FaspJoin join = GPOINTER_TO_UINT (data);
  g_autoptr (VChain) p = vchain_new (9);
  FaspEndpoint *other;

  vchain_wire (p, VNET_A, VNET_H, 20 * FASP_MSEC, 0);
  p->sender.history = 60 * FASP_SEC;
  vchain_begin (p);
  other = vnet_add_endpoint (p->net, VNET_B, &p->receiver);
  vchain_dial (p, other, VNET_A);
  vchain_run (p, 2 * FASP_SEC);
  vchain_wire (p, VNET_A, VNET_B, 0, 1);
  p->finished = TRUE;
  vchain_run (p, 100 * FASP_MSEC);
  p->receiver.join = join;
  vchain_join (p, VNET_A);
  if (join == FASP_JOIN_BACK) {
    vchain_run_to_end (p);
    g_assert_cmpuint (p->first, ==, 0);
  } else {
    vchain_run (p, 3 * FASP_SEC);
    g_assert_false (p->eos);
    g_assert_cmpuint (p->read, ==, 0);
  }
  vnet_attach (p->net, VNET_B, NULL);
  fasp_endpoint_free (other);
}

/* Who gives up by itself loses count, and is told again within seconds. */
static void
test_given_up (gconstpointer data)
{
  g_autoptr (VChain) p = vchain_new (GPOINTER_TO_UINT (data));

  vchain_wire (p, VNET_A, VNET_H, 200 * FASP_MSEC, .05);
  p->sender.settings.latency_ms = p->receiver.settings.latency_ms = 50;
  p->receiver.settings.too_late_skip = TRUE;
  vchain_begin (p);
  vchain_join (p, VNET_A);
  vchain_run (p, 10 * FASP_SEC);
  g_assert_cmpuint (p->discontinuities, >, 10);
  vchain_wire (p, VNET_A, VNET_H, 200 * FASP_MSEC, 0);
  vchain_run (p, 3 * FASP_SEC);
  g_assert_cmpuint (p->end.offset, !=, FASP_OFFSET_UNKNOWN);
  p->finished = TRUE;
  vchain_run (p, 3 * FASP_SEC);
  g_assert_true (p->eos);
  g_assert_cmpuint (p->end.offset, ==, p->written);
}

/* One that is half open while bytes pass that nobody gets hears where it begins. */
static void
test_pass (void)
{
  for (guint delay = 0; delay < 40; delay += 3) {
    g_autoptr (VChain) p = vchain_new (delay + 1);

    vchain_wire (p, VNET_A, VNET_H, 100 * FASP_MSEC, 0);
    p->sender.settings.wait_for_connection = FALSE;
    vchain_begin (p);
    vchain_run (p, delay * FASP_MSEC);
    vchain_join (p, VNET_A);
    vchain_run (p, FASP_SEC);
    g_assert_cmpuint (p->first, >, VCHAIN_BITRATE / 8 / 20);
    vchain_run_to_end (p);
    g_assert_cmpuint (p->discontinuities, ==, 0);
  }
}

/* Whatever a receiver says that it wants: a block that is kept, or the next. */
static void
test_wants (void)
{
  static const struct
  {
    guint8 origin; /* 0: that of the sender, or filled with this */
    FaspJoin join;
    guint32 back_ms;
    guint64 offset, first;
  } table[] = {
    { 0, FASP_JOIN_LIVE, 0, 0, 0 },
    { 0, FASP_JOIN_LIVE, 0, 1, 0 },
    { 0, FASP_JOIN_LIVE, 0, VCHAIN_CHUNK * 100, VCHAIN_CHUNK * 100 },
    { 0, FASP_JOIN_LIVE, 0, G_MAXUINT64, G_MAXUINT64 },
    { 0, FASP_JOIN_LIVE, 0, G_MAXUINT64 - 1, G_MAXUINT64 },
    { 0, FASP_JOIN_LIVE, 0, FASP_OFFSET_MAX, G_MAXUINT64 },
    { 0, FASP_JOIN_BACK, 0, FASP_OFFSET_MAX + 1, 0 },
    { 7, FASP_JOIN_LIVE, 0, 5, G_MAXUINT64 },
    { 7, FASP_JOIN_BACK, 0, 5, 0 },
    { 7, FASP_JOIN_BACK, G_MAXUINT32, 5, 0 },
    { 7, 99, 0, 5, G_MAXUINT64 },
    { 7, FASP_JOIN_KEY_FRAME, 0, 5, G_MAXUINT64 },
  };
  g_autoptr (VChain) p = vchain_new (6);

  p->sender.settings.wait_for_connection = FALSE;
  p->sender.history = 100 * FASP_SEC;
  vchain_begin (p);
  vchain_run (p, 3 * FASP_SEC);
  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    FaspWants wants = { .join = table[i].join, .back_ms = table[i].back_ms };
    guint8 bytes[FASP_OPEN_SIZE];
    FaspWriter w = { bytes, sizeof bytes };
    FaspHello said = { .role = FASP_ROLE_RECEIVER, .cid = 1 }, heard;
    guint64 start, head = fasp_store_seal (p->source->store);
    FaspStreamOffset position;

    wants.from = fasp_store_get_next_offset (p->source->store);
    if (table[i].origin > 0)
      memset (wants.from.origin.bytes, table[i].origin, FASP_ORIGIN_SIZE);
    wants.from.offset = table[i].offset;
    said.wants = wants;
    fasp_wire_write_hello (&w, &said);
    g_assert_true (fasp_wire_parse_hello (bytes, w.used, &heard));
    start = fasp_history_choose (p->source, vnet_get_time (p->net), &heard.wants);
    position = fasp_store_get_stream_offset (p->source->store, start);
    if (table[i].first == G_MAXUINT64) {
      g_assert_cmpuint (start, ==, head);
    } else {
      g_assert_cmpuint (position.offset, <=, table[i].first);
      g_assert_cmpuint (position.offset + fasp_store_get (p->source->store, start)->size, >,
          table[i].first);
    }
  }
}

/* A relay that keeps what passes hears whose stream it is while its first receiver is half
 * open: from the first byte on it is that stream.  A real run found it otherwise. */
static void
test_half_open (void)
{
  for (guint delay = 0; delay < 160; delay += 4) {
    g_autoptr (VChain) p = vchain_new (delay + 1);
    FaspStreamOffset position = { .known = TRUE };

    vchain_wire (p, VNET_A, VNET_H, 100 * FASP_MSEC, 0);
    p->sender.settings.wait_for_connection = FALSE;
    p->sender.history = 60 * FASP_SEC;
    p->sender.join = FASP_JOIN_BACK;
    vchain_begin (p);
    vchain_join (p, VNET_A);
    vnet_run_for (p->net, delay * FASP_MSEC);
    memset (position.origin.bytes, 0x11, FASP_ORIGIN_SIZE);
    g_assert_true (fasp_endpoint_set_stream_offset (p->source, vnet_get_time (p->net),
        vchain_media_time_of (p, 0), &position));
    while (p->read == 0)
      vchain_step (p);
    g_assert_true (fasp_origin_equal (&p->end.origin, &position.origin));
    vchain_run (p, FASP_SEC);
    g_assert_cmpuint (p->first, ==, 0);
    vchain_run_to_end (p);
    g_assert_cmpuint (p->discontinuities, ==, 0);
  }
}

/* Who is moved over the mark of another stream hears whose it is all the same. */
static void
test_skip_origin (void)
{
  g_autoptr (VChain) p = vchain_new (8);
  FaspStreamOffset position = { .known = TRUE };

  vchain_wire (p, VNET_A, VNET_H, 20 * FASP_MSEC, 0);
  p->sender.settings.slow_policy = FASP_SLOW_SKIP;
  p->sender.buffer_size = 512 * 1024;
  vchain_begin (p);
  vchain_join (p, VNET_A);
  vchain_run (p, FASP_SEC);
  /* nothing comes through for longer than the store holds */
  vchain_wire (p, VNET_A, VNET_H, 20 * FASP_MSEC, 1);
  vchain_run (p, 200 * FASP_MSEC);
  memset (position.origin.bytes, 0x22, FASP_ORIGIN_SIZE);
  position.offset = p->written;
  g_assert_true (fasp_endpoint_set_stream_offset (p->source, vnet_get_time (p->net),
      vchain_media_time_of (p, p->written), &position));
  vchain_run (p, 4 * FASP_SEC);
  vchain_wire (p, VNET_A, VNET_H, 20 * FASP_MSEC, 0);
  vchain_run (p, 2 * FASP_SEC);
  g_assert_true (fasp_origin_equal (&p->end.origin, &position.origin));
  p->finished = TRUE;
  vchain_run (p, 2 * FASP_SEC);
  g_assert_true (p->eos);
  g_assert_cmpuint (p->end.offset, ==, p->written);
}

static const Join joins[] = {
  { FASP_JOIN_ANY, FASP_JOIN_ANY, 0, 0, 0, 8000 },
  { FASP_JOIN_LIVE, FASP_JOIN_ANY, 0, 10 * FASP_SEC, 0, 6000 },
  { FASP_JOIN_KEY_FRAME, FASP_JOIN_ANY, 0, 0, -1, 0 },
  { FASP_JOIN_KEY_FRAME, FASP_JOIN_LIVE, 0, 0, 0, 6000 },
  { FASP_JOIN_LIVE, FASP_JOIN_KEY_FRAME, 0, 10 * FASP_SEC, -1, 0 },
  { FASP_JOIN_LIVE, FASP_JOIN_KEY_FRAME, 0, 0, 0, 8000 },
  { FASP_JOIN_BACK, FASP_JOIN_ANY, 0, 2 * FASP_SEC, VCHAIN_BITRATE / 8 * 2, 10000 },
  { FASP_JOIN_LIVE, FASP_JOIN_BACK, 1000, 3 * FASP_SEC, VCHAIN_BITRATE / 8, 10000 },
  { FASP_JOIN_LIVE, FASP_JOIN_BACK, G_MAXUINT32, 3 * FASP_SEC, VCHAIN_BITRATE / 8 * 3, 10000 },
  { FASP_JOIN_LIVE, FASP_JOIN_BACK, 0, 3 * FASP_SEC, VCHAIN_BITRATE / 8 * 3, 10000 },
};

/* A sink calls a receiver that is not there yet. Where the receiver begins is what
 * holds when it answers, not what held when the sink began to call. */
static void
test_call_early (gconstpointer data)
{
  FaspJoin join = GPOINTER_TO_INT (data);
  g_autoptr (VCast) n = vcast_new (1);
  guint64 written;

  vcast_let_call (n, VNET_A);
  n->sender.settings.wait_for_connection = FALSE;
  n->sender.history = 60 * FASP_SEC;
  n->sender.join = join;
  n->sender.join_back_ms = 2000;
  vcast_join (n, VNET_A, VNET_B);
  vcast_run (n, 15 * FASP_SEC);
  written = n->written;
  vcast_join (n, VNET_B, VNET_A);
  vcast_run (n, 3 * FASP_SEC);
  g_assert_cmpint (n->nodes[VNET_B].origin, >=,
      written - n->bitrate / 8 * (join == FASP_JOIN_BACK ? 3 : 1));
  g_assert_cmpuint (vcast_get_session (n, VNET_A).delivery.skipped, ==, 0);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_SKIPPED], ==, 0);
  g_assert_cmpuint (vcast_get_stats (n, VNET_B).bytes_missing, ==, 0);
  vcast_end_whole (n, VNET_B);
}

/* Who joined in the past, and is moved ahead from there when there is no room, is not
 * reported as one that does not keep up. Who stays behind after that is. */
static void
test_past_is_not_slow (void)
{
  g_autoptr (VCast) n = vcast_new (1);

  n->sender.settings.wait_for_connection = FALSE;
  n->sender.history = 60 * FASP_SEC;
  n->sender.buffer_size = 2 << 20;
  n->sender.settings.slow_policy = FASP_SLOW_SKIP;
  n->sender.settings.max_bitrate = n->bitrate / 4;
  n->sender.settings.latency_ms = 60000;
  vcast_join (n, VNET_A, VNET_B);
  vcast_run (n, 2 * FASP_SEC);
  n->receiver.join = FASP_JOIN_BACK;
  vcast_join (n, VNET_B, VNET_A);
  while (vcast_get_session (n, VNET_A).delivery.skipped == 0)
    vcast_run (n, FASP_SEC / 10);
  g_assert_cmpuint (n->nodes[VNET_A].events[FASP_EVENT_SKIPPED], ==, 0);
  while (n->nodes[VNET_A].events[FASP_EVENT_SKIPPED] == 0)
    vcast_run (n, FASP_SEC / 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (joins); i++) {
    g_autofree gchar *name = g_strdup_printf ("/past/join/%u", i);

    g_test_add_data_func (name, &joins[i], test_join);
  }
  g_test_add_data_func ("/past/bounded/wait", GUINT_TO_POINTER (FASP_SLOW_WAIT), test_bounded);
  g_test_add_data_func ("/past/bounded/drop", GUINT_TO_POINTER (FASP_SLOW_DROP_RECEIVER),
      test_bounded);
  g_test_add_func ("/past/slow-past", test_slow_past);
  g_test_add_func ("/past/wants", test_wants);
  g_test_add_data_func ("/past/join-finished/back", GUINT_TO_POINTER (FASP_JOIN_BACK),
      test_join_finished);
  g_test_add_data_func ("/past/join-finished/live", GUINT_TO_POINTER (FASP_JOIN_LIVE),
      test_join_finished);
  vcases_add_seeds ("/past/given-up", 4, test_given_up);
  g_test_add_func ("/past/pass", test_pass);
  g_test_add_func ("/past/half-open", test_half_open);
  g_test_add_func ("/past/skip-origin", test_skip_origin);
  g_test_add_data_func ("/past/call-early/live", GINT_TO_POINTER (FASP_JOIN_LIVE), test_call_early);
  g_test_add_data_func ("/past/call-early/any", GINT_TO_POINTER (FASP_JOIN_ANY), test_call_early);
  g_test_add_data_func ("/past/call-early/back", GINT_TO_POINTER (FASP_JOIN_BACK), test_call_early);
  g_test_add_func ("/past/not-slow", test_past_is_not_slow);
  return g_test_run ();
}
