/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasptrace.h"

void
fasp_trace_set_size (FaspTrace *trace, guint size)
{
  g_clear_pointer (&trace->entries, g_free);
  trace->ring = (FaspLossyRing) { .size = size };
  if (size > 0)
    trace->entries = g_new (FaspTraceEntry, size);
}

guint
fasp_trace_fetch (FaspTrace *trace, FaspTraceEntry *entries, guint max)
{
  guint n = 0;

  while (n < max && !fasp_lossy_ring_is_empty (&trace->ring))
    entries[n++] = trace->entries[fasp_lossy_ring_pop (&trace->ring)];
  return n;
}
