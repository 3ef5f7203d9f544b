/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspchunk.h: reusable memory that datagrams arrive in and blocks stay in.
 *
 * A chunk returns to its pool when the last block in it is released, on whatever
 * thread. The pool lives until its last chunk does.
 */
#pragma once

#include "faspblock.h"

G_BEGIN_DECLS

#define FASP_CHUNK_SIZE 65536 /* the most that the kernel joins */

typedef struct _FaspChunkPool FaspChunkPool;

typedef struct
{
  FaspMemory memory;
  FaspChunkPool *pool;
  guint8 data[FASP_CHUNK_SIZE];
} FaspChunk;

/* Chunks of at most @limit bytes are in use at a time. */
FaspChunkPool *fasp_chunk_pool_new (gsize limit);
/* Chunks that are still in use stay valid. */
void fasp_chunk_pool_free (FaspChunkPool *pool);
/* The caller gets one reference to the chunk's memory. NULL: the limit is reached. */
FaspChunk *fasp_chunk_pool_take (FaspChunkPool *pool);

G_END_DECLS
