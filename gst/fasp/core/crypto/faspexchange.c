/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspexchange.h"

void
fasp_exchange_begin (FaspExchange *exchange, const guint8 fresh[FASP_KEY_SIZE])
{
  exchange->serial++;
  exchange->awaits = TRUE;
  memcpy (exchange->ours, fresh, FASP_KEY_SIZE);
  fasp_x25519_public (fresh, exchange->public_key);
}

gboolean
fasp_exchange_finish (FaspExchange *exchange, guint64 serial, const guint8 theirs[FASP_KEY_SIZE],
    guint8 secret[FASP_KEY_SIZE])
{
  if (!exchange->awaits || serial != exchange->serial
      || !fasp_x25519 (exchange->ours, theirs, secret))
    return FALSE;
  exchange->awaits = FALSE;
  fasp_wipe (exchange->ours, sizeof exchange->ours);
  return TRUE;
}

gboolean
fasp_exchange_answer (FaspExchange *exchange, guint64 serial, const guint8 theirs[FASP_KEY_SIZE],
    const guint8 fresh[FASP_KEY_SIZE], guint8 secret[FASP_KEY_SIZE])
{
  if (serial != exchange->serial + 1 || !fasp_x25519 (fresh, theirs, secret))
    return FALSE;
  exchange->serial = serial;
  fasp_x25519_public (fresh, exchange->public_key);
  return TRUE;
}
