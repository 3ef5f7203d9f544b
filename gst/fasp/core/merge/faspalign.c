/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspalign.c: aligns sources with different origins: senders that got the same bytes, but were
 * started at different times, so that they count the stream from different beginnings.
 */
#include "faspmergeprivate.h"

/* This many bytes of a source are searched for in the stream. If they are not found, the source
 * carries another stream. */
#define SEARCHED (64 << 20)
/* The search also covers this many bytes that were delivered before it began. Hashing them takes 4
 * ms of a processor, at 1 GB/s; the source's block waits for that. */
#define RECALLED (4 << 20)

gboolean
fasp_merge_is_foreign (const FaspMerge *merge, const FaspSource *source)
{
  return merge->next.known && !fasp_origin_equal (&merge->next.origin, &source->origin);
}

static void
forget_alignment (FaspSource *source)
{
  g_clear_pointer (&source->anchors, fasp_anchors_free);
  source->alignment = (FaspAlignment) { 0 };
  source->searched = 0;
}

void
fasp_merge_lose_place (FaspMerge *merge, FaspSource *source)
{
  forget_alignment (source);
  source->same = 0;
  source->shift = FASP_NEVER;
  if (source->trust == FASP_TRUST_PROVEN)
    source->trust = FASP_TRUST_UNPROVEN;
}

void
fasp_merge_begin_anew (FaspMerge *merge, FaspSource *source)
{
  g_clear_pointer (&merge->anchors, fasp_anchors_free);
  forget_alignment (source);
  if (source->shift != FASP_NEVER)
    merge->shift = source->shift;
  for (guint i = 0; i < merge->n; i++) {
    FaspSource *other = &merge->sources[i];

    if (other == source)
      continue;
    /* a block of any other origin cannot be placed in the new stream */
    if (fasp_merge_holds (other) && fasp_merge_has_payload (&other->held)
        && !fasp_origin_equal (&other->held.behind.origin, &source->held.behind.origin))
      fasp_merge_drop (other);
    fasp_merge_lose_place (merge, other);
  }
}

/* Is the position of any source in the stream being searched for? */
static gboolean
is_searching (const FaspMerge *merge)
{
  for (guint i = 0; i < merge->n; i++)
    if (merge->sources[i].anchors != NULL)
      return TRUE;
  return FALSE;
}

void
fasp_merge_note_anchors (FaspMerge *merge, const FaspBlock *block)
{
  const guint8 *data = block->data;
  gsize size = block->size;
  FaspAnchor anchor;

  if (!is_searching (merge)) {
    g_clear_pointer (&merge->anchors, fasp_anchors_free);
    return;
  }
  if (merge->anchors == NULL)
    return;
  fasp_anchors_begin (merge->anchors, block->offset);
  while (fasp_anchors_next (merge->anchors, &data, &size, &anchor))
    for (guint i = 0; i < merge->n; i++) {
      FaspSource *source = &merge->sources[i];
      guint64 offset;

      if (!anchor.repeats && source->anchors != NULL
          && fasp_anchors_find (source->anchors, anchor.hash, &offset))
        fasp_alignment_note (&source->alignment, anchor.offset, offset);
    }
}

/* The anchors of the bytes that were delivered last: a source that is behind may still bring
 * these. */
static FaspAnchors *
recall (const FaspMerge *merge)
{
  FaspAnchors *anchors = fasp_anchors_new ();
  guint64 i = merge->recent.to;
  FaspAnchor anchor;

  for (gsize bytes = 0; i > merge->recent.from && bytes < RECALLED; i--)
    bytes += fasp_recent_nth (&merge->recent, i - 1)->size;
  for (; i < merge->recent.to; i++) {
    const FaspBlock *block = fasp_recent_nth (&merge->recent, i);
    const guint8 *data = block->data;
    gsize size = block->size;

    fasp_anchors_begin (anchors, block->offset);
    while (fasp_anchors_next (anchors, &data, &size, &anchor))
      ;
  }
  return anchors;
}

/* Compares the block's anchors with those of the stream. */
static void
search (FaspMerge *merge, FaspSource *source, const FaspBlock *block)
{
  const guint8 *data = block->data;
  gsize size = block->size;
  FaspAnchor anchor;
  guint64 offset;

  if (source->searched >= SEARCHED)
    return;
  source->searched += size;
  if (source->searched >= SEARCHED) {
    g_clear_pointer (&source->anchors, fasp_anchors_free);
    return;
  }
  if (source->anchors == NULL)
    source->anchors = fasp_anchors_new ();
  if (merge->anchors == NULL)
    merge->anchors = recall (merge);
  fasp_anchors_begin (source->anchors, block->offset);
  while (fasp_anchors_next (source->anchors, &data, &size, &anchor))
    if (!anchor.repeats && fasp_anchors_find (merge->anchors, anchor.hash, &offset))
      fasp_alignment_note (&source->alignment, offset, anchor.offset);
}

gboolean
fasp_merge_align (FaspMerge *merge, FaspTime now, FaspSource *source)
{
  FaspRead *held = &source->held;
  guint64 offset = held->block->offset;
  gint64 shift;

  if (!held->behind.known || offset == FASP_OFFSET_UNKNOWN)
    return FALSE;
  if (!fasp_alignment_is_known (&source->alignment)) {
    if (!fasp_merge_is_apart (merge, now, source))
      search (merge, source, held->block);
    return FALSE;
  }
  if (source->anchors != NULL)
    source->placed = now;
  g_clear_pointer (&source->anchors, fasp_anchors_free);
  shift = source->alignment.shift;
  if (shift < 0 && offset < (guint64) -shift)
    return FALSE; /* these bytes come before the stream's first one */
  held->block->offset = fasp_offset_check (offset + shift);
  held->behind.origin = merge->next.origin;
  held->behind.offset = fasp_offset_check (held->behind.offset + shift);
  return TRUE;
}

FaspStreamOffset
fasp_merge_get_foreign (const FaspMerge *merge, const FaspSource *source, guint64 offset)
{
  FaspStreamOffset position = { .known = FALSE };
  gint64 shift = source->alignment.shift;

  if (!fasp_merge_is_foreign (merge, source))
    return (FaspStreamOffset) { TRUE, merge->next.origin, offset };
  if (!fasp_alignment_is_known (&source->alignment) || (shift > 0 && offset < (guint64) shift))
    return position;
  return (FaspStreamOffset) { TRUE, source->origin, fasp_offset_check (offset - shift) };
}
