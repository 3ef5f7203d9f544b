/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayset.h: all streams, and how they follow a new configuration.
 *
 * Unchanged streams are not touched.  Streams that are gone, or have to begin anew, are
 * stopped first, all at once.  When the last of these has released its port, new streams
 * are started.
 */
#pragma once

#include "relaystream.h"

G_BEGIN_DECLS

typedef struct _RelaySet RelaySet;

/* @settled: called from the main context each time that all streams have stopped which
 * relay_set_apply or _stop had to stop.  It is called within these functions if none had to. */
RelaySet *relay_set_new (void (*settled) (gpointer data), gpointer data);
void relay_set_free (RelaySet *set);

/* Do not call this before the last change has settled. @reloads: sources that the configuration
 * names are to lead (again), also those of streams that have not changed. */
void relay_set_apply (RelaySet *set, const RelayConfig *config, gboolean reloads);
/* Stops all streams, for good. May be called at any time. */
void relay_set_stop (RelaySet *set);

/* Returns all streams (RelayStream), in any order. May be called from any thread. */
GPtrArray *relay_set_list (RelaySet *set);

/* NULL: there is none of that name. Free with relay_stream_unref(). Called from any thread. */
RelayStream *relay_set_find (RelaySet *set, const gchar *name);

G_END_DECLS
