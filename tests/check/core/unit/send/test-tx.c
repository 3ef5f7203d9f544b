/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sender's end of a stream: what a receiver does not get, as it has it from another sender.
 */
#include "fasptx.h"

#define SIZE 1000 /* bytes of a block */
#define NOW FASP_SEC

static const guint8 bytes[10 * SIZE];

static FaspStreamOffset
at (guint8 origin, guint64 offset)
{
  FaspStreamOffset position = { .known = TRUE, .offset = offset };

  position.origin.bytes[0] = origin;
  return position;
}

static FaspTx *
make (FaspStore *store, guint32 window, FaspFecMode fec)
{
  return fasp_tx_new (NOW,
      &(FaspTxConfig) { .store = store,
          .start = fasp_store_get_tail (store),
          .window = window,
          .fec = fec,
          .fec_share = .1,
          .fec_window = 100 });
}

/* So many bytes of origin 1 are written, of which nothing has left. */
static FaspStore *
begin (FaspTx **tx, gsize size)
{
  FaspStore *store = fasp_store_new (1 << 20, SIZE);
  FaspStreamOffset first = at (1, 0);

  fasp_store_set_offset (store, NOW, NOW, &first, FALSE);
  fasp_store_write (store, NOW, NOW, bytes, size, NULL);
  *tx = make (store, 1000, FASP_FEC_OFF);
  return store;
}

static void
finish (FaspTx *tx, FaspStore *store)
{
  fasp_tx_free (tx);
  fasp_store_free (store);
}

static guint64
get_start (FaspStore *store, const FaspTx *tx)
{
  return fasp_store_get_stream_offset (store, fasp_tx_get_base (tx)).offset;
}

