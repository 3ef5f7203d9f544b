/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspcaller.h"
#include "faspseal.h"

void
fasp_caller_start (FaspCaller * caller, FaspTime now, const FaspAddress * peer,
    guint32 id, const guint8 nonce[FASP_NONCE_SIZE])
{
  memset (caller, 0, sizeof (*caller));
  caller->active = TRUE;
  caller->peer = *peer;
  caller->open.type = FASP_HANDSHAKE_OPEN;
  caller->open.version = FASP_VERSION;
  caller->open.from_cid = id;
  memcpy (caller->open.nonce, nonce, FASP_NONCE_SIZE);
  caller->next_time = now;
  caller->interval = FASP_CALLER_FIRST;
}

void
fasp_caller_stop (FaspCaller * caller)
{
  caller->active = FALSE;
}

/* What the answer must be sealed with, or NULL. */
static const guint8 *
answer_key (const FaspCaller * caller, const FaspHandshake * answer,
    const guint8 * resume_key, guint8 key[FASP_KEY_SIZE])
{
  if (answer->type != FASP_HANDSHAKE_ACCEPT)
    return caller->open.nonce;
  if (answer->resumed)
    return resume_key;
  fasp_seal_derive (caller->open.nonce, answer->listener_nonce, key);
  return key;
}

FaspCallerResult
fasp_caller_receive (FaspCaller * caller, FaspTime now, const guint8 * data,
    gsize size, FaspHandshake * answer, const guint8 * resume_key)
{
  guint8 derived[FASP_KEY_SIZE];
  const guint8 *key;

  if (!caller->active || answer->to_cid != caller->open.from_cid
      || memcmp (answer->nonce, caller->open.nonce, FASP_NONCE_SIZE) != 0)
    return FASP_CALLER_IGNORED;
  key = answer_key (caller, answer, resume_key, derived);
  if (key == NULL || !fasp_seal_open_handshake (data, size, key))
    return FASP_CALLER_FORGED;

  switch (answer->type) {
    case FASP_HANDSHAKE_RETRY:
      /* once per cookie: a listener that keeps asking is asked at our pace */
      if (answer->cookie_size == 0)
        return FASP_CALLER_IGNORED;
      if (caller->open.cookie_size == 0)
        caller->next_time = now;
      caller->open.cookie_size = answer->cookie_size;
      memcpy (caller->open.cookie, answer->cookie, FASP_COOKIE_SIZE);
      return FASP_CALLER_AGAIN;
    case FASP_HANDSHAKE_ACCEPT:
      if (answer->from_cid == 0 || answer->unsupported)
        return FASP_CALLER_IGNORED;
      caller->active = FALSE;
      return FASP_CALLER_ACCEPTED;
    case FASP_HANDSHAKE_REJECT:
      return FASP_CALLER_REJECTED;
    case FASP_HANDSHAKE_VERSIONS:
      answer->reason = FASP_REASON_VERSION;
      return FASP_CALLER_REJECTED;
    default:
      return FASP_CALLER_IGNORED;
  }
}

gboolean
fasp_caller_poll (FaspCaller * caller, FaspTime now, FaspDatagram * datagram)
{
  FaspWriter w = { datagram->data, sizeof (datagram->data) };

  if (!caller->active || now < caller->next_time)
    return FALSE;
  fasp_wire_write_handshake (&w, &caller->open);
  fasp_seal_close_handshake (&w, caller->open.nonce);
  g_return_val_if_fail (!w.failed, FALSE);
  datagram->to = caller->peer;
  datagram->size = w.used;
  caller->tries++;
  caller->sent = now;
  caller->next_time = now + caller->interval;
  caller->interval = MIN (caller->interval * 2, FASP_CALLER_MAX);
  return TRUE;
}

FaspTime
fasp_caller_get_timeout (const FaspCaller * caller)
{
  return caller->active ? caller->next_time : FASP_NEVER;
}
