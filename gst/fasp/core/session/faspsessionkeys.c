/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsessionkeys.c: when both ends agree on new keys, and when each begins to seal with them:
 * first the caller, as it is the first to know that both have the secret; then the listener, once
 * it has opened a datagram that is sealed with them. */
#include "faspsessionprivate.h"

/* The longest interval at which the caller sends its key again. */
#define SEND_WAIT_MAX (2 * FASP_SEC)

FaspTime
fasp_session_get_agree_time (const FaspSession *session, FaspTime now)
{
  const FaspRekeying *r = &session->priv->rekeying;

  if (session->liveness.interrupted)
    return FASP_NEVER;
  if (session->listener || r->exchange.awaits)
    return r->send_time;
  return r->keys >= FASP_AGREE_EVERY && !fasp_opener_awaits_secret (session->priv->keys.opener) ?
      now :
      FASP_NEVER;
}

gboolean
fasp_session_poll_agree (FaspSession *session, FaspTime now, FaspDatagram *datagram)
{
  FaspRekeying *r = &session->priv->rekeying;
  guint8 fresh[FASP_KEY_SIZE];
  FaspPacket p;

  if (now < fasp_session_get_agree_time (session, now))
    return FALSE;
  if (session->listener) {
    r->send_time = FASP_NEVER;
  } else {
    if (!r->exchange.awaits) {
      session->priv->keys.random (session->priv->keys.random_data, fresh, sizeof fresh);
      fasp_exchange_begin (&r->exchange, fresh);
      fasp_wipe (fresh, sizeof fresh);
      r->send_wait = 0;
    }
    r->send_wait = MAX (fasp_rtt_timeout (&session->rtt), MIN (2 * r->send_wait, SEND_WAIT_MAX));
    r->send_time = now + r->send_wait;
  }
  fasp_packet_begin (&p, session, datagram, fasp_packet_pick_flow (session));
  fasp_wire_write_agree (&p.w, r->exchange.serial, r->exchange.public_key);
  return fasp_packet_finish (&p, session, now, FASP_NO_BLOCK, FALSE);
}

/* May a secret be computed from a public key of the peer? That takes a tenth of a millisecond, also
 * for an invalid key, so it is limited. */
static gboolean
may_compute (FaspRekeying *r, FaspTime now)
{
  if (now < r->compute_time)
    return FALSE;
  r->compute_time = now + r->interval;
  return TRUE;
}

/* Computes @secret from the peer's key. TRUE: both ends have it. */
static gboolean
agree (FaspSession *session, FaspTime now, const FaspAgreeFrame *key, guint8 secret[FASP_KEY_SIZE])
{
  FaspRekeying *r = &session->priv->rekeying;
  guint8 fresh[FASP_KEY_SIZE];
  gboolean good;

  if (!session->listener)
    return r->exchange.awaits && key->serial == r->exchange.serial && may_compute (r, now)
        && fasp_exchange_finish (&r->exchange, key->serial, key->key, secret);
  /* the peer repeats its key, so our answer was lost */
  if (key->serial > 0 && key->serial == r->exchange.serial)
    r->send_time = now;
  if (key->serial != r->exchange.serial + 1
      || fasp_opener_awaits_secret (session->priv->keys.opener) || !may_compute (r, now))
    return FALSE;
  session->priv->keys.random (session->priv->keys.random_data, fresh, sizeof fresh);
  good = fasp_exchange_answer (&r->exchange, key->serial, key->key, fresh, secret);
  fasp_wipe (fresh, sizeof fresh);
  if (good)
    r->send_time = now;
  return good;
}

/* Derives the next key from @secret; it is used as soon as the peer is known to have the current
 * one. */
static void
seal_with (FaspSession *session, FaspTime now, const guint8 secret[FASP_KEY_SIZE])
{
  fasp_sealer_set_secret (session->priv->keys.sealer, secret);
  session->priv->rekeying.time = MIN (session->priv->rekeying.time, now);
  session->priv->rekeying.keys = 0;
}

void
fasp_session_handle_agree (FaspSession *session, FaspTime now, const FaspAgreeFrame *key)
{
  guint8 secret[FASP_KEY_SIZE];

  if (session->priv->keys.cipher == FASP_CIPHER_NONE || !agree (session, now, key, secret))
    return;
  fasp_opener_set_secret (session->priv->keys.opener, secret);
  if (!session->listener)
    seal_with (session, now, secret);
  fasp_wipe (secret, sizeof secret);
}

void
fasp_session_follow_secret (FaspSession *session, FaspTime now)
{
  guint8 secret[FASP_KEY_SIZE];

  if (!fasp_opener_take_secret (session->priv->keys.opener, secret))
    return;
  if (session->listener)
    seal_with (session, now, secret);
  fasp_wipe (secret, sizeof secret);
}
