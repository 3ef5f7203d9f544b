/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Everything that can be reached before anybody is authenticated: a listener
 * at A that is called by nobody in particular, and a caller at B whose calls
 * are answered by somebody else.  The input is a script of datagrams, raw or
 * made right up to where it wants to be wrong, and of time that passes.
 *
 * Nothing may crash, spin (vnet checks), or grow without end.
 */
#include "fuzz.h"
#include <stdlib.h>
#include "faspendpointbase.h"
#include "faspstream.h"
#include "vspy.h"

/* The half-open calls that a table of this size may hold, and some. */
#define SESSIONS_LIMIT 1100
#define STREAMID "news"

typedef struct
{
  Vnet *net;
  FaspEndpoint *listener, *caller;
  FaspCredentials *credentials[2]; /* nobody's; a passphrase's */
  guint8 open[FASP_OPEN_SIZE];     /* the caller's last OPEN */
  gboolean open_seen;
  guint32 calls;
} Door;

static void
on_datagram (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  Door *door = data;

  if (from == VNET_B && size == sizeof door->open && (bytes[0] & 0x0f) == FASP_HANDSHAKE_OPEN) {
    memcpy (door->open, bytes, size);
    door->open_seen = TRUE;
  }
}

static FaspAddress
address_of (guint8 who)
{
  FaspAddress address = vnet_get_address (VNET_C);

  address.bytes[4] = who;
  return address;
}

/* A cookie that is right, for who would have got it. */
static void
add_cookie (Door *door, const FaspAddress *from, FaspHandshake *open)
{
  open->cookie_size = FASP_COOKIE_SIZE;
  fasp_cookie_make (door->listener->cookie_secret, vnet_get_time (door->net), from, open->nonce,
      open->cookie);
}

static void
send_open (Door *door, guint8 who, gboolean cookie, FaspHandshake *open)
{
  FaspAddress from = address_of (who);
  guint8 out[2048];
  FaspWriter w = { out, sizeof out };

  if (cookie)
    add_cookie (door, &from, open);
  fasp_wire_write_handshake (&w, open);
  if (!w.failed)
    vnet_inject (door->net, VNET_A, &from, out, w.used);
}

static FaspHandshake
new_call (Door *door)
{
  FaspHandshake open = { .type = FASP_HANDSHAKE_OPEN, .version = FASP_VERSION };

  open.from_cid = ++door->calls;
  memcpy (open.nonce, &door->calls, sizeof door->calls);
  return open;
}

/* Any message. */
static void
call_raw (Door *door, guint8 how, const guint8 *data, gsize size)
{
  FaspHandshake open = new_call (door);

  open.pattern = size > 0 ? data[0] % 6 : 0;
  open.to_cid = size > 1 ? data[1] : 0;
  open.message = data;
  open.message_size = MIN (size, FASP_MESSAGE_MAX);
  send_open (door, how & 7, how & 0x80, &open);
}

/* A right message, with anything for a hello. */
static void
call_hello (Door *door, guint8 how, const guint8 *data, gsize size)
{
  FaspCredentials *credentials = door->credentials[how >> 6 & 1];
  FaspHandshake open = new_call (door);
  guint8 message[FASP_MESSAGE_MAX], payload[512];
  guint8 ephemeral[FASP_KEY_SIZE] = { 1 };
  FaspWriter w = { message, sizeof message };
  FaspWriter p = { payload, sizeof payload };
  FaspHello hello = { .role = FASP_ROLE_RECEIVER, .window = 64, .cid = open.from_cid };
  FaspNoise noise;

  open.pattern = fasp_credentials_get_pattern (credentials);
  if (how & 0x10) { /* for the stream that the listener has, if it has a name */
    FaspStreamName name;

    fasp_stream_get_name (hello.role, STREAMID, &name);
    open.to_cid = fasp_stream_get_hint (open.nonce, &name);
  }
  if (how & 0x20) { /* right to begin with */
    fasp_credentials_offer (credentials, &hello);
    fasp_wire_write_hello (&p, &hello);
  }
  fasp_write_bytes (&p, data, MIN (size, sizeof payload - p.used));
  fasp_credentials_begin (credentials, TRUE, &open, ephemeral, &noise);
  if (!fasp_noise_write (&noise, payload, p.used, &w))
    abort ();
  open.message = message;
  open.message_size = w.used;
  send_open (door, how & 7, how & 0x80, &open);
}

/* An answer to the caller's last OPEN: any of its kind, or a right message with
 * anything for a hello. */
