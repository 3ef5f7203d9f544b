/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspconfig.h"

#define DEFAULT_BUFFER (64 * 1024 * 1024)
#define DEFAULT_RESUME (30 * FASP_SEC)

void
fasp_endpoint_config_init (FaspEndpointConfig *config, FaspRole role, FaspMode mode)
{
  memset (config, 0, sizeof *config);
  config->role = role;
  config->mode = mode;
  config->settings.latency_ms = FASP_LATENCY_ANY;
  config->settings.glitch_interval = FASP_GLITCH_INTERVAL_DEFAULT;
  config->buffer_size = DEFAULT_BUFFER;
  config->half_open_max = 16;
  config->settings.max_receivers = FASP_RECEIVERS_DEFAULT;
  config->settings.max_receivers_per_network = FASP_RECEIVERS_NETWORK_DEFAULT;
  config->settings.slow_policy = FASP_SLOW_WAIT;
  config->settings.wait_for_connection = TRUE;
  config->settings.reconnect = TRUE;
  config->resume_timeout = DEFAULT_RESUME;
}

gboolean
fasp_endpoint_config_dials (const FaspEndpointConfig *config)
{
  return config->mode == FASP_MODE_CALLER
      || (config->mode == FASP_MODE_RENDEZVOUS && config->role == FASP_ROLE_SENDER);
}

gboolean
fasp_endpoint_config_controls (const FaspEndpointConfig *config)
{
  return config->rate_control != FASP_RATE_CONTROL_FIXED
      || (config->flows > MAX (config->flowlets, 1)
          && config->assignment != FASP_ASSIGNMENT_DUPLICATE);
}
