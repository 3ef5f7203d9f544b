/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasprx.h: the receiving half of a session.  It takes blocks in any order, delivers
 * them in order, follows the sender's clock, and deals with blocks that are too late.
 * faspfeedback.h decides when the sender hears about them.
 *
 * Times are µs on the caller's clock.
 */
#pragma once

#include "faspothersources.h"
#include "faspgap.h"
#include "fasphist.h"
#include "fasplog.h"
#include "fasplimits.h"
#include "faspmediaclock.h"
#include "faspplayout.h"
#include "faspposition.h"
#include "faspcapture.h"
#include "faspfeedback.h"
#include "faspskew.h"
#include "faspstats.h"
#include "faspwire.h"

G_BEGIN_DECLS

/* Blocks that came too late, or not at all. */
typedef struct
{
  gboolean has_given_up; /* blocks were given up as too late */
  gboolean is_behind;    /* the last block came too late */
  guint64 skips;         /* seconds of the stream in which a block was missing or too late */
  FaspTime skip_time;    /* when the last of these seconds began */
  FaspTime in_order;     /* when the last block in order was written, by our clock */
  guint64 rows;          /* runs of seconds in which a block was late, as feedback reports them */
  FaspTime last;         /* when a block last came too late */
  FaspHist lateness, lateness_in_order; /* µs */
} FaspRxLate;

/* State that the session reads; only fasprx.c changes it. */
typedef struct
{
  FaspMediaClock clock;
  FaspSkew skew;
  FaspPlayout playout;
  FaspRxLate late;
  FaspTime first_data;    /* when the first block arrived; FASP_NEVER: none yet */
  FaspCaptureMap capture; /* what the marks say of capture times */
} FaspRxView;

typedef struct _FaspRx FaspRx;

/* @log: the session's log, which outlives @rx; NULL: nothing is logged. */
FaspRx *fasp_rx_new (FaspTime now, guint64 start, guint32 capacity, const FaspLatency *agreed,
    FaspLog *log);
void fasp_rx_free (FaspRx *rx);
/* The first block begins at @position. @others: the bytes that the reader has from other
 * sources. */
void fasp_rx_begin_at (FaspRx *rx, const FaspStreamOffset *position,
    const FaspOtherSources *others);
/* Takes over @clock, @skew and @capture, what is known of capture times, from a session with
 * another sender of the same stream and clock. */
void fasp_rx_continue_clock (FaspRx *rx, const FaspMediaClock *clock, const FaspSkew *skew,
    const FaspCaptureMap *capture);
/* @give_up: too-late=skip. */
void fasp_rx_set_give_up (FaspRx *rx, gboolean give_up);
/* The sender announces a latency; ignored if the ends agreed on a given one.  @why: a word for the
 * log.  TRUE: it is the first. */
gboolean fasp_rx_set_latency (FaspRx *rx, FaspTime now, FaspTime latency, const gchar *why);

static inline const FaspRxView *
fasp_rx_view (const FaspRx *rx)
{
  return (const FaspRxView *) rx;
}

/* The tracker that decides when feedback is sent. */
FaspFeedbackTracker *fasp_rx_get_feedback (FaspRx *rx);
/* The stream offset of the next block to be taken; may be FASP_OFFSET_UNKNOWN. */
const FaspStreamOffset *fasp_rx_get_position (const FaspRx *rx);
/* Is there a block that was not taken yet? */
gboolean fasp_rx_has_unread (const FaspRx *rx);
/* Were all blocks taken, including the end of the stream? */
gboolean fasp_rx_is_complete (const FaspRx *rx);
/* Bytes that the blocks in the reorder buffer take. */
gsize fasp_rx_get_bytes (const FaspRx *rx);
/* Is less than a tenth of the reorder buffer free, so that the sender has to wait? */
gboolean fasp_rx_is_full (const FaspRx *rx);
void fasp_rx_get_stats (const FaspRx *rx, FaspSessionStats *stats);

/* From now on, takes repairs of up to @window blocks. */
void fasp_rx_set_fec (FaspRx *rx, FaspTime now, guint window);
gboolean fasp_rx_has_fec (const FaspRx *rx);

typedef struct
{
  guint64 number;
  FaspTime media_time;
  gboolean fresh; /* the block had not arrived before */
} FaspRxArrival;

/* Takes in a DATA frame. @memory: where the payload lies, if it may stay there; else NULL. */
FaspRxArrival fasp_rx_data (FaspRx *rx, FaspTime now, const FaspDataFrame *data,
    FaspMemory *memory);
/* Sets the bytes that the reader has from other sources, and passes over holes of which all bytes
 * are among them. TRUE: the caller must send feedback. */
gboolean fasp_rx_set_other_sources (FaspRx *rx, FaspTime now, const FaspOtherSources *others);
/* How long a loss may still be recovered, by repairs or other sources, before the receiver reports
 * it. */
FaspTime fasp_rx_get_recovery_time (const FaspRx *rx, FaspTime now);
void fasp_rx_repair (FaspRx *rx, FaspTime now, const FaspRepairFrame *repair);
/* The sender's tail probe: blocks below @end exist.  @all: it asked every member of the
 * group. */
void fasp_rx_tail (FaspRx *rx, FaspTime now, guint64 end, gboolean all);
/* Block @number begins at @position of the stream. */
void fasp_rx_position (FaspRx *rx, guint64 number, const FaspStreamOffset *position);
/* The sender skips all blocks below @number: gives up those that are missing, unless the reader has
 * their bytes from other sources. */
void fasp_rx_skip (FaspRx *rx, FaspTime now, guint64 number);
/* Takes the next block in order, with its reference. NULL: there is none. At the end of the stream,
 * fasp_rx_is_complete() turns TRUE. */
FaspBlock *fasp_rx_take (FaspRx *rx, FaspTime now);
/* The capture time of the block that was just taken, which has this media time. */
FaspCapture fasp_rx_get_capture (const FaspRx *rx, FaspTime media);

/* Takes in recovered blocks, gives up blocks that should have been played by now (too-late=skip),
 * and asks for a key frame.  Call it after all datagrams that came together, and at
 * fasp_rx_get_timeout(). */
void fasp_rx_run (FaspRx *rx, FaspTime now);
FaspTime fasp_rx_get_timeout (const FaspRx *rx, FaspTime now);
void fasp_rx_want_key_frame (FaspRx *rx);

/* TRUE: blocks come too late (too-late=skip), so the sender should skip all blocks from before
 * *media_time. */
gboolean fasp_rx_report_expired (FaspRx *rx, FaspTime now, FaspTime *media_time);
/* Fills in all of @feedback but the flows, with at most @room bytes of ranges. */
void fasp_rx_fill_feedback (FaspRx *rx, FaspTime now, FaspFeedback *feedback, gsize room);

G_END_DECLS
