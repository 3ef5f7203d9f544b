/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspelsewhere.h: what the reader of a stream has from another of its sources, so that this
 * session need not bring it.
 *
 * A hole is passed over once the reader has all of its bytes: the block behind it says where it
 * begins (an OFFSET frame), and the reader has everything before that. This holds within one
 * segment of the sender (faspsegments.h) only: a mark in the hole might begin another stream.
 */
#pragma once

#include "faspposition.h"
#include "faspreorder.h"

G_BEGIN_DECLS

typedef struct
{
  FaspStreamOffset has;   /* known: the reader has all bytes before it */
  FaspTime recovery_time; /* µs: how long a lost block may still come from elsewhere, before the
                        sender hears of it */
  gboolean stands_by;     /* the sender is to send nothing, but to keep what the reader lacks */
} FaspElsewhere;

/* Does the reader have all bytes of @block, which was not taken yet? */
gboolean fasp_elsewhere_has (const FaspElsewhere *elsewhere, const FaspPosition *position,
    const FaspBlock *block);
/* Does the reader have all bytes of the first hole?  *number: the first block behind it. */
gboolean fasp_elsewhere_fills_hole (const FaspElsewhere *elsewhere, const FaspReorder *reorder,
    const FaspPosition *position, guint64 *number);

G_END_DECLS
