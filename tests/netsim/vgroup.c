/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "delayline.h"
#include "vcast.h"
#include "vflat.h"
#include "vgroup.h"

#define OVERHEAD 28
#define PORT 7001
/* Their numbers in addresses. */
#define SENDER 0xffff
#define GROUP 0xfffe
/* Datagrams to the group arrive on another socket. */
#define GROUP_SOCKET 1
/* Receivers whose logs are kept: the first ones. */
#define LOGGED 6
/* How often the application writes and reads. */
#define STEP (5 * FASP_MSEC)

typedef struct
{
  guint to;
  FaspAddress from;
  gsize size;
  guint8 data[];
} Packet;

static FaspAddress
address (guint who)
{
  FaspAddress a = { .len = 8, .overhead = OVERHEAD };

  a.bytes[0] = who >> 8;
  a.bytes[1] = who;
  a.bytes[2] = PORT >> 8;
  a.bytes[3] = PORT & 0xff;
  return a;
}

FaspAddress
vgroup_get_address (void)
{
  return address (GROUP);
}

static void
init_config (FaspEndpointConfig *c, FaspRole role, FaspMode mode, guint64 max_bitrate)
{
  fasp_endpoint_config_init (c, role, mode);
  c->group = vgroup_get_address ();
  c->group_socket = GROUP_SOCKET;
  c->settings.max_bitrate = max_bitrate;
  c->buffer_size = 1 << 20;
  c->resume_timeout = 6 * FASP_SEC;
}

Vgroup *
vgroup_new (guint32 seed)
{
  Vgroup *g = g_new0 (Vgroup, 1);

  g->rand = g_rand_new_with_seed (seed);
  g->line = delay_line_new (g_free);
  g->stream = g_byte_array_new ();
  g->now = FASP_SEC;
  init_config (&g->sender_config, FASP_ROLE_SENDER, FASP_MODE_LISTENER, 10000000);
  init_config (&g->receiver_config, FASP_ROLE_RECEIVER, FASP_MODE_CALLER, 0);
  vlog_begin ();
  g->bitrate = 4000000;
  return g;
}

void
vgroup_remove (Vgroup *g, guint receiver)
{
  g_clear_pointer (&g->receivers[receiver].endpoint, fasp_endpoint_free);
}

void
vgroup_free (Vgroup *g)
{
  vlog_end ();
  for (guint i = 0; i < g->n; i++)
    vgroup_remove (g, i);
  fasp_endpoint_free (g->sender);
  delay_line_free (g->line);
  g_byte_array_unref (g->stream);
  g_rand_free (g->rand);
  g_free (g);
}

void
vgroup_random (gpointer user_data, guint8 *data, gsize size)
{
  Vgroup *g = user_data;

  for (gsize i = 0; i < size; i++)
    data[i] = g_rand_int (g->rand) >> 24;
}

void
vgroup_set_sender (Vgroup *g)
{
  g->sender = fasp_endpoint_new (&g->sender_config, vgroup_random, g);
  g->log = vlog_follow (g->log, g->sender, "sender");
}

guint
vgroup_add (Vgroup *g, FaspTime rtt)
{
  g_autofree gchar *name = g_strdup_printf ("receiver-%u", g->n);
  VgroupReceiver *r = &g->receivers[g->n];

  g_assert_cmpuint (g->n, <, VGROUP_MAX);
  r->endpoint = fasp_endpoint_new (&g->receiver_config, vgroup_random, g);
  if (g->n < LOGGED)
    r->log = vlog_follow (NULL, r->endpoint, name);
  r->origin = -1;
  r->branch.config.delay = r->back.config.delay = rtt / 2;
  fasp_endpoint_expect (r->endpoint, g->now);
  return g->n++;
}

/* --- the network -------------------------------------------------------------------- */

static void
schedule (Vgroup *g, guint to, const FaspAddress *from, FaspTime when, const guint8 *data,
    gsize size)
{
  Packet *packet = g_malloc (sizeof (Packet) + size);

  packet->to = to;
  packet->from = *from;
  packet->size = size;
  memcpy (packet->data, data, size);
  delay_line_push (g->line, when, packet);
}

