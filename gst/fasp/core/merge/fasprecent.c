/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "fasprecent.h"
#include "faspring.h"

void
fasp_recent_init (FaspRecent *recent, guint64 most)
{
  memset (recent, 0, sizeof *recent);
  recent->mask = FASP_RING_FIRST_MASK;
  recent->ring = g_new (FaspRecentBlock, recent->mask + 1);
  recent->most = most;
}

static inline FaspRecentBlock *
nth (const FaspRecent *recent, guint64 i)
{
  return &recent->ring[i & recent->mask];
}

const FaspBlock *
fasp_recent_nth (const FaspRecent *recent, guint64 i)
{
  return nth (recent, i)->block;
}

static void
forget_oldest (FaspRecent *recent)
{
  FaspBlock *block = nth (recent, recent->from++)->block;

  recent->bytes -= block->size;
  fasp_block_unref (block);
}

void
fasp_recent_forget (FaspRecent *recent)
{
  while (recent->from < recent->to)
    forget_oldest (recent);
}

void
fasp_recent_clear (FaspRecent *recent)
{
  fasp_recent_forget (recent);
  g_clear_pointer (&recent->ring, g_free);
}

void
fasp_recent_add (FaspRecent *recent, FaspBlock *block, guint source)
{
  recent->ring = fasp_ring_make_room (recent->ring, sizeof *recent->ring, &recent->mask,
      recent->from, recent->to);
  *nth (recent, recent->to++) = (FaspRecentBlock) { fasp_block_ref (block), source };
  recent->bytes += block->size;
  while (recent->bytes > recent->most && recent->to - recent->from > 1)
    forget_oldest (recent);
}

/* The last block that begins at or before @offset; the oldest if there is none. */
static guint64
find (const FaspRecent *recent, guint64 offset)
{
  guint64 low = recent->from, high = recent->to;

  while (high - low > 1) {
    guint64 middle = low + (high - low) / 2;

    if (nth (recent, middle)->block->offset <= offset)
      low = middle;
    else
      high = middle;
  }
  return low;
}

FaspRecentResult
fasp_recent_compare (const FaspRecent *recent, guint64 offset, const guint8 *data, guint32 size,
    FaspRecentFound *found)
{
  guint64 end = offset + size;

  *found = (FaspRecentFound) { 0 };
  if (recent->from == recent->to)
    return FASP_RECENT_GONE;
  for (guint64 i = find (recent, offset); i < recent->to; i++) {
    const FaspBlock *block = nth (recent, i)->block;
    guint64 from = MAX (block->offset, offset), to = MIN (block->offset + block->size, end);

    if (block->offset >= end)
      break;
    if (from >= to)
      continue;
    if (found->compared == 0)
      found->media_time = block->media_time;
    if (memcmp (block->data + (from - block->offset), data + (from - offset), to - from) != 0) {
      found->source = nth (recent, i)->source;
      return FASP_RECENT_DIFFERS;
    }
    found->compared += to - from;
  }
  return found->compared > 0 ? FASP_RECENT_SAME : FASP_RECENT_GONE;
}
