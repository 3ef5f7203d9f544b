/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsource.h: measures the bit rate of a live source.
 *
 * A live source writes at its own pace, whatever leaves of it and however much waits. A
 * file is written as fast as there is room.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* All 0: nothing is known. */
typedef struct
{
  FaspTime start;        /* start of the current interval */
  guint64 bytes;         /* written in it */
  guint64 rate;          /* of the interval before, bit/s; 0: not known */
  gboolean refused;      /* the store had no room for some bytes */
  FaspTime refused_time; /* when it last had none */
} FaspSource;

void fasp_source_wrote (FaspSource *source, FaspTime now, gsize bytes);
/* There was no room for what it had to write. */
void fasp_source_refused (FaspSource *source, FaspTime now);
/* Bit/s of late; 0: not known, or as fast as there is room. */
guint64 fasp_source_get (const FaspSource *source, FaspTime now);

G_END_DECLS
