/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspheap.h"

void
fasp_heap_clear (FaspHeap * heap)
{
  g_clear_pointer (&heap->items, g_ptr_array_unref);
}

static FaspHeapItem *
at (const FaspHeap * heap, guint place)
{
  return g_ptr_array_index (heap->items, place - 1);
}

static void
put (FaspHeap * heap, FaspHeapItem * item, guint place)
{
  heap->items->pdata[place - 1] = item;
  item->place = place;
}

/* Towards the first as far as its key is less. */
static void
rise (FaspHeap * heap, FaspHeapItem * item)
{
  guint place = item->place;

  for (; place > 1 && at (heap, place / 2)->key > item->key; place /= 2)
    put (heap, at (heap, place / 2), place);
  put (heap, item, place);
}

static void
sink (FaspHeap * heap, FaspHeapItem * item)
{
  guint place = item->place, n = heap->items->len;

  for (;;) {
    guint child = 2 * place;

    if (child < n && at (heap, child + 1)->key < at (heap, child)->key)
      child++;
    if (child > n || at (heap, child)->key >= item->key)
      break;
    put (heap, at (heap, child), place);
    place = child;
  }
  put (heap, item, place);
}

void
fasp_heap_set (FaspHeap * heap, FaspHeapItem * item, gint64 key)
{
  if (heap->items == NULL)
    heap->items = g_ptr_array_new ();
  if (item->place == 0) {
    g_ptr_array_add (heap->items, item);
    item->place = heap->items->len;
  } else if (key == item->key) {
    return;
  }
  item->key = key;
  rise (heap, item);
  sink (heap, item);
}

void
fasp_heap_remove (FaspHeap * heap, FaspHeapItem * item)
{
  FaspHeapItem *last;

  if (item->place == 0)
    return;
  last = at (heap, heap->items->len);
  g_ptr_array_set_size (heap->items, heap->items->len - 1);
  if (last != item) {
    put (heap, last, item->place);
    rise (heap, last);
    sink (heap, last);
  }
  item->place = 0;
}

FaspHeapItem *
fasp_heap_peek (const FaspHeap * heap)
{
  return heap->items != NULL && heap->items->len > 0 ? at (heap, 1) : NULL;
}
