/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasplifecycle.h: the life of an endpoint's sessions, and the events about it.  A session that has
 * begun (faspbeginning.h) may be interrupted and heard again, and ends.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* A datagram of the session's peer has come. */
void fasp_lifecycle_heard (FaspEndpoint *endpoint, FaspSession *session);
/* Another session replaces @session. */
void fasp_lifecycle_replaced (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* Ends the session for the application.  The session stays until its last CLOSE has left. */
void fasp_lifecycle_leave (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* Runs the session's timers. FALSE: the caller must remove it. */
gboolean fasp_lifecycle_run_due (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* Removes the session from the endpoint and frees it. */
void fasp_lifecycle_remove (FaspEndpoint *endpoint, FaspSession *session);

G_END_DECLS
