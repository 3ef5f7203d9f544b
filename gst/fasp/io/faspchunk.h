/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspchunk.h: memory that datagrams come into and blocks stay in, used over
 * and over.
 *
 * A chunk goes back to its pool when the last block in it is let go, on
 * whatever thread; the pool lives until its last chunk does.
 */
#pragma once

#include "faspblock.h"

G_BEGIN_DECLS

#define FASP_CHUNK_SIZE 65536   /* what the kernel joins, at most */

typedef struct _FaspChunkPool FaspChunkPool;

typedef struct
{
  FaspMemory memory;
  FaspChunkPool *pool;
  guint8 data[FASP_CHUNK_SIZE];
} FaspChunk;

/* At most @limit bytes are out at a time. */
FaspChunkPool *fasp_chunk_pool_new (gsize limit);
/* Those that are out stay good. */
void fasp_chunk_pool_free (FaspChunkPool * pool);
/* With one reference, to its memory; NULL: too many are out. */
FaspChunk *fasp_chunk_pool_take (FaspChunkPool * pool);

G_END_DECLS
