/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspspread.h: which of several flows the next datagram takes.
 *
 * A strategy chooses among the flows that are usable by their weights.  A
 * weight follows what its flow delivers, by the replicator equation with a slow
 * return to equal shares: a flow that delivers less than all of them together gives
 * its share to those that deliver more, until all lose alike (that is how much of a
 * limited flow's capacity is found) or its share is small.
 *
 *     dw/dt = w (d - D) / 100 ms + (1 - w) / 10 s,     1/50 <= w
 *
 * d: share of the flow's datagrams that arrive, D: of all.
 */
#pragma once

#include "fasprepair.h"

G_BEGIN_DECLS

typedef struct _FaspSpread FaspSpread;

/* Strategies: faspspreadrandom.c, faspspreadrobin.c. */
typedef struct
{
  /* One of the flows in @among, which is not empty. */
  guint8 (*pick) (FaspSpread * spread, guint64 among);
} FaspSpreadClass;

extern const FaspSpreadClass fasp_spread_random, fasp_spread_robin;

typedef struct
{
  gdouble weight;               /* 1: an equal share */
  gdouble credit;               /* round robin: what it is behind */
  guint64 told, received;       /* when the weight was last adjusted */
} FaspShare;

struct _FaspSpread
{
  const FaspSpreadClass *klass;
  guint n;                      /* flows, 1 to FASP_FLOWS_MAX */
  guint64 usable, known;        /* a bit for each flow that is, or ever was */
  guint64 dice;
  FaspTime adjusted;
  FaspShare shares[FASP_FLOWS_MAX];
};

/* No flow is usable yet. @seed: of the dice. */
void fasp_spread_init (FaspSpread * spread, FaspAssignment assignment, guint n,
    guint64 seed, FaspTime now);
/* A flow that comes back does so with a quarter of its share. */
void fasp_spread_set_usable (FaspSpread * spread, guint8 flow,
    gboolean usable);
gboolean fasp_spread_is_usable (const FaspSpread * spread, guint8 flow);
/* One that is usable and not in @avoid; if there is none, one in it; if none is
 * usable, one that was; if none ever was, 0. */
guint8 fasp_spread_pick (FaspSpread * spread, guint64 avoid);
/* How many are usable. */
guint fasp_spread_count (const FaspSpread * spread);
/* The peer has told of the flows again. */
void fasp_spread_adjust (FaspSpread * spread, FaspTime now,
    const FaspRepair * repair);

G_END_DECLS
