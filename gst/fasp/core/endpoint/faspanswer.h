/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspanswer.h: what the answer to our call does: it begins a session, or ends the call.
 */
#pragma once

#include "faspcaller.h"
#include "faspendpointbase.h"

G_BEGIN_DECLS

/* Takes an answer of the version that was called, or one that lists versions. */
void fasp_answer_receive (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    FaspHandshake *answer);
/* A listener has accepted our call: begins a session, if the listener is of the other role. */
void fasp_answer_accepted (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    const FaspAgreement *agreement);

G_END_DECLS
