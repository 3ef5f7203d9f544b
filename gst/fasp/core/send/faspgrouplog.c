/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasplimits.h"
#include "faspgrouplog.h"
#include "faspheap.h"
#include "faspsentmap.h"
#include "faspring.h"
#include "fasptokenbucket.h"

/* The departure of this many packets is remembered, as feedback is about recent ones. */
#define TIMES 16384
/* The counts of events decay, so that they cover about this many. */
#define MEMORY 50.
/* If several members ask in this share of all events, losses count as shared: a block that one
 * member asks for goes to all. */
#define SHARED_ENOUGH .15
/* If the speaker asks in this share of all events, each block that it asks for goes to all. */
#define SPOKEN_ENOUGH .5
#define ROUNDS_SHARED 2
#define ROUNDS_MAX 250
/* A member may be silent for 1.25 times its clock, plus this. */
#define QUIET_MORE (100 * FASP_MSEC)
/* Members ask for a recent loss within get_quiet() and OLD_AFTER. An older block goes to all only
 * if more than this share of the members asks for it. */
#define OLD_AFTER FASP_SEC
#define OLD_SHARE .75
/* Datagrams that may be granted at once: to a member from its share, and to all members from the
 * idle time. The idle time grants at most IDLE_SHARE of the pace, as much as retransmissions get
 * beside new blocks (BLOCKS_OWED of faspmulticastsender.c). */
#define GRANTS_AT_ONCE 8
#define IDLE_SHARE .25

typedef struct
{
  guint64 first, last; /* packets that carried the block */
  FaspTime sent;    /* when the first one left; `times' would soon forget that of a fast stream */
  FaspTime asked;   /* newest event: when its first request came */
  guint16 requests; /* newest event: requests so far */
  guint8 event;     /* newest event: the round that the members lost; 0: there was no event */
  guint8 rounds;    /* how often it was sent to all */
  FaspHeapItem *queued; /* entry in the queue of blocks that go to all again, or NULL */
} Entry;

struct _FaspGroupLog
{
  Entry *ring; /* [base, next), block n at n & mask */
  guint64 mask, base, next;
  guint64 pn;
  FaspTime *times; /* departures of packets, at pn % TIMES */
  FaspHeap queue;
  FaspTime window;
  guint members;
  FaspTime clock; /* the members' interval of feedback, in force now */
  /* clock_before: the longer one, in force until clock_since; clock_then: the longest since */
  FaspTime clock_before, clock_since, clock_then;
  FaspGroupLosses losses;
  FaspPacer *pacer; /* the group's; NULL: grants are not bounded */
  gsize wire;
  FaspTime grant_interval, idle_interval; /* µs between datagrams that a member's share, and
                                             that the idle time, allow */
  FaspTime idle_taken;                    /* token bucket of the idle time */
  gconstpointer speaker;
  gdouble events, shared, spoken; /* recent events, decaying: all; those of several members; those
                                     of the speaker */
};

FaspGroupLog *
fasp_group_log_new (void)
{
  FaspGroupLog *log = g_new0 (FaspGroupLog, 1);

  log->mask = FASP_RING_FIRST_MASK;
  log->ring = g_new0 (Entry, log->mask + 1);
  log->times = g_new0 (FaspTime, TIMES);
  log->clock_since = -FASP_MEMBER_CLOCK_MAX * 2; /* no clock was in force before */
  return log;
}

static inline Entry *
get (const FaspGroupLog *log, guint64 block)
{
  return &log->ring[block & log->mask];
}

static gboolean
has (const FaspGroupLog *log, guint64 block)
{
  return block >= log->base && block < log->next;
}

static void
unqueue (FaspGroupLog *log, Entry *e)
{
  if (e->queued == NULL)
    return;
  fasp_heap_remove (&log->queue, e->queued);
  g_clear_pointer (&e->queued, g_free);
}

void
fasp_group_log_trim (FaspGroupLog *log, guint64 block)
{
  for (; log->base < block && log->base < log->next; log->base++)
    unqueue (log, get (log, log->base));
  log->base = MAX (log->base, block);
  log->next = MAX (log->next, block);
}

