/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "road.h"

Vroad *
road_new (guint mbit, gint64 buffer, gdouble loss, guint32 seed)
{
  ImpairConfig c = {
    .rate = mbit * 1000000,
    .queue = mbit * buffer / 8,
    .loss = loss,
    .keep_order = TRUE,
  };

  return vroad_new (seed, &c);
}

gdouble
road_mbit_between (guint64 from, guint64 to, gint64 time)
{
  return (to - from) * 8. / time;
}

gdouble
road_watch (Vroad *road, gint64 from, gint64 until, gint64 *queue)
{
  guint64 before;

  vroad_run (road, from);
  before = vroad_get_delivered (road, 0);
  if (queue != NULL)
    *queue = vroad_watch (road, from, until);
  else
    vroad_run (road, until);
  return road_mbit_between (before, vroad_get_delivered (road, 0), until - from);
}
