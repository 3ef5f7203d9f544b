/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * simfec: the code alone, without a network.
 *
 *   simfec curve --loss P --burst B --share S --window W --blocks N --seed K
 *
 * N blocks, S repairs for each, each repair of the last W blocks, over a channel that
 * loses P in bursts of the mean length B (Gilbert).  Tells what is lost before and
 * behind the code, beside an ideal code, whose equations are independent whenever
 * they can be (coefficients of a prime field of 2^31 - 1 elements), and after how many
 * blocks a lost one is recovered.
 *
 *   simfec speed --window W --size BYTES
 *
 * Gigabytes a second that are added up in encoding, and in solving for lost blocks,
 * and ISA-L's kernel alone on the same memory.
 *
 * A line of JSON.
 */
#include <isa-l/erasure_code.h>
#include <stdio.h>
#include <string.h>
#include "fasprlc.h"
#include "fasprlcdecoder.h"
#include "options.h"
#include "values.h"

#define SIZE 32 /* of a block, in curves */
#define PRIME ((G_GUINT64_CONSTANT (1) << 31) - 1)
#define SECONDS .5 /* for each speed */

static gdouble loss = .02, burst = 1, share = .1;
static gint window = 50, blocks = 200000, seed = 1, size = 1316;

/* --- an ideal code --------------------------------------------------------------- */

/* The equations as in fasprlcdecoder.c, without symbols. */
typedef struct
{
  gint64 pivot;
  guint32 *c; /* of block n at n % ring */
} Equation;

typedef struct
{
  gint ring;
  gint64 high;
  gboolean *known; /* block n, if it is within reach */
  GPtrArray *equations;
} Ideal;

static guint64
power (guint64 base, guint64 exponent)
{
  guint64 result = 1;

  for (; exponent > 0; exponent >>= 1, base = base * base % PRIME)
    if (exponent & 1)
      result = result * base % PRIME;
  return result;
}

static gint64
first_unknown (const Ideal *ideal, const Equation *e, gint64 from)
{
  for (; from < ideal->high; from++)
    if (e->c[from % ideal->ring] != 0)
      return from;
  return -1;
}

static void
subtract (const Ideal *ideal, Equation *e, const Equation *other, guint64 c)
{
  for (gint64 n = MAX (0, ideal->high - ideal->ring); n < ideal->high; n++) {
    guint32 *at = &e->c[n % ideal->ring];

    *at = (*at + (PRIME - c) * other->c[n % ideal->ring]) % PRIME;
  }
}

static void
equation_free (gpointer data)
{
  Equation *e = data;

  g_free (e->c);
  g_free (e);
}

static void
ideal_add (Ideal *ideal, GRand *rand, gint64 first, gint64 end)
{
  Equation *e = g_new0 (Equation, 1);
  guint64 c;

  e->c = g_new0 (guint32, ideal->ring);
  for (gint64 n = first; n < end; n++)
    if (!ideal->known[n % ideal->ring])
      e->c[n % ideal->ring] = g_rand_int_range (rand, 1, PRIME);
  for (guint i = 0; i < ideal->equations->len; i++) {
    Equation *other = g_ptr_array_index (ideal->equations, i);

    c = e->c[other->pivot % ideal->ring];
    if (c != 0)
      subtract (ideal, e, other, c);
  }
  e->pivot = first_unknown (ideal, e, MAX (0, ideal->high - ideal->ring));
  if (e->pivot < 0) {
    equation_free (e);
    return;
  }
  c = power (e->c[e->pivot % ideal->ring], PRIME - 2);
  for (gint i = 0; i < ideal->ring; i++)
    e->c[i] = e->c[i] * c % PRIME;
  for (guint i = 0; i < ideal->equations->len; i++) {
    Equation *other = g_ptr_array_index (ideal->equations, i);

    c = other->c[e->pivot % ideal->ring];
    if (c != 0)
      subtract (ideal, other, e, c);
  }
  g_ptr_array_add (ideal->equations, e);
}

