/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprecent.h: what was delivered lately of a stream, to compare with what another source brings
 * of the same bytes later.
 *
 * It holds references to the last blocks of one stream, without missing bytes between them.  They
 * are let go by their number of bytes.
 */
#pragma once

#include "faspblock.h"

G_BEGIN_DECLS

typedef struct
{
  FaspBlock *block; /* owned */
  guint source;     /* the block's source */
} FaspRecentBlock;

typedef struct
{
  FaspRecentBlock *ring; /* block i at i & mask; offsets rise */
  guint64 mask, from, to;
  guint64 bytes, most; /* bytes kept now, and at most */
} FaspRecent;

/* @most: bytes to keep. */
void fasp_recent_init (FaspRecent *recent, guint64 most);
void fasp_recent_clear (FaspRecent *recent);
/* Forgets all blocks. To be called when the next one does not follow. */
void fasp_recent_forget (FaspRecent *recent);
/* Adds @block of @source, which was delivered and follows the last one. */
void fasp_recent_add (FaspRecent *recent, FaspBlock *block, guint source);
/* Block @i, from `from' to before `to'. */
const FaspBlock *fasp_recent_nth (const FaspRecent *recent, guint64 i);

typedef enum
{
  FASP_RECENT_SAME,
  FASP_RECENT_DIFFERS,
  FASP_RECENT_GONE, /* none of the bytes is kept any more */
} FaspRecentResult;

/* The result of fasp_recent_compare(). */
typedef struct
{
  guint32 compared;    /* bytes */
  guint source;        /* with DIFFERS: the source of the kept bytes */
  FaspTime media_time; /* media time of the first byte compared, or of one a block earlier */
} FaspRecentFound;

/* Compares @size bytes at @offset with the kept ones. */
FaspRecentResult fasp_recent_compare (const FaspRecent *recent, guint64 offset, const guint8 *data,
    guint32 size, FaspRecentFound *found);

G_END_DECLS
