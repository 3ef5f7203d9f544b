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
