/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspposition.h"

gboolean
fasp_origin_equal (const FaspOrigin *a, const FaspOrigin *b)
{
  return memcmp (a->bytes, b->bytes, FASP_ORIGIN_SIZE) == 0;
}

gboolean
fasp_stream_offset_is_comparable (const FaspStreamOffset *a, const FaspStreamOffset *b)
{
  return a->known && b->known && a->offset != FASP_OFFSET_UNKNOWN
      && b->offset != FASP_OFFSET_UNKNOWN && fasp_origin_equal (&a->origin, &b->origin);
}

guint64
fasp_offset_check (guint64 offset)
{
  return offset <= FASP_OFFSET_MAX ? offset : FASP_OFFSET_UNKNOWN;
}

void
fasp_stream_offset_read (FaspReader *r, FaspStreamOffset *position)
{
  fasp_read_copy (r, position->origin.bytes, FASP_ORIGIN_SIZE);
  position->offset = fasp_offset_check (fasp_read_uint (r, 8));
  position->known = !r->failed;
}

void
fasp_stream_offset_write (FaspWriter *w, const FaspStreamOffset *position)
{
  fasp_write_bytes (w, position->origin.bytes, FASP_ORIGIN_SIZE);
  fasp_write_uint (w, position->offset, 8);
}

/* --- marks --------------------------------------------------------------------- */

void
fasp_mark_write (guint8 mark[FASP_MARK_SIZE], const FaspStreamOffset *position)
{
  FaspWriter w = { mark, FASP_MARK_SIZE };

  fasp_write_uint (&w, FASP_MARK_POSITION, 1);
  fasp_stream_offset_write (&w, position);
}

FaspMark
fasp_mark_read (const guint8 *data, guint32 size, FaspStreamOffset *position)
{
  FaspReader r = { data, size };
  FaspMark mark = fasp_read_uint (&r, 1);

  if (mark == FASP_MARK_HEADER || (mark == FASP_MARK_KEY_FRAME && r.left == 0))
    return mark;
  if (mark != FASP_MARK_POSITION || r.left != FASP_STREAM_OFFSET_SIZE)
    return FASP_MARK_UNKNOWN;
  fasp_stream_offset_read (&r, position);
  return mark;
}

/* --- the stream offsets of a session's blocks ------------------------------------------ */

void
fasp_position_init (FaspPosition *position, const FaspStreamOffset *first)
{
  position->next = *first;
  position->n_announced = 0;
  position->segment = FASP_SEGMENT_UNKNOWN;
  position->key = FALSE;
}

void
fasp_position_announce (FaspPosition *position, guint64 next, guint64 number,
    const FaspStreamOffset *start)
{
  guint i = position->n_announced;

  if (number < next || !start->known || start->offset == FASP_OFFSET_UNKNOWN)
    return;
  while (i > 0 && position->announced[i - 1].number > number)
    i--;
  /* ignores a repetition; if there is no room, drops the entry of the highest block, which the
   * sender repeats */
  if (i > 0 && position->announced[i - 1].number == number)
    return;
  if (position->n_announced == FASP_POSITION_ANNOUNCED) {
    if (i == FASP_POSITION_ANNOUNCED)
      return;
    position->n_announced--;
  }
  memmove (&position->announced[i + 1], &position->announced[i],
      (position->n_announced - i) * sizeof position->announced[0]);
  position->announced[i].number = number;
  position->announced[i].start = *start;
  position->n_announced++;
}

/* Takes the offset of block @number from a POSITION frame, unless it is known by counting. */
static void
look_up (FaspPosition *position, guint64 number)
{
  guint i = 0;

  while (i < position->n_announced && position->announced[i].number < number)
    i++;
  if (i < position->n_announced && position->announced[i].number == number
      && position->next.offset == FASP_OFFSET_UNKNOWN)
    position->next = position->announced[i].start;
  if (i > 0) {
    position->n_announced -= i;
    memmove (&position->announced[0], &position->announced[i],
        position->n_announced * sizeof position->announced[0]);
  }
}

static gboolean
is_within (const FaspStreamOffset *start, const FaspStreamOffset *limit)
{
  return fasp_stream_offset_is_comparable (start, limit) && start->offset <= limit->offset;
}

