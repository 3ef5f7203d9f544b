/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspposition.h: stream offsets: they identify a byte of a stream at all its senders.
 *
 * A stream has an origin: 16 random bytes, chosen by its first sender.  Each of its bytes has an
 * offset from the beginning.  A relay may divide the bytes into other blocks, but keeps origin and
 * offsets.  A receiver learns the stream offset of a session's first block in the handshake, and
 * counts from there.  Where bytes are missing, the sender sends the offset again: in a mark (a
 * block without bytes of the stream) if the sender never had the missing bytes; in a POSITION frame
 * if it gave them up.
 */
#pragma once

#include "faspblock.h"
#include "faspbytes.h"

G_BEGIN_DECLS

#define FASP_ORIGIN_SIZE 16
/* More than any stream's length; keeps offsets within a varint. */
#define FASP_OFFSET_MAX (G_GUINT64_CONSTANT (1) << 61)

typedef struct
{
  guint8 bytes[FASP_ORIGIN_SIZE];
} FaspOrigin;

/* A byte of a stream. */
typedef struct
{
  gboolean known; /* FALSE: neither the stream nor the offset is known */
  FaspOrigin origin;
  guint64 offset; /* bytes of the stream before it, or FASP_OFFSET_UNKNOWN */
} FaspStreamOffset;

gboolean fasp_origin_equal (const FaspOrigin *a, const FaspOrigin *b);
/* Are both of the same stream, with known offsets? */
gboolean fasp_stream_offset_is_comparable (const FaspStreamOffset *a, const FaspStreamOffset *b);
/* Returns @offset, which a peer or the application gave, or FASP_OFFSET_UNKNOWN if it exceeds
 * FASP_OFFSET_MAX. */
guint64 fasp_offset_check (guint64 offset);

/* As in marks, frames and the handshake: origin and offset. */
#define FASP_STREAM_OFFSET_SIZE (FASP_ORIGIN_SIZE + 8)
void fasp_stream_offset_read (FaspReader *r, FaspStreamOffset *position);
void fasp_stream_offset_write (FaspWriter *w, const FaspStreamOffset *position);

/* --- what a receiver asks for -------------------------------------------------- */

typedef enum
{
  FASP_JOIN_ANY = 0,       /* the sender chooses */
  FASP_JOIN_LIVE = 1,      /* blocks written from now on */
  FASP_JOIN_KEY_FRAME = 2, /* from the newest key frame on */
  FASP_JOIN_BACK = 3,      /* blocks written in the last `back_ms' */
} FaspJoin;

typedef struct
{
  FaspJoin join;
  guint32 back_ms;
  FaspStreamOffset from; /* takes precedence: the receiver has all bytes before it */
  gboolean offsets;      /* TRUE: the sender is to send the offset of each block, as the receiver
                            has other sources, too */
} FaspWants;

/* --- marks --------------------------------------------------------------------- */

typedef enum
{
  FASP_MARK_UNKNOWN = 0,   /* the end of the stream, or an unknown kind; ignored */
  FASP_MARK_POSITION = 1,  /* the stream offset of the next byte */
  FASP_MARK_KEY_FRAME = 2, /* a key frame begins: it can be decoded without the bytes before */
  FASP_MARK_HEADER = 3,    /* a part of the stream's header: faspstreamheader.h */
  FASP_MARK_CAPTURE = 4,   /* a capture time: faspcapture.h reads it */
} FaspMark;

#define FASP_MARK_SIZE (1 + FASP_STREAM_OFFSET_SIZE)

void fasp_mark_write (guint8 mark[FASP_MARK_SIZE], const FaspStreamOffset *position);
/* Fills in @position if the mark is FASP_MARK_POSITION. */
FaspMark fasp_mark_read (const guint8 *data, guint32 size, FaspStreamOffset *position);

/* --- the stream offsets of a session's blocks ------------------------------------------ */

#define FASP_POSITION_ANNOUNCED 16 /* most stream offsets of later blocks that are kept */

/* Gives blocks their stream offsets when they are taken in order. */
typedef struct
{
  FaspStreamOffset next; /* stream offset of the next block */
  struct
  {
    guint64 number;
    FaspStreamOffset start;
  } announced[FASP_POSITION_ANNOUNCED]; /* from POSITION frames; block numbers rise */
  guint n_announced;
  guint16 segment; /* segment of the block taken last, or FASP_SEGMENT_UNKNOWN */
  gboolean key;    /* a key frame begins with the next byte */
} FaspPosition;

void fasp_position_init (FaspPosition *position, const FaspStreamOffset *first);
/* A POSITION frame: block @number begins at @start.  Ignored if @number is below @next, the block
 * that is taken next. */
void fasp_position_announce (FaspPosition *position, guint64 next, guint64 number,
    const FaspStreamOffset *start);
/* Is block @number known to begin at @limit, or before that in the same stream? */
gboolean fasp_position_is_before (const FaspPosition *position, guint64 number,
    const FaspStreamOffset *limit);
/* Is a block from the next one on known to begin at @limit, or before that in the same stream? */
gboolean fasp_position_is_any_before (const FaspPosition *position, const FaspStreamOffset *limit);
/* The stream offset of @block, which was not taken yet, from the low bits in it;
 * FASP_OFFSET_UNKNOWN: it has none, or it is not in the segment of the block taken last. */
guint64 fasp_position_widen (const FaspPosition *position, const FaspBlock *block);
/* Takes the next block and fills in its offset.  FALSE: the block is a mark. */
gboolean fasp_position_take (FaspPosition *position, FaspBlock *block);

/* --- delivered bytes, and the next ones ------------------------------------------------- */

typedef enum
{
  FASP_STREAM_OFFSET_FOLLOWS,  /* follows the delivered bytes, nothing missing */
  FASP_STREAM_OFFSET_ANEW,     /* bytes are missing, or it is another stream */
  FASP_STREAM_OFFSET_OVERLAPS, /* some of it was delivered before */
  FASP_STREAM_OFFSET_OLD,      /* all of it was delivered before */
} FaspStreamOffsetOrder;

/* Compares @size bytes at @first with @end, the end of the delivered bytes.  *bytes: how many bytes
 * are missing between (0: not known), or were delivered already. */
FaspStreamOffsetOrder fasp_stream_offset_compare (const FaspStreamOffset *end,
    const FaspStreamOffset *first, guint32 size, guint64 *bytes);
/* Returns the block without its first @bytes, which must be less than its size; takes over
 * the reference. */
FaspBlock *fasp_block_cut (FaspBlock *block, guint32 bytes);

G_END_DECLS
