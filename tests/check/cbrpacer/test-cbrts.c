/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packets of a transport stream, of each size, wherever they begin, and the PCRs in them.
 */
#include <string.h>
#include "cbrts.h"

static const guint sizes[] = { 188, 192, 204, 208 };

/* Appends a packet of @size bytes whose PCR says @ms, with a payload that no packet begins in. */
static void
append (GByteArray *stream, guint size, guint64 ms)
{
  guint64 base = ms * 90;
  guint8 packet[TS_SYNC_SIZE_MAX];
  guint8 *p = packet + (size == 192 ? 4 : 0);

  memset (packet, 0xab, sizeof packet);
  p[0] = TS_SYNC;
  p[1] = 0x01;
  p[2] = 0x00;
  p[3] = 0x30;
  p[4] = 7;
  p[5] = 0x10;
  p[6] = base >> 25;
  p[7] = base >> 17;
  p[8] = base >> 9;
  p[9] = base >> 1;
  p[10] = (base & 1) << 7 | 0x7e;
  p[11] = 0;
  g_byte_array_append (stream, packet, size);
}

/* @n packets from @ms on, one in a ms. */
static void
append_many (GByteArray *stream, guint size, guint n, guint64 ms)
{
  for (guint i = 0; i < n; i++)
    append (stream, size, ms + i);
}

typedef struct
{
  guint n, jumps;
  gint64 time; /* ns, of the last one */
} Found;

/* In pieces of up to @piece bytes. */
static Found
feed (CbrTs *ts, const GByteArray *stream, guint piece)
{
  GRand *rand = g_rand_new_with_seed (piece);
  Found found = { 0 };
  CbrTsPcr pcr;

  for (gsize at = 0; at < stream->len;) {
    gsize size = g_rand_int_range (rand, 1, piece + 1), done = 0;

    size = MIN (size, stream->len - at);
    while (cbr_ts_feed (ts, stream->data + at, size, &done, &pcr)) {
      gint64 offset = (gint64) at + pcr.offset;

      g_assert_cmpint (offset, >=, 0);
      g_assert_cmpuint (stream->data[offset], ==, TS_SYNC);
      g_assert_cmpint (pcr.time, >=, found.time);
      found.n++;
      found.jumps += pcr.jump;
      found.time = pcr.time;
    }
    g_assert_cmpuint (done, ==, size);
    at += size;
  }
  g_rand_free (rand);
  return found;
}

/* All but the first few that tell the size, from whichever byte on it is joined. */
static void
test_sizes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint cut = 0; cut < sizes[i]; cut++) {
      GByteArray *stream = g_byte_array_new ();
      guint first = cut > (sizes[i] == 192 ? 4 : 0);
      Found found;
      CbrTs ts;

      append_many (stream, sizes[i], 100, 0);
      g_byte_array_remove_range (stream, 0, cut);
      cbr_ts_init (&ts, 0);
      found = feed (&ts, stream, cut % 3 == 0 ? 7 : 1000);
      g_assert_true (cbr_ts_is_clock (&ts));
      g_assert_cmpuint (ts.sync.size, ==, sizes[i]);
      g_assert_cmpuint (found.n, ==, 100 - first - (CBR_TS_RUN - 1));
      g_assert_cmpuint (found.jumps, ==, 1);
      g_assert_cmpint (found.time, ==, (found.n - 1) * 1000000);
      g_byte_array_unref (stream);
    }
}

/* One of any size behind one of any other, and a piece of rubbish between them. */
static void
test_joined (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint j = 0; j < G_N_ELEMENTS (sizes); j++)
      for (guint rubbish = 0; rubbish < 500; rubbish += 99) {
        GByteArray *stream = g_byte_array_new ();
        Found found;
        CbrTs ts;

        append_many (stream, sizes[i], 50, 0);
        g_byte_array_set_size (stream, stream->len + rubbish);
        memset (stream->data + stream->len - rubbish, 0x11, rubbish);
        append_many (stream, sizes[j], 50, 50);
        cbr_ts_init (&ts, 0);
        found = feed (&ts, stream, 300);
        g_assert_cmpuint (ts.sync.size, ==, sizes[j]);
        /* the clock goes on across the packets that it takes to find them again */
        g_assert_cmpuint (found.jumps, ==, 1);
        g_assert_cmpint (found.time, ==, (99 - (CBR_TS_RUN - 1)) * 1000000);
        g_assert_cmpuint (found.n, >=, 100 - 2 * CBR_TS_RUN);
        g_byte_array_unref (stream);
      }
}

