/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaypassword.h: hashes of passwords, and comparing secrets.
 *
 * A hash is the line $scrypt$ln=15,r=8,p=3$SALT$KEY: scrypt (RFC 7914), with a random salt, both in
 * base64 without padding.  One guess costs 32 MiB and 0.4 s (0.37 to 0.45 s of a core in seven runs
 * on a Xeon of 2026): call relay_password_check() in a thread of its own.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RELAY_PASSWORD_LEAST 10 /* characters */
#define RELAY_PASSWORD_MOST 256 /* bytes */

/* NULL: there is no randomness, or no memory. */
gchar *relay_password_hash (const gchar *password);
/* Could relay_password_hash() have made it? */
gboolean relay_password_is_hash (const gchar *text);
/* @hash: NULL: there is no such user; it takes the same time, and fails. */
gboolean relay_password_check (const gchar *hash, const gchar *password);

/* Returns SHA-256 in hex, for secrets that cannot be guessed as they are random. */
gchar *relay_password_digest (const gchar *secret);
/* Compares two digests, in a time that does not depend on where they differ. */
gboolean relay_password_is_same (const gchar *digest, const gchar *other);
/* Returns 256 random bits in hex; NULL: there is no randomness. */
gchar *relay_password_make_token (void);

G_END_DECLS
