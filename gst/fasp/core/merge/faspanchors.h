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
  gboolean repeats; /* the hash occurs at several places of the stream, so it identifies none */
} FaspAnchor;

/* The anchors of one stream. */
typedef struct
{
  guint64 hash;                       /* hash of the last 64 bytes */
  guint64 offset;                     /* behind the last byte */
  guint64 begun;                      /* bytes hashed since the last jump */
  FaspAnchor kept[FASP_ANCHORS_KEPT]; /* by the low bits of the hash; a later anchor overwrites an
                                         earlier one; offset 0: none yet */
} FaspAnchors;

FaspAnchors *fasp_anchors_new (void);
void fasp_anchors_free (FaspAnchors *anchors);
/* The next bytes are at @offset. If they do not follow the last ones, the hash begins anew. */
void fasp_anchors_begin (FaspAnchors *anchors, guint64 offset);
/* Hashes bytes up to the next anchor, stores the anchor, and moves *data and *size behind it.
 * FALSE: no anchor in these bytes.
 */
gboolean fasp_anchors_next (FaspAnchors *anchors, const guint8 **data, gsize *size,
    FaspAnchor *found);
/* The offset at which the stream has that hash. FALSE: no kept anchor has it, or it occurs several
 * times. */
gboolean fasp_anchors_find (const FaspAnchors *anchors, guint64 hash, guint64 *offset);

/* The difference between the offsets of the same bytes in two streams. */
typedef struct
{
  gint64 shift; /* offset in the first stream, less that in the second */
  guint same;   /* anchors in a row with this shift */
} FaspAlignment;

/* The same anchor is at @first in one stream, and at @second in the other. */
void fasp_alignment_note (FaspAlignment *alignment, guint64 first, guint64 second);
gboolean fasp_alignment_is_known (const FaspAlignment *alignment);

G_END_DECLS
