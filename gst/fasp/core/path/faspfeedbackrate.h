/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspfeedbackrate.h: the rate limit of feedback, bytes per second.
 *
 * The path of feedback may be a thousand times narrower than that of the stream (ADSL, satellites),
 * and a queue on it makes every round trip longer.  As RFC 5690 does for TCP's acknowledgements,
 * the sender finds the rate of feedback that this path carries, and sends it to the receiver.  It
 * judges by delay, not by loss: a lost feedback costs little, but late feedback makes all
 * retransmissions late.
 *
 *     transit the time by our clock at which a feedback comes, less the time by the peer's clock
 *             at which it left.  The queue is what that is above the least of the last 10 to
 *             20 s.  A look takes the shortest queue of at least 100 ms and
 *             four feedbacks.
 *     queue   above 50 ms:  the rate becomes three quarters of what gets through,
 *             above 150 ms: half of it;
 *             below 15 ms:  an eighth more, or up to twice as much while that is below three
 *                           quarters of what got through, if half of the rate is used
 *
 * These limits are higher by twice the difference between looks without a queue (jitter).  After a
 * change the sender waits until feedback must show the effect, and looks again.  If a cut makes the
 * queue no shorter, feedback does not cause the queue: the rate is restored, and that queue is
 * ignored.
 */
#pragma once

#include "fasptypes.h"

G_BEGIN_DECLS

/* Bytes per second: first, least and most.  A _SHARE n stands for 1/n of the bytes sent to the
 * peer, which is used instead if it is more. */
#define FASP_FEEDBACK_RATE_FIRST 16000
#define FASP_FEEDBACK_RATE_FIRST_SHARE 256
#define FASP_FEEDBACK_RATE_LEAST 1000
#define FASP_FEEDBACK_RATE_LEAST_SHARE 2048
#define FASP_FEEDBACK_RATE_MOST 100000000
#define FASP_FEEDBACK_RATE_LOOK (100 * FASP_MSEC)
/* A burst of feedback has the bytes of the rate in this time. */
#define FASP_FEEDBACK_RATE_DEPTH (125 * FASP_MSEC)
/* Feedback beyond the rate waits this long at most. */
#define FASP_FEEDBACK_RATE_WAIT (250 * FASP_MSEC)

/* The path of feedback of one flow; all 0: nothing is known. */
typedef struct
{
  gboolean measured;
  FaspTime transit;             /* transit of the last feedback, from the peer's clock to ours */
  FaspTime least, least_before; /* least transit in this period and the one before */
  FaspTime period_from;
} FaspFeedbackPath;

/* The sender's state. */
typedef struct
{
  guint64 rate;        /* bytes/s; 0: no feedback has arrived yet */
  FaspTime look_from;  /* when the look began, by our clock */
  guint32 look_clock;  /* look_from by the peer's clock, low 32 bits */
  FaspTime look_least; /* the shortest queue since then; µs */
  guint look_count;    /* feedbacks since then */
  guint64 look_bytes;  /* bytes of these feedbacks but the first */
  FaspTime last_least; /* look_least of the look before; µs */
  gdouble noise;       /* how much looks differ without a queue, µs */
  guint32 wait_clock;  /* feedback that left after this shows the effect of a change; by the peer's
                          clock */
  FaspTime wait_until; /* or feedback that came after this, by our clock */
  guint64 rate_before; /* the rate before a cut, bytes/s; 0: there was none, or it helped */
  FaspTime queue;      /* the queue when the receiver obeyed the cut, µs; 0: it has not yet */
  FaspTime others;     /* the part of the queue that feedback does not cause */
  guint64 passes;      /* bytes/s that arrived during the last queue; 0: there was none */
} FaspFeedbackRate;

/* A FEEDBACK of @size bytes from the IP header up left at @clock, the low 32 bits of the peer's
 * clock, and came by @path.  @sent: bit/s that we send to the peer.  TRUE: the rate must be sent to
 * the receiver. */
gboolean fasp_feedback_rate_feedback (FaspFeedbackRate *feedback_rate, FaspFeedbackPath *path,
    FaspTime now, guint32 clock, gsize size, FaspTime rtt, guint64 sent);

/* The receiver's state: when the next feedback may leave. */
typedef struct
{
  guint64 rate;  /* bytes/s; 0: the sender has not sent one */
  FaspTime paid; /* when the rate will have allowed all feedback that has left */
} FaspFeedbackBucket;

void fasp_feedback_bucket_set (FaspFeedbackBucket *bucket, guint64 rate);
void fasp_feedback_bucket_spend (FaspFeedbackBucket *bucket, FaspTime now, gsize size);
FaspTime fasp_feedback_bucket_get_time (const FaspFeedbackBucket *bucket);

G_END_DECLS
