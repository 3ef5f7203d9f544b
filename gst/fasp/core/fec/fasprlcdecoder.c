/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasplimits.h"
#include "fasprlc.h"
#include "fasprlcdecoder.h"
#include "faspwire.h"

#define SYMBOL_MAX (FASP_SYMBOL_HEADER + FASP_BLOCK_SIZE_MAX)

/* An equation: the sum of coefficients[n & mask] * block n over the unknown blocks
 * equals the symbol. The lowest of these is the pivot: its coefficient is 1, and no
 * other row has it. */
typedef struct
{
  guint64 first;                /* of the symbol's window, */
  guint n;                      /* its length, */
  guint16 key;                  /* and its key, while the row waits */
  guint64 pivot;
  guint32 size;                 /* of the symbol, with zeros behind */
  guint8 *coefficients;
  guint8 symbol[SYMBOL_MAX];
} Row;

struct _FaspSolver
{
  guint64 mask;
  guint64 high;                 /* one past the highest number seen */
  FaspBlock **known;            /* block n at n & mask, or another number there */
  GPtrArray *waiting;           /* Row, in order of arrival */
  GPtrArray *rows;              /* Row, by pivot */
  GPtrArray *spare;             /* Row, not in use */
};

static void
row_free (gpointer data)
{
  Row *row = data;

  g_free (row->coefficients);
  g_free (row);
}

FaspSolver *
fasp_solver_new (guint window)
{
  FaspSolver *solver = g_new0 (FaspSolver, 1);
  guint64 size = 64;

  while (size < window)
    size *= 2;
  solver->mask = size - 1;
  solver->known = g_new0 (FaspBlock *, size);
  solver->waiting = g_ptr_array_new_with_free_func (row_free);
  solver->rows = g_ptr_array_new_with_free_func (row_free);
  solver->spare = g_ptr_array_new_with_free_func (row_free);
  return solver;
}

void
fasp_solver_forget (FaspSolver * solver)
{
  for (guint64 i = 0; i <= solver->mask; i++)
    g_clear_pointer (&solver->known[i], fasp_block_unref);
  g_ptr_array_set_size (solver->waiting, 0);
  g_ptr_array_set_size (solver->rows, 0);
  g_ptr_array_set_size (solver->spare, 0);
}

void
fasp_solver_free (FaspSolver * solver)
{
  if (solver == NULL)
    return;
  fasp_solver_forget (solver);
  g_free (solver->known);
  g_ptr_array_unref (solver->waiting);
  g_ptr_array_unref (solver->rows);
  g_ptr_array_unref (solver->spare);
  g_free (solver);
}

guint
fasp_solver_count (const FaspSolver * solver)
{
  return solver->rows->len + solver->waiting->len;
}

/* --- rows ------------------------------------------------------------------------- */

static Row *
nth (const FaspSolver * solver, guint i)
{
  return g_ptr_array_index (solver->rows, i);
}

static void
drop (FaspSolver * solver, guint i)
{
  g_ptr_array_add (solver->spare, g_ptr_array_steal_index (solver->rows, i));
}

static Row *
new_row (FaspSolver * solver)
{
  Row *row;

  if (solver->spare->len > 0) {
    row = g_ptr_array_steal_index_fast (solver->spare, solver->spare->len - 1);
    memset (row->coefficients, 0, solver->mask + 1);
    memset (row->symbol, 0, row->size);
    row->size = 0;
    return row;
  }
  row = g_new0 (Row, 1);
  row->coefficients = g_malloc0 (solver->mask + 1);
  return row;
}

static void
insert (FaspSolver * solver, Row * row)
{
  guint i = solver->rows->len;

  while (i > 0 && nth (solver, i - 1)->pivot > row->pivot)
    i--;
  g_ptr_array_insert (solver->rows, i, row);
}

static guint64
get_low (const FaspSolver * solver)
{
  return solver->high > solver->mask + 1 ? solver->high - solver->mask - 1 : 0;
}

static inline guint8
get_coefficient (const FaspSolver * solver, const Row * row, guint64 number)
{
  return row->coefficients[number & solver->mask];
}

/* row += c * other */
static void
add_row (FaspSolver * solver, Row * row, const Row * other, guint8 c)
{
  fasp_rlc_add (row->coefficients, other->coefficients, solver->mask + 1, c);
  fasp_rlc_add (row->symbol, other->symbol, other->size, c);
  row->size = MAX (row->size, other->size);
}

/* The first unknown block of the row from @from on; high: there is none. */
static guint64
find_unknown (const FaspSolver * solver, const Row * row, guint64 from)
{
  while (from < solver->high && get_coefficient (solver, row, from) == 0)
    from++;
  return from;
}

/* Chooses a pivot for a row that contains none of the others' pivots, eliminates it
 * from the others, and inserts the row. FALSE: the row is empty. */
static gboolean
settle (FaspSolver * solver, Row * row)
{
  guint8 c;

  row->pivot = find_unknown (solver, row, get_low (solver));
  if (row->pivot == solver->high)
    return FALSE;
  c = fasp_rlc_invert (get_coefficient (solver, row, row->pivot));
  fasp_rlc_scale (row->coefficients, solver->mask + 1, c);
  fasp_rlc_scale (row->symbol, row->size, c);
  for (guint i = 0; i < solver->rows->len; i++) {
    Row *other = nth (solver, i);

    c = get_coefficient (solver, other, row->pivot);
    if (c != 0)
      add_row (solver, other, row, c);
  }
  insert (solver, row);
  return TRUE;
}

