/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspjitter.h: the spread of delays without a queue, as on radio links.
 *
 * This is the smoothed spread of stretches of packets.  A steady growth or decline of their queue
 * does not count (fasp_span_get_spread ()).  A single spread counts as FASP_RATE_TARGET at most.
 */
#pragma once

#include "faspspan.h"

G_BEGIN_DECLS

/* All 0: nothing is known. */
typedef struct
{
  gdouble spread; /* smoothed; µs */
  guint n;        /* stretches so far, up to 1 / FASP_RATE_WEIGHT */
} FaspJitter;

void fasp_jitter_add (FaspJitter *jitter, const FaspSpan *span);

G_END_DECLS
