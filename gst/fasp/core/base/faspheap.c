/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspheap.h"

#define FIRST_SIZE 16

void
fasp_heap_clear (FaspHeap *heap)
{
  g_free (heap->entries);
  *heap = (FaspHeap) { 0 };
}

static inline FaspHeapEntry *
at (const FaspHeap *heap, guint index)
{
  return &heap->entries[index - 1];
}

static inline void
put (FaspHeap *heap, FaspHeapEntry entry, guint index)
{
  *at (heap, index) = entry;
  if (entry.item != NULL)
    entry.item->index = index;
}

/* Returns the index at which @entry belongs, between the first index and @index, which is free. */
static guint
rise (FaspHeap *heap, FaspHeapEntry entry, guint index)
{
  for (; index > 1 && at (heap, index / 2)->key > entry.key; index /= 2)
    put (heap, *at (heap, index / 2), index);
  return index;
}

static guint
sink (FaspHeap *heap, FaspHeapEntry entry, guint index)
{
  for (;;) {
    guint child = 2 * index;

    if (child < heap->n && at (heap, child + 1)->key < at (heap, child)->key)
      child++;
    if (child > heap->n || at (heap, child)->key >= entry.key)
      return index;
    put (heap, *at (heap, child), index);
    index = child;
  }
}

/* Puts @entry where it belongs.  @index is free. */
static void
settle (FaspHeap *heap, FaspHeapEntry entry, guint index)
{
  put (heap, entry, sink (heap, entry, rise (heap, entry, index)));
}

/* Returns a new index, the last one. */
static guint
append (FaspHeap *heap)
{
  if (heap->n == heap->allocated) {
    heap->allocated = MAX (FIRST_SIZE, 2 * heap->allocated);
    heap->entries = g_renew (FaspHeapEntry, heap->entries, heap->allocated);
  }
  return ++heap->n;
}

void
fasp_heap_push (FaspHeap *heap, gint64 key)
{
  guint index = append (heap);

  settle (heap, (FaspHeapEntry) { key, NULL }, index);
}

void
fasp_heap_pop (FaspHeap *heap)
{
  FaspHeapEntry last = *at (heap, heap->n--);

  if (heap->n > 0)
    settle (heap, last, 1);
}

void
fasp_heap_set (FaspHeap *heap, FaspHeapItem *item, gint64 key)
{
  guint index = item->index;

  if (index != 0 && key == item->key)
    return;
  if (index == 0)
    index = append (heap);
  item->key = key;
  settle (heap, (FaspHeapEntry) { key, item }, index);
}

void
fasp_heap_remove (FaspHeap *heap, FaspHeapItem *item)
{
  FaspHeapEntry last;

  if (item->index == 0)
    return;
  last = *at (heap, heap->n--);
  if (last.item != item)
    settle (heap, last, item->index);
  item->index = 0;
}

FaspHeapItem *
fasp_heap_peek (const FaspHeap *heap)
{
  return heap->n > 0 ? at (heap, 1)->item : NULL;
}
