/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayset.h: all streams, and how they follow a new configuration.
 *
 * What is the same is not touched.  What is gone or has to begin anew is stopped first,
 * all at once; when the last of these has let go of its port, what is new is started.
 */
#pragma once

#include "relaystream.h"

G_BEGIN_DECLS

typedef struct _RelaySet RelaySet;

/* @settled: called from the main context each time the last stream has stopped that
 * relay_set_apply or _stop has stopped; within them, if none has to be. */
RelaySet *relay_set_new (void (*settled) (gpointer data), gpointer data);
void relay_set_free (RelaySet * set);

/* Not before the last one has settled. */
void relay_set_apply (RelaySet * set, const RelayConfig * config);
/* All of them, for good; at any time. */
void relay_set_stop (RelaySet * set);

/* From any thread: those that there are (RelayStream), in any order. */
GPtrArray *relay_set_list (RelaySet * set);

G_END_DECLS
