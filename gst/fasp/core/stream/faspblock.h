/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspblock.h: a block, one datagram's payload of the stream.
 *
 * A block does not change once it is sealed.  Its reference count is atomic,
 * as blocks leave the core towards other threads (a GstMemory may hold the
 * last reference).  `local' flags and fields are never on the wire.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

enum
{
  FASP_BLOCK_MARK = 1 << 0,       /* holds no bytes of the stream (faspposition.h);
                                     without a payload: the end of the stream */
  FASP_BLOCK_DISCONT = 1 << 1,    /* bytes are missing before the block (local) */
  FASP_BLOCK_EOS = 1 << 2,        /* read: the end of the stream; no payload (local) */
  FASP_BLOCK_KEY = 1 << 3,        /* read: a key frame begins with the block (local) */
  FASP_BLOCK_CLOCK_JUMP = 1 << 4, /* the first since the sender's clock jumped (local) */
  FASP_BLOCK_HEADER = 1 << 5,     /* read: no bytes of the stream, but its header
                                     (faspstreamheader.h; local) */
  FASP_BLOCK_ENTER = 1 << 6,      /* read: the reader needs this header before the
                                     next block (local) */
  FASP_BLOCK_LACKS = 1 << 7, /* read: the reader does not get the whole stream: it begins in the
                                middle, bytes are missing before the block, or the previous stream
                                did not reach its end (local) */
};

/* The caller's memory with the payloads of blocks.  FaspMemory is a member of a struct of the
 * caller's.  The FaspBlocks are allocated in slabs, which live as long as the memory. */
typedef struct _FaspMemory FaspMemory;
typedef struct _FaspSlab FaspSlab;

struct _FaspMemory
{
  gint refs;                         /* atomic; each block holds one */
  void (*free) (FaspMemory *memory); /* runs in the thread that drops the last reference */
  FaspSlab *slab;                    /* the newest slab */
};

/* Initialises @memory with one reference, the caller's. */
void fasp_memory_init (FaspMemory *memory, void (*free) (FaspMemory *memory));
void fasp_memory_unref (FaspMemory *memory);
/* Makes the memory ready for new blocks, with one reference.  All its blocks must have been
 * freed. */
void fasp_memory_reuse (FaspMemory *memory);
/* Frees the slabs.  All blocks of the memory must have been freed.  `free' calls this, or the owner
 * if there is no `free'. */
void fasp_memory_clear (FaspMemory *memory);

#define FASP_OFFSET_UNKNOWN G_MAXUINT64
/* Bits of a block's offset on the wire. */
#define FASP_OFFSET_BITS 32
#define FASP_SEGMENT_UNKNOWN G_MAXUINT16

/* A receiver's window is counted in units, blocks of a common datagram.  A block of a
 * jumbo frame is several units. */
#define FASP_BLOCK_UNIT 1500 /* payload bytes */

typedef struct
{
  gint refs; /* atomic */
  guint8 flags;
  guint8 round;     /* receiver: retransmission round it arrived in */
  guint16 segment;  /* low 8 bits of the number of its segment (faspsegments.h); receiver:
                       FASP_SEGMENT_UNKNOWN if the sender did not send it */
  guint32 size;     /* payload bytes used */
  guint32 capacity; /* payload bytes allocated */
  guint64 number;
  guint64 units_before; /* sender: units (FASP_BLOCK_UNIT) of all blocks before it */
  guint64 offset;       /* stream offset of its first byte (receiver, before fasp_position_take():
                           its low bits, if the segment is known), or FASP_OFFSET_UNKNOWN */
  FaspTime media_time;  /* sender's media time */
  FaspTime arrival;     /* receiver: when the block was complete; sender: when its first byte was
                           written */
  guint8 *data;         /* the payload: in room, or in memory, and then
                           read-only */
  FaspMemory *memory;   /* a reference; NULL: the payload is in room */
  guint8 room[];
} FaspBlock;

/* An empty block with room of its own. */
FaspBlock *fasp_block_new (guint32 capacity);
/* A full block, whose payload is @data in @memory.  Takes a reference to @memory.  Only one thread
 * at a time may make blocks in a memory. */
FaspBlock *fasp_block_new_in (FaspMemory *memory, const guint8 *data, guint32 size);
/* Frees unused room.  The caller has the only reference; the block may move. */
FaspBlock *fasp_block_shrink (FaspBlock *block);
/* Units that a block of @size bytes takes of a window. */
static inline guint
fasp_count_units (guint32 size)
{
  return size <= FASP_BLOCK_UNIT ? 1 : (size + FASP_BLOCK_UNIT - 1) / FASP_BLOCK_UNIT;
}

static inline guint
fasp_block_count_units (const FaspBlock *block)
{
  return fasp_count_units (block->size);
}

static inline gboolean
fasp_block_is_end (const FaspBlock *block)
{
  return (block->flags & FASP_BLOCK_MARK) != 0 && block->size == 0;
}

/* Bytes of the stream in the block. */
static inline guint32
fasp_block_get_payload (const FaspBlock *block)
{
  return (block->flags & FASP_BLOCK_MARK) != 0 ? 0 : block->size;
}

FaspBlock *fasp_block_ref (FaspBlock *block);
void fasp_block_unref (FaspBlock *block);

G_END_DECLS
