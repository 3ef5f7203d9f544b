/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A whole session whose peer is hostile and holds the key: the input is a
 * script of datagrams, sealed as they must be, of bytes written and read, and
 * of time that passes, against a sender and a receiver in virtual time.
 *
 * Nothing may crash, spin (vnet checks), or hold more than its limit.
 */
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>
#include "vspy.h"

#define LIMIT (256 * 1024)
#define FLOWS 4 /* if the first byte says so, as of repairs; else one */

typedef struct
{
  Vnet *net;
  FaspEndpoint *sides[2];
  VSpy spy;
  guint64 pns[2][FLOWS];
  FaspTime started;
  guint key_frames; /* that the encoder was asked for */
} Fuzz;

static void
on_datagram (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  Fuzz *fuzz = data;

  vspy_see (&fuzz->spy, bytes, size);
}

static void
send_sealed (Fuzz *fuzz, VnetSide to, guint8 flow, guint8 jump, const guint8 *frames, gsize size)
{
  FaspAddress from = vnet_get_address (to == VNET_A ? VNET_B : VNET_A);
  guint64 *pn = &fuzz->pns[to][flow];
  guint8 out[2048];
  FaspWriter w = { out, sizeof out };

  *pn += 1 + (jump < 200 ? jump / 50 : (guint64) jump << 8);
  vspy_seal (&fuzz->spy, to == VNET_A, flow, *pn, frames, size, &w);
  if (!w.failed)
    vnet_inject (fuzz->net, to, &from, out, w.used);
}

static void
read_some (Fuzz *fuzz, guint n)
{
  FaspTime now = vnet_get_time (fuzz->net);
  FaspRead read;

  while (n-- > 0 && fasp_endpoint_read (fuzz->sides[VNET_B], now, &read))
    fasp_block_unref (read.block);
}

static void
check (Fuzz *fuzz)
{
  for (guint i = 0; i < 2; i++) {
    FaspEndpointStats stats;
    FaspEvent event;

    fasp_endpoint_get_stats (fuzz->sides[i], &stats);
    if (stats.buffer_bytes > LIMIT)
      abort ();
    while (fasp_endpoint_poll_event (fuzz->sides[i], &event))
      fuzz->key_frames += event.type == FASP_EVENT_KEY_FRAME;
  }
  /* whatever the peer says */
  if (fuzz->key_frames > 1 + (vnet_get_time (fuzz->net) - fuzz->started) / FASP_SEC)
    abort ();
}

/* What is written next is somewhere else, a key frame, or has another header. */
static void
write_position (Fuzz *fuzz, guint8 argument, const guint8 *data, gsize size)
{
  FaspTime now = vnet_get_time (fuzz->net);
  FaspStreamOffset position = { .known = TRUE };

  if (argument == 252) {
    g_autoptr (GBytes) header = size > 0 ? g_bytes_new (data, size) : NULL;

    fasp_endpoint_set_header (fuzz->sides[VNET_A], now, header);
  } else if (argument == 253)
    fasp_endpoint_begin_key_frame (fuzz->sides[VNET_A], now, now, FALSE);
  else if (argument == 254 || size < 9)
    fasp_endpoint_set_stream_offset (fuzz->sides[VNET_A], now, now, NULL);
  else {
    position.origin.bytes[0] = data[0];
    memcpy (&position.offset, data + 1, 8);
    fasp_endpoint_set_stream_offset (fuzz->sides[VNET_A], now, now, &position);
  }
}

/* The reader has bytes from another source: of the stream that is written, or of another. */
static void
set_elsewhere (Fuzz *fuzz, const guint8 *data)
{
  FaspOtherSources others = { .recovery_time = data[9] / 2 * FASP_MSEC, .stands_by = data[9] & 1 };

  others.has.known = TRUE;
  others.has.origin.bytes[0] = data[0];
  memcpy (&others.has.offset, data + 1, 8);
  fasp_endpoint_set_other_sources (fuzz->sides[VNET_B], vnet_get_time (fuzz->net), &others);
}

