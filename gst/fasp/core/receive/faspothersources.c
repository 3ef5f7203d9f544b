/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspothersources.h"

/* The segment in which the hole at @ack begins. */
static guint16
get_segment (const FaspReorder *reorder, const FaspPosition *position, guint64 ack)
{
  const FaspBlock *before;

  if (fasp_reorder_get_read (reorder) == ack)
    return position->segment;
  before = fasp_reorder_get (reorder, ack - 1);
  return before != NULL ? before->segment : FASP_SEGMENT_UNKNOWN;
}

gboolean
fasp_other_sources_fills_hole (const FaspOtherSources *others, const FaspReorder *reorder,
    const FaspPosition *position, guint64 *number)
{
  guint64 ack = fasp_reorder_get_ack (reorder), first, length;
  FaspStreamOffset start;
  const FaspBlock *behind;
  guint16 segment;

  if (!fasp_reorder_next_gap (reorder, ack, &first, &length))
    return FALSE;
  *number = first + length;
  behind = fasp_reorder_get (reorder, *number);
  /* the blocks before the hole that were not read yet must be of the same stream */
  segment = get_segment (reorder, position, ack);
  if (behind == NULL || segment != behind->segment)
    return FALSE;
  start = position->next;
  start.offset = fasp_position_widen (position, behind);
  return fasp_stream_offset_is_comparable (&start, &others->has)
      && start.offset <= others->has.offset;
}

gboolean
fasp_other_sources_has (const FaspOtherSources *others, const FaspPosition *position,
    const FaspBlock *block)
{
  FaspStreamOffset start = position->next;

  start.offset = fasp_position_widen (position, block);
  return fasp_stream_offset_is_comparable (&start, &others->has)
      && start.offset + fasp_block_get_payload (block) <= others->has.offset;
}
