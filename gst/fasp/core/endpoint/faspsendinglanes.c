/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspsendinglanes.h"

guint
fasp_sending_lanes_choose (const FaspEndpoint *endpoint)
{
  guint least = 0;

  for (guint i = 0; i < endpoint->config.lanes; i++) {
    if (endpoint->schedulers[i].heap.n < FASP_LANE_FULL)
      return i;
    if (endpoint->schedulers[i].heap.n < endpoint->schedulers[least].heap.n)
      least = i;
  }
  return least;
}

void
fasp_sending_lanes_share (FaspEndpoint *endpoint)
{
  guint n = 0;

  for (guint i = 0; i < endpoint->config.lanes; i++)
    n += endpoint->schedulers[i].heap.n;
  for (guint i = 0; i < endpoint->config.lanes; i++)
    fasp_scheduler_set_others (&endpoint->schedulers[i], n - endpoint->schedulers[i].heap.n);
}

guint
fasp_endpoint_count_lanes (const FaspEndpoint *endpoint)
{
  return endpoint->config.lanes;
}

void
fasp_endpoint_left_late (FaspEndpoint *endpoint, guint lane, FaspTime from, FaspTime until)
{
  const FaspScheduler *scheduler = &endpoint->schedulers[lane];
  gboolean has_sent = FALSE;

  for (FaspSchedulerEntry *entry = fasp_scheduler_get_sender (scheduler, from, NULL); entry != NULL;
      entry = fasp_scheduler_get_sender (scheduler, from, entry)) {
    fasp_session_left_late (entry->due.owner, from, until);
    has_sent = TRUE;
  }
  if (has_sent)
    fasp_pacer_late (&endpoint->shared.total.pacer, from, until);
  if (lane == 0 && endpoint->group != NULL)
    fasp_pacer_late (&endpoint->group->pacer, from, until);
}
