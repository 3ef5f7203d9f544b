/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <isa-l/erasure_code.h>
#include <string.h>
#include "fasprlc.h"
#include "fasplimits.h"
#include "fasptinymt.h"
#include "faspvector.h"
#include "faspwire.h"

/* Source symbols added up in one pass over the repair symbol. */
#define AT_ONCE 32
#define TABLE_MAX 32 /* bytes of a coefficient's table, in ISA-L */

/* Below this length ISA-L multiplies byte by byte with logarithms. */
#define SHORT 64

/* Tables made once for each coefficient. */
typedef struct
{
  guint8 kernel[256 * TABLE_MAX]; /* ISA-L's tables, one behind the other */
  gsize size;                     /* bytes of one of ISA-L's tables */
  guint8 products[256][32];       /* products with each value of a byte's lower half, then of its
                                     upper half */
} Tables;

/* The tables of ISA-L 2.31 have 8 bytes on processors with instructions for such a field (GFNI),
 * else 32. */
static gsize
measure_table (void)
{
  guint8 two[2 * TABLE_MAX] = { 0 };
  gsize size = 8;

  ec_init_tables (2, 1, (guint8[]) { 1, 1 }, two);
  while (size < TABLE_MAX && memcmp (two, two + size, size) != 0)
    size *= 2;
  return size;
}

static const Tables *
get_tables (void)
{
  static Tables tables;
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    guint8 all[256];

    for (guint i = 0; i < 256; i++) {
      all[i] = i;
      gf_vect_mul_init (i, tables.products[i]);
    }
    ec_init_tables (256, 1, all, tables.kernel);
    tables.size = measure_table ();
    g_once_init_leave (&once, 1);
  }
  return &tables;
}

/* Not const, as ISA-L's functions do not declare it so; they change no table. */
static guint8 *
get_table (guint8 c)
{
  const Tables *tables = get_tables ();

  return (guint8 *) tables->kernel + c * tables->size;
}

/* For short data, such as the header of each block, which ISA-L multiplies slowly. */
static void
add_short (guint8 *to, const guint8 *from, gsize n, guint8 c)
{
  const guint8 *products = get_tables ()->products[c];

  for (gsize i = 0; i < n; i++)
    to[i] ^= products[from[i] & 15] ^ products[16 + (from[i] >> 4)];
}

gboolean
fasp_rlc_is_built (void)
{
  return TRUE;
}

void
fasp_rlc_get_coefficients (guint16 key, guint8 *coefficients, guint n)
{
  FaspTinymt tinymt;

  fasp_tinymt_init (&tinymt, key);
  for (guint i = 0; i < n; i++)
    do
      coefficients[i] = fasp_tinymt_next (&tinymt);
    while (coefficients[i] == 0);
}

guint8
fasp_rlc_invert (guint8 c)
{
  return gf_inv (c);
}

void
fasp_rlc_add (guint8 *to, const guint8 *from, gsize n, guint8 c)
{
  if (c == 0)
    return;
  if (n < SHORT) {
    add_short (to, from, n, c);
    return;
  }
  ec_encode_data_update (n, 1, 1, 0, get_table (c), (guint8 *) from, &to);
  fasp_vector_leave ();
}

void
fasp_rlc_scale (guint8 *data, gsize n, guint8 c)
{
  guint8 product[FASP_SYMBOL_HEADER + FASP_BLOCK_SIZE_MAX], *out = product;

  /* not in place: ISA-L may multiply the last bytes twice */
  for (gsize done, i = 0; c != 1 && i < n; i += done) {
    done = MIN (n - i, sizeof product);
    ec_encode_data (done, 1, 1, get_table (c), &data, &out);
    fasp_vector_leave ();
    memcpy (data, product, done);
    data += done;
  }
}

static void
add_header (guint8 *symbol, const FaspBlock *block, guint8 c)
{
  guint8 header[FASP_SYMBOL_HEADER];
  FaspWriter w = { header, sizeof header };

  fasp_write_uint (&w, block->size, 2);
  fasp_write_uint (&w, block->flags & FASP_BLOCK_MARK, 1);
  fasp_write_uint (&w, block->media_time, 4);
  fasp_rlc_add (symbol, header, sizeof header, c);
}

void
fasp_rlc_add_block (guint8 *symbol, const FaspBlock *block, guint8 c)
{
  add_header (symbol, block, c);
  fasp_rlc_add (symbol + FASP_SYMBOL_HEADER, block->data, block->size, c);
}

/* Adds up payloads of one size together, so that each byte of the symbol is written
 * once, and not once for each payload. */
static void
add_alike (guint8 *symbol, const FaspBlock *const *blocks, guint n, const guint8 *coefficients)
{
  guint8 tables[AT_ONCE * TABLE_MAX], *sources[AT_ONCE];
  const gsize table = get_tables ()->size;
  guint32 size = blocks[0]->size;
  guint8 sum[FASP_BLOCK_SIZE_MAX], *out = sum;

  for (guint i = 0; i < n; i++) {
    memcpy (tables + i * table, get_table (coefficients[i]), table);
    sources[i] = blocks[i]->data;
  }
  ec_encode_data (size, n, 1, tables, sources, &out);
  fasp_vector_leave ();
  fasp_rlc_add (symbol + FASP_SYMBOL_HEADER, sum, size, 1);
}

guint32
fasp_rlc_encode (const FaspBlock *const *blocks, guint n, guint16 key, guint8 *symbol)
{
  g_autofree guint8 *coefficients = g_malloc (n);
  guint32 longest = 0;

  for (guint i = 0; i < n; i++)
    longest = MAX (longest, blocks[i]->size);
  memset (symbol, 0, FASP_SYMBOL_HEADER + longest);
  fasp_rlc_get_coefficients (key, coefficients, n);
  for (guint i = 0, alike; i < n; i += alike) {
    for (alike = 1; alike < AT_ONCE && i + alike < n && blocks[i + alike]->size == blocks[i]->size;
        alike++)
      ;
    for (guint j = i; j < i + alike; j++)
      add_header (symbol, blocks[j], coefficients[j]);
    if (blocks[i]->size > 0)
      add_alike (symbol, blocks + i, alike, coefficients + i);
  }
  return FASP_SYMBOL_HEADER + longest;
}
