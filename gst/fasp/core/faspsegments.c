/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspsegments.h"

void
fasp_segments_init (FaspSegments * segments, const FaspPlace * place)
{
  segments->room = 4;
  segments->list = g_new (FaspSegment, segments->room);
  segments->list[0] = (FaspSegment) {
  0, *place};
  segments->n = 1;
}

void
fasp_segments_clear (FaspSegments * segments)
{
  g_clear_pointer (&segments->list, g_free);
  segments->n = segments->room = 0;
}

void
fasp_segments_begin (FaspSegments * segments, guint64 number,
    const FaspPlace * place)
{
  if (segments->list[segments->n - 1].number == number)
    segments->n--;
  if (segments->n == segments->room) {
    segments->room *= 2;
    segments->list = g_renew (FaspSegment, segments->list, segments->room);
  }
  segments->list[segments->n++] = (FaspSegment) {
  number, *place};
}

void
fasp_segments_trim (FaspSegments * segments, guint64 tail)
{
  guint gone = 0;

  while (gone + 1 < segments->n && segments->list[gone + 1].number <= tail)
    gone++;
  if (gone == 0)
    return;
  segments->n -= gone;
  memmove (segments->list, segments->list + gone,
      segments->n * sizeof segments->list[0]);
}

const FaspSegment *
fasp_segments_get (const FaspSegments * segments, guint64 number)
{
  guint low = 0, high = segments->n;

  while (high - low > 1) {
    guint middle = (low + high) / 2;

    if (segments->list[middle].number <= number)
      low = middle;
    else
      high = middle;
  }
  return &segments->list[low];
}

const FaspSegment *
fasp_segments_get_last (const FaspSegments * segments)
{
  return &segments->list[segments->n - 1];
}
