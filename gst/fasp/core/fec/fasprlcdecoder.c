/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasplimits.h"
#include "fasprlc.h"
#include "fasprlcdecoder.h"
#include "faspwire.h"

#define SYMBOL_MAX (FASP_SYMBOL_HEADER + FASP_BLOCK_SIZE_MAX)

/* An equation: the sum of coefficients[n & mask] * block n over the unknown blocks equals the
 * symbol. The lowest unknown block is the pivot: its coefficient is 1, and 0 in all other rows. */
typedef struct
{
  guint64 first; /* block of the symbol's window */
  guint n;       /* blocks in the window */
  guint16 key;   /* key of the coefficients; used while the row waits */
  guint64 pivot;
  guint32 size; /* bytes of the symbol; zeros follow */
  guint8 *coefficients;
  guint8 symbol[SYMBOL_MAX];
} Row;

struct _FaspRlcDecoder
{
  guint64 mask;
  guint64 high;       /* one past the highest number seen */
  FaspBlock **known;  /* block n at n & mask; if it is unknown, NULL or another block */
  GPtrArray *waiting; /* Row, in order of arrival */
  GPtrArray *rows;    /* Row, by pivot */
  GPtrArray *spare;   /* Row, not in use */
};

static void
row_free (gpointer data)
{
  Row *row = data;

  g_free (row->coefficients);
  g_free (row);
}

FaspRlcDecoder *
fasp_rlc_decoder_new (guint window)
{
  FaspRlcDecoder *decoder = g_new0 (FaspRlcDecoder, 1);
  guint64 size = 64;

  while (size < window)
    size *= 2;
  decoder->mask = size - 1;
  decoder->known = g_new0 (FaspBlock *, size);
  decoder->waiting = g_ptr_array_new_with_free_func (row_free);
  decoder->rows = g_ptr_array_new_with_free_func (row_free);
  decoder->spare = g_ptr_array_new_with_free_func (row_free);
  return decoder;
}

void
fasp_rlc_decoder_forget (FaspRlcDecoder *decoder)
{
  for (guint64 i = 0; i <= decoder->mask; i++)
    g_clear_pointer (&decoder->known[i], fasp_block_unref);
  g_ptr_array_set_size (decoder->waiting, 0);
  g_ptr_array_set_size (decoder->rows, 0);
  g_ptr_array_set_size (decoder->spare, 0);
}

void
fasp_rlc_decoder_free (FaspRlcDecoder *decoder)
{
  if (decoder == NULL)
    return;
  fasp_rlc_decoder_forget (decoder);
  g_free (decoder->known);
  g_ptr_array_unref (decoder->waiting);
  g_ptr_array_unref (decoder->rows);
  g_ptr_array_unref (decoder->spare);
  g_free (decoder);
}

guint
fasp_rlc_decoder_count (const FaspRlcDecoder *decoder)
{
  return decoder->rows->len + decoder->waiting->len;
}

/* --- rows ------------------------------------------------------------------------- */

static Row *
nth (const FaspRlcDecoder *decoder, guint i)
{
  return g_ptr_array_index (decoder->rows, i);
}

static void
drop (FaspRlcDecoder *decoder, guint i)
{
  g_ptr_array_add (decoder->spare, g_ptr_array_steal_index (decoder->rows, i));
}

static Row *
new_row (FaspRlcDecoder *decoder)
{
  Row *row;

  if (decoder->spare->len > 0) {
    row = g_ptr_array_steal_index_fast (decoder->spare, decoder->spare->len - 1);
    memset (row->coefficients, 0, decoder->mask + 1);
    memset (row->symbol, 0, row->size);
    row->size = 0;
    return row;
  }
  row = g_new0 (Row, 1);
  row->coefficients = g_malloc0 (decoder->mask + 1);
  return row;
}

static void
insert (FaspRlcDecoder *decoder, Row *row)
{
  guint i = decoder->rows->len;

  while (i > 0 && nth (decoder, i - 1)->pivot > row->pivot)
    i--;
  g_ptr_array_insert (decoder->rows, i, row);
}

