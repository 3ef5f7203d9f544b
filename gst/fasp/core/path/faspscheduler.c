/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspscheduler.h"

/* Datagrams that a session may send before it yields to another. */
#define USED_MAX 16
/* At most this many wake-ups in a quantum: sessions that become due between two wait for the next.
 * The ticks are kept short because the burst of a fast session is soon over. */
#define TICKS 8
#define TICK_MOST 100 /* µs */

void
fasp_scheduler_init (FaspScheduler *scheduler)
{
  memset (scheduler, 0, sizeof *scheduler);
  g_queue_init (&scheduler->waiting);
  g_queue_init (&scheduler->senders);
  scheduler->turn = FASP_NEVER;
}

void
fasp_scheduler_clear (FaspScheduler *scheduler)
{
  fasp_heap_clear (&scheduler->heap);
}

/* Chooses the quantum for the number of sessions, all of which are in the heap. */
static void
choose_quantum (FaspScheduler *scheduler)
{
  guint n = scheduler->heap.n + scheduler->others;

  scheduler->quantum =
      n < 2 ? 0 : MIN ((n - 1) * FASP_SCHEDULER_QUANTUM, FASP_SCHEDULER_QUANTUM_MAX);
}

static void
stop_waiting (FaspScheduler *scheduler, FaspSchedulerEntry *entry)
{
  if (entry->waits)
    g_queue_unlink (&scheduler->waiting, &entry->waiting);
  entry->waits = FALSE;
}

static void
stop_sending (FaspScheduler *scheduler, FaspSchedulerEntry *entry)
{
  if (entry->has_sent)
    g_queue_unlink (&scheduler->senders, &entry->sender);
  entry->has_sent = FALSE;
  if (scheduler->current == entry)
    scheduler->current = NULL;
}

void
fasp_scheduler_add (FaspScheduler *scheduler, FaspSchedulerEntry *entry, gpointer owner)
{
  scheduler->turn = FASP_NEVER;
  *entry = (FaspSchedulerEntry) { .due.owner = owner, .waiting.data = entry, .sender.data = entry };
  fasp_heap_set (&scheduler->heap, &entry->due, scheduler->now);
  choose_quantum (scheduler);
}

void
fasp_scheduler_remove (FaspScheduler *scheduler, FaspSchedulerEntry *entry)
{
  scheduler->turn = FASP_NEVER;
  stop_waiting (scheduler, entry);
  stop_sending (scheduler, entry);
  fasp_heap_remove (&scheduler->heap, &entry->due);
  choose_quantum (scheduler);
}

void
fasp_scheduler_set_others (FaspScheduler *scheduler, guint n)
{
  scheduler->others = n;
  choose_quantum (scheduler);
}

void
fasp_scheduler_wake (FaspScheduler *scheduler, FaspSchedulerEntry *entry, FaspTime when)
{
  scheduler->turn = FASP_NEVER;
  when = MAX (when, scheduler->now);
  if (when < entry->due.key)
    fasp_heap_set (&scheduler->heap, &entry->due, when);
}

void
fasp_scheduler_written (FaspScheduler *scheduler, FaspTime now)
{
  scheduler->turn = FASP_NEVER;
  scheduler->writes++;
  scheduler->written = now;
}

/* The session that was polled first of those that wait for a write, and when it is due. As all wait
 * for the same time, no other one is due before. */
static FaspSchedulerEntry *
peek_waiting (const FaspScheduler *scheduler, FaspTime *due)
{
  const GList *link = scheduler->waiting.head;
  FaspSchedulerEntry *entry = link != NULL ? link->data : NULL;

  if (entry == NULL || entry->seen == scheduler->writes)
    return NULL;
  *due = MAX (scheduler->written, entry->looked + scheduler->quantum);
  return entry;
}

gpointer
fasp_scheduler_next (FaspScheduler *scheduler, FaspTime now)
{
  const FaspHeapItem *first = fasp_heap_peek (&scheduler->heap);
  FaspTime due;
  FaspSchedulerEntry *entry = peek_waiting (scheduler, &due);

  scheduler->now = MAX (scheduler->now, now);
  if (entry != NULL && due <= now && (first == NULL || due < first->key))
    return entry->due.owner;
  return first != NULL && first->key <= now ? first->owner : NULL;
}

guint
fasp_scheduler_get_left (const FaspScheduler *scheduler, const FaspSchedulerEntry *entry)
{
  return scheduler->current == entry ? USED_MAX - scheduler->used : USED_MAX;
}

void
fasp_scheduler_used (FaspScheduler *scheduler, FaspSchedulerEntry *entry, FaspTime now, guint n)
{
  if (scheduler->current != entry) {
    stop_sending (scheduler, entry);
    g_queue_push_tail_link (&scheduler->senders, &entry->sender);
    entry->has_sent = TRUE;
    scheduler->current = entry;
    scheduler->used = 0;
  }
  entry->sent = now;
  scheduler->turn = FASP_NEVER;
  scheduler->used += n;
  if (scheduler->used < USED_MAX)
    return;
  scheduler->used = 0;
  /* moves the entry behind all that are due; if there are none, its session continues */
  stop_waiting (scheduler, entry);
  fasp_heap_remove (&scheduler->heap, &entry->due);
  fasp_heap_set (&scheduler->heap, &entry->due,
      fasp_scheduler_next (scheduler, now) != NULL ? now + 1 : now);
}

void
fasp_scheduler_begin_turn (FaspScheduler *scheduler, FaspTime now)
{
  if (scheduler->used > 0)
    scheduler->turn = now;
}

gpointer
fasp_scheduler_get_turn (const FaspScheduler *scheduler, FaspTime now)
{
  return scheduler->turn == now ? ((const FaspSchedulerEntry *) scheduler->current)->due.owner :
                                  NULL;
}

FaspSchedulerEntry *
fasp_scheduler_get_sender (const FaspScheduler *scheduler, FaspTime from,
    const FaspSchedulerEntry *entry)
{
  const GList *link = entry != NULL ? entry->sender.prev : scheduler->senders.tail;
  FaspSchedulerEntry *before = link != NULL ? link->data : NULL;

  return before != NULL && before->sent >= from ? before : NULL;
}

void
fasp_scheduler_done (FaspScheduler *scheduler, FaspSchedulerEntry *entry, FaspTime now,
    FaspTime until, gboolean waits)
{
  scheduler->turn = FASP_NEVER;
  fasp_heap_set (&scheduler->heap, &entry->due, until);
  scheduler->used = 0;
  entry->looked = now;
  entry->seen = scheduler->writes;
  stop_waiting (scheduler, entry);
  entry->waits = waits;
  if (waits)
    g_queue_push_tail_link (&scheduler->waiting, &entry->waiting);
}

FaspTime
fasp_scheduler_get_time (const FaspScheduler *scheduler)
{
  const FaspHeapItem *first = fasp_heap_peek (&scheduler->heap);
  FaspTime tick = MIN (scheduler->quantum / TICKS, TICK_MOST), time, due;

  if (first == NULL)
    return FASP_NEVER;
  time = first->key;
  if (peek_waiting (scheduler, &due) != NULL)
    time = MIN (time, due);
  return time == FASP_NEVER || tick == 0 ? time : (time + tick - 1) / tick * tick;
}
