/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A group, and who means no good: anybody, who sends to the group or to one of it; and a
 * member, who has the group's key and a session of its own.  The input is a script of
 * datagrams, sealed as they must be, and of time that passes, against a sender and two
 * receivers in virtual time.
 *
 * Nothing may crash, spin (vgroup checks), or hold more than its limit.
 */
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>
#include "faspcredentials.h"
#include "faspendpointbase.h"
#include "faspmulticastreceiver.h"
#include "faspsessionprivate.h"
#include "vgroup.h"
#include "vseal.h"

#define LIMIT (256 * 1024)
#define RECEIVERS 2
#define GROUP_SOCKET 1

typedef struct
{
  Vgroup *g;
} Fuzz;

/* The first session of an end, NULL: none is open. */
static FaspSession *
get_session (FaspEndpoint *endpoint)
{
  FaspSession *session = endpoint->sessions->len > 0 ? fasp_endpoint_nth (endpoint, 0) : NULL;

  return session != NULL && session->state == FASP_SESSION_OPEN ? session : NULL;
}

/* The frames in a datagram of this session, or group; 0: not possible. */
static gsize
seal (FaspSealer *sealer, guint32 cid, guint8 flow, guint64 pn, const guint8 *frames, gsize size,
    guint8 out[2048])
{
  FaspSessionHeader header = { .flow = flow, .cid = cid, .pn = pn & 0xffffff };
  FaspWriter w = { out, 2048 };

  fasp_wire_write_session (&w, &header);
  fasp_write_bytes (&w, frames, size);
  vseal_close (sealer, flow, pn, &w);
  return w.failed ? 0 : w.used;
}

/* A packet number that may follow: often the next. */
static guint64
leap (guint8 how)
{
  return how < 200 ? how / 50 : (guint64) how << 8;
}

/* By who has the key of the group, to a member. */
static void
send_group (Fuzz *fuzz, guint to, guint8 how, const guint8 *frames, gsize size)
{
  FaspSession *session = get_session (fuzz->g->receivers[to].endpoint);
  FaspAddress from = { .len = 8, .overhead = 28, .socket = GROUP_SOCKET };
  FaspMulticastReceiver *receiver;
  FaspSealer *sealer;
  guint8 out[2048];
  guint64 pn;

  if (session == NULL || session->group.receiver == NULL)
    return;
  receiver = session->group.receiver;
  pn = fasp_gap_get_expected (receiver->gap) + 1;
  sealer = fasp_sealer_new (receiver->cipher, receiver->key);
  size = seal (sealer, receiver->cid, FASP_GROUP_FLOW, pn + leap (how), frames, size, out);
  fasp_sealer_free (sealer);
  vgroup_inject (fuzz->g, to, &from, out, size);
}

/* By a member, to the sender.  (What a sender may say to one is fuzz-session's.) */
static void
send_session (Fuzz *fuzz, guint who, guint8 how, const guint8 *frames, gsize size)
{
  FaspSession *session = get_session (fuzz->g->receivers[who].endpoint);
  FaspAddress from = { .len = 8, .overhead = 28, .bytes = { 0, who, 7001 >> 8, 7001 & 0xff } };
  guint8 out[2048];

  if (session == NULL)
    return;
  session->flows[0].next_pn += leap (how) + 1;
  size = seal (session->priv->keys.sealer, session->peer_id, 0, session->flows[0].next_pn - 1,
      frames, size, out);
  if (size > 0)
    fasp_endpoint_receive (fuzz->g->sender, fuzz->g->now, &from, out, size, NULL, FALSE);
}

/* By nobody in particular: an announcement of any address, or whatever it is. */
static void
send_raw (Fuzz *fuzz, guint to, guint8 how, const guint8 *data, gsize size)
{
  FaspHandshake announce = { .type = FASP_HANDSHAKE_ANNOUNCE, .version = FASP_VERSION };
  FaspAddress from = { .len = 8, .overhead = 28 };
  guint8 out[256];
  FaspWriter w = { out, sizeof out };

  from.bytes[1] = how >> 2; /* also the members', and the sender's */
  from.bytes[0] = how & 0x40 ? 0xff : 0;
  from.socket = how & 1;
  if (how & 0x80) {
    memcpy (announce.nonce, data, MIN (size, FASP_NONCE_SIZE));
    fasp_wire_write_handshake (&w, &announce);
    vgroup_inject (fuzz->g, to, &from, out, w.used);
  } else {
    vgroup_inject (fuzz->g, to, &from, data, size);
  }
}