static guint64
get_low (const FaspRlcDecoder *decoder)
{
  return decoder->high > decoder->mask + 1 ? decoder->high - decoder->mask - 1 : 0;
}

static inline guint8
get_coefficient (const FaspRlcDecoder *decoder, const Row *row, guint64 number)
{
  return row->coefficients[number & decoder->mask];
}

/* row += c * other */
static void
add_row (FaspRlcDecoder *decoder, Row *row, const Row *other, guint8 c)
{
  fasp_rlc_add (row->coefficients, other->coefficients, decoder->mask + 1, c);
  fasp_rlc_add (row->symbol, other->symbol, other->size, c);
  row->size = MAX (row->size, other->size);
}

/* The first unknown block of the row from @from on; high: there is none. */
static guint64
find_unknown (const FaspRlcDecoder *decoder, const Row *row, guint64 from)
{
  while (from < decoder->high && get_coefficient (decoder, row, from) == 0)
    from++;
  return from;
}

/* Chooses a pivot for a row that contains none of the others' pivots, eliminates it
 * from the others, and inserts the row. FALSE: the row is empty. */
static gboolean
settle (FaspRlcDecoder *decoder, Row *row)
{
  guint8 c;

  row->pivot = find_unknown (decoder, row, get_low (decoder));
  if (row->pivot == decoder->high)
    return FALSE;
  c = fasp_rlc_invert (get_coefficient (decoder, row, row->pivot));
  fasp_rlc_scale (row->coefficients, decoder->mask + 1, c);
  fasp_rlc_scale (row->symbol, row->size, c);
  for (guint i = 0; i < decoder->rows->len; i++) {
    Row *other = nth (decoder, i);

    c = get_coefficient (decoder, other, row->pivot);
    if (c != 0)
      add_row (decoder, other, row, c);
  }
  insert (decoder, row);
  return TRUE;
}

/* Moves the window up to @high. Forgets rows with an unknown block below it. */
static void
move_on (FaspRlcDecoder *decoder, guint64 high)
{
  if (high <= decoder->high)
    return;
  decoder->high = high;
  while (decoder->rows->len > 0 && nth (decoder, 0)->pivot < get_low (decoder))
    drop (decoder, 0);
}

/* --- input --------------------------------------------------------------------------- */

static FaspBlock *
get_known (const FaspRlcDecoder *decoder, guint64 number)
{
  FaspBlock *block = decoder->known[number & decoder->mask];

  return block != NULL && block->number == number ? block : NULL;
}

static void
put_in (FaspRlcDecoder *decoder, const FaspBlock *block)
{
  guint64 slot = block->number & decoder->mask;
  Row *without = NULL;

  for (guint i = decoder->rows->len; i > 0; i--) {
    Row *row = nth (decoder, i - 1);
    guint8 c = row->coefficients[slot];

    if (c == 0)
      continue;
    fasp_rlc_add_block (row->symbol, block, c);
    row->size = MAX (row->size, FASP_SYMBOL_HEADER + block->size);
    row->coefficients[slot] = 0;
    if (row->pivot == block->number)
      without = g_ptr_array_steal_index (decoder->rows, i - 1);
  }
  if (without != NULL && !settle (decoder, without))
    g_ptr_array_add (decoder->spare, without);
}

void
fasp_rlc_decoder_know (FaspRlcDecoder *decoder, FaspBlock *block)
{
  FaspBlock **slot = &decoder->known[block->number & decoder->mask];

  move_on (decoder, block->number + 1);
  if (block->number < get_low (decoder) || get_known (decoder, block->number) != NULL)
    return;
  if (*slot != NULL)
    fasp_block_unref (*slot);
  *slot = fasp_block_ref (block);
  put_in (decoder, block);
}

/* Can the symbol recover a block? A block of its window must be missing, and it must be at least as
 * long as the known blocks require. */
