/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include "faspdice.h"
#include "faspmultipath.h"

#define ADJUST_EVERY (100 * FASP_MSEC)
#define RETURN_OVER (10. * FASP_SEC)
#define WEIGHT_LEAST .02
#define WEIGHT_BACK .25
/* A flow's share of arrivals has full weight only when it is measured over this many datagrams. */
#define SURE 64.

/* --- strategies --------------------------------------------------------------- */

/* Picks a random flow of @among for each datagram. The losses of one flow are then spread evenly
 * over the stream, and no period of the stream can coincide with a period of a path. */
static guint8
pick_random (FaspMultipath *multipath, guint64 among)
{
  gdouble total = 0, at;
  guint8 flow = 0;

  for (guint64 left = among; left != 0; left &= left - 1)
    total += multipath->shares[__builtin_ctzll (left)].weight;
  at = fasp_dice_roll (&multipath->dice) * total;
  for (guint64 left = among; left != 0; left &= left - 1) {
    flow = __builtin_ctzll (left);
    at -= multipath->shares[flow].weight;
    if (at < 0)
      break;
  }
  return flow;
}

/* Weighted round robin: picks the flow of @among that is furthest behind its share. */
static guint8
pick_round_robin (FaspMultipath *multipath, guint64 among)
{
  gdouble total = 0;
  gint best = -1;

  for (guint64 left = among; left != 0; left &= left - 1) {
    gint flow = __builtin_ctzll (left);
    FaspShare *share = &multipath->shares[flow];

    share->credit += share->weight;
    total += share->weight;
    if (best < 0 || share->credit > multipath->shares[best].credit)
      best = flow;
  }
  multipath->shares[best].credit -= total;
  return best;
}

/* --- the flows ----------------------------------------------------------------- */

void
fasp_multipath_init (FaspMultipath *multipath, FaspAssignment assignment, guint n, guint64 seed,
    FaspTime now)
{
  memset (multipath, 0, sizeof *multipath);
  multipath->round_robin = assignment == FASP_ASSIGNMENT_ROUND_ROBIN;
  multipath->n = CLAMP (n, 1, FASP_FLOWS_MAX);
  multipath->dice = seed | 1;
  multipath->adjusted = now;
  for (guint i = 0; i < FASP_FLOWS_MAX; i++)
    multipath->shares[i].weight = 1;
}

void
fasp_multipath_set_usable (FaspMultipath *multipath, guint8 flow, gboolean usable)
{
  if (fasp_multipath_is_usable (multipath, flow) == usable)
    return;
  multipath->usable ^= FASP_BIT (flow);
  multipath->known |= FASP_BIT (flow);
  /* a flow that was never used keeps its full weight */
  if (usable && multipath->shares[flow].reported > 0)
    multipath->shares[flow].weight = MIN (multipath->shares[flow].weight, WEIGHT_BACK);
}

gboolean
fasp_multipath_is_usable (const FaspMultipath *multipath, guint8 flow)
{
  return (multipath->usable & FASP_BIT (flow)) != 0;
}

guint64
fasp_multipath_get_candidates (const FaspMultipath *multipath)
{
  return multipath->usable != 0 ? multipath->usable : MAX (multipath->known, 1);
}

static guint8
pick (FaspMultipath *multipath, guint64 among, guint64 avoid)
{
  if ((among & ~avoid) != 0)
    among &= ~avoid;
  return multipath->round_robin ? pick_round_robin (multipath, among) :
                                  pick_random (multipath, among);
}

guint8
fasp_multipath_pick (FaspMultipath *multipath, guint64 avoid)
{
  if (multipath->n == 1)
    return 0;
  return pick (multipath, fasp_multipath_get_candidates (multipath),
      multipath->usable != 0 ? avoid : 0);
}

guint8
fasp_multipath_pick_among (FaspMultipath *multipath, guint64 among, guint64 avoid)
{
  guint64 usable = among & multipath->usable;

  if (usable == 0)
    usable = among & multipath->known;
  return pick (multipath, usable != 0 ? usable : among & -among, avoid);
}

guint
fasp_multipath_count (const FaspMultipath *multipath)
{
  return __builtin_popcountll (multipath->usable);
}

void
fasp_multipath_adjust (FaspMultipath *multipath, FaspTime now, const FaspSentMap *map)
{
  gdouble elapsed = now - multipath->adjusted, all = 0, all_here = 0;
  gdouble n[FASP_FLOWS_MAX], here[FASP_FLOWS_MAX];

  if (multipath->n == 1 || elapsed < ADJUST_EVERY)
    return;
  multipath->adjusted = now;
  for (guint i = 0; i < multipath->n; i++) {
    FaspShare *share = &multipath->shares[i];
    FaspFlowTotals totals = fasp_sent_map_get_totals (map, i);

    n[i] = totals.reported - share->reported;
    /* late arrivals count for the next interval */
    here[i] = MIN (n[i], (gdouble) totals.received - share->received);
    share->reported = totals.reported;
    share->received = totals.received;
    all += n[i];
    all_here += here[i];
  }
  for (guint i = 0; i < multipath->n; i++) {
    gdouble *weight = &multipath->shares[i].weight;

    if (n[i] > 0 && all_here > 0)
      *weight *= 1 + (here[i] / n[i] - all_here / all) * n[i] / (n[i] + SURE);
    *weight += (1 - *weight) * -expm1 (-elapsed / RETURN_OVER);
    *weight = MAX (*weight, WEIGHT_LEAST);
  }
}
