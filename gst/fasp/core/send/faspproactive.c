/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspproactive.h"

typedef struct
{
  FaspHeapItem item; /* heap entry, by the time at which the copy is due */
  FaspCopy copy;
} Waiting;

void
fasp_proactive_clear (FaspProactive *copies)
{
  while (copies->heap.n > 0)
    fasp_proactive_pop (copies);
  fasp_heap_clear (&copies->heap);
}

gboolean
fasp_proactive_push (FaspProactive *copies, const FaspCopy *copy)
{
  Waiting *waiting;

  if (copies->heap.n >= FASP_PROACTIVE_WAITING_MAX)
    return FALSE;
  waiting = g_new (Waiting, 1);
  *waiting = (Waiting) { .item.owner = waiting, .copy = *copy };
  fasp_heap_set (&copies->heap, &waiting->item, copy->due);
  return TRUE;
}

const FaspCopy *
fasp_proactive_peek (const FaspProactive *copies)
{
  const FaspHeapItem *first = fasp_heap_peek (&copies->heap);

  return first != NULL ? &((const Waiting *) first->owner)->copy : NULL;
}

void
fasp_proactive_pop (FaspProactive *copies)
{
  FaspHeapItem *first = fasp_heap_peek (&copies->heap);

  g_return_if_fail (first != NULL);
  fasp_heap_remove (&copies->heap, first);
  g_free (first->owner);
}
