/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "vnet.h"

#define OVERHEAD 28

typedef struct
{
  FaspTime when;
  guint64 order;                /* first in, first out among equals */
  VnetSide to;
  FaspAddress from;
  gsize size;
  guint8 data[];
} Packet;

typedef struct
{
  VnetDirection config;
  VnetCounters counters;
  gboolean bad;                 /* Gilbert-Elliott state */
  FaspTime free_at;             /* the wire is busy until then */
  FaspTime last_arrival;
} Wire;

struct _Vnet
{
  GRand *rand;
  FaspTime now;
  Wire wires[2];                /* by the side they start from */
  FaspEndpoint *endpoints[2];
  GSequence *packets;           /* in flight, by time */
  guint64 order;
  VnetTap tap;
  gpointer tap_data;
};

Vnet *
vnet_new (guint32 seed)
{
  Vnet *net = g_new0 (Vnet, 1);

  net->rand = g_rand_new_with_seed (seed);
  net->packets = g_sequence_new (g_free);
  net->now = FASP_SEC;          /* zero would hide mistakes with unset times */
  return net;
}

void
vnet_free (Vnet * net)
{
  g_sequence_free (net->packets);
  g_rand_free (net->rand);
  g_free (net);
}

GRand *
vnet_get_rand (Vnet * net)
{
  return net->rand;
}

void
vnet_random (gpointer user_data, guint8 * data, gsize size)
{
  Vnet *net = user_data;

  for (gsize i = 0; i < size; i++)
    data[i] = g_rand_int (net->rand) >> 24;
}

VnetDirection *
vnet_get_direction (Vnet * net, VnetSide from)
{
  return &net->wires[from].config;
}

const VnetCounters *
vnet_get_counters (Vnet * net, VnetSide from)
{
  return &net->wires[from].counters;
}

static FaspAddress
address (VnetSide side, guint16 port)
{
  FaspAddress a = {.len = 8,.overhead = OVERHEAD };

  a.bytes[0] = side + 1;
  a.bytes[2] = port >> 8;
  a.bytes[3] = port;
  return a;
}

FaspAddress
vnet_get_address (VnetSide side)
{
  return address (side, 7001);
}

void
vnet_attach (Vnet * net, VnetSide side, FaspEndpoint * endpoint)
{
  net->endpoints[side] = endpoint;
}

FaspTime
vnet_get_time (Vnet * net)
{
  return net->now;
}

void
vnet_set_tap (Vnet * net, VnetTap tap, gpointer user_data)
{
  net->tap = tap;
  net->tap_data = user_data;
}

static gint
compare (gconstpointer a, gconstpointer b, gpointer unused)
{
  const Packet *p = a, *q = b;

  if (p->when != q->when)
    return p->when < q->when ? -1 : 1;
  return p->order < q->order ? -1 : p->order > q->order;
}

static void
schedule (Vnet * net, VnetSide to, const FaspAddress * from, FaspTime when,
    const guint8 * data, gsize size)
{
  Packet *packet = g_malloc (sizeof (Packet) + size);

  packet->when = when;
  packet->order = net->order++;
  packet->to = to;
  packet->from = *from;
  packet->size = size;
  memcpy (packet->data, data, size);
  g_sequence_insert_sorted (net->packets, packet, compare, NULL);
}

void
vnet_inject (Vnet * net, VnetSide to, const FaspAddress * from,
    const guint8 * data, gsize size)
{
  schedule (net, to, from, net->now, data, size);
}

static gboolean
chance (Vnet * net, gdouble p)
{
  return p > 0 && g_rand_double (net->rand) < p;
}

static gboolean
is_lost (Vnet * net, Wire * wire)
{
  const VnetDirection *c = &wire->config;

  if (c->burst <= 1)
    return chance (net, c->loss);
  /* stays bad with mean length `burst', and is bad `loss' of the time */
  if (wire->bad)
    wire->bad = !chance (net, 1 / c->burst);
  else
    wire->bad = chance (net, c->loss / (1 - c->loss) / c->burst);
  return wire->bad;
}

static gboolean
is_black (Vnet * net, const VnetDirection * c)
{
  for (guint i = 0; i < VNET_BLACKOUTS; i++)
    if (net->now >= c->blackouts[i].start && net->now < c->blackouts[i].end)
      return TRUE;
  return FALSE;
}

