/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspblock.h: a block, one datagram's payload of the stream.
 *
 * Immutable once sealed, reference counted with atomics because blocks leave
 * the core towards other threads (a GstMemory may hold the last reference).
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

enum
{
  FASP_BLOCK_EOS = 1 << 0,      /* the stream ends here; no payload */
  FASP_BLOCK_DISCONT = 1 << 1,  /* bytes are missing before this (local) */
};

typedef struct
{
  gint refs;                    /* atomic */
  guint8 flags;
  guint8 round;                 /* receiver: rex round it arrived in */
  guint32 size;                 /* payload bytes used */
  guint32 capacity;             /* payload bytes allocated */
  guint64 number;
  FaspTime media_time;          /* sender's media time */
  FaspTime arrival;             /* receiver: when it was complete; sender: when
                                   its first byte was written */
  guint8 data[];
} FaspBlock;

FaspBlock *fasp_block_new (guint32 capacity);
FaspBlock *fasp_block_ref (FaspBlock * block);
void fasp_block_unref (FaspBlock * block);

G_END_DECLS
