/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * draw.h: what chance makes networks of.
 */
#pragma once

#include <math.h>
#include <glib.h>

/* As likely to be between 1 and 2 as between 10 and 20. */
static inline gdouble
draw (GRand *rand, gdouble from, gdouble to)
{
  return exp (g_rand_double_range (rand, log (from), log (to)));
}

static inline gboolean
happens (GRand *rand, gdouble share)
{
  return g_rand_double (rand) < share;
}
