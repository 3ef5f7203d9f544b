/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspendpointhello.h"
#include "faspheaderwait.h"
#include "faspreading.h"
#include "fasplimits.h"

void
fasp_endpoint_describe (FaspEndpoint *endpoint, FaspHello *hello, guint64 start)
{
  hello->role = endpoint->config.role;
  hello->latency_ms = endpoint->config.settings.latency_ms;
  hello->datagram_max = FASP_DATAGRAM_MAX;
  hello->flows = endpoint->config.flows;
  hello->fec = endpoint->config.fec != FASP_FEC_OFF ? FASP_FEC_WINDOW_MAX : 0;
  /* a receiver offers receive timestamps; a sender asks for them if it controls the rate */
  hello->timestamps = endpoint->config.role == FASP_ROLE_RECEIVER
          || fasp_endpoint_config_controls (&endpoint->config) ?
      FASP_TIMESTAMPS :
      0;
  if (endpoint->config.role == FASP_ROLE_SENDER) {
    hello->start = start;
    hello->position = fasp_store_get_stream_offset (endpoint->store, start);
    hello->has_header = fasp_header_wait_announces (endpoint, start);
    return;
  }
  hello->window = fasp_endpoint_get_window (endpoint);
  hello->wants.from = fasp_reading_get_wanted (endpoint);
  hello->wants.offsets = endpoint->config.one_of_several;
  if (!fasp_endpoint_is_caller (endpoint))
    return; /* only a receiver has a wish where to join; the sender has chosen */
  hello->wants.join = endpoint->config.join;
  hello->wants.back_ms = endpoint->config.join_back_ms;
}
