/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasplossyring.h: a ring of fixed size whose writer never waits: when it is full, the oldest entry
 * is overwritten and counted.
 *
 * Entries have numbers that only grow.  The caller owns the entries: entry n is at index n % size.
 *
 *     next - first <= size
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint size;          /* entries that there is room for; 0: nothing may be pushed */
  guint64 first, next; /* entries [first, next) are in the ring */
  guint64 lost;        /* entries overwritten before they were popped */
} FaspLossyRing;

/* Returns the index at which the caller writes the next entry. */
static inline guint
fasp_lossy_ring_push (FaspLossyRing *ring)
{
  if (ring->next - ring->first == ring->size) {
    ring->first++;
    ring->lost++;
  }
  return ring->next++ % ring->size;
}

static inline gboolean
fasp_lossy_ring_is_empty (const FaspLossyRing *ring)
{
  return ring->first == ring->next;
}

/* The index of the oldest entry.  There must be one. */
static inline guint
fasp_lossy_ring_peek (const FaspLossyRing *ring)
{
  return ring->first % ring->size;
}

/* Returns the index of the oldest entry, and removes it. */
static inline guint
fasp_lossy_ring_pop (FaspLossyRing *ring)
{
  return ring->first++ % ring->size;
}

G_END_DECLS
