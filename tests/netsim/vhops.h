/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vhops.h: the bottlenecks that a sender's packets pass, one after another.
 */
#pragma once

#include "bottleneck.h"

G_BEGIN_DECLS

#define VHOPS 2 /* at most */

typedef struct _Vhops Vhops;

typedef struct
{
  Vhops *all;
  guint n;
  BottleneckUser user;
} Vhop;

struct _Vhops
{
  Bottleneck *bottlenecks[VHOPS]; /* the first NULL ends them */
  Vhop hops[VHOPS];
  BottleneckUser end; /* gets what has passed all, or was dropped */
};

/* @hops stays where it is.  @bottlenecks: at least one, and NULL behind the last of fewer than
 * VHOPS. */
void vhops_init (Vhops *hops, Bottleneck *const bottlenecks[VHOPS], BottleneckLeave leave,
    gpointer data);
void vhops_push (Vhops *hops, gint64 now, gpointer packet, gsize bytes, BottleneckEcn ecn);

G_END_DECLS
