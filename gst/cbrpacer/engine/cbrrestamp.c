/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cbrrestamp.h"
#include <math.h>
#include <string.h>

#define TICKS 0.027 /* of 27 MHz, in a ns */

/* The control loop: the natural frequency, 1/s, and the damping.  A drift of 1e-6 lets the clock
 * lag by 14 ms for some hours.  A quicker loop would ask for more than CBR_RESTAMP_DRIFT where the
 * source drifts by 20e-6, and would then swing. */
#define FREQUENCY 3e-5
#define DAMPING 0.8

typedef enum
{
  CLOCK_ABSENT,  /* the next PCR begins it, or begins it anew */
  CLOCK_RUNNING, /* the last PCR was near its value */
  CLOCK_DOUBTED, /* the last PCR was far off */
} ClockState;

/* The clock of a PID.  Times are ns. */
typedef struct
{
  guint16 pid;
  guint8 counter; /* of the last packet */
  ClockState state;
  gboolean broken; /* there was a clock before, so the next one is announced */
  gint64 delay;
  gint64 seen;   /* when the source's last PCR left */
  gint64 last;   /* when the last PCR left */
  guint64 ticks; /* its value, 27 MHz, wraps */
  gdouble rest;  /* fraction of a tick by which the clock is further */
  gint64 doubt;  /* how far off the doubted PCR was */

  gdouble skew;
  gdouble wanted;   /* the skew that the loop asks for */
  gdouble integral; /* of the loop */
  gint64 looked;    /* when the last look was */
  gint64 most;      /* the most by which the source was ahead of the clock since then */
} Clock;

struct _CbrRestamp
{
  guint n;
  Clock clocks[CBR_RESTAMP_PIDS];
  gint64 taken_until; /* until when what came would take the line, if nothing were held */
  gint64 stretch;     /* when the present stretch began in which bursts are measured */
  gint64 longest, longest_before; /* the longest time from when data came to `taken_until', in it
                                     and in the stretch before */
  CbrRestampCounts counts;
};

CbrRestamp *
cbr_restamp_new (void)
{
  return g_new0 (CbrRestamp, 1);
}

void
cbr_restamp_free (CbrRestamp *restamp)
{
  g_free (restamp);
}

CbrRestampCounts
cbr_restamp_get_counts (const CbrRestamp *restamp)
{
  return restamp->counts;
}

void
cbr_restamp_came (CbrRestamp *restamp, gint64 now, gint64 span)
{
  if (now < restamp->stretch) { /* on another clock */
    restamp->taken_until = now;
    restamp->stretch = now;
  }
  if (now - restamp->stretch >= CBR_RESTAMP_BURSTS) {
    restamp->longest_before = restamp->longest;
    restamp->longest = 0;
    restamp->stretch = now;
  }
  restamp->taken_until = MAX (restamp->taken_until, now) + span;
  restamp->longest = MAX (restamp->longest, restamp->taken_until - now);
}

gint64
cbr_restamp_get_hold (const CbrRestamp *restamp, gint64 most)
{
  gboolean has_clock = FALSE;

  for (guint i = 0; i < restamp->n; i++)
    has_clock |= restamp->clocks[i].state != CLOCK_ABSENT;
  if (!has_clock)
    return 0;
  return MAX (0, MIN (CBR_RESTAMP_DELAY, most) - MAX (restamp->longest, restamp->longest_before));
}

static void
stop (Clock *clock)
{
  clock->broken |= clock->state != CLOCK_ABSENT;
  clock->state = CLOCK_ABSENT;
}

void
cbr_restamp_break (CbrRestamp *restamp)
{
  for (guint i = 0; i < restamp->n; i++)
    stop (&restamp->clocks[i]);
}

static Clock *
find_clock (CbrRestamp *restamp, guint16 pid)
{
  for (guint i = 0; i < restamp->n; i++)
    if (restamp->clocks[i].pid == pid)
      return &restamp->clocks[i];
  return NULL;
}

