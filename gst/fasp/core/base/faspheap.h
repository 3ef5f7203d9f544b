/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspheap.h: a priority queue whose keys may change at any time.
 *
 * A binary heap whose items know their place in it, so that any item can be moved or
 * taken out in O(log n); the first is found in O(1).  Items are embedded in what they
 * stand for, far apart in memory, so the heap keeps copies of their keys.  It does not own
 * the items.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gint64 key;
  guint place; /* in the heap, from 1; 0: not in it */
  gpointer owner;
} FaspHeapItem;

typedef struct
{
  gint64 key;
  FaspHeapItem *item;
} FaspHeapEntry;

/* Zeroes: empty. */
typedef struct
{
  FaspHeapEntry *entries; /* the first one at 0 */
  guint n, allocated;
} FaspHeap;

void fasp_heap_clear (FaspHeap *heap);
/* Puts @item in, or moves it to where @key belongs. */
void fasp_heap_set (FaspHeap *heap, FaspHeapItem *item, gint64 key);
/* Does nothing if @item is not in the heap. */
void fasp_heap_remove (FaspHeap *heap, FaspHeapItem *item);
/* The item with the least key; NULL: the heap is empty. */
FaspHeapItem *fasp_heap_peek (const FaspHeap *heap);

G_END_DECLS
