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
at (const FaspHeap *heap, guint place)
{
  return &heap->entries[place - 1];
}

static inline void
put (FaspHeap *heap, FaspHeapEntry entry, guint place)
{
  *at (heap, place) = entry;
  if (entry.item != NULL)
    entry.item->place = place;
}

/* The index at which the entry belongs if it moves towards the first one, from @place, which is
 * free. */
static guint
rise (FaspHeap *heap, FaspHeapEntry entry, guint place)
{
  for (; place > 1 && at (heap, place / 2)->key > entry.key; place /= 2)
    put (heap, *at (heap, place / 2), place);
  return place;
}

static guint
sink (FaspHeap *heap, FaspHeapEntry entry, guint place)
{
  for (;;) {
    guint child = 2 * place;

    if (child < heap->n && at (heap, child + 1)->key < at (heap, child)->key)
      child++;
    if (child > heap->n || at (heap, child)->key >= entry.key)
      return place;
    put (heap, *at (heap, child), place);
    place = child;
  }
}

/* Puts @entry where it belongs.  @place is free. */
static void
settle (FaspHeap *heap, FaspHeapEntry entry, guint place)
{
  put (heap, entry, sink (heap, entry, rise (heap, entry, place)));
}

/* Returns a new place, the last one. */
static guint
make_place (FaspHeap *heap)
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
  guint place = make_place (heap);

  settle (heap, (FaspHeapEntry) { key, NULL }, place);
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
  guint place = item->place;

  if (place != 0 && key == item->key)
    return;
  if (place == 0)
    place = make_place (heap);
  item->key = key;
  settle (heap, (FaspHeapEntry) { key, item }, place);
}

void
fasp_heap_remove (FaspHeap *heap, FaspHeapItem *item)
{
  FaspHeapEntry last;

  if (item->place == 0)
    return;
  last = *at (heap, heap->n--);
  if (last.item != item)
    settle (heap, last, item->place);
  item->place = 0;
}

FaspHeapItem *
fasp_heap_peek (const FaspHeap *heap)
{
  return heap->n > 0 ? at (heap, 1)->item : NULL;
}
