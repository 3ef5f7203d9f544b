/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "delayline.h"
#include "vflat.h"
#include "vlog.h"
#include "vnet.h"
#include "fasptx.h"

#define OVERHEAD 28
#define PORT 7001
#define MTU 1500 /* of every wire at first */

typedef struct
{
  VnetSide to;
  FaspAddress from;
  Impair *wire;
  gboolean known; /* a NAT passes on only what comes to the ports that it gave last */
  gboolean marked;
  guint8 ecn; /* the field */
  gsize size;
  guint8 data[];
} Packet;

typedef struct
{
  VnetOutlet take; /* NULL: there is none */
  gpointer data;
} Outlet;

struct _Vnet
{
  GRand *rand;
  FaspTime now;
  Impair wires[VNET_NODES][VNET_NODES][VNET_LINKS]; /* from, to, by link */
  Outlet outlets[VNET_NODES][VNET_NODES][VNET_LINKS];
  guint16 ports[VNET_NODES]; /* that each node appears with */
  FaspEndpoint *endpoints[VNET_NODES];
  FaspTime paused[VNET_NODES]; /* until then; 0: never */
  Vlog *logs[VNET_NODES];      /* NULL: nothing is logged */
  DelayLine *packets;          /* in flight */
  VnetTap tap;
  gpointer tap_data;
  guint64 delivered; /* every other datagram lies in memory for blocks */
};

Vnet *
vnet_new (guint32 seed)
{
  Vnet *net = g_new0 (Vnet, 1);

  net->rand = g_rand_new_with_seed (seed);
  net->packets = delay_line_new (g_free);
  for (guint side = 0; side < VNET_NODES; side++) {
    net->ports[side] = PORT;
    for (guint other = 0; other < VNET_NODES; other++)
      for (guint link = 0; link < VNET_LINKS; link++)
        net->wires[side][other][link].config.mtu = MTU;
  }
  vlog_begin ();
  net->now = FASP_SEC; /* zero would hide mistakes with times that are not set */
  return net;
}

void
vnet_free (Vnet *net)
{
  vlog_end ();
  delay_line_free (net->packets);
  g_rand_free (net->rand);
  g_free (net);
}

void
vnet_random (gpointer user_data, guint8 *data, gsize size)
{
  Vnet *net = user_data;

  for (gsize i = 0; i < size; i++)
    data[i] = g_rand_int (net->rand) >> 24;
}

ImpairConfig *
vnet_get_wire (Vnet *net, VnetSide from, VnetSide to)
{
  return &net->wires[from][to][0].config;
}

ImpairConfig *
vnet_get_link_wire (Vnet *net, VnetSide from, VnetSide to, guint link)
{
  return &net->wires[from][to][link].config;
}

void
vnet_set_path (Vnet *net, FaspTime rtt, const gdouble loss[2], const gdouble burst[2], guint64 rate)
{
  for (guint side = VNET_A; side <= VNET_B; side++)
    for (guint link = 0; link < VNET_LINKS; link++) {
      ImpairConfig *wire = vnet_get_link_wire (net, side, !side, link);

      wire->delay = rtt / 2;
      wire->loss = loss[side];
      wire->burst = burst[side];
      wire->rate = rate;
    }
}

const ImpairCounters *
vnet_get_counters (Vnet *net, VnetSide from, VnetSide to)
{
  return &net->wires[from][to][0].counters;
}

const ImpairCounters *
vnet_get_link_counters (Vnet *net, VnetSide from, VnetSide to, guint link)
{
  return &net->wires[from][to][link].counters;
}

static FaspAddress
address (VnetSide side, guint16 port)
{
  FaspAddress a = { .len = 8, .overhead = OVERHEAD };

  a.bytes[0] = side + 1;
  a.bytes[2] = port >> 8;
  a.bytes[3] = port;
  return a;
}

FaspAddress
vnet_get_address (VnetSide side)
{
  return address (side, PORT);
}

