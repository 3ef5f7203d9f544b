/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codel.h"
#include <math.h>

static gint64
control_law (gint64 time, guint count)
{
  return time + (gint64) (CODEL_INTERVAL / sqrt (count));
}

static gboolean
is_too_long (Codel *codel, gint64 now, gint64 sojourn, gint64 target, gboolean alone)
{
  if (sojourn < target || alone) {
    codel->above = 0;
    return FALSE;
  }
  if (codel->above == 0)
    codel->above = now + CODEL_INTERVAL;
  return now >= codel->above;
}

gboolean
codel_drops (Codel *codel, gint64 now, gint64 sojourn, gint64 target, gboolean alone)
{
  gboolean too_long = is_too_long (codel, now, sojourn, target, alone);
  guint since = codel->count - codel->last_count;

  if (codel->dropping) {
    codel->dropping = too_long;
    if (!too_long || now < codel->next)
      return FALSE;
    codel->next = control_law (codel->next, ++codel->count);
    return TRUE;
  }
  if (!too_long)
    return FALSE;
  codel->dropping = TRUE;
  /* it dropped a short while ago: continue at about that rate */
  codel->count = since > 1 && now - codel->next < 16 * CODEL_INTERVAL ? since : 1;
  codel->last_count = codel->count;
  codel->next = control_law (now, codel->count);
  return TRUE;
}
