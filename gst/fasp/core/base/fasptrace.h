/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasptrace.h: a record of every datagram that carried a block, to analyse a stream
 * from outside (property `record').
 *
 * A ring of fixed size. Entries that are not fetched in time are overwritten, oldest
 * first, and counted. So a slow disk never holds up a stream.
 */
#pragma once

#include "fasplossyring.h"
#include "fasptypes.h"

G_BEGIN_DECLS

typedef struct
{
  FaspTime time;       /* when it left or arrived */
  FaspTime media_time; /* the sender's media time when the block was written */
  guint64 block;
  guint32 session;
  guint16 full, payload; /* bytes, IP header included; bytes of the stream */
  guint8 round, copy;    /* 0, 0: the original */
  gboolean fresh;        /* sender: not a retransmission; receiver: it brought the block */
} FaspTraceEntry;

typedef struct
{
  FaspTraceEntry *entries; /* NULL: nothing is recorded */
  FaspLossyRing ring;
} FaspTrace;

/* @size: entries kept at most; 0: stops recording. */
void fasp_trace_set_size (FaspTrace *trace, guint size);
/* Inlined, so that an entry is made only if it is recorded. */
static inline void
fasp_trace_add (FaspTrace *trace, const FaspTraceEntry *entry)
{
  if (trace->entries != NULL)
    trace->entries[fasp_lossy_ring_push (&trace->ring)] = *entry;
}
/* Takes out up to @max entries, oldest first; returns how many. */
guint fasp_trace_fetch (FaspTrace *trace, FaspTraceEntry *entries, guint max);

G_END_DECLS
