/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmergeroles.c: which source leads, and which ones send.
 */
#include "faspmergeprivate.h"

/* A source that was too late has to be in time for this long before the merge waits for it
 * again. */
#define GOOD_FOR (10 * FASP_SEC)
/* A new source sends for this long at most before it stands by, so that its bytes can be
 * compared. */
#define PROVES_FOR (5 * FASP_SEC)
/* A leader is silent when nothing came from it for this many of the stream's gaps, but at least for
 * SILENT_LEAST. */
#define SILENT_GAPS 4
#define SILENT_LEAST (50 * FASP_MSEC)

void
fasp_merge_notify (FaspMerge *merge, FaspMergeEventType type, const FaspSource *source,
    const gchar *reason)
{
  FaspMergeEvent *event = g_new (FaspMergeEvent, 1);

  *event = (FaspMergeEvent) { type, source - merge->sources, reason };
  g_queue_push_tail (&merge->events, event);
}

/* --- lateness ------------------------------------------------------------------------ */

FaspTime
fasp_merge_get_margin (const FaspSource *source)
{
  return MIN (2 * source->state.rtt + SILENT_LEAST, source->state.latency / 2);
}

FaspTime
fasp_merge_get_overdue_time (const FaspMerge *merge, const FaspSource *other)
{
  return other->held.arrival + fasp_merge_get_margin (&merge->sources[merge->leader]);
}

FaspTime
fasp_merge_get_dry_time (const FaspMerge *merge)
{
  return merge->due + merge->gap + merge->sources[merge->leader].state.latency;
}

static void
leave (FaspMerge *merge, FaspTime now, FaspSource *source, const gchar *reason)
{
  source->late = MAX (now, 1);
  if (source->stats.is_left)
    return;
  source->stats.is_left = TRUE;
  fasp_merge_notify (merge, FASP_MERGE_LEFT, source, reason);
}

void
fasp_merge_judge (FaspMerge *merge, FaspSource *source, const FaspRead *read, gboolean repeated)
{
  gboolean is_late;
  FaspTime due;

  if (merge->delay == FASP_NEVER || source->state.latency == 0)
    return;
  due = read->block->media_time + merge->delay;
  if (due < source->asked)
    return;
  is_late = read->ready - due > source->state.latency - fasp_merge_get_margin (source);
  if (is_late)
    source->late = MAX (read->ready, 1);
  if (repeated && is_late)
    leave (merge, read->ready, source, "what it brings is too late");
  else if (source->stats.is_left && read->ready - source->late >= GOOD_FOR) {
    source->stats.is_left = FALSE;
    fasp_merge_notify (merge, FASP_MERGE_BACK, source, "it has been in time for a while");
  }
}

/* --- roles --------------------------------------------------------------------------- */

gboolean
fasp_merge_may_become (FaspSourceRole from, FaspSourceRole to)
{
  /* by FaspSourceRole: IDLE, SENDING, STANDBY, BACKUP, ACTIVE */
  static const gboolean may[][FASP_SOURCE_ACTIVE + 1] = {
    { FALSE, TRUE, FALSE, FALSE, TRUE },
    { TRUE, TRUE, TRUE, TRUE, TRUE },
    { TRUE, TRUE, FALSE, TRUE, TRUE },
    { TRUE, TRUE, TRUE, FALSE, TRUE },
    { TRUE, TRUE, FALSE, FALSE, FALSE },
  };

  return may[from][to];
}

void
fasp_merge_become (FaspSource *source, FaspSourceRole role)
{
  g_return_if_fail (fasp_merge_may_become (source->role, role));
  source->role = role;
}

/* Takes the lead from the source. */
static void
become_follower (FaspSource *source)
{
  fasp_merge_become (source, source->state.session != 0 ? FASP_SOURCE_SENDING : FASP_SOURCE_IDLE);
}

/* --- the leader ---------------------------------------------------------------------- */

void
fasp_merge_lead (FaspMerge *merge, FaspTime now, FaspSource *source, const gchar *reason)
{
  if (merge->leader != FASP_MERGE_NONE)
    become_follower (&merge->sources[merge->leader]);
  if (source->role == FASP_SOURCE_STANDBY)
    source->asked = now;
  fasp_merge_become (source, FASP_SOURCE_ACTIVE);
  merge->leader = source - merge->sources;
  merge->led = now;
  merge->is_wanted = FALSE;
  for (guint i = 0; i < merge->n; i++)
    merge->sources[i].alone = FASP_NEVER;
  if (fasp_merge_differs (source)) {
    merge->is_spliced = TRUE;
    source->trust = FASP_TRUST_UNPROVEN;
  }
  fasp_merge_forgive (merge, source);
  fasp_merge_notify (merge, FASP_MERGE_LEADS, source, reason);
}

