/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspanswer.h: what the answer to our call does: it begins a session, or ends the call.
 */
#pragma once

#include "faspcaller.h"
#include "faspendpointbase.h"

G_BEGIN_DECLS

void fasp_answer_accepted (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    const FaspAgreement *agreement);
void fasp_answer_rejected (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *from,
    const FaspHandshake *answer);

G_END_DECLS
