/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspblock.h: a block, one datagram's payload of the stream.
 *
 * Immutable once sealed, reference counted with atomics because blocks leave
 * the core towards other threads (a GstMemory may hold the last reference).
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

enum
{
  FASP_BLOCK_MARK = 1 << 0,     /* no bytes of the stream (faspposition.h); the end
                                   of it, where there is no payload */
  FASP_BLOCK_DISCONT = 1 << 1,  /* bytes are missing before this (local) */
  FASP_BLOCK_EOS = 1 << 2,      /* read: the stream ends here; no payload (local) */
  FASP_BLOCK_KEY = 1 << 3,      /* read: a key frame begins with it (local) */
  FASP_BLOCK_CLOCK_JUMP = 1 << 4,       /* the first of another media time (local) */
  FASP_BLOCK_HEADER = 1 << 5,   /* read: no bytes of the stream, but its header
                                   (faspheader.h; local) */
  FASP_BLOCK_ENTER = 1 << 6,    /* read: this one goes before the next (local) */
};

/* Memory of somebody else that blocks lie in: to be embedded.  What says where they lie, a
 * FaspBlock each, is made for many at a time and lives as long as the memory. */
typedef struct _FaspMemory FaspMemory;
typedef struct _FaspSlab FaspSlab;

struct _FaspMemory
{
  gint refs;                    /* atomic; one more for each block */
  void (*free) (FaspMemory * memory);   /* on whatever thread is the last */
  FaspSlab *slab;               /* the newest */
};

/* With one reference. */
void fasp_memory_init (FaspMemory * memory,
    void (*free) (FaspMemory * memory));
FaspMemory *fasp_memory_ref (FaspMemory * memory);
void fasp_memory_unref (FaspMemory * memory);
/* No block is in it any more: once more with one reference, for others. */
void fasp_memory_reuse (FaspMemory * memory);
/* The same, for good; by @free, or who owns one without. */
void fasp_memory_clear (FaspMemory * memory);

#define FASP_OFFSET_UNKNOWN G_MAXUINT64

/* A receiver's window is counted in blocks of a common datagram; one of a jumbo
 * frame counts as several. */
#define FASP_BLOCK_UNIT 1500    /* payload bytes */

typedef struct
{
  gint refs;                    /* atomic */
  guint8 flags;
  guint8 round;                 /* receiver: rex round it arrived in */
  guint32 size;                 /* payload bytes used */
  guint32 capacity;             /* payload bytes allocated */
  guint64 number;
  guint64 place;                /* sender: units of all blocks before it */
  guint64 offset;               /* of its first byte in the stream, or
                                   FASP_OFFSET_UNKNOWN */
  FaspTime media_time;          /* sender's media time */
  FaspTime arrival;             /* receiver: when it was complete; sender: when
                                   its first byte was written */
  guint8 *data;                 /* the payload: room, or in memory, which is
                                   not to be changed then */
  FaspMemory *memory;           /* NULL: room */
  guint8 room[];
} FaspBlock;

FaspBlock *fasp_block_new (guint32 capacity);
/* Full, of bytes that lie in @memory, to which it takes a reference.  Blocks of one memory are made
 * by one thread at a time. */
FaspBlock *fasp_block_new_in (FaspMemory * memory, const guint8 * data,
    guint32 size);
/* Lets go of room that is not used. */
FaspBlock *fasp_block_shrink (FaspBlock * block);
/* Units that a block of @size bytes takes of a window. */
static inline guint
fasp_count_units (guint32 size)
{
  return size <= FASP_BLOCK_UNIT ? 1 :
      (size + FASP_BLOCK_UNIT - 1) / FASP_BLOCK_UNIT;
}

static inline guint
fasp_block_count_units (const FaspBlock * block)
{
  return fasp_count_units (block->size);
}

static inline gboolean
fasp_block_is_end (const FaspBlock * block)
{
  return (block->flags & FASP_BLOCK_MARK) != 0 && block->size == 0;
}

/* Bytes of the stream in it. */
static inline guint32
fasp_block_get_payload (const FaspBlock * block)
{
  return (block->flags & FASP_BLOCK_MARK) != 0 ? 0 : block->size;
}

FaspBlock *fasp_block_ref (FaspBlock * block);
void fasp_block_unref (FaspBlock * block);

G_END_DECLS