static gint
rate (const FaspSource *source)
{
  return 2 * (source->trust == FASP_TRUST_PROVEN) - source->stats.is_left;
}

/* Which sources choose() may return. */
typedef gboolean (*Choice) (const FaspSource *source);

static gboolean
brings_stream (const FaspSource *source)
{
  return source->state.is_connected && !fasp_merge_differs (source);
}

static gboolean
brings_wrong_bytes (const FaspSource *source)
{
  return source->state.is_connected && fasp_merge_differs (source);
}

/* Can the source be asked to send, or to stand by? One whose session has ended cannot, though it
 * counts as connected while blocks of it wait to be read. */
static gboolean
can_be_asked (const FaspSource *source)
{
  return source->state.is_connected && source->state.session != 0;
}

static gboolean
can_help (const FaspSource *source)
{
  return can_be_asked (source) && !fasp_merge_differs (source);
}

/* The best source of @choice beside the leader: a proven one before others, then one that was not
 * left, then the one with the shortest round trip. */
static FaspSource *
choose (const FaspMerge *merge, Choice choice)
{
  const FaspSource *best = NULL;

  for (guint i = 0; i < merge->n; i++) {
    const FaspSource *source = &merge->sources[i];
    gint better;

    if (i == merge->leader || !choice (source))
      continue;
    better = best == NULL ? 1 : rate (source) - rate (best);
    if (better > 0 || (better == 0 && source->state.rtt < best->state.rtt))
      best = source;
  }
  return (FaspSource *) best;
}

gboolean
fasp_merge_lead_on (FaspMerge *merge, FaspTime now, gboolean trusted, const gchar *reason)
{
  FaspSource *next = choose (merge, brings_stream);

  /* the last resort: a source whose bytes differ begins another stream */
  if (next == NULL && !trusted)
    next = choose (merge, brings_wrong_bytes);
  if (next == NULL || (trusted && next->trust != FASP_TRUST_PROVEN))
    return FALSE;
  fasp_merge_lead (merge, now, next, reason);
  return TRUE;
}

/* When the reader has played all it has, returns a source that goes on with another stream, or
 * NULL. The leader is given the latency to go on, as all may have paused together and its first
 * blocks may need retransmissions. */
static FaspSource *
find_another_stream (FaspMerge *merge, FaspTime now)
{
  FaspTime dry = MAX (fasp_merge_get_dry_time (merge), merge->led);

  for (guint i = 0; now >= dry && i < merge->n; i++) {
    FaspSource *source = &merge->sources[i];

    if (i != merge->leader && source->state.is_connected && source->put > dry
        && source->alone != FASP_NEVER
        && now - source->alone >= merge->sources[merge->leader].state.latency
        && fasp_merge_is_foreign (merge, source) && !fasp_alignment_is_known (&source->alignment))
      return source;
  }
  return NULL;
}

/* Another session of the source begins, of which nothing is known yet. */
static void
begin_session (FaspMerge *merge, FaspTime now, FaspSource *source)
{
  gboolean is_liar = fasp_merge_is_liar (merge, now, source);

  if (source->role != FASP_SOURCE_ACTIVE)
    become_follower (source);
  source->joined = source->asked = now;
  source->trust = is_liar ? FASP_TRUST_KEPT_OUT : FASP_TRUST_UNPROVEN;
  fasp_merge_lose_place (merge, source);
  source->resumes = FALSE;
}

/* --- standby ------------------------------------------------------------------------- */

/* When the leader begins to count as silent. */
static FaspTime
get_silent_time (const FaspMerge *merge)
{
  const FaspSource *leader = &merge->sources[merge->leader];

  return leader->state.heard + MAX (SILENT_GAPS * merge->gap, SILENT_LEAST);
}

/* After this time it is too late to ask @helper for the next bytes. */
static FaspTime
get_late_time (const FaspMerge *merge, const FaspSource *helper)
{
  if (helper->state.latency == 0)
    return FASP_NEVER;
  return merge->due + merge->gap + helper->state.latency - fasp_merge_get_margin (helper);
}

