/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasppath.h"

/* The least delay is remembered for longer than queues stand, but not for so long that the clocks
 * drift apart: 100 ppm are 3 ms in twice this time. */
#define LEAST_OVER (15 * FASP_SEC)
/* Reports over which the recent delay is smoothed. */
#define RECENT_OVER 4

void
fasp_path_init (FaspPath *path)
{
  *path = (FaspPath) { .until = FASP_NEVER };
  fasp_rtt_init (&path->rtt);
  fasp_pacer_init (&path->pacer, 0, 0);
}

void
fasp_path_clear (FaspPath *path)
{
  fasp_rate_free (path->rate);
}

gboolean
fasp_path_has (const FaspPath *path, guint local, const FaspAddress *address)
{
  return path->local == local && fasp_address_same_host (&path->address, address);
}

/* The later of @time and the time when the window has room for @bytes more. */
static FaspTime
wait_for_window (const FaspPath *path, FaspTime now, FaspTime time, gsize bytes)
{
  return path->rate == NULL ?
      time :
      fasp_later (time, fasp_rate_get_time (path->rate, now, path->wire_sent, bytes));
}

FaspTime
fasp_path_get_time (const FaspPath *path, FaspTime now, gsize bytes)
{
  return wait_for_window (path, now, fasp_pacer_get_time (&path->pacer, now, bytes), bytes);
}

FaspTime
fasp_path_get_wake (const FaspPath *path, FaspTime now, gsize bytes)
{
  return wait_for_window (path, now, fasp_pacer_get_wake (&path->pacer, now, bytes), bytes);
}

void
fasp_path_delayed (FaspPath *path, FaspTime now, FaspTime delay)
{
  FaspPathDelay *d = &path->delay;

  if (!d->is_known) {
    *d = (FaspPathDelay) { TRUE, delay, delay, delay, now + LEAST_OVER };
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
fasp_path_get_least (const FaspPath *path)
{
  return MIN (path->delay.least, path->delay.before);
}

FaspTime
fasp_path_get_queue (const FaspPath *path)
{
  return MAX (0, path->delay.recent - fasp_path_get_least (path));
}

FaspTime
fasp_path_get_silence (const FaspPath *path, FaspTime now, FaspTime oldest)
{
  if (oldest == FASP_NEVER || !path->rtt.measured)
    return 0;
  return MAX (0, now - oldest - fasp_rtt_report_timeout (&path->rtt));
}
