/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vhops.h"

static void
on_leave (gpointer data, gpointer packet, gsize bytes, gboolean dropped, BottleneckEcn ecn,
    gint64 now)
{
  const Vhop *hop = data;
  Vhops *all = hop->all;
  guint next = hop->n + 1;

  if (!dropped && next < VHOPS && all->bottlenecks[next] != NULL)
    bottleneck_push (all->bottlenecks[next], now, &all->hops[next].user, packet, bytes, ecn);
  else
    all->end.leave (all->end.data, packet, bytes, dropped, ecn, now);
}

void
vhops_init (Vhops *hops, Bottleneck *const bottlenecks[VHOPS], BottleneckLeave leave, gpointer data)
{
  for (guint i = 0; i < VHOPS; i++) {
    hops->bottlenecks[i] = bottlenecks[i];
    hops->hops[i] = (Vhop) { hops, i, { on_leave, &hops->hops[i] } };
  }
  hops->end = (BottleneckUser) { leave, data };
}

void
vhops_push (Vhops *hops, gint64 now, gpointer packet, gsize bytes, BottleneckEcn ecn)
{
  bottleneck_push (hops->bottlenecks[0], now, &hops->hops[0].user, packet, bytes, ecn);
}
