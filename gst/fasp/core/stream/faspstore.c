/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspstreamheader.h"
#include "faspstore.h"
#include "faspring.h"

/* For a receiver that joins, only the newest SEARCHED segments are searched. */
#define SEARCHED 1024
/* A mark with a part of a header takes at most this many bytes: those of a common
 * datagram. */
#define HEADER_MARK 1400

struct _FaspStore
{
  FaspBlock **ring; /* block n at n & mask */
  guint64 mask;
  guint64 tail, head;
  guint64 units;      /* units of all sealed blocks */
  gsize bytes, limit; /* allocated for kept blocks */
  guint32 block_size;
  gboolean open; /* block head - 1 takes more bytes */
  gboolean held; /* the open block is held back until it is sealed or released */
  gboolean finished;
  FaspSegments segments;
  guint64 offset;       /* stream offset of the next byte written */
  GPtrArray *forgotten; /* blocks whose payloads are in a caller's memory */
};

static inline gsize
cost (const FaspBlock *block)
{
  return sizeof (FaspBlock) + block->capacity;
}

static GPtrArray *
new_forgotten (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) fasp_block_unref);
}

FaspStore *
fasp_store_new (gsize limit, guint32 block_size)
{
  const FaspStreamOffset nowhere = { .offset = FASP_OFFSET_UNKNOWN };
  FaspStore *store = g_new0 (FaspStore, 1);

  store->mask = FASP_RING_FIRST_MASK;
  store->ring = g_new (FaspBlock *, store->mask + 1);
  store->limit = limit;
  store->forgotten = new_forgotten ();
  store->block_size = block_size;
  store->offset = FASP_OFFSET_UNKNOWN;
  fasp_segments_init (&store->segments, &nowhere);
  return store;
}

void
fasp_store_free (FaspStore *store)
{
  if (store == NULL)
    return;
  fasp_store_trim (store, store->head);
  g_ptr_array_unref (store->forgotten);
  fasp_segments_clear (&store->segments);
  g_free (store->ring);
  g_free (store);
}

void
fasp_store_set_block_size (FaspStore *store, guint32 block_size)
{
  g_return_if_fail (block_size > 0);
  store->block_size = block_size;
}

static inline FaspBlock **
slot (const FaspStore *store, guint64 number)
{
  return &store->ring[number & store->mask];
}

static void
append (FaspStore *store, FaspBlock *block)
{
  store->ring = fasp_ring_make_room (store->ring, sizeof *store->ring, &store->mask, store->tail,
      store->head);
  block->number = store->head;
  block->units_before = store->units;
  block->offset = store->offset;
  block->segment = fasp_segments_get_last (&store->segments)->serial & G_MAXUINT8;
  *slot (store, store->head) = block;
  store->head++;
  store->bytes += cost (block);
}

/* Seals the open block. */
static void
close_block (FaspStore *store)
{
  store->open = store->held = FALSE;
  store->units += fasp_block_count_units (*slot (store, store->head - 1));
}

guint64
fasp_store_seal (FaspStore *store)
{
  if (store->open) {
    FaspBlock **last = slot (store, store->head - 1);

    /* small writes must not cost a datagram's worth of memory each */
    if ((*last)->size < (*last)->capacity / 2) {
      store->bytes -= cost (*last);
      *last = fasp_block_shrink (*last);
      store->bytes += cost (*last);
    }
    close_block (store);
  }
  return store->head;
}

gboolean
fasp_store_is_full (const FaspStore *store)
{
  return store->bytes + sizeof (FaspBlock) + store->block_size > store->limit;
}

static inline void
advance (FaspStore *store, gsize size)
{
  if (store->offset != FASP_OFFSET_UNKNOWN)
    store->offset = fasp_offset_check (store->offset + size);
}

/* A block that is nearly full is closed before data that would not fit whole. So writes
 * of one size, such as 7 packets of MPEG-TS, stay blocks of one size, which leave in
 * one message (UDP_SEGMENT). */
static void
close_if_nearly_full (FaspStore *store, gsize size)
{
  const FaspBlock *block;

  if (!store->open)
    return;
  block = *slot (store, store->head - 1);
  if (block->size >= block->capacity / 8 * 7 && size > block->capacity - block->size)
    close_block (store);
}

gsize
fasp_store_write (FaspStore *store, FaspTime now, FaspTime media_time, const guint8 *data,
    gsize size, FaspMemory *memory)
{
  gsize taken = 0;

  if (store->finished)
    return 0;
  close_if_nearly_full (store, size);
  while (taken < size) {
    FaspBlock *block;
    gsize n;

    if (!store->open) {
      gboolean whole = memory != NULL && size - taken >= store->block_size;

      if (fasp_store_is_full (store))
        break;
      block = whole ? fasp_block_new_in (memory, data + taken, store->block_size) :
                      fasp_block_new (store->block_size);
      block->media_time = media_time;
      block->arrival = now;
      append (store, block);
      store->open = TRUE;
      if (whole) {
        taken += block->size;
        advance (store, block->size);
        close_block (store);
        continue;
      }
    }
    block = *slot (store, store->head - 1);
    n = MIN (size - taken, block->capacity - block->size);
    memcpy (block->data + block->size, data + taken, n);
    block->size += n;
    taken += n;
    advance (store, n);
    if (block->size == block->capacity)
      close_block (store);
  }
  return taken;
}

