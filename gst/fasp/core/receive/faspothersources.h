/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspothersources.h: the bytes that the reader of a stream has from its other sources, so that
 * this session need not bring them.
 *
 * The receiver passes over a hole once the reader has all of its bytes: the block behind the hole
 * has a stream offset (OFFSET frame), and the reader has all bytes before it. This holds within one
 * segment of the sender (faspsegments.h) only: a mark in the hole might begin another stream.
 */
#pragma once

#include "faspposition.h"
#include "faspreorder.h"

G_BEGIN_DECLS

typedef struct
{
  FaspStreamOffset has;   /* the reader has all bytes before it, if it is known */
  FaspTime recovery_time; /* µs: how long the receiver waits for other sources to bring a lost block
                             before it reports the loss */
  gboolean stands_by;     /* the sender must send nothing, but keep the bytes that the reader
                             lacks */
} FaspOtherSources;

/* Does the reader have all bytes of @block, which was not taken yet? */
gboolean fasp_other_sources_has (const FaspOtherSources *others, const FaspPosition *position,
    const FaspBlock *block);
/* Does the reader have all bytes of the first hole?  *number: the first block behind it. */
gboolean fasp_other_sources_fills_hole (const FaspOtherSources *others, const FaspReorder *reorder,
    const FaspPosition *position, guint64 *number);

G_END_DECLS
