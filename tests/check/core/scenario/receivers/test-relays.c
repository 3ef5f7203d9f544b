/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A stream through three relays in a row, and a receiver that follows it from one to another, in
 * virtual time.
 */
#include <string.h>
#include "faspendpointbase.h"
#include "vcases.h"
#include "vchain.h"

static void
make_chain (VChain *p, gdouble loss)
{
  vchain_begin (p);
  vchain_wire (p, VNET_A, VNET_B, 40 * FASP_MSEC, loss);
  vchain_wire (p, VNET_C, VNET_D, 60 * FASP_MSEC, loss);
  vchain_wire (p, VNET_E, VNET_F, 30 * FASP_MSEC, loss);
  vchain_wire (p, VNET_G, VNET_H, 50 * FASP_MSEC, loss);
  /* other blocks on each hop */
  vnet_get_wire (p->net, VNET_C, VNET_D)->mtu = 1400;
  vnet_get_wire (p->net, VNET_E, VNET_F)->mtu = 1290;
  for (guint i = 0; i < 3; i++)
    vchain_add_relay (p, i, VNET_A + 2 * i, VNET_B + 2 * i);
  vchain_join (p, VNET_G);
}

/* Three relays, 2 % lost on each hop: the same bytes, offsets, media times and end. */
static void
test_chain (gconstpointer data)
{
  g_autoptr (VChain) p = vchain_new (GPOINTER_TO_UINT (data));

  /* a media time that runs over its 32 bits on the way */
  if (GPOINTER_TO_UINT (data) % 2 == 0)
    p->media_base = (G_GINT64_CONSTANT (1) << 32) - 4 * FASP_SEC;
  make_chain (p, .02);
  vchain_run (p, 8 * FASP_SEC);
  vchain_run_to_end (p);
  g_assert_cmpuint (p->first, ==, 0);
  g_assert_cmpuint (p->missing, ==, 0);
  g_assert_cmpuint (p->discontinuities, ==, 0);
}

/* Behind three relays with 2 % loss each, all bytes have the capture time that the source said:
 * with its clock and its kind, and to a tenth of a millisecond, though its wall clock drifts by 500
 * ppm. */
static void
test_capture_in_chain (gconstpointer data)
{
  g_autoptr (VChain) p = vchain_new (GPOINTER_TO_UINT (data));

  p->wall =
      (FaspCapture) { G_GINT64_CONSTANT (1800000000) * FASP_SEC, 700, FASP_TIME_PTP, TRUE, TRUE };
  make_chain (p, .02);
  for (guint i = 0; i < 80; i++) {
    vchain_run (p, 100 * FASP_MSEC);
    p->wall.time += 50;
  }
  vchain_run_to_end (p);
  g_assert_cmpuint (p->captured, >, 1000);
  g_assert_cmpuint (p->not_captured, ==, 0);
  /* what was under way is compared with a clock that went on meanwhile */
  g_assert_cmpint (p->capture_error, <=, 50 * 12 + 3 * 100);
  g_assert_cmpuint (p->missing, ==, 0);
}

/* Bytes that the source has not got are missing for all, there and as many. */
static void
test_gap_in_chain (gconstpointer data)
{
  g_autoptr (VChain) p = vchain_new (GPOINTER_TO_UINT (data));
  guint64 gone = 0;

  make_chain (p, .02);
  for (guint i = 0; i < 5; i++) {
    guint64 gap = g_rand_int_range (p->rand, 1, 200000) * VCHAIN_CHUNK;
    FaspStreamOffset position;

    vchain_run (p, FASP_SEC);
    /* each time more than any buffer holds, and block numbers know nothing of it */
    gone += gap;
    p->written += gap;
    p->due += gap;
    position = fasp_store_get_next_offset (p->source->store);
    position.offset += gap;
    g_assert_true (fasp_endpoint_set_stream_offset (p->source, vnet_get_time (p->net),
        vchain_media_time_of (p, p->written), &position));
  }
  vchain_run (p, FASP_SEC);
  vchain_run_to_end (p);
  g_assert_cmpuint (p->missing, ==, gone);
  g_assert_cmpuint (p->discontinuities, ==, 5);
}

