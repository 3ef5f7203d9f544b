/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "faspsegments.h"

void
fasp_segments_init (FaspSegments *segments, const FaspStreamOffset *position)
{
  segments->room = 4;
  segments->list = g_new (FaspSegment, segments->room);
  segments->list[0] = (FaspSegment) { .position = *position };
  segments->n = 1;
  segments->first = 0;
}

void
fasp_segments_clear (FaspSegments *segments)
{
  g_clear_pointer (&segments->list, g_free);
  segments->n = segments->first = segments->room = 0;
}

void
fasp_segments_begin (FaspSegments *segments, guint64 number, const FaspStreamOffset *position)
{
  guint32 serial = fasp_segments_get_last (segments)->serial + 1;

  if (fasp_segments_get_last (segments)->number == number)
    segments->n--;
  if (segments->first + segments->n == segments->room) {
    segments->room *= 2;
    segments->list = g_renew (FaspSegment, segments->list, segments->room);
  }
  segments->list[segments->first + segments->n++] = (FaspSegment) { number, serial, *position };
}

void
fasp_segments_trim (FaspSegments *segments, guint64 tail)
{
  while (segments->n > 1 && fasp_segments_nth (segments, 1)->number <= tail) {
    segments->first++;
    segments->n--;
  }
  /* moves entries only when at least as many were forgotten */
  if (segments->first < segments->n)
    return;
  memmove (segments->list, segments->list + segments->first,
      segments->n * sizeof segments->list[0]);
  segments->first = 0;
}

const FaspSegment *
fasp_segments_get (const FaspSegments *segments, guint64 number)
{
  guint low = 0, high = segments->n;

  while (high - low > 1) {
    guint middle = (low + high) / 2;

    if (fasp_segments_nth (segments, middle)->number <= number)
      low = middle;
    else
      high = middle;
  }
  return fasp_segments_nth (segments, low);
}

const FaspSegment *
fasp_segments_get_last (const FaspSegments *segments)
{
  return fasp_segments_nth (segments, segments->n - 1);
}
