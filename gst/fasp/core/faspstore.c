/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspstore.h"

struct _FaspStore
{
  FaspBlock **ring;             /* block n at n & mask */
  guint64 mask;
  guint64 tail, head;
  guint64 place;                /* units of all that is sealed */
  gsize bytes, limit;           /* allocated for kept blocks */
  guint32 block_size;
  gboolean open;                /* block head - 1 takes more bytes */
  gboolean finished;
  GPtrArray *forgotten;         /* blocks in memory of others */
};

static inline gsize
cost (const FaspBlock * block)
{
  return sizeof (FaspBlock) + block->capacity;
}

static GPtrArray *
new_forgotten (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) fasp_block_unref);
}

FaspStore *
fasp_store_new (gsize limit, guint32 block_size)
{
  FaspStore *store = g_new0 (FaspStore, 1);

  store->mask = 255;
  store->ring = g_new (FaspBlock *, store->mask + 1);
  store->limit = limit;
  store->forgotten = new_forgotten ();
  store->block_size = block_size;
  return store;
}

void
fasp_store_free (FaspStore * store)
{
  if (store == NULL)
    return;
  fasp_store_trim (store, store->head);
  g_ptr_array_unref (store->forgotten);
  g_free (store->ring);
  g_free (store);
}

void
fasp_store_set_block_size (FaspStore * store, guint32 block_size)
{
  g_return_if_fail (block_size > 0);
  store->block_size = block_size;
}

static inline FaspBlock **
slot (const FaspStore * store, guint64 number)
{
  return &store->ring[number & store->mask];
}

static void
append (FaspStore * store, FaspBlock * block)
{
  if (store->head - store->tail > store->mask) {
    guint64 mask = store->mask * 2 + 1;
    FaspBlock **ring = g_new (FaspBlock *, mask + 1);

    for (guint64 n = store->tail; n < store->head; n++)
      ring[n & mask] = *slot (store, n);
    g_free (store->ring);
    store->ring = ring;
    store->mask = mask;
  }
  block->number = store->head;
  block->place = store->place;
  *slot (store, store->head) = block;
  store->head++;
  store->bytes += cost (block);
}

/* The open block takes no more. */
static void
close_block (FaspStore * store)
{
  store->open = FALSE;
  store->place += fasp_block_count_units (*slot (store, store->head - 1));
}

guint64
fasp_store_seal (FaspStore * store)
{
  if (store->open) {
    FaspBlock **last = slot (store, store->head - 1);

    /* small writes must not cost a datagram's worth of memory each */
    if ((*last)->size < (*last)->capacity / 2) {
      store->bytes -= cost (*last);
      *last = fasp_block_shrink (*last);
      store->bytes += cost (*last);
    }
    close_block (store);
  }
  return store->head;
}

gboolean
fasp_store_is_full (const FaspStore * store)
{
  return store->bytes + sizeof (FaspBlock) + store->block_size > store->limit;
}

gsize
fasp_store_write (FaspStore * store, FaspTime now, FaspTime media_time,
    const guint8 * data, gsize size, FaspMemory * memory)
{
  gsize taken = 0;

  if (store->finished)
    return 0;
  while (taken < size) {
    FaspBlock *block;
    gsize n;

    if (!store->open) {
      gboolean whole = memory != NULL && size - taken >= store->block_size;

      if (fasp_store_is_full (store))
        break;
      block = whole ? fasp_block_new_in (memory, data + taken,
          store->block_size) : fasp_block_new (store->block_size);
      block->media_time = media_time;
      block->arrival = now;
      append (store, block);
      store->open = TRUE;
      if (whole) {
        taken += block->size;
        close_block (store);
        continue;
      }
    }
    block = *slot (store, store->head - 1);
    n = MIN (size - taken, block->capacity - block->size);
    memcpy (block->data + block->size, data + taken, n);
    block->size += n;
    taken += n;
    if (block->size == block->capacity)
      close_block (store);
  }
  return taken;
}

void
fasp_store_finish (FaspStore * store, FaspTime now, FaspTime media_time)
{
  FaspBlock *block;

  if (store->finished)
    return;
  fasp_store_seal (store);
  block = fasp_block_new (0);
  block->flags = FASP_BLOCK_EOS;
  block->media_time = media_time;
  block->arrival = now;
  append (store, block);
  store->place++;
  store->finished = TRUE;
}

gboolean
fasp_store_is_finished (const FaspStore * store)
{
  return store->finished;
}

guint64
fasp_store_get_tail (const FaspStore * store)
{
  return store->tail;
}

guint64
fasp_store_get_head (const FaspStore * store)
{
  return store->head;
}

gsize
fasp_store_get_bytes (const FaspStore * store)
{
  return store->bytes;
}

const FaspBlock *
fasp_store_get (FaspStore * store, guint64 number)
{
  g_return_val_if_fail (number >= store->tail && number < store->head, NULL);
  if (number == store->head - 1)
    fasp_store_seal (store);
  return *slot (store, number);
}

guint64
fasp_store_get_place (FaspStore * store, guint64 number)
{
  number = MAX (number, store->tail);
  if (number < store->head)
    return (*slot (store, number))->place;
  fasp_store_seal (store);
  return store->place;
}

gboolean
fasp_store_ends_by (const FaspStore * store, guint64 number, guint64 limit)
{
  const FaspBlock *block = *slot (store, number);

  return block->place + fasp_block_count_units (block) <= limit;
}

guint64
fasp_store_count_bytes (const FaspStore * store, guint64 from, guint64 to)
{
  guint64 bytes = 0;

  to = MIN (to, store->head);
  for (guint64 n = MAX (from, store->tail); n < to; n++)
    bytes += (*slot (store, n))->size;
  return bytes;
}

guint32
fasp_store_find_largest (const FaspStore * store, guint64 from, guint64 to,
    guint32 limit)
{
  guint32 largest = 0;

  to = MIN (to, store->head);
  for (guint64 n = MAX (from, store->tail); n < to; n++)
    if ((*slot (store, n))->size <= limit)
      largest = MAX (largest, (*slot (store, n))->size);
  return largest;
}

void
fasp_store_trim (FaspStore * store, guint64 number)
{
  number = MIN (number, store->head);
  if (number == store->head && store->open)
    close_block (store);
  for (; store->tail < number; store->tail++) {
    FaspBlock *block = *slot (store, store->tail);

    store->bytes -= cost (block);
    if (block->memory != NULL)
      g_ptr_array_add (store->forgotten, block);
    else
      fasp_block_unref (block);
  }
}

GPtrArray *
fasp_store_take_forgotten (FaspStore * store)
{
  GPtrArray *forgotten = store->forgotten;

  if (forgotten->len == 0)
    return NULL;
  store->forgotten = new_forgotten ();
  return forgotten;
}
