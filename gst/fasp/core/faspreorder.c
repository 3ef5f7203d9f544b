/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspreorder.h"

#define RING_MIN 256
#define BLOCK_MAX 65535

/* A block of which fragments are here, or all of it. */
typedef struct
{
  FaspBlock *block;
  guint16 fragments;            /* bit set of those that are here */
  guint8 count;
} Slot;

struct _FaspReorder
{
  Slot *slots;                  /* block n at n & mask; grows up to capacity */
  guint64 *present;             /* bit n & mask: block n is complete */
  guint64 mask;
  guint64 read, ack, highest;
  guint32 capacity;
  gsize bytes;
  guint32 ready, held;          /* units in [read, ack); of all blocks here */
  guint64 taken;                /* ever, or given up: one each */
  gboolean discont;             /* the next block taken follows a hole */
  guint64 jump;                 /* a skip beyond the window: where to go on
                                   when all before is taken; 0: none */
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
  reorder->present = g_new0 (guint64, (reorder->mask + 1) / 64);
  reorder->read = reorder->ack = reorder->highest = first;
  return reorder;
}

static inline Slot *
slot (const FaspReorder * reorder, guint64 number)
{
  return &reorder->slots[number & reorder->mask];
}

static inline gboolean
is_present (const FaspReorder * reorder, guint64 number)
{
  guint64 i = number & reorder->mask;

  return reorder->present[i / 64] >> i % 64 & 1;
}

static inline void
set_present (FaspReorder * reorder, guint64 number, gboolean present)
{
  guint64 i = number & reorder->mask, b = G_GUINT64_CONSTANT (1) << i % 64;

  if (present)
    reorder->present[i / 64] |= b;
  else
    reorder->present[i / 64] &= ~b;
}

static void
clear_slot (FaspReorder * reorder, Slot * s)
{
  if (s->block != NULL) {
    reorder->bytes -= s->block->capacity;
    reorder->held -= fasp_block_count_units (s->block);
    fasp_block_unref (s->block);
  }
  *s = (Slot) {
  0};
}

void
fasp_reorder_free (FaspReorder * reorder)
{
  if (reorder == NULL)
    return;
  for (guint64 i = 0; i <= reorder->mask; i++)
    clear_slot (reorder, &reorder->slots[i]);
  g_free (reorder->present);
  g_free (reorder->slots);
  g_free (reorder);
}

/* Makes the ring reach up to @number, which is within the window. */
static void
grow (FaspReorder * reorder, guint64 number)
{
  guint64 mask = reorder->mask, old = reorder->mask;
  guint64 *present, *old_present = reorder->present;
  Slot *slots, *old_slots = reorder->slots;

  while (number - reorder->read > mask)
    mask = mask * 2 + 1;
  if (mask == old)
    return;
  slots = g_new0 (Slot, mask + 1);
  present = g_new0 (guint64, (mask + 1) / 64);
  reorder->slots = slots;
  reorder->present = present;
  reorder->mask = mask;
  for (guint64 n = reorder->read; n <= reorder->read + old; n++) {
    guint64 i = n & old;

    *slot (reorder, n) = old_slots[i];
    if (old_present[i / 64] >> i % 64 & 1)
      set_present (reorder, n, TRUE);
  }
  g_free (old_slots);
  g_free (old_present);
}

/* --- in ------------------------------------------------------------------------- */

static gboolean
is_valid (const FaspReorderPiece * piece)
{
  guint32 part, size;

  if (piece->count < 1 || piece->count > FASP_REORDER_FRAGMENTS
      || piece->index >= piece->count || piece->total > BLOCK_MAX)
    return FALSE;
  part = (piece->total + piece->count - 1) / piece->count;
  if (piece->count > 1 && part * (piece->count - 1) >= piece->total)
    return FALSE;               /* the last one would be empty */
  size = piece->index + 1 < piece->count ? part :
      piece->total - part * (piece->count - 1);
  return piece->size == size;
}

