/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsegments.h: which stream the sender's blocks are of, from which block on.
 *
 * One segment as long as nothing is missing; another one begins where bytes are, or
 * another stream does.  So offsets rise by what is in the blocks within each.
 */
#pragma once

#include "faspposition.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 number;               /* first block */
  FaspPlace place;              /* of its first byte */
} FaspSegment;

typedef struct
{
  FaspSegment *list;            /* by number, rising; at least one, */
  guint n, first, room;         /* `n' of them, from the `first' on */
} FaspSegments;

void fasp_segments_init (FaspSegments * segments, const FaspPlace * place);
void fasp_segments_clear (FaspSegments * segments);
/* From block @number on, which is not below that of the last one: that is forgotten
 * where it is the same. */
void fasp_segments_begin (FaspSegments * segments, guint64 number,
    const FaspPlace * place);
/* Blocks below @tail are gone. */
void fasp_segments_trim (FaspSegments * segments, guint64 tail);
/* One of them, from the oldest on. */
static inline const FaspSegment *
fasp_segments_nth (const FaspSegments * segments, guint i)
{
  return &segments->list[segments->first + i];
}

/* That of block @number. */
const FaspSegment *fasp_segments_get (const FaspSegments * segments,
    guint64 number);
const FaspSegment *fasp_segments_get_last (const FaspSegments * segments);

G_END_DECLS
