/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasphold.h: which bytes are kept, and for how long, when a session of a sender ends.
 *
 * Invariant: a byte that the application wrote is let go when all receivers that it was for have
 * acknowledged it; otherwise it is counted, as dropped or as unconfirmed, or reported as missing to
 * the receiver that goes on behind it.
 *
 * The first byte that the last receiver has not acknowledged, and what follows, is held
 *
 * - until a receiver takes it, if the application waits for receivers (wait_for_connection);
 * - for resume_timeout, if a receiver that we call has said goodbye, and we call it again.  In
 *   this time the application goes on writing, as long as there is room.  If the application does
 *   not wait for receivers, this holds only after the end of the stream.
 *
 * A peer that has acknowledged nothing in its session was no receiver: the stream is held as if
 * the session had not been, to its end, too.  A receiver that was there, and has gone for good
 * at the end of the stream, is not waited for any longer: what it lacks is unconfirmed.
 * docs/positions.md has the table of all reasons.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* The session is over, with @bytes that its peer has not acknowledged. @again: this end calls
 * again. TRUE: the blocks with these bytes are held. */
gboolean fasp_hold_begin (FaspEndpoint *endpoint, FaspTime now, const FaspSession *session,
    gboolean again, guint64 bytes);
/* A receiver takes the held blocks, or they are not needed any more. @why: a word for the log. */
void fasp_hold_end (FaspEndpoint *endpoint, FaspTime now, const gchar *why);
/* Drops the held blocks when their time is over. */
void fasp_hold_run_due (FaspEndpoint *endpoint, FaspTime now);
FaspTime fasp_hold_get_time (FaspEndpoint *endpoint);
/* Puts off the deadline of the held blocks by @span, for which our process did not run. */
void fasp_hold_excuse (FaspEndpoint *endpoint, FaspTime span);
/* The first block that is held; FASP_NO_BLOCK: none is. */
guint64 fasp_hold_get_first (const FaspEndpoint *endpoint);
/* Drops the held blocks before block @number, to make room. */
void fasp_hold_skip_to (FaspEndpoint *endpoint, guint64 number);
/* The stream has ended: gives up a receiver that has gone, unless it is expected back. */
void fasp_hold_finished (FaspEndpoint *endpoint, FaspTime now);
/* Drops the held blocks, as the application does not wait for receivers any more. */
void fasp_hold_no_more (FaspEndpoint *endpoint, FaspTime now);
/* Is a receiver expected back, so that the application goes on writing meanwhile? */
gboolean fasp_hold_expects (const FaspEndpoint *endpoint);

G_END_DECLS
