/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspstreamheader.h: the header of a stream: bytes without which its container cannot be read,
 * and which a receiver that joins in the middle has missed.
 *
 * The sender repeats the header in marks, in front of a unit that can be decoded without the ones
 * before: after a receiver has joined, and at long intervals.  A receiver that has no bytes of the
 * stream yet begins with the header and the bytes behind it; others ignore it, like any mark.
 */
#pragma once

#include "faspblock.h"

G_BEGIN_DECLS

#define FASP_STREAM_HEADER_MAX (256 * 1024) /* bytes */

/* The largest header for a store of @buffer_size bytes: a larger one might never find room. */
gsize fasp_stream_header_get_most (guint64 buffer_size);

/* --- at the sender ------------------------------------------------------------ */

typedef struct
{
  GBytes *bytes;    /* owned; NULL: the stream has no header */
  gboolean wanted;  /* a receiver may lack it */
  FaspTime may;     /* earliest time to repeat it while it is wanted */
  FaspTime due;     /* earliest time to repeat it while no receiver is known to lack it */
  FaspTime key_due; /* if every unit can be decoded alone: when to mark the next one */
  guint64 passed;   /* bytes of the stream since the header was last sent */
  guint64 end;      /* the block behind the header when it was last sent */
  guint64 gone;     /* blocks below need an older header, which is not kept */
  guint64 since;    /* blocks below were written before there was a header */
} FaspStreamHeader;

/* Sets the header and takes a reference to it.  NULL: the stream has no header. */
void fasp_stream_header_set (FaspStreamHeader *header, FaspTime now, GBytes *bytes);
/* Another stream begins, with the same header. */
void fasp_stream_header_renew (FaspStreamHeader *header, FaspTime now);
void fasp_stream_header_clear (FaspStreamHeader *header);
/* A receiver has joined and lacks the header, if there is one. */
void fasp_stream_header_want (FaspStreamHeader *header);
/* Must the header go in front of the unit that begins now?  @kept: units are kept for
 * receivers that join. */
gboolean fasp_stream_header_is_due (const FaspStreamHeader *header, FaspTime now, gboolean kept);
void fasp_stream_header_was_written (FaspStreamHeader *header, FaspTime now, guint64 end);

/* --- in marks ---------------------------------------------------------------- */

/* Bytes before the header's in a mark: kind (1), index (2), count (2). */
#define FASP_STREAM_HEADER_PART 5

/* The number of marks of @room bytes that a header of @size bytes takes.  One mark for size 0,
 * which says that there is no header. */
guint fasp_stream_header_count_parts (gsize size, guint32 room);
/* Writes the mark of part @index and returns its size. */
guint32 fasp_stream_header_write_part (guint8 *mark, guint32 room, const guint8 *bytes, gsize size,
    guint index);

/* --- at the receiver ---------------------------------------------------------- */

typedef struct
{
  GByteArray *bytes; /* the parts received so far; NULL: none */
  guint next, count; /* index of the next part, and how many there are */
} FaspStreamHeaderParts;

void fasp_stream_header_parts_clear (FaspStreamHeaderParts *parts);
/* Takes the next mark in order.  If it is the last part of a header, returns a block of all its
 * bytes with FASP_BLOCK_HEADER; else NULL. */
FaspBlock *fasp_stream_header_parts_take (FaspStreamHeaderParts *parts, const FaspBlock *mark);

G_END_DECLS