static void
begin_block (FaspReorder * reorder, Slot * s, const FaspReorderPiece * piece)
{
  clear_slot (reorder, s);
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

/* For a block of so many bytes in this slot, in place of what is there. */
static gboolean
has_room (const FaspReorder * reorder, const Slot * s, guint32 total)
{
  guint held = s->block != NULL ? fasp_block_count_units (s->block) : 0;

  return reorder->held - held + fasp_count_units (total) <= reorder->capacity;
}

static void
advance_ack (FaspReorder * reorder)
{
  while (reorder->ack < reorder->highest && is_present (reorder, reorder->ack)) {
    const FaspBlock *block = slot (reorder, reorder->ack++)->block;

    if (block != NULL)
      reorder->ready += fasp_block_count_units (block);
  }
}

FaspReorderResult
fasp_reorder_insert (FaspReorder * reorder, FaspTime now,
    const FaspReorderPiece * piece)
{
  guint32 part;
  Slot *s;

  if (!is_valid (piece))
    return FASP_REORDER_INVALID;
  if (piece->number < reorder->ack)
    return FASP_REORDER_DUPLICATE;
  /* what lies before a jump was given up before there was room for it */
  if (piece->number - reorder->read >= reorder->capacity
      || piece->number < reorder->jump)
    return FASP_REORDER_OUTSIDE;
  grow (reorder, piece->number);
  if (is_present (reorder, piece->number))
    return FASP_REORDER_DUPLICATE;

  s = slot (reorder, piece->number);
  if (s->block == NULL || s->count != piece->count
      || s->block->size != piece->total) {
    /* more than anybody was told that there is room for; but what is waited for
     * is taken */
    if (piece->number != reorder->ack && !has_room (reorder, s, piece->total))
      return FASP_REORDER_OUTSIDE;
    begin_block (reorder, s, piece);
  } else if (s->fragments >> piece->index & 1)
    return FASP_REORDER_DUPLICATE;

  part = (piece->total + piece->count - 1) / piece->count;
  if (piece->size > 0 && s->block->memory == NULL)
    memcpy (s->block->data + (gsize) part * piece->index, piece->data,
        piece->size);
  s->fragments |= 1 << piece->index;
  reorder->highest = MAX (reorder->highest, piece->number + 1);
  if (s->fragments != (1u << piece->count) - 1)
    return FASP_REORDER_PARTIAL;

  s->block->flags = piece->flags;
  s->block->round = piece->round;
  s->block->media_time = piece->media_time;
  s->block->arrival = now;
  set_present (reorder, piece->number, TRUE);
  advance_ack (reorder);
  return FASP_REORDER_STORED;
}

void
fasp_reorder_note_highest (FaspReorder * reorder, guint64 end)
{
  end = MIN (end, fasp_reorder_get_limit (reorder));
  if (end <= reorder->highest)
    return;
  grow (reorder, end - 1);
  reorder->highest = end;
}

/* --- out -------------------------------------------------------------------------- */

/* A block that was given up is present without a block: ack passes over it
 * and here read does. */
static void
pass_given_up (FaspReorder * reorder)
{
  while (reorder->read < reorder->ack
      && slot (reorder, reorder->read)->block == NULL) {
    set_present (reorder, reorder->read, FALSE);
    reorder->read++;
    reorder->taken++;
    reorder->discont = TRUE;
  }
  if (reorder->read == reorder->ack && reorder->jump > reorder->read) {
    reorder->taken += reorder->jump - reorder->read;
    reorder->read = reorder->ack = reorder->jump;
    reorder->highest = MAX (reorder->highest, reorder->jump);
    reorder->discont = TRUE;
    advance_ack (reorder);
  }
}

FaspBlock *
fasp_reorder_peek (FaspReorder * reorder)
{
  return reorder->read < reorder->ack ? slot (reorder, reorder->read)->block :
      NULL;
}

FaspBlock *
fasp_reorder_take (FaspReorder * reorder)
{
  FaspBlock *block = fasp_reorder_peek (reorder);

  if (block == NULL)
    return NULL;
  *slot (reorder, reorder->read) = (Slot) {
  0};
  set_present (reorder, reorder->read, FALSE);
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
fasp_reorder_get (const FaspReorder * reorder, guint64 number)
{
  if (number < reorder->read || number >= reorder->highest
      || !is_present (reorder, number))
    return NULL;
  return slot (reorder, number)->block;
}

guint64
fasp_reorder_skip_to (FaspReorder * reorder, guint64 number)
{
  guint64 limit = fasp_reorder_get_limit (reorder);
  guint64 end = MIN (number, limit), given_up = 0, start, length;

  if (number <= reorder->ack)
    return 0;
  fasp_reorder_note_highest (reorder, end);
  while (fasp_reorder_next_gap (reorder, reorder->ack, &start, &length)
      && start < end) {
    length = MIN (length, end - start);
    for (guint64 n = start; n < start + length; n++) {
      clear_slot (reorder, slot (reorder, n));
      set_present (reorder, n, TRUE);
    }
    given_up += length;
    advance_ack (reorder);
  }
  if (number > MAX (limit, reorder->jump)) {
    given_up += number - MAX (limit, reorder->jump);
    reorder->jump = number;
  }
  pass_given_up (reorder);
  return given_up;
}

/* --- figures -------------------------------------------------------------------------- */

guint64
fasp_reorder_get_read (const FaspReorder * reorder)
{
  return reorder->read;
}

guint64
fasp_reorder_get_ack (const FaspReorder * reorder)
{
  return reorder->ack;
}

guint64
fasp_reorder_get_highest (const FaspReorder * reorder)
{
  return reorder->highest;
}

guint32
fasp_reorder_get_capacity (const FaspReorder * reorder)
{
  return reorder->capacity;
}

guint64
fasp_reorder_get_limit (const FaspReorder * reorder)
{
  return reorder->read + reorder->capacity;
}

guint32
fasp_reorder_get_window (const FaspReorder * reorder)
{
  guint64 blocks = fasp_reorder_get_limit (reorder) - reorder->ack;

  /* what was given up in between takes no memory, but a place in the ring */
  return MIN (blocks, reorder->capacity - MIN (reorder->ready,
          reorder->capacity));
}

guint64
fasp_reorder_get_taken (const FaspReorder * reorder)
{
  return reorder->taken;
}

gsize
fasp_reorder_get_bytes (const FaspReorder * reorder)
{
  return reorder->bytes;
}

gboolean
fasp_reorder_has (const FaspReorder * reorder, guint64 number)
{
  return number < reorder->ack || (number < reorder->highest
      && is_present (reorder, number));
}

/* First block at or after @from whose bit is @value, or highest. */
static guint64
find_bit (const FaspReorder * reorder, guint64 from, gboolean value)
{
  while (from < reorder->highest) {
    guint64 i = from & reorder->mask;
    guint64 word = reorder->present[i / 64];
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

gboolean
fasp_reorder_next_gap (const FaspReorder * reorder, guint64 from,
    guint64 * start, guint64 * length)
{
  *start = find_bit (reorder, MAX (from, reorder->ack), FALSE);
  if (*start >= reorder->highest)
    return FALSE;
  *length = find_bit (reorder, *start, TRUE) - *start;
  return TRUE;
}
