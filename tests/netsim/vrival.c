/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vrival.h"
#include <math.h>
#include "delayline.h"

typedef struct
{
  guint64 pn;       /* of its transmission */
  guint connection; /* number of the download */
  gboolean marked;
} Packet;

struct _Vrival
{
  VrivalConfig config;
  GRand *rand;
  Vhops hops;
  Vtcp tcp;
  guint connection; /* downloads so far; odd: one is under way */
  gint64 change;    /* the pause ends */
  guint64 packets;  /* of this download that have not left for the first time */
  guint64 unacked;  /* of this download that have not been acknowledged */
  guint64 next;     /* number of the next packet */
  gint64 look;      /* when the TCP wants to be looked at */
  DelayLine *acks;  /* Packet */
  guint64 bytes;
};

static void
draw_pause (Vrival *r, gint64 now)
{
  r->change = now - log (1 - g_rand_double (r->rand)) * r->config.pause;
}

static void
on_leave (gpointer data, gpointer packet, gsize bytes, gboolean dropped, BottleneckEcn ecn,
    gint64 now)
{
  Vrival *r = data;
  Packet *p = packet;

  p->marked = ecn == BOTTLENECK_CE;
  if (dropped) {
    g_free (p);
    return;
  }
  r->bytes += bytes;
  delay_line_push (r->acks, now + 2 * r->config.delay, p);
}

Vrival *
vrival_new (const VrivalConfig *config)
{
  Vrival *r = g_new0 (Vrival, 1);

  r->config = *config;
  r->rand = g_rand_new_with_seed (config->seed);
  r->acks = delay_line_new (g_free);
  r->look = G_MAXINT64;
  r->change = config->start;
  if (config->starts_pausing)
    draw_pause (r, config->start);
  vhops_init (&r->hops, config->there, on_leave, r);
  return r;
}

void
vrival_free (Vrival *r)
{
  if (r->connection % 2)
    vtcp_clear (&r->tcp);
  delay_line_free (r->acks);
  g_rand_free (r->rand);
  g_free (r);
}

static void
begin (Vrival *r)
{
  const VrivalConfig *c = &r->config;
  gdouble bytes =
      c->least > 0 ? g_rand_double_range (r->rand, c->least, c->most) : (gdouble) (G_MAXINT64 / 2);

  r->connection++;
  r->packets = r->unacked = bytes / VRIVAL_PACKET + 1;
  r->next = 0;
  r->change = G_MAXINT64;
  vtcp_init (&r->tcp, c->kind);
}

static void
finish (Vrival *r, gint64 now)
{
  r->connection++;
  r->look = G_MAXINT64;
  vtcp_clear (&r->tcp);
  draw_pause (r, now);
}

static void
acknowledge (Vrival *r, const Packet *p, gint64 now)
{
  if (p->connection != r->connection)
    return;
  if (p->marked)
    vtcp_congested (&r->tcp);
  vtcp_acknowledge (&r->tcp, p->pn, now);
  if (--r->unacked == 0)
    finish (r, now);
}

static void
send (Vrival *r, gint64 now)
{
  vtcp_look (&r->tcp, now);
  while (vtcp_can_send (&r->tcp, now)) {
    Packet packet = { .connection = r->connection };
    guint64 n;

    if (!vtcp_get_lost (&r->tcp, &n)) {
      if (r->packets == 0)
        break;
      r->packets--;
      n = r->next++;
    }
    packet.pn = vtcp_send (&r->tcp, n, now);
    vhops_push (&r->hops, now, g_memdup2 (&packet, sizeof packet), VRIVAL_PACKET,
        r->config.ecn ? BOTTLENECK_ECT0 : BOTTLENECK_NOT_ECT);
  }
  r->look = MAX (vtcp_get_time (&r->tcp, now), now + 1);
}

gint64
vrival_get_next (Vrival *r)
{
  return MIN (MIN (r->change, r->look), delay_line_due (r->acks));
}

void
vrival_run (Vrival *r, gint64 until)
{
  Packet *p;

  while ((p = delay_line_pop (r->acks, until)) != NULL) {
    acknowledge (r, p, until);
    g_free (p);
  }
  if (until >= r->config.end) {
    if (r->connection % 2)
      finish (r, until);
    r->change = G_MAXINT64;
  }
  if (r->change <= until)
    begin (r);
  if (r->connection % 2)
    send (r, until);
}

guint64
vrival_get_bytes (const Vrival *r)
{
  return r->bytes;
}
