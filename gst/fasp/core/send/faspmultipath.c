/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "faspmultipath.h"

#define ADJUST_EVERY (100 * FASP_MSEC)
#define RETURN_OVER (10. * FASP_SEC)
#define WEIGHT_LEAST .02
#define WEIGHT_BACK .25
/* A figure from this few datagrams or fewer says little about a flow. */
#define SURE 64.

#define BIT(flow) (G_GUINT64_CONSTANT (1) << (flow))

void
fasp_spread_init (FaspSpread * spread, FaspAssignment assignment, guint n,
    guint64 seed, FaspTime now)
{
  memset (spread, 0, sizeof *spread);
  spread->klass = assignment == FASP_ASSIGNMENT_ROUND_ROBIN ?
      &fasp_spread_robin : &fasp_spread_random;
  spread->n = CLAMP (n, 1, FASP_FLOWS_MAX);
  spread->dice = seed | 1;
  spread->adjusted = now;
  for (guint i = 0; i < FASP_FLOWS_MAX; i++)
    spread->shares[i].weight = 1;
}

void
fasp_spread_set_usable (FaspSpread * spread, guint8 flow, gboolean usable)
{
  if (fasp_spread_is_usable (spread, flow) == usable)
    return;
  spread->usable ^= BIT (flow);
  spread->known |= BIT (flow);
  /* a flow that was never used has no bad record */
  if (usable && spread->shares[flow].told > 0)
    spread->shares[flow].weight = MIN (spread->shares[flow].weight,
        WEIGHT_BACK);
}

gboolean
fasp_spread_is_usable (const FaspSpread * spread, guint8 flow)
{
  return (spread->usable & BIT (flow)) != 0;
}

guint8
fasp_spread_pick (FaspSpread * spread, guint64 avoid)
{
  guint64 among = spread->usable & ~avoid;

  if (spread->n == 1)
    return 0;
  if (among == 0)
    among = spread->usable;
  if (among == 0)
    among = MAX (spread->known, 1);
  return spread->klass->pick (spread, among);
}

guint
fasp_spread_count (const FaspSpread * spread)
{
  return __builtin_popcountll (spread->usable);
}

void
fasp_spread_adjust (FaspSpread * spread, FaspTime now,
    const FaspRepair * repair)
{
  gdouble elapsed = now - spread->adjusted, all = 0, all_here = 0;
  gdouble n[FASP_FLOWS_MAX], here[FASP_FLOWS_MAX];

  if (spread->n == 1 || elapsed < ADJUST_EVERY)
    return;
  spread->adjusted = now;
  for (guint i = 0; i < spread->n; i++) {
    FaspShare *share = &spread->shares[i];
    FaspFlowTold told = fasp_repair_get_told (repair, i);

    n[i] = told.told - share->told;
    /* late arrivals count for the next interval */
    here[i] = MIN (n[i], (gdouble) told.received - share->received);
    share->told = told.told;
    share->received = told.received;
    all += n[i];
    all_here += here[i];
  }
  for (guint i = 0; i < spread->n; i++) {
    gdouble *weight = &spread->shares[i].weight;

    if (n[i] > 0 && all_here > 0)
      *weight *= 1 + (here[i] / n[i] - all_here / all) * n[i] / (n[i] + SURE);
    *weight += (1 - *weight) * -expm1 (-elapsed / RETURN_OVER);
    *weight = MAX (*weight, WEIGHT_LEAST);
  }
}