static void
answer (Door *door, guint8 how, const guint8 *data, gsize size)
{
  FaspAddress from = vnet_get_address (VNET_A);
  guint8 out[2048], message[FASP_MESSAGE_MAX], payload[FASP_MESSAGE_MAX];
  guint8 ephemeral[FASP_KEY_SIZE] = { 2 };
  FaspWriter w = { out, sizeof out }, m = { message, sizeof message };
  FaspHandshake open, reply = { 0 };
  FaspNoise noise;
  gsize done;

  if (!door->open_seen || !fasp_wire_parse_handshake (door->open, sizeof door->open, &open))
    return;
  if (how & 0x80) {
    fasp_credentials_begin (door->credentials[0], FALSE, &open, ephemeral, &noise);
    if (!fasp_noise_read (&noise, open.message, open.message_size, payload, &done)
        || !fasp_noise_write (&noise, data, MIN (size, 512), &m))
      abort ();
    reply.type = FASP_HANDSHAKE_ACCEPT;
    reply.from_cid = size > 4 ? data[4] : 1;
    reply.message = message;
    reply.message_size = m.used;
    reply.version = FASP_VERSION;
    reply.to_cid = open.from_cid;
    memcpy (reply.nonce, open.nonce, FASP_NONCE_SIZE);
    fasp_wire_write_handshake (&w, &reply);
  } else {
    fasp_write_uint (&w, FASP_FIRST_HANDSHAKE | how % 8, 1);
    fasp_write_uint (&w, FASP_VERSION, 1);
    fasp_write_uint (&w, open.from_cid, 4);
    fasp_write_uint (&w, 99, 4);
    fasp_write_bytes (&w, open.nonce, FASP_NONCE_SIZE);
    fasp_write_bytes (&w, data, size);
  }
  if (!w.failed)
    vnet_inject (door->net, VNET_B, &from, out, w.used);
}

static void
check (Door *door)
{
  FaspEndpoint *both[] = { door->listener, door->caller };

  for (guint i = 0; i < 2; i++) {
    FaspEvent event;

    if (both[i]->sessions->len > SESSIONS_LIMIT)
      abort ();
    while (fasp_endpoint_poll_event (both[i], &event))
      /* nobody has proved anything; without keys a caller takes what answers */
      if (i == 0 && event.type == FASP_EVENT_CONNECTED)
        abort ();
  }
}

/* The script: a byte of what, one of how, one of how many, those. */
static void
play (Door *door, const guint8 *data, gsize size)
{
  guint steps = 0;

  while (size >= 3 && steps++ < 100) {
    guint8 what = data[0], how = data[1];
    gsize n = MIN (size - 3, (gsize) data[2] * 4);
    FaspAddress from = address_of (how & 7);

    data += 3;
    size -= 3;
    switch (what % 5) {
      case 0:
        vnet_inject (door->net, how & 0x80 ? VNET_A : VNET_B, &from, data, n);
        break;
      case 1:
        call_raw (door, how, data, n);
        break;
      case 2:
        call_hello (door, how, data, n);
        break;
      case 3:
        answer (door, how, data, n);
        break;
      case 4:
        n = 0;
        break;
    }
    vnet_run (door->net,
        vnet_get_time (door->net) + (what % 5 == 4 ? how * 10 * FASP_MSEC : FASP_MSEC));
    data += n;
    size -= n;
    check (door);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const guint8 psk[FASP_KEY_SIZE] = { 3 };
  FaspAddress peer = vnet_get_address (VNET_A);
  FaspEndpointConfig config;
  Door door = { .net = vnet_new (1) };

  for (guint i = 0; i < 2; i++)
    door.credentials[i] = fasp_credentials_new ();
  fasp_credentials_set_psk (door.credentials[1], psk);
  fasp_endpoint_config_init (&config, FASP_ROLE_SENDER, FASP_MODE_LISTENER);
  config.credentials = door.credentials[size > 0 && data[0] & 0x80];
  config.ask = size > 0 && data[0] & 0x40;
  config.streamid = size > 0 && data[0] & 0x20 ? STREAMID : NULL;
  door.listener = fasp_endpoint_new (&config, vnet_random, door.net);
  fasp_endpoint_config_init (&config, FASP_ROLE_RECEIVER, FASP_MODE_CALLER);
  config.credentials = door.credentials[0];
  door.caller = fasp_endpoint_new (&config, vnet_random, door.net);
  vnet_attach (door.net, VNET_A, door.listener);
  vnet_attach (door.net, VNET_B, door.caller);
  vnet_get_wire (door.net, VNET_A, VNET_B)->loss = 1;
  fasp_endpoint_dial (door.caller, vnet_get_time (door.net), &peer);
  vnet_set_tap (door.net, on_datagram, &door);
  vnet_run (door.net, vnet_get_time (door.net) + FASP_MSEC);
  play (&door, data, size);
  vnet_run (door.net, vnet_get_time (door.net) + FASP_SEC);
  check (&door);
  vnet_attach (door.net, VNET_A, NULL);
  vnet_attach (door.net, VNET_B, NULL);
  fasp_endpoint_free (door.listener);
  fasp_endpoint_free (door.caller);
  for (guint i = 0; i < 2; i++)
    fasp_credentials_unref (door.credentials[i]);
  vnet_free (door.net);
  return 0;
}
