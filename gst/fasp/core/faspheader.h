/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspheader.h: the header of a stream, bytes that its container cannot be read without
 * and that who joins in the middle has not had.
 *
 * The sender says it again in marks, in front of a unit that can be decoded without what
 * was before: where somebody has joined, and now and then.  Who has nothing of the stream
 * yet begins with it and what follows; for all others it is passed over, as any mark.
 */
#pragma once

#include "faspblock.h"

G_BEGIN_DECLS

/* Bytes of one, at most. */
#define FASP_HEADER_MAX (256 * 1024)

/* Where so many bytes of memory are for the stream: who waited for room for a larger one would do so
 * for ever. */
gsize fasp_header_get_most (guint64 buffer_size);

/* --- the sender's ------------------------------------------------------------- */

typedef struct
{
  GBytes *bytes;                /* NULL: the stream has none */
  gboolean wanted;              /* somebody may lack it */
  FaspTime may;                 /* not said before, if it is wanted, */
  FaspTime due;                 /* or if nobody is known to */
  FaspTime key_due;             /* when the next unit is marked, where each can be decoded alone */
  guint64 passed;               /* bytes of the stream since it was said, */
  guint64 end;                  /* before that block */
  guint64 gone;                 /* what is before that block needs one that there is no more */
} FaspHeader;

/* From now on it is this; takes a reference. NULL: none any more. */
void fasp_header_set (FaspHeader * header, FaspTime now, GBytes * bytes);
/* Another stream begins, whose it is, too. */
void fasp_header_renew (FaspHeader * header, FaspTime now);
void fasp_header_clear (FaspHeader * header);
/* Who has joined lacks it, if there is one. */
void fasp_header_want (FaspHeader * header);
/* Is it to be said in front of the unit that begins now?  @kept: units are kept for who
 * joins. */
gboolean fasp_header_is_due (const FaspHeader * header, FaspTime now,
    gboolean kept);
void fasp_header_said (FaspHeader * header, FaspTime now, guint64 end);

/* --- in marks ---------------------------------------------------------------- */

/* Index (2), count (2), and a kind (1) before them. */
#define FASP_HEADER_PART 5

/* How many marks it takes, of @room bytes each: one for none, which says so. */
guint fasp_header_count_parts (gsize size, guint32 room);
/* The mark of part @index of those; its size. */
guint32 fasp_header_write_part (guint8 * mark, guint32 room,
    const guint8 * bytes, gsize size, guint index);

/* --- the receiver's ----------------------------------------------------------- */

typedef struct
{
  GByteArray *bytes;            /* of the parts so far; NULL: none */
  guint next, count;
} FaspHeaderParts;

void fasp_header_parts_clear (FaspHeaderParts * parts);
/* The next block in order, if it is such a mark: one with FASP_BLOCK_HEADER and all of the
 * bytes when it was the last part; else NULL. */
FaspBlock *fasp_header_parts_take (FaspHeaderParts * parts,
    const FaspBlock * mark);

G_END_DECLS
