/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspfeedback.h: when a receiver sends feedback: which blocks and packets have come, and which are
 * missing.
 *
 * The receiver sends feedback
 *   - at once when a loss is settled, and again and again while anything is
 *     missing (FASP_FEEDBACK_REPEAT), so that the loss of one feedback
 *     costs milliseconds and not a round trip,
 *   - by a regular clock while data comes: every quarter of a round trip (10 to
 *     100 ms); while nothing is missing, less often unless the sender is eager, and
 *     every 100 ms once the clock has used up a quarter of the saved tokens,
 *   - at once when a tail probe asks, when the window opens again and when the
 *     stream is complete,
 *   - 100 ms after the last one when data has come since the one before but none since, and then
 *     after twice as long each time, up to 500 ms: a NAT may have given this host another port,
 *     which the sender learns only from what comes from there.
 *
 * Feedback is limited to a share of the bytes received (FASP_FEEDBACK_SHARE and its
 * bounds); when that is used up, only the regular clock goes on.  Half of the saved
 * tokens is kept for the first repetitions of new losses.  All feedback stays
 * within what the sender has found that the return path takes (faspfeedbackrate.h).
 *
 * In a group of many, a member waits for a random time before it reports a loss
 * (faspnackbackoff.h).  It reports nothing if the block arrives meanwhile, and has a slower
 * clock.
 */
#pragma once

#include "faspfeedbackrate.h"
#include "faspnackbackoff.h"
#include "faspreorder.h"
#include "faspwire.h"

G_BEGIN_DECLS

typedef struct
{
  const FaspReorder *reorder; /* the blocks that have arrived; not owned */
  FaspTime rtt;               /* smoothed round trip; µs */
  FaspTime sent, due;         /* when the last feedback was sent, and when the next one is due */
  FaspTime least_from;        /* the allowance of FASP_FEEDBACK_LEAST is used up to this time */
  guint repeats;              /* repetitions since the last loss; 0: nothing is repeated */
  gboolean owed;              /* feedback waits for tokens */
  gint64 tokens;              /* bytes of feedback that repetitions may take; may be negative */
  FaspFeedbackBucket bucket;  /* the rate that the return path allows */
  guint64 taken_reported;     /* units taken when feedback last carried the window */
  guint64 part_from;          /* block at which the next part of a long list starts */
  FaspTime interval;          /* interval of the regular clock while anything is missing; µs */
  FaspTime interval_whole;    /* interval of the regular clock while nothing is missing; µs */
  FaspTime pause;  /* how long after the next feedback another one is due if no data comes; µs */
  guint64 came;    /* bytes received since the last feedback was sent */
  gboolean eager;  /* the sender needs feedback often even if nothing is missing, for
                      receive timestamps, or because there are several flows */
  gboolean member; /* the receiver is a member of a group; the fields below, except `count', are for
                      members only */
  FaspNackBackoff backoff;
  FaspTime clock_since;  /* when the clock was last shortened */
  FaspTime speaks_until; /* the receiver is the group's speaker until then */
  gboolean speaks;       /* the receiver is the speaker, so it does not back off */
  gboolean asks;         /* the feedback that is due is a request for lost blocks */
  guint64 count;         /* feedbacks sent */
} FaspFeedbackTracker;

/* @reorder must outlive @tracker. */
void fasp_feedback_init (FaspFeedbackTracker *tracker, FaspTime now, const FaspReorder *reorder);

/* The session is open: makes the first feedback due at once. */
void fasp_feedback_opened (FaspFeedbackTracker *tracker, FaspTime now);
void fasp_feedback_set_eager (FaspFeedbackTracker *tracker, gboolean eager);
/* @member: FALSE while the receiver does not hear its group. */
void fasp_feedback_set_member (FaspFeedbackTracker *tracker, gboolean member);

/* The receiver is a member of a group from now on.  @seed differs for each member. */
void fasp_feedback_join (FaspFeedbackTracker *tracker, guint64 seed, guint members,
    FaspTime back_off, guint clock_ms);
/* Does the receiver, as a member, wait before it asks, as other members may lack the same
 * blocks? */
gboolean fasp_feedback_backs_off (const FaspFeedbackTracker *tracker);
/* Takes in the sender's GROUP frame: the number of members, their back-off and their clock. */
void fasp_feedback_group (FaspFeedbackTracker *tracker, FaspTime now, guint64 members,
    guint64 back_off_us, guint64 clock_ms);
/* Makes the receiver the group's speaker for a while: it asks at once for blocks that all members
 * may lack. */
void fasp_feedback_speak (FaspFeedbackTracker *tracker, FaspTime now);
/* For a member: is a block missing that was not known to exist when the last request was planned?
 */
gboolean fasp_feedback_is_missing_unasked (const FaspFeedbackTracker *tracker);
/* For a member: feedback may report the group's packets below the returned number as settled. */
guint64 fasp_feedback_report_settled (FaspFeedbackTracker *tracker);

/* A datagram of @size bytes arrived. */
void fasp_feedback_datagram (FaspFeedbackTracker *tracker, FaspTime now, gsize size,
    FaspTime smoothed_rtt);
/* A datagram brought a block or a fragment: the regular clock goes on. */
void fasp_feedback_data (FaspFeedbackTracker *tracker);
/* Time has settled holes as lost: makes feedback due, or schedules a member's request. */
void fasp_feedback_settled (FaspFeedbackTracker *tracker, FaspTime now);
/* The sender asks for feedback.  @all: it asks every member of the group. */
void fasp_feedback_asked (FaspFeedbackTracker *tracker, FaspTime now, gboolean all);
/* All of the stream has arrived: makes feedback due. */
void fasp_feedback_complete (FaspFeedbackTracker *tracker, FaspTime now);
/* Blocks were taken. Makes feedback due if the window has opened enough, as a sender may wait for
 * that. */
void fasp_feedback_taken (FaspFeedbackTracker *tracker, FaspTime now);
/* The application has a request for the sender, such as a key frame. A member waits for a random
 * time, as others may have the same request. */
void fasp_feedback_wish (FaspFeedbackTracker *tracker, FaspTime now);
/* Makes feedback due and repeats it even without tokens: the sender waits for this feedback before
 * it sends. */
void fasp_feedback_insist (FaspFeedbackTracker *tracker, FaspTime now);
/* Makes feedback due now. */
void fasp_feedback_now (FaspFeedbackTracker *tracker, FaspTime now);

/* The earliest time at which feedback may be due. */
FaspTime fasp_feedback_get_timeout (const FaspFeedbackTracker *tracker);
gboolean fasp_feedback_is_due (FaspFeedbackTracker *tracker, FaspTime now);
/* Fills in the acknowledgement, the window and the missing blocks, with at most @room bytes of
 * ranges. */
void fasp_feedback_fill (FaspFeedbackTracker *tracker, FaspFeedback *feedback, gsize room);
void fasp_feedback_sent (FaspFeedbackTracker *tracker, FaspTime now, gsize size);

G_END_DECLS
