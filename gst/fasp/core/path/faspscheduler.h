/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspscheduler.h: the session scheduler: which of an endpoint's sessions to look at next.
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
#define FASP_SCHEDULER_QUANTUM 50 /* µs */
#define FASP_SCHEDULER_QUANTUM_MAX (10 * FASP_MSEC)

/* The part of one session, which owns it. */
typedef struct
{
  FaspHeapItem due;
  FaspTime looked;   /* when it last had nothing to send */
  guint64 seen;      /* number of writes by then */
  GList waiting;     /* link of the queue of those that wait for a write */
  FaspTime sent;     /* when it last sent a datagram */
  gboolean has_sent; /* it has sent one, so that `sender' is in the queue */
  GList sender;      /* its link of the queue of senders */
  gboolean waits;
} FaspSchedulerEntry;

typedef struct
{
  FaspHeap heap;         /* of FaspSchedulerEntry.due */
  GQueue waiting;        /* in the order in which they were looked at */
  GQueue senders;        /* in the order in which they last sent */
  guint elsewhere;       /* sessions of the endpoint in its other schedulers */
  guint64 writes;        /* number of writes */
  FaspTime written;      /* when the last write was */
  FaspTime quantum;      /* for the current number of sessions */
  FaspTime now;          /* when fasp_scheduler_next() was last called */
  gconstpointer current; /* the entry that last sent */
  guint used;            /* datagrams that it has sent in a row */
} FaspScheduler;

void fasp_scheduler_init (FaspScheduler *scheduler);
void fasp_scheduler_clear (FaspScheduler *scheduler);

/* @owner: what fasp_scheduler_next() returns for it. It is due at once. */
void fasp_scheduler_add (FaspScheduler *scheduler, FaspSchedulerEntry *entry, gpointer owner);
void fasp_scheduler_remove (FaspScheduler *scheduler, FaspSchedulerEntry *entry);

/* @n other sessions of the endpoint are in other schedulers. They count for the quantum. */
void fasp_scheduler_set_elsewhere (FaspScheduler *scheduler, guint n);

/* Makes it due by @when at the latest, but not before those that are due already. */
void fasp_scheduler_wake (FaspScheduler *scheduler, FaspSchedulerEntry *entry, FaspTime when);
/* Sessions that waited for a write have more to send. */
void fasp_scheduler_written (FaspScheduler *scheduler, FaspTime now);

/* The owner of the entry that is due at @now and comes first; NULL: none is due. */
gpointer fasp_scheduler_next (FaspScheduler *scheduler, FaspTime now);
/* It has sent a datagram. */
void fasp_scheduler_used (FaspScheduler *scheduler, FaspSchedulerEntry *entry, FaspTime now);
/* With @entry NULL, the last one that has sent; else the one that sent before @entry.
 * NULL: none has at @from or later. */
FaspSchedulerEntry *fasp_scheduler_get_sender (const FaspScheduler *scheduler, FaspTime from,
    const FaspSchedulerEntry *entry);
/* It has nothing to do before @until. @waits: or before something is written. */
void fasp_scheduler_done (FaspScheduler *scheduler, FaspSchedulerEntry *entry, FaspTime now,
    FaspTime until, gboolean waits);
/* When the next session is due; FASP_NEVER: none will be. */
FaspTime fasp_scheduler_get_time (const FaspScheduler *scheduler);

G_END_DECLS
