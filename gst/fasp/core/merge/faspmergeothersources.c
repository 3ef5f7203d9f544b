/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmergeothersources.c: the settings that the merge makes for the endpoint of a source: the
 * bytes that the reader has, and how long a loss waits for another source.
 */
#include "faspmergeprivate.h"

/* A loss is reported this much later, as a busy host may deliver the block of another source
 * late. */
#define BESIDES (5 * FASP_MSEC)
/* A source that stood by first repeats this many bytes that the reader has, so that they can be
 * compared. */
#define COMPARED 4096

/* Is @source the leader, and @other of another origin, so that a loss of @source is filled from
 * @other only when it is overdue? */
static gboolean
is_last_resort (const FaspMerge *merge, const FaspSource *source, const FaspSource *other)
{
  return fasp_merge_is_leader (merge, source) && fasp_merge_is_of_other_origin (merge, other);
}

/* How long @source waits for other sources to fill a loss before it asks for a retransmission: as
 * long as the slowest of them is behind, if a retransmission can still arrive in time after
 * that. */
static FaspTime
get_recovery_time (const FaspMerge *merge, const FaspSource *source)
{
  FaspTime slower = -1;

  for (guint i = 0; i < merge->n; i++) {
    const FaspSource *other = &merge->sources[i];

    if (other == source || other->delay == FASP_NEVER || source->delay == FASP_NEVER
        || other->stats.is_left || other->role == FASP_SOURCE_STANDBY || !other->state.is_connected
        || !fasp_merge_is_trusted (other) || is_last_resort (merge, source, other))
      continue;
    slower = MAX (slower, MAX (other->delay - source->delay, 0));
  }
  if (slower < 0)
    return 0;
  return CLAMP (slower + BESIDES, 0, MAX (0, (source->state.latency - 2 * source->state.rtt) / 2));
}

gboolean
fasp_merge_is_announced (const FaspMerge *merge, guint i, const FaspOtherSources *announced)
{
  return fasp_merge_get_other_sources (merge, i).stands_by == announced->stands_by;
}

FaspOtherSources
fasp_merge_get_other_sources (const FaspMerge *merge, guint i)
{
  const FaspSource *source = &merge->sources[i];
  FaspOtherSources others = {
    .recovery_time = get_recovery_time (merge, source),
    .stands_by = source->role == FASP_SOURCE_STANDBY,
  };

  if (merge->next.known && merge->next.offset != FASP_OFFSET_UNKNOWN)
    others.has = fasp_merge_get_foreign (merge, source,
        merge->next.offset - (source->resumes ? MIN (COMPARED, merge->next.offset) : 0));
  others.stands_by &= others.has.known;
  return others;
}
