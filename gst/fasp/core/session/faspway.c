/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspway.h"

/* The least delay must outlive queues, and not the drift of clocks: 100 ppm are 3 ms in twice this
 * time. */
#define LEAST_OVER (15 * FASP_SEC)
/* Reports over which the recent delay is smoothed. */
#define RECENT_OVER 4

void
fasp_way_init (FaspWay *way)
{
  *way = (FaspWay) { .until = FASP_NEVER };
  fasp_rtt_init (&way->rtt);
  fasp_pacer_init (&way->pacer, 0, 0);
}

void
fasp_way_clear (FaspWay *way)
{
  fasp_rate_free (way->rate);
}

gboolean
fasp_way_has (const FaspWay *way, guint local, const FaspAddress *address)
{
  return way->local == local && fasp_address_same_host (&way->address, address);
}

/* When the window lets a datagram of @bytes leave, if the pacer does at @time. */
static FaspTime
wait_for_window (const FaspWay *way, FaspTime now, FaspTime time, gsize bytes)
{
  return way->rate == NULL ?
      time :
      fasp_later (time, fasp_rate_get_time (way->rate, now, way->wire_sent, bytes));
}

FaspTime
fasp_way_get_time (const FaspWay *way, FaspTime now, gsize bytes)
{
  return wait_for_window (way, now, fasp_pacer_get_time (&way->pacer, now, bytes), bytes);
}

FaspTime
fasp_way_get_wake (const FaspWay *way, FaspTime now, gsize bytes)
{
  return wait_for_window (way, now, fasp_pacer_get_wake (&way->pacer, now, bytes), bytes);
}

void
fasp_way_delayed (FaspWay *way, FaspTime now, FaspTime delay)
{
  FaspWayDelay *d = &way->delay;

  if (!d->is_known) {
    *d = (FaspWayDelay) { TRUE, delay, delay, delay, now + LEAST_OVER };
    return;
  }
  if (now >= d->until) {
    d->before = d->least;
    d->least = delay;
    d->until = now + LEAST_OVER;
  }
  d->least = MIN (d->least, delay);
  d->recent += (delay - d->recent) / RECENT_OVER;
}

FaspTime
fasp_way_get_least (const FaspWay *way)
{
  return MIN (way->delay.least, way->delay.before);
}

FaspTime
fasp_way_get_queue (const FaspWay *way)
{
  return MAX (0, way->delay.recent - fasp_way_get_least (way));
}

FaspTime
fasp_way_get_silence (const FaspWay *way, FaspTime now, FaspTime oldest)
{
  if (oldest == FASP_NEVER || !way->rtt.measured)
    return 0;
  return MAX (0, now - oldest - fasp_rtt_patience (&way->rtt));
}
