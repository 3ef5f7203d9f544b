/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmerge.c: what is taken of the stream, and from which source.
 */
#include "faspmergeprivate.h"
#include "faspmediaclock.h"
#include "faspwire.h"

/* When the leader changes to another stream, the reader waits for a key frame of it for this long
 * at most. */
#define KEY_AWAITED (2 * FASP_SEC)
/* Media times wrap around after this many µs. */
#define WRAP ((FaspTime) 1 << FASP_MEDIA_TIME_BITS)
/* The gap between blocks is a moving average; a new gap has 1/GAP_WEIGHT of the weight. */
#define GAP_WEIGHT 16

FaspMerge *
fasp_merge_new (FaspRedundancy redundancy, guint sources, guint64 recent)
{
  FaspMerge *merge = g_new0 (FaspMerge, 1);

  g_return_val_if_fail (sources >= 1 && sources <= FASP_SOURCES_MAX, NULL);
  merge->redundancy = redundancy;
  merge->n = sources;
  merge->leader = FASP_MERGE_NONE;
  merge->delay = FASP_NEVER;
  fasp_recent_init (&merge->recent, recent);
  g_queue_init (&merge->events);
  for (guint i = 0; i < sources; i++) {
    FaspSource *source = &merge->sources[i];

    source->delay = source->shift = source->alone = FASP_NEVER;
  }
  return merge;
}

void
fasp_merge_free (FaspMerge *merge)
{
  if (merge == NULL)
    return;
  for (guint i = 0; i < merge->n; i++) {
    fasp_merge_drop (&merge->sources[i]);
    fasp_anchors_free (merge->sources[i].anchors);
  }
  fasp_anchors_free (merge->anchors);
  fasp_recent_clear (&merge->recent);
  g_queue_clear_full (&merge->events, g_free);
  g_free (merge);
}

/* --- blocks put in ----------------------------------------------------------------- */

/* Cuts the bytes that the reader has from the held block, after comparing them. */
static void
fit (FaspMerge *merge, FaspTime now, FaspSource *source)
{
  FaspBlock *block = source->held.block;
  guint64 bytes;

  switch (fasp_merge_compare_held (merge, source, &bytes)) {
    case FASP_STREAM_OFFSET_OLD:
      fasp_merge_compare (merge, now, source, block, block->size);
      fasp_merge_drop (source);
      break;
    case FASP_STREAM_OFFSET_OVERLAPS:
      if (fasp_merge_compare (merge, now, source, block, bytes)
          || fasp_merge_is_leader (merge, source))
        source->held.block = fasp_block_cut (block, bytes);
      else
        fasp_merge_drop (source);
      break;
    case FASP_STREAM_OFFSET_FOLLOWS:
    case FASP_STREAM_OFFSET_ANEW:
      break;
  }
}

static FaspTime
round_to_wraps (FaspTime time)
{
  return (time + (time > 0 ? WRAP / 2 : -WRAP / 2)) / WRAP * WRAP;
}

/* Converts the block's media time to the stream's: a receiver that began later may have counted
 * fewer wraps, and a sender with another origin has another clock. */
static void
shift (FaspMerge *merge, FaspSource *source, FaspRead *read)
{
  FaspTime delay = read->arrival - read->block->media_time;

  if (source->shift == FASP_NEVER)
    source->shift = merge->delay == FASP_NEVER ?
        0 :
        fasp_merge_is_foreign (merge, source) ?
        delay - merge->delay :
        merge->shift + round_to_wraps (delay - merge->shift - merge->delay);
  read->block->media_time += source->shift;
  source->delay = delay - source->shift;
}

/* The leader has changed to another stream. Does the merge still wait for a key frame of that? */
static gboolean
awaits_key (const FaspMerge *merge, FaspTime now, const FaspSource *leader)
{
  return leader->has_keys && (leader->held.block->flags & FASP_BLOCK_KEY) == 0
      && now - merge->led < KEY_AWAITED;
}

/* Can the held block of the source be delivered? It can if its place in the stream is known. A
 * block of another stream can if the leader holds it and no other source goes on with this
 * stream. */
static gboolean
has_place (FaspMerge *merge, FaspTime now, FaspSource *source)
{
  const FaspStreamOffset *behind = &source->held.behind;

  if (behind->known && !fasp_origin_equal (&source->origin, &behind->origin)) {
    source->origin = behind->origin;
    fasp_merge_lose_place (merge, source);
    fasp_merge_forget_apart (merge, source);
  }
  if (!fasp_merge_is_foreign (merge, source) ?
          source->held.block->offset != FASP_OFFSET_UNKNOWN || !merge->next.known :
          fasp_merge_align (merge, now, source))
    return TRUE;
  return fasp_merge_is_leader (merge, source) && !awaits_key (merge, now, source)
      && (merge->is_wanted || source->held.ready >= fasp_merge_get_dry_time (merge)
          || !fasp_merge_lead_on (merge, now, TRUE,
              "the leader begins another stream, or a part is missing"));
}

