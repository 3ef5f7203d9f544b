/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsendbatch.h: datagrams that leave together.
 *
 * Those of one size to one address go to the kernel as one message that is cut
 * there or by the network card (UDP_SEGMENT, Linux 4.18), several messages in
 * one call (sendmmsg).  Where the kernel does not cut, each datagram is a
 * message.  What is in a batch may leave now: who fills it keeps the pace.  Each
 * goes by the link of its address; those of one link leave in their order.
 *
 * A send that the network refuses is a lost datagram, not an error; a full
 * socket buffer is waited for, or where links are of several networks, one of
 * which must not keep the others waiting, loses it, too.
 */
#pragma once

#include "faspendpoint.h"

G_BEGIN_DECLS

#define FASP_SEND_BATCH 138     /* datagrams: of 1400 bytes three messages that are full, and that
                                   a core's cache still holds when they have been summed up */

typedef struct _FaspSendBatch FaspSendBatch;

/* @fds: of each link a UDP socket that does not block; stay the caller's. @waits:
 * for a full socket. */
FaspSendBatch *fasp_send_batch_new (const gint * fds, guint n, gboolean waits);
void fasp_send_batch_free (FaspSendBatch * batch);

/* Room for the next datagram, NULL when the batch is full. */
FaspDatagram *fasp_send_batch_next (FaspSendBatch * batch);
/* It was filled in. */
void fasp_send_batch_commit (FaspSendBatch * batch);
/* Sends what was committed. FALSE: the kernel takes no more now; what is left
 * goes with the next call. */
gboolean fasp_send_batch_flush (FaspSendBatch * batch);
/* The link that takes no more now (wait for POLLOUT); -1: none. */
gint fasp_send_batch_get_blocked (const FaspSendBatch * batch);
/* How many flushes in a row nothing could leave by. */
guint fasp_send_batch_get_futile (const FaspSendBatch * batch);

/* errno of the last datagram of a link that the network refused for other reasons than its size,
 * that nobody listens, or that a queue was full, and that link; 0: there is none more. */
gint fasp_send_batch_take_error (FaspSendBatch * batch, guint * link);

G_END_DECLS
