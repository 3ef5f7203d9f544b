/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspjitter.h: how far delays spread without a queue, as on radio links.
 *
 * The spread of each stretch of packets beside what their queue grew or shrank steadily
 * (fasp_span_get_spread ()), smoothed; a single one is cut at FASP_JITTER_MOST.
 */
#pragma once

#include "faspspan.h"

G_BEGIN_DECLS

#define FASP_JITTER_MOST (100 * FASP_MSEC)

/* All 0: nothing is known. */
typedef struct
{
  gdouble spread;               /* smoothed; µs */
  guint n;                      /* stretches that it is known from, as far as that counts */
} FaspJitter;

void fasp_jitter_add (FaspJitter * jitter, const FaspSpan * span);
/* From few stretches yet: take what else there is. */
gboolean fasp_jitter_is_new (const FaspJitter * jitter);

G_END_DECLS
