/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vheader.h"

static GBytes *
make_header (gsize size)
{
  guint8 *bytes = g_malloc (size);

  for (gsize i = 0; i < size; i++)
    bytes[i] = i * 7 + i / 256;
  return g_bytes_new_take (bytes, size);
}

VHeader *
vheader_new (guint32 seed, gsize header_size, guint key_every)
{
  VHeader *sim = g_new0 (VHeader, 1);

  sim->net = vnet_new (seed);
  fasp_endpoint_config_init (&sim->config, FASP_ROLE_SENDER, FASP_MODE_LISTENER);
  sim->config.settings.max_bitrate = 8000000;
  sim->config.settings.latency_ms = 300;
  sim->config.settings.wait_for_connection = FALSE;
  sim->source.header = make_header (header_size);
  sim->source.key_every = key_every;
  sim->source.entries = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  sim->first = FASP_OFFSET_UNKNOWN;
  return sim;
}

void
vheader_free (VHeader *sim)
{
  for (guint i = 0; i < VNET_NODES; i++)
    vnet_attach (sim->net, i, NULL);
  fasp_endpoint_free (sim->sender);
  fasp_endpoint_free (sim->reader);
  fasp_endpoint_free (sim->relay.in);
  fasp_endpoint_free (sim->relay.out);
  g_clear_pointer (&sim->source.header, g_bytes_unref);
  g_clear_pointer (&sim->got, g_bytes_unref);
  g_hash_table_unref (sim->source.entries);
  vnet_free (sim->net);
  g_free (sim);
}

FaspEndpoint *
vheader_dial (VHeader *sim, VnetSide from, VnetSide to, FaspJoin join)
{
  FaspAddress address = vnet_get_address (to);
  FaspEndpointConfig c;
  FaspEndpoint *endpoint;

  fasp_endpoint_config_init (&c, FASP_ROLE_RECEIVER, FASP_MODE_CALLER);
  c.settings.latency_ms = 300;
  c.join = join;
  endpoint = vnet_add_endpoint (sim->net, from, &c);
  fasp_endpoint_dial (endpoint, vnet_get_time (sim->net), &address);
  return endpoint;
}

static void
write_units (VHeader *sim, FaspTime now)
{
  VHeaderSource *s = &sim->source;

  for (; s->units * VHEADER_UNIT <= now; s->units++) {
    g_autofree guint8 *data = g_malloc (VHEADER_UNIT_SIZE);

    if (s->units % s->key_every == 0) {
      g_hash_table_add (s->entries, g_memdup2 (&s->written, sizeof (guint64)));
      fasp_endpoint_begin_key_frame (sim->sender, now, now, s->key_every == 1);
    }
    for (guint i = 0; i < VHEADER_UNIT_SIZE; i++)
      data[i] = vcast_byte_at (s->written + i);
    g_assert_cmpuint (fasp_endpoint_write (sim->sender, now, now, data, VHEADER_UNIT_SIZE, NULL),
        ==, VHEADER_UNIT_SIZE);
    s->written += VHEADER_UNIT_SIZE;
  }
}

static void
run_relay (VHeaderRelay *r, FaspTime now)
{
  FaspRead read;
  FaspEvent event;

  if (r->in == NULL)
    return;
  while (fasp_endpoint_poll_event (r->in, &event) || fasp_endpoint_poll_event (r->out, &event))
    ;
  while (fasp_endpoint_read (r->in, now, &read)) {
    FaspBlock *block = read.block;
    FaspStreamOffset position = read.behind;

    if (block->flags & FASP_BLOCK_HEADER) {
      g_autoptr (GBytes) bytes = g_bytes_new (block->data, block->size);

      r->enters |= (block->flags & FASP_BLOCK_ENTER) != 0;
      fasp_endpoint_set_header (r->out, now, bytes);
    } else {
      position.offset = block->offset;
      g_assert_true (fasp_endpoint_set_stream_offset (r->out, now, block->media_time, &position));
      if (r->enters || (block->flags & FASP_BLOCK_KEY))
        fasp_endpoint_begin_key_frame (r->out, now, block->media_time, FALSE);
      r->enters = FALSE;
      g_assert_cmpuint (fasp_endpoint_write (r->out, now, block->media_time, block->data,
                            block->size, NULL),
          ==, block->size);
    }
    fasp_block_unref (block);
  }
}

