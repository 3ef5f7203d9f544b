/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsegments.h: the streams and offsets of a sender's blocks, by runs of blocks.
 *
 * A segment is a run of blocks without missing bytes. A new one begins where bytes are
 * missing, or with another stream. So within a segment, offsets rise by exactly the
 * bytes in the blocks.
 */
#pragma once

#include "faspposition.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 number;            /* first block */
  guint32 serial;            /* number of the segment; counts up by one */
  FaspStreamOffset position; /* stream offset of its first byte */
} FaspSegment;

typedef struct
{
  FaspSegment *list;    /* block numbers rise */
  guint n, first, room; /* segments, at least 1; index of the oldest; entries in memory */
} FaspSegments;

void fasp_segments_init (FaspSegments *segments, const FaspStreamOffset *position);
void fasp_segments_clear (FaspSegments *segments);
/* A segment begins at block @number, which is not below that of the last segment. If it is the
 * same, the new segment replaces the last one. */
void fasp_segments_begin (FaspSegments *segments, guint64 number, const FaspStreamOffset *position);
/* Forgets the segments that have no block from @tail on. */
void fasp_segments_trim (FaspSegments *segments, guint64 tail);
/* The @i-th segment, from the oldest on. */
static inline const FaspSegment *
fasp_segments_nth (const FaspSegments *segments, guint i)
{
  return &segments->list[segments->first + i];
}

const FaspSegment *fasp_segments_get (const FaspSegments *segments, guint64 number);
const FaspSegment *fasp_segments_get_last (const FaspSegments *segments);

G_END_DECLS
