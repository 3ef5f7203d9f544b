/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspchunk.h"

#define IDLE_MAX 32 /* chunks kept for reuse */

struct _FaspChunkPool
{
  GMutex lock;
  GPtrArray *idle;
  guint out, limit; /* chunks in use, and the most that may be */
  gboolean closed;
};

static void
chunk_free (gpointer data)
{
  FaspChunk *chunk = data;

  fasp_memory_clear (&chunk->memory);
  g_free (chunk);
}

FaspChunkPool *
fasp_chunk_pool_new (gsize limit)
{
  FaspChunkPool *pool = g_new0 (FaspChunkPool, 1);

  g_mutex_init (&pool->lock);
  pool->idle = g_ptr_array_new_with_free_func (chunk_free);
  pool->limit = MAX (limit / FASP_CHUNK_SIZE, 1);
  return pool;
}

static void
destroy (FaspChunkPool *pool)
{
  g_ptr_array_unref (pool->idle);
  g_mutex_clear (&pool->lock);
  g_free (pool);
}

void
fasp_chunk_pool_free (FaspChunkPool *pool)
{
  gboolean last;

  g_mutex_lock (&pool->lock);
  pool->closed = TRUE;
  last = pool->out == 0;
  g_mutex_unlock (&pool->lock);
  if (last)
    destroy (pool);
}

static void
give_back (FaspMemory *memory)
{
  FaspChunk *chunk = (FaspChunk *) memory;
  FaspChunkPool *pool = chunk->pool;
  gboolean keep, last;

  g_mutex_lock (&pool->lock);
  pool->out--;
  keep = !pool->closed && pool->idle->len < IDLE_MAX;
  last = pool->closed && pool->out == 0;
  if (keep)
    g_ptr_array_add (pool->idle, chunk);
  g_mutex_unlock (&pool->lock);
  if (!keep)
    chunk_free (chunk);
  if (last)
    destroy (pool);
}

FaspChunk *
fasp_chunk_pool_take (FaspChunkPool *pool)
{
  FaspChunk *chunk = NULL;
  gboolean good;

  g_mutex_lock (&pool->lock);
  good = pool->out < pool->limit;
  pool->out += good;
  if (good && pool->idle->len > 0)
    chunk = g_ptr_array_steal_index_fast (pool->idle, pool->idle->len - 1);
  g_mutex_unlock (&pool->lock);
  if (!good)
    return NULL;
  if (chunk == NULL) {
    chunk = g_new (FaspChunk, 1);
    chunk->pool = pool;
    fasp_memory_init (&chunk->memory, give_back);
  } else {
    fasp_memory_reuse (&chunk->memory);
  }
  return chunk;
}
