/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcookie.h: a cookie proves that a caller receives at the address that it sends from.
 *
 *     low bits of the time (8 bytes, µs) |
 *     HMAC-SHA256 (secret, address | caller's nonce | time)
 *
 * The listener keeps no state.  Only the caller that received the RETRY can return the cookie, from
 * that address, for that handshake, within FASP_COOKIE_LIFETIME.  The cookie has only low bits of
 * the time, as all of them would reveal the machine's uptime.
 */
#pragma once

#include "faspwirehello.h"

G_BEGIN_DECLS

#define FASP_COOKIE_LIFETIME (10 * FASP_SEC)
/* µs after which the low bits repeat. */
#define FASP_COOKIE_PERIOD (G_GINT64_CONSTANT (1) << 28)
#define FASP_COOKIE_SECRET_SIZE 32

void fasp_cookie_make (const guint8 secret[FASP_COOKIE_SECRET_SIZE], FaspTime now,
    const FaspAddress *address, const guint8 nonce[FASP_NONCE_SIZE],
    guint8 cookie[FASP_COOKIE_SIZE]);
gboolean fasp_cookie_verify (const guint8 secret[FASP_COOKIE_SECRET_SIZE], FaspTime now,
    const FaspAddress *address, const guint8 nonce[FASP_NONCE_SIZE],
    const guint8 cookie[FASP_COOKIE_SIZE]);

G_END_DECLS