static void
help (FaspMerge *merge, FaspTime now, FaspSource *source, const gchar *reason)
{
  fasp_merge_become (source, FASP_SOURCE_BACKUP);
  source->asked = now;
  source->helped = source->stats.bytes_filled;
  fasp_merge_notify (merge, FASP_MERGE_HELPS, source, reason);
}

/* The source leads. With standby, the former leader goes on sending as a backup until the new one
 * has shown that it brings the stream. */
static void
lead_again (FaspMerge *merge, FaspTime now, FaspSource *source, const gchar *reason)
{
  FaspSource *before = merge->leader == FASP_MERGE_NONE ? NULL : &merge->sources[merge->leader];

  source->asked = now;
  fasp_merge_lead (merge, now, source, reason);
  merge->is_wanted = TRUE;
  if (merge->redundancy == FASP_REDUNDANCY_STANDBY && before != NULL && can_be_asked (before)
      && before->trust == FASP_TRUST_PROVEN && !fasp_merge_is_foreign (merge, source))
    help (merge, now, before, "until the source that leads again has brought more");
}

gboolean
fasp_merge_prefer (FaspMerge *merge, FaspTime now, guint i)
{
  FaspSource *source = i < merge->n ? &merge->sources[i] : NULL;

  if (source == NULL || !source->state.is_connected || fasp_merge_differs (source))
    return FALSE;
  merge->preferred = i;
  if (i != merge->leader)
    lead_again (merge, now, source, "it was asked for");
  return TRUE;
}

static void
rest (FaspMerge *merge, FaspSource *source, const gchar *reason)
{
  fasp_merge_become (source, FASP_SOURCE_STANDBY);
  source->resumes = TRUE;
  fasp_merge_notify (merge, FASP_MERGE_RESTS, source, reason);
}

/* Does the source hold a block behind a gap? */
static gboolean
lacks (const FaspMerge *merge, const FaspSource *source)
{
  guint64 missing;

  return fasp_merge_compare_held (merge, source, &missing) == FASP_STREAM_OFFSET_ANEW
      && missing > 0;
}

/* Asks the best source on standby to send if the leader fails. */
static void
look_for_help (FaspMerge *merge, FaspTime now)
{
  const FaspSource *leader = &merge->sources[merge->leader];
  FaspSource *helper = choose (merge, can_help);

  if (helper == NULL || helper->role != FASP_SOURCE_STANDBY)
    return;
  if (!leader->state.is_connected)
    help (merge, now, helper, "the leader is not connected");
  else if (now >= get_silent_time (merge))
    help (merge, now, helper, "nothing comes from the leader");
  else if (!fasp_merge_holds (leader) && now >= get_late_time (merge, helper))
    help (merge, now, helper, "what the leader brings would be too late");
  else if (lacks (merge, leader))
    help (merge, now, helper, "the leader lacks a part of the stream");
}

/* After FASP_MERGE_OUTAGE, the backup leads if it brought what the leader did not, or stands by if
 * the leader brings the stream. */
static void
judge_help (FaspMerge *merge, FaspTime now, FaspSource *helper)
{
  FaspSource *leader = &merge->sources[merge->leader];
  guint64 helped = helper->stats.bytes_filled - helper->helped;

  if (now - helper->asked < FASP_MERGE_OUTAGE)
    return;
  if (helped > 0 && (!leader->state.is_connected || now >= get_silent_time (merge))) {
    leave (merge, now, leader, "it brought nothing");
    fasp_merge_lead (merge, now, helper, "the leader brought nothing");
    if (can_be_asked (leader))
      rest (merge, leader, "another source leads");
  } else if (leader->late > 0 && now - leader->late < FASP_MERGE_OUTAGE && helped > 0) {
    leave (merge, now, leader, "what it brings is too late");
    fasp_merge_lead (merge, now, helper, "the leader was too late");
    if (can_be_asked (leader))
      rest (merge, leader, "another source leads");
  } else if (now < get_silent_time (merge)) {
    rest (merge, helper, "the leader brings the stream");
  }
}

static void
decide_standby (FaspMerge *merge, FaspTime now, FaspSource *source)
{
  gboolean has_place =
      merge->next.known && fasp_merge_get_foreign (merge, source, merge->next.offset).known;

  /* a source that carries another stream, or no stream yet, cannot fill a gap of this one */
  if (source->role == FASP_SOURCE_STANDBY && !has_place)
    fasp_merge_become (source, FASP_SOURCE_SENDING);
  if (fasp_merge_is_leader (merge, source) || !source->state.is_connected || !has_place)
    return;
  if (source->role == FASP_SOURCE_BACKUP)
    judge_help (merge, now, source);
  else if (source->role == FASP_SOURCE_SENDING
      && (source->trust == FASP_TRUST_PROVEN || fasp_merge_differs (source)
          || now - source->joined >= PROVES_FOR))
    rest (merge, source, "it has shown that it has the stream");
}

