/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspstore.h: the sender's block store, shared by all its sessions.
 *
 * Bytes become blocks once.  The last block stays open and takes more bytes
 * until somebody asks for it; then it is sealed and never changes.  So bytes
 * leave at once when the way is free and fill whole datagrams when they have
 * to queue, without a timer.
 *
 *     tail <= n < head: block n is kept;   bytes kept <= limit
 *
 * Each byte has a place in a stream (faspposition.h); where the place jumps, a mark
 * says so to all who read on.
 */
#pragma once

#include "faspsegments.h"

G_BEGIN_DECLS

typedef struct _FaspStore FaspStore;

/* Nothing is known of places until fasp_store_set_place(). */
FaspStore *fasp_store_new (gsize limit, guint32 block_size);
void fasp_store_free (FaspStore * store);

/* Payload bytes of blocks begun from now on. */
void fasp_store_set_block_size (FaspStore * store, guint32 block_size);

/* Returns the bytes taken: fewer than @size when the limit is reached. What fills
 * whole blocks is not copied if it lies in a @memory, which may be NULL. */
gsize fasp_store_write (FaspStore * store, FaspTime now, FaspTime media_time,
    const guint8 * data, gsize size, FaspMemory * memory);
gboolean fasp_store_is_full (const FaspStore * store);
/* Appends the end of the stream, a block without payload. */
void fasp_store_finish (FaspStore * store, FaspTime now, FaspTime media_time);
gboolean fasp_store_is_finished (const FaspStore * store);

/* The next byte written is there.  If that is not where the last one ended a mark says
 * so, where blocks are kept or anybody @listens; FALSE: there is no room for it. */
gboolean fasp_store_set_place (FaspStore * store, FaspTime now,
    FaspTime media_time, const FaspPlace * place, gboolean listens);
/* A mark that says where the next byte is, whatever was said before. */
void fasp_store_mark (FaspStore * store, FaspTime now, FaspTime media_time);
/* A mark: a key frame begins with the next byte, where there is room for
 * it. */
void fasp_store_mark_key_frame (FaspStore * store, FaspTime now,
    FaspTime media_time);
/* Marks: the header of the stream, once more. FALSE: there is no room for all of it. */
gboolean fasp_store_mark_header (FaspStore * store, FaspTime now,
    FaspTime media_time, const guint8 * bytes, gsize size);
/* @size bytes pass that nobody will get; nothing is kept. */
void fasp_store_pass (FaspStore * store, gsize size);
/* Of the next byte written. Does not seal anything. */
FaspPlace fasp_store_get_next_place (const FaspStore * store);
/* Of the first byte of block @number: one that is kept, or the next to come. */
FaspPlace fasp_store_get_place_of (FaspStore * store, guint64 number);
/* The block that has the byte, or, where that is not kept, the first behind it, or the
 * next to come.  FALSE: nothing of that stream is here. */
gboolean fasp_store_find (FaspStore * store, const FaspPlace * place,
    guint64 * number);
/* The first of the blocks kept that was begun at @time or later; or the next to
 * come. */
guint64 fasp_store_find_time (const FaspStore * store, FaspTime time);

/* Seals the open block, so that a session can start behind it. */
guint64 fasp_store_seal (FaspStore * store);

guint64 fasp_store_get_tail (const FaspStore * store);
guint64 fasp_store_get_head (const FaspStore * store);
gsize fasp_store_get_bytes (const FaspStore * store);

/* Block @number, which must be kept; no reference is added. Seals it. */
const FaspBlock *fasp_store_get (FaspStore * store, guint64 number);
/* Payload bytes of the blocks kept in [from, to). */
guint64 fasp_store_count_bytes (const FaspStore * store, guint64 from,
    guint64 to);
/* Units of all blocks before @number, which is kept or the next to come; that
 * of one that is not kept any more is taken for that of the oldest. */
guint64 fasp_store_get_place (FaspStore * store, guint64 number);
/* Does block @number, which is kept, end at or before @limit units? Does not
 * seal it. */
gboolean fasp_store_ends_by (const FaspStore * store, guint64 number,
    guint64 limit);
/* Forgets everything below @number. */
void fasp_store_trim (FaspStore * store, guint64 number);
/* Blocks that were forgotten and lie in memory of others, to be let go of where
 * it may call anything: with g_ptr_array_unref(); NULL: there are none. */
GPtrArray *fasp_store_take_forgotten (FaspStore * store);
gboolean fasp_store_has_forgotten (const FaspStore * store);

G_END_DECLS
