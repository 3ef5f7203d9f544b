/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspfairqueue.h: start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996): chooses which of
 * the members that share a rate sends next.
 *
 * Each member has a mark: the bytes that it has used so far. Of the members that wait, the one with
 * the least start sends next. A member that begins to wait starts where that one starts, or at its
 * own mark if that is later:
 *
 *     start = max (the least start of those that wait, the member's mark)
 *
 * So a member saves up nothing while it does not wait, and members that always wait use the same
 * number of bytes; their difference is at most the bytes that one of them uses at once.
 */
#pragma once

#include "faspheap.h"

G_BEGIN_DECLS

/* Zeroes: nothing was used. */
typedef struct
{
  FaspHeapItem item; /* queue entry, by the start of the member's next bytes */
  gint64 mark;       /* bytes */
} FaspFairMember;

/* Zeroes: empty. */
typedef struct
{
  FaspHeap waiting;
  gint64 mark; /* start of the bytes that were used last; a member that waits alone starts there */
} FaspFairQueue;

/* A group of members: the queue counts it as one member, and its members share each of its
 * turns. */
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

/* Puts @member in the queue. Does nothing if it waits already. */
void fasp_fair_queue_wait (FaspFairQueue *queue, FaspFairMember *member);
/* Takes @member out of the queue. Does nothing if it does not wait. */
void fasp_fair_queue_leave (FaspFairQueue *queue, FaspFairMember *member);
/* The owner (item.owner) of the member that is next; NULL: no member waits. */
gpointer fasp_fair_queue_peek (const FaspFairQueue *queue);
/* Does @member start at most @slack bytes behind the member that is next? */
gboolean fasp_fair_queue_lets (const FaspFairQueue *queue, const FaspFairMember *member,
    gint64 slack);
/* Adds @bytes to those that @member has used, whether it waits or not. */
void fasp_fair_queue_used (FaspFairQueue *queue, FaspFairMember *member, gsize bytes);

G_END_DECLS
