/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vchain.h"

#define VCHAIN_HOPS_MAX 4

FaspTime
vchain_media_time_of (const VChain *p, guint64 offset)
{
  return p->media_base + offset / VCHAIN_CHUNK * VCHAIN_CHUNK * 8 * FASP_SEC / VCHAIN_BITRATE;
}

VChain *
vchain_new (guint32 seed)
{
  VChain *p = g_new0 (VChain, 1);

  p->net = vnet_new (seed);
  fasp_endpoint_config_init (&p->sender, FASP_ROLE_SENDER, FASP_MODE_LISTENER);
  fasp_endpoint_config_init (&p->receiver, FASP_ROLE_RECEIVER, FASP_MODE_CALLER);
  p->sender.settings.max_bitrate = VCHAIN_CHANNEL;
  p->sender.settings.latency_ms = p->receiver.settings.latency_ms = 300;
  p->rand = g_rand_new_with_seed (seed);
  p->media_base = 5 * FASP_SEC;
  p->end.offset = FASP_OFFSET_UNKNOWN;
  return p;
}

void
vchain_free (VChain *p)
{
  for (guint i = 0; i < VNET_NODES; i++)
    vnet_attach (p->net, i, NULL);
  fasp_endpoint_free (p->source);
  fasp_endpoint_free (p->last);
  for (guint i = 0; i < G_N_ELEMENTS (p->relays); i++) {
    fasp_endpoint_free (p->relays[i].in);
    fasp_endpoint_free (p->relays[i].out);
    if (p->relays[i].held.block != NULL)
      fasp_block_unref (p->relays[i].held.block);
  }
  vnet_free (p->net);
  g_rand_free (p->rand);
  g_free (p);
}

void
vchain_wire (VChain *p, VnetSide a, VnetSide b, FaspTime rtt, gdouble loss)
{
  VnetSide sides[2] = { a, b };

  for (guint i = 0; i < 2; i++) {
    ImpairConfig *w = vnet_get_wire (p->net, sides[i], sides[1 - i]);

    w->delay = rtt / 2;
    w->loss = loss;
  }
}

void
vchain_dial (VChain *p, FaspEndpoint *endpoint, VnetSide peer)
{
  FaspAddress address = vnet_get_address (peer);

  fasp_endpoint_dial (endpoint, vnet_get_time (p->net), &address);
}

void
vchain_begin (VChain *p)
{
  p->source = vnet_add_endpoint (p->net, VNET_A, &p->sender);
}

void
vchain_join (VChain *p, VnetSide peer)
{
  p->last = vnet_add_endpoint (p->net, VNET_H, &p->receiver);
  vchain_dial (p, p->last, peer);
}

void
vchain_add_relay (VChain *p, guint n, VnetSide upstream, VnetSide side)
{
  p->relays[n].in = vnet_add_endpoint (p->net, side, &p->receiver);
  p->relays[n].out = vnet_add_endpoint (p->net, side + 1, &p->sender);
  vchain_dial (p, p->relays[n].in, upstream);
}

static void
write_source (VChain *p, FaspTime now)
{
  while (p->written + VCHAIN_CHUNK <= p->due) {
    guint8 data[VCHAIN_CHUNK];

    for (guint i = 0; i < VCHAIN_CHUNK; i++)
      data[i] = vcast_byte_at (p->written + i);
    if (!fasp_endpoint_can_write (p->source)) {
      p->blocked++;
      return;
    }
    if (p->wall.known) {
      FaspCapture capture = p->wall;

      capture.time += vchain_media_time_of (p, p->written);
      fasp_endpoint_set_capture (p->source, now, vchain_media_time_of (p, p->written), &capture);
    }
    g_assert_cmpuint (fasp_endpoint_write (p->source, now, vchain_media_time_of (p, p->written),
                          data, VCHAIN_CHUNK, NULL),
        ==, VCHAIN_CHUNK);
    p->written += VCHAIN_CHUNK;
  }
  if (p->finished)
    fasp_endpoint_finish (p->source, now);
}

static void
run_relay (VChainRelay *r, FaspTime now)
{
  FaspEvent event;

  if (r->in == NULL)
    return;
  while (fasp_endpoint_poll_event (r->in, &event))
    ;
  while (fasp_endpoint_poll_event (r->out, &event))
    ;
  for (;;) {
    FaspStreamOffset position;

    if (r->held.block == NULL) {
      if (!fasp_endpoint_read (r->in, now, &r->held))
        return;
      r->done = 0;
    }
    if (r->held.block->flags & FASP_BLOCK_EOS) {
      fasp_endpoint_finish (r->out, now);
      r->ended = TRUE;
    } else {
      position = r->held.behind;
      position.offset = r->held.block->offset;
      if (r->done == 0
          && !fasp_endpoint_set_stream_offset (r->out, now, r->held.block->media_time, &position))
        return;
      if (r->done == 0 && (r->held.block->flags & FASP_BLOCK_KEY))
        fasp_endpoint_begin_key_frame (r->out, now, r->held.block->media_time, FALSE);
      if (r->done == 0)
        fasp_endpoint_set_capture (r->out, now, r->held.block->media_time, &r->held.capture);
      r->done += fasp_endpoint_write (r->out, now, r->held.block->media_time,
          r->held.block->data + r->done, r->held.block->size - r->done, NULL);
      if (r->done < r->held.block->size)
        return;
    }
    g_clear_pointer (&r->held.block, fasp_block_unref);
  }
}