/* Who joins the last of a chain at a key frame joins there. */
static void
test_key_in_chain (void)
{
  g_autoptr (VChain) p = vchain_new (2);
  FaspEndpoint *late;
  guint64 key = 0;

  p->sender.join = FASP_JOIN_KEY_FRAME;
  make_chain (p, .02);
  for (guint i = 0; i < 4; i++) {
    vchain_run (p, FASP_SEC);
    key = p->written;
    fasp_endpoint_begin_key_frame (p->source, vnet_get_time (p->net), vchain_media_time_of (p, key),
        FALSE);
  }
  vchain_run (p, FASP_SEC);
  g_assert_cmpuint (p->last_key, ==, key);
  /* another one in its place */
  late = p->last;
  p->last = NULL;
  vnet_attach (p->net, VNET_H, NULL);
  fasp_endpoint_free (late);
  p->end.offset = FASP_OFFSET_UNKNOWN;
  p->first_seen = FALSE;
  p->read = p->missing = p->discontinuities = p->last_key = 0;
  vchain_join (p, VNET_G);
  vchain_run (p, FASP_SEC);
  g_assert_cmpuint (p->first, ==, key);
  g_assert_cmpuint (p->last_key, ==, key);
  vchain_run_to_end (p);
  g_assert_cmpuint (p->discontinuities, ==, 0);
}

/* The first sender starts anew: another stream, and all are told. */
static void
test_new_origin (void)
{
  g_autoptr (VChain) p = vchain_new (1);
  FaspStreamOffset before, other = { .known = TRUE };

  make_chain (p, 0);
  vchain_run (p, 2 * FASP_SEC);
  before = p->end;
  memset (other.origin.bytes, 0x55, FASP_ORIGIN_SIZE);
  other.offset = p->written;
  g_assert_true (fasp_endpoint_set_stream_offset (p->source, vnet_get_time (p->net),
      vchain_media_time_of (p, p->written), &other));
  vchain_run (p, 2 * FASP_SEC);
  g_assert_cmpuint (p->discontinuities, ==, 1);
  g_assert_false (fasp_origin_equal (&before.origin, &p->end.origin));
  g_assert_true (fasp_origin_equal (&other.origin, &p->end.origin));
  /* and back to what it writes itself: a third one, from its beginning */
  g_assert_true (fasp_endpoint_set_stream_offset (p->source, vnet_get_time (p->net),
      vchain_media_time_of (p, p->written), NULL));
  g_assert_cmpuint (fasp_store_get_next_offset (p->source->store).offset, ==, 0);
}

typedef struct
{
  guint32 seed;
  FaspTime behind[2]; /* of the relays, to the source, round trip */
  gdouble loss;
  FaspTime history; /* of the second */
  gboolean closes;  /* the first says goodbye; else it vanishes */
  gboolean waits;   /* for a second relay that gets nothing for a while */
} Move;

/* A receiver has two addresses; which of them it wants. */
static void
follow (VChain *p, guint *serial)
{
  static const VnetSide sides[] = { VNET_C, VNET_E };
  guint now, wanted = fasp_endpoint_get_wanted_peer (p->last, &now);

  if (now == *serial)
    return;
  *serial = now;
  vchain_dial (p, p->last, sides[wanted]);
}

static void
kill_relay (VChain *p, guint n, VnetSide side, gboolean closes)
{
  VChainRelay *r = &p->relays[n];

  if (closes) {
    fasp_endpoint_close (r->in, vnet_get_time (p->net), FASP_REASON_STOPPED);
    fasp_endpoint_close (r->out, vnet_get_time (p->net), FASP_REASON_STOPPED);
    vnet_run_for (p->net, VCHAIN_STEP);
  }
  vnet_attach (p->net, side, NULL);
  vnet_attach (p->net, side + 1, NULL);
  g_clear_pointer (&r->in, fasp_endpoint_free);
  g_clear_pointer (&r->out, fasp_endpoint_free);
  g_clear_pointer (&r->held.block, fasp_block_unref);
}

static VChain *
make_move (const Move *m)
{
  VChain *p = vchain_new (m->seed);
  guint serial = 0;

  p->wall =
      (FaspCapture) { G_GINT64_CONSTANT (1800000000) * FASP_SEC, 700, FASP_TIME_PTP, TRUE, TRUE };
  vchain_begin (p);
  vchain_wire (p, VNET_A, VNET_B, m->behind[0], m->loss);
  vchain_wire (p, VNET_A, VNET_D, m->behind[1], m->loss);
  vchain_wire (p, VNET_C, VNET_H, 30 * FASP_MSEC, m->loss);
  vchain_wire (p, VNET_E, VNET_H, 80 * FASP_MSEC, m->loss);
  vnet_get_wire (p->net, VNET_E, VNET_H)->mtu = 1330;
  p->sender.settings.wait_for_connection = FALSE;
  vchain_add_relay (p, 0, VNET_A, VNET_B);
  p->sender.history = m->history;
  vchain_add_relay (p, 1, VNET_A, VNET_D);
  p->receiver.peers = 2;
  vchain_join (p, VNET_C);
  vchain_run (p, 3 * FASP_SEC + g_rand_int_range (p->rand, 0, FASP_SEC));
  g_assert_true (p->first_seen);
  if (m->waits)
    vchain_wire (p, VNET_A, VNET_D, m->behind[1], 1);
  if (m->waits)
    vchain_run (p, FASP_SEC);
  p->captured = p->not_captured = 0; /* it joined before the first mark */
  kill_relay (p, 0, VNET_B, m->closes);
  for (guint i = 0; i < 3000 && p->moves == 0; i++) {
    if (m->waits && i == 2200)
      vchain_wire (p, VNET_A, VNET_D, m->behind[1], 0);
    vchain_step (p);
    follow (p, &serial);
  }
  g_assert_cmpuint (p->moves, ==, 1);
  vchain_run (p, 2 * FASP_SEC);
  vchain_run_to_end (p);
  return p;
}

