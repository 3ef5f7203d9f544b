/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspreceivebatch.h: datagrams that have arrived together.
 *
 * One call takes several messages (recvmmsg). Each is a datagram or, where the kernel
 * joins them (UDP_GRO, Linux 5.0), several of one size from one address. If many were
 * joined, their blocks stay in the memory that they arrived in (faspchunk.h).
 */
#pragma once

#include "faspblock.h"

G_BEGIN_DECLS

#define FASP_RECEIVE_BATCH 32 /* messages in a batch, at most */
/* Bytes in a batch, or a little more: they should still be in the core's cache when they are
 * decrypted. */
#define FASP_RECEIVE_BYTES (256 << 10)

typedef struct _FaspReceiveBatch FaspReceiveBatch;

/* @limit: bytes of memory that blocks may stay in. */
FaspReceiveBatch *fasp_receive_batch_new (gsize limit);
void fasp_receive_batch_free (FaspReceiveBatch *batch);

/* Receives datagrams, up to a batch. FALSE: there may be more. @fd: a non-blocking UDP socket that
 * reports the type of service, with UDP_GRO if the kernel has it. */
gboolean fasp_receive_batch_fill (FaspReceiveBatch *batch, gint fd);
/* The next datagram of the batch; NULL: that was all. It is valid until the next fill,
 * or as long as the caller has a reference to @memory, if that is not NULL. @marked:
 * congestion experienced. */
const guint8 *fasp_receive_batch_next (FaspReceiveBatch *batch, gsize *size, FaspAddress *from,
    FaspMemory **memory, gboolean *marked);
/* errno if the kernel refuses persistently to hand over datagrams, returned once; else 0. */
gint fasp_receive_batch_take_error (FaspReceiveBatch *batch);

G_END_DECLS
