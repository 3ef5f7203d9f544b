/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasphistory.h: the blocks that a sender keeps for receivers that join later, and where
 * these receivers begin.
 *
 * Blocks below the first one that any session needs are history:
 *
 *     tail <= first kept <= what sessions need <= head
 *
 * They are kept for `history', and with join=FASP_JOIN_KEY_FRAME from the newest key frame
 * on, as long as there is room: when the store is full, they go first.  Without either
 * setting nothing is kept, and this module costs nothing.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* Drops history that is too old. To be called after each write. */
void fasp_history_run_due (FaspEndpoint *endpoint, FaspTime now);
/* The newest key frame from which a receiver could begin is in block @number; FASP_NO_BLOCK: there
 * is none. */
void fasp_history_set_key_frame (FaspEndpoint *endpoint, guint64 number);
/* The store is full: is there history that could be dropped? */
gboolean fasp_history_can_give_way (const FaspEndpoint *endpoint);
/* Drops a part of the history.  FALSE: there was none. */
gboolean fasp_history_give_way (FaspEndpoint *endpoint);
/* Chooses the first block of a session.  Seals the block that is being written. */
guint64 fasp_history_choose (FaspEndpoint *endpoint, FaspTime now, const FaspWants *wants);
/* Did the session join in the past, and has it not reached the block that was next when it joined?
 * Such a session is moved ahead when there is no room. */
gboolean fasp_history_is_in_past (const FaspSession *session);
/* Is block @start before all blocks that other sessions need or that are held? */
gboolean fasp_history_begins_in_past (const FaspEndpoint *endpoint, guint64 start);
/* Appends a mark with the stream offset if the session begins at another block than our hello
 * said. */
void fasp_history_mark_offset (FaspEndpoint *endpoint, FaspTime now, const FaspSession *session);

G_END_DECLS