static gboolean
is_of_use (const FaspRlcDecoder *decoder, guint64 first, guint n, guint32 size)
{
  gboolean missing = FALSE;

  for (guint i = 0; i < n; i++) {
    const FaspBlock *block = get_known (decoder, first + i);

    if (block == NULL)
      missing = TRUE;
    else if (size < FASP_SYMBOL_HEADER + block->size)
      return FALSE;
  }
  return missing;
}

void
fasp_rlc_decoder_repair (FaspRlcDecoder *decoder, guint64 first, guint n, guint16 key,
    const guint8 *symbol, guint32 size)
{
  Row *row;

  if (size < FASP_SYMBOL_HEADER || size > SYMBOL_MAX || n == 0 || n > decoder->mask + 1)
    return;
  move_on (decoder, first + n);
  if (first < get_low (decoder) || !is_of_use (decoder, first, n, size))
    return;
  if (decoder->waiting->len == FASP_RLC_DECODER_ROWS)
    g_ptr_array_add (decoder->spare, g_ptr_array_steal_index (decoder->waiting, 0));
  row = new_row (decoder);
  row->first = first;
  row->n = n;
  row->key = key;
  row->size = size;
  memcpy (row->symbol, symbol, size);
  g_ptr_array_add (decoder->waiting, row);
}

/* Turns a symbol that waited into a row. FALSE: it adds nothing. */
static gboolean
use (FaspRlcDecoder *decoder, Row *row)
{
  g_autofree guint8 *coefficients = NULL;

  if (row->first < get_low (decoder) || !is_of_use (decoder, row->first, row->n, row->size))
    return FALSE;
  coefficients = g_malloc (row->n);
  fasp_rlc_get_coefficients (row->key, coefficients, row->n);
  for (guint i = 0; i < row->n; i++) {
    guint64 number = row->first + i;
    const FaspBlock *block = get_known (decoder, number);

    if (block == NULL)
      row->coefficients[number & decoder->mask] = coefficients[i];
    else
      fasp_rlc_add_block (row->symbol, block, coefficients[i]);
  }
  for (guint i = 0; i < decoder->rows->len; i++) {
    Row *other = nth (decoder, i);
    guint8 c = get_coefficient (decoder, row, other->pivot);

    if (c != 0)
      add_row (decoder, row, other, c);
  }
  if (decoder->rows->len == FASP_RLC_DECODER_ROWS)
    drop (decoder, 0);
  return settle (decoder, row);
}

static void
use_waiting (FaspRlcDecoder *decoder)
{
  while (decoder->waiting->len > 0) {
    Row *row = g_ptr_array_steal_index (decoder->waiting, 0);

    if (!use (decoder, row))
      g_ptr_array_add (decoder->spare, row);
  }
}

/* --- output ---------------------------------------------------------------------------- */

/* Reads the source symbol of a recovered block. FALSE: it is not valid, and neither were the peer's
 * repairs. */
static gboolean
parse (const Row *row, FaspRecovered *recovered)
{
  FaspReader r = { row->symbol, row->size };

  recovered->number = row->pivot;
  recovered->size = fasp_read_uint (&r, 2);
  recovered->flags = fasp_read_uint (&r, 1);
  recovered->media_time = fasp_read_uint (&r, 4);
  recovered->data = fasp_read_bytes (&r, recovered->size);
  return !r.failed && recovered->flags <= FASP_BLOCK_MARK
      && (recovered->size > 0 || recovered->flags != 0);
}

gboolean
fasp_rlc_decoder_take (FaspRlcDecoder *decoder, FaspRecovered *recovered)
{
  use_waiting (decoder);
  for (guint i = 0; i < decoder->rows->len;) {
    Row *row = nth (decoder, i);

    if (find_unknown (decoder, row, row->pivot + 1) < decoder->high) {
      i++;
      continue;
    }
    drop (decoder, i); /* its symbol stays until the row is used again */
    if (parse (row, recovered))
      return TRUE;
  }
  return FALSE;
}
