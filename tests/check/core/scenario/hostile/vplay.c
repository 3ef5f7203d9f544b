/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "vplay.h"

static void
on_datagram (gpointer data, VnetSide from, FaspTime now, guint8 *bytes, gsize size)
{
  VPlay *play = data;
  FaspSessionHeader header;
  FaspHandshake handshake;
  guint32 id = 0;
  VStranger *stranger;

  if (fasp_wire_is_session (bytes, size))
    id = fasp_wire_parse_session (bytes, size, &header) ? header.cid : 0;
  else if (fasp_wire_parse_handshake (bytes, size, &handshake))
    id = handshake.to_cid;
  stranger = g_hash_table_lookup (play->by_id, GUINT_TO_POINTER (id));
  if (from == VNET_A && stranger != NULL)
    vstranger_hear (stranger, now, bytes, size);
}

static void
free_stranger (gpointer stranger)
{
  vstranger_clear (stranger);
  g_free (stranger);
}

VPlay *
vplay_new (FaspRole role)
{
  VPlay *play = g_new0 (VPlay, 1);

  play->net = vnet_new (1);
  play->strangers = g_ptr_array_new_with_free_func (free_stranger);
  play->by_id = g_hash_table_new (NULL, NULL);
  vnet_set_tap (play->net, on_datagram, play);
  fasp_endpoint_config_init (&play->config, role, FASP_MODE_LISTENER);
  play->config.settings.max_bitrate = 20000000;
  play->config.settings.wait_for_connection = FALSE;
  play->config.settings.slow_policy = FASP_SLOW_SKIP;
  return play;
}

void
vplay_begin (VPlay *play)
{
  play->sink = vnet_add_endpoint (play->net, VNET_A, &play->config);
}

void
vplay_free (VPlay *play)
{
  for (guint side = VNET_A; side <= VNET_B; side++)
    vnet_attach (play->net, side, NULL);
  fasp_endpoint_free (play->sink);
  fasp_endpoint_free (play->good);
  g_ptr_array_unref (play->strangers);
  g_hash_table_unref (play->by_id);
  vnet_free (play->net);
  g_free (play);
}

void
vplay_add_good (VPlay *play, FaspTime rtt, guint latency_ms)
{
  FaspAddress peer = vnet_get_address (VNET_A);
  FaspEndpointConfig config;

  fasp_endpoint_config_init (&config,
      play->config.role == FASP_ROLE_SENDER ? FASP_ROLE_RECEIVER : FASP_ROLE_SENDER,
      FASP_MODE_CALLER);
  config.settings.latency_ms = latency_ms;
  config.settings.max_bitrate = play->config.settings.max_bitrate;
  play->good = vnet_add_endpoint (play->net, VNET_B, &config);
  vnet_get_wire (play->net, VNET_A, VNET_B)->delay = rtt / 2;
  vnet_get_wire (play->net, VNET_B, VNET_A)->delay = rtt / 2;
  fasp_endpoint_dial (play->good, vnet_get_time (play->net), &peer);
}

FaspAddress
vplay_get_address (guint32 network)
{
  FaspAddress at = vnet_get_address (VNET_C);

  memcpy (at.bytes + 4, &network, sizeof network);
  return at;
}

VStranger *
vplay_add_stranger (VPlay *play, const FaspAddress *at, FaspRole role)
{
  VStranger *stranger = g_new (VStranger, 1);
  guint32 id = 1000000 + play->strangers->len;

  vstranger_init (stranger, play->net, at, id, role, 1 << 20);
  g_ptr_array_add (play->strangers, stranger);
  g_hash_table_insert (play->by_id, GUINT_TO_POINTER (id), stranger);
  return stranger;
}

void
vplay_call (VPlay *play, VStranger *stranger)
{
  guint8 data[FASP_OPEN_SIZE];

  if (vstranger_call (stranger, vnet_get_time (play->net), data))
    vnet_inject (play->net, VNET_A, &stranger->at, data, sizeof data);
}

gboolean
vplay_let_in (VPlay *play, VStranger *stranger)
{
  for (guint i = 0; i < 200 && !stranger->let_in; i++) {
    vplay_call (play, stranger);
    vnet_run_for (play->net, 10 * FASP_MSEC);
  }
  return stranger->let_in;
}

void
vplay_say_from (VPlay *play, VStranger *stranger, const FaspAddress *from, const FaspWriter *frames)
{
  guint8 data[FASP_DATAGRAM_MAX];
  gsize size = vstranger_say (stranger, frames, data);

  vnet_inject (play->net, VNET_A, from, data, size);
}

void
vplay_say (VPlay *play, VStranger *stranger, const FaspWriter *frames)
{
  vplay_say_from (play, stranger, &stranger->at, frames);
}

void
vplay_say_ping (VPlay *play, VStranger *stranger, const FaspAddress *from)
{
  guint8 data[64];
  FaspWriter w = { data, sizeof data };

  fasp_wire_write_number (&w, FASP_FRAME_PING, 1);
  vplay_say_from (play, stranger, from, &w);
}

FaspFeedback
vplay_make_feedback (guint64 serial, guint64 ack)
{
  return (FaspFeedback) {
    .serial = serial,
    .ack = ack,
    .from = ack,
    .end = ack,
    .window = 1 << 20,
    .tail = FALSE,
  };
}

void
vplay_say_feedback (VPlay *play, VStranger *stranger, const FaspFeedback *feedback)
{
  guint8 data[4096];
  FaspWriter w = { data, sizeof data };

  fasp_wire_write_feedback (&w, feedback);
  vplay_say (play, stranger, &w);
}

FaspSession *
vplay_get_session (VPlay *play, const VStranger *stranger)
{
  return g_hash_table_lookup (play->sink->by_id, GUINT_TO_POINTER (stranger->agreement.hello.cid));
}

void
vplay_say_acknowledged (VPlay *play, VStranger *stranger)
{
  const FaspSession *session = vplay_get_session (play, stranger);
  FaspFeedback f;

  if (session == NULL)
    return;
  f = vplay_make_feedback (1 + stranger->pn, fasp_tx_view (session->tx)->cursor);
  if (session->n_flows > 0 && session->flows[0].next_pn > 0) {
    f.n_flows = 1;
    f.flows[0] = (FaspFeedbackFlow) {
      .largest = session->flows[0].next_pn - 1,
      .received = session->flows[0].next_pn,
    };
  }
  vplay_say_feedback (play, stranger, &f);
}

FaspSessionStats
vplay_get_stats (FaspEndpoint *endpoint, FaspTime now)
{
  FaspSessionStats stats = { 0 };

  fasp_endpoint_get_sessions (endpoint, now, &(guint64) { 0 }, &stats, 1);
  return stats;
}

void
vplay_stream (VPlay *play, FaspTime time, guint64 bitrate)
{
  const FaspTime step = 10 * FASP_MSEC;
  static guint8 data[1 << 16];
  gsize size = bitrate / 8 * step / FASP_SEC;
  FaspRead read;

  g_assert_cmpuint (size, <=, sizeof data);
  for (FaspTime t = 0; t < time; t += step) {
    FaspTime now = vnet_get_time (play->net);

    play->written += fasp_endpoint_write (play->sink, now, now, data, size, NULL);
    vnet_run_for (play->net, step);
    while (play->good != NULL
        && fasp_endpoint_read (play->good, vnet_get_time (play->net), &read)) {
      FaspBlock *block = read.block;

      play->read += fasp_block_get_payload (block);
      fasp_block_unref (block);
    }
  }
}
