/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vseal.h"
#include "vstranger.h"

void
vstranger_init (VStranger *stranger, Vnet *net, const FaspAddress *at, guint32 id, FaspRole role,
    guint32 window)
{
  FaspCredentials *credentials = fasp_credentials_new ();
  guint8 nonce[FASP_NONCE_SIZE], ephemeral[FASP_KEY_SIZE];
  FaspHello hello = {
    .role = role,
    .latency_ms = FASP_LATENCY_ANY,
    .window = window,
    .flows = 1,
    .datagram_max = FASP_DATAGRAM_MAX,
  };

  memset (stranger, 0, sizeof *stranger);
  stranger->at = *at;
  stranger->id = id;
  vnet_random (net, nonce, sizeof nonce);
  vnet_random (net, ephemeral, sizeof ephemeral);
  fasp_caller_start (&stranger->caller, vnet_get_time (net), id, nonce, &hello, credentials,
      ephemeral);
  fasp_credentials_unref (credentials);
}

void
vstranger_clear (VStranger *stranger)
{
  fasp_caller_stop (&stranger->caller);
}

gboolean
vstranger_call (VStranger *stranger, FaspTime now, guint8 *data)
{
  FaspDatagram datagram;

  if (!fasp_caller_poll (&stranger->caller, now, &datagram))
    return FALSE;
  g_assert_cmpuint (datagram.size, ==, FASP_OPEN_SIZE);
  memcpy (data, datagram.data, datagram.size);
  return TRUE;
}

static void
hear_handshake (VStranger *stranger, FaspTime now, FaspHandshake *answer)
{
  FaspCallerResult result =
      fasp_caller_receive (&stranger->caller, now, answer, &stranger->agreement);

  if (result == FASP_CALLER_ACCEPTED)
    stranger->let_in = TRUE;
  if (answer->type == FASP_HANDSHAKE_REJECT)
    stranger->refused = answer->reason;
}

gboolean
vstranger_hear (VStranger *stranger, FaspTime now, const guint8 *data, gsize size)
{
  FaspSessionHeader header;
  FaspHandshake answer;

  if (fasp_wire_is_session (data, size)) {
    if (!fasp_wire_parse_session (data, size, &header) || header.cid != stranger->id)
      return FALSE;
  } else {
    if (!fasp_wire_parse_handshake (data, size, &answer) || answer.to_cid != stranger->id)
      return FALSE;
    hear_handshake (stranger, now, &answer);
  }
  stranger->got += size + stranger->at.overhead;
  return TRUE;
}

gsize
vstranger_say (VStranger *stranger, const FaspWriter *frames, guint8 *data)
{
  FaspSessionHeader header = {
    .cid = stranger->agreement.hello.cid,
    .pn = stranger->pn & 0xffffff,
  };
  FaspWriter w = { data, FASP_DATAGRAM_MAX };
  /* one that was used before refuses a lower number */
  FaspSealer *sealer =
      fasp_sealer_new (stranger->agreement.keys.cipher, stranger->agreement.keys.caller);

  g_assert_true (stranger->let_in);
  fasp_wire_write_session (&w, &header);
  fasp_write_bytes (&w, frames->data, frames->used);
  vseal_close (sealer, 0, stranger->pn++, &w);
  fasp_sealer_free (sealer);
  g_assert_false (w.failed);
  return w.used;
}
