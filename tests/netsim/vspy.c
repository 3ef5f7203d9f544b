/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vseal.h"
#include "vspy.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FaspCredentials, fasp_credentials_unref)

void
vspy_init (VSpy *spy, Vnet *net)
{
  memset (spy, 0, sizeof *spy);
  spy->net = net;
}

void
vspy_random (gpointer data, guint8 *bytes, gsize size)
{
  VSpy *spy = data;

  vnet_random (spy->net, bytes, size);
  /* the last random bytes of this size before the OPEN are the ephemeral key */
  if (size == FASP_KEY_SIZE && spy->open.message == NULL)
    memcpy (spy->ephemeral, bytes, size);
}

static void
see_accept (VSpy *spy, const FaspHandshake *accept)
{
  g_autoptr (FaspCredentials) credentials = fasp_credentials_new ();
  guint8 payload[FASP_MESSAGE_MAX], message[FASP_MESSAGE_MAX];
  FaspWriter w = { message, sizeof message };
  FaspNoise noise;
  FaspHello hello;
  gsize size;

  fasp_credentials_begin (credentials, TRUE, &spy->open, spy->ephemeral, &noise);
  /* without a key, the payload follows the curve point */
  fasp_noise_write (&noise, spy->message + FASP_KEY_SIZE, spy->open.message_size - FASP_KEY_SIZE,
      &w);
  if (fasp_noise_read (&noise, accept->message, accept->message_size, payload, &size)
      && fasp_wire_parse_hello (payload, size, &hello)) {
    spy->keys.cipher = hello.ciphers[0];
    fasp_noise_split (&noise, spy->keys.caller, spy->keys.listener);
    spy->caller = accept->to_cid;
    spy->listener = accept->from_cid;
    spy->knows = TRUE;
  }
}

void
vspy_see (VSpy *spy, const guint8 *data, gsize size)
{
  FaspHandshake seen;

  if (spy->knows || fasp_wire_is_session (data, size)
      || !fasp_wire_parse_handshake (data, size, &seen))
    return;
  if (seen.type == FASP_HANDSHAKE_OPEN && spy->open.message == NULL) {
    spy->open = seen;
    memcpy (spy->message, seen.message, seen.message_size);
    spy->open.message = spy->message;
  } else if (seen.type == FASP_HANDSHAKE_ACCEPT && spy->open.message != NULL) {
    see_accept (spy, &seen);
  }
}

gsize
vspy_open (const VSpy *spy, gboolean from_caller, const guint8 *data, gsize size, guint8 *frames)
{
  FaspSessionHeader header;
  FaspOpener *opener;
  const guint8 *found;
  gsize found_size = 0;

  if (!spy->knows || !fasp_wire_parse_session (data, size, &header))
    return 0;
  opener = fasp_opener_new (spy->keys.cipher, from_caller ? spy->keys.caller : spy->keys.listener);
  found = fasp_opener_open (opener, &header, header.pn, data, size, frames, &found_size);
  if (found != NULL && found != frames)
    memcpy (frames, found, found_size);
  fasp_opener_free (opener);
  return found != NULL ? found_size : 0;
}

void
vspy_seal (const VSpy *spy, gboolean to_caller, guint8 flow, guint64 pn, const guint8 *frames,
    gsize size, FaspWriter *w)
{
  FaspSessionHeader header = {
    .flow = flow,
    .cid = to_caller ? spy->caller : spy->listener,
    .pn = pn & 0xffffff,
  };
  FaspSealer *sealer =
      fasp_sealer_new (spy->keys.cipher, to_caller ? spy->keys.listener : spy->keys.caller);

  fasp_wire_write_session (w, &header);
  fasp_write_bytes (w, frames, size);
  vseal_close (sealer, flow, pn, w);
  fasp_sealer_free (sealer);
}

gsize
vspy_make_open (Vnet *net, guint32 cid, const guint8 nonce[FASP_NONCE_SIZE], const FaspHello *hello,
    guint8 data[FASP_OPEN_SIZE])
{
  g_autoptr (FaspCredentials) credentials = fasp_credentials_new ();
  guint8 ephemeral[FASP_KEY_SIZE];
  FaspDatagram datagram;
  FaspCaller caller;

  vnet_random (net, ephemeral, sizeof ephemeral);
  fasp_caller_start (&caller, 0, cid, nonce, hello, credentials, ephemeral);
  fasp_caller_poll (&caller, 0, &datagram);
  g_assert_cmpuint (datagram.size, ==, FASP_OPEN_SIZE);
  memcpy (data, datagram.data, datagram.size);
  return datagram.size;
}
