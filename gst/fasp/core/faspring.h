/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FaspRing: the growth of a ring of numbered things.
 *
 * Thing n of [from, to) stands at n & mask; mask + 1 is a power of two.  The ring itself
 * belongs to whoever keeps it, so that getting at a thing is one line of its own code.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define FASP_RING_FIRST_MASK 255

/* @ring, of things of @size bytes, twice as large, with [@from, @to) as before, and @mask
 * of that.  What else is in it is undefined. */
gpointer fasp_ring_grow (gpointer ring, gsize size, guint64 * mask,
    guint64 from, guint64 to);

/* Has it room for thing @to beside those of [@from, @to)?  If not it grows. */
static inline gpointer
fasp_ring_make_room (gpointer ring, gsize size, guint64 * mask, guint64 from,
    guint64 to)
{
  return to - from <= *mask ? ring :
      fasp_ring_grow (ring, size, mask, from, to);
}

G_END_DECLS
