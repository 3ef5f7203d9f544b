/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsendbatch.h: datagrams that leave together.
 *
 * Those of one size to one address go to the kernel as one message, which the kernel or
 * the network card cuts (UDP_SEGMENT, Linux 4.18). Several messages go in one call
 * (sendmmsg). If the kernel does not cut, each datagram is a message. What is in a
 * batch may leave now: the caller keeps the pace. Each datagram leaves by the socket of
 * its address; those of one socket leave in order.
 *
 * A datagram that the network refuses is lost; that is no error. A full socket buffer
 * is waited for. If the sockets are of several networks, one must not hold up the others,
 * so a full buffer loses the datagram, too.
 */
#pragma once

#include "faspdatagram.h"

G_BEGIN_DECLS

/* Datagrams in a batch: at 1400 bytes each, three full messages, which are still in a processor's
 * cache after they were encrypted. */
#define FASP_SEND_BATCH 138

typedef struct _FaspSendBatch FaspSendBatch;

/* @fds: descriptors of non-blocking UDP sockets, not owned. @waits: keeps datagrams for which the
 * socket buffer has no room, rather than drop them. */
FaspSendBatch *fasp_send_batch_new (const gint *fds, guint n, gboolean waits);
void fasp_send_batch_free (FaspSendBatch *batch);

/* The next @room datagrams, to be filled in; NULL: the batch is full. */
FaspDatagram *fasp_send_batch_next (FaspSendBatch *batch, guint *room);
/* Adds the first @n of the datagrams that fasp_send_batch_next() returned. */
void fasp_send_batch_commit (FaspSendBatch *batch, guint n);
/* Sends the committed datagrams. FALSE: the kernel takes no more now; the rest leaves with the next
 * call. */
gboolean fasp_send_batch_flush (FaspSendBatch *batch);
/* The socket that takes no more now (wait for POLLOUT); -1: none. */
gint fasp_send_batch_get_blocked (const FaspSendBatch *batch);
/* Number of flushes in a row in which nothing could leave, counted up to 1000. */
guint fasp_send_batch_get_futile (const FaspSendBatch *batch);

/* errno with which a socket's last datagram was refused, and that socket; 0: there are no more.
 * Refusals because of the size, because no socket is there, and because a queue was full are left
 * out. */
gint fasp_send_batch_take_error (FaspSendBatch *batch, guint *number);

G_END_DECLS