static void
append_mark (FaspStore *store, FaspTime now, FaspTime media_time, const guint8 *mark, guint32 size)
{
  FaspBlock *block = fasp_block_new (size);

  fasp_store_seal (store);
  block->flags = FASP_BLOCK_MARK;
  block->media_time = media_time;
  block->arrival = now;
  block->size = size;
  if (size > 0)
    memcpy (block->data, mark, size);
  append (store, block);
  store->units++;
}

void
fasp_store_finish (FaspStore *store, FaspTime now, FaspTime media_time)
{
  if (store->finished)
    return;
  append_mark (store, now, media_time, NULL, 0);
  store->finished = TRUE;
}

static void
append_position (FaspStore *store, FaspTime now, FaspTime media_time,
    const FaspStreamOffset *position)
{
  guint8 mark[FASP_MARK_SIZE];

  fasp_mark_write (mark, position);
  append_mark (store, now, media_time, mark, sizeof mark);
}

gboolean
fasp_store_set_offset (FaspStore *store, FaspTime now, FaspTime media_time,
    const FaspStreamOffset *position, gboolean listens)
{
  const FaspStreamOffset *last = &fasp_segments_get_last (&store->segments)->position;
  FaspStreamOffset next = { position->known, position->origin,
    fasp_offset_check (position->offset) };

  if (store->finished
      || (last->known == next.known && next.offset == store->offset
          && (!next.known || fasp_origin_equal (&last->origin, &next.origin))))
    return TRUE;
  if (store->head > store->tail || listens) {
    if (fasp_store_is_full (store))
      return FALSE;
    append_position (store, now, media_time, &next);
  }
  store->offset = next.offset;
  fasp_segments_begin (&store->segments, store->head, &next);
  fasp_segments_trim (&store->segments, store->tail);
  return TRUE;
}

void
fasp_store_mark (FaspStore *store, FaspTime now, FaspTime media_time)
{
  FaspStreamOffset position = fasp_store_get_next_offset (store);

  if (store->finished)
    return;
  append_position (store, now, media_time, &position);
  fasp_segments_begin (&store->segments, store->head, &position);
}

void
fasp_store_mark_key_frame (FaspStore *store, FaspTime now, FaspTime media_time)
{
  const guint8 mark = FASP_MARK_KEY_FRAME;

  fasp_store_seal (store);
  if (!store->finished && !fasp_store_is_full (store))
    append_mark (store, now, media_time, &mark, sizeof mark);
}

gboolean
fasp_store_mark_capture (FaspStore *store, FaspTime now, FaspTime media_time,
    const FaspCapture *capture)
{
  guint8 mark[FASP_CAPTURE_MARK];

  fasp_store_seal (store);
  if (store->finished || fasp_store_is_full (store))
    return FALSE;
  fasp_capture_write (mark, capture);
  append_mark (store, now, media_time, mark, sizeof mark);
  return TRUE;
}

gboolean
fasp_store_mark_header (FaspStore *store, FaspTime now, FaspTime media_time, const guint8 *bytes,
    gsize size)
{
  guint32 room = MIN (store->block_size, HEADER_MARK);
  guint n = fasp_stream_header_count_parts (size, room);
  guint8 mark[HEADER_MARK];

  if (store->finished
      || (size > 0 && store->bytes + n * (sizeof (FaspBlock) + room) > store->limit))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    guint32 used = fasp_stream_header_write_part (mark, room, bytes, size, i);

    append_mark (store, now, media_time, mark, used);
  }
  return TRUE;
}

void
fasp_store_pass (FaspStore *store, gsize size)
{
  FaspStreamOffset position;

  fasp_store_trim (store, store->head);
  advance (store, size);
  position = fasp_store_get_next_offset (store);
  fasp_segments_begin (&store->segments, store->head, &position);
  fasp_segments_trim (&store->segments, store->head);
}

FaspStreamOffset
fasp_store_get_next_offset (const FaspStore *store)
{
  FaspStreamOffset position = fasp_segments_get_last (&store->segments)->position;

  position.offset = store->offset;
  return position;
}

FaspStreamOffset
fasp_store_get_stream_offset (FaspStore *store, guint64 number)
{
  FaspStreamOffset position;

  number = MAX (number, store->tail);
  position = fasp_segments_get (&store->segments, number)->position;
  if (number >= store->head) {
    fasp_store_seal (store);
    position.offset = store->offset;
  } else {
    position.offset = (*slot (store, number))->offset;
  }
  return position;
}

