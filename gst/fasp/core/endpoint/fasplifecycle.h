/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasplifecycle.h: the life of an endpoint's sessions, and the events about it.  A session that has
 * begun (faspbeginning.h) may be interrupted and heard again, and ends.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* Something has come from its peer. */
void fasp_lifecycle_heard (FaspEndpoint *endpoint, FaspSession *session);
/* If the session is interrupted, and we may, calls to find out whether the peer still knows us, or
 * has started anew. */
void fasp_lifecycle_seek (FaspEndpoint *endpoint, FaspTime now);
/* Another session replaces it. */
void fasp_lifecycle_replaced (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* The session is over for the application.  It stays until its goodbye is done. */
void fasp_lifecycle_leave (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* Runs its timers.  FALSE: the caller must remove it. */
gboolean fasp_lifecycle_run_due (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* Removes it from the endpoint and frees it. */
void fasp_lifecycle_remove (FaspEndpoint *endpoint, FaspSession *session);

G_END_DECLS
