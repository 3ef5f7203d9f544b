/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmeter.h: a rate in bit/s, measured over the last whole second.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

typedef struct
{
  FaspTime start;      /* start of the current second */
  guint64 bytes, rate; /* bytes since start; bit/s of the second before */
} FaspMeter;

static inline void
fasp_meter_add (FaspMeter *m, FaspTime now, gsize bytes)
{
  if (now - m->start >= FASP_SEC) {
    m->rate = m->bytes * 8 * FASP_SEC / (now - m->start);
    m->start = now;
    m->bytes = 0;
  }
  m->bytes += bytes;
}

G_END_DECLS
