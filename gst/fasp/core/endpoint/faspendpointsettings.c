/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspendpointsettings.c: what can be changed while an endpoint runs.
 */
#include "faspdial.h"
#include "fasphold.h"
#include "faspmulticast.h"

static void
apply_bitrates (FaspEndpoint *endpoint, FaspTime now)
{
  guint64 min_bitrate = endpoint->config.settings.min_bitrate;
  guint64 max_bitrate = endpoint->config.settings.max_bitrate;

  fasp_total_set_rate (&endpoint->shared.total, now, endpoint->config.settings.max_total_bitrate);
  FASP_EACH_SESSION (endpoint, session) {
    if (session->role == FASP_ROLE_SENDER && fasp_tx_view (session->tx)->peer == FASP_TX_TAKES)
      fasp_tx_set_fresh_time (session->tx, now);
    fasp_session_set_bitrates (session, now, min_bitrate, max_bitrate);
  }
  if (endpoint->group != NULL)
    fasp_multicast_sender_set_pace (endpoint->group, now,
        fasp_multicast_get_bitrate (&endpoint->config.settings));
  fasp_endpoint_wake_all (endpoint);
}

void
fasp_endpoint_configure (FaspEndpoint *endpoint, FaspTime now, const FaspEndpointSettings *settings)
{
  FaspEndpointSettings old = endpoint->config.settings;

  /* the other settings are read where they are used */
  endpoint->config.settings = *settings;
  if (settings->min_bitrate != old.min_bitrate || settings->max_bitrate != old.max_bitrate
      || settings->max_total_bitrate != old.max_total_bitrate)
    apply_bitrates (endpoint, now);
  FASP_EACH_SESSION (endpoint, session) {
    if (session->role == FASP_ROLE_RECEIVER)
      fasp_rx_set_give_up (session->rx, settings->too_late_skip);
    else if (settings->glitch_interval != old.glitch_interval)
      fasp_path_estimate_set_interval (fasp_tx_get_estimate (session->tx),
          settings->glitch_interval);
  }
  if (!settings->wait_for_connection && old.wait_for_connection)
    fasp_hold_no_more (endpoint, now);
  if (settings->too_late_skip != old.too_late_skip)
    fasp_endpoint_wake_all (endpoint);
  /* the session may have been interrupted before reconnecting was allowed */
  if (settings->reconnect && !old.reconnect)
    fasp_dial_seek (endpoint, now);
}

const FaspEndpointSettings *
fasp_endpoint_get_settings (const FaspEndpoint *endpoint)
{
  return &endpoint->config.settings;
}
