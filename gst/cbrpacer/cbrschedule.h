/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrschedule.h: when the next cycle of datagrams may leave, and how large
 * it may be.  Pure arithmetic: no clock, no thread, no GStreamer.
 *
 * Datagrams leave in cycles, several at once, because a wake-up costs more
 * than a datagram.  One cycle of n datagrams is
 *
 *     bits per cycle = 8 * n * (payload + header)
 *     period         = bits per cycle / rate
 *
 * as in Firebind's senders; n is as large as max_burst and max_period allow,
 * and at least one.
 *
 * Invariants of CBR_DEADLINE, for cycles that follow each other without a
 * pause of the input or a stall:
 *
 *   - The k-th cycle is due at t0 + bits before it / rate, exactly: an
 *     absolute time, whose rounding does not add up (fasprateclock.h).  It
 *     never leaves earlier.
 *   - Between the end of one cycle and the beginning of the next there is at
 *     least half of what handing on a cycle usually leaves of the period.  So
 *     what is behind is made good at up to twice the rate, never in one burst,
 *     also when the machine stalls in the midst of a cycle, and when the input
 *     was dry.  (Not slower: a thread that wakes late again and again must still
 *     get back.)
 *   - A stall longer than CBR_STALL is not made good: the schedule begins anew.
 *
 * All times are nanoseconds on the caller's clock.
 */
#pragma once

#include "fasprateclock.h"

G_BEGIN_DECLS

#define CBR_RATE_MAX G_GUINT64_CONSTANT (1000000000000) /* bit/s */

/* What a burst may be where max_burst is 0: 8 kB up to 1 Gbit/s (five or six
 * packets, which survive the shallowest switches; after Gunderson), above that
 * what the rate makes of 50 µs, the finest that timers can keep. */
#define CBR_BURST 8000
#define CBR_BURST_RATE G_GUINT64_CONSTANT (1000000000)
#define CBR_BURST_TIME 50000

#define CBR_STALL 250000000

typedef enum
{
  CBR_DEADLINE,                 /* absolute deadlines: ours */
  CBR_SEND_AND_COMPARE,         /* as Firebind published them */
  CBR_SEND_AND_SLEEP,
} CbrMethod;

typedef struct
{
  CbrMethod method;
  guint32 max_burst;            /* bytes on the wire; 0: see CBR_BURST */
  gint64 max_period;            /* ns, at most an hour */
  guint32 header;               /* bytes on the wire around each payload */

  FaspRateClock base;           /* when the last cycle was due; the rate was set */
  guint64 pending;              /* its bytes since: the next is due when they are over */
  guint64 last;                 /* bytes of the last cycle */
  gint64 handed;                /* when it had left; G_MININT64: none has */
  gint64 handing;               /* what that takes, smoothed */
  gint64 deficit;               /* CBR_SEND_AND_SLEEP: time not yet slept less */
} CbrSchedule;

/* What to do until the next cycle leaves: sleep until @sleep, then watch the
 * clock until @leave.  Either may be past. */
typedef struct
{
  gint64 sleep, leave;
} CbrWait;

/* @rate: 1 to CBR_RATE_MAX. The first cycle is due at @now; the limits stay as
 * they are. */
void cbr_schedule_init (CbrSchedule * schedule, CbrMethod method,
    guint64 rate, gint64 now);
/* From @now on: what is left of the time of the cycle that left last changes, and
 * what is over counts as it was, so that a rate that changes all the time is kept
 * in the mean, too. */
void cbr_schedule_set_rate (CbrSchedule * schedule, guint64 rate, gint64 now);
/* When the next cycle is due. */
gint64 cbr_schedule_get_due (const CbrSchedule * schedule);
/* Bytes on the wire of the largest cycle. */
guint64 cbr_schedule_get_burst (const CbrSchedule * schedule);
/* Datagrams per cycle, at least 1. */
guint cbr_schedule_get_datagrams (const CbrSchedule * schedule, guint payload);

/* Nothing could leave before @now, the input was dry or the pipeline paused;
 * that is not made good.  FALSE: the next cycle is not due before @now anyway. */
gboolean cbr_schedule_resume (CbrSchedule * schedule, gint64 now);
/* Is @now so late that the schedule must begin anew (cbr_schedule_restart)? */
gboolean cbr_schedule_is_lost (const CbrSchedule * schedule, gint64 now);
void cbr_schedule_restart (CbrSchedule * schedule, gint64 now);

/* @latency: how much later than asked a sleeper wakes, as seen lately; @spin:
 * for how long the clock may be watched before a deadline. */
CbrWait cbr_schedule_get_wait (const CbrSchedule * schedule, gint64 latency,
    gint64 spin);
/* A cycle of @bytes on the wire was handed on from @begin to @end. */
void cbr_schedule_departed (CbrSchedule * schedule, gint64 begin, gint64 end,
    guint64 bytes);

G_END_DECLS
