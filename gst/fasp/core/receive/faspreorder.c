/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspreorder.h"

#define RING_MIN 256
#define BLOCK_MAX 65535

/* A block of which all or some fragments have arrived. */
typedef struct
{
  FaspBlock *block;
  guint16 fragments; /* those that have arrived, a bit each */
  guint8 count;
} Slot;

struct _FaspReorder
{
  Slot *slots;              /* block n at n & mask; grows up to capacity */
  guint64 *begun, *present; /* bit n & mask: some of block n has arrived; all of it has */
  guint64 mask;
  guint64 read, ack, highest;
  guint32 capacity;
  gsize bytes;
  guint32 ready, held; /* units of the blocks in [read, ack), and of all blocks in the buffer */
  guint64 taken;       /* units taken so far; a block given up counts one */
  gboolean discont;    /* the next block taken follows a hole */
  guint64 skip;        /* missing blocks below were given up; may be
                          beyond the window */
};

FaspReorder *
fasp_reorder_new (guint32 capacity, guint64 first)
{
  FaspReorder *reorder = g_new0 (FaspReorder, 1);
  guint32 rounded = 64;

  while (rounded < capacity && rounded < 1u << 31)
    rounded *= 2;
  reorder->capacity = rounded;
  reorder->mask = MIN (rounded, RING_MIN) - 1;
  reorder->slots = g_new0 (Slot, reorder->mask + 1);
  reorder->begun = g_new0 (guint64, (reorder->mask + 1) / 64);
  reorder->present = g_new0 (guint64, (reorder->mask + 1) / 64);
  reorder->read = reorder->ack = reorder->highest = first;
  return reorder;
}

static inline Slot *
slot (const FaspReorder *reorder, guint64 number)
{
  return &reorder->slots[number & reorder->mask];
}

static inline gboolean
is_present (const FaspReorder *reorder, guint64 number)
{
  guint64 i = number & reorder->mask;

  return reorder->present[i / 64] >> i % 64 & 1;
}

static inline void
set_bit (const FaspReorder *reorder, guint64 *bits, guint64 number, gboolean value)
{
  guint64 i = number & reorder->mask, b = FASP_BIT (i % 64);

  if (value)
    bits[i / 64] |= b;
  else
    bits[i / 64] &= ~b;
}

/* The first block at or after @from whose bit is @value, or highest. */
static guint64
find_bit (const FaspReorder *reorder, const guint64 *bits, guint64 from, gboolean value)
{
  while (from < reorder->highest) {
    guint64 i = from & reorder->mask;
    guint64 word = bits[i / 64];
    gint offset;

    if (!value)
      word = ~word;
    word >>= i % 64;
    if (word != 0) {
      offset = __builtin_ctzll (word);
      return MIN (from + offset, reorder->highest);
    }
    from += 64 - i % 64;
  }
  return reorder->highest;
}

/* Forgets block @number without freeing it. */
static void
empty_slot (FaspReorder *reorder, guint64 number)
{
  *slot (reorder, number) = (Slot) { 0 };
  set_bit (reorder, reorder->begun, number, FALSE);
  set_bit (reorder, reorder->present, number, FALSE);
}

static void
clear_slot (FaspReorder *reorder, guint64 number)
{
  FaspBlock *block = slot (reorder, number)->block;

  if (block == NULL)
    return;
  reorder->bytes -= block->capacity;
  reorder->held -= fasp_block_count_units (block);
  fasp_block_unref (block);
  empty_slot (reorder, number);
}

void
fasp_reorder_free (FaspReorder *reorder)
{
  if (reorder == NULL)
    return;
  for (guint64 i = 0; i <= reorder->mask; i++)
    clear_slot (reorder, i);
  g_free (reorder->begun);
  g_free (reorder->present);
  g_free (reorder->slots);
  g_free (reorder);
}

/* Moves the bits of a ring of @old + 1 slots into one of the new size. */
static guint64 *
grow_bits (const FaspReorder *reorder, guint64 *old_bits, guint64 old)
{
  guint64 *bits = g_new0 (guint64, (reorder->mask + 1) / 64);

  for (guint64 n = reorder->read; n <= reorder->read + old; n++)
    if (old_bits[(n & old) / 64] >> (n & old) % 64 & 1)
      set_bit (reorder, bits, n, TRUE);
  g_free (old_bits);
  return bits;
}

