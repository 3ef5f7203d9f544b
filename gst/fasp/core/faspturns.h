/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspturns.h: which of an endpoint's sessions is to be looked at next.
 *
 * Each is due at some time; the first of them is found at once, however many there are
 * (faspheap.h), and nothing is ever done for all of them at a datagram or a write.
 *
 * Who has sent all that there is waits for more.  What is written makes these due, but
 * none sooner than the quantum after it was looked at last: so what is written in
 * between leaves together.  The quantum grows with their number, so that a thousand
 * receivers are not a thousand wake-ups for each write of a slow stream.
 *
 * One that has much to send gives way to the others that are due.
 *
 * Who has sent lately is known, too, the last one first: where what was made leaves late,
 * these are concerned (faspdeparture.h).
 */
#pragma once

#include "faspheap.h"
#include "fasptypes.h"

G_BEGIN_DECLS

/* For each session but one, and for all at most. */
#define FASP_TURNS_QUANTUM 50   /* µs */
#define FASP_TURNS_QUANTUM_MAX (10 * FASP_MSEC)

/* One session's. */
typedef struct
{
  FaspHeapItem due;
  FaspTime looked;              /* when it had nothing to send, last, */
  guint64 seen;                 /* and what had been written by then */
  GList waiting;                /* for more to be written: a link of the queue */
  FaspTime sent;                /* when it has sent a datagram, last, */
  gboolean has_sent;            /* if it has, */
  GList sender;                 /* and is a link of the queue */
  gboolean waits;
} FaspTurn;

typedef struct
{
  FaspHeap heap;                /* of FaspTurn.due */
  GQueue waiting;               /* in the order they were looked at */
  GQueue senders;               /* in the order they have sent, last */
  guint elsewhere;              /* others that are not of these turns */
  guint64 writes;               /* so many, */
  FaspTime written;             /* and when the last one was */
  FaspTime quantum;             /* for as many as there are */
  FaspTime now;                 /* when it was asked whose turn it is, last */
  gconstpointer current;        /* whose turn it was last, */
  guint used;                   /* and so many datagrams it was */
} FaspTurns;

void fasp_turns_init (FaspTurns * turns);
void fasp_turns_clear (FaspTurns * turns);

/* @owner: what fasp_turns_next() returns for it. Due at once. */
void fasp_turns_add (FaspTurns * turns, FaspTurn * turn, gpointer owner);
void fasp_turns_remove (FaspTurns * turns, FaspTurn * turn);

/* So many others share the machine in turns of their own: for the quantum they count. */
void fasp_turns_set_elsewhere (FaspTurns * turns, guint n);

/* Is to be looked at by @when, or sooner; but not before those that are due already. */
void fasp_turns_wake (FaspTurns * turns, FaspTurn * turn, FaspTime when);
/* There is more to send for those that waited for it. */
void fasp_turns_written (FaspTurns * turns, FaspTime now);

/* Whose turn it is at @now; NULL: nobody is due. */
gpointer fasp_turns_next (FaspTurns * turns, FaspTime now);
/* It has sent a datagram. */
void fasp_turns_used (FaspTurns * turns, FaspTurn * turn, FaspTime now);
/* Who has sent at @from or later, the last one first; after that who did so before
 * @turn: NULL, nobody else. */
FaspTurn *fasp_turns_get_sender (const FaspTurns * turns, FaspTime from,
    const FaspTurn * turn);
/* It has nothing more to do before @until; @waits: or something is written. */
void fasp_turns_done (FaspTurns * turns, FaspTurn * turn, FaspTime now,
    FaspTime until, gboolean waits);
/* When it is worth looking who is due; FASP_NEVER: nobody will be. */
FaspTime fasp_turns_get_time (const FaspTurns * turns);

G_END_DECLS
