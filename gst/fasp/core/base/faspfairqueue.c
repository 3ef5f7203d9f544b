/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspfairqueue.h"

void
fasp_fair_queue_clear (FaspFairQueue *queue)
{
  fasp_heap_clear (&queue->waiting);
}

static gint64
get_start (const FaspFairQueue *queue, const FaspFairMember *member)
{
  const FaspHeapItem *next = fasp_heap_peek (&queue->waiting);

  return fasp_fair_queue_waits (member) ?
      member->item.key :
      MAX (member->mark, next != NULL ? next->key : queue->mark);
}

void
fasp_fair_queue_wait (FaspFairQueue *queue, FaspFairMember *member)
{
  if (!fasp_fair_queue_waits (member))
    fasp_heap_set (&queue->waiting, &member->item, get_start (queue, member));
}

void
fasp_fair_queue_leave (FaspFairQueue *queue, FaspFairMember *member)
{
  fasp_heap_remove (&queue->waiting, &member->item);
}

gpointer
fasp_fair_queue_peek (const FaspFairQueue *queue)
{
  const FaspHeapItem *next = fasp_heap_peek (&queue->waiting);

  return next != NULL ? next->owner : NULL;
}

gboolean
fasp_fair_queue_lets (const FaspFairQueue *queue, const FaspFairMember *member, gint64 slack)
{
  const FaspHeapItem *next = fasp_heap_peek (&queue->waiting);

  return next == NULL || get_start (queue, member) <= next->key + slack;
}

void
fasp_fair_queue_used (FaspFairQueue *queue, FaspFairMember *member, gsize bytes)
{
  gint64 start = get_start (queue, member);

  queue->mark = MAX (queue->mark, start);
  member->mark = start + bytes;
  if (fasp_fair_queue_waits (member))
    fasp_heap_set (&queue->waiting, &member->item, member->mark);
}
