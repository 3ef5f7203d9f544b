/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "vhost.h"
#include <math.h>

/* Mean times, µs: of one of the other things, and of a load. */
#define BUSY 4000.
#define LOAD 3000000.
/* No load is less, so that it turns at times. */
#define LEAST .01

static gint64
draw (Vhost *host, gdouble mean)
{
  return -mean * log (1 - g_rand_double (host->rand)) + 1;
}

void
vhost_init (Vhost *host, guint32 seed, gdouble most)
{
  *host = (Vhost) { .most = most };
  if (most > 0)
    host->rand = g_rand_new_with_seed (seed);
}

void
vhost_clear (Vhost *host)
{
  g_clear_pointer (&host->rand, g_rand_free);
}

gint64
vhost_get_next (const Vhost *host)
{
  return host->rand != NULL ? host->next : G_MAXINT64;
}

void
vhost_run (Vhost *host, gint64 now)
{
  while (host->rand != NULL && host->next <= now) {
    if (host->load_end <= host->next) {
      host->load = MAX (LEAST, host->most * g_rand_double_range (host->rand, .5, 1));
      host->load_end = host->next + draw (host, LOAD);
    }
    host->busy = !host->busy;
    host->next += draw (host, host->busy ? BUSY : BUSY * (1 - host->load) / host->load);
  }
}
