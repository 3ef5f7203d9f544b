/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayclient.h: requests to HTTP servers that the configuration names.
 *
 * The answer's status is all that counts.  Its body is not used, redirects are not followed, and no
 * proxy is asked, so that nothing but the configuration says where the relay calls.  Nothing here
 * blocks.  Used in the main context only.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _RelayClient RelayClient;

#define RELAY_CLIENT_LATE 1 /* is no status of HTTP */

/* @status: of HTTP; 0: the server cannot be reached, RELAY_CLIENT_LATE: it has not answered in
 * time.
 * @why: a sentence about these, which may name the server; NULL: there was an answer. */
typedef void (*RelayClientFunc) (guint status, const gchar *why, gpointer data);

/* Of a status that is not 2xx: would the same request be answered otherwise later? Not with 3xx,
 * nor with 4xx but 408 and 429. */
gboolean relay_client_may_help (guint status);

/* Can this build call, and is @url one that it calls?  @error: a sentence, without the URL, which
 * may hold a secret. */
gboolean relay_client_check (const gchar *url, GError **error);

RelayClient *relay_client_new (void);
/* Gives up what is under way, without calling back. */
void relay_client_free (RelayClient *client);

/* Sends JSON.  @url: a valid one.  @signature: the header Fasp-Signature; NULL: none.  @most: ms
 * that it may take.  @func: called later, once. */
void relay_client_post (RelayClient *client, const gchar *url, GBytes *body, const gchar *signature,
    guint most, RelayClientFunc func, gpointer data);

G_END_DECLS