/* Makes the ring reach up to @number, which is within the window. */
static void
grow (FaspReorder *reorder, guint64 number)
{
  guint64 mask = reorder->mask, old = reorder->mask;
  Slot *old_slots = reorder->slots;

  while (number - reorder->read > mask)
    mask = mask * 2 + 1;
  if (mask == old)
    return;
  reorder->slots = g_new0 (Slot, mask + 1);
  reorder->mask = mask;
  for (guint64 n = reorder->read; n <= reorder->read + old; n++)
    *slot (reorder, n) = old_slots[n & old];
  g_free (old_slots);
  reorder->begun = grow_bits (reorder, reorder->begun, old);
  reorder->present = grow_bits (reorder, reorder->present, old);
}

/* --- blocks that arrive ------------------------------------------------------------- */

static gboolean
is_valid (const FaspReorderPiece *piece)
{
  guint32 part, size;

  if (piece->count < 1 || piece->count > FASP_REORDER_FRAGMENTS || piece->index >= piece->count
      || piece->total > BLOCK_MAX)
    return FALSE;
  part = (piece->total + piece->count - 1) / piece->count;
  if (piece->count > 1 && part * (piece->count - 1) >= piece->total)
    return FALSE; /* the last fragment would be empty */
  size = piece->index + 1 < piece->count ? part : piece->total - part * (piece->count - 1);
  return piece->size == size;
}

static void
begin_block (FaspReorder *reorder, Slot *s, const FaspReorderPiece *piece)
{
  clear_slot (reorder, piece->number);
  set_bit (reorder, reorder->begun, piece->number, TRUE);
  if (piece->memory != NULL && piece->count == 1 && piece->size > 0)
    s->block = fasp_block_new_in (piece->memory, piece->data, piece->size);
  else
    s->block = fasp_block_new (piece->total);
  s->block->number = piece->number;
  s->block->size = piece->total;
  s->count = piece->count;
  reorder->bytes += piece->total;
  reorder->held += fasp_block_count_units (s->block);
}

/* Is there room for a block of @total bytes in this slot, if its present block is replaced? */
static gboolean
has_room (const FaspReorder *reorder, const Slot *s, guint32 total)
{
  guint held = s->block != NULL ? fasp_block_count_units (s->block) : 0;

  return reorder->held - held + fasp_count_units (total) <= reorder->capacity;
}

/* Moves ack to the first block that is missing and may still come. */
static void
advance_ack (FaspReorder *reorder)
{
  while (reorder->ack < reorder->highest) {
    if (is_present (reorder, reorder->ack))
      reorder->ready += fasp_block_count_units (slot (reorder, reorder->ack++)->block);
    else if (reorder->ack < reorder->skip)
      reorder->ack = MIN (fasp_reorder_next_here (reorder, reorder->ack), reorder->skip);
    else
      break;
  }
}

FaspReorderResult
fasp_reorder_insert (FaspReorder *reorder, FaspTime now, const FaspReorderPiece *piece)
{
  guint32 part;
  Slot *s;

  if (!is_valid (piece))
    return FASP_REORDER_INVALID;
  if (piece->number < reorder->ack)
    return FASP_REORDER_DUPLICATE;
  /* blocks below `skip' were given up, even those beyond the window */
  if (piece->number - reorder->read >= reorder->capacity || piece->number < reorder->skip)
    return FASP_REORDER_OUTSIDE;
  grow (reorder, piece->number);
  if (is_present (reorder, piece->number))
    return FASP_REORDER_DUPLICATE;

  s = slot (reorder, piece->number);
  if (s->block == NULL || s->count != piece->count || s->block->size != piece->total) {
    /* there is no room, as the sender exceeds the window; the block that all others wait for is
     * taken nevertheless */
    if (piece->number != reorder->ack && !has_room (reorder, s, piece->total))
      return FASP_REORDER_OUTSIDE;
    begin_block (reorder, s, piece);
  } else if (s->fragments >> piece->index & 1)
    return FASP_REORDER_DUPLICATE;

  part = (piece->total + piece->count - 1) / piece->count;
  if (piece->size > 0 && s->block->memory == NULL)
    memcpy (s->block->data + (gsize) part * piece->index, piece->data, piece->size);
  s->fragments |= 1 << piece->index;
  reorder->highest = MAX (reorder->highest, piece->number + 1);
  if (s->fragments != (1u << piece->count) - 1)
    return FASP_REORDER_PARTIAL;

  s->block->flags = piece->flags;
  s->block->round = piece->round;
  s->block->media_time = piece->media_time;
  s->block->segment = piece->segment;
  s->block->offset = piece->offset;
  s->block->arrival = now;
  set_bit (reorder, reorder->present, piece->number, TRUE);
  advance_ack (reorder);
  return FASP_REORDER_STORED;
}

