/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspoverflow.h: are packets lost because a queue overflows, or by chance?
 *
 * Chance does not depend on how long a packet has waited.  So packets count by the mean wait of
 * their reports: long (much more than the least of the last FASP_OVERFLOW_WINDOW to twice as much),
 * or short.  Reports are taken together until they have FASP_OVERFLOW_SAMPLES delays: a loss is
 * reported at once, with few packets, whose mean is often far from that of all.  Where packets
 * overtake others, losses are reported later, so there reports of at least FASP_OVERFLOW_SETTLES
 * are taken together.  If nearly all packets are lost, that is an outage, which says no more about
 * a queue than one loss does.
 *
 * The queue overflows if packets with long waits are lost so much more often that it cannot be by
 * chance, which loses b of the others together in the mean:
 *
 *     lost_long > 3 + e + 4 sqrt (e b (1 + r)),  e = (lost_short + 0.5) r,  r = told_long /
 *     told_short
 *
 * That is not so while there are so few others that chance would lose none of them; for instance,
 * all losses of the first looks at long waits may be one burst.  Once an overflow was found, any
 * losses beyond the bound are forgotten: else each later loss by chance would count as the queue's,
 * for as long as the overflow is remembered.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_OVERFLOW_WINDOW (10 * FASP_SEC)
#define FASP_OVERFLOW_SAMPLES 8
/* Twice the longest time until a missing packet counts as lost. */
#define FASP_OVERFLOW_SETTLES (100 * FASP_MSEC)

/* Zeroes: nothing is known. */
typedef struct
{
  FaspTime longest, longest_before; /* mean waits, of this window and the last */
  FaspTime least, least_before;
  FaspTime since;           /* start of this window */
  gdouble told[2], lost[2]; /* packets, by [had waited long] */
  gdouble looks[2];         /* looks that they come from */
  gdouble squares;          /* sum of squared losses, of looks at short waits */
  /* reports that are not counted yet */
  guint samples;
  FaspTime first; /* time of the first one */
  gdouble waits;  /* sum of the waits */
  guint64 new_told, new_lost;
} FaspOverflow;

/* @told more packets were reported, of which @lost are lost.  @samples of those that arrived had
 * waited for @queue on average.  @noise: µs that delays spread without any queue.  @overtaken:
 * packets arrive out of order.  TRUE: a queue has overflowed. */
gboolean fasp_overflow_add (FaspOverflow *overflow, FaspTime now, FaspTime queue, guint samples,
    FaspTime noise, guint64 told, guint64 lost, gboolean overtaken);
/* Are some lost, and did hardly any not wait?  Then sending less for a moment will tell the
 * cause. */
gboolean fasp_overflow_is_unclear (const FaspOverflow *overflow);

G_END_DECLS
