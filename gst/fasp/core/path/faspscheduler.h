/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspscheduler.h: the session scheduler: it chooses the session of an endpoint to be polled next.
 *
 * Each session is due at some time. The first one due is found in constant time (faspheap.h), and
 * no datagram or write costs work for all sessions.
 *
 * A session that has sent everything waits for a write. A write makes the waiting sessions due, but
 * none sooner than one quantum after its last poll. So all writes within a quantum leave together.
 * The quantum grows with the number of sessions, so that a thousand receivers do not cost a
 * thousand wake-ups for each write of a slow stream.
 *
 * A session with much to send yields to other sessions that are due.
 *
 * A turn is what a session sends of the stream in a row at one time. During a turn no other session
 * is looked at: time stands still, and whatever changes a session or the stream calls one of these
 * functions, which ends the turn.
 *
 * The sessions are also listed by their last datagram, newest first: when datagrams leave late,
 * these sessions are concerned (faspdeparture.h).
 */
#pragma once

#include "faspheap.h"
#include "fasptypes.h"

G_BEGIN_DECLS

/* The quantum is this long for each session after the first, up to the maximum. */
#define FASP_SCHEDULER_QUANTUM 50 /* µs */
#define FASP_SCHEDULER_QUANTUM_MAX (10 * FASP_MSEC)

/* A session's entry in the scheduler; the session owns it. */
typedef struct
{
  FaspHeapItem due;
  FaspTime looked;   /* when the session last had nothing to send */
  guint64 seen;      /* number of writes by then */
  GList waiting;     /* link in the queue of sessions that wait for a write */
  FaspTime sent;     /* when it last sent a datagram */
  gboolean has_sent; /* it has sent a datagram, so `sender' is in the queue */
  GList sender;      /* link in the queue of senders */
  gboolean waits;
} FaspSchedulerEntry;

typedef struct
{
  FaspHeap heap;         /* heap of FaspSchedulerEntry.due */
  GQueue waiting;        /* FaspSchedulerEntry, in the order of their last poll */
  GQueue senders;        /* FaspSchedulerEntry, in the order of their last datagram */
  guint others;          /* sessions of the endpoint in its other schedulers */
  guint64 writes;        /* number of writes */
  FaspTime written;      /* when the last write was */
  FaspTime quantum;      /* quantum for the current number of sessions */
  FaspTime now;          /* when fasp_scheduler_next() was last called */
  gconstpointer current; /* the entry that last sent */
  guint used;            /* datagrams that `current' has sent in a row */
  FaspTime turn;         /* the time of the turn of `current'; FASP_NEVER: it has none */
} FaspScheduler;

void fasp_scheduler_init (FaspScheduler *scheduler);
void fasp_scheduler_clear (FaspScheduler *scheduler);

/* @owner: the result of fasp_scheduler_next() for @entry. The entry is due at once. */
void fasp_scheduler_add (FaspScheduler *scheduler, FaspSchedulerEntry *entry, gpointer owner);
void fasp_scheduler_remove (FaspScheduler *scheduler, FaspSchedulerEntry *entry);

/* @n other sessions of the endpoint are in other schedulers. The quantum counts them, too. */
void fasp_scheduler_set_others (FaspScheduler *scheduler, guint n);

/* Makes @entry due at @when or earlier, but behind entries that are due already. */
void fasp_scheduler_wake (FaspScheduler *scheduler, FaspSchedulerEntry *entry, FaspTime when);
/* The stream was written: sessions that waited for a write have more to send. */
void fasp_scheduler_written (FaspScheduler *scheduler, FaspTime now);

/* The owner of the entry that is due at @now and comes first; NULL: none is due. */
gpointer fasp_scheduler_next (FaspScheduler *scheduler, FaspTime now);
/* Datagrams that the session of @entry may send before it yields to another; at least one. */
guint fasp_scheduler_get_left (const FaspScheduler *scheduler, const FaspSchedulerEntry *entry);
/* The session of @entry has sent @n datagrams. */
void fasp_scheduler_used (FaspScheduler *scheduler, FaspSchedulerEntry *entry, FaspTime now,
    guint n);
/* The first of them carried a block: the session has a turn, unless it has to yield. */
void fasp_scheduler_begin_turn (FaspScheduler *scheduler, FaspTime now);
/* The owner of the entry that has a turn at @now; NULL: none has. */
gpointer fasp_scheduler_get_turn (const FaspScheduler *scheduler, FaspTime now);
/* With @entry NULL, the entry that sent last; else the one that sent before @entry. NULL: no other
 * has sent at @from or later. */
FaspSchedulerEntry *fasp_scheduler_get_sender (const FaspScheduler *scheduler, FaspTime from,
    const FaspSchedulerEntry *entry);
/* The session has nothing to do before @until. @waits: or before the next write. */
void fasp_scheduler_done (FaspScheduler *scheduler, FaspSchedulerEntry *entry, FaspTime now,
    FaspTime until, gboolean waits);
/* When the next session is due; FASP_NEVER: no session will be due. */
FaspTime fasp_scheduler_get_time (const FaspScheduler *scheduler);

G_END_DECLS
