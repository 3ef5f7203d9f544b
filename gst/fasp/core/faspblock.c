/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspblock.h"

void
fasp_memory_init (FaspMemory * memory, void (*free) (FaspMemory * memory))
{
  memory->refs = 1;
  memory->free = free;
}

FaspMemory *
fasp_memory_ref (FaspMemory * memory)
{
  g_atomic_int_inc (&memory->refs);
  return memory;
}

void
fasp_memory_unref (FaspMemory * memory)
{
  if (g_atomic_int_dec_and_test (&memory->refs))
    memory->free (memory);
}

FaspBlock *
fasp_block_new (guint32 capacity)
{
  FaspBlock *block = g_malloc (sizeof (FaspBlock) + capacity);

  *block = (FaspBlock) {
  .refs = 1,.capacity = capacity,.offset = FASP_OFFSET_UNKNOWN,.data =
        block->room};
  return block;
}

FaspBlock *
fasp_block_new_in (FaspMemory * memory, const guint8 * data, guint32 size)
{
  FaspBlock *block = g_malloc (sizeof (FaspBlock));

  *block = (FaspBlock) {
  .refs = 1,.size = size,.capacity = size,.offset =
        FASP_OFFSET_UNKNOWN,.data = (guint8 *) data,.memory =
        fasp_memory_ref (memory)};
  return block;
}

FaspBlock *
fasp_block_shrink (FaspBlock * block)
{
  g_return_val_if_fail (block->memory == NULL && block->refs == 1, block);
  block = g_realloc (block, sizeof (FaspBlock) + block->size);
  block->capacity = block->size;
  block->data = block->room;
  return block;
}

FaspBlock *
fasp_block_ref (FaspBlock * block)
{
  g_atomic_int_inc (&block->refs);
  return block;
}

void
fasp_block_unref (FaspBlock * block)
{
  if (!g_atomic_int_dec_and_test (&block->refs))
    return;
  if (block->memory != NULL)
    fasp_memory_unref (block->memory);
  g_free (block);
}
