/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasphistory.h: what a sender keeps for who joins later, and where in it they
 * begin.
 *
 * Blocks below the first one that any session needs are history:
 *
 *     tail <= first kept <= what sessions need <= head
 *
 * kept for `history', and with join=FASP_JOIN_KEY_FRAME from the newest key frame on, for as
 * long as there is room: they are the first to go when the store is full.  Without
 * either nothing is kept, and nothing of this costs anything.
 */
#pragma once

#include "faspendpointprivate.h"

G_BEGIN_DECLS

gboolean fasp_history_is_kept (const FaspEndpoint * endpoint);
/* The first block that is kept, whoever needs it. */
guint64 fasp_history_get_first (const FaspEndpoint * endpoint);
/* Something was written: what is older than it should be goes. */
void fasp_history_tend (FaspEndpoint * endpoint, FaspTime now);
/* The store is full: is there history that could go? A part of it goes; FALSE: there was
 * none. */
gboolean fasp_history_can_give_way (const FaspEndpoint * endpoint);
gboolean fasp_history_give_way (FaspEndpoint * endpoint);
/* The first block of a session; the one that is being written is sealed. */
guint64 fasp_history_choose (FaspEndpoint * endpoint, FaspTime now,
    const FaspWants * wants);
/* Who joined in the past has not come to what was written then: it gives way when there is
 * no room. */
gboolean fasp_history_is_in_past (const FaspSession * session);
/* Does who begins at block @start, in place of one that is gone or anew, begin before all
 * that others need, or that is held for one who comes back? */
gboolean fasp_history_begins_in_past (const FaspEndpoint * endpoint,
    guint64 start);
/* The session is to hear where it begins, if that is not where it was told. */
void fasp_history_tell_place (FaspEndpoint * endpoint, FaspTime now,
    const FaspSession * session);

G_END_DECLS
