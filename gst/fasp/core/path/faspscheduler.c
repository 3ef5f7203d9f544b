/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspscheduler.h"

/* Datagrams that one session may send before it gives way to another. */
#define USED_MAX 16
/* At most this many wake-ups in a quantum: what becomes due between two goes with the
 * next. The ticks are kept short because the burst of a fast session is soon over. */
#define TICKS 8
#define TICK_MOST 100           /* µs */

void
fasp_turns_init (FaspTurns * turns)
{
  memset (turns, 0, sizeof *turns);
  g_queue_init (&turns->waiting);
  g_queue_init (&turns->senders);
}

void
fasp_turns_clear (FaspTurns * turns)
{
  fasp_heap_clear (&turns->heap);
}

/* Counts the heap, which always holds all sessions. */
static void
choose_quantum (FaspTurns * turns)
{
  guint n = turns->heap.n + turns->elsewhere;

  turns->quantum = n < 2 ? 0 : MIN ((n - 1) * FASP_TURNS_QUANTUM,
      FASP_TURNS_QUANTUM_MAX);
}

static void
stop_waiting (FaspTurns * turns, FaspTurn * turn)
{
  if (turn->waits)
    g_queue_unlink (&turns->waiting, &turn->waiting);
  turn->waits = FALSE;
}

static void
stop_sending (FaspTurns * turns, FaspTurn * turn)
{
  if (turn->has_sent)
    g_queue_unlink (&turns->senders, &turn->sender);
  turn->has_sent = FALSE;
  if (turns->current == turn)
    turns->current = NULL;
}

void
fasp_turns_add (FaspTurns * turns, FaspTurn * turn, gpointer owner)
{
  *turn = (FaspTurn) {
  .due.owner = owner,.waiting.data = turn,.sender.data = turn};
  fasp_heap_set (&turns->heap, &turn->due, turns->now);
  choose_quantum (turns);
}

void
fasp_turns_remove (FaspTurns * turns, FaspTurn * turn)
{
  stop_waiting (turns, turn);
  stop_sending (turns, turn);
  fasp_heap_remove (&turns->heap, &turn->due);
  choose_quantum (turns);
}

void
fasp_turns_set_elsewhere (FaspTurns * turns, guint n)
{
  turns->elsewhere = n;
  choose_quantum (turns);
}

void
fasp_turns_wake (FaspTurns * turns, FaspTurn * turn, FaspTime when)
{
  when = MAX (when, turns->now);
  if (when < turn->due.key)
    fasp_heap_set (&turns->heap, &turn->due, when);
}

void
fasp_turns_written (FaspTurns * turns, FaspTime now)
{
  turns->writes++;
  turns->written = now;
}

/* The session that has waited longest for what has been written, and when it is due.
 * All wait equally long, so no other one is due before. */
static FaspTurn *
peek_waiting (const FaspTurns * turns, FaspTime * due)
{
  const GList *link = turns->waiting.head;
  FaspTurn *turn = link != NULL ? link->data : NULL;

  if (turn == NULL || turn->seen == turns->writes)
    return NULL;
  *due = MAX (turns->written, turn->looked + turns->quantum);
  return turn;
}

gpointer
fasp_turns_next (FaspTurns * turns, FaspTime now)
{
  const FaspHeapItem *first = fasp_heap_peek (&turns->heap);
  FaspTime due;
  FaspTurn *turn = peek_waiting (turns, &due);

  turns->now = MAX (turns->now, now);
  if (turn != NULL && due <= now && (first == NULL || due < first->key)) {
    stop_waiting (turns, turn);
    fasp_heap_set (&turns->heap, &turn->due, due);
    return turn->due.owner;
  }
  return first != NULL && first->key <= now ? first->owner : NULL;
}

void
fasp_turns_used (FaspTurns * turns, FaspTurn * turn, FaspTime now)
{
  if (turns->current != turn) {
    stop_sending (turns, turn);
    g_queue_push_tail_link (&turns->senders, &turn->sender);
    turn->has_sent = TRUE;
    turns->current = turn;
    turns->used = 0;
  }
  turn->sent = now;
  if (++turns->used < USED_MAX)
    return;
  turns->used = 0;
  /* behind all that are due; if there are none, it goes on */
  stop_waiting (turns, turn);
  fasp_heap_remove (&turns->heap, &turn->due);
  fasp_heap_set (&turns->heap, &turn->due,
      fasp_turns_next (turns, now) != NULL ? now + 1 : now);
}

FaspTurn *
fasp_turns_get_sender (const FaspTurns * turns, FaspTime from,
    const FaspTurn * turn)
{
  const GList *link = turn != NULL ? turn->sender.prev : turns->senders.tail;
  FaspTurn *before = link != NULL ? link->data : NULL;

  return before != NULL && before->sent >= from ? before : NULL;
}

void
fasp_turns_done (FaspTurns * turns, FaspTurn * turn, FaspTime now,
    FaspTime until, gboolean waits)
{
  fasp_heap_set (&turns->heap, &turn->due, until);
  turns->used = 0;
  turn->looked = now;
  turn->seen = turns->writes;
  stop_waiting (turns, turn);
  turn->waits = waits;
  if (waits)
    g_queue_push_tail_link (&turns->waiting, &turn->waiting);
}

FaspTime
fasp_turns_get_time (const FaspTurns * turns)
{
  const FaspHeapItem *first = fasp_heap_peek (&turns->heap);
  FaspTime tick = MIN (turns->quantum / TICKS, TICK_MOST), time, due;

  if (first == NULL)
    return FASP_NEVER;
  time = first->key;
  if (peek_waiting (turns, &due) != NULL)
    time = MIN (time, due);
  return time == FASP_NEVER || tick == 0 ? time :
      (time + tick - 1) / tick * tick;
}