/* Returns a clock for a PID that had none; NULL: all are in use. */
static Clock *
add_clock (CbrRestamp *restamp, guint16 pid, gint64 now)
{
  Clock *clock = NULL;

  if (restamp->n < CBR_RESTAMP_PIDS)
    clock = &restamp->clocks[restamp->n++];
  for (guint i = 0; clock == NULL && i < restamp->n; i++)
    if (now - restamp->clocks[i].seen > CBR_RESTAMP_GONE)
      clock = &restamp->clocks[i];
  if (clock != NULL)
    *clock = (Clock) { .pid = pid, .delay = CBR_RESTAMP_DELAY };
  return clock;
}

static gint64
get_ticks (gint64 time)
{
  return time / 1000 * 27 + time % 1000 * 27 / 1000;
}

/* The clock goes back by @time, or on if that is below 0. */
static void
set_back (Clock *clock, gint64 time)
{
  gint64 ticks = get_ticks (time) % (gint64) TS_PCR_WRAP;

  clock->ticks = (clock->ticks + (gint64) TS_PCR_WRAP - ticks) % TS_PCR_WRAP;
}

/* The delay grows until it is @waited at least.  Returns by how much. */
static gint64
grow (Clock *clock, gint64 waited)
{
  gint64 before = clock->delay;

  while (clock->delay < waited)
    clock->delay *= 2;
  return clock->delay - before;
}

/* The clock begins with a PCR of value @pcr, which leaves now. */
static void
begin (Clock *clock, guint64 pcr, gint64 now, gint64 waited)
{
  grow (clock, waited);
  clock->state = CLOCK_RUNNING;
  clock->broken = FALSE;
  clock->ticks = pcr % TS_PCR_WRAP;
  clock->rest = clock->skew = clock->wanted = clock->integral = 0;
  clock->last = clock->looked = now;
  clock->most = G_MININT64;
  set_back (clock, clock->delay - waited);
}

/* Time goes on to @now.  While the rate changes, packets of the next cycle may be due before the
 * last ones of this cycle were: the clock then stands still. */
static void
go_on (Clock *clock, gint64 now)
{
  gdouble passed = MAX (now - clock->last, 0) * TICKS * (1 + clock->skew) + clock->rest;
  gdouble whole = floor (passed);

  clock->ticks = (clock->ticks + (guint64) whole) % TS_PCR_WRAP;
  clock->rest = passed - whole;
  clock->last = MAX (now, clock->last);
}

/* By how much the source is ahead of where the clock has it, if its PCR of value @pcr leaves now.
 */
static gint64
get_error (const Clock *clock, guint64 pcr, gint64 waited)
{
  gint64 lead = ts_pcr_get_step (clock->ticks, pcr);

  if (lead > (gint64) TS_PCR_WRAP / 2)
    lead -= (gint64) TS_PCR_WRAP;
  return lead / 27 * 1000 + lead % 27 * 1000 / 27 - (clock->delay - waited);
}

/* The source is ahead by @error.  @passed: since the PCR before. */
static void
follow (Clock *clock, gint64 passed, gint64 error)
{
  gdouble step = CBR_RESTAMP_DRIFT * passed / 1e9;

  clock->most = MAX (clock->most, error);
  if (clock->last - clock->looked >= CBR_RESTAMP_LOOK) {
    gdouble off = clock->most / 1e9, time = (clock->last - clock->looked) / 1e9;

    clock->integral = CLAMP (clock->integral + FREQUENCY * FREQUENCY * off * time,
        -CBR_RESTAMP_SKEW, CBR_RESTAMP_SKEW);
    clock->wanted = CLAMP (clock->integral + 2 * DAMPING * FREQUENCY * off, -CBR_RESTAMP_SKEW,
        CBR_RESTAMP_SKEW);
    clock->looked = clock->last;
    clock->most = G_MININT64;
  }
  clock->skew += CLAMP (clock->wanted - clock->skew, -step, step);
}