/* Updates `alone' of each source: since when it has brought blocks while the leader has brought
 * none. */
static void
note_alone (FaspMerge *merge, FaspTime now, FaspSource *source)
{
  if (!fasp_merge_is_leader (merge, source)) {
    source->alone = MIN (source->alone, now);
    return;
  }
  for (guint i = 0; i < merge->n; i++)
    merge->sources[i].alone = FASP_NEVER;
}

gboolean
fasp_merge_wants (const FaspMerge *merge, guint i)
{
  return !fasp_merge_holds (&merge->sources[i]);
}

void
fasp_merge_put (FaspMerge *merge, FaspTime now, guint i, const FaspRead *read)
{
  FaspSource *source = &merge->sources[i];
  gboolean held;

  g_return_if_fail (!fasp_merge_holds (source));
  source->held = *read;
  source->put = now;
  if (fasp_merge_differs (source)) {
    fasp_merge_drop (source);
    return;
  }
  /* a sender that was asked to stand by goes on until the request arrives; a block that comes
   * meanwhile does not answer a later request to send again */
  source->resumes &= source->role == FASP_SOURCE_STANDBY;
  if (merge->leader == FASP_MERGE_NONE)
    fasp_merge_lead (merge, now, source, "it is the first");
  else
    fasp_merge_succeed (merge, now);
  if (!fasp_merge_has_payload (read))
    return;
  note_alone (merge, now, source);
  source->has_keys |= (read->block->flags & FASP_BLOCK_KEY) != 0;
  if (!has_place (merge, now, source)) {
    fasp_merge_drop (source);
    return;
  }
  shift (merge, source, &source->held);
  fasp_block_ref (read->block);
  fit (merge, now, source);
  held = fasp_merge_holds (source);
  fasp_merge_judge (merge, source, read, !held);
  fasp_block_unref (read->block);
}

/* --- the next block ---------------------------------------------------------------- */

/* Does the leader lack the next bytes? It does if it holds later ones, is not connected, or should
 * have brought by now what @other holds. */
static gboolean
leader_lacks (const FaspMerge *merge, FaspTime now, const FaspSource *other)
{
  const FaspSource *leader = &merge->sources[merge->leader];
  guint64 missing;

  fasp_merge_compare_held (merge, leader, &missing);
  return missing > 0 || !leader->state.is_connected
      || now >= fasp_merge_get_overdue_time (merge, other);
}

/* Does the source hold the next bytes of the stream?  A source of another origin may differ at any
 * time, so it fills only what the leader lacks. */
static gboolean
has_next (const FaspMerge *merge, FaspTime now, const FaspSource *source)
{
  guint64 bytes;

  if (!fasp_merge_is_trusted (source)
      || (fasp_merge_is_of_other_origin (merge, source) && !leader_lacks (merge, now, source)))
    return FALSE;
  return fasp_merge_compare_held (merge, source, &bytes) == FASP_STREAM_OFFSET_FOLLOWS;
}

/* Has the stream already gone on behind the end that the source holds? */
static gboolean
has_ended_alone (const FaspMerge *merge, const FaspSource *source)
{
  const FaspStreamOffset *end = &source->held.behind;
  FaspStreamOffset next;

  if (!fasp_merge_holds_end (source) || !merge->next.known)
    return FALSE;
  next = fasp_merge_get_foreign (merge, source, merge->next.offset);
  return fasp_stream_offset_is_comparable (&next, end) && end->offset < next.offset;
}

/* Has the stream ended? The source holds an end, and the reader has all bytes before it. But while
 * a connected source has not ended, the stream may go on, so the end waits until the reader has
 * played what it has. */
static gboolean
has_end (const FaspMerge *merge, FaspTime now, const FaspSource *source)
{
  if (!fasp_merge_holds_end (source) || !fasp_merge_is_trusted (source))
    return FALSE;
  for (guint i = 0; i < merge->n && now < fasp_merge_get_dry_time (merge); i++) {
    const FaspSource *other = &merge->sources[i];

    if (other->state.is_connected && fasp_merge_is_trusted (other) && !fasp_merge_holds_end (other))
      return FALSE;
  }
  return TRUE;
}

/* May the source still bring the next bytes? */
static gboolean
may_bring (const FaspMerge *merge, const FaspSource *source)
{
  return source->state.is_connected && !fasp_merge_holds (source) && fasp_merge_is_trusted (source);
}

