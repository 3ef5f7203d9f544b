/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspreceivers.h: threads that receive beside those with timers.
 *
 * The sockets are dealt out: of T threads, the first waits for sockets 0, T, 2T, ..., and
 * each of the T - 1 others for those that follow. The first may have the timers, too;
 * then it is not made here. The threads call into the kernel in parallel, where most of
 * the cost is copying what has arrived. They take turns at the endpoint.
 */
#pragma once

#include "faspsockets.h"
#include "faspreceivebatch.h"

G_BEGIN_DECLS

typedef struct _FaspReceivers FaspReceivers;

/* Called by a receiving thread when socket @number can be read. The batch belongs to that thread.
 */
typedef void (*FaspReceiveFunc) (FaspReceiveBatch *batch, guint number, gpointer user_data);

/* The number of receiving threads. @wanted: 0: as many as sockets, but at most half of the
 * processors; the rest is for the application. */
guint fasp_receivers_choose (guint wanted, guint sockets, guint processors);
/* The sockets that thread number @thread of @threads receives from, a bit each. */
guint64 fasp_receivers_get_share (guint thread, guint threads, guint sockets);

/* Starts @threads threads, less @made (0 or 1), which the caller has itself. @limit: bytes of
 * memory per thread that blocks may stay in. NULL: *error says what to do. */
FaspReceivers *fasp_receivers_new (FaspSockets *sockets, guint made, guint threads, gsize limit,
    FaspReceiveFunc receive, gpointer user_data, GError **error);
/* Ends the threads. To be called before anything that they use is freed. */
void fasp_receivers_stop (FaspReceivers *receivers);
void fasp_receivers_free (FaspReceivers *receivers);

G_END_DECLS
