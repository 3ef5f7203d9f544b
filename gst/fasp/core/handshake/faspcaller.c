/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspcaller.h"
#include "faspstream.h"

void
fasp_caller_start (FaspCaller *caller, FaspTime now, guint32 id,
    const guint8 nonce[FASP_NONCE_SIZE], const FaspHello *hello, const FaspCredentials *credentials,
    const guint8 ephemeral[FASP_KEY_SIZE])
{
  guint8 payload[FASP_MESSAGE_MAX];
  FaspWriter p = { payload, sizeof payload };
  FaspWriter m = { caller->message, sizeof caller->message };

  memset (caller, 0, sizeof (*caller));
  caller->active = TRUE;
  caller->open.type = FASP_HANDSHAKE_OPEN;
  caller->open.version = FASP_VERSION;
  caller->open.from_cid = id;
  caller->open.pattern = fasp_credentials_get_pattern (credentials);
  memcpy (caller->open.nonce, nonce, FASP_NONCE_SIZE);
  if (hello->streamid[0] != '\0') {
    FaspStreamName name;

    fasp_stream_get_name (hello->role, hello->streamid, &name);
    caller->open.to_cid = fasp_stream_get_hint (nonce, &name);
  }
  caller->hello = *hello;
  caller->hello.cid = id;
  fasp_credentials_offer (credentials, &caller->hello);
  caller->next_time = now;
  caller->interval = FASP_CALLER_FIRST;

  /* written once, so that all OPENs of this call are equal, and an answer to any of them will do */
  fasp_wire_write_hello (&p, &caller->hello);
  g_return_if_fail (!p.failed);
  fasp_credentials_begin (credentials, TRUE, &caller->open, ephemeral, &caller->noise);
  if (!fasp_noise_write (&caller->noise, payload, p.used, &m)) {
    fasp_caller_stop (caller); /* the listener's public key is not a valid one */
    return;
  }
  caller->open.message = caller->message;
  caller->open.message_size = m.used;
}

void
fasp_caller_stop (FaspCaller *caller)
{
  caller->active = FALSE;
  fasp_noise_wipe (&caller->noise);
}

static FaspCallerResult
receive_accept (FaspCaller *caller, const FaspHandshake *answer, FaspAgreement *agreement)
{
  FaspNoise noise =
      caller->noise; /* a copy, as the call goes on with the old state after a forged answer */
  FaspHello *hello = &agreement->hello;
  FaspCallerResult result = FASP_CALLER_ACCEPTED;
  guint8 payload[FASP_MESSAGE_MAX];
  gsize size;
  gboolean good = fasp_noise_read (&noise, answer->message, answer->message_size, payload, &size)
      && fasp_wire_parse_hello (payload, size, hello) && hello->cid == answer->from_cid
      && hello->n_ciphers == 1
      && memchr (caller->hello.ciphers, hello->ciphers[0], caller->hello.n_ciphers) != NULL;

  if (!good)
    result = FASP_CALLER_FORGED;
  else if (hello->unsupported)
    result = FASP_CALLER_IGNORED;
  fasp_wipe (payload, sizeof payload); /* a group's key may be in it */
  if (result == FASP_CALLER_ACCEPTED) {
    agreement->keys.cipher = hello->ciphers[0];
    fasp_noise_split (&noise, agreement->keys.caller, agreement->keys.listener);
    caller->active = FALSE;
  } else {
    fasp_wipe (agreement, sizeof *agreement);
  }
  fasp_noise_wipe (&noise);
  return result;
}

static FaspCallerResult
receive_reject (FaspCaller *caller, FaspTime now, FaspReason reason)
{
  if (caller->doubted == 0 || caller->doubted_reason != reason) {
    caller->doubted = MAX (now, 1);
    caller->doubted_tries = caller->tries;
    caller->doubted_reason = reason;
    return FASP_CALLER_AGAIN;
  }
  if (now - caller->doubted < FASP_CALLER_DOUBT || caller->tries == caller->doubted_tries)
    return FASP_CALLER_AGAIN;
  caller->doubted = 0; /* if the call goes on, it doubts the next REJECT, too */
  return FASP_CALLER_REJECTED;
}

FaspCallerResult
fasp_caller_receive (FaspCaller *caller, FaspTime now, FaspHandshake *answer,
    FaspAgreement *agreement)
{
  if (!caller->active || answer->to_cid != caller->open.from_cid
      || memcmp (answer->nonce, caller->open.nonce, FASP_NONCE_SIZE) != 0)
    return FASP_CALLER_IGNORED;
  switch (answer->type) {
    case FASP_HANDSHAKE_RETRY:
      /* calls at once only for the first cookie, so that a listener that keeps sending RETRY cannot
       * set the rate of calls */
      if (answer->cookie_size == 0)
        return FASP_CALLER_IGNORED;
      if (caller->open.cookie_size == 0)
        caller->next_time = now;
      caller->open.cookie_size = answer->cookie_size;
      memcpy (caller->open.cookie, answer->cookie, FASP_COOKIE_SIZE);
      return FASP_CALLER_AGAIN;
    case FASP_HANDSHAKE_ACCEPT:
      return receive_accept (caller, answer, agreement);
    case FASP_HANDSHAKE_REJECT:
      /* other reasons are never sent */
      if (answer->reason < FASP_REASON_FINISHED || answer->reason > FASP_REASON_ENCRYPTION)
        answer->reason = FASP_REASON_STOPPED;
      return receive_reject (caller, now, answer->reason);
    case FASP_HANDSHAKE_VERSIONS:
      if (memchr (answer->versions, FASP_VERSION, answer->n_versions) != NULL)
        return FASP_CALLER_IGNORED;
      answer->reason = FASP_REASON_VERSION;
      return receive_reject (caller, now, answer->reason);
    default:
      return FASP_CALLER_IGNORED;
  }
}

gboolean
fasp_caller_poll (FaspCaller *caller, FaspTime now, FaspDatagram *datagram)
{
  FaspWriter w = { datagram->data, sizeof (datagram->data) };

  if (!caller->active || now < caller->next_time)
    return FALSE;
  fasp_wire_write_handshake (&w, &caller->open);
  g_return_val_if_fail (!w.failed, FALSE);
  datagram->size = w.used;
  caller->tries++;
  caller->sent = now;
  caller->next_time = now + caller->interval;
  caller->interval = MIN (caller->interval * 2, FASP_CALLER_MAX);
  if (caller->doubted > 0 && now < caller->doubted + FASP_CALLER_DOUBT)
    caller->next_time = MIN (caller->next_time, caller->doubted + FASP_CALLER_DOUBT);
  return TRUE;
}

FaspTime
fasp_caller_get_timeout (const FaspCaller *caller)
{
  return caller->active ? caller->next_time : FASP_NEVER;
}
