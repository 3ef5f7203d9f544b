/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspproactive.h: copies of rexes that wait for their time.
 *
 * A heap with one entry for each block, ordered by the time at which its next
 * copy is due.  The caller takes out an entry and, while copies are left, puts
 * it back for the next one.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_COPIES_WAITING_MAX 65536

typedef struct
{
  FaspTime due, deadline;       /* the copy is useless after the deadline */
  FaspTime apart;               /* time from one copy to the next */
  guint64 number;               /* block */
  guint8 round, copy;           /* copy 0 is the rex itself */
  guint8 last;                  /* number of the last copy */
} FaspCopy;

typedef struct
{
  GArray *heap;                 /* FaspCopy, the one due first at 0 */
} FaspCopies;

void fasp_copies_init (FaspCopies * copies);
void fasp_copies_clear (FaspCopies * copies);

/* FALSE: FASP_COPIES_WAITING_MAX are waiting already. */
gboolean fasp_copies_push (FaspCopies * copies, const FaspCopy * copy);
/* The one due first, whether due or not; NULL: none. */
const FaspCopy *fasp_copies_peek (const FaspCopies * copies);
void fasp_copies_pop (FaspCopies * copies);

G_END_DECLS
