/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The header of a stream, for who joins in the middle, in virtual time, also through a relay: it is
 * there before the first unit that can be decoded, whatever is lost.
 */
#include "faspposition.h"
#include "vcases.h"
#include "vcast.h"
#include "vheader.h"

typedef struct
{
  const gchar *name;
  gdouble loss;
  gsize header;
  guint key_every;
  FaspJoin sender_join, join;
  FaspTime by;      /* then it reads, at the latest */
  FaspTime history; /* of the sender, */
  gsize buffer;     /* in so many bytes; 0: the usual */
} Join;

static const Join joins[] = {
  { "keys", .05, 700, 6, FASP_JOIN_ANY, FASP_JOIN_ANY, 2500 * FASP_MSEC },
  { "each", .05, 4500, 1, FASP_JOIN_ANY, FASP_JOIN_ANY, 900 * FASP_MSEC },
  { "large", .02, 60000, 3, FASP_JOIN_ANY, FASP_JOIN_LIVE, 2 * FASP_SEC },
  /* begins at one that is kept, at once */
  { "kept", .02, 700, 30, FASP_JOIN_KEY_FRAME, FASP_JOIN_ANY, 500 * FASP_MSEC },
  /* more than there is room for beside what is kept */
  { "history", .02, 200000, 6, FASP_JOIN_ANY, FASP_JOIN_ANY, 3 * FASP_SEC, 600 * FASP_SEC,
      1 << 20 },
  { "kept-asked", .02, 700, 30, FASP_JOIN_KEY_FRAME, FASP_JOIN_KEY_FRAME, 500 * FASP_MSEC },
};

static void
test_join (gconstpointer data)
{
  const Join *join = data;

  for (guint32 seed = 1; seed <= 10; seed++) {
    g_autoptr (VHeader) sim = vheader_new (seed, join->header, join->key_every);

    sim->config.join = join->sender_join;
    sim->config.history = join->history;
    if (join->buffer > 0)
      sim->config.buffer_size = join->buffer;
    vheader_begin (sim, join->loss);
    vheader_run (sim, 15 * FASP_SEC + seed * 77 * FASP_MSEC);
    sim->reader = vheader_dial (sim, VNET_B, VNET_A, join->join);
    vheader_run (sim, join->by);
    vheader_assert_entered (sim);
    vheader_run (sim, 30 * FASP_SEC);
    vheader_assert_entered (sim);
    g_assert_cmpuint (sim->next, >, sim->source.written - 2 * VHEADER_UNIT_SIZE);
  }
}

/* Who was there from the beginning has had it: it is told, for who relays, and that is all. */
static void
test_beginning (void)
{
  g_autoptr (VHeader) sim = vheader_new (1, 700, 6);

  sim->config.settings.wait_for_connection = TRUE;
  vheader_begin_without (sim, .02);
  sim->source.units = G_MAXUINT; /* nothing yet */
  vheader_join (sim);
  vheader_run (sim, FASP_SEC);
  sim->source.units = vnet_get_time (sim->net) / VHEADER_UNIT;
  fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), sim->source.header);
  vheader_run (sim, 60 * FASP_SEC);
  g_assert_cmpuint (sim->first, ==, 0);
  g_assert_cmpuint (sim->enters, ==, 0);
  /* a hundredth of the stream at most, every ten seconds */
  g_assert_cmpuint (sim->headers, >=, 4);
  g_assert_cmpuint (sim->headers, <=, 7);
}

/* A relay that was there from the beginning, or that joined; and who joins it, late. */
static void
test_relay (gconstpointer data)
{
  gboolean late = GPOINTER_TO_INT (data);

  for (guint32 seed = 1; seed <= 10; seed++)
    for (guint key_every = 1; key_every <= 6; key_every += 5) {
      g_autoptr (VHeader) sim = vheader_new (seed, 3000, key_every);

      vheader_begin (sim, .02);
      vheader_wire (sim, VNET_C, VNET_D, .02);
      if (late)
        vheader_run (sim, 7 * FASP_SEC);
      sim->relay.in = vheader_dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
      sim->relay.out = vnet_add_endpoint (sim->net, VNET_C, &sim->config);
      vheader_run (sim, 8 * FASP_SEC + seed * 77 * FASP_MSEC);
      sim->reader = vheader_dial (sim, VNET_D, VNET_C, FASP_JOIN_ANY);
      vheader_run (sim, 4 * FASP_SEC);
      vheader_assert_entered (sim);
      vheader_run (sim, 15 * FASP_SEC);
      g_assert_cmpuint (sim->next, >, sim->source.written - 2 * VHEADER_UNIT_SIZE);
    }
}