static void
transmit (Vnet * net, VnetSide side, FaspDatagram * d)
{
  Wire *wire = &net->wires[side];
  const VnetDirection *c = &wire->config;
  VnetSide to = side == VNET_A ? VNET_B : VNET_A;
  FaspAddress from = address (side, c->rebind > 0 ? c->rebind : 7001);
  gsize bytes = d->size + OVERHEAD;
  FaspTime start, leaves, arrives;
  guint copies;

  wire->counters.packets++;
  wire->counters.bytes += bytes;
  if (c->mtu > 0 && bytes > c->mtu) {
    wire->counters.mtu_lost++;
    return;
  }
  if (is_black (net, c)) {
    wire->counters.blackout_lost++;
    return;
  }
  start = MAX (net->now, wire->free_at);
  leaves = start;
  if (c->rate > 0) {
    guint64 queue = c->queue > 0 ? c->queue : c->rate / 8 / 5;

    if ((guint64) (start - net->now) * c->rate / 8 / FASP_SEC > queue) {
      wire->counters.queue_lost++;
      return;
    }
    leaves += (FaspTime) (bytes * 8 * FASP_SEC / c->rate);
    wire->free_at = leaves;
  }
  if (is_lost (net, wire)) {
    wire->counters.lost++;
    return;
  }
  if (d->to.bytes[0] != to + 1)
    return;                     /* to nobody we know */
  if (chance (net, c->corrupt)) {
    guint bit = g_rand_int_range (net->rand, 0, d->size * 8);

    d->data[bit / 8] ^= 1 << bit % 8;
  }
  if (chance (net, c->truncate))
    d->size = g_rand_int_range (net->rand, 0, d->size);
  copies = chance (net, c->duplicate) ? 2 : 1;
  for (guint i = 0; i < copies; i++) {
    arrives = leaves + c->delay;
    if (c->jitter > 0)
      arrives += g_rand_int_range (net->rand, 0, c->jitter + 1);
    if (chance (net, c->reorder))
      arrives -= g_rand_int_range (net->rand, 0,
          1 + MIN (c->delay, 5 * FASP_MSEC));
    schedule (net, to, &from, MAX (arrives, net->now), d->data, d->size);
  }
}

/* Lets both sides say what they have to say now. */
static void
flush (Vnet * net)
{
  static FaspDatagram datagram;

  for (guint side = 0; side < 2; side++) {
    if (net->endpoints[side] == NULL)
      continue;
    while (fasp_endpoint_poll (net->endpoints[side], net->now, &datagram))
      transmit (net, side, &datagram);
  }
}

FaspTime
vnet_get_next (Vnet * net)
{
  GSequenceIter *first = g_sequence_get_begin_iter (net->packets);
  FaspTime next = FASP_NEVER;

  if (!g_sequence_iter_is_end (first))
    next = ((Packet *) g_sequence_get (first))->when;
  for (guint side = 0; side < 2; side++)
    if (net->endpoints[side] != NULL)
      next = MIN (next, fasp_endpoint_get_timeout (net->endpoints[side]));
  return MAX (next, net->now);
}

void
vnet_run (Vnet * net, FaspTime until)
{
  guint standing = 0;

  for (;;) {
    GSequenceIter *first;
    FaspTime next;

    flush (net);
    next = vnet_get_next (net);
    if (next > until)
      break;
    /* an endpoint that asks to be woken now and has nothing to say would
     * burn a real processor */
    standing = next == net->now ? standing + 1 : 0;
    g_assert_cmpuint (standing, <, 100000);
    net->now = next;
    first = g_sequence_get_begin_iter (net->packets);
    if (!g_sequence_iter_is_end (first)) {
      Packet *packet = g_sequence_get (first);

      if (packet->when <= net->now) {
        FaspEndpoint *to = net->endpoints[packet->to];

        if (net->tap != NULL)
          net->tap (net->tap_data, packet->to == VNET_A ? VNET_B : VNET_A,
              net->now, packet->data, packet->size);
        if (to != NULL)
          fasp_endpoint_receive (to, net->now, &packet->from, packet->data,
              packet->size);
        g_sequence_remove (first);
      }
    }
  }
  net->now = MAX (net->now, until);
}