/* Judges a PCR of value @pcr, which leaves now.  Returns whether the clock begins with it. */
static gboolean
judge (Clock *clock, guint64 pcr, gint64 passed, gint64 waited)
{
  gint64 error = get_error (clock, pcr, waited);
  gboolean again = clock->state == CLOCK_DOUBTED && ABS (error - clock->doubt) <= CBR_RESTAMP_FAR;

  if (ABS (error) <= CBR_RESTAMP_FAR) {
    clock->state = CLOCK_RUNNING;
    follow (clock, passed, error);
    return FALSE;
  }
  clock->state = CLOCK_DOUBTED;
  clock->doubt = error;
  return again;
}

/* Sets the clock to where it is now, and follows the source's PCR.  Returns whether the packet has
 * to announce another clock. */
static gboolean
take_pcr (CbrRestamp *restamp, Clock *clock, const TsPacket *packet, gint64 now, gint64 waited)
{
  gint64 passed = now - clock->seen, grown;
  gboolean announced;

  if (clock->state != CLOCK_ABSENT && passed > CBR_RESTAMP_GONE) {
    stop (clock);
    restamp->counts.begun_anew += !packet->announced;
  }
  announced = clock->broken;
  if (clock->state == CLOCK_ABSENT || packet->announced) {
    begin (clock, packet->pcr, now, waited);
    return announced;
  }
  go_on (clock, now);
  if (judge (clock, packet->pcr, passed, waited)) {
    begin (clock, packet->pcr, now, waited);
  } else {
    grown = grow (clock, waited);
    if (grown == 0)
      return FALSE;
    set_back (clock, grown);
  }
  restamp->counts.begun_anew++;
  return TRUE;
}

gboolean
cbr_restamp_take (CbrRestamp *restamp, const TsPacket *packet, gint64 now, gint64 waited,
    guint64 *pcr, gboolean *announced)
{
  Clock *clock;

  if (packet->pid == TS_NULL_PID || packet->damaged)
    return FALSE;
  clock = find_clock (restamp, packet->pid);
  if (clock == NULL && packet->has_pcr) {
    clock = add_clock (restamp, packet->pid, now);
    restamp->counts.unchanged += clock == NULL;
  }
  if (clock == NULL)
    return FALSE;
  if (packet->counter <= 0x0f) /* else it is reserved */
    clock->counter = packet->counter;
  /* the next PCR will be of another clock */
  if (packet->announced && !packet->has_pcr)
    stop (clock);
  if (!packet->has_pcr)
    return FALSE;
  *announced = take_pcr (restamp, clock, packet, now, waited);
  clock->seen = now;
  *pcr = clock->ticks;
  restamp->counts.stamped++;
  return TRUE;
}

static gboolean
needs_packet (const Clock *clock, gint64 now, gint64 next)
{
  return clock->state != CLOCK_ABSENT && now - clock->seen <= CBR_RESTAMP_GONE && now > clock->last
      && next - clock->last > CBR_RESTAMP_EACH;
}

/* A packet of an adaptation field only repeats the counter of the packet before it. */
static void
write_packet (const Clock *clock, guint8 *packet)
{
  memset (packet, 0xff, TS_PACKET);
  packet[0] = TS_SYNC;
  packet[1] = clock->pid >> 8;
  packet[2] = clock->pid & 0xff;
  packet[3] = 0x20 | (clock->counter & 0x0f);
  packet[4] = TS_PACKET - 5;
  packet[5] = 0x10; /* PCR_flag */
  ts_packet_write_pcr (packet, clock->ticks);
}

/* Of the clocks whose PCR is due, the one that has waited for the longest time. */
static Clock *
find_due (CbrRestamp *restamp, gint64 now, gint64 next)
{
  Clock *due = NULL;

  for (guint i = 0; i < restamp->n; i++) {
    Clock *clock = &restamp->clocks[i];

    if (needs_packet (clock, now, next) && (due == NULL || clock->last < due->last))
      due = clock;
  }
  return due;
}

gboolean
cbr_restamp_insert (CbrRestamp *restamp, gint64 now, gint64 next, guint8 *packet)
{
  Clock *clock = find_due (restamp, now, next);

  if (clock == NULL)
    return FALSE;
  go_on (clock, now);
  write_packet (clock, packet);
  restamp->counts.inserted++;
  return TRUE;
}
