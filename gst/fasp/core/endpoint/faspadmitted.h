/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspadmitted.h: the callers that a listener has let in: which are half open, from which networks
 * they are, and by which call each came.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* Has its stream a name, that callers may have to give? */
gboolean fasp_admitted_has_name (const FaspEndpoint *endpoint);
void fasp_admitted_init (FaspEndpoint *endpoint);
void fasp_admitted_end (FaspEndpoint *endpoint);
/* @session is about to be removed: the same call would be a new one from now on. */
void fasp_admitted_forget (FaspEndpoint *endpoint, FaspSession *session);
/* Something came from the receiver of @session: it may have acknowledged something by now. */
void fasp_admitted_reports (FaspEndpoint *endpoint, FaspSession *session);
/* @session is no longer half open: it is open, or gone. */
void fasp_admitted_left (FaspEndpoint *endpoint, FaspSession *session);

G_END_DECLS
