/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayasking.h: has the server of auth-url decide about a request that relayadmission.h leaves
 * open.
 *
 * The question is that of MediaMTX: it has neither the path nor the stream of the request, so the
 * answer is the same for each path, and is kept.  What the client may do is decided by its role.
 * Until it says yes, the request counts as a guess, also if there is no answer: the credentials may
 * be a guess at a token of this relay.
 */
#pragma once

#include "relayadmission.h"

G_BEGIN_DECLS

/* In the main context.  The request goes on, now or later. */
void relay_asking_ask (RelayAdmission *admission, RelayRequest *request, const RelayAsk *ask);

G_END_DECLS