/* The leader holds bytes behind a gap. May another source still fill the gap in time? */
static gboolean
waits_for_others (const FaspMerge *merge, FaspTime now)
{
  const FaspSource *leader = &merge->sources[merge->leader];

  if (merge->delay == FASP_NEVER || now >= fasp_merge_get_play_time (merge, leader))
    return FALSE;
  for (guint i = 0; i < merge->n; i++)
    if (i != merge->leader && may_bring (merge, &merge->sources[i]))
      return TRUE;
  return FALSE;
}

/* Is the leader's block delivered although it does not follow the last one? Either the gap before
 * it cannot be filled, or it is of another stream. */
static gboolean
leader_goes_on (FaspMerge *merge, FaspTime now)
{
  FaspSource *leader;
  guint64 missing;

  if (merge->leader == FASP_MERGE_NONE)
    return FALSE;
  leader = &merge->sources[merge->leader];
  if (!fasp_merge_holds (leader))
    return FALSE;
  if (!fasp_merge_has_payload (&leader->held))
    return !fasp_merge_holds_end (leader);
  fasp_merge_compare_held (merge, leader, &missing);
  return missing == 0 || !waits_for_others (merge, now);
}

/* The leader holds a block behind a hole: returns the source with the smallest hole. */
static FaspSource *
get_nearest (FaspMerge *merge)
{
  FaspSource *nearest = &merge->sources[merge->leader];
  guint64 least, missing;

  fasp_merge_compare_held (merge, nearest, &least);
  for (guint i = 0; i < merge->n; i++) {
    FaspSource *source = &merge->sources[i];

    fasp_merge_compare_held (merge, source, &missing);
    if (missing == 0 || missing >= least || !fasp_merge_is_trusted (source))
      continue;
    nearest = source;
    least = missing;
  }
  return nearest;
}

/* The source from which the next block is taken, or NULL. */
static FaspSource *
choose (FaspMerge *merge, FaspTime now)
{
  for (guint i = 0; i < merge->n; i++) {
    FaspSource *source = &merge->sources[i];

    fit (merge, now, source);
    if (has_ended_alone (merge, source) || (merge->ended && fasp_merge_holds_end (source)))
      fasp_merge_drop (source);
    /* only the leader's header counts, and only the end of a trusted source */
    if (fasp_merge_holds (source) && !fasp_merge_has_payload (&source->held)
        && merge->leader != FASP_MERGE_NONE && !fasp_merge_is_leader (merge, source)
        && !(fasp_merge_holds_end (source) && fasp_merge_is_trusted (source)))
      fasp_merge_drop (source);
  }
  if (merge->leader != FASP_MERGE_NONE && has_next (merge, now, &merge->sources[merge->leader]))
    return &merge->sources[merge->leader];
  for (guint i = 0; i < merge->n; i++)
    if (has_next (merge, now, &merge->sources[i]))
      return &merge->sources[i];
  for (guint i = 0; i < merge->n; i++)
    if (has_end (merge, now, &merge->sources[i]))
      return &merge->sources[i];
  return leader_goes_on (merge, now) ? get_nearest (merge) : NULL;
}

/* The longest delay of all trusted sources that send in time; FASP_NEVER: none is known. */
static FaspTime
get_target (const FaspMerge *merge)
{
  FaspTime target = FASP_NEVER;

  for (guint i = 0; i < merge->n; i++) {
    const FaspSource *source = &merge->sources[i];

    if (source->delay == FASP_NEVER || source->stats.is_left || source->role == FASP_SOURCE_STANDBY
        || !fasp_merge_is_trusted (source))
      continue;
    if (target == FASP_NEVER || source->delay > target)
      target = source->delay;
  }
  return target;
}

/* Slews the delay of the stream to that of the slowest source, at the rate that the media clock of
 * a single source has. A jump of the sender's clock is followed at once, as it affects all
 * sources. */
static void
follow_delay (FaspMerge *merge, FaspTime now, FaspSource *source)
{
  const FaspBlock *block = source->held.block;
  FaspTime target, most;

  if (merge->delay == FASP_NEVER || (block->flags & FASP_BLOCK_CLOCK_JUMP) != 0) {
    for (guint i = 0; i < merge->n; i++)
      if (&merge->sources[i] != source)
        merge->sources[i].delay = FASP_NEVER;
    merge->delay = source->delay;
    merge->slewed = now;
    return;
  }
  target = get_target (merge);
  most = MIN (now - merge->slewed, FASP_SEC) * FASP_MEDIA_CLOCK_SLEW_PPM / 1000000;
  if (target == FASP_NEVER || most == 0)
    return;
  merge->slewed = now;
  merge->delay += CLAMP (target - merge->delay, -most, most);
}

