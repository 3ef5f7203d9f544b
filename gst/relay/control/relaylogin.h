/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaylogin.h: checks the passwords of users that log in, one after the other, each in a thread of
 * its own.
 *
 * A check takes 0.4 s of a core and 32 MiB on purpose (relaypassword.h).  So at most eight logins
 * wait, one of each network; others are refused at once.  After a wrong password, the next login
 * waits three times as long as the check took: strangers cost a quarter of a core at most.
 * relayaccess.h lets a network be wrong ten times in ten seconds.  An attacker with eight networks
 * can keep users from logging in, but not those that are logged in or have a token.
 *
 * Used in the main context only.
 */
#pragma once

#include "relayadmission.h"

G_BEGIN_DECLS

#define RELAY_LOGINS_WAIT 8

typedef struct _RelayLogins RelayLogins;

RelayLogins *relay_logins_new (RelayAdmission *admission);
/* Refuses the logins that wait, as the relay ends. A check that runs is left to its thread, so
 * libcrypto must not clean up when the process exits. */
void relay_logins_free (RelayLogins *logins);

/* Answers the request when the password has been checked.  FALSE: it is refused at once, and @page
 * says why. */
gboolean relay_logins_add (RelayLogins *logins, const RelayApiRequest *request, const gchar *name,
    const gchar *password, RelayPage *page);

/* Fills in by what a client is known, its name and its role. */
void relay_login_tell (RelayAdmission *admission, const gchar *known_by, const gchar *name,
    RelayRole role, RelayPage *page);
/* Ends the session of a request. */
void relay_login_end (RelayAdmission *admission, const RelayApiRequest *request, RelayPage *page);

G_END_DECLS
