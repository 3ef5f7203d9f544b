/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayfailover.h"

gboolean
relay_source_follows (RelaySourceState from, RelaySourceState to)
{
  static const guint next[RELAY_SOURCE_STATES] = {
    [RELAY_SOURCE_SILENT] = 1 << RELAY_SOURCE_STANDBY,
    [RELAY_SOURCE_STANDBY] = 1 << RELAY_SOURCE_CUED | 1 << RELAY_SOURCE_SILENT,
    [RELAY_SOURCE_CUED] =
        1 << RELAY_SOURCE_ACTIVE | 1 << RELAY_SOURCE_STANDBY | 1 << RELAY_SOURCE_SILENT,
    [RELAY_SOURCE_ACTIVE] = 1 << RELAY_SOURCE_STALLED | 1 << RELAY_SOURCE_STANDBY,
    [RELAY_SOURCE_STALLED] = 1 << RELAY_SOURCE_ACTIVE | 1 << RELAY_SOURCE_SILENT,
  };

  return (next[from] & 1 << to) != 0;
}

gboolean
relay_source_gives (RelaySourceState state)
{
  return state != RELAY_SOURCE_SILENT && state != RELAY_SOURCE_STALLED;
}

void
relay_failover_init (RelayFailover *f, guint n)
{
  *f = (RelayFailover) { .n = n, .active = -1, .cued = -1 };
  for (guint i = 0; i < n; i++)
    f->sources[i].fault = RELAY_RULE_NONE;
}

void
relay_failover_clear (RelayFailover *f)
{
  for (guint i = 0; i < f->n; i++)
    g_clear_pointer (&f->sources[i].why, g_free);
}

void
relay_failover_set_times (RelayFailover *f, guint silence, guint restore)
{
  f->silence = silence * G_TIME_SPAN_MILLISECOND;
  f->restore = restore * G_TIME_SPAN_MILLISECOND;
}

/* @why: taken. */
static void
set_state (RelayFailover *f, guint i, RelaySourceState state, gint64 now, gchar *why)
{
  RelaySource *source = &f->sources[i];

  g_return_if_fail (relay_source_follows (source->state, state));
  source->state = state;
  source->since = now;
  source->changes++;
  g_free (source->why);
  source->why = why;
}

static gchar *
say_silent (const RelayFailover *f, guint i)
{
  return g_strdup_printf ("nothing has come from source %u for %g s", i, f->silence / 1e6);
}

void
relay_failover_look (RelayFailover *f, gint64 now)
{
  for (guint i = 0; i < f->n; i++) {
    RelaySource *source = &f->sources[i];

    if (!relay_source_gives (source->state) || source->held || now - source->heard < f->silence)
      continue;
    set_state (f, i,
        source->state == RELAY_SOURCE_ACTIVE ? RELAY_SOURCE_STALLED : RELAY_SOURCE_SILENT, now,
        say_silent (f, i));
    if ((gint) i == f->cued) {
      f->cued = -1;
      f->asked = FALSE;
    }
  }
}

/* @cause, @why: taken; of no source (-1), NULL. */
static void
cue (RelayFailover *f, gint i, gint64 now, const gchar *cause, gchar *why)
{
  if (f->cued >= 0)
    set_state (f, f->cued, RELAY_SOURCE_STANDBY, now, g_strdup ("another source was chosen"));
  f->cued = i;
  f->asked = FALSE;
  if (i < 0)
    return;
  set_state (f, i, RELAY_SOURCE_CUED, now, why);
  f->sources[i].cause = cause;
}

static gboolean
is_bad (const RelayFailover *f, gint i)
{
  return f->sources[i].fault != RELAY_RULE_NONE;
}

/* Returns the most preferred good source before @end that gives media, has been steady since
 * @steady, and without a fault since @faulty; -1: there is none. */
static gint
find_good (const RelayFailover *f, guint end, gint64 steady, gint64 faulty)
{
  for (guint i = 0; i < end; i++) {
    const RelaySource *source = &f->sources[i];

    if ((gint) i != f->active && relay_source_gives (source->state) && !is_bad (f, i)
        && source->steady <= steady && source->faulty <= faulty)
      return i;
  }
  return -1;
}

/* The same of all that give media; a bad one only if none is good. */
static gint
find (const RelayFailover *f)
{
  gint found = find_good (f, f->n, G_MAXINT64, G_MAXINT64);

  for (guint i = 0; found < 0 && i < f->n; i++)
    if ((gint) i != f->active && relay_source_gives (f->sources[i].state))
      found = i;
  return found;
}

gchar *
relay_failover_say_fault (const RelayFailover *f, guint i)
{
  if (!is_bad (f, i))
    return NULL;
  return g_strdup_printf ("source %u %s for %g s", i, relay_rule_rows[f->sources[i].fault].fault,
      f->sources[i].judged / 1e6);
}

/* Cues a good source if the active one is bad, and was not asked for. */
static void
leave_bad (RelayFailover *f, gint64 now)
{
  gint64 steady = now - MAX (f->silence, f->restore);
  gint found = f->cued < 0 && !f->stays ? find_good (f, f->n, steady, G_MAXINT64) : -1;

  if (found >= 0)
    cue (f, found, now, relay_rule_rows[f->sources[f->active].fault].name,
        relay_failover_say_fault (f, f->active));
}

