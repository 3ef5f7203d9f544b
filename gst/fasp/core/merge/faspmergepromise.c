/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmergepromise.c: what all sources promise together (docs/model.md, "Several sources").
 */
#include <math.h>
#include "faspmergeprivate.h"
#include "fasppathestimate.h"

/* The share of its latency that @source has to recover a loss of the leader: 1 if it sends; if it
 * stands by, what remains after the request and its answer. 0: it does not count. */
static gdouble
get_share (const FaspMerge *merge, const FaspSource *source)
{
  const FaspSourceState *state = &source->state;

  if (!state->is_connected || !fasp_merge_is_trusted (source)
      || (source->stats.is_left && !fasp_merge_is_leader (merge, source)))
    return 0;
  if (source->role != FASP_SOURCE_STANDBY)
    return 1;
  if (state->latency == 0)
    return 0;
  return MAX (fasp_merge_get_margin (source) - state->rtt, 0) / (gdouble) state->latency;
}

guint64
fasp_merge_get_promise (const FaspMerge *merge)
{
  gboolean is_known = FALSE;
  gdouble interval = 1;

  for (guint i = 0; i < merge->n; i++) {
    const FaspSource *source = &merge->sources[i];
    gdouble share = get_share (merge, source);

    if (share == 0 || source->state.promised == 0)
      continue;
    is_known = TRUE;
    interval *= pow (source->state.promised, share);
  }
  return is_known ? MIN (interval, FASP_INTERVAL_MAX) : 0;
}
