/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmergerestore.c: goes back to the source that is preferred.
 */
#include "faspmergeprivate.h"

/* Is it there, and brings the stream?  Of a source that stands by the latter is not known; any
 * other one brings as much as the leader, and the wait begins anew when the stream rests for that
 * long. */
static gboolean
is_good (const FaspMerge *merge, const FaspSource *source)
{
  const FaspSource *leader = &merge->sources[merge->leader];
  gboolean is_other =
      fasp_merge_is_foreign (merge, source) && !fasp_alignment_is_known (&source->alignment);

  if (!source->state.is_connected || source->stats.differs
      || !(source->stats.is_trusted || is_other))
    return FALSE;
  return source->stats.stands_by || source->put > leader->put - FASP_MERGE_OUTAGE;
}

/* Of a standby, the leader until now sends on until the new one has shown that it brings the
 * stream. */
static void
lead_again (FaspMerge *merge, FaspTime now, FaspSource *source, const gchar *reason)
{
  FaspSource *before = merge->leader == FASP_MERGE_NOBODY ? NULL : &merge->sources[merge->leader];

  source->helps = FASP_NEVER;
  source->asked = now;
  fasp_merge_lead (merge, now, source, reason);
  merge->is_wanted = TRUE;
  if (merge->redundancy == FASP_REDUNDANCY_STANDBY && before != NULL && before->state.is_connected
      && before->stats.is_trusted && !fasp_merge_is_foreign (merge, source))
    fasp_merge_help (merge, now, before, "until the source that leads again has brought more");
}

gboolean
fasp_merge_prefer (FaspMerge *merge, FaspTime now, guint i)
{
  FaspSource *source = &merge->sources[i];

  if (i >= merge->n || !source->state.is_connected || source->stats.differs)
    return FALSE;
  merge->preferred = i;
  if (i != merge->leader)
    lead_again (merge, now, source, "it was asked for");
  return TRUE;
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
  /* it is waited for first */
  if (source->stats.is_left && !source->stats.stands_by)
    return FASP_NEVER;
  return merge->good_since + merge->wait_to_restore;
}

void
fasp_merge_restore (FaspMerge *merge, FaspTime now)
{
  FaspSource *source = &merge->sources[merge->preferred];

  if (!is_good (merge, source))
    merge->good_since = now;
  else
    merge->good_since = MAX (merge->good_since, MAX (source->joined, source->late));
  if (now >= fasp_merge_get_restore_time (merge))
    lead_again (merge, now, source, "it is preferred, and has been good for a while");
}
