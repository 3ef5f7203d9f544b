/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspdice.h: pseudo-random numbers that repeat with the same seed: xorshift64*
 * (Marsaglia 2003, Vigna 2016).
 *
 * Only for choices that need not be secret: how long a member of a group waits before it asks for a
 * block, or which flow a datagram takes.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Uniform in [0, 1).  *@dice: the state; the seed at first, never 0. */
static inline gdouble
fasp_dice_roll (guint64 *dice)
{
  guint64 x = *dice;

  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  *dice = x;
  return (x * G_GUINT64_CONSTANT (2685821657736338717) >> 11) * 0x1p-53;
}

G_END_DECLS
