/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcopies.h: copies of rexes that wait for their time.
 *
 * One entry for each block, by the time at which its next copy is due.  An
 * entry is taken out and, while copies are left, put back for the next.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_COPIES_WAITING_MAX 65536

typedef struct
{
  FaspTime due, deadline;       /* of no use after the deadline */
  FaspTime apart;               /* from one copy to the next */
  guint64 number;               /* block */
  guint8 round, copy;           /* the first copy of a rex is the rex itself, 0 */
  guint8 last;                  /* copy */
} FaspCopy;

typedef struct
{
  GArray *heap;                 /* FaspCopy, the one due first at 0 */
} FaspCopies;

void fasp_copies_init (FaspCopies * copies);
void fasp_copies_clear (FaspCopies * copies);

/* FALSE: too many are waiting. */
gboolean fasp_copies_push (FaspCopies * copies, const FaspCopy * copy);
/* The one due first, whether due or not; NULL: none. */
const FaspCopy *fasp_copies_peek (const FaspCopies * copies);
void fasp_copies_pop (FaspCopies * copies);

G_END_DECLS
