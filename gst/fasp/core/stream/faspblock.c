/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspblock.h"

/* Lets ASan see when a block of a slab is used after its last reference is gone. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, size)
#define ASAN_UNPOISON_MEMORY_REGION(start, size)
#endif

/* Blocks in the first slab of a memory; each next slab is twice as large, up to SLAB_MOST. */
#define SLAB_FIRST 16
#define SLAB_MOST 512

struct _FaspSlab
{
  FaspSlab *next;   /* the slab before */
  guint size, used; /* blocks */
  guint64 room[];
};

G_STATIC_ASSERT (sizeof (FaspBlock) % sizeof (guint64) == 0);

void
fasp_memory_init (FaspMemory *memory, void (*free) (FaspMemory *memory))
{
  *memory = (FaspMemory) { 1, free, NULL };
}

static void
free_slabs (FaspSlab *slab)
{
  while (slab != NULL) {
    FaspSlab *next = slab->next;

    g_free (slab);
    slab = next;
  }
}

/* Keeps the largest slab: it, or with it one twice as large, has room for as many blocks as
 * before. */
void
fasp_memory_reuse (FaspMemory *memory)
{
  memory->refs = 1;
  if (memory->slab == NULL)
    return;
  free_slabs (memory->slab->next);
  memory->slab->next = NULL;
  memory->slab->used = 0;
}

void
fasp_memory_clear (FaspMemory *memory)
{
  free_slabs (memory->slab);
  memory->slab = NULL;
}

static FaspBlock *
take_block (FaspMemory *memory)
{
  FaspSlab *slab = memory->slab;
  FaspBlock *block;

  if (slab == NULL || slab->used == slab->size) {
    guint size = slab == NULL ? SLAB_FIRST : MIN (2 * slab->size, SLAB_MOST);

    slab = g_malloc (sizeof (FaspSlab) + size * sizeof (FaspBlock));
    *slab = (FaspSlab) { memory->slab, size, 0 };
    memory->slab = slab;
  }
  block = (FaspBlock *) slab->room + slab->used++;
  ASAN_UNPOISON_MEMORY_REGION (block, sizeof (FaspBlock));
  return block;
}

void
fasp_memory_unref (FaspMemory *memory)
{
  if (g_atomic_int_dec_and_test (&memory->refs))
    memory->free (memory);
}

FaspBlock *
fasp_block_new (guint32 capacity)
{
  FaspBlock *block = g_malloc (sizeof (FaspBlock) + capacity);

  *block = (FaspBlock) {
    .refs = 1,
    .capacity = capacity,
    .offset = FASP_OFFSET_UNKNOWN,
    .segment = FASP_SEGMENT_UNKNOWN,
    .data = block->room,
  };
  return block;
}

FaspBlock *
fasp_block_new_in (FaspMemory *memory, const guint8 *data, guint32 size)
{
  FaspBlock *block = take_block (memory);

  *block = (FaspBlock) {
    .refs = 1,
    .size = size,
    .capacity = size,
    .offset = FASP_OFFSET_UNKNOWN,
    .segment = FASP_SEGMENT_UNKNOWN,
    .data = (guint8 *) data,
    .memory = memory,
  };
  g_atomic_int_inc (&memory->refs);
  return block;
}

FaspBlock *
fasp_block_shrink (FaspBlock *block)
{
  g_return_val_if_fail (block->memory == NULL && block->refs == 1, block);
  block = g_realloc (block, sizeof (FaspBlock) + block->size);
  block->capacity = block->size;
  block->data = block->room;
  return block;
}

FaspBlock *
fasp_block_ref (FaspBlock *block)
{
  g_atomic_int_inc (&block->refs);
  return block;
}

void
fasp_block_unref (FaspBlock *block)
{
  if (!g_atomic_int_dec_and_test (&block->refs))
    return;
  if (block->memory != NULL) {
    FaspMemory *memory = block->memory;

    ASAN_POISON_MEMORY_REGION (block, sizeof (FaspBlock));
    fasp_memory_unref (memory);
  } else {
    g_free (block);
  }
}
