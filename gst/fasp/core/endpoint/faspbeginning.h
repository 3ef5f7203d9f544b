/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspbeginning.h: how an endpoint's session begins: it is made, and then it is connected.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* Makes a session and adds it to the endpoint; @hello: the peer's hello; @ours: our own,
 * with the session's id. */
FaspSession *fasp_beginning_make (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *peer,
    const FaspHello *hello, const FaspHello *ours, const guint8 nonce[FASP_NONCE_SIZE]);
/* The session is connected. */
void fasp_beginning_opened (FaspEndpoint *endpoint, FaspTime now, FaspSession *session);

G_END_DECLS