gboolean
fasp_position_is_before (const FaspPosition *position, guint64 number,
    const FaspStreamOffset *limit)
{
  for (guint i = 0; i < position->n_announced; i++)
    if (position->announced[i].number == number)
      return is_within (&position->announced[i].start, limit);
  return FALSE;
}

gboolean
fasp_position_is_any_before (const FaspPosition *position, const FaspStreamOffset *limit)
{
  for (guint i = 0; i < position->n_announced; i++)
    if (is_within (&position->announced[i].start, limit))
      return TRUE;
  return FALSE;
}

/* Within a segment offsets only rise, so the result is the first offset with these low bits that is
 * not below that of the next block. */
guint64
fasp_position_widen (const FaspPosition *position, const FaspBlock *block)
{
  guint64 next = position->next.offset;

  if (!position->next.known || next == FASP_OFFSET_UNKNOWN || block->segment == FASP_SEGMENT_UNKNOWN
      || block->segment != position->segment)
    return FASP_OFFSET_UNKNOWN;
  return fasp_offset_check (next + (guint32) (block->offset - next));
}

gboolean
fasp_position_take (FaspPosition *position, FaspBlock *block)
{
  FaspStreamOffset *next = &position->next;
  FaspStreamOffset marked;

  if (block->flags & FASP_BLOCK_DISCONT) {
    guint64 said = fasp_position_widen (position, block);

    next->offset = FASP_OFFSET_UNKNOWN;
    look_up (position, block->number);
    /* behind a hole in its segment, the offset may be known from the block itself */
    if (next->offset == FASP_OFFSET_UNKNOWN)
      next->offset = said;
  } else {
    look_up (position, block->number);
  }
  block->offset = next->known ? next->offset : FASP_OFFSET_UNKNOWN;
  position->segment = block->segment;
  if (block->flags & FASP_BLOCK_MARK) {
    switch (fasp_mark_read (block->data, block->size, &marked)) {
      case FASP_MARK_POSITION:
        *next = marked;
        break;
      case FASP_MARK_KEY_FRAME:
        position->key = TRUE;
        break;
      case FASP_MARK_HEADER:
      case FASP_MARK_CAPTURE:
      case FASP_MARK_UNKNOWN:
        break;
    }
    return FALSE;
  }
  /* if a block is missing before this one, the mark may have been for that block */
  if (position->key && (block->flags & FASP_BLOCK_DISCONT) == 0)
    block->flags |= FASP_BLOCK_KEY;
  position->key = FALSE;
  if (next->offset != FASP_OFFSET_UNKNOWN)
    next->offset = fasp_offset_check (next->offset + block->size);
  return TRUE;
}

/* --- delivered bytes, and the next ones ------------------------------------------------- */

FaspStreamOffsetOrder
fasp_stream_offset_compare (const FaspStreamOffset *end, const FaspStreamOffset *first,
    guint32 size, guint64 *bytes)
{
  *bytes = 0;
  if (!fasp_stream_offset_is_comparable (end, first))
    return FASP_STREAM_OFFSET_ANEW;
  if (first->offset == end->offset)
    return FASP_STREAM_OFFSET_FOLLOWS;
  if (first->offset > end->offset) {
    *bytes = first->offset - end->offset;
    return FASP_STREAM_OFFSET_ANEW;
  }
  *bytes = end->offset - first->offset;
  return *bytes < size ? FASP_STREAM_OFFSET_OVERLAPS : FASP_STREAM_OFFSET_OLD;
}

FaspBlock *
fasp_block_cut (FaspBlock *block, guint32 bytes)
{
  FaspBlock *rest = fasp_block_new (block->size - bytes);

  /* a copy, as the block may have other references */
  rest->flags = block->flags & ~FASP_BLOCK_KEY;
  rest->round = block->round;
  rest->size = block->size - bytes;
  rest->number = block->number;
  rest->offset = block->offset + bytes;
  rest->media_time = block->media_time;
  rest->arrival = block->arrival;
  memcpy (rest->data, block->data + bytes, rest->size);
  fasp_block_unref (block);
  return rest;
}