void
fasp_group_log_start (FaspGroupLog *log, guint64 block)
{
  fasp_group_log_trim (log, log->next);
  log->base = log->next = block;
}

void
fasp_group_log_free (FaspGroupLog *log)
{
  if (log == NULL)
    return;
  fasp_group_log_trim (log, log->next);
  fasp_heap_clear (&log->queue);
  g_free (log->times);
  g_free (log->ring);
  g_free (log);
}

guint64
fasp_group_log_get_pn (const FaspGroupLog *log)
{
  return log->pn;
}

guint64
fasp_group_log_get_next (const FaspGroupLog *log)
{
  return log->next;
}

FaspTime
fasp_group_log_get_time (const FaspGroupLog *log, guint64 pn)
{
  return pn >= log->pn || log->pn - pn > TIMES ? 0 : log->times[pn % TIMES];
}

/* Makes room for the next block. */
static Entry *
add (FaspGroupLog *log, FaspTime now)
{
  log->ring = fasp_ring_make_room (log->ring, sizeof *log->ring, &log->mask, log->base, log->next);
  *get (log, log->next) = (Entry) { .first = log->pn, .sent = now };
  return get (log, log->next++);
}

void
fasp_group_log_sent (FaspGroupLog *log, FaspTime now, guint64 block)
{
  if (block != FASP_NO_BLOCK) {
    Entry *e = block == log->next ? add (log, now) : get (log, block);

    g_return_if_fail (has (log, block));
    unqueue (log, e);
    e->last = log->pn;
    if (e->rounds < ROUNDS_MAX)
      e->rounds++;
  }
  log->times[log->pn++ % TIMES] = now;
}

guint64
fasp_group_log_get_first (const FaspGroupLog *log, guint64 block)
{
  return has (log, block) ? get (log, block)->first : G_MAXUINT64;
}

guint
fasp_group_log_get_rounds (const FaspGroupLog *log, guint64 block)
{
  return has (log, block) ? get (log, block)->rounds : 0;
}

gboolean
fasp_group_log_is_in_flight (const FaspGroupLog *log, guint64 block, guint64 settled)
{
  const Entry *e = get (log, block);

  return has (log, block) && (e->queued != NULL || e->last >= settled);
}

void
fasp_group_log_set_window (FaspGroupLog *log, FaspTime window, guint members)
{
  log->window = window;
  log->members = members;
}

/* How long a member with this clock may be silent. */
static FaspTime
get_quiet (FaspTime clock)
{
  return clock + clock / 4 + QUIET_MORE;
}

void
fasp_group_log_set_clock (FaspGroupLog *log, FaspTime now, FaspTime clock)
{
  /* get_quiet() allows for a smaller change */
  if (clock < log->clock_then * 3 / 4) {
    if (now - log->clock_since > get_quiet (log->clock))
      log->clock_before = log->clock;
    log->clock_since = now;
    log->clock_then = clock;
  }
  log->clock_then = MAX (log->clock_then, clock);
  log->clock = clock;
}

FaspTime
fasp_group_log_get_clock (const FaspGroupLog *log)
{
  return log->clock;
}

FaspTime
fasp_group_log_get_deadline (const FaspGroupLog *log, FaspTime heard)
{
  FaspTime quiet = get_quiet (log->clock);

  if (heard >= log->clock_since)
    return heard + quiet;
  /* the member was heard before the clock was shortened: the longer clock holds for it until it
   * must have heard of the new one */
  return MAX (heard + quiet, MIN (heard + get_quiet (log->clock_before), log->clock_since + quiet));
}

/* --- requests ------------------------------------------------------------------ */

static void
begin_event (FaspGroupLog *log, FaspTime now, Entry *e)
{
  e->event = e->rounds;
  e->requests = 0;
  e->asked = now;
  log->losses.events++;
  log->events += 1 - log->events / MEMORY;
  log->shared -= log->shared / MEMORY;
  log->spoken -= log->spoken / MEMORY;
}