void
vheader_read_stream (VHeader *sim, FaspTime now)
{
  FaspRead read;
  FaspEvent event;

  while (fasp_endpoint_poll_event (sim->reader, &event))
    g_assert_true (sim->gaps || event.type != FASP_EVENT_GAP);
  while (fasp_endpoint_read (sim->reader, now, &read)) {
    FaspBlock *block = read.block;

    if (block->flags & FASP_BLOCK_HEADER) {
      sim->headers++;
      if (block->flags & FASP_BLOCK_ENTER) {
        /* nothing came before it */
        g_assert_cmpuint (sim->first, ==, FASP_OFFSET_UNKNOWN);
        sim->enters++;
        g_clear_pointer (&sim->got, g_bytes_unref);
        sim->got = g_bytes_new (block->data, block->size);
      }
    } else {
      if (sim->first == FASP_OFFSET_UNKNOWN)
        sim->first = sim->next = block->offset;
      if (sim->gaps)
        sim->next = block->offset;
      g_assert_cmpuint (block->offset, ==, sim->next);
      for (guint i = 0; i < block->size; i++)
        g_assert_cmpuint (block->data[i], ==, vcast_byte_at (block->offset + i));
      sim->next += block->size;
    }
    fasp_block_unref (block);
  }
}

void
vheader_run (VHeader *sim, FaspTime span)
{
  FaspTime until = vnet_get_time (sim->net) + span;

  while (vnet_get_time (sim->net) < until) {
    FaspTime now = vnet_get_time (sim->net) + VHEADER_STEP;
    FaspEvent event;

    vnet_run (sim->net, now);
    while (fasp_endpoint_poll_event (sim->sender, &event))
      ;
    write_units (sim, now);
    run_relay (&sim->relay, now);
    if (sim->reader != NULL)
      vheader_read_stream (sim, now);
  }
}

void
vheader_wire (VHeader *sim, VnetSide a, VnetSide b, gdouble loss)
{
  for (guint i = 0; i < 2; i++) {
    ImpairConfig *w = vnet_get_wire (sim->net, i ? b : a, i ? a : b);

    w->delay = 25 * FASP_MSEC;
    w->loss = loss;
  }
}

void
vheader_assert_entered (VHeader *sim)
{
  g_assert_cmpuint (sim->enters, ==, 1);
  g_assert_nonnull (sim->got);
  g_assert_true (g_bytes_equal (sim->got, sim->source.header));
  g_assert_true (g_hash_table_contains (sim->source.entries, &sim->first));
}

void
vheader_begin_without (VHeader *sim, gdouble loss)
{
  sim->sender = vnet_add_endpoint (sim->net, VNET_A, &sim->config);
  vheader_wire (sim, VNET_A, VNET_B, loss);
}

void
vheader_begin (VHeader *sim, gdouble loss)
{
  vheader_begin_without (sim, loss);
  fasp_endpoint_set_header (sim->sender, 0, sim->source.header);
}

void
vheader_join (VHeader *sim)
{
  sim->reader = vheader_dial (sim, VNET_B, VNET_A, FASP_JOIN_ANY);
}

void
vheader_run_lossy (VHeader *sim, gdouble loss, FaspTime span)
{
  vnet_get_wire (sim->net, VNET_A, VNET_B)->loss = loss;
  vheader_run (sim, span);
  vnet_get_wire (sim->net, VNET_A, VNET_B)->loss = 0;
}
