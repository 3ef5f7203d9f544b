/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayset.h: all streams, and what a new configuration does to them.
 *
 * A stream that has not changed goes on.  Streams that the configuration no longer has, or that
 * have to begin anew, stop first, all at once.  When the last of these has released its ports, new
 * streams start.
 */
#pragma once

#include "relaystream.h"

G_BEGIN_DECLS

typedef struct _RelaySet RelaySet;

/* @settled: called from the main context when all streams that relay_set_apply() or _stop() had to
 * stop have stopped; within these functions if there were none. */
RelaySet *relay_set_new (void (*settled) (gpointer data), gpointer data);
void relay_set_free (RelaySet *set);

/* Must not be called before the last change has settled. */
void relay_set_apply (RelaySet *set, const RelayConfig *config);
/* Stops all streams, for good. May be called at any time. */
void relay_set_stop (RelaySet *set);

/* Returns all streams (RelayStream), in any order. May be called from any thread. */
GPtrArray *relay_set_list (RelaySet *set);

/* Returns a new reference; NULL: there is no stream of that name.  May be called from any thread.
 */
RelayStream *relay_set_find (RelaySet *set, const gchar *name);

G_END_DECLS
