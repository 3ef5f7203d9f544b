/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspwriting.h: what the application writes goes into the store, for all receivers.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* Begins a stream of our own in the store of @endpoint, if it is a sender. */
FaspSending *fasp_sending_new (const FaspEndpoint *endpoint);
void fasp_sending_free (FaspSending *sending);
/* The least MTU in use may have changed: adapts the size of new blocks. */
void fasp_writing_fit_blocks (FaspEndpoint *endpoint);
/* A session was made, or opened: it may not get the marks written so far. */
void fasp_writing_begins (FaspEndpoint *endpoint);
/* A session opened: counts the bytes that its peer lacks; for the first session, lets writes wait a
 * moment for the path's MTU. */
void fasp_writing_opened (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);
/* Has the peer nothing of the stream, and will it not get the beginning? */
gboolean fasp_writing_is_in_the_middle (const FaspEndpoint *endpoint, const FaspSession *session);
/* Are written bytes put into the store, rather than dropped? */
gboolean fasp_writing_is_kept (const FaspEndpoint *endpoint);
void fasp_writing_run_due (FaspEndpoint *endpoint, FaspTime now);
FaspTime fasp_writing_get_time (FaspEndpoint *endpoint);

G_END_DECLS
