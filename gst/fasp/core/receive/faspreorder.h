/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspreorder.h: the receiver's reorder buffer.
 *
 * Blocks go in in any order and come out in order, once each.  Block numbers
 * are 64 bit.  The buffer is a ring of up to `capacity' slots (a power of two)
 * with two bitmaps: of the blocks present, and of the blocks begun.
 *
 *     read <= ack <= highest,   stored blocks lie in [read, read + capacity)
 *
 *   read     the next block that the application takes
 *   ack      first block that is missing and may still come: everything below is
 *            here, was taken or was given up
 *   highest  one past the highest block known to exist
 *   skip     missing blocks below it were given up
 *
 * A block may arrive in up to FASP_REORDER_FRAGMENTS equal fragments
 * (index/count) when a datagram of the path holds less than a block; it is
 * present once all of them are in.  Fragments of a different division replace
 * those collected before.
 */
#pragma once

#include "faspblock.h"

G_BEGIN_DECLS

#define FASP_REORDER_FRAGMENTS 16

typedef struct _FaspReorder FaspReorder;

typedef enum
{
  FASP_REORDER_STORED,    /* new and complete */
  FASP_REORDER_PARTIAL,   /* a new fragment, block not complete */
  FASP_REORDER_DUPLICATE, /* the block is in the buffer, or was taken or given up */
  FASP_REORDER_OUTSIDE,   /* beyond the window, or the window has no room */
  FASP_REORDER_INVALID,   /* index, count and sizes of the piece contradict each other */
} FaspReorderResult;

/* One block, or one fragment of it, as it came off the wire.  For a whole
 * block index = 0, count = 1, total = size.  All fragments but the last
 * carry ceil (total / count) bytes. */
typedef struct
{
  guint64 number;
  guint8 flags; /* FASP_BLOCK_* */
  guint8 round;
  guint8 index, count;
  guint16 segment; /* as the sender wrote it, or FASP_SEGMENT_UNKNOWN */
  guint32 offset;  /* low bits of the stream offset, if the segment is known */
  guint32 total;   /* bytes of the whole block, <= 65535 */
  FaspTime media_time;
  const guint8 *data;
  guint32 size;
  FaspMemory *memory; /* where @data lies, and may stay; NULL: it is copied */
} FaspReorderPiece;

/* @capacity is rounded up to a power of two >= 64.  @first: the number of the
 * first block to deliver.  The slots are allocated as they are needed, but the
 * window is always @capacity blocks long. */
FaspReorder *fasp_reorder_new (guint32 capacity, guint64 first);
void fasp_reorder_free (FaspReorder *reorder);

FaspReorderResult fasp_reorder_insert (FaspReorder *reorder, FaspTime now,
    const FaspReorderPiece *piece);

/* Blocks below @end exist, as a tail probe tells. Clamped to the window. */
void fasp_reorder_note_highest (FaspReorder *reorder, guint64 end);

/* Takes the next block in order, with its reference. NULL: there is none. */
FaspBlock *fasp_reorder_take (FaspReorder *reorder);
/* Returns this block without taking it. */
FaspBlock *fasp_reorder_peek (FaspReorder *reorder);

/* Block @number if it is in the buffer, without a reference; else NULL. */
const FaspBlock *fasp_reorder_get (const FaspReorder *reorder, guint64 number);

/* Gives up the missing blocks below @number. Once blocks below it are taken, `read' moves to the
 * first block at or above @number that has arrived or may still come.  Blocks that are present are
 * still delivered.  Returns how many blocks were given up.  The next block taken after each hole
 * carries FASP_BLOCK_DISCONT. */
guint64 fasp_reorder_skip_to (FaspReorder *reorder, guint64 number);

guint64 fasp_reorder_get_read (const FaspReorder *reorder);
guint64 fasp_reorder_get_ack (const FaspReorder *reorder);
guint64 fasp_reorder_get_highest (const FaspReorder *reorder);
guint32 fasp_reorder_get_capacity (const FaspReorder *reorder);
guint64 fasp_reorder_get_limit (const FaspReorder *reorder); /* read + capacity */
/* The free room from ack on, in units (FASP_BLOCK_UNIT).  The sum of ack and the window never goes
 * back. */
guint32 fasp_reorder_get_window (const FaspReorder *reorder);
/* Units taken or given up so far: they opened the window. */
guint64 fasp_reorder_get_taken (const FaspReorder *reorder);
/* Bytes of payload allocated in the buffer. */
gsize fasp_reorder_get_bytes (const FaspReorder *reorder);

/* The first block at or after @from that has arrived and was not taken; highest: there is none. */
guint64 fasp_reorder_next_here (const FaspReorder *reorder, guint64 from);

/* The first run of missing blocks at or after @from and below highest.
 * Scans the bitmap a word at a time.  FALSE when there is none. */
gboolean fasp_reorder_next_gap (const FaspReorder *reorder, guint64 from, guint64 *start,
    guint64 *length);

G_END_DECLS
