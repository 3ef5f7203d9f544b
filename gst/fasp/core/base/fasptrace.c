/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasptrace.h"

void
fasp_trace_set_size (FaspTrace *trace, guint size)
{
  g_clear_pointer (&trace->ring, g_free);
  *trace = (FaspTrace) { .size = size };
  if (size > 0)
    trace->ring = g_new (FaspTraceEntry, size);
}

void
fasp_trace_add (FaspTrace *trace, const FaspTraceEntry *entry)
{
  if (trace->ring == NULL)
    return;
  if (trace->next - trace->first == trace->size) {
    trace->first++;
    trace->lost++;
  }
  trace->ring[trace->next++ % trace->size] = *entry;
}

guint
fasp_trace_fetch (FaspTrace *trace, FaspTraceEntry *entries, guint max)
{
  guint n = MIN (trace->next - trace->first, max);

  for (guint i = 0; i < n; i++)
    entries[i] = trace->ring[trace->first++ % trace->size];
  return n;
}