/* The last of the blocks in [low, high) that begins at or before @offset. */
static guint64
search (const FaspStore *store, guint64 low, guint64 high, guint64 offset)
{
  while (high - low > 1) {
    guint64 middle = low + (high - low) / 2;

    if ((*slot (store, middle))->offset <= offset)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Marks in front of @number with the same offset describe the following bytes: a key frame, a
 * header, the end. Returns the first such mark, from @first on. */
static guint64
include_marks (const FaspStore *store, guint64 first, guint64 number, guint64 offset)
{
  while (number > first && ((*slot (store, number - 1))->flags & FASP_BLOCK_MARK) != 0
      && (*slot (store, number - 1))->offset == offset)
    number--;
  return number;
}

gboolean
fasp_store_find (FaspStore *store, const FaspStreamOffset *position, guint64 *number)
{
  const FaspSegments *segments = &store->segments;
  gboolean found = FALSE;

  for (guint i = segments->n > SEARCHED ? segments->n - SEARCHED : 0; i < segments->n; i++) {
    const FaspSegment *segment = fasp_segments_nth (segments, i);
    guint64 first = MAX (segment->number, store->tail);
    guint64 end = i + 1 < segments->n ? fasp_segments_nth (segments, i + 1)->number : store->head;
    guint64 from;

    if (!fasp_stream_offset_is_comparable (&segment->position, position))
      continue;
    found = TRUE;
    *number = i + 1 < segments->n ? end : include_marks (store, first, end, position->offset);
    from = first < store->head ? (*slot (store, first))->offset : store->offset;
    if (position->offset <= from) {
      *number = first;
      return TRUE;
    }
    /* a mark ends all segments but the last, so it begins where the segment's data ends */
    if (first < end
        && (i + 1 == segments->n ? position->offset < store->offset :
                                   position->offset < (*slot (store, end - 1))->offset)) {
      *number = include_marks (store, first, search (store, first, end, position->offset),
          position->offset);
      return TRUE;
    }
  }
  /* the receiver has all bytes of the open block: those written later go into another one */
  if (found && *number == store->head)
    fasp_store_seal (store);
  return found;
}

guint64
fasp_store_find_time (const FaspStore *store, FaspTime time)
{
  guint64 low = store->tail, high = store->head;

  while (low < high) {
    guint64 middle = low + (high - low) / 2;

    if ((*slot (store, middle))->arrival < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

gboolean
fasp_store_is_finished (const FaspStore *store)
{
  return store->finished;
}

guint64
fasp_store_get_tail (const FaspStore *store)
{
  return store->tail;
}

guint64
fasp_store_get_head (const FaspStore *store)
{
  return store->head - store->held;
}

gboolean
fasp_store_hold_back (FaspStore *store, guint64 from)
{
  gboolean was = store->held;

  store->held = store->open && (was || store->head > from);
  return store->held && !was;
}

void
fasp_store_release (FaspStore *store)
{
  store->held = FALSE;
}

gboolean
fasp_store_is_held_back (const FaspStore *store)
{
  return store->held;
}

guint32
fasp_store_get_block_size (const FaspStore *store)
{
  return store->block_size;
}

gsize
fasp_store_get_bytes (const FaspStore *store)
{
  return store->bytes;
}

const FaspBlock *
fasp_store_get (FaspStore *store, guint64 number)
{
  g_return_val_if_fail (number >= store->tail && number < store->head, NULL);
  if (number == store->head - 1)
    fasp_store_seal (store);
  return *slot (store, number);
}

guint64
fasp_store_get_units (FaspStore *store, guint64 number)
{
  number = MAX (number, store->tail);
  if (number < store->head)
    return (*slot (store, number))->units_before;
  fasp_store_seal (store);
  return store->units;
}

gboolean
fasp_store_ends_by (const FaspStore *store, guint64 number, guint64 limit)
{
  const FaspBlock *block = *slot (store, number);

  return block->units_before + fasp_block_count_units (block) <= limit;
}

guint64
fasp_store_count_bytes (const FaspStore *store, guint64 from, guint64 to)
{
  guint64 bytes = 0;

  to = MIN (to, store->head);
  for (guint64 n = MAX (from, store->tail); n < to; n++)
    bytes += fasp_block_get_payload (*slot (store, n));
  return bytes;
}

void
fasp_store_trim (FaspStore *store, guint64 number)
{
  number = MIN (number, store->head);
  if (number == store->head && store->open)
    close_block (store);
  for (; store->tail < number; store->tail++) {
    FaspBlock *block = *slot (store, store->tail);

    store->bytes -= cost (block);
    if (block->memory != NULL)
      g_ptr_array_add (store->forgotten, block);
    else
      fasp_block_unref (block);
  }
  fasp_segments_trim (&store->segments, store->tail);
}

GPtrArray *
fasp_store_take_forgotten (FaspStore *store)
{
  GPtrArray *forgotten = store->forgotten;

  if (forgotten->len == 0)
    return NULL;
  store->forgotten = new_forgotten ();
  return forgotten;
}

gboolean
fasp_store_has_forgotten (const FaspStore *store)
{
  return store->forgotten->len > 0;
}