/* --- time ---------------------------------------------------------------------------- */

void
fasp_merge_set_state (FaspMerge *merge, FaspTime now, guint i, const FaspSourceState *state)
{
  FaspSource *source = &merge->sources[i];
  guint32 before = source->state.session;

  source->state = *state;
  /* a new session may be with another sender */
  if (state->session != before) {
    begin_session (merge, now, source);
    /* an end held from the old session does not end the new one */
    if (fasp_merge_holds_end (source))
      fasp_merge_drop (source);
    if (fasp_merge_is_leader (merge, source))
      fasp_merge_lead_on (merge, now, TRUE, "the leader was started anew");
  } else if (source->trust == FASP_TRUST_KEPT_OUT && !fasp_merge_is_liar (merge, now, source)) {
    begin_session (merge, now, source);
  }
}

gboolean
fasp_merge_succeed (FaspMerge *merge, FaspTime now)
{
  const FaspSource *leader = &merge->sources[merge->leader];

  if (leader->state.is_connected || fasp_merge_holds (leader))
    return FALSE;
  fasp_merge_lead_on (merge, now, FALSE, "the leader is not connected any more");
  return TRUE;
}

void
fasp_merge_decide (FaspMerge *merge, FaspTime now)
{
  FaspSource *other;

  if (merge->leader == FASP_MERGE_NONE)
    return;
  if (!fasp_merge_succeed (merge, now) && merge->next.known
      && (other = find_another_stream (merge, now)) != NULL)
    fasp_merge_lead (merge, now, other, "nothing comes from the leader any more");
  fasp_merge_note_good (merge, now);
  if (now >= fasp_merge_get_restore_time (merge))
    lead_again (merge, now, &merge->sources[merge->preferred],
        "it is preferred, and has been good for a while");
  if (merge->redundancy != FASP_REDUNDANCY_STANDBY)
    return;
  for (guint i = 0; i < merge->n; i++)
    decide_standby (merge, now, &merge->sources[i]);
  look_for_help (merge, now);
}

/* How long the held block waits for other sources to bring the bytes before it; FASP_NEVER: it
 * holds none. */
static FaspTime
get_held_until (const FaspMerge *merge, FaspTime now, const FaspSource *source)
{
  if (!fasp_merge_holds (source) || merge->delay == FASP_NEVER)
    return FASP_NEVER;
  if (fasp_merge_is_of_other_origin (merge, source)
      && fasp_merge_get_overdue_time (merge, source) > now)
    return fasp_merge_get_overdue_time (merge, source);
  return fasp_merge_has_payload (&source->held) ? fasp_merge_get_play_time (merge, source) :
                                                  fasp_merge_get_dry_time (merge);
}

/* When fasp_merge_decide() next has to look at the source. */
static FaspTime
get_decision_time (const FaspMerge *merge, FaspTime now, const FaspSource *source)
{
  FaspTime silent = get_silent_time (merge), late = get_late_time (merge, source);

  if (source->role == FASP_SOURCE_BACKUP)
    return source->asked + FASP_MERGE_OUTAGE;
  if (source->role != FASP_SOURCE_STANDBY)
    return source->joined + PROVES_FOR;
  return silent > now ? MIN (silent, late) : late;
}

FaspTime
fasp_merge_get_timeout (const FaspMerge *merge, FaspTime now)
{
  FaspTime timeout;

  if (merge->leader == FASP_MERGE_NONE)
    return FASP_NEVER;
  timeout = fasp_merge_get_restore_time (merge);
  for (guint i = 0; i < merge->n; i++) {
    const FaspSource *source = &merge->sources[i];
    FaspTime held_until = get_held_until (merge, now, source), decision = FASP_NEVER;

    if (merge->redundancy == FASP_REDUNDANCY_STANDBY && i != merge->leader
        && source->state.is_connected)
      decision = get_decision_time (merge, now, source);
    /* a time in the past: the source waits for an event, not for a timer */
    if (held_until > now)
      timeout = MIN (timeout, held_until);
    if (decision > now)
      timeout = MIN (timeout, decision);
  }
  return timeout;
}
