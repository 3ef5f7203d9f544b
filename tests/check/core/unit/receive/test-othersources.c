/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Holes whose bytes the reader has from another source of the stream.
 */
#include "fasprxprivate.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspRx, fasp_rx_free)

#define SIZE 100 /* bytes of a block */
#define NOW FASP_SEC

static FaspStreamOffset
at (guint8 origin, guint64 offset)
{
  FaspStreamOffset position = { .known = TRUE, .offset = offset };

  position.origin.bytes[0] = origin;
  return position;
}

/* The stream begins at @offset of origin 1. */
static void
begin (FaspRx **rx, guint64 offset)
{
  FaspLatency agreed = { .latency = 100 * FASP_MSEC };
  FaspStreamOffset first = at (1, offset);

  *rx = fasp_rx_new (NOW, 0, 1000, &agreed, NULL);
  fasp_rx_begin_at (*rx, &first, &(FaspOtherSources) { 0 });
}

static void
bring (FaspRx *rx, guint32 number, guint16 segment, guint64 offset)
{
  static const guint8 payload[SIZE] = { 0 };
  FaspDataFrame frame = {
    .block = number,
    .count = 1,
    .total = SIZE,
    .payload = payload,
    .payload_size = SIZE,
    .has_offset = segment != FASP_SEGMENT_UNKNOWN,
    .segment = segment,
    .offset = (guint32) offset,
  };

  fasp_rx_data (rx, NOW, &frame, NULL);
}

/* A mark: what follows begins at @position. */
static void
bring_mark (FaspRx *rx, guint32 number, guint8 segment, FaspStreamOffset position)
{
  guint8 mark[FASP_MARK_SIZE];
  FaspDataFrame frame = {
    .block = number,
    .flags = FASP_BLOCK_MARK,
    .count = 1,
    .total = sizeof mark,
    .payload = mark,
    .payload_size = sizeof mark,
    .has_offset = TRUE,
    .segment = segment,
    .offset = (guint32) position.offset,
  };

  fasp_mark_write (mark, &position);
  fasp_rx_data (rx, NOW, &frame, NULL);
}

static void
get (FaspRx *rx, FaspStreamOffset has)
{
  FaspOtherSources others = { .has = has };

  fasp_rx_set_other_sources (rx, NOW, &others);
}

/* Takes all that is in order.  Returns where the last block begins. */
static guint64
take_all (FaspRx *rx)
{
  guint64 offset = FASP_OFFSET_UNKNOWN;
  FaspBlock *block;

  while ((block = fasp_rx_take (rx, NOW)) != NULL) {
    offset = block->offset;
    fasp_block_unref (block);
  }
  return offset;
}

static guint64
get_ack (const FaspRx *rx)
{
  return fasp_reorder_get_ack (rx->reorder);
}

/* Up to the byte at which the block behind the hole begins; not one less. */
static void
test_hole (void)
{
  g_autoptr (FaspRx) rx = NULL;

  begin (&rx, 5000);
  bring (rx, 0, 7, 5000);
  g_assert_cmpuint (take_all (rx), ==, 5000);
  bring (rx, 3, 7, 5300);
  get (rx, at (1, 5299));
  g_assert_cmpuint (get_ack (rx), ==, 1);
  get (rx, at (1, 5300));
  g_assert_cmpuint (get_ack (rx), ==, 4);
  g_assert_cmpuint (rx->counts.given_up, ==, 0);
  g_assert_cmpuint (take_all (rx), ==, 5300);
  /* what comes behind a hole that is filled already does not wait either */
  get (rx, at (1, 6000));
  bring (rx, 6, 7, 5600);
  bring (rx, 8, 7, 5800);
  bring (rx, 12, 7, 6200);
  g_assert_cmpuint (get_ack (rx), ==, 9);
}

/* Nobody knows what is missing: the sender says no offsets, or its own are not known, or those of
 * the reader are of another stream. */
