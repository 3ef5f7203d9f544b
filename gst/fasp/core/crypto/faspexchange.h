/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspexchange.h: a new key agreement in a running session.
 *
 * The caller sends a fresh public key, and the listener answers with its own. Both derive a secret,
 * which goes into the next keys of both directions (faspprotection.h). So a passive attacker that
 * has learnt all keys of a session cannot read later datagrams. Each exchange has a serial number,
 * and both keys are sent again until they have arrived.
 */
#pragma once

#include "faspcrypto.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 serial;                   /* serial number of the newest exchange; 0: there was none */
  gboolean awaits;                  /* caller: the answer has not come */
  guint8 ours[FASP_KEY_SIZE];       /* caller: private key, while the caller awaits the answer */
  guint8 public_key[FASP_KEY_SIZE]; /* the key to send with this serial */
} FaspExchange;

/* Caller: begins an exchange. @fresh: random bytes that are used for nothing else. */
void fasp_exchange_begin (FaspExchange *exchange, const guint8 fresh[FASP_KEY_SIZE]);
/* Caller: the listener has sent its key. FALSE: it does not answer the current exchange. */
gboolean fasp_exchange_finish (FaspExchange *exchange, guint64 serial,
    const guint8 theirs[FASP_KEY_SIZE], guint8 secret[FASP_KEY_SIZE]);
/* Listener: the caller has sent its key. FALSE: @serial is not the next one, or the key gives no
 * secret. */
gboolean fasp_exchange_answer (FaspExchange *exchange, guint64 serial,
    const guint8 theirs[FASP_KEY_SIZE], const guint8 fresh[FASP_KEY_SIZE],
    guint8 secret[FASP_KEY_SIZE]);

G_END_DECLS
