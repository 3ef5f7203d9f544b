/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspreceivebatch.h: datagrams that have come together.
 *
 * Several messages in one call (recvmmsg), each of which is a datagram or, where
 * the kernel joins them (UDP_GRO, Linux 5.0), several of one size from one
 * address.  Of many that were joined the blocks stay in the memory they came
 * into (faspchunk.h).
 */
#pragma once

#include "faspendpoint.h"

G_BEGIN_DECLS

#define FASP_RECEIVE_BATCH 32   /* messages, of so many bytes together or a little more: who */
#define FASP_RECEIVE_BYTES (256 << 10)  /* sums them up is to find them in a core's cache */

typedef struct _FaspReceiveBatch FaspReceiveBatch;

/* @limit: bytes of memory at most that blocks may stay in. */
FaspReceiveBatch *fasp_receive_batch_new (gsize limit);
void fasp_receive_batch_free (FaspReceiveBatch * batch);

/* Takes what has come in. FALSE: there may be more. @fd: a UDP socket that does
 * not block, with UDP_GRO as far as the kernel has it, and that tells the type of service. */
gboolean fasp_receive_batch_fill (FaspReceiveBatch * batch, gint fd);
/* The next datagram of it, @marked: congestion experienced; valid until the next fill, or as long as the caller
 * has a reference to @memory, if that is not NULL. NULL: that was all. */
const guint8 *fasp_receive_batch_next (FaspReceiveBatch * batch, gsize * size,
    FaspAddress * from, FaspMemory ** memory, gboolean * marked);
/* errno of what the kernel refuses again and again, once; else 0. */
gint fasp_receive_batch_take_error (FaspReceiveBatch * batch);

G_END_DECLS