/* The next block that is determined, -1: none. */
static gint64
ideal_take (Ideal *ideal)
{
  for (guint i = 0; i < ideal->equations->len; i++) {
    Equation *e = g_ptr_array_index (ideal->equations, i);
    gint64 number = e->pivot;

    if (first_unknown (ideal, e, number + 1) >= 0)
      continue;
    ideal->known[number % ideal->ring] = TRUE;
    g_ptr_array_remove_index_fast (ideal->equations, i);
    return number;
  }
  return -1;
}

/* A block number comes into reach; what falls out of it is forgotten. */
static void
ideal_move (Ideal *ideal, gint64 number, gboolean known)
{
  ideal->high = number + 1;
  for (guint i = ideal->equations->len; i > 0; i--) {
    Equation *e = g_ptr_array_index (ideal->equations, i - 1);

    if (e->pivot <= number - ideal->ring)
      g_ptr_array_remove_index_fast (ideal->equations, i - 1);
    else
      e->c[number % ideal->ring] = 0;
  }
  ideal->known[number % ideal->ring] = known;
}

/* --- curves ------------------------------------------------------------------------- */

static FaspBlock *
make_block (guint64 number, guint32 bytes)
{
  FaspBlock *block = fasp_block_new (bytes);

  block->number = number;
  block->size = bytes;
  for (guint32 i = 0; i < bytes; i++)
    block->data[i] = number * 31 + i * 7;
  return block;
}

/* Gilbert: bursts of the mean length, so many that the share comes out. */
static gboolean
is_lost (GRand *rand, gboolean *bad)
{
  gdouble end = 1 / MAX (burst, 1), begin = loss * end / (1 - loss);

  if (burst <= 1)
    return g_rand_double (rand) < loss;
  *bad = g_rand_double (rand) < (*bad ? 1 - end : begin);
  return *bad;
}

static void
run_curve (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  FaspRlcDecoder *decoder = fasp_rlc_decoder_new (2 * window);
  Ideal ideal = {
    .ring = 2 * window,
    .known = g_new0 (gboolean, 2 * window),
    .equations = g_ptr_array_new_with_free_func (equation_free),
  };
  FaspBlock **ring = g_new0 (FaspBlock *, 8 * window);
  const FaspBlock **list = g_new (const FaspBlock *, window);
  g_autoptr (GArray) delays = values_new ();
  guint64 lost = 0, ours = 0, theirs = 0, wrong = 0, repairs = 0;
  gboolean bad = FALSE;
  gdouble owed = 0;

  for (gint64 n = 0; n < blocks; n++) {
    FaspBlock *block = make_block (n, SIZE), **slot = &ring[n % (8 * window)];
    gboolean gone = is_lost (rand, &bad);

    if (*slot != NULL)
      fasp_block_unref (*slot);
    *slot = block;
    ideal_move (&ideal, n, !gone);
    lost += gone;
    if (!gone)
      fasp_rlc_decoder_know (decoder, block);
    for (owed += share; owed >= 1; owed--) {
      gint64 first = MAX (0, n + 1 - window);
      guint8 symbol[SIZE + FASP_SYMBOL_HEADER];
      FaspRecovered r;

      for (gint64 i = first; i <= n; i++)
        list[i - first] = ring[i % (8 * window)];
      if (is_lost (rand, &bad))
        continue;
      repairs++;
      fasp_rlc_decoder_repair (decoder, first, n + 1 - first, repairs, symbol,
          fasp_rlc_encode (list, n + 1 - first, repairs, symbol));
      ideal_add (&ideal, rand, first, n + 1);
      while (fasp_rlc_decoder_take (decoder, &r)) {
        FaspBlock *right = ring[r.number % (8 * window)];
        gint64 delay = n - r.number;

        /* of what is within the window, as it is too late then */
        ours += delay < window;
        wrong += right->number != r.number || r.size != right->size
            || memcmp (r.data, right->data, r.size) != 0;
        values_add (delays, delay);
        fasp_rlc_decoder_know (decoder, right);
      }
      for (gint64 i; (i = ideal_take (&ideal)) >= 0;)
        theirs += n - i < window;
    }
  }
  g_print (
      "{\"loss\": %g, \"burst\": %g, \"share\": %g, \"window\": %d, \"blocks\": %d, \"lost\": %" G_GUINT64_FORMAT
      ", \"left\": %" G_GUINT64_FORMAT ", \"ideal\": %" G_GUINT64_FORMAT
      ", \"wrong\": %" G_GUINT64_FORMAT ", \"delay p50\": %g, \"delay p99\": %g}\n",
      loss, burst, share, window, blocks, lost, lost - ours, lost - theirs, wrong,
      delays->len > 0 ? values_percentile (delays, .5) : -1,
      delays->len > 0 ? values_percentile (delays, .99) : -1);
}

