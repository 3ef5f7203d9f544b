/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspendpointhello.h: what an endpoint says of itself when it calls, and when it answers a call.
 */
#pragma once

#include "faspendpointbase.h"

G_BEGIN_DECLS

/* Fills in our hello for OPEN and ACCEPT. */
void fasp_endpoint_describe (FaspEndpoint *endpoint, FaspHello *hello, guint64 start);

G_END_DECLS