/* Ahead, behind, by other blocks, in bad networks: at the byte where it stood. */
static void
test_move (gconstpointer data)
{
  guint32 seed = GPOINTER_TO_UINT (data);
  Move m = {
    .seed = seed,
    .behind = { 40 * FASP_MSEC, 40 * FASP_MSEC },
    .history = 10 * FASP_SEC,
    .loss = seed % 3 * .02,
    .closes = seed % 2 == 0,
  };
  g_autoptr (VChain) p = NULL;

  m.behind[seed / 2 % 2] = 600 * FASP_MSEC;
  p = make_move (&m);
  g_assert_cmpuint (p->captured, >, 0);
  g_assert_cmpuint (p->not_captured, ==, 0);
  /* the paths differ by 305 ms; what was waited for does not count */
  g_assert_cmpint (p->max_jump, <=, 330 * FASP_MSEC);
  g_assert_cmpuint (p->missing, ==, 0);
  g_assert_cmpuint (p->discontinuities, ==, 0);
  g_assert_cmpuint (p->moved_missing, ==, 0);
}

/* It has not come to that byte yet, and will. */
static void
test_move_behind (void)
{
  Move m = {
    .seed = 7,
    .behind = { 20 * FASP_MSEC, 20 * FASP_MSEC },
    .history = 10 * FASP_SEC,
    .waits = TRUE,
  };
  g_autoptr (VChain) p = make_move (&m);

  g_assert_cmpuint (p->missing, ==, 0);
  g_assert_cmpuint (p->discontinuities, ==, 0);
}

/* What is not kept is missing, so much is told, and there. */
static void
test_move_too_late (gconstpointer data)
{
  Move m = {
    .seed = GPOINTER_TO_UINT (data),
    .behind = { 20 * FASP_MSEC, 20 * FASP_MSEC },
    .history = FASP_SEC,
  };
  g_autoptr (VChain) p = make_move (&m);

  g_assert_cmpuint (p->missing, >, VCHAIN_BITRATE / 8 / 2);
  g_assert_cmpuint (p->discontinuities, ==, 1);
  g_assert_cmpuint (p->moved_missing, ==, p->missing);
}

/* The peer is interrupted, and heard again before another has answered: it stays. */
static void
test_move_back (void)
{
  g_autoptr (VChain) p = vchain_new (1);
  guint serial = 0;

  vchain_begin (p);
  vchain_wire (p, VNET_A, VNET_H, 30 * FASP_MSEC, 0);
  p->receiver.peers = 2;
  vchain_join (p, VNET_A);
  vchain_run (p, FASP_SEC);
  vchain_wire (p, VNET_A, VNET_H, 30 * FASP_MSEC, 1);
  vchain_run (p, 2500 * FASP_MSEC);
  g_assert_cmpuint (fasp_endpoint_get_wanted_peer (p->last, &serial), ==, 1);
  vchain_wire (p, VNET_A, VNET_H, 30 * FASP_MSEC, 0);
  vchain_run (p, FASP_SEC);
  g_assert_cmpuint (fasp_endpoint_get_wanted_peer (p->last, &serial), ==, 0);
  g_assert_cmpuint (p->moves, ==, 0);
  vchain_run_to_end (p);
  g_assert_cmpuint (p->missing, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  vcases_add_seeds ("/past/chain", 20, test_chain);
  vcases_add_seeds ("/past/capture-in-chain", 4, test_capture_in_chain);
  vcases_add_seeds ("/past/gap-in-chain", 6, test_gap_in_chain);
  g_test_add_func ("/past/new-origin", test_new_origin);
  g_test_add_func ("/past/key-in-chain", test_key_in_chain);
  vcases_add_seeds ("/past/move", 24, test_move);
  g_test_add_func ("/past/move-behind", test_move_behind);
  vcases_add_seeds ("/past/move-too-late", 5, test_move_too_late);
  g_test_add_func ("/past/move-back", test_move_back);
  return g_test_run ();
}
