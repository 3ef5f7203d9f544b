/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspcubic.h"
#include <math.h>

/* RFC 9438, sections 4.1 and 4.6. */
#define C .4
#define GROWTH_MOST 1.5
#define LEAST 2. /* packets */

static void
begin_epoch (FaspCubic *c, FaspTime now, gdouble window)
{
  c->window = c->first = c->reno = MAX (window, LEAST);
  c->epoch = now;
}

void
fasp_cubic_begin (FaspCubic *c, FaspTime now, gdouble bytes)
{
  begin_epoch (c, now, bytes * 8 / FASP_RATE_PACKET);
  c->most = c->window;
}

void
fasp_cubic_grow (FaspCubic *c, FaspTime now, FaspTime rtt, gdouble bytes)
{
  gdouble n = bytes * 8 / FASP_RATE_PACKET, k = cbrt (MAX (0, c->most - c->first) / C);
  gdouble alpha = 3 * (1 - FASP_CUBIC_BETA) / (1 + FASP_CUBIC_BETA); /* section 4.3 */
  gdouble t = (gdouble) (now - c->epoch + rtt) / FASP_SEC - k;
  gdouble target = CLAMP (C * t * t * t + c->most, c->window, GROWTH_MOST * c->window);

  c->reno += (c->reno < c->most ? alpha : 1) * n / c->window;
  c->window = MAX (c->reno, MIN (target, c->window + (target - c->window) * n / c->window));
}

void
fasp_cubic_reduce (FaspCubic *c, FaspTime now)
{
  /* fast convergence: another flow has joined (section 4.7) */
  c->most = c->window < c->most ? c->window * (1 + FASP_CUBIC_BETA) / 2 : c->window;
  begin_epoch (c, now, FASP_CUBIC_BETA * c->window);
}

gdouble
fasp_cubic_get_window (const FaspCubic *c)
{
  return c->window * FASP_RATE_PACKET / 8;
}