/* Bytes are missing here and there, but not in front of a PCR: at each place it takes a few
 * packets. */
static void
test_cut (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GByteArray *stream = g_byte_array_new ();
    GRand *rand = g_rand_new_with_seed (i);
    Found found;
    CbrTs ts;

    append_many (stream, sizes[i], 1000, 0);
    for (guint k = 9; k > 0; k--)
      g_byte_array_remove_range (stream, k * 100 * sizes[i] + g_rand_int_range (rand, 20, 188),
          g_rand_int_range (rand, 1, 188));
    cbr_ts_init (&ts, 0);
    found = feed (&ts, stream, 1316);
    g_assert_cmpuint (found.n, >=, 1000 - 10 * (CBR_TS_RUN + 1));
    g_assert_cmpuint (found.jumps, ==, 1);
    g_assert_cmpint (found.time, ==, (999 - (CBR_TS_RUN - 1)) * 1000000);
    g_byte_array_unref (stream);
    g_rand_free (rand);
  }
}

/* The size that caps give is not doubted, also if they come while it plays. */
static void
test_given (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint j = 0; j < G_N_ELEMENTS (sizes); j++) {
      GByteArray *stream = g_byte_array_new ();
      CbrTs ts;

      append_many (stream, sizes[i], 100, 0);
      cbr_ts_init (&ts, sizes[j]);
      g_assert_cmpuint (feed (&ts, stream, 500).n > 0, ==, i == j);
      g_assert_cmpint (cbr_ts_is_clock (&ts), ==, i == j);
      cbr_ts_set_size (&ts, sizes[i]);
      g_assert_cmpuint (feed (&ts, stream, 500).n, ==, i == j ? 100 : 100 - (CBR_TS_RUN - 1));
      g_byte_array_unref (stream);
    }
}

/* Returns the size of packets if @data begins with at least two, or is just one; else 0. */
static guint
guess (const guint8 *data, gsize size)
{
  guint n, packet = ts_sync_fit (data, size, &n);

  g_assert_cmpint (n > 0, ==, packet > 0);
  return n > 1 || packet == size ? packet : 0;
}

/* By the first bytes alone. */
static void
test_guess (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GByteArray *stream = g_byte_array_new ();
    guint front = sizes[i] == 192 ? 4 : 0;

    append_many (stream, sizes[i], 4, 0);
    for (gsize n = 0; n <= stream->len; n++) {
      guint expected = n == sizes[i] || n > sizes[i] + front ? sizes[i] : 0;

      /* it may be just one, of any size */
      if (expected == 0 && front == 0 && n != 192 && ts_sync_is_size (n))
        expected = n;
      g_assert_cmpuint (guess (stream->data, n), ==, expected);
    }
    stream->data[2 * sizes[i] + front] = 0;
    g_assert_cmpuint (guess (stream->data, stream->len), ==, 0);
    g_byte_array_unref (stream);
  }
}

/* Any share of the bytes are sync bytes: each byte is looked at, and none twice for ever. */
static void
test_hostile (void)
{
  for (guint seed = 0; seed < 200; seed++) {
    GRand *rand = g_rand_new_with_seed (seed);
    GByteArray *stream = g_byte_array_new ();
    guint share = seed % 20;
    CbrTs ts;

    g_byte_array_set_size (stream, 20000);
    for (guint i = 0; i < stream->len; i++)
      stream->data[i] =
          (guint) g_rand_int_range (rand, 0, 20) <= share ? TS_SYNC : g_rand_int (rand);
    cbr_ts_init (&ts, 0);
    feed (&ts, stream, seed % 2 == 0 ? 3 : 4000);
    /* and packets behind it are found */
    g_byte_array_set_size (stream, 0);
    append_many (stream, 192, 10, 0);
    feed (&ts, stream, 1000);
    g_assert_cmpuint (ts.sync.size, ==, 192);
    g_assert_cmpuint (ts.phase, ==, 188);
    g_byte_array_unref (stream);
    g_rand_free (rand);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sync/sizes", test_sizes);
  g_test_add_func ("/sync/joined", test_joined);
  g_test_add_func ("/sync/cut", test_cut);
  g_test_add_func ("/sync/given", test_given);
  g_test_add_func ("/sync/guess", test_guess);
  g_test_add_func ("/sync/hostile", test_hostile);
  return g_test_run ();
}
