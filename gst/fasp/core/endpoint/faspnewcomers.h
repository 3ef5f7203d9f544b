/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspnewcomers.h: the receivers of a listening sender that have acknowledged nothing yet, by their
 * network.  When there is no room for one more receiver, the oldest one of the network that has the
 * most of them gives way: a network that fills the places loses its own.
 *
 * Each call costs O(log n) in the number of networks.
 */
#pragma once

#include "faspheap.h"
#include "faspsessionrecord.h"

G_BEGIN_DECLS

typedef struct _FaspNewcomers FaspNewcomers;

FaspNewcomers *fasp_newcomers_new (void);
void fasp_newcomers_free (FaspNewcomers *newcomers);
/* Adds @session, by its network (session->record->network). */
void fasp_newcomers_add (FaspNewcomers *newcomers, FaspSession *session);
/* @session takes the stream, or is over. Does nothing if it is no newcomer. */
void fasp_newcomers_remove (FaspNewcomers *newcomers, FaspSession *session);
/* The session that gives way to a new one; NULL: there is none. */
FaspSession *fasp_newcomers_choose (const FaspNewcomers *newcomers);
/* The session of @network that gives way to a new one; NULL: there is none. */
FaspSession *fasp_newcomers_choose_of (const FaspNewcomers *newcomers, guint64 network);
/* Is @session the only newcomer of its network? */
gboolean fasp_newcomers_is_alone (const FaspNewcomers *newcomers, const FaspSession *session);

G_END_DECLS