static void
change (Fuzz *fuzz, guint who, guint8 how)
{
  VgroupReceiver *r = &fuzz->g->receivers[who];

  switch (how % 6) {
    case 0:
      r->no_multicast = !r->no_multicast;
      break;
    case 1:
      r->gone = !r->gone;
      break;
    case 2:
      vgroup_refuse (fuzz->g, who);
      break;
    case 3:
      fuzz->g->trunk.config.loss = how / 6 % 2 ? .3 : 0;
      break;
    case 4:
      r->branch.config.loss = how / 6 % 2 ? .5 : 0;
      break;
    case 5:
      fuzz->g->bitrate = how / 6 * 100000;
      break;
  }
}

/* What was forged is no stream that vgroup could check. */
static void
read_some (Fuzz *fuzz, guint who, guint n)
{
  FaspRead read;

  while (n-- > 0 && fasp_endpoint_read (fuzz->g->receivers[who].endpoint, fuzz->g->now, &read))
    fasp_block_unref (read.block);
}

static void
check (FaspEndpoint *endpoint)
{
  FaspEndpointStats stats;

  fasp_endpoint_get_stats (endpoint, &stats);
  if (stats.buffer_bytes > LIMIT)
    abort ();
}

/* The script: a byte of what and whom, one of how, one of how many, those. */
static void
play (Fuzz *fuzz, const guint8 *data, gsize size)
{
  guint steps = 0;

  while (size >= 3 && steps++ < 100) {
    guint8 what = data[0] / RECEIVERS % 8, who = data[0] % RECEIVERS;
    guint8 how = data[1];
    gsize n = MIN (size - 3, (gsize) data[2] * 4);

    data += 3;
    size -= 3;
    if (what >= 5)
      n = 0;
    switch (what) {
      case 0:
      case 1:
        send_group (fuzz, who, how, data, n);
        break;
      case 2:
      case 3:
        send_session (fuzz, who, how, data, n);
        break;
      case 4:
        send_raw (fuzz, who, how, data, n);
        break;
      case 5:
        change (fuzz, who, how);
        break;
      case 6:
        read_some (fuzz, who, how);
        break;
      case 7:
        vgroup_run (fuzz->g, how * FASP_MSEC);
        break;
    }
    data += n;
    size -= n;
    check (fuzz->g->sender);
    for (guint i = 0; i < RECEIVERS; i++)
      check (fuzz->g->receivers[i].endpoint);
  }
}

static void
configure (FaspEndpointConfig *config, FaspCredentials *credentials, guint8 flags)
{
  static const FaspSlowPolicy policies[] = { FASP_SLOW_WAIT, FASP_SLOW_DROP_RECEIVER,
    FASP_SLOW_SKIP };

  config->credentials = credentials;
  config->buffer_size = LIMIT;
  config->settings.slow_policy = policies[(flags >> 2) % 3];
  config->settings.too_late_skip = flags & 0x80;
  if (flags & 0x20) {
    config->fec = FASP_FEC_FIXED;
    config->fec_share = .2;
  }
  if (flags & 0x40)
    config->history = FASP_SEC;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  guint8 flags = size > 0 ? data[0] : 0;
  FaspCredentials *credentials = fasp_credentials_new ();
  Fuzz fuzz = { .g = vgroup_new (1) };

  /* what is inside the seal is the point: no time is spent on ciphers */
  fasp_credentials_set_cipher (credentials, FASP_CIPHER_NONE);
  configure (&fuzz.g->sender_config, credentials, flags);
  configure (&fuzz.g->receiver_config, credentials, flags);
  vgroup_set_sender (fuzz.g);
  for (guint i = 0; i < RECEIVERS; i++) {
    vgroup_add (fuzz.g, 10 * FASP_MSEC);
    fuzz.g->receivers[i].stopped = TRUE;
  }
  fuzz.g->bitrate = 400000;
  vgroup_run (fuzz.g, FASP_SEC / 2);
  if (fuzz.g->events[FASP_EVENT_CONNECTED] != RECEIVERS)
    abort ();
  play (&fuzz, data, size);
  vgroup_run (fuzz.g, FASP_SEC / 2);
  check (fuzz.g->sender);
  vgroup_free (fuzz.g);
  fasp_credentials_unref (credentials);
  return 0;
}
