/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspcredentials.h"
#include "vcast.h"

/* How often ends read and write. */
#define STEP (5 * FASP_MSEC)
#define IDLE_STEP (50 * FASP_MSEC)

VCast *
vcast_new (guint32 seed)
{
  VCast *n = g_new0 (VCast, 1);

  n->net = vnet_new (seed);
  n->bitrate = 4000000;
  fasp_endpoint_config_init (&n->sender, FASP_ROLE_SENDER, FASP_MODE_LISTENER);
  fasp_endpoint_config_init (&n->receiver, FASP_ROLE_RECEIVER, FASP_MODE_CALLER);
  n->sender.settings.max_bitrate = 10000000;
  n->receiver.settings.max_bitrate = 0;
  for (guint i = 1; i < VNET_NODES; i++) {
    vnet_get_wire (n->net, VNET_A, i)->delay = VCAST_RTT / 2;
    vnet_get_wire (n->net, i, VNET_A)->delay = VCAST_RTT / 2;
  }
  return n;
}

void
vcast_leave (VCast *n, VnetSide side)
{
  vnet_attach (n->net, side, NULL);
  fasp_endpoint_free (n->nodes[side].endpoint);
  n->nodes[side].endpoint = NULL;
}

void
vcast_free (VCast *n)
{
  for (guint i = 0; i < VNET_NODES; i++)
    vcast_leave (n, i);
  fasp_credentials_unref (n->sender.credentials);
  fasp_credentials_unref (n->receiver.credentials);
  vnet_free (n->net);
  g_free (n);
}

void
vcast_let_call (VCast *n, VnetSide caller)
{
  n->sender.mode = caller == VNET_A ? FASP_MODE_CALLER : FASP_MODE_LISTENER;
  n->receiver.mode = caller == VNET_A ? FASP_MODE_LISTENER : FASP_MODE_CALLER;
}

void
vcast_join (VCast *n, VnetSide side, VnetSide peer)
{
  const FaspEndpointConfig *c = side == VNET_A ? &n->sender : &n->receiver;
  FaspAddress address = vnet_get_address (peer);

  memset (&n->nodes[side], 0, sizeof n->nodes[side]);
  n->nodes[side].origin = -1;
  n->nodes[side].endpoint = vnet_add_endpoint (n->net, side, c);
  if (c->mode != FASP_MODE_LISTENER)
    fasp_endpoint_dial (n->nodes[side].endpoint, vnet_get_time (n->net), &address);
}

void
vcast_begin (VCast *n, VnetSide last)
{
  gboolean calls = n->sender.mode == FASP_MODE_CALLER;

  if (!calls)
    vcast_join (n, VNET_A, VNET_B);
  for (VnetSide side = VNET_B; side <= last; side++)
    vcast_join (n, side, VNET_A);
  if (calls)
    vcast_join (n, VNET_A, VNET_B);
}

void
vcast_close (VCast *n, VnetSide side)
{
  fasp_endpoint_close (n->nodes[side].endpoint, vnet_get_time (n->net), FASP_REASON_STOPPED);
}

static void
read_node (VCast *n, VCastNode *node)
{
  FaspTime now = vnet_get_time (n->net);
  FaspRead read;

  while (!node->stopped && fasp_endpoint_read (node->endpoint, now, &read)) {
    FaspBlock *block = read.block;

    if (block->flags & FASP_BLOCK_HEADER) { /* no part of the stream */
      fasp_block_unref (block);
      continue;
    }
    if (block->flags & FASP_BLOCK_EOS)
      node->eos = TRUE;
    if ((block->flags & FASP_BLOCK_DISCONT) && node->origin >= 0) {
      node->discontinuities++;
      node->origin = -1;
    }
    /* find where in the stream this is */
    for (guint64 o = node->read; node->origin < 0 && block->size > 0; o++) {
      guint i = 0;

      g_assert_cmpuint (o, <, node->read + (1 << 27));
      while (i < MIN (block->size, 64) && block->data[i] == vcast_byte_at (o + i))
        i++;
      if (i == MIN (block->size, 64))
        node->origin = o - node->read;
    }
    for (guint i = 0; i < block->size; i++)
      if (block->data[i] != vcast_byte_at (node->origin + node->read++))
        node->wrong = TRUE;
    node->play = read.arrival;
    node->shift = read.arrival - block->media_time;
    fasp_block_unref (block);
  }
}

