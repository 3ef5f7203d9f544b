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
  guint source;     /* that it came from */
} FaspRecentBlock;

typedef struct
{
  FaspRecentBlock *ring; /* block i at i & mask; offsets rise */
  guint64 mask, from, to;
  guint64 bytes, most; /* that are kept, and are to be */
} FaspRecent;

/* @most: bytes to keep. */
void fasp_recent_init (FaspRecent *recent, guint64 most);
void fasp_recent_clear (FaspRecent *recent);
/* Forgets all: what comes next does not follow. */
void fasp_recent_forget (FaspRecent *recent);
/* @block of @source, which follows the last one, was delivered. */
void fasp_recent_add (FaspRecent *recent, FaspBlock *block, guint source);
/* Block @i, from `from' to before `to'. */
const FaspBlock *fasp_recent_nth (const FaspRecent *recent, guint64 i);

typedef enum
{
  FASP_RECENT_SAME,
  FASP_RECENT_DIFFERS,
  FASP_RECENT_GONE, /* nothing of it is kept any more */
} FaspRecentResult;

/* What was found. */
typedef struct
{
  guint32 compared;    /* bytes */
  guint source;        /* where the bytes came from that differ */
  FaspTime media_time; /* of the first byte that was compared, or of one a block before it */
} FaspRecentFound;

/* Compares @size bytes at @offset, as far as they are kept. */
FaspRecentResult fasp_recent_compare (const FaspRecent *recent, guint64 offset, const guint8 *data,
    guint32 size, FaspRecentFound *found);

G_END_DECLS
