/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasptrace.h: a record of every datagram that carried a block, for who wants
 * to look at a stream from outside (the property `record').
 *
 * A ring of fixed size: what is not fetched in time is overwritten, oldest
 * first, and counted, so that a slow disk never holds up a stream.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

typedef struct
{
  FaspTime time;                /* it left, or arrived */
  FaspTime media_time;          /* sender's, when the block was written */
  guint64 block;
  guint32 session;
  guint16 full, payload;        /* bytes from the IP header up; of the stream */
  guint8 round, copy;           /* 0, 0: the original */
  gboolean fresh;               /* the first to leave, or that brought it */
} FaspTraceEntry;

typedef struct
{
  FaspTraceEntry *ring;         /* NULL: nothing is recorded */
  guint size;
  guint64 first, next;          /* entries [first, next) are here */
  guint64 lost;                 /* overwritten before they were fetched */
} FaspTrace;

/* @size: entries kept at most; 0: none, any more. */
void fasp_trace_set_size (FaspTrace * trace, guint size);
void fasp_trace_add (FaspTrace * trace, const FaspTraceEntry * entry);
/* Takes out up to @max of the oldest; how many there were. */
guint fasp_trace_fetch (FaspTrace * trace, FaspTraceEntry * entries,
    guint max);

G_END_DECLS
