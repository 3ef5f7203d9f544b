/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The code and what solves it: numbers of the RFCs, and everything that can
 * be recovered is.
 */
#include <isa-l/erasure_code.h>
#include <string.h>
#include "fasprlc.h"
#include "fasprlcdecoder.h"
#include "vvector.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspBlock, fasp_block_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspRlcDecoder, fasp_rlc_decoder_free)

/* RFC 8681, appendix A: the low bytes of these (none of the first is 0), which are
 * the coefficients of density 15; and none ever is. */
static void
test_coefficients (void)
{
  static const guint8 bytes[20] = { 37, 225, 177, 176, 21, 246, 54, 139, 168, 237, 211, 187, 62,
    190, 104, 135, 210, 99, 176, 11 };
  guint8 c[4096];

  fasp_rlc_get_coefficients (1, c, sizeof bytes);
  g_assert_cmpmem (c, sizeof bytes, bytes, sizeof bytes);
  for (guint key = 0; key < 65536; key += 257) {
    fasp_rlc_get_coefficients (key, c, sizeof c);
    g_assert_null (memchr (c, 0, sizeof c));
  }
}

/* The field: that of RFC 8681 (polynomial 0x11d), by hand. */
static guint8
multiply (guint a, guint b)
{
  guint product = 0;

  for (; b > 0; b >>= 1, a = a << 1 ^ (a & 0x80 ? 0x11d : 0))
    if (b & 1)
      product ^= a;
  return product;
}

static void
test_field (void)
{
  guint8 from[256], to[256];

  for (guint i = 0; i < 256; i++)
    from[i] = i;
  for (guint c = 0; c < 256; c++) {
    memset (to, 0x55, sizeof to);
    fasp_rlc_add (to, from, sizeof to, c);
    for (guint i = 0; i < 256; i++)
      g_assert_cmpuint (to[i], ==, 0x55 ^ multiply (i, c));
    /* shorter than a vector, and not a multiple of one */
    memset (to, 0, sizeof to);
    fasp_rlc_add (to, from + 3, 7, c);
    fasp_rlc_add (to + 7, from + 10, 93, c);
    for (guint i = 0; i < 100; i++)
      g_assert_cmpuint (to[i], ==, multiply (i + 3, c));
    g_assert_cmpuint (to[100], ==, 0);
    if (c > 0)
      g_assert_cmpuint (multiply (c, fasp_rlc_invert (c)), ==, 1);
    memcpy (to, from, sizeof to);
    fasp_rlc_scale (to, sizeof to, c);
    for (guint i = 0; i < 256; i++)
      g_assert_cmpuint (to[i], ==, multiply (i, c));
  }
}

/* --- blocks ------------------------------------------------------------------------- */

/* Its bytes follow from its number; each sixth is shorter. */
static FaspBlock *
make_block (guint64 number, guint32 size, gboolean eos)
{
  FaspBlock *block = fasp_block_new (size);

  block->number = number;
  block->size = eos ? 0 : number % 6 == 0 ? size / 3 : size;
  block->flags = eos ? FASP_BLOCK_MARK : 0;
  block->media_time = number * 1000 + G_GUINT64_CONSTANT (0x1234500000);
  for (guint32 i = 0; i < block->size; i++)
    block->data[i] = number * 31 + i * 7 + (i * number >> 5);
  return block;
}

static void
assert_same (const FaspRecovered *r, guint32 size, guint64 eos)
{
  g_autoptr (FaspBlock) block = make_block (r->number, size, r->number == eos);

  g_assert_cmpmem (r->data, r->size, block->data, block->size);
  g_assert_cmpuint (r->flags, ==, block->flags);
  g_assert_cmpuint (r->media_time, ==, (guint32) block->media_time);
}

static void
test_encode (void)
{
  const FaspBlock *blocks[100];
  guint8 symbol[2000], wanted[2000] = { 0 }, c[100];

  for (guint i = 0; i < 100; i++)
    blocks[i] = make_block (i, 1316, FALSE);
  g_assert_cmpuint (fasp_rlc_encode (blocks, 100, 77, symbol), ==, 1316 + 7);
  fasp_rlc_get_coefficients (77, c, 100);
  for (guint i = 0; i < 100; i++) {
    guint8 header[7] = { blocks[i]->size >> 8, blocks[i]->size, 0, blocks[i]->media_time >> 24,
      blocks[i]->media_time >> 16, blocks[i]->media_time >> 8, blocks[i]->media_time };

    for (guint j = 0; j < 7; j++)
      wanted[j] ^= multiply (header[j], c[i]);
    for (guint j = 0; j < blocks[i]->size; j++)
      wanted[7 + j] ^= multiply (blocks[i]->data[j], c[i]);
  }
  g_assert_cmpmem (symbol, 1323, wanted, 1323);
  for (guint i = 0; i < 100; i++)
    fasp_block_unref ((FaspBlock *) blocks[i]);
}

