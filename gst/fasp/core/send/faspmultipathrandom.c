/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmultipathrandom.c: each datagram takes a random flow. The losses of one flow are
 * then spread over the stream like noise, and no period of the stream can coincide with
 * one of a path.
 */
#include "faspdice.h"
#include "faspmultipath.h"

static guint8
pick (FaspMultipath *multipath, guint64 among)
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

const FaspMultipathClass fasp_multipath_random = { pick };
