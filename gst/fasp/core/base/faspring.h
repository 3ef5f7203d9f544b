/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspring.h: the growth of a ring of numbered items.
 *
 * Item n of [from, to) is at index n & mask; mask + 1 is a power of two.  The caller owns the ring
 * itself, so that it can access an item in one line of its own code.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define FASP_RING_FIRST_MASK 255

/* Returns @ring, of items of @size bytes, at twice the size, and updates *mask.  Items
 * [@from, @to) are kept; the others are undefined. */
gpointer fasp_ring_grow (gpointer ring, gsize size, guint64 *mask, guint64 from, guint64 to);

/* Grows the ring if it has no room for item @to beside those of [@from, @to). */
static inline gpointer
fasp_ring_make_room (gpointer ring, gsize size, guint64 *mask, guint64 from, guint64 to)
{
  return to - from <= *mask ? ring : fasp_ring_grow (ring, size, mask, from, to);
}

G_END_DECLS
