/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaysessions.h: users that are logged in.
 *
 * A session is a random number of 256 bits in a cookie, which scripts cannot read and which the
 * browser does not send along with requests from other sites (HttpOnly, SameSite=Strict).  It ends
 * by a logout, 12 hours after its last request, a week after it began, and when its user has
 * another password or is gone.  The name of the cookie has a random part, as the relays of a host
 * share cookies, whatever their ports.
 *
 * Time is an argument (µs). The relay keeps digests of the numbers.
 */
#pragma once

#include "relayaccounts.h"

G_BEGIN_DECLS

#define RELAY_SESSIONS_MAX 64
#define RELAY_SESSIONS_OF_USER 8 /* then the one that was used least lately ends */
#define RELAY_SESSION_IDLE (G_GINT64_CONSTANT (12) * 3600 * G_USEC_PER_SEC)
#define RELAY_SESSION_LASTS (G_GINT64_CONSTANT (7) * 24 * 3600 * G_USEC_PER_SEC)

typedef struct _RelaySessions RelaySessions;

RelaySessions *relay_sessions_new (void);
void relay_sessions_free (RelaySessions *sessions);

/* Returns the header `Set-Cookie' of a new session; NULL: there is no randomness. @secure: the
 * browser is to send the cookie by TLS alone. */
gchar *relay_sessions_begin (RelaySessions *sessions, gint64 now, const RelayAccount *user,
    gboolean secure);
/* Ends the sessions whose time is over, or whose user is gone or has another password. */
void relay_sessions_prune (RelaySessions *sessions, gint64 now, const GPtrArray *accounts);
/* Returns the user of a request, by its header `Cookie'; NULL: it has no session. */
const RelayAccount *relay_sessions_find (RelaySessions *sessions, gint64 now,
    const GPtrArray *accounts, const gchar *cookie);
/* Ends the session of a request. Returns the header `Set-Cookie' that removes its cookie. */
gchar *relay_sessions_end (RelaySessions *sessions, const gchar *cookie);

G_END_DECLS