/* Who joins a relay before the second key frame of a stream that the relay has had from the
 * beginning. */
static void
test_relay_soon (void)
{
  for (guint32 seed = 1; seed <= 10; seed++) {
    g_autoptr (VHeader) sim = vheader_new (seed, 3000, 12);

    sim->source.units = G_MAXUINT; /* nothing yet */
    vheader_begin (sim, .02);
    vheader_wire (sim, VNET_C, VNET_D, .02);
    sim->relay.in = vheader_dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
    sim->relay.out = vnet_add_endpoint (sim->net, VNET_C, &sim->config);
    vheader_run (sim, 2 * FASP_SEC);
    sim->source.units = 12;
    vheader_run (sim, 3 * FASP_SEC);
    sim->reader = vheader_dial (sim, VNET_D, VNET_C, FASP_JOIN_ANY);
    vheader_run (sim, 5 * FASP_SEC);
    vheader_assert_entered (sim);
    g_assert_cmpuint (sim->first, ==, 12 * VHEADER_UNIT_SIZE);
  }
}

/* Who waits for the first of a relay that has nothing itself yet begins where that does. */
static void
test_relay_waits (void)
{
  g_autoptr (VHeader) sim = vheader_new (1, 3000, 6);

  vheader_begin (sim, 0);
  vheader_wire (sim, VNET_C, VNET_D, 0);
  sim->relay.out = vnet_add_endpoint (sim->net, VNET_C, &sim->config);
  sim->reader = vheader_dial (sim, VNET_D, VNET_C, FASP_JOIN_ANY);
  vheader_run (sim, 5 * FASP_SEC);
  sim->relay.in = vheader_dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
  vheader_run (sim, 5 * FASP_SEC);
  vheader_assert_entered (sim);
}

/* Where nothing is sent again a part may be lost, and the next time may be better. */
static void
test_no_rtx (void)
{
  g_autoptr (VHeader) sim = vheader_new (4, 4000, 3);

  sim->config.no_rtx = TRUE;
  vheader_begin (sim, 0);
  vheader_run (sim, 5 * FASP_SEC);
  vheader_join (sim);
  vheader_run (sim, 200 * FASP_MSEC);
  g_assert_cmpuint (sim->enters, ==, 0);
  vheader_run_lossy (sim, .5, 1500 * FASP_MSEC);
  g_assert_cmpuint (sim->enters, ==, 0);
  vheader_run (sim, 15 * FASP_SEC);
  vheader_assert_entered (sim);
}

/* What came just before the header was lost for good: it is whole. */
static void
test_behind_gap (void)
{
  g_autoptr (VHeader) sim = vheader_new (1, 4000, 3);

  sim->config.no_rtx = TRUE;
  vheader_begin (sim, 0);
  vheader_run (sim, 5100 * FASP_MSEC);
  vheader_join (sim);
  vheader_run (sim, 200 * FASP_MSEC);
  vheader_run_lossy (sim, 1, 600 * FASP_MSEC);
  g_assert_cmpuint (sim->first, ==, FASP_OFFSET_UNKNOWN);
  vheader_run (sim, 400 * FASP_MSEC);
  vheader_assert_entered (sim);
}

/* Who is moved ahead of it before it has it has the next, not that of ten seconds later. */
static void
test_moved_ahead (void)
{
  g_autoptr (VHeader) sim = vheader_new (1, 700, 6);

  sim->config.settings.slow_policy = FASP_SLOW_SKIP;
  sim->config.buffer_size = 1 << 18;
  vheader_begin (sim, 0);
  vheader_run (sim, 5100 * FASP_MSEC);
  vheader_join (sim);
  vheader_run (sim, 400 * FASP_MSEC);
  vheader_run_lossy (sim, 1, 5 * FASP_SEC);
  g_assert_cmpuint (sim->enters, ==, 0);
  vheader_run (sim, 2500 * FASP_MSEC);
  vheader_assert_entered (sim);
}

