/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayconditional.h: what a client may keep, and ask whether it is still the newest: pages that
 * have a time.
 */
#pragma once

#include <microhttpd.h>
#include "relayhttp.h"

G_BEGIN_DECLS

/* Adds what says how long the page may be kept. */
void relay_conditional_add (struct MHD_Response *response, const RelayPage *page);
/* Leaves out what the client has already. @known: If-None-Match; NULL: nothing. */
void relay_conditional_leave_out (const gchar *known, RelayPage *page);

G_END_DECLS