/* Cues a source if another one than the active one is to be used. */
static void
choose (RelayFailover *f, gint64 now)
{
  gint found;

  if (f->active < 0) {
    found = f->cued < 0 ? find (f) : -1;
    if (found >= 0)
      cue (f, found, now, "first", g_strdup ("it is the first that gives media"));
  } else if (f->sources[f->active].state == RELAY_SOURCE_STALLED) {
    /* one that is cued keeps its turn */
    found = f->cued < 0 ? find (f) : -1;
    f->stays &= found < 0;
    if (found >= 0)
      cue (f, found, now, "silent", say_silent (f, f->active));
  } else if (is_bad (f, f->active)) {
    leave_bad (f, now);
  } else if (!f->stays && !f->asked && f->restore > 0) {
    found = find_good (f, f->active, now - f->restore, now - f->restore);
    if (found >= 0 && found != f->cued)
      cue (f, found, now, "restored",
          g_strdup_printf ("it is preferred, and has given media for %g s without a pause",
              f->restore / 1e6));
  }
}

/* The active source, which was stalled, gives media again.  It is kept, and no other one is cued
 * any more, unless that one was asked for, or the active one had given media for a short time only
 * before it stalled: a source that gives a packet now and then would be kept for ever. */
static void
resume (RelayFailover *f, gint64 now)
{
  RelaySource *source = &f->sources[f->active];
  gint64 gave = source->heard - source->steady;

  if (!f->asked && gave >= MAX (f->silence, f->restore))
    cue (f, -1, now, NULL, NULL);
}

gboolean
relay_failover_judge (RelayFailover *f, guint i, gint fault, gint64 judged, gint64 faulty,
    gint64 now)
{
  RelaySource *source = &f->sources[i];
  gboolean turns = (fault != RELAY_RULE_NONE) != is_bad (f, i);

  source->fault = fault;
  source->judged = judged;
  source->faulty = faulty;
  if (!turns)
    return FALSE;
  /* another choice may be better now: of the source to take over, or to stay */
  if (f->cued >= 0 && !f->asked && ((gint) i == f->cued || (gint) i == f->active))
    cue (f, -1, now, NULL, NULL);
  /* source 0 stays although it was bad: nothing has to be asked for any more */
  if (i == 0 && f->active == 0)
    f->stays = f->stays && is_bad (f, 0);
  relay_failover_look (f, now);
  choose (f, now);
  return TRUE;
}

RelaySourceState
relay_failover_note (RelayFailover *f, guint i, gint64 now)
{
  RelaySource *source = &f->sources[i];

  relay_failover_look (f, now);
  if (!relay_source_gives (source->state)) {
    set_state (f, i,
        source->state == RELAY_SOURCE_STALLED ? RELAY_SOURCE_ACTIVE : RELAY_SOURCE_STANDBY, now,
        g_strdup ("it gives media"));
    if (source->state == RELAY_SOURCE_ACTIVE)
      resume (f, now);
    source->steady = now;
  }
  source->heard = now;
  choose (f, now);
  return source->state;
}

void
relay_failover_take_over (RelayFailover *f, gint64 now)
{
  gint old = f->active, new = f->cued;

  g_return_if_fail (new >= 0);
  f->stays = f->asked && (new != 0 || is_bad (f, 0));
  f->asked = FALSE;
  f->cued = -1;
  f->active = new;
  f->taken = now;
  f->takeovers += old >= 0;
  if (old >= 0)
    set_state (f, old,
        f->sources[old].state == RELAY_SOURCE_STALLED ? RELAY_SOURCE_SILENT : RELAY_SOURCE_STANDBY,
        now, g_strdup_printf ("source %d took over: %s", new, f->sources[new].why));
  set_state (f, new, RELAY_SOURCE_ACTIVE, now, g_strdup (f->sources[new].why));
}

gboolean
relay_failover_ask (RelayFailover *f, guint i, gint64 now)
{
  relay_failover_look (f, now);
  if (i >= f->n || !relay_source_gives (f->sources[i].state))
    return FALSE;
  f->stays = (i != 0 || is_bad (f, 0)) && (f->stays || (gint) i == f->active);
  if ((gint) i == f->active)
    cue (f, -1, now, NULL, NULL);
  else if ((gint) i != f->cued)
    cue (f, i, now, "asked", g_strdup ("it was asked for"));
  f->asked = f->cued >= 0;
  return TRUE;
}

void
relay_failover_hold (RelayFailover *f, guint i, gboolean held, gint64 now)
{
  RelaySource *source = &f->sources[i];

  if (held)
    source->held_since = now;
  else if (source->held)
    source->heard += now - source->held_since;
  source->held = held;
}

gboolean
relay_failover_shows (const RelayFailover *f, guint i, gint64 now)
{
  const RelaySource *source = &f->sources[i];

  return relay_source_gives (source->state)
      && !(source->held && now - source->held_since >= RELAY_SOURCE_HELD);
}
