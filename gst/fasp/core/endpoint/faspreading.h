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
/* The byte that the reader lacks next, from whichever sender the others came; unknown: any. */
FaspStreamOffset fasp_reading_get_wanted (const FaspEndpoint *endpoint);
/* It is over: keeps what is known of the sender's clock; @session may be NULL. */
void fasp_reading_left (FaspEndpoint *endpoint, const FaspSession *session);
/* Has the application not read while senders came and went?  A session is kept until it is read,
 * so there must not be any number of them.  @except does not count; NULL: all do. */
gboolean fasp_reading_is_behind (const FaspEndpoint *endpoint, const FaspSession *except);

G_END_DECLS
