/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmove.h: a receiver that calls one of several peers which have the same
 * stream, and another one when that is gone.
 *
 *   moves on    when its peer is interrupted (silent, or its port is closed) or says
 *               goodbye before the end; when a call is not answered for 2 s, is turned away,
 *               or nobody listens there (no sooner than 250 ms after it began)
 *   stays       when it is answered, or heard again
 *
 * In turn; who is asked for an address is told by fasp_endpoint_get_wanted_peer().  What it has of
 * the stream it says in its OPEN (option `wants').
 */
#pragma once

#include "faspendpointprivate.h"

G_BEGIN_DECLS

/* Are there others, and may they be called? */
gboolean fasp_move_can (const FaspEndpoint * endpoint);
/* A call begins, or an address is waited for: so long. */
void fasp_move_wait (FaspEndpoint * endpoint, FaspTime now);
/* Nobody else is wanted any more. */
void fasp_move_stay (FaspEndpoint * endpoint);
/* The next one is wanted from now on. FALSE: there is none. */
gboolean fasp_move_on (FaspEndpoint * endpoint, FaspTime now);
/* @session is heard again: it is that one. */
void fasp_move_back (FaspEndpoint * endpoint, const FaspSession * session);
/* This peer does not want us: FALSE: nor does any other. */
gboolean fasp_move_refused (FaspEndpoint * endpoint, FaspTime now,
    gboolean for_good);
/* Nobody listens at @to. */
void fasp_move_unreachable (FaspEndpoint * endpoint,
    const FaspAddress * to);
void fasp_move_tend (FaspEndpoint * endpoint, FaspTime now);

G_END_DECLS