/* Media time is that of the first sender, of the block's first byte or of one a block before
 * it for each hop. */
static void
check_media_time (const VChain *p, const FaspBlock *block)
{
  guint64 before = VCHAIN_HOPS_MAX * FASP_BLOCK_UNIT;

  g_assert_cmpint (block->media_time, <=, vchain_media_time_of (p, block->offset));
  g_assert_cmpint (block->media_time, >=,
      vchain_media_time_of (p, block->offset - MIN (block->offset, before)));
}

static void
watch_play_time (VChain *p, const FaspRead *read)
{
  FaspTime shift = read->arrival - read->block->media_time;

  if (p->read > 0)
    p->max_jump = MAX (p->max_jump, ABS (shift - p->shift));
  p->shift = shift;
}

static void
read_last (VChain *p, FaspTime now)
{
  FaspRead read;
  FaspEvent event;

  while (fasp_endpoint_read (p->last, now, &read)) {
    FaspBlock *block = read.block;
    FaspStreamOffset position = read.behind;

    if (block->flags & FASP_BLOCK_EOS) {
      p->eos = TRUE;
      fasp_block_unref (block);
      continue;
    }
    g_assert_cmpuint (block->size, >, 0);
    if (block->flags & FASP_BLOCK_DISCONT)
      p->discontinuities++;
    if (block->offset != FASP_OFFSET_UNKNOWN) {
      for (guint i = 0; i < block->size; i++)
        g_assert_cmpuint (block->data[i], ==, vcast_byte_at (block->offset + i));
      check_media_time (p, block);
      if (block->flags & FASP_BLOCK_KEY)
        p->last_key = block->offset;
      if (!p->first_seen)
        p->first = block->offset;
      p->first_seen = TRUE;
      g_assert_cmpuint (position.offset, ==, block->offset + block->size);
      if (fasp_stream_offset_is_comparable (&p->end, &position)) {
        g_assert_cmpuint (block->offset, >=, p->end.offset);
        /* told, and only where there is one */
        g_assert_cmpint ((block->flags & FASP_BLOCK_DISCONT) != 0, ==,
            block->offset > p->end.offset);
        p->missing += block->offset - p->end.offset;
      }
    }
    if (read.capture.known) {
      p->captured++;
      p->capture_error =
          MAX (p->capture_error, ABS (read.capture.time - read.block->media_time - p->wall.time));
      g_assert_cmpuint (read.capture.source, ==, p->wall.source);
    } else {
      p->not_captured++;
    }
    watch_play_time (p, &read);
    p->end = position;
    p->read += block->size;
    fasp_block_unref (block);
  }
  while (fasp_endpoint_poll_event (p->last, &event))
    if (event.type == FASP_EVENT_MOVED) {
      p->moves++;
      p->moved_missing += event.bytes_lost;
    }
}

void
vchain_step (VChain *p)
{
  FaspTime now = vnet_get_time (p->net) + VCHAIN_STEP;
  FaspEvent event;

  vnet_run (p->net, now);
  p->due += p->finished ? 0 : VCHAIN_BITRATE / 8 * VCHAIN_STEP / FASP_SEC;
  while (p->source != NULL && fasp_endpoint_poll_event (p->source, &event))
    ;
  if (p->source != NULL)
    write_source (p, now);
  for (guint i = 0; i < G_N_ELEMENTS (p->relays); i++)
    run_relay (&p->relays[i], now);
  if (p->last != NULL)
    read_last (p, now);
}

void
vchain_run (VChain *p, FaspTime span)
{
  FaspTime until = vnet_get_time (p->net) + span;

  while (vnet_get_time (p->net) < until)
    vchain_step (p);
}

void
vchain_run_to_end (VChain *p)
{
  FaspTime until = vnet_get_time (p->net) + 30 * FASP_SEC;

  p->finished = TRUE;
  while (!p->eos && vnet_get_time (p->net) < until)
    vchain_step (p);
  g_assert_true (p->eos);
  g_assert_cmpuint (p->end.offset, ==, p->written);
  g_assert_cmpuint (p->first + p->read + p->missing, ==, p->written);
}
