/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspyield.h"

#define FLOOR_TIME (10 * FASP_SEC)
#define FLOOR_SHARE .5
/* At most this many times the rate of arrival is sent. */
#define FLOOR_ARRIVED 3
/* Rivals do not leave the queue empty this many times in a row. */
#define FLOOR_LOOKS 3

void
fasp_yield_begin (FaspYield *yield, guint64 rate)
{
  yield->calm_since = 0;
  if (yield->before == 0)
    yield->before = rate;
}

void
fasp_yield_keep (FaspYield *yield, FaspTime now, gdouble arrives)
{
  yield->floor = MIN (FLOOR_SHARE * yield->before, FLOOR_ARRIVED * arrives);
  yield->floor_until = now + FLOOR_TIME;
}

void
fasp_yield_let_go (FaspYield *yield)
{
  yield->floor = 0;
}

void
fasp_yield_forget (FaspYield *yield, FaspTime now)
{
  yield->before = yield->floor = 0;
  yield->calm_since = now;
}

void
fasp_yield_look (FaspYield *yield, FaspTime now, gboolean stands)
{
  if (now >= yield->floor_until)
    yield->floor = 0;
  if (stands) {
    yield->calm_since = 0;
    yield->empty = 0;
    return;
  }
  if (++yield->empty >= FLOOR_LOOKS)
    yield->floor = 0;
  if (yield->calm_since == 0)
    yield->calm_since = now;
  if (now - yield->calm_since >= FASP_YIELD_CALM)
    yield->before = 0;
}

FaspTime
fasp_yield_get_calm (const FaspYield *yield, FaspTime now)
{
  return yield->calm_since > 0 ? now - yield->calm_since : 0;
}
