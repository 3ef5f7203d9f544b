/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspadmitted.h: the callers that a listener has let in: which are half open, from which networks
 * they are, and by which call each came.
 */
#pragma once

#include "faspcallingprivate.h"

G_BEGIN_DECLS

/* Has the endpoint's stream a name, which callers may have to give? */
gboolean fasp_admitted_has_name (const FaspEndpoint *endpoint);
void fasp_admitted_init (FaspEndpointAdmitted *admitted, FaspEndpoint *endpoint);
void fasp_admitted_end (FaspEndpoint *endpoint);
/* @session is about to be removed: forgets its call, so that a repetition counts as a new call. */
void fasp_admitted_forget (FaspEndpoint *endpoint, FaspSession *session);
/* A datagram of the receiver of @session came: if it takes the stream by now, it is no newcomer any
 * more. */
void fasp_admitted_reports (FaspEndpoint *endpoint, FaspSession *session);
/* @session is no longer half open: it is open, or gone. */
void fasp_admitted_left (FaspEndpoint *endpoint, FaspSession *session);

G_END_DECLS