/* The script: a byte of what, a byte of how much, that many bytes. */
static void
play (Fuzz *fuzz, const guint8 *data, gsize size)
{
  guint steps = 0;

  while (size >= 3 && steps++ < 200) {
    FaspTime now = vnet_get_time (fuzz->net);
    guint8 what = data[0], argument = data[1];
    gsize n = MIN (size - 3, (gsize) data[2] * 4);
    FaspAddress from = vnet_get_address (VNET_C);

    data += 3;
    size -= 3;
    switch (what % 8) {
      case 0:
      case 1:
      case 2:
        send_sealed (fuzz, what % 2, what / 8 % FLOWS, argument, data, n);
        break;
      case 3:
        vnet_inject (fuzz->net, what / 8 % 2, &from, data, n);
        break;
      case 4:
        vnet_run (fuzz->net, now + argument * FASP_MSEC);
        n = 0;
        break;
      case 5:
        if (argument >= 252)
          write_position (fuzz, argument, data, n);
        else
          fasp_endpoint_write (fuzz->sides[VNET_A], now, now, data, n, NULL);
        break;
      case 6:
        if (argument == 255 && n >= 10) {
          set_elsewhere (fuzz, data);
          break;
        }
        read_some (fuzz, argument);
        n = 0;
        break;
      case 7:
        if (argument == 255)
          fasp_endpoint_finish (fuzz->sides[VNET_A], now);
        else if (argument == 253)
          fasp_endpoint_want_key_frame (fuzz->sides[VNET_B], now);
        else if (argument == 254)
          vnet_rebind (fuzz->net, what / 8 % 2, 5000 + argument);
        else
          vnet_run (fuzz->net, now + argument * 10);
        n = 0;
        break;
    }
    data += n;
    size -= n;
    check (fuzz);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FaspEndpointConfig config[2];
  Fuzz fuzz = { .net = vnet_new (1) };
  FaspAddress peer = vnet_get_address (VNET_B);
  FaspAddress others[FLOWS - 1];
  FaspCredentials *credentials = fasp_credentials_new ();

  /* what is inside the seal is the point: no time is spent on ciphers */
  fasp_credentials_set_cipher (credentials, FASP_CIPHER_NONE);
  vspy_init (&fuzz.spy, fuzz.net);
  fuzz.started = vnet_get_time (fuzz.net);
  for (guint i = 0; i < FLOWS - 1; i++) {
    others[i] = peer;
    fasp_address_add_port (&others[i], i + 1);
  }
  fasp_endpoint_config_init (&config[0], FASP_ROLE_SENDER, FASP_MODE_CALLER);
  fasp_endpoint_config_init (&config[1], FASP_ROLE_RECEIVER, FASP_MODE_LISTENER);
  config[0].settings.max_bitrate = 10000000;
  for (guint i = 0; i < 2; i++) {
    config[i].buffer_size = LIMIT;
    config[i].credentials = credentials;
    config[i].settings.too_late_skip = size > 0 && data[0] & 0x80;
    config[i].one_of_several = size > 0 && data[0] & 0x02;
    if (size > 0 && data[0] & 0x20) {
      config[i].fec = FASP_FEC_FIXED;
      config[i].fec_share = .2;
    }
    if (size > 0 && data[0] & 0x08) {
      config[i].history = FASP_SEC;
      config[i].join = FASP_JOIN_KEY_FRAME;
      config[i].settings.wait_for_connection = FALSE;
    }
    if (size > 0 && data[0] & 0x10)
      config[i].rate_control = FASP_RATE_CONTROL_ADAPTIVE;
    if (size > 1 && data[0] & 0x10 && data[1] & 0x01)
      config[i].rate_control = FASP_RATE_CONTROL_PERT;
    if (size > 0 && data[0] & 0x40)
      config[i].flows = config[i].flowlets = FLOWS;
    /* each of them is a way by itself */
    if (size > 2 && data[0] & 0x40 && data[2] & 0x01) {
      config[i].flowlets = 1;
      config[i].others = others;
    }
    fuzz.sides[i] = i == VNET_A ? fasp_endpoint_new (&config[i], vspy_random, &fuzz.spy) :
                                  fasp_endpoint_new (&config[i], vnet_random, fuzz.net);
    vnet_attach (fuzz.net, i, fuzz.sides[i]);
    vnet_get_wire (fuzz.net, i, !i)->delay = 5 * FASP_MSEC;
    for (guint flow = 0; flow < FLOWS; flow++)
      fuzz.pns[i][flow] = 64;
  }
  vnet_set_tap (fuzz.net, on_datagram, &fuzz);
  fasp_endpoint_dial (fuzz.sides[VNET_A], vnet_get_time (fuzz.net), &peer);
  vnet_run (fuzz.net, vnet_get_time (fuzz.net) + 30 * FASP_MSEC);
  if (!fuzz.spy.knows)
    abort ();
  play (&fuzz, data, size);
  vnet_run (fuzz.net, vnet_get_time (fuzz.net) + FASP_SEC);
  check (&fuzz);
  for (guint i = 0; i < 2; i++) {
    vnet_attach (fuzz.net, i, NULL);
    fasp_endpoint_free (fuzz.sides[i]);
  }
  vnet_free (fuzz.net);
  fasp_credentials_unref (credentials);
  return 0;
}
