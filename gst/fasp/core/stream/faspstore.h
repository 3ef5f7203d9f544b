/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspstore.h: the sender's block store, shared by all its sessions.
 *
 * Bytes become blocks once. The last block stays open and takes more bytes until a session gets it;
 * then it is sealed and never changes. So bytes leave at once when the path is free, and fill whole
 * datagrams when they queue. For small writes, the open block is held back for a moment
 * (faspgather.h).
 *
 *     tail <= n < head: block n is kept;   bytes kept <= limit
 *
 * Each byte has a stream offset (faspposition.h). Where the offset jumps, a mark (a block whose
 * payload is not part of the stream) says so to all receivers.
 */
#pragma once

#include "faspcapture.h"
#include "faspsegments.h"

G_BEGIN_DECLS

typedef struct _FaspStore FaspStore;

/* @limit: most bytes kept, overheads included. Stream offsets are unknown until
 * fasp_store_set_offset(). */
FaspStore *fasp_store_new (gsize limit, guint32 block_size);
void fasp_store_free (FaspStore *store);

/* @block_size: payload bytes of blocks begun from now on. */
void fasp_store_set_block_size (FaspStore *store, guint32 block_size);

/* Returns the bytes taken, fewer than @size when the limit is reached. Data that fills whole blocks
 * and lies in @memory (which may be NULL) is not copied. */
gsize fasp_store_write (FaspStore *store, FaspTime now, FaspTime media_time, const guint8 *data,
    gsize size, FaspMemory *memory);
gboolean fasp_store_is_full (const FaspStore *store);
/* Appends the end of the stream, a block without payload. */
void fasp_store_finish (FaspStore *store, FaspTime now, FaspTime media_time);
gboolean fasp_store_is_finished (const FaspStore *store);

/* Sets the stream offset of the next byte written. If it does not continue the last one, appends a
 * mark, provided that blocks are kept or a receiver @listens. FALSE: there is no room for the
 * mark. */
gboolean fasp_store_set_offset (FaspStore *store, FaspTime now, FaspTime media_time,
    const FaspStreamOffset *position, gboolean listens);
/* Appends a mark with the stream offset of the next byte, even if there was one before. */
void fasp_store_mark (FaspStore *store, FaspTime now, FaspTime media_time);
/* Appends a mark, if there is room for it: a key frame begins with the next byte. */
void fasp_store_mark_key_frame (FaspStore *store, FaspTime now, FaspTime media_time);
/* Appends a mark: what is written next, at @media_time, was captured at @capture. FALSE: there is
 * no room. */
gboolean fasp_store_mark_capture (FaspStore *store, FaspTime now, FaspTime media_time,
    const FaspCapture *capture);
/* Appends the header of the stream as marks. FALSE: there is no room for all of it. */
gboolean fasp_store_mark_header (FaspStore *store, FaspTime now, FaspTime media_time,
    const guint8 *bytes, gsize size);
/* Counts @size bytes that no receiver will get, without storing them. Forgets all blocks. */
void fasp_store_pass (FaspStore *store, gsize size);
/* The stream offset of the next byte written. Seals nothing. */
FaspStreamOffset fasp_store_get_next_offset (const FaspStore *store);
/* The stream offset of the first byte of block @number, which is kept or the next to come. */
FaspStreamOffset fasp_store_get_stream_offset (FaspStore *store, guint64 number);
/* Finds the block with the byte at @position. If it is not kept, finds the first block behind it,
 * or the next to come. FALSE: no block of that stream is kept. */
gboolean fasp_store_find (FaspStore *store, const FaspStreamOffset *position, guint64 *number);
/* Holds back the open block, if its number is @from or more, or if it is held back already:
 * fasp_store_get_head() does not count it until it is sealed or released.  TRUE: this block was not
 * held back before. */
gboolean fasp_store_hold_back (FaspStore *store, guint64 from);
void fasp_store_release (FaspStore *store);
gboolean fasp_store_is_held_back (const FaspStore *store);
guint32 fasp_store_get_block_size (const FaspStore *store);
/* The first block kept that was begun at @time or later, or the next to come. */
guint64 fasp_store_find_time (const FaspStore *store, FaspTime time);

/* Seals the open block, so that a session can start behind it. Returns the head. */
guint64 fasp_store_seal (FaspStore *store);

guint64 fasp_store_get_tail (const FaspStore *store);
guint64 fasp_store_get_head (const FaspStore *store);
gsize fasp_store_get_bytes (const FaspStore *store);

/* Block @number, which must be kept. Seals it; adds no reference. */
const FaspBlock *fasp_store_get (FaspStore *store, guint64 number);
/* Payload bytes of the blocks in [from, to) that are kept. */
guint64 fasp_store_count_bytes (const FaspStore *store, guint64 from, guint64 to);
/* Units of all blocks before @number, which is kept or the next to come. Below the
 * tail, the answer is that for the oldest block kept. */
guint64 fasp_store_get_units (FaspStore *store, guint64 number);
/* Does block @number, which is kept, end at or before @limit units? Does not seal it. */
gboolean fasp_store_ends_by (const FaspStore *store, guint64 number, guint64 limit);
void fasp_store_trim (FaspStore *store, guint64 number);
/* Takes the forgotten blocks whose payloads are in a caller's FaspMemory; NULL: there are none.
 * Freeing them runs the owners' `free': call g_ptr_array_unref() without locks held. */
GPtrArray *fasp_store_take_forgotten (FaspStore *store);
gboolean fasp_store_has_forgotten (const FaspStore *store);

G_END_DECLS
