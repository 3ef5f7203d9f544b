/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspreading.h: what the application reads: each byte of a stream once, whichever session
 * brought it, and when to play it.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

FaspReading *fasp_reading_new (void);
/* A receiver's session begins; @hello: the sender's hello. */
void fasp_reading_begin (FaspEndpoint *endpoint, FaspSession *session, const FaspHello *hello);
/* The position of the next byte that the reader lacks, whichever senders the bytes before came
 * from; if not known, any byte will do. */
FaspStreamOffset fasp_reading_get_wanted (const FaspEndpoint *endpoint);
/* @session (may be NULL) is over: keeps the clock of its sender. */
void fasp_reading_left (FaspEndpoint *endpoint, const FaspSession *session);
/* Are there UNREAD_MAX closed sessions, not counting @except, that the application has not read?
 * They are kept until they are read, so their number must be bounded. */
gboolean fasp_reading_is_behind (const FaspEndpoint *endpoint, const FaspSession *except);

G_END_DECLS