/* --- solving ---------------------------------------------------------------------------- */

/* What is unknown, and equations, without a symbol, over a field so large that
 * equations are as independent as they can be. */
#define PRIME ((G_GUINT64_CONSTANT (1) << 31) - 1)

static guint64
power (guint64 base, guint64 exponent)
{
  guint64 result = 1;

  for (; exponent > 0; exponent >>= 1, base = base * base % PRIME)
    if (exponent & 1)
      result = result * base % PRIME;
  return result;
}

/* Which of @n unknowns do these equations determine? By elimination of rows of
 * @n + 0; the ideal code. */
static void
solve_ideal (guint64 **rows, guint m, guint n, gboolean *solved)
{
  guint rank = 0;

  for (guint column = 0; column < n; column++) {
    guint i = rank;
    guint64 inverse;

    while (i < m && rows[i][column] == 0)
      i++;
    if (i == m)
      continue;
    {
      guint64 *swap = rows[i];

      rows[i] = rows[rank];
      rows[rank] = swap;
    }
    inverse = power (rows[rank][column], PRIME - 2);
    for (guint j = 0; j < n; j++)
      rows[rank][j] = rows[rank][j] * inverse % PRIME;
    for (i = 0; i < m; i++)
      if (i != rank && rows[i][column] != 0) {
        guint64 c = PRIME - rows[i][column];

        for (guint j = 0; j < n; j++)
          rows[i][j] = (rows[i][j] + c * rows[rank][j]) % PRIME;
      }
    rank++;
  }
  for (guint i = 0; i < rank; i++) {
    guint column = n, count = 0;

    for (guint j = n; j > 0; j--)
      if (rows[i][j - 1] != 0) {
        column = j - 1;
        count++;
      }
    if (count == 1)
      solved[column] = TRUE;
  }
}

/* Blocks of which some are lost, with a repair symbol of the last @window after each
 * @every; what is recovered is right, and what an ideal code recovers is
 * recovered, but for a few in many. */
static void
run_code (guint seed, guint window, guint every, gdouble loss, guint *ours, guint *ideal)
{
  enum
  {
    N = 300,
    SIZE = 200
  };
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_autoptr (FaspRlcDecoder) decoder = fasp_rlc_decoder_new (512);
  FaspBlock *blocks[N];
  guint column[N], unknown = 0, m = 0;
  guint64 *rows[N];
  gboolean solved[N] = { FALSE }, got[N] = { FALSE };
  FaspRecovered r;

  for (guint i = 0; i < N; i++) {
    blocks[i] = make_block (i, SIZE, i == N - 1);
    column[i] = N;
    if (g_rand_double (rand) < loss)
      column[i] = unknown++;
    else
      fasp_rlc_decoder_know (decoder, blocks[i]);
    if (i % every == every - 1 && g_rand_double (rand) >= loss) {
      guint from = i + 1 > window ? i + 1 - window : 0;
      guint8 symbol[SIZE + 7];
      guint32 size =
          fasp_rlc_encode ((const FaspBlock *const *) blocks + from, i + 1 - from, i, symbol);

      fasp_rlc_decoder_repair (decoder, from, i + 1 - from, i, symbol, size);
      rows[m] = g_new0 (guint64, N);
      for (guint j = from; j <= i; j++)
        if (column[j] < N)
          rows[m][column[j]] = g_rand_int_range (rand, 1, PRIME);
      m++;
      while (fasp_rlc_decoder_take (decoder, &r)) {
        assert_same (&r, SIZE, N - 1);
        g_assert_cmpuint (column[r.number], <, N);
        g_assert_false (got[r.number]);
        got[r.number] = TRUE;
        (*ours)++;
        fasp_rlc_decoder_know (decoder, blocks[r.number]);
      }
    }
  }
  solve_ideal (rows, m, unknown, solved);
  for (guint i = 0; i < unknown; i++)
    *ideal += solved[i];
  for (guint i = 0; i < m; i++)
    g_free (rows[i]);
  for (guint i = 0; i < N; i++)
    fasp_block_unref (blocks[i]);
}

