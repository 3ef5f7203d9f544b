/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspproactive.h"

static inline FaspCopy *
at (const FaspProactive *copies, guint i)
{
  return &g_array_index (copies->heap, FaspCopy, i);
}

void
fasp_proactive_init (FaspProactive *copies)
{
  copies->heap = g_array_new (FALSE, FALSE, sizeof (FaspCopy));
}

void
fasp_proactive_clear (FaspProactive *copies)
{
  g_clear_pointer (&copies->heap, g_array_unref);
}

gboolean
fasp_proactive_push (FaspProactive *copies, const FaspCopy *copy)
{
  guint i = copies->heap->len;

  if (i >= FASP_PROACTIVE_WAITING_MAX)
    return FALSE;
  g_array_append_val (copies->heap, *copy);
  for (; i > 0 && at (copies, (i - 1) / 2)->due > copy->due; i = (i - 1) / 2)
    *at (copies, i) = *at (copies, (i - 1) / 2);
  *at (copies, i) = *copy;
  return TRUE;
}

const FaspCopy *
fasp_proactive_peek (const FaspProactive *copies)
{
  return copies->heap->len > 0 ? at (copies, 0) : NULL;
}

void
fasp_proactive_pop (FaspProactive *copies)
{
  guint n, i = 0, child;
  FaspCopy last;

  g_return_if_fail (copies->heap->len > 0);
  n = copies->heap->len - 1;
  last = *at (copies, n);
  g_array_set_size (copies->heap, n);
  if (n == 0)
    return;
  while ((child = 2 * i + 1) < n) {
    if (child + 1 < n && at (copies, child + 1)->due < at (copies, child)->due)
      child++;
    if (last.due <= at (copies, child)->due)
      break;
    *at (copies, i) = *at (copies, child);
    i = child;
  }
  *at (copies, i) = last;
}
