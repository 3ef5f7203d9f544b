/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspsource.h"

/* The interval: some pictures of a camera. */
#define WHILE (FASP_SEC / 2)
/* A source that has filled the buffer is taken for a file for this long. */
#define REFUSED (4 * FASP_SEC)

void
fasp_source_wrote (FaspSource *s, FaspTime now, gsize bytes)
{
  FaspTime took = now - s->start;

  if (took >= WHILE) {
    s->rate = took < 2 * WHILE ? s->bytes * 8 * FASP_SEC / took : 0;
    s->start = now;
    s->bytes = 0;
  }
  s->bytes += bytes;
}

void
fasp_source_refused (FaspSource *s, FaspTime now)
{
  s->refused = TRUE;
  s->refused_time = now;
}

guint64
fasp_source_get (const FaspSource *s, FaspTime now)
{
  if (now - s->start >= 2 * WHILE || (s->refused && now - s->refused_time < REFUSED))
    return 0;
  return s->rate;
}
