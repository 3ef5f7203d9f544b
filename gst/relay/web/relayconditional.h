/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayconditional.h: conditional GET.  A client may keep a page that has a time, and ask whether
 * there is a newer one.
 */
#pragma once

#include <microhttpd.h>
#include "relayhttp.h"

G_BEGIN_DECLS

/* Adds the headers that say how long the page may be cached. */
void relay_conditional_add (struct MHD_Response *response, const RelayPage *page);
/* Turns the page into an empty 304 if the client has it. @known: If-None-Match; NULL: none. */
void relay_conditional_leave_out (const gchar *known, RelayPage *page);

G_END_DECLS
