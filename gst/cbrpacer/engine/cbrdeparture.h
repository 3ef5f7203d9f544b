/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrdeparture.h: the stages of the next cycle of datagrams until it leaves, and whether it follows
 * the last one without a gap.
 *
 * Before a cycle leaves, it goes through these stages:
 *
 *                a part            max_period
 *     +-> EMPTY --------> PARTIAL ------------> SHORT
 *     |     |  <-------- /   |                    |
 *     |     |    nothing     | the rest           |
 *     |     | a datagram     v                    |
 *     |     +-----------> WHOLE                   |
 *     |                      | deadline           | deadline
 *     |                      v                    |
 *     +-------------------LEAVING <---------------+
 *          with all queued data that fits
 *
 * If the queue is dropped or flushed, any stage becomes EMPTY. A SHORT cycle stays SHORT if the
 * rest of its datagram comes at last: it takes the queued data and waits for no more.
 *
 * The schedule is unstarted until the first cycle, and again with another stream or clock. A pause
 * of the pipeline makes it resumed until the next cycle. All times are ns on the caller's clock.
 */
#pragma once

#include "cbrpackets.h"
#include "cbrschedule.h"

G_BEGIN_DECLS

typedef enum
{
  CBR_EMPTY,   /* no queued data may leave: the thread sleeps until more comes */
  CBR_PARTIAL, /* an incomplete datagram waits for its rest */
  CBR_SHORT,   /* an incomplete datagram has waited for max_period, and leaves without its rest */
  CBR_WHOLE,   /* a whole datagram is queued, or null packets fill the line */
  CBR_LEAVING, /* the cycle is on its way downstream */
} CbrStage;

typedef enum
{
  CBR_UNSTARTED,
  CBR_RUNNING,
  CBR_RESUMED,
} CbrRun;

/* Why a cycle does not follow the last one as the schedule had it. */
typedef enum
{
  CBR_GAP_NONE,
  CBR_GAP_START,    /* the cycle is the first one, or the pipeline paused */
  CBR_GAP_UNDERRUN, /* the queue was empty */
  CBR_GAP_STALL,    /* the thread was too late to catch up */
} CbrGap;

typedef struct
{
  CbrStage stage;
  gint64 since; /* when the incomplete datagram came; -1: there is none */
  CbrRun run;
  CbrSchedule schedule;
  gint64 fed_at; /* when the queue was last empty; G_MININT64: never on this clock */
  gint64 lost;   /* time that the schedule did not catch up on */
} CbrDeparture;

void cbr_departure_init (CbrDeparture *departure);
/* Another stream or another clock begins: the stage is EMPTY, and the schedule unstarted. */
void cbr_departure_reset (CbrDeparture *departure);

/* The queue holds nothing that may leave, a part of a datagram, or at least a whole one. */
void cbr_departure_see_nothing (CbrDeparture *departure);
/* Returns until when to wait for the rest; if that is not after @now, the stage becomes SHORT. */
gint64 cbr_departure_see_part (CbrDeparture *departure, gint64 now, gint64 max_period);
void cbr_departure_see_enough (CbrDeparture *departure);
/* The queue was empty until @now. */
void cbr_departure_feed (CbrDeparture *departure, gint64 now);
/* Does the thread sleep until something comes? */
gboolean cbr_departure_is_hungry (const CbrDeparture *departure);
/* Does the cycle wait for its deadline? */
gboolean cbr_departure_is_due (const CbrDeparture *departure);

/* Time that the previous method would have made up for counts as lost. */
void cbr_departure_set_method (CbrDeparture *departure, CbrMethod method);
void cbr_departure_set_playing (CbrDeparture *departure, gboolean playing);
/* A cycle is about to leave: moves the schedule past a gap that it does not catch up on, and
 * returns the kind of gap. @stuffing: null packets fill the line, so there is no underrun. */
CbrGap cbr_departure_follow (CbrDeparture *departure, gint64 now, gboolean stuffing);
/* The cycle was cut from the queue. */
void cbr_departure_leave (CbrDeparture *departure);

/* Returns how much later than planned the stream leaves, including time that the schedule did not
 * catch up on. This grows while data waits and the elements behind take less than the rate. */
gint64 cbr_departure_get_lag (const CbrDeparture *departure, gint64 now);

G_END_DECLS
