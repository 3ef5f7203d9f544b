/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspblock.h"

FaspBlock *
fasp_block_new (guint32 capacity)
{
  FaspBlock *block = g_malloc (sizeof (FaspBlock) + capacity);

  *block = (FaspBlock) {
  .refs = 1,.capacity = capacity};
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
  if (g_atomic_int_dec_and_test (&block->refs))
    g_free (block);
}