/* Who is moved ahead of the first bytes, in which the header is, neither. @data: whether the header
 * is known only after it has called. */
static void
test_moved_from_first (gconstpointer data)
{
  gboolean late = GPOINTER_TO_INT (data);
  g_autoptr (VHeader) sim = vheader_new (1, 700, 6);

  sim->config.settings.slow_policy = FASP_SLOW_SKIP;
  sim->config.buffer_size = 1 << 18;
  if (late) {
    vheader_begin_without (sim, 0);
  } else {
    vheader_begin (sim, 0);
  }
  sim->source.units = G_MAXUINT; /* nothing yet */
  vheader_join (sim);
  vheader_run (sim, FASP_SEC);
  if (late)
    fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), sim->source.header);
  sim->source.units = vnet_get_time (sim->net) / VHEADER_UNIT;
  vheader_run_lossy (sim, 1, 4500 * FASP_MSEC);
  g_assert_cmpuint (sim->first, ==, FASP_OFFSET_UNKNOWN);
  g_assert_cmpint (fasp_endpoint_get_header_wait (sim->sender, vnet_get_time (sim->net)), ==, 0);
  vheader_run (sim, 2500 * FASP_MSEC);
  vheader_assert_entered (sim);
}

/* Who is moved ahead of the first bytes, and is sent nothing, as no key frame comes, is known to
 * wait: since then, not since it joined. The path is not to blame. */
static void
test_moved_keyless (void)
{
  g_autoptr (VHeader) sim = vheader_new (1, 700, G_MAXUINT);
  FaspTime wait;

  sim->config.settings.slow_policy = FASP_SLOW_SKIP;
  sim->config.buffer_size = 1 << 18;
  vheader_begin_without (sim, 0);
  sim->source.units = G_MAXUINT; /* nothing yet */
  vheader_join (sim);
  vheader_run (sim, FASP_SEC);
  fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), sim->source.header);
  sim->source.units = vnet_get_time (sim->net) / VHEADER_UNIT;
  vheader_run_lossy (sim, 1, 4500 * FASP_MSEC);
  for (guint i = 0; i < 5; i++) {
    FaspAddress where;

    vheader_run (sim, FASP_SEC);
    g_assert_false (fasp_endpoint_look_for_stuck (sim->sender, vnet_get_time (sim->net), 2,
        &where));
  }
  g_assert_cmpuint (sim->first, ==, FASP_OFFSET_UNKNOWN);
  wait = fasp_endpoint_get_header_wait (sim->sender, vnet_get_time (sim->net));
  g_assert_cmpint (wait, >, 5 * FASP_SEC);
  g_assert_cmpint (wait, <, 9500 * FASP_MSEC);
}

/* What is written as fast as there is room leaves none: it waits for that. */
static void
test_full (void)
{
  g_autoptr (VHeader) sim = vheader_new (1, 100000, 6);
  FaspEndpoint *first;
  gsize done = 0;

  sim->config.buffer_size = 1 << 20;
  vheader_begin (sim, 0);
  vheader_wire (sim, VNET_A, VNET_C, 0);
  first = vheader_dial (sim, VNET_C, VNET_A, FASP_JOIN_ANY);
  sim->source.units = G_MAXUINT;
  for (guint i = 0; i < 3000; i++) {
    FaspTime now = vnet_get_time (sim->net) + VHEADER_STEP;
    VHeaderSource *s = &sim->source;
    FaspRead read;
    gboolean room = i > 100;

    vnet_run (sim->net, now);
    while (room) {
      guint8 data[VHEADER_UNIT_SIZE];
      gsize taken;

      if (done == 0 && s->written / VHEADER_UNIT_SIZE % s->key_every == 0) {
        g_hash_table_add (s->entries, g_memdup2 (&s->written, sizeof (guint64)));
        room = fasp_endpoint_begin_key_frame (sim->sender, now, now, FALSE);
        if (!room)
          break;
      }
      for (guint j = done; j < VHEADER_UNIT_SIZE; j++)
        data[j] = vcast_byte_at (s->written + j);
      taken =
          fasp_endpoint_write (sim->sender, now, now, data + done, VHEADER_UNIT_SIZE - done, NULL);
      done += taken;
      room = done == VHEADER_UNIT_SIZE;
      if (room) {
        s->written += VHEADER_UNIT_SIZE;
        done = 0;
      }
    }
    while (fasp_endpoint_read (first, now, &read))
      fasp_block_unref (read.block);
    if (i == 1000)
      vheader_join (sim);
    if (sim->reader != NULL)
      vheader_read_stream (sim, now);
  }
  vheader_assert_entered (sim);
  vnet_attach (sim->net, VNET_C, NULL);
  fasp_endpoint_free (first);
}

