/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspretention.h: which blocks of a sender's store are still needed, and by which receivers: the
 * others are let go.  fasphistory.h has what is kept for receivers that join later, fasphold.h what
 * is kept for one that may come back.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* Does this endpoint keep history (fasphistory.h)? */
gboolean fasp_retention_has_history (const FaspEndpoint *endpoint);
/* The first block that is kept, whether a session needs it or not. */
guint64 fasp_retention_get_first_kept (const FaspEndpoint *endpoint);
/* The first block that a session needs or that is held. */
guint64 fasp_retention_get_needed (const FaspEndpoint *endpoint);
/* A sender's session may need fewer blocks now: updates its place in the heap. */
void fasp_retention_note_first_needed (FaspEndpoint *endpoint, FaspSession *session);
/* The session is over, and needs no blocks. */
void fasp_retention_forget (FaspEndpoint *endpoint, FaspSession *session);
/* Releases blocks that no receiver needs any more. */
void fasp_retention_trim (FaspEndpoint *endpoint);
/* The block with which a session begins when it opens. It differs from the block in our hello if
 * the store has dropped that. */
guint64 fasp_retention_get_first (const FaspEndpoint *endpoint, const FaspSession *session);
/* The stream offset of fasp_retention_get_first(). */
FaspStreamOffset fasp_retention_get_begin (const FaspEndpoint *endpoint,
    const FaspSession *session);

G_END_DECLS
