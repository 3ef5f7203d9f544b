/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspreceivers.h: threads that receive beside those with timers.
 *
 * The links are dealt out: of T threads, the first waits for links 0, T, 2T, ..., and
 * each of the T - 1 others for those that follow. The first may have the timers, too;
 * then it is not made here. The threads call into the kernel in parallel, where most of
 * the cost is copying what has arrived. They take turns at the endpoint.
 */
#pragma once

#include "fasplinks.h"
#include "faspreceivebatch.h"

G_BEGIN_DECLS

typedef struct _FaspReceivers FaspReceivers;

/* Called from such a thread: @link can be read. The batch belongs to that thread. */
typedef void (*FaspReceiveFunc) (FaspReceiveBatch *batch, guint link, gpointer user_data);

/* The number of threads for @links. @wanted: 0: as the links and the processors allow
 * (half of these: the rest is the application's). */
guint fasp_receivers_choose (guint wanted, guint links, guint processors);
/* The links that @thread of @threads waits for, a bit each. */
guint64 fasp_receivers_get_share (guint thread, guint threads, guint links);

/* Starts all of @threads but the first @made, which is 0 or 1. @limit: bytes of memory
 * that the blocks of each may stay in. NULL: *error says what to do. */
FaspReceivers *fasp_receivers_new (FaspLinks *links, guint made, guint threads, gsize limit,
    FaspReceiveFunc receive, gpointer user_data, GError **error);
/* Ends the threads. Nothing that they use may be freed before. */
void fasp_receivers_stop (FaspReceivers *receivers);
void fasp_receivers_free (FaspReceivers *receivers);

G_END_DECLS
