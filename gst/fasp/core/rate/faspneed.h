/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspneed.h: what a live source needs, and whether the path carries it.
 *
 * A source that takes less than its offer for a while has no more to send: a camera with an encoder
 * of a fixed rate.  At a lower rate its stream would be late, and the rest would go to others who
 * take all they can get anyhow.  So its rate is kept, whatever queue stands, as long as what it
 * sends arrives.  That ends when the queue turns out to be its own, because the path has become
 * slower, or when others do not give way.
 */
#pragma once

#include "faspspan.h"

G_BEGIN_DECLS

/* All 0: nothing is known. */
typedef struct
{
  gdouble known, rate;    /* bit/s that the source had while nothing stood in its way, and that
                             it has now; 0: not known, or the path does not carry it */
  FaspTime limited_since; /* since when it takes less than its offer */
  guint limited;          /* looks at that, less some for each look at the opposite */
  FaspTime from;          /* start of this window, in which there was */
  gdouble room;           /* room for so many bytes, */
  guint64 sent;           /* beyond this byte of the session */
  FaspTime asked;         /* since when there is room for */
  guint64 may;            /* this rate, bit/s */
  FaspSpan carried;       /* packets that tell whether it arrives */
  gdouble missing;        /* seconds of the stream that did not arrive of late */
  guint alone;            /* looks in a row that saw nobody else */
} FaspNeed;

/* Nothing stands in the source's way.  @passes: the bit/s of a source that was offered more; 0: it
 * takes what it is offered. */
void fasp_need_look (FaspNeed *need, FaspTime now, gdouble passes);
/* The session has sent @sent bytes by @now, and may send @may bit/s from now on. */
void fasp_need_send (FaspNeed *need, FaspTime now, guint64 sent, guint64 may);
/* @queue, @loss: as in fasp_span_extend(). */
void fasp_need_extend (FaspNeed *need, const FaspRateSample *sample, FaspTime queue, gdouble loss,
    FaspTime rtt);
/* There is a queue, with that share of @others (fasp_span_get_others()).  TRUE: it is our own, as
 * several looks in a row saw nobody else. */
gboolean fasp_need_judge (FaspNeed *need, gdouble others);
/* The bit/s to keep for the source, including what is sent again; 0: nothing is kept. */
gdouble fasp_need_get (const FaspNeed *need);

G_END_DECLS