static void
step (VCast *n, FaspTime time)
{
  FaspEndpoint *a = n->nodes[VNET_A].endpoint;
  FaspTime now;

  vnet_run_for (n->net, time);
  now = vnet_get_time (n->net);
  for (guint i = 0; i < VNET_NODES; i++) {
    VCastNode *node = &n->nodes[i];
    FaspEndpointStats stats;
    FaspEvent event;

    if (node->endpoint == NULL)
      continue;
    while (fasp_endpoint_poll_event (node->endpoint, &event)) {
      node->events[event.type]++;
      node->last[event.type] = event;
    }
    if (i != VNET_A)
      read_node (n, node);
    fasp_endpoint_get_stats (node->endpoint, &stats);
    node->max_buffer = MAX (node->max_buffer, stats.buffer_bytes);
  }
  if (a == NULL)
    return;
  n->held += n->bitrate / 8 * time / FASP_SEC;
  while (n->held > 0) {
    guint8 data[4096];
    gsize size = MIN (n->held, sizeof data), taken;

    for (guint i = 0; i < size; i++)
      data[i] = vcast_byte_at (n->written + i);
    taken = fasp_endpoint_write (a, now, now, data, size, NULL);
    n->written += taken;
    n->held -= taken;
    if (taken < size)
      break;
  }
  if (n->finish)
    fasp_endpoint_finish (a, now);
}

void
vcast_run (VCast *n, FaspTime time)
{
  FaspTime until = vnet_get_time (n->net) + time;
  /* where nothing is written, reading can wait, and @time may be hours */
  gboolean idle = n->bitrate == 0 && n->held == 0;

  while (vnet_get_time (n->net) < until)
    step (n, idle ? CLAMP (until - vnet_get_time (n->net), STEP, IDLE_STEP) : STEP);
}

void
vcast_end (VCast *n)
{
  n->bitrate = n->held = 0;
  n->finish = TRUE;
  vcast_run (n, 5 * FASP_SEC);
}

void
vcast_lose (VCast *n, gdouble loss)
{
  vnet_get_wire (n->net, VNET_A, VNET_B)->loss = loss;
  vnet_get_wire (n->net, VNET_B, VNET_A)->loss = loss;
}

void
vcast_assert_whole (VCast *n, VnetSide side)
{
  VCastNode *node = &n->nodes[side];

  g_assert_false (node->wrong);
  g_assert_true (node->eos);
  g_assert_cmpuint (node->discontinuities, ==, 0);
  g_assert_cmpuint (node->origin + node->read, ==, n->written);
  g_assert_true (fasp_endpoint_is_drained (n->nodes[VNET_A].endpoint));
}

void
vcast_end_whole (VCast *n, VnetSide last)
{
  vcast_end (n);
  for (VnetSide side = VNET_B; side <= last; side++)
    vcast_assert_whole (n, side);
}

void
vcast_assert_gap_notified (VCast *n, VnetSide side, gint64 joined, gboolean left_behind)
{
  const VCastNode *node = &n->nodes[side];
  guint64 missing = vcast_get_stats (n, side).bytes_missing;

  g_assert_cmpuint (node->events[FASP_EVENT_GAP], ==, 1);
  g_assert_true (node->last[FASP_EVENT_GAP].left_behind == left_behind);
  g_assert_cmpuint (missing, >, 0);
  /* what is missing moves it */
  g_assert_cmpuint (missing, ==, node->origin - joined);
}

FaspEndpointStats
vcast_get_stats (VCast *n, VnetSide side)
{
  FaspEndpointStats stats;

  fasp_endpoint_get_stats (n->nodes[side].endpoint, &stats);
  return stats;
}

FaspSessionStats
vcast_get_session (VCast *n, VnetSide side)
{
  FaspSessionStats stats = { 0 };

  fasp_endpoint_get_sessions (n->nodes[side].endpoint, vnet_get_time (n->net), &(guint64) { 0 },
      &stats, 1);
  return stats;
}
