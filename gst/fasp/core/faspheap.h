/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspheap.h: what comes first of many, where what comes first changes all the time.
 *
 * A binary heap whose items know their place in it, so that any of them can be moved
 * or taken out: O(log n), the first in O(1).  Items are part of what they stand for, and
 * far apart in memory: the keys stand in the heap, too.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gint64 key;
  guint place;                  /* in the heap, from 1; 0: not in it */
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
  FaspHeapEntry *entries;       /* the first one at 0 */
  guint n, allocated;
} FaspHeap;

void fasp_heap_clear (FaspHeap * heap);
/* Puts it in, or moves it to where @key belongs. */
void fasp_heap_set (FaspHeap * heap, FaspHeapItem * item, gint64 key);
/* Nothing happens to one that is not in it. */
void fasp_heap_remove (FaspHeap * heap, FaspHeapItem * item);
/* The one with the least key; NULL: none. */
FaspHeapItem *fasp_heap_peek (const FaspHeap * heap);

G_END_DECLS
