/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspring.h"
#include <string.h>

gpointer
fasp_ring_grow (gpointer ring, gsize size, guint64 *mask, guint64 from, guint64 to)
{
  guint64 larger = *mask * 2 + 1;
  guint8 *old = ring, *new;

  new = g_malloc_n (larger + 1, size);
  for (guint64 n = from; n < to; n++)
    memcpy (new + (n & larger) * size, old + (n & *mask) * size, size);
  g_free (old);
  *mask = larger;
  return new;
}