/* Another stream with the same header, which its relay has in the middle. */
static void
test_same_again (void)
{
  g_autoptr (VHeader) sim = vheader_new (1, 700, 6);
  FaspStreamOffset other = { .known = TRUE, .offset = 600000 };
  FaspTime now;

  other.origin.bytes[0] = 7;
  vheader_begin (sim, 0);
  vheader_join (sim);
  vheader_run (sim, 6400 * FASP_MSEC);
  g_assert_cmpuint (sim->first, !=, FASP_OFFSET_UNKNOWN);
  now = vnet_get_time (sim->net);
  sim->first = FASP_OFFSET_UNKNOWN;
  sim->enters = 0;
  g_assert_true (fasp_endpoint_set_stream_offset (sim->sender, now, now, &other));
  sim->source.written = 600000;
  sim->source.units += 6 - sim->source.units % 6;
  vheader_run (sim, 3 * FASP_SEC);
  vheader_assert_entered (sim);
  g_assert_cmpuint (sim->first, ==, 600000);
}

/* Who comes back goes on where it was, without. */
static void
test_back (void)
{
  g_autoptr (VHeader) sim = vheader_new (1, 700, 6);
  guint64 next;

  sim->config.history = 20 * FASP_SEC;
  vheader_begin (sim, 0);
  vheader_run (sim, 6200 * FASP_MSEC);
  vheader_join (sim);
  vheader_run (sim, 4 * FASP_SEC);
  vheader_assert_entered (sim);
  next = sim->next;
  /* longer than its place is kept */
  vnet_get_wire (sim->net, VNET_A, VNET_B)->loss = 1;
  vnet_get_wire (sim->net, VNET_B, VNET_A)->loss = 1;
  vheader_run (sim, sim->config.resume_timeout + 10 * FASP_SEC);
  vnet_get_wire (sim->net, VNET_A, VNET_B)->loss = 0;
  vnet_get_wire (sim->net, VNET_B, VNET_A)->loss = 0;
  sim->first = FASP_OFFSET_UNKNOWN;
  vheader_run (sim, 5 * FASP_SEC);
  g_assert_cmpuint (sim->first, >, next);
  g_assert_cmpuint (sim->first, !=, FASP_OFFSET_UNKNOWN);
  g_assert_cmpuint (sim->enters, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  vcases_add ("/header/join", joins, sizeof *joins, G_N_ELEMENTS (joins), test_join);
  g_test_add_func ("/header/beginning", test_beginning);
  g_test_add_data_func ("/header/relay/first", GINT_TO_POINTER (FALSE), test_relay);
  g_test_add_data_func ("/header/relay/late", GINT_TO_POINTER (TRUE), test_relay);
  g_test_add_func ("/header/relay/soon", test_relay_soon);
  g_test_add_func ("/header/relay/waits", test_relay_waits);
  g_test_add_func ("/header/no-retransmission", test_no_rtx);
  g_test_add_func ("/header/behind-gap", test_behind_gap);
  g_test_add_func ("/header/moved-ahead", test_moved_ahead);
  g_test_add_data_func ("/header/moved-ahead/first", GINT_TO_POINTER (FALSE),
      test_moved_from_first);
  g_test_add_data_func ("/header/moved-ahead/first-untold", GINT_TO_POINTER (TRUE),
      test_moved_from_first);
  g_test_add_func ("/header/moved-ahead/keyless", test_moved_keyless);
  g_test_add_func ("/header/full", test_full);
  g_test_add_func ("/header/same-again", test_same_again);
  g_test_add_func ("/header/back", test_back);
  return g_test_run ();
}
