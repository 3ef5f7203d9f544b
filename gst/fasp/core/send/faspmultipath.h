/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmultipath.h: the multipath scheduler: which of several flows the next datagram takes.
 *
 * A strategy chooses among the usable flows by their weights. A weight follows what its
 * flow delivers, by the replicator equation with a slow return to equal shares. A flow
 * that delivers less than the average gives up share to those that deliver more, until
 * all have the same loss (which is how the capacity of a limited flow is found) or its
 * share is small.
 *
 *     dw/dt = w (d - D) / 100 ms + (1 - w) / 10 s,     1/50 <= w
 *
 * d: share of the flow's datagrams that arrive, D: the same of all flows together.
 */
#pragma once

#include "faspsentmap.h"

G_BEGIN_DECLS

typedef struct
{
  gdouble weight; /* 1: an equal share */
  gdouble credit; /* round robin: how far the flow is behind its share */
  guint64 reported,
      received; /* datagrams reported, and arrived, when the weight was last adjusted */
} FaspShare;

typedef struct
{
  gboolean round_robin;  /* FALSE: at random */
  guint n;               /* flows, 1 to FASP_FLOWS_MAX */
  guint64 usable, known; /* flows that are usable, and that ever were, a bit each */
  guint64 dice;
  FaspTime adjusted;
  FaspShare shares[FASP_FLOWS_MAX];
} FaspMultipath;

/* No flow is usable yet. @seed: for the random choice. */
void fasp_multipath_init (FaspMultipath *multipath, FaspAssignment assignment, guint n,
    guint64 seed, FaspTime now);
/* A flow that comes back starts with a quarter of an equal share at most. */
void fasp_multipath_set_usable (FaspMultipath *multipath, guint8 flow, gboolean usable);
gboolean fasp_multipath_is_usable (const FaspMultipath *multipath, guint8 flow);
/* Picks a usable flow that is not in @avoid. If there is none, one in @avoid; if no flow is usable,
 * one that was; if none ever was, 0. */
guint8 fasp_multipath_pick (FaspMultipath *multipath, guint64 avoid);
/* Picks among the flows in @among in the same way. If none of these ever was usable: the first. */
guint8 fasp_multipath_pick_among (FaspMultipath *multipath, guint64 among, guint64 avoid);
/* The flows that datagrams may take, a bit each: the usable flows; if there are none, those that
 * once were usable; 0: no flow ever was. */
guint64 fasp_multipath_get_candidates (const FaspMultipath *multipath);
/* The number of usable flows. */
guint fasp_multipath_count (const FaspMultipath *multipath);
/* Adjusts the weights to what the peer has reported. */
void fasp_multipath_adjust (FaspMultipath *multipath, FaspTime now, const FaspSentMap *map);

G_END_DECLS
