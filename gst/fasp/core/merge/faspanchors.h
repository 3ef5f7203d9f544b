/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspanchors.h: where the same bytes are in two streams that count them from different beginnings.
 *
 * Content-defined anchors (Muthitacharoen, Chen, Mazières: A Low-bandwidth Network File System,
 * SOSP 2001): a place is an anchor if a hash of the 64 bytes before it begins with zeros.  So the
 * same bytes have the same anchors wherever a stream begins, and whatever blocks it is cut into.
 * The hash is a gear hash (Xia et al.: FastCDC, USENIX ATC 2016).
 *
 * Two streams are aligned once several anchors in a row are in both at the same distance.  Only
 * those count that are once in either, as in a patience diff (Cohen, 2008): the tables of a
 * transport stream come again and again, and are the same in streams that are not.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define FASP_ANCHORS_KEPT 16384 /* about 64 MB of a stream */

typedef struct
{
  guint64 hash;
  guint64 offset;   /* behind the bytes that were hashed */
  gboolean repeats; /* it is at several places of the stream: it says of none which one it is */
} FaspAnchor;

/* The anchors of one stream. */
typedef struct
{
  guint64 hash;                       /* of the last 64 bytes */
  guint64 offset;                     /* behind the last byte */
  guint64 begun;                      /* bytes in a row so far */
  FaspAnchor kept[FASP_ANCHORS_KEPT]; /* by hash; a later one takes the place of an earlier one */
} FaspAnchors;

FaspAnchors *fasp_anchors_new (void);
void fasp_anchors_free (FaspAnchors *anchors);
/* Bytes at @offset come next; if they do not follow the last ones, the hash begins anew. */
void fasp_anchors_begin (FaspAnchors *anchors, guint64 offset);
/* Takes bytes up to the next anchor, which it notes; moves *data and *size.  FALSE: there is none.
 */
gboolean fasp_anchors_next (FaspAnchors *anchors, const guint8 **data, gsize *size,
    FaspAnchor *found);
/* Where the stream has that hash; FALSE: nowhere, as far as is kept, or at several places. */
gboolean fasp_anchors_find (const FaspAnchors *anchors, guint64 hash, guint64 *offset);

/* How far apart two streams count the same bytes, as far as is known. */
typedef struct
{
  gint64 shift; /* to be added to the offsets of the second, to get those of the first */
  guint same;   /* anchors in a row that say so */
} FaspAlignment;

/* An anchor is in both.  TRUE: they are aligned, by now. */
gboolean fasp_alignment_note (FaspAlignment *alignment, guint64 first, guint64 second);
gboolean fasp_alignment_is_known (const FaspAlignment *alignment);

G_END_DECLS
