/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspneed.h: what a live source needs, and whether the path carries it.
 *
 * A source that does not take what it is offered, for a while, has no more: a camera, with an encoder
 * of a fixed rate.  Less than it has makes it late, and leaves more to others who take all that they
 * can get anyhow.  So what it needs is kept for it, whatever queue stands, as long as it arrives: until
 * the queue turns out to be its own, as the path has become slower, or others do not give way.
 */
#pragma once

#include "faspspan.h"

G_BEGIN_DECLS

/* All 0: nothing is known. */
typedef struct
{
  gdouble known, rate;          /* bit/s that it had while nothing stood in its way, and of late; 0:
                                   not known, or not carried */
  FaspTime limited_since;       /* it has less than it is offered, */
  guint limited;                /* in so many looks, less some for each in which it had not */
  FaspTime from;                /* since then there was room for */
  gdouble room;                 /* so much, bytes, */
  guint64 sent;                 /* behind that byte of the session; */
  FaspTime asked;               /* and since then there is for */
  guint64 may;                  /* so much, bit/s */
  FaspSpan carried;             /* what tells whether it arrives, */
  gdouble missing;              /* s of it that did not, of late; */
  guint alone;                  /* looks in a row at nobody else */
} FaspNeed;

/* Nothing stands in its way, and it has @passes, bit/s, of more that it was offered; or (0) it
 * takes what it is offered. */
void fasp_need_look (FaspNeed * need, FaspTime now, gdouble passes);
/* By @now @sent bytes of the session were sent; from now on @may, bit/s, may be. */
void fasp_need_send (FaspNeed * need, FaspTime now, guint64 sent, guint64 may);
/* @queue, @loss: as of fasp_span_extend(). */
void fasp_need_extend (FaspNeed * need, const FaspRateSample * sample,
    FaspTime queue, gdouble loss, FaspTime rtt);
/* There is a queue; @others: whose (fasp_span_get_others()).  TRUE: nobody else's, for the last time of
 * some. */
gboolean fasp_need_judge (FaspNeed * need, gdouble others);
/* Bit/s to be kept for it, what is sent again included; 0: nothing is. */
gdouble fasp_need_get (const FaspNeed * need);

G_END_DECLS
