/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspmergetrust.c: which sources are trusted: their bytes are compared with those that the reader
 * has.
 *
 * A source with the stream's origin claims to have the same bytes.  If they differ, the source is
 * wrong and not used any more.  The next sessions of the same peer are kept out for a time that
 * grows: after PROVEN right bytes they would be trusted, and could bring wrong ones again.  A
 * source with another origin claims nothing: its stream may be the same for a while, as those of
 * two encoders may be.  Once they differ, the two are not compared for a time that grows with each
 * difference.
 */
#include "faspmergeprivate.h"

/* A source is proven once this many of its bytes were the same as the reader has. */
#define PROVEN 65536
/* The difference between two clocks is a moving average; a new sample has 1/CLOCK_WEIGHT of the
 * weight. */
#define CLOCK_WEIGHT 16
/* Two sources that differ again are not compared for APART_LEAST, then twice as long each time, up
 * to APART_MOST: the default by which routers suppress a route that flaps (RFC 2439). */
#define APART_LEAST (10 * FASP_SEC)
#define APART_MOST (3600 * FASP_SEC)

/* --- pairs that have differed ------------------------------------------------------------ */

void
fasp_merge_forget_apart (FaspMerge *merge, FaspSource *source)
{
  for (guint i = 0; i < merge->n; i++)
    source->apart[i] = merge->sources[i].apart[source - merge->sources] = (FaspApart) { 0 };
}

/* Was the difference before this one due to a few lost bytes? Then @source was aligned again at
 * once, with another shift. */
static gboolean
was_hole (const FaspSource *source, const FaspApart *apart)
{
  return apart->span == 0 && source->searched <= PROVEN && source->alignment.shift != apart->shift;
}

/* The source and the leader have differed. The first time, and after a long time without a
 * difference, the cause may be a hole, so they are compared again at once. */
static void
keep_apart (FaspMerge *merge, FaspTime now, FaspSource *source)
{
  FaspSource *leader = &merge->sources[merge->leader];
  FaspApart *apart = &source->apart[merge->leader];
  gboolean is_first = apart->until == 0 || now - source->placed > MAX (apart->span, APART_LEAST)
      || was_hole (source, apart);

  apart->span = is_first ? 0 : CLAMP (2 * apart->span, APART_LEAST, APART_MOST);
  apart->until = now + apart->span;
  apart->shift = source->alignment.shift;
  leader->apart[source - merge->sources] = *apart;
}

/* --- comparing ------------------------------------------------------------------------- */

/* Has a new session of the source begun, or has its place been lost, since the compared bytes
 * came? */
static gboolean
is_new (const FaspSource *source)
{
  return source->shift == FASP_NEVER;
}

/* The source's bytes are not those of the stream. One with the stream's origin has lied and is used
 * no more; one of another origin is kept apart, and searched for again. */
static void
distrust (FaspMerge *merge, FaspTime now, FaspSource *source)
{
  if (fasp_merge_differs (source) || is_new (source))
    return;
  if (fasp_merge_is_foreign (merge, source)) {
    keep_apart (merge, now, source);
    fasp_merge_lose_place (merge, source);
  } else {
    source->trust = FASP_TRUST_DIFFERS;
    fasp_merge_remember_liar (merge, now, source->state.peer);
  }
  fasp_merge_notify (merge, FASP_MERGE_DIFFERS, source, "its bytes are not those of the others");
}

/* A sender with another origin has a clock of its own. Moves the source's media times towards those
 * of the same bytes in the stream. */
static void
follow_clock (FaspMerge *merge, FaspSource *source, FaspTime ahead)
{
  if (!fasp_merge_is_foreign (merge, source))
    return;
  source->shift += source->same == 0 ? ahead : ahead / CLOCK_WEIGHT;
}

/* The leader's bytes differ from those that the reader got from @other. The leader is right, so its
 * next block does not follow what the reader has. */
static void
correct (FaspMerge *merge, FaspTime now, FaspSource *other)
{
  distrust (merge, now, other);
  fasp_merge_drop (other);
  fasp_recent_forget (&merge->recent);
  merge->is_spliced = TRUE;
}

gboolean
fasp_merge_compare (FaspMerge *merge, FaspTime now, FaspSource *source, const FaspBlock *block,
    guint32 size)
{
  FaspRecentFound found;

  source->stats.bytes_repeated += size;
  switch (fasp_recent_compare (&merge->recent, block->offset, block->data, size, &found)) {
    case FASP_RECENT_DIFFERS:
      if (source == &merge->sources[found.source])
        break;
      if (fasp_merge_is_leader (merge, source)) {
        correct (merge, now, &merge->sources[found.source]);
        return FALSE;
      }
      if (found.source == merge->leader) {
        distrust (merge, now, source);
        return FALSE;
      }
      break;
    case FASP_RECENT_SAME:
      if (is_new (source))
        break;
      follow_clock (merge, source, found.media_time - block->media_time);
      source->same += found.compared;
      if (source->same >= PROVEN && !fasp_merge_differs (source))
        source->trust = FASP_TRUST_PROVEN;
      break;
    case FASP_RECENT_GONE:
      break;
  }
  return TRUE;
}