/* Sources stamp the same bytes at different times, as far as their hosts are busy. A receiver
 * behind this one would take a media time that falls where another source goes on for a clock that
 * was set back. */
static void
keep_rising (const FaspMerge *merge, FaspBlock *block)
{
  FaspTime fall = merge->last_media - block->media_time;

  if (fall > 0 && fall < FASP_MEDIA_CLOCK_STEP && (block->flags & FASP_BLOCK_CLOCK_JUMP) == 0)
    block->media_time = merge->last_media;
}

/* Updates the average distance of blocks in media time. */
static void
note_gap (FaspMerge *merge, const FaspBlock *block)
{
  FaspTime gap = block->media_time - merge->last_media;

  merge->last_media = block->media_time;
  if (gap > 0 && gap < FASP_SEC)
    merge->gap += (gap - merge->gap) / GAP_WEIGHT;
}

/* Sets the flags of the block that is taken, and *taken, by what the reader got before it, whatever
 * the block's own source had lost. */
static void
note_missing (FaspMerge *merge, FaspSource *source, FaspMergeTaken *taken)
{
  const FaspRead *read = &source->held;
  gboolean follows =
      fasp_merge_compare_held (merge, source, &taken->missing) == FASP_STREAM_OFFSET_FOLLOWS;

  if (follows && !merge->is_spliced)
    read->block->flags &= ~(FASP_BLOCK_DISCONT | FASP_BLOCK_LACKS);
  else if (merge->next.known)
    read->block->flags |= FASP_BLOCK_DISCONT | FASP_BLOCK_LACKS;
  merge->is_spliced = FALSE;
  taken->begins = !follows && taken->missing == 0 && (read->behind.known || !merge->has_begun);
  merge->has_begun = TRUE;
  if (!follows)
    fasp_recent_forget (&merge->recent);
  else if (!fasp_merge_is_leader (merge, source))
    source->stats.bytes_filled += read->block->size;
  if (merge->next.known != read->behind.known
      || (merge->next.known && !fasp_origin_equal (&merge->next.origin, &read->behind.origin)))
    fasp_merge_begin_anew (merge, source);
}

/* A block with bytes of the stream is taken. */
static void
advance (FaspMerge *merge, FaspTime now, FaspSource *source)
{
  FaspRead *read = &source->held;

  if (!fasp_merge_differs (source))
    source->trust = FASP_TRUST_PROVEN;
  merge->is_wanted &= !fasp_merge_is_leader (merge, source);
  merge->next = read->behind;
  if (merge->next.known && merge->next.offset != FASP_OFFSET_UNKNOWN) {
    fasp_merge_note_anchors (merge, read->block);
    fasp_recent_add (&merge->recent, read->block, source - merge->sources);
  }
  follow_delay (merge, now, source);
  keep_rising (merge, read->block);
  note_gap (merge, read->block);
  read->arrival = read->block->media_time + merge->delay;
  merge->due = read->arrival;
  source->stats.bytes_used += read->block->size;
}

gboolean
fasp_merge_take (FaspMerge *merge, FaspTime now, FaspRead *read, FaspMergeTaken *taken)
{
  FaspSource *chosen = choose (merge, now);

  if (chosen == NULL)
    return FALSE;
  *taken = (FaspMergeTaken) { .source = chosen - merge->sources };
  if (fasp_merge_has_payload (&chosen->held)) {
    note_missing (merge, chosen, taken);
    advance (merge, now, chosen);
  } else if (fasp_stream_offset_is_comparable (&merge->next, &chosen->held.behind)) {
    /* a header repeated within the stream, which the reader has entered already */
    chosen->held.block->flags &= ~FASP_BLOCK_ENTER;
  }
  *read = chosen->held;
  merge->ended = fasp_merge_holds_end (chosen);
  chosen->held.block = NULL;
  return TRUE;
}

/* --- events and statistics ---------------------------------------------------------- */

gboolean
fasp_merge_poll_event (FaspMerge *merge, FaspMergeEvent *event)
{
  FaspMergeEvent *first = g_queue_pop_head (&merge->events);

  if (first == NULL)
    return FALSE;
  *event = *first;
  g_free (first);
  return TRUE;
}

void
fasp_merge_get_stats (const FaspMerge *merge, guint i, FaspSourceStats *stats)
{
  *stats = merge->sources[i].stats;
  stats->number = i;
  stats->leads = merge->sources[i].role == FASP_SOURCE_ACTIVE;
  stats->stands_by = merge->sources[i].role == FASP_SOURCE_STANDBY;
  stats->is_trusted = fasp_merge_is_trusted (&merge->sources[i]);
  stats->differs = fasp_merge_differs (&merge->sources[i]);
}