/* Moves the window up to @high. Forgets rows that need a block below it. */
static void
move_on (FaspSolver * solver, guint64 high)
{
  if (high <= solver->high)
    return;
  solver->high = high;
  while (solver->rows->len > 0 && nth (solver, 0)->pivot < get_low (solver))
    drop (solver, 0);
}

/* --- what comes in ------------------------------------------------------------------- */

static FaspBlock *
get_known (const FaspSolver * solver, guint64 number)
{
  FaspBlock *block = solver->known[number & solver->mask];

  return block != NULL && block->number == number ? block : NULL;
}

static void
put_in (FaspSolver * solver, const FaspBlock * block)
{
  guint64 slot = block->number & solver->mask;
  Row *without = NULL;

  for (guint i = solver->rows->len; i > 0; i--) {
    Row *row = nth (solver, i - 1);
    guint8 c = row->coefficients[slot];

    if (c == 0)
      continue;
    fasp_rlc_add_block (row->symbol, block, c);
    row->size = MAX (row->size, FASP_SYMBOL_HEADER + block->size);
    row->coefficients[slot] = 0;
    if (row->pivot == block->number)
      without = g_ptr_array_steal_index (solver->rows, i - 1);
  }
  if (without != NULL && !settle (solver, without))
    g_ptr_array_add (solver->spare, without);
}

void
fasp_solver_know (FaspSolver * solver, FaspBlock * block)
{
  FaspBlock **slot = &solver->known[block->number & solver->mask];

  move_on (solver, block->number + 1);
  if (block->number < get_low (solver)
      || get_known (solver, block->number) != NULL)
    return;
  if (*slot != NULL)
    fasp_block_unref (*slot);
  *slot = fasp_block_ref (block);
  put_in (solver, block);
}

/* A symbol is worth the work only if a block of its window is missing. It must also be
 * at least as long as the blocks that are here require. */
static gboolean
is_of_use (const FaspSolver * solver, guint64 first, guint n, guint32 size)
{
  gboolean missing = FALSE;

  for (guint i = 0; i < n; i++) {
    const FaspBlock *block = get_known (solver, first + i);

    if (block == NULL)
      missing = TRUE;
    else if (size < FASP_SYMBOL_HEADER + block->size)
      return FALSE;
  }
  return missing;
}

void
fasp_solver_repair (FaspSolver * solver, guint64 first, guint n, guint16 key,
    const guint8 * symbol, guint32 size)
{
  Row *row;

  if (size < FASP_SYMBOL_HEADER || size > SYMBOL_MAX || n == 0
      || n > solver->mask + 1)
    return;
  move_on (solver, first + n);
  if (first < get_low (solver) || !is_of_use (solver, first, n, size))
    return;
  if (solver->waiting->len == FASP_SOLVER_ROWS)
    g_ptr_array_add (solver->spare, g_ptr_array_steal_index (solver->waiting,
            0));
  row = new_row (solver);
  row->first = first;
  row->n = n;
  row->key = key;
  row->size = size;
  memcpy (row->symbol, symbol, size);
  g_ptr_array_add (solver->waiting, row);
}

/* Turns a symbol that waited into a row. FALSE: it adds nothing. */
static gboolean
use (FaspSolver * solver, Row * row)
{
  g_autofree guint8 *coefficients = NULL;

  if (row->first < get_low (solver)
      || !is_of_use (solver, row->first, row->n, row->size))
    return FALSE;
  coefficients = g_malloc (row->n);
  fasp_rlc_get_coefficients (row->key, coefficients, row->n);
  for (guint i = 0; i < row->n; i++) {
    guint64 number = row->first + i;
    const FaspBlock *block = get_known (solver, number);

    if (block == NULL)
      row->coefficients[number & solver->mask] = coefficients[i];
    else
      fasp_rlc_add_block (row->symbol, block, coefficients[i]);
  }
  for (guint i = 0; i < solver->rows->len; i++) {
    Row *other = nth (solver, i);
    guint8 c = get_coefficient (solver, row, other->pivot);

    if (c != 0)
      add_row (solver, row, other, c);
  }
  if (solver->rows->len == FASP_SOLVER_ROWS)
    drop (solver, 0);
  return settle (solver, row);
}

static void
use_waiting (FaspSolver * solver)
{
  while (solver->waiting->len > 0) {
    Row *row = g_ptr_array_steal_index (solver->waiting, 0);

    if (!use (solver, row))
      g_ptr_array_add (solver->spare, row);
  }
}

/* --- what comes out -------------------------------------------------------------------- */

/* FALSE: no block can have such a symbol, so the peer does not tell the truth. */
static gboolean
parse (const Row * row, FaspRecovered * recovered)
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
fasp_solver_take (FaspSolver * solver, FaspRecovered * recovered)
{
  use_waiting (solver);
  for (guint i = 0; i < solver->rows->len;) {
    Row *row = nth (solver, i);

    if (find_unknown (solver, row, row->pivot + 1) < solver->high) {
      i++;
      continue;
    }
    drop (solver, i);           /* its symbol stays until the row is used again */
    if (parse (row, recovered))
      return TRUE;
  }
  return FALSE;
}