void
fasp_reorder_note_highest (FaspReorder *reorder, guint64 end)
{
  end = MIN (end, fasp_reorder_get_limit (reorder));
  if (end <= reorder->highest)
    return;
  grow (reorder, end - 1);
  reorder->highest = end;
}

/* --- blocks that leave ---------------------------------------------------------------- */

/* Moves `read' to the next block that has arrived or may still come. */
static void
pass_given_up (FaspReorder *reorder)
{
  guint64 next = reorder->read;

  if (next < reorder->ack)
    next = MIN (find_bit (reorder, reorder->present, next, TRUE), reorder->ack);
  if (next == reorder->ack)
    next = MAX (next, reorder->skip);
  if (next == reorder->read)
    return;
  reorder->taken += next - reorder->read;
  reorder->read = next;
  reorder->ack = MAX (reorder->ack, next);
  reorder->highest = MAX (reorder->highest, next);
  reorder->discont = TRUE;
}

FaspBlock *
fasp_reorder_peek (FaspReorder *reorder)
{
  return reorder->read < reorder->ack ? slot (reorder, reorder->read)->block : NULL;
}

FaspBlock *
fasp_reorder_take (FaspReorder *reorder)
{
  FaspBlock *block = fasp_reorder_peek (reorder);

  if (block == NULL)
    return NULL;
  empty_slot (reorder, reorder->read);
  reorder->bytes -= block->capacity;
  reorder->ready -= fasp_block_count_units (block);
  reorder->held -= fasp_block_count_units (block);
  reorder->taken += fasp_block_count_units (block);
  reorder->read++;
  if (reorder->discont)
    block->flags |= FASP_BLOCK_DISCONT;
  reorder->discont = FALSE;
  pass_given_up (reorder);
  return block;
}

const FaspBlock *
fasp_reorder_get (const FaspReorder *reorder, guint64 number)
{
  if (number < reorder->read || number >= reorder->highest || !is_present (reorder, number))
    return NULL;
  return slot (reorder, number)->block;
}

/* As a sender may send any number, the loop visits only blocks of which something has arrived. */
guint64
fasp_reorder_skip_to (FaspReorder *reorder, guint64 number)
{
  guint64 end = MIN (number, fasp_reorder_get_limit (reorder));
  guint64 from = MAX (reorder->ack, reorder->skip), given_up = number - from;

  if (number <= from)
    return 0;
  fasp_reorder_note_highest (reorder, end);
  for (guint64 n = find_bit (reorder, reorder->begun, from, TRUE); n < end;
      n = find_bit (reorder, reorder->begun, n + 1, TRUE))
    if (is_present (reorder, n))
      given_up--;
    else
      clear_slot (reorder, n);
  reorder->skip = number;
  advance_ack (reorder);
  pass_given_up (reorder);
  return given_up;
}

/* --- statistics ----------------------------------------------------------------------- */

guint64
fasp_reorder_get_read (const FaspReorder *reorder)
{
  return reorder->read;
}

guint64
fasp_reorder_get_ack (const FaspReorder *reorder)
{
  return reorder->ack;
}

guint64
fasp_reorder_get_highest (const FaspReorder *reorder)
{
  return reorder->highest;
}

guint32
fasp_reorder_get_capacity (const FaspReorder *reorder)
{
  return reorder->capacity;
}

guint64
fasp_reorder_get_limit (const FaspReorder *reorder)
{
  return reorder->read + reorder->capacity;
}

guint32
fasp_reorder_get_window (const FaspReorder *reorder)
{
  guint64 blocks = fasp_reorder_get_limit (reorder) - reorder->ack;

  /* a block that was given up takes no memory, but its slot counts */
  return MIN (blocks, reorder->capacity - MIN (reorder->ready, reorder->capacity));
}

guint64
fasp_reorder_get_taken (const FaspReorder *reorder)
{
  return reorder->taken;
}

gsize
fasp_reorder_get_bytes (const FaspReorder *reorder)
{
  return reorder->bytes;
}

guint64
fasp_reorder_next_here (const FaspReorder *reorder, guint64 from)
{
  return find_bit (reorder, reorder->present, MAX (from, reorder->read), TRUE);
}

gboolean
fasp_reorder_next_gap (const FaspReorder *reorder, guint64 from, guint64 *start, guint64 *length)
{
  from = MAX (from, MAX (reorder->ack, reorder->skip));
  *start = find_bit (reorder, reorder->present, from, FALSE);
  if (*start >= reorder->highest)
    return FALSE;
  *length = find_bit (reorder, reorder->present, *start, TRUE) - *start;
  return TRUE;
}