static void
test_solve (void)
{
  static const struct
  {
    guint window, every;
    gdouble loss;
  } cases[] = {
    { 20, 5, .02 },
    { 40, 5, .1 },
    { 60, 4, .2 },
    { 100, 10, .05 },
    { 10, 2, .3 },
    { 300, 3, .25 },
    { 50, 20, .04 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint ours = 0, ideal = 0;

    for (guint seed = 0; seed < 40; seed++)
      run_code (seed, cases[i].window, cases[i].every, cases[i].loss, &ours, &ideal);
    g_test_message ("window %u, one in %u, loss %g: %u recovered, ideal %u", cases[i].window,
        cases[i].every, cases[i].loss, ours, ideal);
    g_assert_cmpuint (ideal, >, 50);
    g_assert_cmpuint (ours, <=, ideal * 1.01 + 1);
    g_assert_cmpuint (ours, >=, ideal * .97);
  }
}

/* Blocks that come late, in any order, between the equations. */
static void
test_late (void)
{
  for (guint seed = 0; seed < 200; seed++) {
    enum
    {
      N = 24,
      SIZE = 64
    };
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    g_autoptr (FaspRlcDecoder) decoder = fasp_rlc_decoder_new (64);
    FaspBlock *blocks[N];
    gboolean here[N] = { FALSE };
    FaspRecovered r;
    guint left = N;

    for (guint i = 0; i < N; i++)
      blocks[i] = make_block (i, SIZE, FALSE);
    for (guint step = 0; left > 0; step++) {
      guint i = g_rand_int_range (rand, 0, N);

      g_assert_cmpuint (step, <, 1000);
      if (g_rand_boolean (rand)) {
        guint8 symbol[SIZE + 7];
        guint n = g_rand_int_range (rand, 1, N - i + 1);

        fasp_rlc_decoder_repair (decoder, i, n, step, symbol,
            fasp_rlc_encode ((const FaspBlock *const *) blocks + i, n, step, symbol));
      } else if (!here[i]) {
        here[i] = TRUE;
        left--;
        fasp_rlc_decoder_know (decoder, blocks[i]);
      }
      while (g_rand_int_range (rand, 0, 4) > 0 && fasp_rlc_decoder_take (decoder, &r)) {
        assert_same (&r, SIZE, N);
        g_assert_false (here[r.number]);
        here[r.number] = TRUE;
        left--;
        fasp_rlc_decoder_know (decoder, blocks[r.number]);
      }
    }
    g_assert_false (fasp_rlc_decoder_take (decoder, &r));
    g_assert_cmpuint (fasp_rlc_decoder_count (decoder), ==, 0);
    for (guint i = 0; i < N; i++)
      fasp_block_unref (blocks[i]);
  }
}

/* Symbols that no block has, windows that cannot be, equations without end: nothing
 * but lies is lost. */
static void
test_lies (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (FaspRlcDecoder) decoder = fasp_rlc_decoder_new (128);
  FaspRecovered r;
  guint8 symbol[10000];

  for (guint i = 0; i < 20000; i++) {
    guint64 first = g_rand_int_range (rand, 0, 4) == 0 ?
        (guint64) g_rand_int (rand) << g_rand_int_range (rand, 0, 29) :
        i / 10 + g_rand_int_range (rand, 0, 200);

    for (guint j = 0; j < 40; j++)
      symbol[j] = g_rand_int (rand);
    if (i % 50 == 0) {
      g_autoptr (FaspBlock) block = make_block (first, 30, FALSE);

      fasp_rlc_decoder_know (decoder, block);
    } else {
      fasp_rlc_decoder_repair (decoder, first, g_rand_int_range (rand, 0, 200), i, symbol,
          g_rand_int_range (rand, 0, i % 100 == 1 ? 10000 : 40));
    }
    while (fasp_rlc_decoder_take (decoder, &r))
      g_assert_cmpuint (r.size, <=, 10000);
    g_assert_cmpuint (fasp_rlc_decoder_count (decoder), <=, FASP_RLC_DECODER_ROWS);
  }
}

/* faspvector.h */
static void
test_registers (void)
{
  guint8 from[1400] = { 0 }, to[FASP_SYMBOL_HEADER + sizeof from] = { 0 };
  g_autoptr (FaspBlock) block = fasp_block_new (sizeof from);
  const FaspBlock *blocks[] = { block, block };

  if (!vvector_is_told ())
    return;
  memset (block->data, 1, block->size = sizeof from);
  fasp_rlc_add (to, from, sizeof from, 2);
  g_assert_false (vvector_is_in_use ());
  fasp_rlc_scale (to, sizeof from, 2);
  g_assert_false (vvector_is_in_use ());
  fasp_rlc_encode (blocks, G_N_ELEMENTS (blocks), 1, to);
  g_assert_false (vvector_is_in_use ());
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rlc/coefficients", test_coefficients);
  g_test_add_func ("/rlc/field", test_field);
  g_test_add_func ("/rlc/encode", test_encode);
  g_test_add_func ("/rlc/registers", test_registers);
  g_test_add_func ("/rlc/solve", test_solve);
  g_test_add_func ("/rlc/late", test_late);
  g_test_add_func ("/rlc/lies", test_lies);
  return g_test_run ();
}