void
vnet_attach (Vnet *net, VnetSide side, FaspEndpoint *endpoint)
{
  const gchar name[] = { 'A' + side, '\0' };

  if (net->endpoints[side] != NULL && endpoint == NULL)
    vlog_take (net->logs[side], net->endpoints[side]);
  if (endpoint != NULL)
    net->logs[side] = vlog_follow (net->logs[side], endpoint, name);
  net->endpoints[side] = endpoint;
}

FaspEndpoint *
vnet_add_endpoint (Vnet *net, VnetSide side, const FaspEndpointConfig *config)
{
  FaspEndpoint *endpoint = fasp_endpoint_new (config, vnet_random, net);

  vnet_attach (net, side, endpoint);
  return endpoint;
}

FaspTime
vnet_get_time (Vnet *net)
{
  return net->now;
}

void
vnet_pause (Vnet *net, VnetSide side, FaspTime until)
{
  net->paused[side] = until;
}

void
vnet_set_tap (Vnet *net, VnetTap tap, gpointer user_data)
{
  net->tap = tap;
  net->tap_data = user_data;
}

static Packet *
packet_new (VnetSide to, const FaspAddress *from, const guint8 *data, gsize size)
{
  Packet *packet = g_malloc (sizeof (Packet) + size);

  *packet = (Packet) { .to = to, .from = *from, .size = size };
  memcpy (packet->data, data, size);
  return packet;
}

void
vnet_inject (Vnet *net, VnetSide to, const FaspAddress *from, const guint8 *data, gsize size)
{
  delay_line_push (net->packets, net->now, packet_new (to, from, data, size));
}

void
vnet_rebind (Vnet *net, VnetSide from, guint16 port)
{
  net->ports[from] = port;
}

/* Memory in which blocks may stay, like that which a socket reads into. */
typedef struct
{
  FaspMemory memory;
  guint8 data[];
} Landing;

static void
landing_free (FaspMemory *memory)
{
  fasp_memory_clear (memory);
  g_free (memory);
}

FaspMemory *
vnet_memory_new (const guint8 *bytes, gsize size, const guint8 **data)
{
  Landing *landing = g_malloc (sizeof (Landing) + size);

  fasp_memory_init (&landing->memory, landing_free);
  memcpy (landing->data, bytes, size);
  *data = landing->data;
  return &landing->memory;
}

static void
deliver_in_memory (Vnet *net, FaspEndpoint *to, const Packet *packet)
{
  const guint8 *data;
  FaspMemory *memory = vnet_memory_new (packet->data, packet->size, &data);

  fasp_endpoint_receive (to, net->now, &packet->from, data, packet->size, memory, packet->marked);
  fasp_memory_unref (memory);
}

/* Takes @packet. */
static void
enter_wire (Vnet *net, Packet *packet, FaspTime now)
{
  gsize size = packet->size;
  ImpairFate fate = impair_packet (packet->wire, net->rand, now, size + OVERHEAD, packet->ecn);

  packet->marked |= fate.mark;
  if (packet->known && fate.corrupt) {
    guint bit = g_rand_int_range (net->rand, 0, size * 8);

    packet->data[bit / 8] ^= 1 << bit % 8;
  }
  if (packet->known && fate.truncate)
    packet->size = g_rand_int_range (net->rand, 0, size);
  for (guint i = 0; packet->known && i < fate.copies; i++)
    delay_line_push (net->packets, fate.when[i], g_memdup2 (packet, sizeof *packet + size));
  g_free (packet);
}

void
vnet_set_outlet (Vnet *net, VnetSide from, VnetSide to, guint link, VnetOutlet outlet,
    gpointer data)
{
  net->outlets[from][to][link] = (Outlet) { outlet, data };
}

void
vnet_release (Vnet *net, gpointer packet, gboolean dropped, gboolean marked, FaspTime now)
{
  Packet *p = packet;

  p->marked = marked;
  if (dropped)
    g_free (p);
  else
    enter_wire (net, p, now);
}

