/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspendpointsettings.c: what can be changed while an endpoint runs.
 */
#include "fasphold.h"

void
fasp_endpoint_set_bitrates (FaspEndpoint *endpoint, FaspTime now, guint64 min_bitrate,
    guint64 max_bitrate)
{
  endpoint->config.min_bitrate = min_bitrate;
  endpoint->config.max_bitrate = max_bitrate;
  for (guint i = 0; i < endpoint->sessions->len; i++) {
    FaspSession *session = fasp_endpoint_nth (endpoint, i);

    if (!session->tx.unheard)
      session->tx.fresh_time = now;
    if (session->rate != NULL) {
      fasp_rate_set_bounds (session->rate, min_bitrate, max_bitrate);
      session->rate_until = now;
    } else {
      fasp_session_set_pace (session, now, max_bitrate);
    }
  }
  if (endpoint->group != NULL)
    fasp_multicast_sender_set_pace (endpoint->group, now, max_bitrate);
  fasp_endpoint_wake_all (endpoint);
}

void
fasp_endpoint_set_latency (FaspEndpoint *endpoint, guint latency_ms)
{
  endpoint->config.latency_ms = latency_ms;
}

void
fasp_endpoint_set_glitch_interval (FaspEndpoint *endpoint, guint64 seconds)
{
  endpoint->config.glitch_interval = seconds;
  for (guint i = 0; i < endpoint->sessions->len; i++) {
    FaspSession *session = fasp_endpoint_nth (endpoint, i);

    if (session->role == FASP_ROLE_SENDER)
      fasp_path_estimate_set_interval (&session->tx.estimate, seconds);
  }
}

void
fasp_endpoint_set_slow_policy (FaspEndpoint *endpoint, FaspSlowPolicy policy)
{
  endpoint->config.slow_policy = policy;
}

/* Whoever is there stays. */
void
fasp_endpoint_set_max_receivers (FaspEndpoint *endpoint, guint most, guint per_network)
{
  endpoint->config.max_receivers = most;
  endpoint->config.max_receivers_per_network = per_network;
}

void
fasp_endpoint_set_wait_for_connection (FaspEndpoint *endpoint, gboolean wait)
{
  endpoint->config.wait_for_connection = wait;
  if (!wait)
    fasp_hold_no_more (endpoint);
}

void
fasp_endpoint_set_too_late_skip (FaspEndpoint *endpoint, gboolean skip)
{
  endpoint->config.too_late_skip = skip;
  for (guint i = 0; i < endpoint->sessions->len; i++) {
    FaspSession *session = fasp_endpoint_nth (endpoint, i);

    if (session->role == FASP_ROLE_RECEIVER)
      session->rx.give_up = skip;
  }
  fasp_endpoint_wake_all (endpoint);
}

void
fasp_endpoint_set_keep_listening (FaspEndpoint *endpoint, gboolean keep_listening)
{
  endpoint->config.keep_listening = keep_listening;
}

void
fasp_endpoint_set_reconnect (FaspEndpoint *endpoint, FaspTime now, gboolean reconnect)
{
  endpoint->config.reconnect = reconnect;
  /* the peer may have been gone before we were allowed to call it */
  fasp_lifecycle_seek (endpoint, now);
}

void
fasp_endpoint_left_late (FaspEndpoint *endpoint, guint lane, FaspTime from, FaspTime until)
{
  const FaspScheduler *turns = &endpoint->schedulers[lane];

  for (FaspSchedulerEntry *turn = fasp_scheduler_get_sender (turns, from, NULL); turn != NULL;
      turn = fasp_scheduler_get_sender (turns, from, turn)) {
    FaspSession *session = turn->due.owner;

    fasp_pacer_late (&session->pacer, from, until);
  }
  if (lane == 0 && endpoint->group != NULL)
    fasp_pacer_late (&endpoint->group->pacer, from, until);
}