FaspGroupStats
vgroup_get_stats (Vgroup *g)
{
  FaspGroupStats stats;

  g_assert_true (fasp_endpoint_get_group (g->sender, &stats));
  return stats;
}

void
vgroup_inject (Vgroup *g, guint receiver, const FaspAddress *from, const guint8 *data, gsize size)
{
  schedule (g, receiver, from, g->now, data, size);
}

void
vgroup_refuse (Vgroup *g, guint receiver)
{
  FaspAddress sender = address (SENDER);
  VgroupReceiver *r = &g->receivers[receiver];

  fasp_endpoint_unreachable (r->endpoint, g->now, &sender);
  r->timeout = g->now;
}

static void
pass (Vgroup *g, Impair *wire, guint to, const FaspAddress *from, FaspTime when, const guint8 *data,
    gsize size)
{
  ImpairFate fate = impair_packet (wire, g->rand, when, size + OVERHEAD, FALSE);
  guint8 damaged[FASP_DATAGRAM_MAX];

  if (fate.copies > 0 && (fate.corrupt || fate.truncate)) {
    memcpy (damaged, data, size);
    data = damaged;
    if (fate.corrupt)
      damaged[g_rand_int_range (g->rand, 0, size)] ^= 1 << g_rand_int_range (g->rand, 0, 8);
    if (fate.truncate)
      size = g_rand_int_range (g->rand, 0, size);
  }
  for (guint i = 0; i < fate.copies; i++)
    schedule (g, to, from, fate.when[i], data, size);
}

static void
transmit_down (Vgroup *g, FaspDatagram *d)
{
  guint who = d->to.bytes[0] << 8 | d->to.bytes[1];
  FaspAddress from = address (SENDER);
  ImpairFate fate;

  g->sent++;
  g->sent_wire += d->size + OVERHEAD;
  if (who == GROUP) {
    from.socket = GROUP_SOCKET;
    g->group_sent++;
    g->group_wire += d->size + OVERHEAD;
    if (g->tap != NULL)
      g->tap (g->tap_data, g->now, d->data, d->size);
  }
  fate = impair_packet (&g->trunk, g->rand, g->now, d->size + OVERHEAD, FALSE);
  for (guint i = 0; i < fate.copies; i++)
    for (guint to = who == GROUP ? 0 : who; to < g->n; to++) {
      VgroupReceiver *r = &g->receivers[to];

      if (!r->gone && r->endpoint != NULL && (who != GROUP || !r->no_multicast))
        pass (g, &r->branch, to, &from, fate.when[i], d->data, d->size);
      if (who != GROUP)
        break;
    }
}

static void
poll_sender (Vgroup *g)
{
  static FaspDatagram datagram;
  GPtrArray *forgotten;

  while (fasp_endpoint_poll (g->sender, g->now, &datagram)) {
    vflat_datagram (&datagram);
    transmit_down (g, &datagram);
  }
  forgotten = fasp_endpoint_take_forgotten (g->sender);
  g_clear_pointer (&forgotten, g_ptr_array_unref);
  vlog_take (g->log, g->sender);
}

static void
poll_receiver (Vgroup *g, guint i)
{
  static FaspDatagram datagram;
  VgroupReceiver *r = &g->receivers[i];
  FaspAddress from = address (i);

  while (fasp_endpoint_poll (r->endpoint, g->now, &datagram)) {
    r->sent++;
    r->sent_wire += datagram.size + OVERHEAD;
    vflat_datagram (&datagram);
    if (!r->gone)
      pass (g, &r->back, SENDER, &from, g->now, datagram.data, datagram.size);
  }
  r->timeout = fasp_endpoint_get_timeout (r->endpoint);
  vlog_take (r->log, r->endpoint);
}

static void
deliver (Vgroup *g, Packet *packet)
{
  VgroupReceiver *r;

  if (packet->to == SENDER) {
    fasp_endpoint_receive (g->sender, g->now, &packet->from, packet->data, packet->size, NULL,
        FALSE);
    return;
  }
  r = &g->receivers[packet->to];
  if (r->endpoint != NULL && !r->gone) {
    fasp_endpoint_receive (r->endpoint, g->now, &packet->from, packet->data, packet->size, NULL,
        FALSE);
    poll_receiver (g, packet->to);
  }
}

