/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspreturn.h: when one that did not hear its group may become a member again.
 *
 *     away --hears it--> trial --for the hold, and half of it--> TRUE: a member
 *      ^                   |                                        |
 *      '---hears nothing---+-------------- leaves -----------------'
 *
 * The hold doubles when it has to leave soon after it came back: at most so often as
 *
 *     sum of FIRST 2^i <= time
 *
 * allows, and no more than once in FASP_RETURN_MOST in the long run, does it move.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_RETURN_FIRST (5 * FASP_SEC)
#define FASP_RETURN_MOST (64 * FASP_RETURN_FIRST)
/* Who has to leave after less than that has come back too soon. */
#define FASP_RETURN_SOON (60 * FASP_SEC)

/* Zeroes: it was never away. */
typedef struct
{
  FaspTime hold;
  FaspTime since;               /* heard without a break; FASP_NEVER: it is not */
  guint64 pn, received;         /* told of then */
  FaspTime returned;            /* last; 0: never */
} FaspReturn;

/* It hears its group no more. */
void fasp_return_left (FaspReturn * r, FaspTime now);
/* It has told that packet @pn is the newest of @received that came, @hears: which is none of
 * long ago.  TRUE: it may come back, and does. */
gboolean fasp_return_told (FaspReturn * r, FaspTime now, gboolean hears,
    guint64 pn, guint64 received);

G_END_DECLS