/* It begins with the block in which the first byte is that the receiver lacks. */
static void
test_has (void)
{
  static const struct
  {
    guint64 has, start;
  } table[] = {
    { 0, 0 },
    { 999, 0 },
    { 1000, 1000 },
    { 4500, 4000 },
    { 10000, 10000 },
    { 99999, 10000 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    FaspStreamOffset has = at (1, table[i].has);
    FaspTx *tx;
    FaspStore *store = begin (&tx, sizeof bytes);

    fasp_tx_has_from_others (tx, &has, FALSE);
    g_assert_cmpuint (get_start (store, tx), ==, table[i].start);
    g_assert_cmpuint (fasp_tx_view (tx)->counts.skipped, ==, 0);
    g_assert_true (fasp_tx_has_fresh (tx) == (table[i].start < sizeof bytes));
    /* it does not go back */
    has.offset = 0;
    fasp_tx_has_from_others (tx, &has, FALSE);
    g_assert_cmpuint (get_start (store, tx), ==, table[i].start);
    finish (tx, store);
  }
}

/* Who has all that was written of a block lacks what is written to it from then on. */
static void
test_open_block (void)
{
  FaspStreamOffset has = at (1, SIZE / 2);
  FaspTx *tx;
  FaspStore *store = begin (&tx, SIZE / 2);

  fasp_tx_has_from_others (tx, &has, FALSE);
  g_assert_false (fasp_tx_has_fresh (tx));
  fasp_store_write (store, NOW, NOW, bytes, SIZE / 4, NULL);
  g_assert_true (fasp_tx_has_fresh (tx));
  g_assert_cmpuint (get_start (store, tx), ==, SIZE / 2);
  finish (tx, store);
}

/* Marks at the first byte that is lacked are for it: the key frame begins there. */
static void
test_marks (void)
{
  FaspStreamOffset has = at (1, SIZE);
  FaspTx *tx;
  FaspStore *store = begin (&tx, SIZE);

  fasp_store_mark_key_frame (store, NOW, NOW);
  fasp_store_write (store, NOW, NOW, bytes, SIZE, NULL);
  fasp_tx_has_from_others (tx, &has, FALSE);
  g_assert_cmpuint (fasp_tx_get_base (tx), ==, fasp_store_get_head (store) - 2);
  finish (tx, store);
}

/* One that stands by gets nothing, and holds up nothing, whatever stream it has; but all get the
 * end. */
static void
test_stands_by (void)
{
  for (guint8 origin = 1; origin <= 2; origin++) {
    FaspStreamOffset has = at (origin, 4500);
    guint64 head;
    FaspTx *tx;
    FaspStore *store = begin (&tx, sizeof bytes);

    fasp_tx_has_from_others (tx, &has, TRUE);
    g_assert_true (fasp_tx_stands_by (tx));
    g_assert_false (fasp_tx_has_fresh (tx));
    g_assert_cmpint (fasp_tx_get_timeout (tx), ==, FASP_NEVER);
    g_assert_cmpuint (get_start (store, tx), ==, origin == 1 ? 4000 : sizeof bytes);
    fasp_store_write (store, NOW, NOW, bytes, SIZE, NULL);
    fasp_tx_has_from_others (tx, &has, FALSE);
    g_assert_true (fasp_tx_has_fresh (tx));
    g_assert_cmpuint (get_start (store, tx), ==, origin == 1 ? 4000 : sizeof bytes);
    fasp_store_finish (store, NOW, NOW);
    head = fasp_store_get_head (store);
    has.offset = 99999;
    fasp_tx_has_from_others (tx, &has, TRUE);
    g_assert_false (fasp_tx_stands_by (tx));
    g_assert_true (fasp_tx_has_fresh (tx));
    g_assert_cmpuint (fasp_tx_get_base (tx), ==, head - 1);
    finish (tx, store);
  }
}

/* One that has another stream, and wants this one, gets all of it. */
static void
test_other_stream (void)
{
  FaspStreamOffset has[] = { at (2, 4500), { .known = FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (has); i++) {
    FaspTx *tx;
    FaspStore *store = begin (&tx, sizeof bytes);

    fasp_tx_has_from_others (tx, &has[i], FALSE);
    g_assert_cmpuint (get_start (store, tx), ==, 0);
    g_assert_true (fasp_tx_has_fresh (tx));
    finish (tx, store);
  }
}

static FaspTxItem
get_next (FaspTx *tx, const FaspRtt *rtt)
{
  return fasp_tx_next (tx, NOW, rtt, SIZE, 0);
}

static void
send_up_to (FaspTx *tx, const FaspRtt *rtt, FaspTxItem item, guint64 end)
{
  item.end = end;
  for (guint64 n = item.number; n < end; n++)
    fasp_sent_map_sent (fasp_tx_get_sent_map (tx), NOW, 0, n, FALSE);
  fasp_tx_sent (tx, NOW, rtt, &item);
}

/* A run is what leaves block by block, too, and changes the same. */
static void
test_run (void)
{
  static const struct
  {
    guint32 window; /* blocks that the peer has room for */
    FaspFecMode fec;
    guint run; /* blocks */
  } table[] = {
    { 1000, FASP_FEC_OFF, FASP_TX_RUN },
    { 3, FASP_FEC_OFF, 3 },
    { 1000, FASP_FEC_FIXED, 1 },
  };
  FaspRtt rtt;

  fasp_rtt_init (&rtt);
  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    FaspTx *whole, *singly;
    FaspStore *store = begin (&whole, sizeof bytes);
    FaspTxItem run, item;

    fasp_store_write (store, NOW, NOW, bytes, sizeof bytes, NULL); /* more than a run */
    fasp_tx_free (whole);
    whole = make (store, table[i].window, table[i].fec);
    singly = make (store, table[i].window, table[i].fec);
    run = get_next (whole, &rtt);
    g_assert_cmpint (run.kind, ==, FASP_TX_BLOCK);
    g_assert_cmpuint (run.end - run.number, ==, table[i].run);
    for (guint64 n = run.number; n < run.end; n++) {
      item = get_next (singly, &rtt);
      g_assert_cmpint (item.kind, ==, FASP_TX_BLOCK);
      g_assert_cmpuint (item.number, ==, n);
      send_up_to (singly, &rtt, item, n + 1);
    }
    send_up_to (whole, &rtt, run, run.end);
    g_assert_cmpmem (fasp_tx_view (whole), sizeof (FaspTxView), fasp_tx_view (singly),
        sizeof (FaspTxView));
    g_assert_cmpint (fasp_tx_get_timeout (whole), ==, fasp_tx_get_timeout (singly));
    /* a copy goes before new blocks */
    fasp_tx_double (whole, 1, 0);
    item = get_next (whole, &rtt);
    g_assert_cmpuint (item.copy, ==, 1);
    g_assert_cmpuint (item.end - item.number, ==, 1);
    fasp_tx_free (singly);
    finish (whole, store);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tx/has", test_has);
  g_test_add_func ("/tx/open-block", test_open_block);
  g_test_add_func ("/tx/marks", test_marks);
  g_test_add_func ("/tx/stands-by", test_stands_by);
  g_test_add_func ("/tx/other-stream", test_other_stream);
  g_test_add_func ("/tx/run", test_run);
  return g_test_run ();
}
