/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspscheduler.h: which of an endpoint's sessions to look at next.
 *
 * Each session is due at some time. The first one due is found at once, however many
 * there are (faspheap.h), and no datagram or write ever costs work for all of them.
 *
 * A session that has sent all there is waits for more. A write makes the waiting
 * sessions due, but none sooner than one quantum after it was last looked at. So what
 * is written within a quantum leaves together. The quantum grows with the number of
 * sessions, so that a thousand receivers do not cost a thousand wake-ups for each write
 * of a slow stream.
 *
 * A session that has much to send gives way to the others that are due.
 *
 * The sessions that have sent lately are known, too, the last one first: when datagrams
 * leave late, these are the ones concerned (faspdeparture.h).
 */
#pragma once

#include "faspheap.h"
#include "fasptypes.h"

G_BEGIN_DECLS

/* The quantum: this for each session but one, up to a maximum. */
#define FASP_TURNS_QUANTUM 50   /* µs */
#define FASP_TURNS_QUANTUM_MAX (10 * FASP_MSEC)

/* The part of one session, which owns it. */
typedef struct
{
  FaspHeapItem due;
  FaspTime looked;              /* when it last had nothing to send, */
  guint64 seen;                 /* and the number of writes by then */
  GList waiting;                /* link of the queue of those that wait for a write */
  FaspTime sent;                /* when it last sent a datagram */
  gboolean has_sent;            /* it has sent one, */
  GList sender;                 /* and this is its link of the queue of senders */
  gboolean waits;
} FaspTurn;

typedef struct
{
  FaspHeap heap;                /* of FaspTurn.due */
  GQueue waiting;               /* in the order in which they were looked at */
  GQueue senders;               /* in the order in which they last sent */
  guint elsewhere;              /* sessions of the endpoint that have turns elsewhere */
  guint64 writes;               /* number of writes, */
  FaspTime written;             /* and when the last one was */
  FaspTime quantum;             /* for the current number of sessions */
  FaspTime now;                 /* when fasp_turns_next() was last called */
  gconstpointer current;        /* the turn that last sent, */
  guint used;                   /* and how many datagrams in a row */
} FaspTurns;

void fasp_turns_init (FaspTurns * turns);
void fasp_turns_clear (FaspTurns * turns);

/* @owner: what fasp_turns_next() returns for it. It is due at once. */
void fasp_turns_add (FaspTurns * turns, FaspTurn * turn, gpointer owner);
void fasp_turns_remove (FaspTurns * turns, FaspTurn * turn);

/* @n other sessions share the machine, with turns of their own. They count for the
 * quantum. */
void fasp_turns_set_elsewhere (FaspTurns * turns, guint n);

/* Makes it due by @when at the latest, but not before those that are due already. */
void fasp_turns_wake (FaspTurns * turns, FaspTurn * turn, FaspTime when);
/* Sessions that waited for a write have more to send. */
void fasp_turns_written (FaspTurns * turns, FaspTime now);

/* The owner whose turn it is at @now; NULL: nobody is due. */
gpointer fasp_turns_next (FaspTurns * turns, FaspTime now);
/* It has sent a datagram. */
void fasp_turns_used (FaspTurns * turns, FaspTurn * turn, FaspTime now);
/* With @turn NULL, the last one that has sent; else the one that sent before @turn.
 * NULL: none has at @from or later. */
FaspTurn *fasp_turns_get_sender (const FaspTurns * turns, FaspTime from,
    const FaspTurn * turn);
/* It has nothing to do before @until. @waits: or before something is written. */
void fasp_turns_done (FaspTurns * turns, FaspTurn * turn, FaspTime now,
    FaspTime until, gboolean waits);
/* When to ask again who is due; FASP_NEVER: nobody will be. */
FaspTime fasp_turns_get_time (const FaspTurns * turns);

G_END_DECLS
