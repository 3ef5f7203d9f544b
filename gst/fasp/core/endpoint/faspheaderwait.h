/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspheaderwait.h: which receivers of a sender lack the stream's header, or wait for it.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* The header was written: a receiver that waits for it has it when it has all blocks written so
 * far. */
void fasp_header_wait_written (FaspEndpoint *endpoint, FaspTime now);
/* There is no header any more: writes that for all receivers that may know of one. */
void fasp_header_wait_gone (FaspEndpoint *endpoint, FaspTime now);
/* Sessions that wait for the header begin at block @number. @hold: they go on waiting. */
void fasp_header_wait_move (FaspEndpoint *endpoint, guint64 number, gboolean hold);
/* Does the stream have a header for a receiver that begins at block @start? FASP_NO_BLOCK: at the
 * next block written. */
gboolean fasp_header_wait_announces (const FaspEndpoint *endpoint, guint64 start);
/* A session opened: finds out whether it lacks the header. */
void fasp_header_wait_begin (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* Updates the session's state: it may have the header now, or have skipped it. */
void fasp_header_wait_follow (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);

G_END_DECLS
