/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspposition.h: where bytes stand in the stream, whoever sends them.
 *
 * A stream has an origin, 16 random bytes of who wrote it first, and each of its
 * bytes an offset from its beginning.  Relays cut other blocks of the same
 * bytes; origin and offset stay.  A receiver learns where the first block of a session
 * stands in the handshake and counts from there.  Where bytes are missing it is
 * told anew: in a mark, a block without bytes of the stream, by whom they were
 * missing already; in a POSITION frame, by whom they are given up.
 */
#pragma once

#include "faspblock.h"

G_BEGIN_DECLS

#define FASP_ORIGIN_SIZE 16
/* No stream gets that far; keeps offsets within a varint. */
#define FASP_OFFSET_MAX (G_GUINT64_CONSTANT (1) << 61)

typedef struct
{
  guint8 bytes[FASP_ORIGIN_SIZE];
} FaspOrigin;

/* A byte of a stream. */
typedef struct
{
  gboolean known;               /* which stream; else nothing is */
  FaspOrigin origin;
  guint64 offset;               /* or FASP_OFFSET_UNKNOWN */
} FaspPlace;

gboolean fasp_origin_equal (const FaspOrigin * a, const FaspOrigin * b);
/* Of the same stream, both offsets known. */
gboolean fasp_place_is_comparable (const FaspPlace * a, const FaspPlace * b);
/* Of an offset from somewhere else: at most FASP_OFFSET_MAX, or unknown. */
guint64 fasp_offset_check (guint64 offset);

/* --- what a receiver wants -------------------------------------------------- */

typedef enum
{
  FASP_JOIN_ANY = 0,            /* as the sender likes */
  FASP_JOIN_LIVE = 1,           /* what is written from now on */
  FASP_JOIN_KEY_FRAME = 2,      /* from the newest key frame on */
  FASP_JOIN_BACK = 3,           /* what was written in the last `back_ms' */
} FaspJoin;

typedef struct
{
  FaspJoin join;
  guint32 back_ms;
  FaspPlace from;               /* before all that: it has the bytes below */
} FaspWants;

/* --- marks --------------------------------------------------------------------- */

typedef enum
{
  FASP_MARK_UNKNOWN = 0,        /* the end, or not known here: passed over */
  FASP_MARK_POSITION = 1,       /* what follows is there */
  FASP_MARK_KEY_FRAME = 2,      /* what follows can be decoded without what was before */
  FASP_MARK_HEADER = 3,         /* a part of the stream's header: faspheader.h */
} FaspMark;

#define FASP_MARK_SIZE (1 + FASP_ORIGIN_SIZE + 8)

void fasp_mark_write (guint8 mark[FASP_MARK_SIZE], const FaspPlace * place);
/* @place: filled in where it is one of position. */
FaspMark fasp_mark_read (const guint8 * data, guint32 size,
    FaspPlace * place);

/* --- a session's -------------------------------------------------------------------- */

#define FASP_POSITION_TOLD 16   /* positions of blocks to come, at most */

/* The next block's, as they are taken in order. */
typedef struct
{
  FaspPlace next;
  struct
  {
    guint64 number;
    FaspPlace place;
  } told[FASP_POSITION_TOLD];   /* by number, rising */
  guint n_told;
  gboolean key;                 /* a key frame begins with the next byte */
} FaspPosition;

void fasp_position_init (FaspPosition * position, const FaspPlace * first);
/* Block @number, which is not before @next, begins there. */
void fasp_position_told (FaspPosition * position, guint64 next,
    guint64 number, const FaspPlace * place);
/* The next block is taken: its offset is filled in.  FALSE: it was a mark. */
gboolean fasp_position_take (FaspPosition * position, FaspBlock * block);

/* --- the application's ----------------------------------------------------------------- */

typedef enum
{
  FASP_STAND_FOLLOWS,           /* on what was delivered before, nothing missing */
  FASP_STAND_ANEW,              /* bytes are missing, or it is another stream */
  FASP_STAND_OVERLAPS,          /* some of it was delivered before */
  FASP_STAND_OLD,               /* all of it was */
} FaspStandResult;

/* @stand: what was delivered ends there; @first: @size bytes are there. *bytes: how
 * many are missing before (0: not known) or were delivered. */
FaspStandResult fasp_stand_compare (const FaspPlace * stand,
    const FaspPlace * first, guint32 size, guint64 * bytes);
/* The block without its first @bytes, of which there are more; takes it. */
FaspBlock *fasp_block_cut (FaspBlock * block, guint32 bytes);

G_END_DECLS
