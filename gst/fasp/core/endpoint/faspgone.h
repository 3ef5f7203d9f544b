/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspgone.h: the figures of a session, which the application may ask for when the session is gone,
 * too.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

typedef struct _FaspGone FaspGone;

FaspGone *fasp_gone_new (void);
void fasp_gone_free (FaspGone *gone);
/* The session is over: keeps its figures, in place of those of the session before it, and returns
 * them. */
const FaspSessionStats *fasp_gone_keep (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);

G_END_DECLS
