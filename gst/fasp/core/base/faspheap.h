/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspheap.h: a priority queue whose keys may change at any time.
 *
 * A binary heap.  Each item knows its index, so that any item can be moved or taken out in
 * O(log n); the first is found in O(1).  Items are members of other structs, far apart in
 * memory, so the heap keeps copies of their keys.  It does not own the items.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gint64 key;
  guint index;    /* index in the heap, from 1; 0: not in it */
  gpointer owner; /* the struct that the item is a member of; set by that struct's file */
} FaspHeapItem;

typedef struct
{
  gint64 key;
  FaspHeapItem *item; /* NULL in a heap of keys alone */
} FaspHeapEntry;

/* Zeroes: empty. */
typedef struct
{
  FaspHeapEntry *entries; /* the one with the least key at 0 */
  guint n, allocated;     /* entries in use, and in memory */
} FaspHeap;

void fasp_heap_clear (FaspHeap *heap);
/* Puts @item in, or moves it to where @key belongs. */
void fasp_heap_set (FaspHeap *heap, FaspHeapItem *item, gint64 key);
/* Does nothing if @item is not in the heap. */
void fasp_heap_remove (FaspHeap *heap, FaspHeapItem *item);
/* The item with the least key; NULL: the heap is empty. */
FaspHeapItem *fasp_heap_peek (const FaspHeap *heap);

/* For a heap of keys alone: adds @key; removes the least key; returns the least key.  The heap must
 * not be empty for the last two. */
void fasp_heap_push (FaspHeap *heap, gint64 key);
void fasp_heap_pop (FaspHeap *heap);
static inline gint64
fasp_heap_get_least (const FaspHeap *heap)
{
  return heap->entries[0].key;
}

G_END_DECLS