/* --- speed ----------------------------------------------------------------------------- */

static gdouble
now (void)
{
  return g_get_monotonic_time () * 1e-6;
}

static void
run_speed (void)
{
  const FaspBlock **list = g_new (const FaspBlock *, window);
  guint8 **sources = g_new (guint8 *, window);
  guint8 *coefficients = g_malloc (window);
  guint8 *tables = g_malloc (32 * window), *out = g_malloc (65536);
  guint8 *symbols[16];
  gdouble start, bytes = (gdouble) window * size, encode, kernel, solve;
  guint64 n;

  for (gint i = 0; i < window; i++) {
    list[i] = make_block (i, size);
    sources[i] = list[i]->data;
    coefficients[i] = i + 1;
  }
  ec_init_tables (window, 1, coefficients, tables);
  start = now ();
  for (n = 0; now () - start < SECONDS; n++)
    ec_encode_data (size, window, 1, tables, sources, &out);
  kernel = n * bytes / (now () - start);
  start = now ();
  for (n = 0; now () - start < SECONDS; n++)
    fasp_rlc_encode (list, window, n, out);
  encode = n * bytes / (now () - start);

  /* eight blocks of the window are lost, and recovered from as many repairs */
  for (guint i = 0; i < 8; i++) {
    symbols[i] = g_malloc (size + FASP_SYMBOL_HEADER);
    fasp_rlc_encode (list, window, 100 + i, symbols[i]);
  }
  solve = 0;
  for (n = 0; solve < SECONDS; n++) {
    FaspRlcDecoder *decoder = fasp_rlc_decoder_new (2 * window);
    FaspRecovered r;
    guint found = 0;

    for (gint i = 0; i < window; i++)
      if (i % (window / 8) != 0 || i / (window / 8) >= 8)
        fasp_rlc_decoder_know (decoder, (FaspBlock *) list[i]);
    start = now ();
    for (guint i = 0; i < 8; i++)
      fasp_rlc_decoder_repair (decoder, 0, window, 100 + i, symbols[i], size + FASP_SYMBOL_HEADER);
    while (fasp_rlc_decoder_take (decoder, &r))
      found++;
    solve += now () - start;
    fasp_rlc_decoder_free (decoder);
    if (found != 8) {
      g_printerr ("simfec: %u of 8 recovered\n", found);
      return;
    }
  }
  g_print ("{\"window\": %d, \"size\": %d, \"kernel\": %.2f, \"encode\": %.2f, \"solve\": %.2f}\n",
      window, size, kernel * 1e-9, encode * 1e-9, n * 8 * bytes / solve * 1e-9);
}

int
main (int argc, char **argv)
{
  GOptionEntry options[] = {
    { "loss", 0, 0, G_OPTION_ARG_DOUBLE, &loss, "share lost", "P" },
    { "burst", 0, 0, G_OPTION_ARG_DOUBLE, &burst, "mean length", "B" },
    { "share", 0, 0, G_OPTION_ARG_DOUBLE, &share, "repairs for a block", "S" },
    { "window", 0, 0, G_OPTION_ARG_INT, &window, "blocks", "W" },
    { "blocks", 0, 0, G_OPTION_ARG_INT, &blocks, "in all", "N" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "of the dice", "K" },
    { "size", 0, 0, G_OPTION_ARG_INT, &size, "of a block", "BYTES" },
    { NULL },
  };

  options_parse (&argc, &argv, options, "curve|speed");
  if (argc != 2 || window < 8)
    options_refuse ("curve or speed, with a window of at least 8");
  if (g_str_equal (argv[1], "speed"))
    run_speed ();
  else
    run_curve ();
  return 0;
}
