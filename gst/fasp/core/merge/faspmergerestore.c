/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmergerestore.c: how long the preferred source has been good, until the merge reverts to it.
 */
#include "faspmergeprivate.h"

/* Is the source connected and trusted, and has it lately brought blocks, as the leader has? One
 * that stands by need not bring any. */
static gboolean
is_good (const FaspMerge *merge, const FaspSource *source)
{
  const FaspSource *leader = &merge->sources[merge->leader];
  gboolean is_other =
      fasp_merge_is_foreign (merge, source) && !fasp_alignment_is_known (&source->alignment);

  if (!source->state.is_connected || fasp_merge_differs (source)
      || !(source->trust == FASP_TRUST_PROVEN || is_other))
    return FALSE;
  return source->role == FASP_SOURCE_STANDBY || source->put > leader->put - FASP_MERGE_OUTAGE;
}

void
fasp_merge_restore_after (FaspMerge *merge, FaspTime wait)
{
  merge->wait_to_restore = wait;
}

FaspTime
fasp_merge_get_restore_time (const FaspMerge *merge)
{
  const FaspSource *source = &merge->sources[merge->preferred];

  if (merge->wait_to_restore == 0 || fasp_merge_is_leader (merge, source)
      || !is_good (merge, source))
    return FASP_NEVER;
  /* a source that was left has to be in time for a while first */
  if (source->stats.is_left && source->role != FASP_SOURCE_STANDBY)
    return FASP_NEVER;
  return merge->good_since + merge->wait_to_restore;
}

void
fasp_merge_note_good (FaspMerge *merge, FaspTime now)
{
  const FaspSource *source = &merge->sources[merge->preferred];

  if (!is_good (merge, source))
    merge->good_since = now;
  else
    merge->good_since = MAX (merge->good_since, MAX (source->joined, source->late));
}
