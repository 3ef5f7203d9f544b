/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspsource.h: how fast a source writes by itself.
 *
 * What is live is written at its own pace, whatever leaves of it and however much waits; a file
 * as fast as there is room for it.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* All 0: nothing is known. */
typedef struct
{
  FaspTime start;               /* of a while, in which */
  guint64 bytes;                /* so much was written, */
  guint64 rate;                 /* and so much in the one before, bit/s; 0: not known */
  gboolean refused;             /* some was not taken, */
  FaspTime refused_time;        /* then */
} FaspSource;

void fasp_source_wrote (FaspSource * source, FaspTime now, gsize bytes);
/* There was no room for what it had. */
void fasp_source_refused (FaspSource * source, FaspTime now);
/* Bit/s of late; 0: not known, or as much as there is room for. */
guint64 fasp_source_get (const FaspSource * source, FaspTime now);

G_END_DECLS
