/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspway.h"

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

FaspTime
fasp_way_get_time (const FaspWay *way, FaspTime now, gsize bytes)
{
  return fasp_pacer_get_time (&way->pacer, now, bytes);
}
