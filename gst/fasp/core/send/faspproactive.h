/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspproactive.h: proactive retransmission: further copies of a retransmission, which wait for
 * their time.
 *
 * A heap with one entry for each block, ordered by the time at which its next
 * copy is due.  The caller takes out an entry and, while copies are left, puts
 * it back for the next one.
 */
#pragma once

#include "faspheap.h"
#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_PROACTIVE_WAITING_MAX 65536

typedef struct
{
  FaspTime due, deadline; /* the copy is useless after the deadline */
  FaspTime apart;         /* time from one copy to the next */
  guint64 number;         /* block */
  guint8 round, copy;     /* copy 0 is the retransmission itself */
  guint8 last;            /* number of the last copy */
} FaspCopy;

typedef struct
{
  FaspHeap heap; /* owns its items */
} FaspProactive;

void fasp_proactive_clear (FaspProactive *copies);

/* Adds a copy. FALSE: FASP_PROACTIVE_WAITING_MAX copies wait already. */
gboolean fasp_proactive_push (FaspProactive *copies, const FaspCopy *copy);
/* The copy that is due first, whether due yet or not; NULL: none. */
const FaspCopy *fasp_proactive_peek (const FaspProactive *copies);
void fasp_proactive_pop (FaspProactive *copies);

G_END_DECLS
