/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the application writes: into the store, for whoever listens.
 */
#include "faspendpointprivate.h"
#include "faspslow.h"

static gboolean
has_listeners (const FaspEndpoint * endpoint)
{
  return endpoint->hold != FASP_NO_BLOCK
      || fasp_endpoint_get_open (endpoint) != NULL;
}

gsize
fasp_endpoint_write (FaspEndpoint * endpoint, FaspTime now,
    FaspTime media_time, const guint8 * data, gsize size, FaspMemory * memory)
{
  gsize taken = 0;

  g_return_val_if_fail (endpoint->store != NULL, 0);
  if (endpoint->closing || fasp_store_is_finished (endpoint->store))
    return 0;
  endpoint->media_time = media_time;
  if (!has_listeners (endpoint)) {
    if (endpoint->config.wait_for_connection)
      return 0;
    endpoint->stats.bytes_written += size;
    endpoint->stats.bytes_dropped += size;
    endpoint->stats.bytes_unconfirmed = 0;      /* these go before it */
    return size;
  }
  do
    taken += fasp_store_write (endpoint->store, now, media_time,
        data + taken, size - taken, memory);
  while (taken < size && fasp_slow_press (endpoint, now));
  endpoint->stats.bytes_written += taken;
  if (taken > 0)
    fasp_turns_written (&endpoint->turns, now);
  return taken;
}

GPtrArray *
fasp_endpoint_take_forgotten (FaspEndpoint * endpoint)
{
  return endpoint->store != NULL ?
      fasp_store_take_forgotten (endpoint->store) : NULL;
}

gboolean
fasp_endpoint_can_write (const FaspEndpoint * endpoint)
{
  if (endpoint->closing || fasp_store_is_finished (endpoint->store))
    return FALSE;
  if (!has_listeners (endpoint))
    return !endpoint->config.wait_for_connection;
  return !fasp_store_is_full (endpoint->store)
      || fasp_slow_can_press (endpoint);
}

void
fasp_endpoint_finish (FaspEndpoint * endpoint, FaspTime now)
{
  g_return_if_fail (endpoint->store != NULL);
  fasp_store_finish (endpoint->store, now, endpoint->media_time);
  fasp_endpoint_trim_store (endpoint);
  fasp_endpoint_wake_all (endpoint);
}

gboolean
fasp_endpoint_is_drained (const FaspEndpoint * endpoint)
{
  g_return_val_if_fail (endpoint->store != NULL, TRUE);
  return fasp_store_is_finished (endpoint->store) && !has_listeners (endpoint);
}
