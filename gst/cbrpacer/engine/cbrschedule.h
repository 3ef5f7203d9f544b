/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cbrschedule.h: when the next cycle of datagrams may leave, and how large
 * it may be.  Pure arithmetic: no clock, no thread, no GStreamer.
 *
 * Datagrams leave in cycles, several at once, because a wake-up costs more
 * than a datagram.  For a cycle of n datagrams, as in Firebind's senders,
 *
 *     bits per cycle = 8 * n * (payload + header)
 *     period         = bits per cycle / rate
 *
 * n is as large as max_burst and max_period allow, and at least one.
 *
 * Invariants of CBR_DEADLINE, for cycles that follow each other without a
 * pause of the input or a stall:
 *
 *   - The k-th cycle is due at t0 + bits before it / rate, exactly.  This is an
 *     absolute time, so rounding errors do not add up (fasprateclock.h).  The
 *     cycle never leaves earlier.
 *   - The gap between the end of one cycle and the beginning of the next is at
 *     least half of the time that is usually left of the period after a cycle
 *     was handed on.  So the pacer catches up at up to twice the rate, never in
 *     one burst, even if the machine stalls in the middle of a cycle, or the
 *     input was dry.  (It must not be slower: a thread that wakes late again and
 *     again must still catch up.)
 *   - After a stall longer than CBR_STALL the pacer does not catch up: the
 *     schedule begins anew.
 *
 * All times are nanoseconds on the caller's clock.
 */
#pragma once

#include "fasprateclock.h"

G_BEGIN_DECLS

#define CBR_RATE_MAX G_GUINT64_CONSTANT (1000000000000) /* bit/s */

/* The largest burst if max_burst is 0: 8 kB up to 1 Gbit/s (five or six packets,
 * which survive the shallowest switches; after Gunderson); above that, the bytes
 * of 50 µs, the shortest time that timers can keep. */
#define CBR_BURST 8000
#define CBR_BURST_RATE G_GUINT64_CONSTANT (1000000000)
#define CBR_BURST_TIME 50000

#define CBR_STALL 250000000

typedef enum
{
  CBR_DEADLINE,         /* absolute deadlines */
  CBR_SEND_AND_COMPARE, /* this and the next as Firebind published them */
  CBR_SEND_AND_SLEEP,
} CbrMethod;

typedef struct
{
  CbrMethod method;
  guint32 max_burst; /* bytes on the wire; 0: see CBR_BURST */
  gint64 max_period; /* ns, at most an hour */
  guint32 header;    /* bytes on the wire around each payload */

  FaspRateClock base; /* when the last cycle was due, or the rate was set */
  guint64 pending;    /* bytes sent after `base', for which the next cycle waits */
  guint64 last;       /* bytes of the last cycle */
  gint64 handed;      /* when the last cycle had left; G_MININT64: no cycle has left */
  gint64 handing;     /* how long it takes to hand on a cycle, smoothed */
  gint64 deficit;     /* CBR_SEND_AND_SLEEP: time by which to shorten sleeps */
} CbrSchedule;

/* What to do until the next cycle leaves: sleep until @sleep, then watch the
 * clock until @leave.  Either may be in the past. */
typedef struct
{
  gint64 sleep, leave;
} CbrWait;

/* @rate: 1 to CBR_RATE_MAX. The first cycle is due at @now; max_burst, max_period
 * and header stay as they are. */
void cbr_schedule_init (CbrSchedule *schedule, CbrMethod method, guint64 rate, gint64 now);
void cbr_schedule_set_limits (CbrSchedule *schedule, guint32 max_burst, gint64 max_period,
    guint32 header);
/* From now on, another method.  Returns the time that the method before would have made up for by
 * shorter sleeps; the new one does not. */
gint64 cbr_schedule_set_method (CbrSchedule *schedule, CbrMethod method);
/* Sets the rate from @now on.  The new rate applies to the rest of the last cycle's
 * time.  The part that has passed keeps the old rate, so that the mean is right even
 * if the rate changes all the time. */
void cbr_schedule_set_rate (CbrSchedule *schedule, guint64 rate, gint64 now);
/* Returns when the next cycle is due. */
gint64 cbr_schedule_get_due (const CbrSchedule *schedule);
/* Returns how many bytes on the wire a cycle may have. */
guint64 cbr_schedule_get_burst (const CbrSchedule *schedule);
/* Returns the number of datagrams per cycle, at least 1. */
guint cbr_schedule_get_datagrams (const CbrSchedule *schedule, guint payload);

/* No data could leave before @now, as the input was dry or the pipeline paused: the schedule does
 * not catch up on that.  FALSE: nothing changes, as the next cycle is not due before @now. */
gboolean cbr_schedule_resume (CbrSchedule *schedule, gint64 now);
/* Is @now so late that the schedule must begin anew (cbr_schedule_restart)? */
gboolean cbr_schedule_is_lost (const CbrSchedule *schedule, gint64 now);
void cbr_schedule_restart (CbrSchedule *schedule, gint64 now);

/* Returns when to sleep and when the next cycle leaves. @latency: how late a sleeper has woken
 * lately; @spin: how long the clock may be watched before a deadline. */
CbrWait cbr_schedule_get_wait (const CbrSchedule *schedule, gint64 latency, gint64 spin);
/* A cycle of @bytes on the wire was handed on from @begin to @end. */
void cbr_schedule_departed (CbrSchedule *schedule, gint64 begin, gint64 end, guint64 bytes);

G_END_DECLS
