/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "cbrsync.h"

/* In the order of preference, if the bytes fit several sizes. */
static const guint sizes[CBR_SYNC_SIZES] = { 188, 192, 204, 208 };

void
cbr_sync_init (CbrSync *sync, guint given)
{
  memset (sync, 0, sizeof *sync);
  sync->given = given;
}

void
cbr_sync_lose (CbrSync *sync)
{
  sync->size = 0;
  /* farther than any packet is long, so that no sync byte is in a row with an earlier one */
  sync->scanned += 2 * CBR_SYNC_SIZE_MAX;
}

/* Takes in a sync byte. Returns the size of the packets if it completes a row of CBR_SYNC_RUN; else
 * 0. */
static guint
add (CbrSync *sync)
{
  guint size = 0;

  for (guint i = 0; i < CBR_SYNC_SIZES; i++) {
    guint phase = sync->scanned % sizes[i];
    guint8 *run = &sync->run[i][phase];
    guint32 *last = &sync->last[i][phase];

    if (sync->given != 0 && sizes[i] != sync->given)
      continue;
    *run = sync->scanned - *last == sizes[i] ? *run + 1 : 1;
    *last = sync->scanned;
    if (*run >= CBR_SYNC_RUN && size == 0)
      size = sizes[i];
  }
  return size;
}

gboolean
cbr_sync_find (CbrSync *sync, const guint8 *data, gsize size, gsize *done)
{
  while (*done < size) {
    const guint8 *from = data + *done;
    const guint8 *byte = memchr (from, CBR_TS_SYNC, size - *done);
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
cbr_sync_is_size (guint size)
{
  for (guint i = 0; i < CBR_SYNC_SIZES; i++)
    if (size == sizes[i])
      return TRUE;
  return FALSE;
}

guint
cbr_sync_get_front (guint size)
{
  return size == 192 ? 4 : 0;
}

guint
cbr_sync_fit (const guint8 *data, gsize size, guint *n)
{
  for (guint i = 0; i < CBR_SYNC_SIZES; i++) {
    gsize at = cbr_sync_get_front (sizes[i]);

    for (*n = 0; at < size && data[at] == CBR_TS_SYNC; at += sizes[i])
      ++*n;
    if (at >= size && *n > 0)
      return sizes[i];
  }
  *n = 0;
  return 0;
}
