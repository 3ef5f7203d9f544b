/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayadmission.h: which requests are allowed now: the decision of relayaccess.h, with the rules
 * in force, the sessions, and the role that openapi.json has for the path.
 *
 * May be used from any thread.
 */
#pragma once

#include "relayapi.h"

G_BEGIN_DECLS

/* By what a client is known that has logged in. */
#define RELAY_KNOWN_BY_SESSION "session"

typedef struct _RelayAdmission RelayAdmission;

RelayAdmission *relay_admission_new (const RelayApi *api);
void relay_admission_free (RelayAdmission *admission);

/* Puts the rules of a configuration into force. */
void relay_admission_use (RelayAdmission *admission, const RelayConfig *config);
/* @held: each request that needs a role is refused. That is so, too, until the first rules are in
 * force. */
void relay_admission_hold (RelayAdmission *admission, gboolean held);

/* May this address connect?  FALSE: the log says so, and it is counted. */
gboolean relay_admission_accepts (RelayAdmission *admission, GInetAddress *address);
/* How many connections were refused for their address? */
void relay_admission_get_refused (RelayAdmission *admission, guint64 *refused);
/* Is this request allowed?  RELAY_REFUSED: @page says why not, and the log, if a token is wrong. */
RelayVerdict relay_admission_admit (RelayAdmission *admission, const RelayAsk *ask,
    RelayAdmitted *admitted, RelayPage *page);
/* Notes what the server of auth-url says of a request, whose credentials have counted as wrong
 * since it came.  Returns the role of a client that it lets in. */
RelayRole relay_admission_note_hooked (RelayAdmission *admission, RelayHooked hooked,
    const gchar *address, guint64 network);
/* Is a request that was admitted still allowed? Wrong tokens from its network do not matter. */
gboolean relay_admission_allows (RelayAdmission *admission, const RelayAsk *ask);

/* Whether the API takes changes: "off", "open", "token": with its token; "login": with a role. */
const gchar *relay_admission_get_mode (RelayAdmission *admission);
gboolean relay_admission_has_users (RelayAdmission *admission);

/* May a user of this network try a password? *hash: that of the password; NULL: there is no such
 * user. */
gboolean relay_admission_may_try (RelayAdmission *admission, guint64 network, const gchar *user,
    gchar **hash);
/* Notes a wrong password. */
void relay_admission_note_wrong (RelayAdmission *admission, const gchar *address, guint64 network);
/* Begins a session.  @hash: that of the password that was right.  Returns the user's role, and in
 * *cookie the header; RELAY_ROLE_NONE: the user is gone, or has another password. */
RelayRole relay_admission_begin (RelayAdmission *admission, const gchar *user, const gchar *hash,
    gboolean secure, gchar **cookie);
/* Ends the session of a request. *removed: the header. */
void relay_admission_end (RelayAdmission *admission, const gchar *cookie, gchar **removed);

G_END_DECLS
