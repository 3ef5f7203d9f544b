/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasppathscheduler.h"

/* When the datagram would arrive on the path if it left as soon as it can; FASP_NEVER: not
 * known. */
static FaspTime
get_arrival (const FaspPathState *path, FaspTime now)
{
  return path->ready == FASP_NEVER ? FASP_NEVER : MAX (path->ready, now) + path->delay;
}

/* When the last of @waiting bytes would arrive on the path. */
static FaspTime
get_end (const FaspPathState *path, FaspTime now, gsize waiting)
{
  FaspTime arrival = get_arrival (path, now);

  if (arrival == FASP_NEVER || path->rate == 0)
    return arrival;
  return arrival + (FaspTime) (waiting * 8. * FASP_SEC / path->rate);
}

/* The paths of @among on which the datagram arrives in time, if one of them brings all that waits
 * in time; else @among. */
static guint64
leave_out_late (const FaspPathState *paths, guint64 among, FaspTime now,
    const FaspPathRequest *request)
{
  guint64 in_time = 0;
  gboolean all_in_time = FALSE;

  if (request->spare == FASP_NEVER)
    return among;
  for (guint64 left = among; left != 0; left &= left - 1) {
    guint i = __builtin_ctzll (left);

    if (get_arrival (&paths[i], now) - now > request->spare)
      continue;
    in_time |= FASP_BIT (i);
    if (get_end (&paths[i], now, request->waiting) - now <= request->latency)
      all_in_time = TRUE;
  }
  return all_in_time ? in_time : among;
}

/* The path of @among on which the datagram arrives first. @at_once: only those that it can leave on
 * now; -1: none. */
static gint
find_first (const FaspPathState *paths, guint64 among, FaspTime now, gboolean at_once)
{
  gint best = -1;

  for (guint64 left = among; left != 0; left &= left - 1) {
    guint i = __builtin_ctzll (left);

    if (at_once && paths[i].ready > now)
      continue;
    if (best < 0 || get_arrival (&paths[i], now) < get_arrival (&paths[best], now))
      best = i;
  }
  return best;
}

guint
fasp_path_scheduler_pick (const FaspPathState *paths, guint n, FaspTime now,
    const FaspPathRequest *request, FaspTime *when)
{
  guint64 among = 0;
  gint best, other;

  for (guint i = 0; i < n; i++)
    among |= paths[i].is_usable ? FASP_BIT (i) : 0;
  if (among == 0)
    among = n >= 64 ? G_MAXUINT64 : FASP_BIT (n) - 1;
  among = leave_out_late (paths, among, now, request);
  if ((among & ~request->carriers) != 0)
    among &= ~request->carriers;
  best = find_first (paths, among, now, FALSE);
  if (paths[best].ready > now) {
    other = find_first (paths, among, now, TRUE);
    if (other >= 0
        && get_arrival (&paths[other], now) < get_end (&paths[best], now, request->waiting))
      best = other;
  }
  *when = paths[best].ready;
  return best;
}
