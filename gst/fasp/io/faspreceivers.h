/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspreceivers.h: threads that receive beside those that have timers.
 *
 * The links are dealt out: of T threads the first waits for links 0, T, 2T, ...,
 * and each of the T - 1 others for those that follow.  The first may have the timers,
 * too, and is not made here then.  What a call into the kernel costs, most of it the copying
 * of what has come, they do at the same time; the endpoint they have in turn.
 */
#pragma once

#include "fasplinks.h"
#include "faspreceivebatch.h"

G_BEGIN_DECLS

typedef struct _FaspReceivers FaspReceivers;

/* From such a thread: @link can be read, with a batch that is that thread's. */
typedef void (*FaspReceiveFunc) (FaspReceiveBatch * batch, guint link,
    gpointer user_data);

/* How many threads there are to be of @wanted for @links; 0: as many as the links
 * and the processors (half of them: the rest is the application's) are for. */
guint fasp_receivers_choose (guint wanted, guint links, guint processors);
/* A bit for each link that @thread of @threads waits for. */
guint64 fasp_receivers_get_share (guint thread, guint threads, guint links);

/* Starts @threads threads but for the first @made, 0 or 1. @limit: bytes of memory that the blocks of each may
 * stay in. NULL and *error: what to do. */
FaspReceivers *fasp_receivers_new (FaspLinks * links, guint made,
    guint threads, gsize limit, FaspReceiveFunc receive, gpointer user_data, GError ** error);
/* Ends them, without which nothing that they use may be freed. */
void fasp_receivers_stop (FaspReceivers * receivers);
void fasp_receivers_free (FaspReceivers * receivers);

G_END_DECLS
