/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsendinglanes.h: the parts of the sessions that threads send for: which session is in which.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* The lane for the next session: the first that is not full, or the one with
 * the fewest sessions. */
guint fasp_sending_lanes_choose (const FaspEndpoint *endpoint);
/* The number of sessions in some lane has changed. */
void fasp_sending_lanes_share (FaspEndpoint *endpoint);

G_END_DECLS
