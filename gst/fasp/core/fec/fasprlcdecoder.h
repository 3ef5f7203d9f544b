/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprlcdecoder.h: recovers blocks from repair symbols (fasprlc.h).
 *
 * Each repair symbol is an equation of the blocks in its window. It waits until the
 * caller asks what has been recovered: datagrams of several flows do not come in order,
 * and a repair symbol costs nothing if in the end nothing is missing. Then the blocks
 * that are here are inserted, and the rest is kept in reduced row echelon form. So a
 * block is known as soon as there are enough independent equations, and an equation
 * that adds nothing is recognised at once. A block that arrives by itself is inserted,
 * too.
 *
 * Covers the last `window' block numbers; what lies below is forgotten.
 */
#pragma once

#include "faspblock.h"

G_BEGIN_DECLS

#define FASP_SOLVER_ROWS 128    /* equations kept, and as many that wait; beyond
                                   that the oldest is dropped */

typedef struct _FaspSolver FaspSolver;

typedef struct
{
  guint64 number;
  guint8 flags;                 /* FASP_BLOCK_MARK */
  guint32 media_time;           /* low 32 bits */
  const guint8 *data;           /* valid until the next call */
  guint32 size;
} FaspRecovered;

/* @window: in blocks, rounded up to a power of two. */
FaspSolver *fasp_solver_new (guint window);
void fasp_solver_free (FaspSolver * solver);

/* Block @block is here. Takes a reference. */
void fasp_solver_know (FaspSolver * solver, FaspBlock * block);
/* Adds a repair symbol of blocks [first, first + n). Copies it. */
void fasp_solver_repair (FaspSolver * solver, guint64 first, guint n,
    guint16 key, const guint8 * symbol, guint32 size);
/* Gives the next block that has been recovered; FALSE: none. The caller must then pass
 * the block to fasp_solver_know(). */
gboolean fasp_solver_take (FaspSolver * solver, FaspRecovered * recovered);

/* Lets go of all blocks and equations. */
void fasp_solver_forget (FaspSolver * solver);

/* Number of equations kept, and that wait. */
guint fasp_solver_count (const FaspSolver * solver);

G_END_DECLS
