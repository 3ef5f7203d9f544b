/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "tssync.h"

/* In the order of preference, if the bytes fit several sizes. */
static const guint sizes[TS_SYNC_SIZES] = { 188, 192, 204, 208 };

void
ts_sync_init (TsSync *sync, guint given, guint wanted)
{
  memset (sync, 0, sizeof *sync);
  sync->given = given;
  sync->wanted = wanted;
}

gsize
ts_sync_take (const TsSync *sync, TsPart *part, const guint8 *data, gsize size,
    const guint8 **packet)
{
  gsize n = MIN (size, (part->phase < TS_PACKET ? TS_PACKET : sync->size) - part->phase);
  gboolean ends = part->phase < TS_PACKET && part->phase + n == TS_PACKET;

  if (n < TS_PACKET && part->phase < TS_PACKET)
    memcpy (part->packet + part->phase, data, n);
  *packet = !ends ? NULL : n == TS_PACKET ? data : part->packet;
  part->phase = (part->phase + n) % sync->size;
  return n;
}

void
ts_sync_lose (TsSync *sync)
{
  sync->size = 0;
  /* farther than any packet is long, so that no sync byte is in a row with an earlier one */
  sync->scanned += 2 * TS_SYNC_SIZE_MAX;
}

/* Takes in a sync byte. Returns the size of the packets if it completes a row; else 0. */
static guint
add (TsSync *sync)
{
  guint size = 0;

  for (guint i = 0; i < TS_SYNC_SIZES; i++) {
    guint phase = sync->scanned % sizes[i];
    guint8 *run = &sync->run[i][phase];
    guint32 *last = &sync->last[i][phase];

    if (sync->given != 0 && sizes[i] != sync->given)
      continue;
    *run = sync->scanned - *last == sizes[i] ? *run + 1 : 1;
    *last = sync->scanned;
    if (*run >= sync->wanted && size == 0)
      size = sizes[i];
  }
  return size;
}

gboolean
ts_sync_find (TsSync *sync, const guint8 *data, gsize size, gsize *done)
{
  while (*done < size) {
    const guint8 *from = data + *done;
    const guint8 *byte = memchr (from, TS_SYNC, size - *done);
    gsize skipped = byte != NULL ? (gsize) (byte - from) : size - *done;

    sync->scanned += (guint32) skipped;
    *done += skipped;
    if (byte == NULL)
      return FALSE;
    sync->size = add (sync);
    if (sync->size > 0)
      return TRUE;
    sync->scanned++;
    ++*done;
  }
  return FALSE;
}

gboolean
ts_sync_is_size (guint size)
{
  for (guint i = 0; i < TS_SYNC_SIZES; i++)
    if (size == sizes[i])
      return TRUE;
  return FALSE;
}

guint
ts_sync_get_front (guint size)
{
  return size == 192 ? 4 : 0;
}

guint
ts_sync_fit (const guint8 *data, gsize size, guint *n)
{
  for (guint i = 0; i < TS_SYNC_SIZES; i++) {
    gsize at = ts_sync_get_front (sizes[i]);

    for (*n = 0; at < size && data[at] == TS_SYNC; at += sizes[i])
      ++*n;
    if (at >= size && *n > 0)
      return sizes[i];
  }
  *n = 0;
  return 0;
}