static void
count_request (FaspGroupLog *log, Entry *e, gboolean speaks)
{
  if (e->requests < G_MAXUINT16)
    e->requests++;
  log->losses.requests++;
  log->spoken += speaks;
  if (e->requests == 2) {
    log->losses.shared++;
    log->shared++;
  }
}

/* TRUE: the block was sent so long ago that a member that lacks it was away, or joined in the
 * past. */
static gboolean
is_old (const FaspGroupLog *log, FaspTime now, const Entry *e)
{
  return now - e->sent > OLD_AFTER + get_quiet (log->clock);
}

/* Must the block be sent to all members? */
static gboolean
is_shared (const FaspGroupLog *log, FaspTime now, const Entry *e, gboolean speaks)
{
  if (log->members < 2)
    return FALSE;
  /* if only a few members ask for an old block, sending it to all would take the place of new
   * blocks for the others */
  if (is_old (log, now, e))
    return e->requests > OLD_SHARE * log->members;
  if (e->requests >= 2 && now - e->asked <= log->window)
    return TRUE;
  /* a block that is lost again and again goes to one member only, until another one asks for it */
  return e->rounds <= ROUNDS_SHARED
      && (log->shared >= SHARED_ENOUGH * MAX (log->events, 1)
          || (speaks && log->spoken >= SPOKEN_ENOUGH * MAX (log->events, 1)));
}

void
fasp_group_log_set_speaker (FaspGroupLog *log, gconstpointer member)
{
  log->speaker = member;
}

void
fasp_group_log_set_share (FaspGroupLog *log, FaspPacer *pacer, gsize wire, gdouble share)
{
  guint64 rate = pacer->ready.rate;

  log->pacer = pacer;
  log->wire = wire;
  log->grant_interval = rate > 0 ? wire * 8. * FASP_SEC / (rate * share) : 0;
  log->idle_interval = log->grant_interval * share / IDLE_SHARE;
}

gboolean
fasp_group_log_grants (FaspGroupLog *log, FaspTime now, FaspTime *taken)
{
  if (log->pacer == NULL
      || fasp_token_bucket_take (taken, now, log->grant_interval, GRANTS_AT_ONCE))
    return TRUE;
  if (fasp_pacer_get_unused (log->pacer, now) < (gint64) log->wire
      || !fasp_token_bucket_take (&log->idle_taken, now, log->idle_interval, GRANTS_AT_ONCE))
    return FALSE;
  fasp_pacer_use (log->pacer, log->wire);
  return TRUE;
}

gboolean
fasp_group_log_ask (FaspGroupLog *log, FaspTime now, gconstpointer member, guint64 block,
    guint64 settled, guint8 *asked)
{
  gboolean speaks = member == log->speaker;
  Entry *e = get (log, block);
  guint8 lost;

  if (!has (log, block))
    return block < log->base; /* TRUE: the block was sent before the group began */
  if (settled <= e->first)
    return FALSE;
  /* while a retransmission to all may still arrive, the member has lost the round before that */
  lost = e->last < settled ? e->rounds : e->rounds - 1;
  if (*asked < lost) {
    *asked = lost;
    if (e->event < lost && e->last < settled)
      begin_event (log, now, e);
    count_request (log, e, speaks);
  }
  if (fasp_group_log_is_in_flight (log, block, settled))
    return FALSE;
  if (!is_shared (log, now, e, speaks))
    return TRUE;
  e->queued = g_new0 (FaspHeapItem, 1);
  fasp_heap_set (&log->queue, e->queued, block);
  return FALSE;
}

guint64
fasp_group_log_peek (const FaspGroupLog *log, guint8 *round)
{
  const FaspHeapItem *first = fasp_heap_peek (&log->queue);

  if (first == NULL)
    return FASP_NO_BLOCK;
  *round = get (log, first->key)->rounds;
  return first->key;
}

FaspGroupLosses
fasp_group_log_get_losses (const FaspGroupLog *log)
{
  return log->losses;
}
