/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmultipathrobin.c: takes the flows in turn, as evenly as their weights allow: of
 * those to choose from, the one that is furthest behind its share.
 */
#include "faspmultipath.h"

static guint8
pick (FaspMultipath *multipath, guint64 among)
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

const FaspMultipathClass fasp_multipath_robin = { pick };