static void
transmit (Vnet *net, VnetSide side, FaspDatagram *d)
{
  FaspAddress from = address (side, net->ports[side] + d->to.socket);
  guint to = d->to.bytes[0] - 1, link;
  const Outlet *outlet;
  Packet *packet;

  if (to >= VNET_NODES)
    return;
  g_assert_cmpuint (d->to.socket, <, VNET_LINKS);
  link = (d->to.bytes[2] << 8 | d->to.bytes[3]) - net->ports[to];
  from.socket = link;
  packet = packet_new (to, &from, d->data, d->size);
  packet->wire = &net->wires[side][to][d->to.socket];
  packet->known = link < VNET_LINKS;
  packet->ecn = d->ecn;
  outlet = &net->outlets[side][to][d->to.socket];
  if (outlet->take != NULL)
    outlet->take (outlet->data, packet, d->size + OVERHEAD, d->ecn);
  else
    enter_wire (net, packet, net->now);
}

static void
forget (FaspEndpoint *endpoint)
{
  GPtrArray *forgotten = fasp_endpoint_take_forgotten (endpoint);

  g_clear_pointer (&forgotten, g_ptr_array_unref);
}

/* Several datagrams at a time where they leave in a row, as threads do. */
static guint
poll (FaspEndpoint *endpoint, FaspTime now, FaspDatagram *datagrams)
{
  guint n = 0;

  for (guint lane = 0; n == 0 && lane < fasp_endpoint_count_lanes (endpoint); lane++)
    n = fasp_endpoint_poll_lane (endpoint, lane, now, datagrams, FASP_TX_RUN);
  return n;
}

/* Lets all nodes send what they have to send now. */
static void
flush (Vnet *net)
{
  static FaspDatagram datagrams[FASP_TX_RUN];
  guint n;

  for (guint side = 0; side < VNET_NODES; side++) {
    if (net->endpoints[side] == NULL || net->now < net->paused[side])
      continue;
    while ((n = poll (net->endpoints[side], net->now, datagrams)) > 0)
      for (guint i = 0; i < n; i++) {
        fasp_datagram_seal (&datagrams[i]);
        vflat_datagram (&datagrams[i]);
        transmit (net, side, &datagrams[i]);
      }
    forget (net->endpoints[side]);
    vlog_take (net->logs[side], net->endpoints[side]);
  }
}

FaspTime
vnet_get_next (Vnet *net)
{
  FaspTime next = delay_line_due (net->packets);

  for (guint side = 0; side < VNET_NODES; side++)
    if (net->endpoints[side] != NULL)
      next = MIN (next, MAX (net->paused[side], fasp_endpoint_get_timeout (net->endpoints[side])));
  return MAX (next, net->now);
}

static void
deliver (Vnet *net, Packet *packet)
{
  FaspEndpoint *to = net->endpoints[packet->to];

  if (net->tap != NULL)
    net->tap (net->tap_data, packet->from.bytes[0] - 1, net->now, packet->data, packet->size);
  if (to == NULL)
    return;
  if (net->delivered++ % 2 == 0)
    fasp_endpoint_receive (to, net->now, &packet->from, packet->data, packet->size, NULL,
        packet->marked);
  else
    deliver_in_memory (net, to, packet);
}

void
vnet_run (Vnet *net, FaspTime until)
{
  guint standing = 0;

  for (;;) {
    Packet *packet;
    FaspTime next;

    flush (net);
    next = vnet_get_next (net);
    if (next > until)
      break;
    /* an endpoint that asks to be woken now and has nothing to send would keep a real
     * processor busy */
    standing = next == net->now ? standing + 1 : 0;
    g_assert_cmpuint (standing, <, 100000);
    net->now = next;
    packet = delay_line_pop (net->packets, net->now);
    if (packet != NULL && net->now < net->paused[packet->to]) {
      delay_line_push (net->packets, net->paused[packet->to], packet);
    } else if (packet != NULL) {
      deliver (net, packet);
      g_free (packet);
    }
  }
  net->now = MAX (net->now, until);
}

void
vnet_run_for (Vnet *net, FaspTime time)
{
  vnet_run (net, vnet_get_time (net) + time);
}
