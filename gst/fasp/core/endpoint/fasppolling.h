/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasppolling.h: what leaves, lane by lane: which session is polled next, and when to poll again.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* Notes that the endpoint is called.  To be called before @now is used for anything: if our
 * process stood still, the time since the last call is not the peers' silence, and deadlines
 * are put off by it. */
void fasp_polling_look (FaspEndpoint *endpoint, FaspTime now);

G_END_DECLS
