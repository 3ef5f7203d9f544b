/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsolver.h: recovers blocks from repair symbols (fasprlc.h).
 *
 * Each repair symbol is an equation of the blocks in its window.  It waits until it is asked
 * what has been recovered: what comes from the network at a time, over several flows, is not in
 * order, and where nothing is missing in the end a repair symbol costs nothing.  Then the blocks
 * that are here are put in, and the rest is kept in reduced row echelon form, so a block is known
 * the moment there are as many independent equations as it takes, and an equation that says
 * nothing new is seen at once.  A block that comes by itself is put in, too.
 *
 * Of the last `window' block numbers only; what lies below is forgotten.
 */
#pragma once

#include "faspblock.h"

G_BEGIN_DECLS

#define FASP_SOLVER_ROWS 128    /* equations kept, and that wait; of more the oldest goes */

typedef struct _FaspSolver FaspSolver;

typedef struct
{
  guint64 number;
  guint8 flags;                 /* FASP_BLOCK_MARK */
  guint32 media_time;           /* low 32 bits */
  const guint8 *data;           /* until the next call */
  guint32 size;
} FaspRecovered;

/* @window: rounded up to a power of two. */
FaspSolver *fasp_solver_new (guint window);
void fasp_solver_free (FaspSolver * solver);

/* @block is here; a reference is taken. */
void fasp_solver_know (FaspSolver * solver, FaspBlock * block);
/* A repair symbol of blocks [first, first + n). */
void fasp_solver_repair (FaspSolver * solver, guint64 first, guint n,
    guint16 key, const guint8 * symbol, guint32 size);
/* The next block that has been recovered; FALSE: none. It counts as known
 * when it is told by fasp_solver_know(). */
gboolean fasp_solver_take (FaspSolver * solver, FaspRecovered * recovered);

/* Lets go of all blocks and equations. */
void fasp_solver_forget (FaspSolver * solver);

/* Equations that wait for more. */
guint fasp_solver_count (const FaspSolver * solver);

G_END_DECLS
