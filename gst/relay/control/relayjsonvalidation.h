/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayjsonvalidation.h: refuses texts that json-glib reads although they are no JSON.
 *
 * json-glib also takes comments, other quotes, numbers in other bases, `var x =', and another value
 * behind the first.  It wraps an integer that is too large for 64 bits, cuts a string at \u0000,
 * and reads escapes of C.  So the relay would read another request than the client, or a proxy in
 * front, has sent.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RELAY_JSON_DEPTH_MAX 16 /* json-glib recurses as deeply */

/* FALSE: @text is not JSON, is nested more deeply, or has a number of more than 18 digits before
 * its point. json-glib checks the rest: commas, and whether the text is complete. */
gboolean relay_json_validation_check (const gchar *text, gsize size);

G_END_DECLS
