/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspbudget.h: the bytes a second that feedback may take on its way back.
 *
 * That way may be a thousand times narrower than the way there (ADSL, satellites), and what
 * queues on it makes every round longer.  As RFC 5690 does for the acknowledgements of TCP,
 * the sender finds what it takes and tells it to the receiver; by delay, not by loss, as a
 * feedback that is lost costs little and one that is late costs its lateness:
 *
 *     way     what its clock said when a feedback left and what ours says when it comes; how much
 *             that is above the least of the last 10 to 20 s is the queue, the least
 *             of a look of 100 ms and four feedbacks
 *     queue   above 50 ms: three quarters, above 150 ms half of what gets through;
 *             below 15 ms: an eighth more, or twice as much while that is below three
 *             quarters of what got through, if half of it is used
 *
 * and twice as far where looks differ by themselves (jitter).  It waits until what it did must
 * be seen before it looks again.  A queue that does not get shorter by that is not made by
 * feedback: the budget is as before, and what stands there is left alone.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* Bytes per second: at first, at least and at most; a share of what is sent if that is more. */
#define FASP_BUDGET_FIRST 16000
#define FASP_BUDGET_FIRST_SHARE 256
#define FASP_BUDGET_LEAST 1000
#define FASP_BUDGET_LEAST_SHARE 2048
#define FASP_BUDGET_MOST 100000000
#define FASP_BUDGET_LOOK (100 * FASP_MSEC)
/* What may be said at once is as much as in such a time... */
#define FASP_BUDGET_DEPTH (125 * FASP_MSEC)
/* ... and so long at most one waits that may be said no more. */
#define FASP_BUDGET_WAIT (250 * FASP_MSEC)

/* Of the way back of one flow; zeroes: nothing is known. */
typedef struct
{
  gboolean measured;
  FaspTime way;                 /* of the last feedback, by two clocks */
  FaspTime least, least_before; /* in this period and the one before */
  FaspTime period_from;
} FaspWayBack;

/* The sender's. */
typedef struct
{
  guint64 rate;                 /* bytes/s; 0: no feedback has come */
  FaspTime look_from;           /* by our clock, */
  guint32 look_clock;           /* and by the peer's, */
  FaspTime look_least;          /* the shortest queue since, */
  guint look_count;
  guint64 look_bytes;           /* and what came behind the first */
  FaspTime last_least;          /* of the look before */
  gdouble noise;                /* µs; by which looks differ without a queue */
  guint32 wait_clock;           /* what left before does not show what was done, but by */
  FaspTime wait_until;          /* then it is believed to */
  guint64 rate_before;          /* what was cut; 0: nothing was, or it helped */
  FaspTime queue;               /* when less was said; 0: it is not yet */
  FaspTime others;              /* queue that is not ours */
  guint64 passes;               /* bytes/s that get through, as the last queue has shown;
                                   0: there was none */
  gboolean disobeyed;           /* by what came: it has not been told */
} FaspBudget;

/* A FEEDBACK of @size bytes from the IP header up left at @clock, the low 32 bits of the
 * peer's, and came by @way; @sent: bit/s that it is about. */
void fasp_budget_feedback (FaspBudget * budget, FaspWayBack * way,
    FaspTime now, guint32 clock, gsize size, FaspTime rtt, guint64 sent);

/* The receiver's: when the next may leave. */
typedef struct
{
  guint64 rate;                 /* bytes/s; 0: not told */
  FaspTime paid;                /* what was said is paid for, then */
} FaspAllowance;

void fasp_allowance_set (FaspAllowance * allowance, guint64 rate);
void fasp_allowance_spend (FaspAllowance * allowance, FaspTime now, gsize size);
FaspTime fasp_allowance_get_time (const FaspAllowance * allowance);

G_END_DECLS