static void
run_network (Vgroup *g, FaspTime until)
{
  guint standing = 0;

  for (guint i = 0; i < g->n; i++)
    if (g->receivers[i].endpoint != NULL)
      poll_receiver (g, i);
  for (;;) {
    FaspTime next;
    Packet *packet;

    poll_sender (g);
    next = MIN (delay_line_due (g->line), fasp_endpoint_get_timeout (g->sender));
    for (guint i = 0; i < g->n; i++)
      if (g->receivers[i].endpoint != NULL)
        next = MIN (next, g->receivers[i].timeout);
    next = MAX (next, g->now);
    if (next > until)
      break;
    /* an endpoint that asks to be woken now and has nothing to send would keep a
     * processor busy */
    standing = next == g->now ? standing + 1 : 0;
    g_assert_cmpuint (standing, <, 100000);
    g->now = next;
    while ((packet = delay_line_pop (g->line, g->now)) != NULL) {
      deliver (g, packet);
      g_free (packet);
    }
    for (guint i = 0; i < g->n; i++)
      if (g->receivers[i].endpoint != NULL && g->receivers[i].timeout <= g->now)
        poll_receiver (g, i);
  }
  g->now = MAX (g->now, until);
}

/* --- the stream ------------------------------------------------------------------------ */

static void
read_all (Vgroup *g, VgroupReceiver *r)
{
  FaspRead read;
  FaspEvent event;

  while (fasp_endpoint_poll_event (r->endpoint, &event))
    r->events[event.type]++;
  while (!r->stopped && fasp_endpoint_read (r->endpoint, g->now, &read)) {
    FaspBlock *block = read.block;

    if (block->flags & FASP_BLOCK_EOS)
      r->eos = TRUE;
    /* a receiver that joined late, or continued behind a gap, must find its place */
    if ((block->flags & FASP_BLOCK_DISCONT) && r->origin >= 0) {
      r->discontinuities++;
      r->origin = -1;
    }
    for (guint64 o = r->read; r->origin < 0 && block->size > 0; o++) {
      g_assert_cmpuint (o + block->size, <=, g->stream->len);
      if (memcmp (block->data, g->stream->data + o, block->size) == 0)
        r->origin = o - r->read;
    }
    if (block->size > 0
        && (r->origin + r->read + block->size > g->stream->len
            || memcmp (block->data, g->stream->data + r->origin + r->read, block->size) != 0))
      r->wrong = TRUE;
    r->read += block->size;
    fasp_block_unref (block);
  }
}

static void
write_some (Vgroup *g)
{
  g->held += g->bitrate / 8 * STEP / FASP_SEC;
  while (g->held > 0) {
    guint8 data[4096];
    gsize size = MIN (g->held, sizeof data), taken;

    for (guint i = 0; i < size; i++)
      data[i] = vcast_byte_at (g->written + i);
    taken = fasp_endpoint_write (g->sender, g->now, g->now, data, size, NULL);
    g->written += taken;
    g_byte_array_append (g->stream, data, taken);
    g->held -= taken;
    if (taken < size)
      break;
  }
  if (g->finish)
    fasp_endpoint_finish (g->sender, g->now);
}

void
vgroup_run (Vgroup *g, FaspTime time)
{
  FaspTime until = g->now + time;

  while (g->now < until) {
    FaspEvent event;

    write_some (g);
    run_network (g, MIN (until, g->now + STEP));
    while (fasp_endpoint_poll_event (g->sender, &event))
      g->events[event.type]++;
    for (guint i = 0; i < g->n; i++)
      if (g->receivers[i].endpoint != NULL && !g->receivers[i].gone)
        read_all (g, &g->receivers[i]);
  }
}

void
vgroup_end (Vgroup *g, FaspTime limit)
{
  FaspTime until = g->now + limit;

  g->bitrate = g->held = 0;
  g->finish = TRUE;
  vgroup_run (g, STEP);
  while (g->now < until && !fasp_endpoint_is_drained (g->sender))
    vgroup_run (g, STEP);
}

gboolean
vgroup_is_whole (const Vgroup *g, guint receiver)
{
  const VgroupReceiver *r = &g->receivers[receiver];

  return !r->wrong && r->eos && r->discontinuities == 0 && r->origin + r->read == g->written;
}
