/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspfairqueue.h: start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996): chooses which of
 * the members that share a rate sends next.
 *
 * Each member has used the bytes up to a mark of its own. Of those that wait, the one whose next
 * bytes start first is next. One that comes back starts with that one, or behind what it has used:
 *
 *     start = max (the least start of those that wait, the member's mark)
 *
 * So it has saved up nothing, and members that wait all the time have used the same, up to what one
 * of them uses at once.
 */
#pragma once

#include "faspheap.h"

G_BEGIN_DECLS

/* Zeroes: nothing was used. */
typedef struct
{
  FaspHeapItem item; /* in the queue, by the start of its next bytes */
  gint64 mark;       /* bytes */
} FaspFairMember;

/* Zeroes: empty. */
typedef struct
{
  FaspHeap waiting;
  gint64 mark; /* bytes: where the last ones started; one that waits alone starts there */
} FaspFairQueue;

/* Members that share as one: they share each round of the group. */
typedef struct
{
  FaspFairMember member;
  FaspFairQueue queue;
} FaspFairGroup;

void fasp_fair_queue_clear (FaspFairQueue *queue);
static inline gboolean
fasp_fair_queue_waits (const FaspFairMember *member)
{
  return member->item.index > 0;
}

/* Does nothing if it waits already. */
void fasp_fair_queue_wait (FaspFairQueue *queue, FaspFairMember *member);
/* Does nothing if it does not wait. */
void fasp_fair_queue_leave (FaspFairQueue *queue, FaspFairMember *member);
/* The owner of the one that is next (its item.owner); NULL: none waits. */
gpointer fasp_fair_queue_peek (const FaspFairQueue *queue);
/* Does it start at most @slack bytes behind the one that is next? */
gboolean fasp_fair_queue_lets (const FaspFairQueue *queue, const FaspFairMember *member,
    gint64 slack);
/* It has used @bytes, whether it waits or not. */
void fasp_fair_queue_used (FaspFairQueue *queue, FaspFairMember *member, gsize bytes);

G_END_DECLS
