/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppolling.h: what leaves, lane by lane: which session is polled next, and when to poll again.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* To be called first by each function of the endpoint that gets @now. If the process stood still
 * since the last call, this time does not count as silence of the peers, and deadlines are put off
 * by it. */
void fasp_polling_note_call (FaspEndpoint *endpoint, FaspTime now);

G_END_DECLS