static void
test_unknown (void)
{
  static const struct
  {
    guint16 segment; /* of the blocks */
    gboolean counts; /* the receiver knows where the session began */
    guint8 origin;   /* of what the reader has */
  } cases[] = {
    { FASP_SEGMENT_UNKNOWN, TRUE, 1 },
    { 7, FALSE, 1 },
    { 7, TRUE, 2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (FaspRx) rx = NULL;

    begin (&rx, cases[i].counts ? 5000 : FASP_OFFSET_UNKNOWN);
    bring (rx, 0, cases[i].segment, 5000);
    take_all (rx);
    bring (rx, 3, cases[i].segment, 5300);
    get (rx, at (cases[i].origin, 1 << 30));
    g_assert_cmpuint (get_ack (rx), ==, 1);
  }
}

/* One that was recovered says no offset: the hole behind it is asked for. */
static void
test_neighbours (void)
{
  g_autoptr (FaspRx) rx = NULL;

  begin (&rx, 0);
  bring (rx, 0, 7, 0);
  bring (rx, 1, FASP_SEGMENT_UNKNOWN, 0);
  bring (rx, 3, 7, 300);
  take_all (rx);
  get (rx, at (1, 1000));
  g_assert_cmpuint (get_ack (rx), ==, 2);
  bring (rx, 2, 7, 200);
  g_assert_cmpuint (take_all (rx), ==, 300);
  /* and from there on it is known again */
  bring (rx, 5, 7, 500);
  g_assert_cmpuint (get_ack (rx), ==, 6);
}

/* The mark in the hole may be lost. */
static void
test_mark_in_hole (void)
{
  g_autoptr (FaspRx) rx = NULL;

  begin (&rx, 5000);
  bring (rx, 0, 7, 5000);
  take_all (rx);
  bring (rx, 3, 8, 5300);
  get (rx, at (1, 1 << 30));
  g_assert_cmpuint (get_ack (rx), ==, 1);
  /* it was of another stream */
  bring (rx, 1, 7, 5100);
  bring_mark (rx, 2, 8, at (2, 40));
  take_all (rx);
  g_assert_cmpuint (rx->position.next.origin.bytes[0], ==, 2);
  g_assert_cmpuint (rx->position.next.offset, ==, 40 + SIZE);
}

/* The mark is here, and not read yet: until it is, offsets behind it count from elsewhere. */
static void
test_mark_not_read (void)
{
  guint64 far = G_GUINT64_CONSTANT (20) << 32;
  g_autoptr (FaspRx) rx = NULL;

  begin (&rx, 5000);
  bring (rx, 0, 7, 5000);
  bring_mark (rx, 1, 8, at (2, far));
  bring (rx, 2, 8, far);
  bring (rx, 4, 8, far + 200);
  get (rx, at (1, far * 2));
  g_assert_cmpuint (get_ack (rx), ==, 3);
  get (rx, at (2, far + 199));
  g_assert_cmpuint (get_ack (rx), ==, 3);
  g_assert_cmpuint (take_all (rx), ==, far);
  get (rx, at (2, far + 199));
  g_assert_cmpuint (get_ack (rx), ==, 3);
  get (rx, at (2, far + 200));
  g_assert_cmpuint (get_ack (rx), ==, 5);
  g_assert_cmpuint (take_all (rx), ==, far + 200);
}

/* Low bits begin anew within a stream, and nothing is before what was read. */
static void
test_low_bits (void)
{
  guint64 turn = G_GUINT64_CONSTANT (3) << 32;
  g_autoptr (FaspRx) rx = NULL;

  begin (&rx, turn - SIZE);
  bring (rx, 0, 255, turn - SIZE);
  take_all (rx);
  bring (rx, 2, 255, turn + SIZE);
  get (rx, at (1, turn));
  g_assert_cmpuint (get_ack (rx), ==, 1);
  get (rx, at (1, turn + SIZE));
  g_assert_cmpuint (get_ack (rx), ==, 3);
  g_assert_cmpuint (take_all (rx), ==, turn + SIZE);
  /* a sender that says an offset that was before is nearly 4 GiB ahead, or lies */
  bring (rx, 4, 255, turn);
  get (rx, at (1, turn + (G_GUINT64_CONSTANT (1) << 31)));
  g_assert_cmpuint (get_ack (rx), ==, 3);
}

/* A block that is given up because it is too late says where the next one is, as far as nothing
 * else says that. */
static void
test_given_up (void)
{
  FaspStreamOffset announced = at (1, 90000);
  g_autoptr (FaspRx) rx = NULL;

  begin (&rx, 5000);
  bring (rx, 0, 7, 5000);
  bring (rx, 2, 7, 5200);
  fasp_rx_skip (rx, NOW, 2);
  g_assert_cmpuint (take_all (rx), ==, 5200);
  bring (rx, 4, 8, 5400);
  fasp_rx_skip (rx, NOW, 4);
  g_assert_cmpuint (take_all (rx), ==, FASP_OFFSET_UNKNOWN);
  bring (rx, 6, 8, 5600);
  fasp_rx_position (rx, 6, &announced);
  fasp_rx_skip (rx, NOW, 6);
  g_assert_cmpuint (take_all (rx), ==, 90000);
  g_assert_cmpuint (rx->counts.given_up, ==, 3);
}

/* The sender passes over what the reader has: nothing was given up. */
static void
test_sender_skips (void)
{
  FaspStreamOffset start = at (1, 5300);
  g_autoptr (FaspRx) rx = NULL;

  begin (&rx, 5000);
  bring (rx, 0, 7, 5000);
  take_all (rx);
  get (rx, at (1, 5300));
  fasp_rx_position (rx, 3, &start);
  fasp_rx_skip (rx, NOW, 3);
  g_assert_cmpuint (get_ack (rx), ==, 3);
  g_assert_cmpuint (rx->counts.given_up, ==, 0);
  bring (rx, 3, 9, 5300);
  g_assert_cmpuint (take_all (rx), ==, 5300);
}

/* The reader gets everything from another source before the sender knows it.  Blocks that have come
 * meanwhile, behind a hole, have no known offset: no block was read from this session yet, or
 * another segment has begun in the hole.  They are not read, as a POSITION behind them says that
 * the reader has them: it cannot tell where they belong, and would take them twice.
 * (tests/models/positions.pml, mistake 8) */
static void
test_unplaced (void)
{
  static const struct
  {
    gboolean has_read; /* the first block has come, and was read */
    guint8 segment;    /* of the block behind the hole */
  } cases[] = {
    { FALSE, 7 },
    { TRUE, 8 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    FaspStreamOffset start = at (1, 5300);
    g_autoptr (FaspRx) rx = NULL;
    FaspBlock *block;

    begin (&rx, 5000);
    if (cases[i].has_read) {
      bring (rx, 0, 7, 5000);
      g_assert_cmpuint (take_all (rx), ==, 5000);
    }
    bring (rx, 2, cases[i].segment, 5200);
    get (rx, at (1, 5350));
    fasp_rx_position (rx, 3, &start);
    fasp_rx_skip (rx, NOW, 3);
    bring (rx, 3, cases[i].segment, 5300);
    g_assert_cmpuint (get_ack (rx), ==, 4);
    g_assert_cmpuint (rx->counts.given_up, ==, 0);
    block = fasp_rx_take (rx, NOW);
    g_assert_nonnull (block);
    g_assert_cmpuint (block->offset, ==, 5300);
    fasp_block_unref (block);
    g_assert_null (fasp_rx_take (rx, NOW));
  }
}

/* Holes wait for as long as the others are behind; that the sender is to stand by is said at once.
 */
static void
test_said (void)
{
  FaspOtherSources others = { .has = at (1, 5000), .recovery_time = 30 * FASP_MSEC };
  FaspFeedback feedback;
  g_autoptr (FaspRx) rx = NULL;

  begin (&rx, 5000);
  bring (rx, 0, 7, 5000);
  fasp_feedback_sent (&rx->feedback, NOW, 100);
  fasp_rx_set_other_sources (rx, NOW, &others);
  g_assert_cmpint (fasp_rx_get_recovery_time (rx, NOW), ==, 30 * FASP_MSEC);
  g_assert_false (fasp_feedback_is_due (&rx->feedback, NOW + 5 * FASP_MSEC));
  for (guint i = 0; i < 2; i++) {
    FaspTime now = NOW + i * 10 * FASP_MSEC;

    others.stands_by = i == 0;
    fasp_rx_set_other_sources (rx, now, &others);
    g_assert_true (fasp_feedback_is_due (&rx->feedback, now + 5 * FASP_MSEC));
    fasp_rx_fill_feedback (rx, now, &feedback, 1000);
    g_assert_cmpint (feedback.stands_by, ==, others.stands_by);
    g_assert_cmpuint (feedback.has.offset, ==, 5000);
    fasp_feedback_sent (&rx->feedback, now + 5 * FASP_MSEC, 100);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/othersources/hole", test_hole);
  g_test_add_func ("/othersources/unknown", test_unknown);
  g_test_add_func ("/othersources/neighbours", test_neighbours);
  g_test_add_func ("/othersources/mark-in-hole", test_mark_in_hole);
  g_test_add_func ("/othersources/mark-not-read", test_mark_not_read);
  g_test_add_func ("/othersources/low-bits", test_low_bits);
  g_test_add_func ("/othersources/given-up", test_given_up);
  g_test_add_func ("/othersources/sender-skips", test_sender_skips);
  g_test_add_func ("/othersources/unplaced", test_unplaced);
  g_test_add_func ("/othersources/said", test_said);
  return g_test_run ();
}
